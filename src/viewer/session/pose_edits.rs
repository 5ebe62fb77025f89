//! Changes to poses, and the limits that stop them.

use glam::Quat;

use crate::asset::{Skeleton, Transform};
use crate::document::is_valid;
use crate::ik::Limit;
use crate::pose::Pose;
use crate::puppet::Puppet;

/// Minimum amount, in degrees, by which a limit must shorten a turn for the limit to be reported.
const MIN_NOTED: f32 = 0.5;

/// Resets some nodes of a pose to the rest pose.
pub(super) fn reset_pose(pose: &mut Pose, skeleton: &Skeleton, nodes: &[usize]) {
    for &node in nodes {
        if let Some((local, rest)) = pose.locals.get_mut(node).zip(skeleton.nodes.get(node)) {
            *local = rest.rest;
        }
    }
}

/// Sets local rotations in a pose.
pub(super) fn turn(pose: &mut Pose, turns: &[(usize, Quat)]) {
    for &(node, rotation) in turns {
        if let Some(joint) = pose.locals.get_mut(node) {
            joint.rotation = rotation;
        }
    }
}

/// Returns a note that names the joint whose limit stops it short of the wanted rotation, and says how to exceed that limit.
pub(super) fn limit_note(
    puppet: &Puppet,
    shows_limits: bool,
    wanted: &[(usize, Quat)],
    allowed: &[(usize, Quat)],
) -> Option<String> {
    let missing = |(wanted, allowed): (&(usize, Quat), &(usize, Quat))| {
        (wanted.0, wanted.1.normalize().angle_between(allowed.1).to_degrees())
    };
    let turned = wanted.iter().zip(allowed).map(missing);
    let (node, angle) = turned.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, angle)| *angle > MIN_NOTED)?;
    let name = puppet.character().skeleton.label(node);
    let remedy = match puppet.rig.joint(node).limit {
        Limit::Free | Limit::Locked | Limit::Prismatic { .. } => "choose another limit in the inspector",
        Limit::Cone { .. } | Limit::Euler { .. } if !shows_limits => {
            "turn on Show in the inspector and drag the end of an arc to widen the limit"
        }
        _ => "drag the end of its arc to widen the limit",
    };
    Some(format!(
        "the limit of {name} stops it {angle:.1}° before; {remedy}, or turn limits off in the pane Solver"
    ))
}

/// Returns a pose with some nodes blended. At weight 0, these nodes keep their exact transforms. At weight 1, they have exactly the given
/// transforms.
pub(super) fn blended(from: &Pose, nodes: &[(usize, Transform)], morphs: &[f32], weight: f32) -> Pose {
    let mut pose = from.clone();
    for (node, wanted) in nodes.iter().filter(|(_, t)| is_valid(t)) {
        if let Some(local) = pose.locals.get_mut(*node) {
            *local = between(local, wanted, weight);
        }
    }
    if morphs.len() == pose.weights.len() && morphs.iter().all(|w| w.is_finite()) {
        for (now, wanted) in pose.weights.iter_mut().zip(morphs) {
            *now = if weight < 1.0 { *now + (wanted - *now) * weight } else { *wanted };
        }
    }
    pose
}

fn between(a: &Transform, b: &Transform, weight: f32) -> Transform {
    if weight <= 0.0 || weight >= 1.0 {
        return if weight <= 0.0 { *a } else { *b };
    }
    let is_same = a.rotation == b.rotation;
    Transform {
        translation: a.translation.lerp(b.translation, weight),
        rotation: if is_same { a.rotation } else { a.rotation.slerp(b.rotation, weight).normalize() },
        scale: a.scale.lerp(b.scale, weight),
    }
}
