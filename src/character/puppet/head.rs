//! Turns heads towards a point, for characters whose file does not describe how their eyes turn.

use glam::{Affine3A, DQuat, DVec3};

use crate::asset::Skeleton;
use crate::pose::{Pose, orientation, rest_orientation, update_world_matrices};
use crate::rig::Rig;

/// Number of passes. If a limit stops a joint, the other joints have to turn farther, so each pass turns them by the remaining angle.
const PASSES: usize = 4;
/// If the head looks at the point to within this angle, in radians, no further pass is needed.
const CLOSE: f64 = 1e-4;

/// Turns the neck and the head of a recognised body, within their limits, so that the head faces a point in the world. Does nothing for
/// other characters.
pub(super) fn turn_head(
    skeleton: &Skeleton,
    rig: &Rig,
    target: DVec3,
    pose: &mut Pose,
    world_from_node: &mut [Affine3A],
) {
    let Some(body) = &rig.body else { return };
    let Some(head) = body.head() else { return };
    let first = skeleton.parents_first.iter().position(|(node, _)| body.neck.contains(node));
    let Some(first) = first else { return };
    for _ in 0..PASSES {
        for (place, &joint) in body.neck.iter().enumerate() {
            let missing = missing_turn(skeleton, head, body.facing.as_dvec3(), target, pose, world_from_node);
            let Some((axis, angle)) = missing.filter(|(_, angle)| *angle > CLOSE) else { return };
            #[expect(clippy::cast_precision_loss, reason = "a neck has few joints")]
            let share = 1.0 / (body.neck.len() - place) as f64;
            turn(skeleton, rig, joint, DQuat::from_axis_angle(axis, share * angle), pose);
            update_world_matrices(skeleton, pose, first, world_from_node);
        }
    }
}

/// Returns the axis in world space and the angle by which the head has to turn.
fn missing_turn(
    skeleton: &Skeleton,
    head: usize,
    facing: DVec3,
    target: DVec3,
    pose: &Pose,
    world_from_node: &[Affine3A],
) -> Option<(DVec3, f64)> {
    let at = world_from_node.get(head)?.translation.as_dvec3();
    let turned = orientation(skeleton, pose, head) * rest_orientation(skeleton, head).conjugate();
    let (now, wanted) = ((turned * facing).try_normalize()?, (target - at).try_normalize()?);
    // To face a point directly behind it, a head turns about its own vertical axis.
    let axis = now.cross(wanted).try_normalize().unwrap_or_else(|| turned * DVec3::Y);
    Some((axis, now.angle_between(wanted)))
}

/// Turns a joint by a rotation in world space, within its limit.
fn turn(skeleton: &Skeleton, rig: &Rig, joint: usize, by: DQuat, pose: &mut Pose) {
    let Some(node) = skeleton.nodes.get(joint) else { return };
    let parent = node.parent.map_or(DQuat::IDENTITY, |parent| orientation(skeleton, pose, parent));
    let rest = node.rest.rotation.as_dquat();
    let Some(local) = pose.locals.get_mut(joint) else { return };
    let turned = parent.conjugate() * by * parent * local.rotation.as_dquat();
    let rotation = rig.joint(joint).nearest(rest, turned).as_quat().normalize();
    if rotation.is_finite() {
        local.rotation = rotation;
    }
}
