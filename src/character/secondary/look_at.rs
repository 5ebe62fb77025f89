//! Eyes that look at a point.

use glam::{Affine3A, DQuat, DVec3};

use crate::asset::{Character, LookAt, LookAtKind};
use crate::pose::{Pose, orientation, rest_orientation, update_world_matrices};

use super::matrices::narrow;

/// The gaze direction relative to the head, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaze {
    /// Positive to the left of the character.
    pub yaw: f64,
    /// Positive downwards.
    pub pitch: f64,
}

/// Turns the eyes of a pose towards a point in the world, or sets the expressions for this gaze. Returns the gaze
/// direction, or `None` if the character has no look-at settings or the point is between its eyes.
///
/// ```
/// use sinew_character::asset::{Character, LookAt, LookAtKind, Node, RangeMap, Skeleton, Transform};
/// use sinew_character::glam::{DVec3, Vec3};
/// use sinew_character::pose::{Pose, world_matrices};
/// use sinew_character::secondary::look_at;
///
/// let eye = |x| Transform::from_translation(Vec3::new(x, 0.0, 0.0));
/// let nodes = vec![Node::new("head"), Node::child("left", 0, eye(0.03)), Node::child("right", 0, eye(-0.03))];
/// let mut character = Character::new(Skeleton::new(nodes)?);
/// let range = RangeMap { input_max: 90.0, output_scale: 45.0 };
/// character.look_at = Some(LookAt {
///     head: 0,
///     eyes: [Some(1), Some(2)],
///     offset: DVec3::ZERO,
///     kind: LookAtKind::Bone,
///     faces_back: false,
///     inner: range,
///     outer: range,
///     down: range,
///     up: range,
/// });
/// let (mut pose, mut world) = (Pose::rest(&character.skeleton), Vec::new());
/// world_matrices(&character.skeleton, &pose, &mut world);
/// let gaze = look_at(&character, DVec3::new(1.0, 0.0, 1.0), &mut pose, &mut world);
/// assert!(gaze.is_some_and(|gaze| (gaze.yaw - 45.0).abs() < 1e-3 && gaze.pitch.abs() < 1e-3));
/// // The eyes turn half as far.
/// let turned = pose.locals[1].rotation.to_scaled_axis();
/// assert!((turned.y.to_degrees() - 22.5).abs() < 0.1);
/// # Ok::<(), sinew_character::asset::SkeletonError>(())
/// ```
pub fn look_at(
    character: &Character,
    target: DVec3,
    pose: &mut Pose,
    world_from_node: &mut [Affine3A],
) -> Option<Gaze> {
    let look = character.look_at.as_ref()?;
    let gaze = gaze(character, look, target, pose, world_from_node)?;
    apply_gaze(character, gaze, pose);
    let is_eye = |node: usize| look.eyes.contains(&Some(node));
    let skeleton = &character.skeleton;
    if let Some(first) = skeleton.parents_first.iter().position(|(node, _)| is_eye(*node)) {
        update_world_matrices(skeleton, pose, first, world_from_node);
    }
    Some(gaze)
}

/// Turns the eyes of a pose in a direction relative to the head, or sets the expressions for this gaze.
pub fn apply_gaze(character: &Character, gaze: Gaze, pose: &mut Pose) {
    let Some(look) = &character.look_at else { return };
    match look.kind {
        LookAtKind::Bone => turn_eyes(character, look, gaze, pose),
        LookAtKind::Expression => express(character, look, gaze, pose),
    }
}

/// Returns the rotation from +Z to the front of the character in the rest pose.
fn front(look: &LookAt) -> DQuat {
    if look.faces_back { DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0) } else { DQuat::IDENTITY }
}

fn gaze(
    character: &Character,
    look: &LookAt,
    target: DVec3,
    pose: &Pose,
    world_from_node: &[Affine3A],
) -> Option<Gaze> {
    let skeleton = &character.skeleton;
    let eyes = world_from_node.get(look.head)?.transform_point3(look.offset.as_vec3()).as_dvec3();
    // In the rest pose, the head looks straight ahead, regardless of the axes of its bone.
    let turned = orientation(skeleton, pose, look.head) * rest_orientation(skeleton, look.head).conjugate();
    let direction = (front(look).conjugate() * turned.conjugate() * (target - eyes)).try_normalize()?;
    let yaw = direction.x.atan2(direction.z).to_degrees();
    let pitch = -direction.y.atan2(direction.x.hypot(direction.z)).to_degrees();
    (yaw.is_finite() && pitch.is_finite()).then_some(Gaze { yaw, pitch })
}

fn turn_eyes(character: &Character, look: &LookAt, gaze: Gaze, pose: &mut Pose) {
    let skeleton = &character.skeleton;
    let pitch = if gaze.pitch < 0.0 { -look.up.map(-gaze.pitch) } else { look.down.map(gaze.pitch) };
    let is_left = gaze.yaw > 0.0;
    for (eye, outer_is_left) in look.eyes.into_iter().zip([true, false]) {
        let Some(eye) = eye else { continue };
        let range = if is_left == outer_is_left { look.outer } else { look.inner };
        let yaw = range.map(gaze.yaw.abs()) * if is_left { 1.0 } else { -1.0 };
        let turn = DQuat::from_rotation_y(yaw.to_radians()) * DQuat::from_rotation_x(pitch.to_radians());
        let in_world = front(look) * turn * front(look).conjugate();
        let Some(rest) = skeleton.nodes.get(eye).map(|n| n.rest.rotation.as_dquat()) else { continue };
        let parent = skeleton.nodes.get(eye).and_then(|n| n.parent);
        let world_from_parent = parent.map_or(DQuat::IDENTITY, |p| rest_orientation(skeleton, p));
        let rotation = narrow(world_from_parent.conjugate() * in_world * world_from_parent * rest);
        if let (Some(rotation), Some(local)) = (rotation, pose.locals.get_mut(eye)) {
            local.rotation = rotation;
        }
    }
}

/// Adds the morph weights of the expressions for a gaze direction. The outer range map applies to both sides.
fn express(character: &Character, look: &LookAt, gaze: Gaze, pose: &mut Pose) {
    let (x, y) = (look.outer.map(gaze.yaw.abs()), gaze.pitch.abs());
    let horizontal = if gaze.yaw > 0.0 { "lookLeft" } else { "lookRight" };
    let vertical = if gaze.pitch > 0.0 { ("lookDown", look.down.map(y)) } else { ("lookUp", look.up.map(y)) };
    for (preset, weight) in [(horizontal, x), vertical] {
        let Some(expression) = character.expressions.iter().find(|e| e.preset == Some(preset)) else {
            continue;
        };
        let weight = expression.value(weight.clamp(0.0, 1.0));
        for bind in &expression.binds {
            if let Some(total) = pose.weights.get_mut(bind.weight) {
                #[expect(clippy::cast_possible_truncation, reason = "weights are single precision")]
                let amount = bind.amount * weight as f32;
                *total = (*total + amount).min(total.max(1.0));
            }
        }
    }
}
