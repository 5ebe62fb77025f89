//! Recognizes the body of a character: from bones that the user names, from the file's own map of bones, from the names of its
//! joints, or from its shape and symmetry alone. The shape also checks the names. The time is linear in the number of nodes and vertices.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::asset::{Character, Side};

use super::body_plan::{BodyKind, BodyPlan, LimbKind, LimbSide};
use super::bone_names::Bones;
use super::reparent::reparent;
use super::{body_capsules, soles};

mod anatomy;
mod by_name;
mod detached;
mod facing;
mod four_legs;
mod from_bones;
mod given;
mod limb;
mod many_legs;
mod parts;
mod plan;
mod plan_bones;
mod shape;
mod skin_mass;
mod stance;
mod symmetry;
#[cfg(test)]
mod tests;
mod trunk;
mod two_legs;

use anatomy::Anatomy;
pub(crate) use by_name::LIMBS as LIMB_BONES;
use parts::Parts;
use stance::Stance;

#[cfg(test)]
pub(crate) use by_name::tests as outlines;

/// Minimum certainty at which a body is recognised.
const MIN_CERTAINTY: f32 = 0.5;
/// If the certainty in the rest pose is lower than this, the body is also searched for in other poses.
const SURE: f32 = 0.7;

/// A recognised body.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognized {
    /// The parts of the body.
    pub plan: BodyPlan,
    /// The node of each bone by name. A biped has the names of VRM 1.0, such as `leftUpperLeg`. A quadruped has `hips`, `chest`,
    /// `neck`, `head`, `tail`, and for each leg names such as `leftFrontUpperLeg` and `rightHindFoot`. For any other body, this
    /// is empty.
    pub bones: Bones,
    /// The logical parents of nodes that the file has attached elsewhere. With these parents, everything descends from the hips.
    pub logical_parents: BTreeMap<usize, usize>,
    /// The world direction that is up for the body. It is +Y, unless the file has another up axis and the body therefore lies down in the
    /// rest pose.
    pub up: Vec3,
}

impl Recognized {
    /// Returns whether the body stands upright in the rest pose, so that it has a floor.
    pub fn stands(&self) -> bool {
        self.up == Vec3::Y
    }
}

/// The reason why no body was recognised, as a clause.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unrecognized(pub String);

/// Recognizes the body of a character.
///
/// ```
/// use std::path::Path;
///
/// use sinew_character::asset;
/// use sinew_character::rig::{BodyKind, recognize};
///
/// let body = recognize(&asset::mannequin()?)?.plan;
/// assert_eq!(body.kind, BodyKind::Biped);
/// assert_eq!(body.legs().filter(|leg| leg.stands).count(), 2);
/// assert!(body.facing.z > 0.99);
///
/// // A robot arm has no body.
/// # drop(std::env::set_current_dir("../.."));
/// assert!(recognize(&asset::load(Path::new("assets/arm.glb"))?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Unrecognized`] if the character has no body of a known kind, or if the result would be a guess.
pub fn recognize(character: &Character) -> Result<Recognized, Unrecognized> {
    recognize_with(character, &Bones::new())
}

/// Recognizes the body of a character with some bones given by their VRM 1.0 names. The given bones replace the bones that the file maps or
/// that would be found. One given bone is enough if the others can be found.
///
/// ```
/// use sinew_character::asset;
/// use sinew_character::rig::{Bones, recognize_with};
///
/// let character = asset::mannequin()?;
/// let wrist = character.skeleton.find("leftHand").ok_or("no hand")?;
/// let given = Bones::from([("leftHand".to_owned(), wrist)]);
/// assert_eq!(recognize_with(&character, &given)?.bones["leftHand"], wrist);
///
/// let error = recognize_with(&character, &Bones::from([("leftHnad".to_owned(), wrist)])).unwrap_err();
/// assert!(error.to_string().contains("leftHnad"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Unrecognized`] as for [`recognize`], and also if a given bone has an unknown name or no node, or if the bones contradict each other.
pub fn recognize_with(character: &Character, given: &Bones) -> Result<Recognized, Unrecognized> {
    given::check(character, given)?;
    let mut best = in_stance(character, given, &Stance::rest());
    let certainty = |found: &Result<Recognized, _>| found.as_ref().map_or(0.0, |f| f.plan.certainty);
    if certainty(&best) < SURE {
        for stance in Stance::others(character) {
            let found = in_stance(character, given, &stance);
            if certainty(&found) > certainty(&best) {
                best = found;
            }
        }
    }
    best
}

/// Returns the bones of a human body by their VRM 1.0 names, such as `leftUpperLeg`.
///
/// ```
/// use std::path::Path;
///
/// use sinew_character::{asset, rig};
///
/// let mannequin = asset::mannequin()?;
/// let elbow = rig::humanoid(&mannequin)?["leftLowerArm"];
/// assert_eq!(mannequin.skeleton.label(elbow), "leftLowerArm");
///
/// # drop(std::env::set_current_dir("../.."));
/// let spider = asset::load(Path::new("assets/spider.glb"))?;
/// assert_eq!(rig::humanoid(&spider).unwrap_err().to_string(), "it is many-legged");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Unrecognized`] if the body is not recognised or is not human.
pub fn humanoid(character: &Character) -> Result<Bones, Unrecognized> {
    let body = recognize(character)?;
    match body.plan.kind {
        BodyKind::Biped => Ok(body.bones),
        BodyKind::ManyLegged => Err(Unrecognized("it is many-legged".into())),
        kind => Err(Unrecognized(format!("it is a {}", kind.name()))),
    }
}

/// Returns the bones of a human body by joint names only, ignoring their positions.
pub(crate) fn bones_by_name(character: &Character) -> Option<Bones> {
    by_name::bones(character)
}

/// Recognizes a body in one pose.
fn in_stance(character: &Character, given: &Bones, stance: &Stance) -> Result<Recognized, Unrecognized> {
    let mut anatomy =
        Anatomy::new(character, stance).ok_or_else(|| Unrecognized("it has no joints".into()))?;
    let detached = detached::attach(&mut anatomy);
    let found = parts(character, &mut anatomy, stance);
    let parts = if given.is_empty() {
        found?
    } else {
        let body = found.map(|parts| plan::complete(&anatomy, &detached, parts, stance.up()));
        let bones = body.ok().filter(|body| body.plan.kind == BodyKind::Biped).map(|body| body.bones);
        given::parts(character, &anatomy, bones.unwrap_or_default(), given)?
    };
    if parts.certainty < MIN_CERTAINTY {
        let doubts = parts.doubts.join(", ");
        return Err(Unrecognized(format!("it may be a {}, but {doubts}", parts.kind.name())));
    }
    let mut body = plan::complete(&anatomy, &detached, parts, stance.up());
    if reparent(&character.skeleton, &body.logical_parents).is_err() {
        return Err(Unrecognized("its parts cannot be put below the hips".into()));
    }
    soles::measure(character, &anatomy.world, &mut body.plan);
    body_capsules::measure(character, &anatomy.world, &mut body.plan);
    body.plan.reasons.extend(stance.reason());
    Ok(body)
}

/// Finds the parts of a body by names and by its shape.
fn parts(character: &Character, anatomy: &mut Anatomy<'_>, stance: &Stance) -> Result<Parts, Unrecognized> {
    let has_map = character.humanoid.is_some();
    let by_name = by_name::bones(character).and_then(|bones| from_bones::find(anatomy, &bones));
    // A shape that is found in one of many poses may be a coincidence.
    let needs_names = stance.lies() || !stance.is_rest() && !rest_is_line(character);
    if needs_names && by_name.is_none() {
        return Err(Unrecognized("its joints have no names of bones".into()));
    }
    match (by_name, shape::find(anatomy)) {
        // The front legs of an animal may be named like arms.
        (Some(_), Ok(shape)) if !has_map && shape.kind == BodyKind::Quadruped => {
            Ok(with_sides(character, shape))
        }
        (Some(named), shape) => Ok(with_shape(named, shape, has_map)),
        (None, Ok(shape)) => Ok(with_wings(character, with_sides(character, shape))),
        (None, Err(reason)) => Err(Unrecognized(reason)),
    }
}

/// Returns whether all joints of the rest pose are nearly in one line.
fn rest_is_line(character: &Character) -> bool {
    Anatomy::new(character, &Stance::rest()).is_none_or(|anatomy| anatomy.is_line())
}

/// Compares parts found by names with those found by shape.
fn with_shape(mut named: Parts, shape: Result<Parts, String>, has_map: bool) -> Parts {
    let source = if has_map { "the file maps its bones" } else { "the names of the joints say so" };
    named.reasons.insert(0, source.into());
    let ends = |parts: &Parts| {
        let ends = parts.limbs.iter().flat_map(|(_, pair)| pair).filter_map(|l| l.joints.first().copied());
        ends.collect::<Vec<_>>()
    };
    match shape {
        Ok(shape) if ends(&shape) == ends(&named) => {
            named.certainty = named.certainty.max(0.98);
            named.reasons.push("the shape agrees".into());
        }
        Ok(_) => {
            named.certainty *= 0.85;
            named.doubts.push("the shape alone would have other limbs".into());
        }
        Err(reason) => {
            named.certainty *= 0.9;
            named.doubts.push(format!("by its shape alone, {reason}"));
        }
    }
    named
}

/// Compares the sides of limbs that were found by shape with the names of their joints. The names take precedence.
fn with_sides(character: &Character, mut parts: Parts) -> Parts {
    let mut votes = 0;
    for (_, pair) in &parts.limbs {
        for (limb, side) in pair.iter().zip([LimbSide::Left, LimbSide::Right]) {
            for &joint in &limb.joints {
                let name = character.skeleton.nodes[joint].name.as_deref().unwrap_or_default();
                votes += match (Side::from_name(name), side) {
                    (None, _) => 0,
                    (Some(Side::Left), LimbSide::Left) | (Some(Side::Right), LimbSide::Right) => 1,
                    _ => -1,
                };
            }
        }
    }
    if votes > 0 {
        parts.certainty = 1.0 - 0.7 * (1.0 - parts.certainty);
        parts.reasons.push("names of joints agree about the sides".into());
    } else if votes < 0 {
        parts.limbs.iter_mut().for_each(|(_, pair)| pair.swap(0, 1));
        parts.facing = -parts.facing;
        parts.certainty *= 0.7;
        parts.doubts.push("the names of the joints have the sides the other way round".into());
    }
    parts
}

/// Treats front limbs as wings if their names contain `wing`.
fn with_wings(character: &Character, mut parts: Parts) -> Parts {
    let is_wing = |&n: &usize| {
        let name = character.skeleton.nodes[n].name.as_deref().unwrap_or_default();
        name.to_lowercase().contains("wing")
    };
    for (kind, pair) in &mut parts.limbs {
        if *kind == LimbKind::Arm && pair.iter().flat_map(|l| &l.joints).any(is_wing) {
            *kind = LimbKind::Wing;
            parts.kind = BodyKind::Bird;
        }
    }
    parts
}
