//! The methods exactly as described in the founding documents (see [`Options::textbook`](crate::Options::textbook)).
//!
//! Each file contains the pass of one method. Nothing is added to the pass: no initial bend, no restart and no other
//! method. The loop around a pass and its end condition are in `driver/textbook.rs`.

pub(crate) mod ccd;
pub(crate) mod fused;
pub(crate) mod jacobian;
pub(crate) mod limb;
mod linear;
pub(crate) mod particle;
mod problem;

pub(crate) use problem::check;

use glam::DVec3;

use crate::tree::Tree;

/// Sine of the largest angle between the axes of hinges that count as parallel. It allows for the rounding of numbers
/// in files.
const PARALLEL: f64 = 1e-6;

/// Returns the base-space axis of a planar chain, whose joints are all hinges about parallel axes. Returns `None` for other chains.
pub(crate) fn planar_axis(tree: &Tree) -> Option<DVec3> {
    let axis_of = |index: usize| {
        let joint = tree.joints.get(index)?;
        tree.axis_from_frame(joint, joint.hinge_axis()?).try_normalize()
    };
    let first = axis_of(0)?;
    let is_parallel = |index| axis_of(index).is_some_and(|axis| axis.cross(first).length() <= PARALLEL);
    (1..tree.joints.len()).all(is_parallel).then_some(first)
}

/// Returns the signed angle from one vector to another about an axis, in radians from −π to π, or 0 if a vector is parallel to the axis.
/// The inverse cosine gives the size of the angle, and the cross product gives its sign (Welman's planar form).
pub(crate) fn signed_angle(axis: DVec3, from: DVec3, to: DVec3) -> f64 {
    let flat = |v: DVec3| (v - axis * axis.dot(v)).try_normalize();
    let (Some(from), Some(to)) = (flat(from), flat(to)) else { return 0.0 };
    let angle = from.dot(to).clamp(-1.0, 1.0).acos();
    if axis.dot(from.cross(to)) < 0.0 { -angle } else { angle }
}

/// Returns the vector from a joint of a chain to the next joint or to the end, in the joint's turned frame.
pub(crate) fn child_local(tree: &Tree, index: usize) -> DVec3 {
    if index + 1 < tree.joints.len() {
        return tree.local(index + 1);
    }
    tree.tasks.first().map_or(DVec3::ZERO, |task| task.local)
}
