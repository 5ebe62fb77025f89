//! The frame of a body in the world, and rotations of nodes with mirrored scales.

use glam::{Mat3, Quat, Vec3};

use crate::asset::{Skeleton, Transform};
use crate::mathematics::propagate;
use crate::pose::Pose;

/// The up axis of a body snaps to an axis of the world within 30°, and its left axis within 20°. These are the cosines
/// of the angles.
const UPRIGHT: f32 = 0.866;
const FACING: f32 = 0.94;
/// A figure counts as standing on the ground if the height of the lowest joint of its feet, as a fraction of the hip height, is in this
/// range.
pub(super) const STANDING_HEIGHTS: std::ops::Range<f32> = -0.05..0.2;

pub(super) const SIDES: [&str; 2] = ["left", "right"];

/// The orientation and position of a body in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyFrame {
    /// `world_from_body`. In the body frame, +x points left, +y up and +z to the front.
    pub(super) body: Quat,
    /// The midpoint of the hip joints.
    pub(super) middle: Vec3,
}

impl BodyFrame {
    /// Computes the frame from bone positions: x is along the line between the hip joints, and y points from the hips
    /// to the shoulders. Returns `None` if these points coincide.
    pub(super) fn new(at: impl Fn(&str) -> Option<Vec3>) -> Option<Self> {
        let between = |bone: &str| {
            let [left, right] = SIDES.map(|side| at(&format!("{side}{bone}")));
            left.zip(right)
        };
        let ((left, right), (left_arm, right_arm)) = (between("UpperLeg")?, between("UpperArm")?);
        let middle = 0.5 * (left + right);
        let up = snapped((0.5 * (left_arm + right_arm) - middle).try_normalize()?, UPRIGHT);
        let across = (left - right).reject_from_normalized(up).try_normalize()?;
        let across = snapped(across, FACING).reject_from_normalized(up).try_normalize()?;
        let body = Quat::from_mat3(&Mat3::from_cols(across, up, across.cross(up))).normalize();
        (body.is_finite() && middle.is_finite()).then_some(Self { body, middle })
    }
}

/// Returns the world orientations of all nodes, including [`mirror`].
pub(super) fn turns(skeleton: &Skeleton, pose: &Pose) -> Vec<Quat> {
    let mut turns = vec![Quat::IDENTITY; skeleton.nodes.len()];
    propagate(skeleton.parents_first.iter().copied(), &mut turns, |above, node| {
        (*above.unwrap_or(&Quat::IDENTITY) * turn(&pose.locals[node])).normalize()
    });
    turns
}

/// Returns a local rotation that includes [`mirror`].
pub(super) fn turn(local: &Transform) -> Quat {
    local.rotation * mirror(local.scale)
}

/// Returns the rotation that changes the orientations of child nodes in the same way as mirroring by a negative
/// scale. A reflection is a rotation times −1, and the factor −1 cancels when a rotation is conjugated by it.
pub(super) fn mirror(scale: Vec3) -> Quat {
    let odd = |a: f32, b: f32| (a < 0.0) != (b < 0.0);
    let Vec3 { x, y, z } = scale;
    match (odd(x, y), odd(y, z)) {
        (false, false) => Quat::IDENTITY,
        (true, false) => Quat::from_xyzw(1.0, 0.0, 0.0, 0.0),
        (true, true) => Quat::from_xyzw(0.0, 1.0, 0.0, 0.0),
        (false, true) => Quat::from_xyzw(0.0, 0.0, 1.0, 0.0),
    }
}

/// Snaps a direction to an axis of the world if the cosine of the angle between them is larger than `near`.
fn snapped(direction: Vec3, near: f32) -> Vec3 {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|a| [a, -a]);
    axes.into_iter().find(|a| a.dot(direction) > near).unwrap_or(direction)
}
