//! The joints of a body that move its effectors, in the form that the shaders read.
//!
//! All links between two joints become part of the lower joint, and lengths are divided by the length of the longest
//! chain, so that the tolerances of single precision are the same for bodies of all sizes.

use glam::{DQuat, DVec3};

use crate::body::JointLimit;
use crate::ik::shared::HINGE_FREEDOM;
use crate::ik::{Body, Goal, Limit, Link, Options};

use super::gpu_types::{NO_PARENT, PackedJoint};
use super::limit_error::limit_error;

/// Scale of the errors of pinned goals relative to the errors of other goals. The relative weight of pinned goals is the
/// square of this scale.
const PIN_SCALE: f64 = 10.0;
/// A scale counts as uniform if its components differ by at most this fraction.
const UNEVENNESS: f64 = 1e-6;

/// A joint in double precision. Lengths are in base space.
#[derive(Clone, Debug)]
pub(super) struct ReducedJoint {
    pub(super) link: usize,
    pub(super) parent: Option<usize>,
    /// Rotation from the parent's turned frame to the joint's rest frame.
    pub(super) before: DQuat,
    /// Position in the parent's turned frame.
    pub(super) offset: DVec3,
    pub(super) limit: Limit,
    /// The limit in the form that the shaders read.
    packed_limit: JointLimit,
    pub(super) is_reversed: bool,
    depth: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Effector {
    /// The nearest joint above the effector.
    pub(super) joint: usize,
    /// Position in the turned frame of the joint.
    pub(super) place: DVec3,
    /// Orientation of the link in the turned frame of the joint.
    pub(super) rotation: DQuat,
    /// Length of the chain above the effector.
    pub(super) length: f64,
    /// Scale of the effector's errors. Its square is the weight of the goal.
    pub(super) scale: f64,
}

/// The moving joints of a body and the effectors of its goals.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    pub(super) joints: Vec<ReducedJoint>,
    pub(super) effectors: Vec<Effector>,
    /// All locked links of the body. They keep their rest rotation in every solution, as on the CPU.
    pub(super) locked: Vec<usize>,
    /// Length of the longest chain.
    pub(super) length: f64,
    /// Largest number of degrees of freedom above an effector, divided by the three of a ball joint.
    pub(super) freedom: f64,
    /// Sum of the deviations of the links' scales from uniform scales, as fractions.
    pub(super) unevenness: f64,
    /// The joints in the form that the shaders read.
    pub(super) packed: Vec<PackedJoint>,
}

/// The fixed transform between a link and the joint above it.
#[derive(Clone, Copy)]
struct Folded {
    joint: Option<usize>,
    place: DVec3,
    rotation: DQuat,
    scale: f64,
}

impl Structure {
    /// Builds the structure of a body and its goals. The goals must be valid. Links without weight keep the rotation that
    /// they have in this body, and locked links have their rest rotation.
    ///
    /// # Errors
    /// Returns the property of the problem that the shaders do not support.
    pub(super) fn new(body: &Body, goals: &[Goal], options: &Options) -> Result<Self, &'static str> {
        let links = body.links();
        let mut involved = vec![false; links.len()];
        for goal in goals {
            let mut next = moving_link(links, goal);
            while let Some(link) = next.filter(|link| involved.get(*link) == Some(&false)) {
                involved[link] = true;
                next = links[link].parent.map(|parent| parent.0);
            }
        }
        let mut joints: Vec<ReducedJoint> = Vec::new();
        let mut folded: Vec<Folded> = Vec::with_capacity(links.len());
        let mut unevenness = 0.0;
        for (index, (link, rotation)) in links.iter().zip(body.rotations()).enumerate() {
            let start = Folded { joint: None, place: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: 1.0 };
            let above = link.parent.and_then(|p| folded.get(p.0)).copied().unwrap_or(start);
            if !involved[index] {
                folded.push(above);
                continue;
            }
            let Some(scale) = even_scale(link.scale) else { return Err("uneven or negative scale") };
            unevenness += 1.0 - link.scale.min_element() / scale;
            let limit = if options.limits { link.limit } else { Limit::Free };
            if matches!(link.limit, Limit::Prismatic { .. }) || link.mimic.is_some() {
                return Err("prismatic and mimic joints");
            }
            let place = above.place + above.rotation * (link.offset * above.scale);
            if link.weight > 0.0 && limit != Limit::Locked {
                let packed = JointLimit::new(&limit).ok_or(UNSUPPORTED_ORDER)?;
                let (rest, rotation) =
                    if link.reversed { (DQuat::IDENTITY, link.rest) } else { (link.rest, DQuat::IDENTITY) };
                joints.push(ReducedJoint {
                    link: index,
                    parent: above.joint,
                    before: (above.rotation * rest).normalize(),
                    offset: place,
                    limit,
                    packed_limit: if link.reversed { packed.inverted() } else { packed },
                    is_reversed: link.reversed,
                    depth: above.joint.map_or(0, |j| joints[j].depth + 1),
                });
                let joint = Some(joints.len() - 1);
                folded.push(Folded { joint, place: DVec3::ZERO, rotation, scale: above.scale * scale });
            } else {
                let own = if limit == Limit::Locked { link.rest } else { *rotation };
                let rotation = (above.rotation * own).normalize();
                folded.push(Folded { joint: above.joint, place, rotation, scale: above.scale * scale });
            }
        }
        let largest =
            |pinned: bool| goals.iter().filter(|g| g.pinned == pinned).map(stated_weight).fold(0.0, f64::max);
        let largest = [largest(false), largest(true)];
        let effector = |goal: &Goal| {
            let moving = moving_link(links, goal).ok_or(NOTHING_MOVES)?;
            let own = folded.get(moving).copied().ok_or(NOTHING_MOVES)?;
            let joint = own.joint.ok_or(NOTHING_MOVES)?;
            let (offset, rotation) = if moving == goal.link.0 {
                (goal.offset, own.rotation)
            } else {
                let link = links.get(goal.link.0).ok_or(NOTHING_MOVES)?;
                (link.offset, own.rotation * body.rotations().get(goal.link.0).copied().unwrap_or(link.rest))
            };
            let place = own.place + own.rotation * (offset * own.scale);
            let mut length = place.length();
            let up = |j: &usize| joints[*j].parent;
            for j in std::iter::successors(Some(joint), up) {
                if joints[j].parent.is_some() {
                    length += joints[j].offset.length();
                }
            }
            let most = largest[usize::from(goal.pinned)];
            let weight = if most > 0.0 { stated_weight(goal) / most } else { 0.0 };
            let scale = weight.sqrt() * if goal.pinned { PIN_SCALE } else { 1.0 };
            // A chain of zero length, which is one joint that turns in place, counts as one metre long.
            Ok(Effector { joint, place, rotation, length: if length > 0.0 { length } else { 1.0 }, scale })
        };
        let effectors: Vec<Effector> = goals.iter().map(effector).collect::<Result<_, &'static str>>()?;
        let length = effectors.iter().map(|e| e.length).fold(0.0, f64::max);
        let is_locked = |(_, link): &(usize, &Link)| options.limits && link.limit == Limit::Locked;
        let locked = links.iter().enumerate().filter(is_locked).map(|(index, _)| index).collect();
        let mut structure =
            Self { joints, effectors, locked, length, freedom: 0.0, unevenness, packed: Vec::new() };
        structure.freedom = structure.largest_freedom(links);
        structure.packed = structure.joints.iter().map(|j| j.pack(&links[j.link], length)).collect();
        Ok(structure)
    }

    /// Returns the joints from an effector's joint up to the base.
    pub(super) fn above(&self, effector: &Effector) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(effector.joint), |j| self.joints.get(*j)?.parent)
    }

    fn largest_freedom(&self, links: &[Link]) -> f64 {
        let of = |joint: usize| {
            let joint = &self.joints[joint];
            let is_hinge = matches!(joint.limit, Limit::Hinge { .. });
            links[joint.link].weight * if is_hinge { HINGE_FREEDOM } else { 1.0 }
        };
        self.effectors.iter().map(|e| self.above(e).map(of).sum()).fold(0.0, f64::max)
    }

    /// Returns the kinds of limits that occur, one bit for each.
    pub(super) fn kinds(&self) -> u32 {
        self.packed.iter().fold(0, |kinds, joint| kinds | 1 << joint.limit.kind)
    }

    /// Returns the distance from the base that an effector can have, if the base does not move.
    pub(super) fn reach(&self, effector: &Effector) -> f64 {
        let first = self.above(effector).last().and_then(|j| self.joints.get(j));
        effector.length + first.map_or(0.0, |joint| joint.offset.length())
    }

    /// Returns the number of joints on the longest path from the base.
    pub(super) fn depth(&self) -> u32 {
        self.joints.iter().map(|j| j.depth + 1).max().unwrap_or(0)
    }
}

const NOTHING_MOVES: &str = "goals that no joint can move";
const UNSUPPORTED_ORDER: &str = "Euler angles about fixed axes, or with two equal axes";

/// Returns the weight of a goal. For a pin, the weight is 1 unless it is zero, so only the weights of its axes matter.
fn stated_weight(goal: &Goal) -> f64 {
    if goal.pinned && goal.weight > 0.0 { 1.0 } else { goal.weight }
}

/// Returns the lowest link that moves the effector of a goal. Turning a link does not move the link's own joint.
fn moving_link(links: &[Link], goal: &Goal) -> Option<usize> {
    let turns_own = goal.orientation.is_some() || goal.offset != DVec3::ZERO;
    if turns_own { Some(goal.link.0) } else { links.get(goal.link.0)?.parent.map(|parent| parent.0) }
}

fn even_scale(scale: DVec3) -> Option<f64> {
    let (least, most) = (scale.min_element(), scale.max_element());
    (least > 0.0 && most - least <= UNEVENNESS * most).then_some(most)
}

#[expect(clippy::cast_possible_truncation, reason = "the shaders use single precision")]
pub(super) fn single(v: f64) -> f32 {
    v as f32
}

pub(super) fn four(v: DVec3, w: f64) -> [f32; 4] {
    [single(v.x), single(v.y), single(v.z), single(w)]
}

pub(super) fn quaternion(q: DQuat) -> [f32; 4] {
    [single(q.x), single(q.y), single(q.z), single(q.w)]
}

impl ReducedJoint {
    fn pack(&self, link: &Link, length: f64) -> PackedJoint {
        PackedJoint {
            before: quaternion(self.before),
            offset: four(self.offset / length, link.weight),
            limit: self.packed_limit,
            parent: self.parent.and_then(|p| u32::try_from(p).ok()).unwrap_or(NO_PARENT),
            depth: self.depth,
            limit_error: single(limit_error(&self.limit)),
            reserved: 0,
        }
    }

    /// Converts the local rotation of the joint's link to the rotation that the shaders use.
    pub(super) fn own(&self, link: &Link, rotation: DQuat) -> DQuat {
        if link.reversed { rotation * link.rest.conjugate() } else { link.rest.conjugate() * rotation }
    }

    /// Converts the rotation that a shader returns to the local rotation of the joint's link.
    pub(super) fn local(&self, link: &Link, own: DQuat) -> DQuat {
        let own = own.normalize();
        if link.reversed { own * link.rest } else { link.rest * own }
    }
}
