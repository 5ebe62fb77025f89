//! Completes the plan of a body from its parts.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::rig::body_plan::{BodyKind, BodyLimb, BodyPlan, LimbKind, LimbSide};

use super::Recognized;
use super::anatomy::Anatomy;
use super::facing::deviation;
use super::limb::{self, LimbJoints};
use super::parts::Parts;
use super::plan_bones::bones;

/// Limbs of at least this fraction of the longest limb's length pull on the trunk with full strength.
const FULL_PULL: f32 = 0.6;
/// A limb that is bent by less than this fraction of its length counts as straight.
const MIN_BEND: f32 = 0.02;

/// Returns a body, its bones, and the logical parents that make everything descend from its hips. Soles and capsules are not measured yet.
/// `detached` contains the parents of parts that the file has attached elsewhere, and `up` is the direction that is up for the body.
pub(super) fn complete(
    anatomy: &Anatomy<'_>,
    detached: &BTreeMap<usize, usize>,
    parts: Parts,
    up: Vec3,
) -> Recognized {
    let mut parents = Parents { anatomy, logical: detached.clone() };
    parents.logical.extend(&parts.logical_parents);
    let tops =
        parts.limbs.iter().flat_map(|(_, pair)| pair).filter_map(|l| l.collar.first().or(l.joints.first()));
    let others = parts.tails.iter().filter_map(|t| t.first());
    let others =
        others.chain(parts.spine.first()).chain(parts.neck.first().filter(|_| parts.spine.is_empty()));
    for &node in tops.chain(others) {
        parents.put_below(node, parts.hips);
    }
    let longest =
        parts.limbs.iter().flat_map(|(_, pair)| pair).map(|l| length(anatomy, l)).fold(0.0, f32::max);
    let mut limbs = Vec::new();
    for (index, (kind, pair)) in parts.limbs.iter().enumerate() {
        for (side, limb) in [LimbSide::Left, LimbSide::Right].into_iter().zip(pair) {
            for w in limb.collar.iter().chain(&limb.joints).copied().collect::<Vec<_>>().windows(2) {
                parents.put_below(w[1], w[0]);
            }
            let end = limb.joints.last().copied().unwrap_or_default();
            let mut digits = limb::digits(anatomy, end);
            for sibling in limb::siblings(anatomy, &limb.joints) {
                parents.logical.insert(sibling, end);
                digits.push(anatomy.longest_path(sibling));
            }
            let top = limb.joints.first().copied().unwrap_or(end);
            let top_height = anatomy.at[top].y - anatomy.floor;
            let is_front_leg = parts.kind == BodyKind::Quadruped && index == 0;
            let forwards = *kind == LimbKind::Leg && !is_front_leg;
            let is_biped = parts.kind == BodyKind::Biped;
            let usual = if forwards { parts.facing } else { -parts.facing };
            let other = &pair[usize::from(side == LimbSide::Left)];
            let default = partner_bend(anatomy, other, parts.facing).filter(|_| is_biped).unwrap_or(usual);
            limbs.push(BodyLimb {
                kind: *kind,
                side,
                collar: limb.collar.clone(),
                bend: bend(anatomy, limb, default, is_biped),
                stands: *kind == LimbKind::Leg && anatomy.lowest[end] - anatomy.floor < 0.15 * top_height,
                pull: (length(anatomy, limb) / (FULL_PULL * longest).max(f32::MIN_POSITIVE)).clamp(0.0, 1.0),
                joints: limb.joints.clone(),
                digits,
                sole: None,
                foot: None,
            });
        }
    }
    // Something else may be below the feet, such as the tip of a spear.
    let standing = limbs.iter().filter(|l| l.stands).map(|l| anatomy.lowest[l.end()]);
    let sole = standing.reduce(f32::min).filter(|sole| sole - anatomy.floor > 0.05 * anatomy.size);
    let feet = limbs.iter().filter(|l| l.kind == LimbKind::Leg);
    let joints = feet.flat_map(|l| l.digits.iter().flatten().chain(l.joints.last()));
    // The lowest surface may be above the feet, for example if the only mesh is a sign that the character holds up. The floor
    // must not be above a foot joint.
    let floor = joints.map(|&n| anatomy.at[n].y).fold(sole.unwrap_or(anatomy.floor), f32::min);
    let size = size(anatomy, parts.kind, &limbs, floor);
    let plan = BodyPlan {
        kind: parts.kind,
        hips: parts.hips,
        spine: parts.spine,
        neck: parts.neck,
        limbs,
        tails: parts.tails,
        facing: parts.facing,
        floor,
        size,
        capsules: Vec::new(),
        skin: Vec::new(),
        certainty: parts.certainty.clamp(0.0, 1.0),
        reasons: [parts.reasons, parts.doubts].concat(),
    };
    let mut bones = bones(&plan, parts.named);
    // A marker at the end of a foot is not a joint that can turn.
    bones.retain(|bone, node| !(bone.ends_with("Toes") && anatomy.is_marker[*node]));
    Recognized { plan, bones, logical_parents: parents.logical, up }
}

/// Height of a person of size 1, in metres.
const PERSON: f32 = 1.75;
/// Height of the shoulders of an animal of size 1, in metres.
const SHOULDERS: f32 = 0.6;

/// Returns the size of a body relative to a person or an animal of size 1.
fn size(anatomy: &Anatomy<'_>, kind: BodyKind, limbs: &[BodyLimb], floor: f32) -> f32 {
    let shoulder = limbs.first().and_then(|l| l.joints.first()).map(|&n| anatomy.at[n].y - floor);
    let animal = matches!(kind, BodyKind::Quadruped | BodyKind::ManyLegged);
    let shoulders = shoulder.filter(|_| animal).map(|height| height / SHOULDERS);
    let highest = anatomy.highest.iter().copied().filter(|y| y.is_finite()).fold(floor, f32::max);
    let top = anatomy.mass.top.map_or(highest, |top| top.max(highest));
    let size = shoulders.unwrap_or((top - floor) / PERSON);
    if size > 0.0 && size.is_finite() { size } else { 1.0 }
}

/// The hierarchy with logical parents.
struct Parents<'a, 'b> {
    anatomy: &'a Anatomy<'b>,
    logical: BTreeMap<usize, usize>,
}

impl Parents<'_, '_> {
    /// Gives a node a logical parent, unless it already descends from that parent.
    fn put_below(&mut self, node: usize, parent: usize) {
        let above = |&n: &usize| self.logical.get(&n).copied().or(self.anatomy.skeleton.nodes[n].parent);
        let is_below = |node: usize, top: usize| {
            std::iter::successors(Some(node), above).take(self.anatomy.at.len() + 1).any(|n| n == top)
        };
        if !is_below(node, parent) && !is_below(parent, node) {
            self.logical.insert(node, parent);
        }
    }
}

fn length(anatomy: &Anatomy<'_>, limb: &LimbJoints) -> f32 {
    limb.joints.windows(2).map(|w| anatomy.length(w[0], w[1])).sum()
}

/// A limb that deviates from straight by less than this fraction of its span may do so by accident.
const ACCIDENT: f32 = 0.07;

/// Returns the mirrored direction in which the other limb of a pair is clearly bent.
fn partner_bend(anatomy: &Anatomy<'_>, other: &LimbJoints, facing: Vec3) -> Option<Vec3> {
    let [first, .., last] = other.joints[..] else { return None };
    let away = deviation(anatomy, &other.joints);
    let left = Vec3::Y.cross(facing);
    let is_clear = away.length() > ACCIDENT * anatomy.at[last].distance(anatomy.at[first]);
    (away - 2.0 * away.dot(left) * left).try_normalize().filter(|_| is_clear)
}

/// Returns the direction in which a limb is bent in the rest pose, or `default` if it is straight.
fn bend(anatomy: &Anatomy<'_>, limb: &LimbJoints, default: Vec3, is_biped: bool) -> Vec3 {
    let [first, .., last] = limb.joints[..] else { return default };
    let away = deviation(anatomy, &limb.joints);
    let span = anatomy.at[last] - anatomy.at[first];
    // A human limb that is almost straight may be bent the wrong way by accident.
    let is_wrong = is_biped && away.dot(default) < 0.0 && away.length() < ACCIDENT * span.length();
    if away.length() > MIN_BEND * span.length() && !is_wrong {
        return away.try_normalize().unwrap_or(default);
    }
    let along = span.try_normalize().unwrap_or(Vec3::NEG_Y);
    default.reject_from_normalized(along).try_normalize().unwrap_or(default)
}
