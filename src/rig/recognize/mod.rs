//! Recognizes the body of a character: from the file's own map of bones, from the names of its joints, or from its shape
//! and symmetry alone. The shape also checks the names. The time is linear in the number of nodes and vertices.

use std::collections::BTreeMap;

use crate::asset::{Character, Side, humanoid};

use super::body_plan::{BodyKind, BodyPlan, LimbKind, LimbSide};
use super::reparent::reparent;
use super::{body_capsules, soles};

mod anatomy;
mod detached;
mod facing;
mod four_legs;
mod limb;
mod many_legs;
mod named;
mod parts;
mod plan;
mod shape;
mod skin_mass;
mod symmetry;
#[cfg(test)]
mod tests;
mod trunk;
mod two_legs;

use anatomy::Anatomy;
use parts::Parts;

/// A body is recognised if it is at least this certain.
const MIN_CERTAINTY: f32 = 0.5;

/// A recognised body.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognized {
    /// The parts of the body.
    pub plan: BodyPlan,
    /// The logical parents of nodes that the file has attached elsewhere. With them, everything is below the hips.
    pub logical_parents: BTreeMap<usize, usize>,
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
/// use sinew::asset;
/// use sinew::rig::{BodyKind, LimbKind, recognize};
///
/// let body = recognize(&asset::mannequin()?)?.plan;
/// assert_eq!(body.kind, BodyKind::Biped);
/// assert_eq!(body.limbs.iter().filter(|limb| limb.kind == LimbKind::Leg && limb.stands).count(), 2);
/// assert!(body.facing.z > 0.99);
///
/// // A robot arm has no body.
/// assert!(recognize(&asset::load(Path::new("assets/arm.glb"))?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Unrecognized`] if the character has no body of a known kind, or if the result would be a guess.
pub fn recognize(character: &Character) -> Result<Recognized, Unrecognized> {
    let mut anatomy = Anatomy::new(character).ok_or_else(|| Unrecognized("it has no joints".into()))?;
    let detached = detached::attach(&mut anatomy);
    let by_shape = shape::find(&mut anatomy);
    let has_map = character.humanoid.is_some();
    let by_name = humanoid(character).and_then(|bones| named::find(&anatomy, &bones));
    let parts = match (by_name, by_shape) {
        // The front legs of an animal may be named like arms.
        (Some(_), Ok(shape)) if !has_map && shape.kind == BodyKind::Quadruped => with_sides(character, shape),
        (Some(named), shape) => with_shape(named, shape, has_map),
        (None, Ok(shape)) => with_wings(character, with_sides(character, shape)),
        (None, Err(reason)) => return Err(Unrecognized(reason)),
    };
    if parts.certainty < MIN_CERTAINTY {
        let doubts = parts.doubts.join(", ");
        return Err(Unrecognized(format!("it may be a {}, but {doubts}", parts.kind.name())));
    }
    let (mut plan, logical_parents) = plan::complete(&anatomy, &detached, parts);
    if reparent(&character.skeleton, &logical_parents).is_err() {
        return Err(Unrecognized("its parts cannot be put below the hips".into()));
    }
    soles::measure(character, &anatomy.world, &mut plan);
    body_capsules::measure(character, &anatomy.world, &mut plan);
    Ok(Recognized { plan, logical_parents })
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

/// Compares the sides of limbs that were found by shape with the names of their joints. Names decide.
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

/// Turns front limbs whose names say that they are wings into wings.
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
