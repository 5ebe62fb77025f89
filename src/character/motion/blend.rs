//! Blends and adds poses.

use glam::{Quat, Vec3};

use crate::asset::Transform;
use crate::pose::Pose;

use super::interpolate::slerp;

/// Blends `pose` towards another pose of the same skeleton. Rotations are interpolated along the shorter arc (Shoemake 1985), and all other
/// values are interpolated linearly. A `weight` of 0 leaves `pose` bit-identical, and 1 replaces it with `other`.
///
/// ```
/// use sinew_character::asset::{Node, Skeleton};
/// use sinew_character::glam::Quat;
/// use sinew_character::motion::blend;
/// use sinew_character::pose::Pose;
///
/// let skeleton = Skeleton::new(vec![Node::new("elbow")])?;
/// let (mut pose, mut bent) = (Pose::rest(&skeleton), Pose::rest(&skeleton));
/// bent.locals[0].rotation = Quat::from_rotation_x(1.2);
/// blend(&mut pose, &bent, 0.25);
/// assert!(pose.locals[0].rotation.abs_diff_eq(Quat::from_rotation_x(0.3), 1e-6));
/// # Ok::<(), sinew_character::asset::SkeletonError>(())
/// ```
pub fn blend(pose: &mut Pose, other: &Pose, weight: f32) {
    if weight <= 0.0 || weight.is_nan() {
        return;
    }
    if weight >= 1.0 {
        pose.clone_from(other);
        return;
    }
    for (a, b) in pose.locals.iter_mut().zip(&other.locals) {
        blend_local(a, b, weight);
    }
    for (a, b) in pose.weights.iter_mut().zip(&other.weights) {
        *a += (b - *a) * weight;
    }
}

/// Like [`blend`], but blends only the given nodes. Morph weights are not changed.
pub(super) fn blend_some(pose: &mut Pose, other: &Pose, weight: f32, nodes: &[usize]) {
    for &node in nodes {
        if let (Some(a), Some(b)) = (pose.locals.get_mut(node), other.locals.get(node)) {
            blend_local(a, b, weight);
        }
    }
}

pub(super) fn blend_local(a: &mut Transform, b: &Transform, weight: f32) {
    if a == b {
        return;
    }
    a.translation = a.translation.lerp(b.translation, weight);
    a.rotation = slerp(a.rotation, b.rotation, weight);
    a.scale = a.scale.lerp(b.scale, weight);
}

/// Adds the weighted difference between `reference` and `other` to `pose`. The difference between two rotations is
/// taken in the joint's local frame, and the difference between two scales is their ratio.
///
/// If `nodes` is given, only these nodes are changed, and morph weights stay unchanged.
pub(super) fn add(pose: &mut Pose, reference: &Pose, other: &Pose, weight: f32, nodes: Option<&[usize]>) {
    let mut add_node = |node: usize| {
        let (Some(a), Some(from), Some(to)) =
            (pose.locals.get_mut(node), reference.locals.get(node), other.locals.get(node))
        else {
            return;
        };
        if from == to {
            return;
        }
        a.translation += (to.translation - from.translation) * weight;
        let turn = rotation_vector(from.rotation.conjugate() * to.rotation) * weight;
        a.rotation = (a.rotation * Quat::from_scaled_axis(turn)).normalize();
        let ratio = |to: f32, from: f32| if from == 0.0 { 1.0 } else { 1.0 + (to / from - 1.0) * weight };
        a.scale *= Vec3::new(
            ratio(to.scale.x, from.scale.x),
            ratio(to.scale.y, from.scale.y),
            ratio(to.scale.z, from.scale.z),
        );
    };
    match nodes {
        Some(nodes) => nodes.iter().for_each(|&n| add_node(n)),
        None => (0..other.locals.len()).for_each(&mut add_node),
    }
    if nodes.is_none() {
        for ((a, from), to) in pose.weights.iter_mut().zip(&reference.weights).zip(&other.weights) {
            *a += (to - from) * weight;
        }
    }
}

/// Returns the rotation vector of a quaternion in radians, for the shorter of its two rotations.
pub(super) fn rotation_vector(q: Quat) -> Vec3 {
    let q = if q.w < 0.0 { -q } else { q };
    q.to_scaled_axis()
}

/// The smoothstep function, which rises from 0 to 1 with zero slope at both ends: 3u² − 2u³.
///
/// ```
/// assert_eq!([0.0, 0.5, 1.0].map(sinew_character::motion::ease), [0.0, 0.5, 1.0]);
/// assert!(sinew_character::motion::ease(0.1) < 0.05);
/// ```
pub fn ease(u: f32) -> f32 {
    let u = u.clamp(0.0, 1.0);
    u * u * (3.0 - 2.0 * u)
}
