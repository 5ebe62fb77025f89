//! The parts of a human body whose bones are known from the file's own map or from the names of its joints.

use glam::Vec3;

use crate::rig::body_plan::{BodyKind, LimbKind};
use crate::rig::bone_names::{Bones, mirrored};

use super::anatomy::Anatomy;
use super::facing::{Facing, axis_name};
use super::limb::LimbJoints;
use super::parts::Parts;
use super::trunk::Trunk;

/// Returns the parts of a body with known bones, or `None` if its arms and legs are incomplete.
pub(super) fn find(anatomy: &Anatomy<'_>, bones: &Bones) -> Option<Parts> {
    let bone = |name: &str| bones.get(name).copied().filter(|&n| n < anatomy.at.len());
    let limb = |side: &str, [collar, upper, lower, end]: [&str; 4]| {
        let named = |part: &str| bone(&format!("{side}{part}"));
        let joints = vec![named(upper)?, named(lower)?, named(end).or_else(|| next(anatomy, named(lower)?))?];
        let collar = named(collar).into_iter().collect();
        Some(LimbJoints { collar, joints })
    };
    let arms = ["left", "right"].map(|side| limb(side, ["Shoulder", "UpperArm", "LowerArm", "Hand"]));
    let legs = ["left", "right"].map(|side| limb(side, ["", "UpperLeg", "LowerLeg", "Foot"]));
    let ([Some(left_arm), Some(right_arm)], [Some(left_leg), Some(right_leg)]) = (arms, legs) else {
        return None;
    };
    let hips = bone("hips")?;
    let is_trunk = vec![true; anatomy.at.len()];
    let mut trunk =
        Trunk { anatomy, is_trunk: &is_trunk, logical_parents: std::collections::BTreeMap::new() };
    let top = |limb: &LimbJoints| limb.collar.first().or(limb.joints.first()).copied();
    let carries_arms = common_ancestor(anatomy, top(&left_arm)?, top(&right_arm)?)?;
    let is_neck = |n: usize| [bone("neck"), bone("head")].contains(&Some(n));
    let mut chest = carries_arms;
    while is_neck(chest) && chest != hips {
        chest = anatomy.parent[chest]?;
    }
    let spine = trunk.between(hips, chest)?[1..].to_vec();
    for leg in [&left_leg, &right_leg] {
        // In some skeletons the back carries the legs, which must not turn with it.
        let top = *leg.joints.first()?;
        if anatomy.ancestors(top).skip(1).take_while(|&n| n != hips).any(|n| spine.contains(&n)) {
            trunk.logical_parents.insert(top, hips);
        }
    }
    if chest != carries_arms {
        // The neck carries the arms, which must not turn with it.
        for arm in [&left_arm, &right_arm] {
            trunk.logical_parents.insert(top(arm)?, chest);
        }
    }
    let head = bone("head").or_else(|| bone("neck"));
    let neck = match head.and_then(|head| anatomy.path(chest, head)) {
        Some(path) => path[1..].to_vec(),
        None => trunk.head_path(chest, &[], Vec3::Y),
    };
    let across = |pair: [&LimbJoints; 2]| anatomy.at[pair[0].joints[0]] - anatomy.at[pair[1].joints[0]];
    let left = across([&left_arm, &right_arm]) + across([&left_leg, &right_leg]);
    let left = left.with_y(0.0).try_normalize()?;
    let facing = left.cross(Vec3::Y);
    let mut evidence = Facing::new(left);
    evidence.add_feet(anatomy, &[&left_leg, &right_leg]);
    evidence.add_knees(anatomy, &[&left_leg, &right_leg]);
    let (front, clear) = evidence.result();
    let (mut certainty, mut reasons, mut doubts) = (0.95, Vec::new(), Vec::new());
    let mut named = bones.clone();
    let (mut facing, mut arms, mut legs) = (facing, [left_arm, right_arm], [left_leg, right_leg]);
    if front.dot(facing) < 0.0 && clear > 0.3 {
        if anatomy.mass.is_mirrored() {
            facing = front;
            arms.reverse();
            legs.reverse();
            named = mirrored(&named);
            reasons.push("it is mirrored, so its left limbs have the names of right ones".into());
        } else {
            certainty *= 0.7;
            doubts.push("left and right are named as if it walked backwards".into());
        }
    }
    let upright =
        anatomy.at[chest].y - 0.5 * legs.iter().map(|leg| anatomy.lowest[leg.joints[2]]).sum::<f32>();
    if upright < 0.3 * anatomy.size.min(2.0 * anatomy.length(chest, legs[0].joints[2])) {
        certainty *= 0.5;
        doubts.push("it does not stand upright at rest".into());
    }
    reasons.push(format!("it faces {}", axis_name(facing)));
    Some(Parts {
        kind: BodyKind::Biped,
        hips,
        spine,
        neck,
        limbs: vec![(LimbKind::Leg, legs), (LimbKind::Arm, arms)],
        tails: Vec::new(),
        facing,
        logical_parents: trunk.logical_parents,
        named,
        certainty,
        reasons,
        doubts,
    })
}

/// Returns the child at the end of a bone.
fn next(anatomy: &Anatomy<'_>, node: usize) -> Option<usize> {
    anatomy.longest_path(node).get(1).copied()
}

/// Returns the lowest node that is a proper ancestor of both nodes.
fn common_ancestor(anatomy: &Anatomy<'_>, a: usize, b: usize) -> Option<usize> {
    let mut is_above = vec![false; anatomy.at.len()];
    anatomy.ancestors(a).skip(1).for_each(|n| is_above[n] = true);
    anatomy.ancestors(b).skip(1).find(|&n| is_above[n])
}
