//! Computes a pose from the positions of joints, as measured by an optical system or a camera.

use glam::{DAffine3, DQuat, DVec3, Vec3};

use crate::asset::Skeleton;
use crate::mathematics::inverse_fit;
use crate::pose::Pose;

use super::CaptureError;
use super::joint_rotation::{RotationFit, bone_rotation, fit_rotation, swing};
use super::tracked::{TrackedJoint, TrackedTree, affine};

/// The measured position of a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measurement<V> {
    pub(super) position: V,
    /// Blend weight of the measurement. It rises from 0 to 1 when the joint is seen again after being missing.
    pub(super) weight: f64,
    /// Whether the joint was missing in the previous frame.
    pub(super) is_returning: bool,
}

/// A bone from a joint to one of its tracked children, with the child's offset in the joint's space and its measurement
/// in the parent space.
#[derive(Clone, Copy, Debug)]
struct MeasuredBone {
    child: usize,
    from: DVec3,
    seen: Measurement<DVec3>,
}

/// Fits the pose of a skeleton to joint positions.
///
/// From the root outwards, each joint is rotated so that its tracked children point to their measured positions.
/// With several children the rotation is the least-squares fit (Wahba 1965), and with one child it is the shortest
/// arc. Twist that the positions do not determine is taken from the previous pose. The root is moved by the rigid
/// motion that best fits the root and its children to their measured positions (Kabsch 1976; Horn 1987). Bones keep the lengths that they
/// have in the skeleton.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Factor from the unit of the positions to metres of the skeleton. Initially 1. [`Fit::scale_of`] estimates it.
    pub scale: f64,
    /// How rotations are computed from positions. Initially [`RotationFit::LeastSquares`].
    pub rotations: RotationFit,
    tracked: TrackedTree,
    /// The fitted `world_from_joint` of the tracked joints.
    world: Vec<DAffine3>,
    /// Offset from the fitted to the last measured position of each joint, in the parent space.
    last_offset: Vec<DVec3>,
    /// Offset from the measured to the estimated position of each joint at the time when it was seen again, in the
    /// parent space of its tracked parent.
    return_offset: Vec<DVec3>,
    seen: Vec<Option<Measurement<DVec3>>>,
    bones: Vec<MeasuredBone>,
    pairs: Vec<(DVec3, DVec3)>,
}

impl Fit {
    /// Creates a fit for joints of a skeleton, given as node indices. Positions are in the order of the joints.
    /// Nodes between two joints keep their rest pose. If no joint is an ancestor of all others, their nearest common
    /// ancestor becomes the root, and its transform is computed from the other joints.
    ///
    /// # Errors
    /// [`CaptureError`] if the list is empty, names a node twice, names a node that does not exist, or has joints
    /// with different roots.
    pub fn new(skeleton: &Skeleton, joints: &[usize]) -> Result<Self, CaptureError> {
        let tracked = TrackedTree::new(skeleton, joints)?;
        let count = tracked.joints.len();
        Ok(Self {
            scale: 1.0,
            rotations: RotationFit::default(),
            world: vec![DAffine3::IDENTITY; count],
            last_offset: vec![DVec3::ZERO; count],
            return_offset: vec![DVec3::ZERO; count],
            seen: vec![None; count],
            bones: Vec::new(),
            pairs: Vec::new(),
            tracked,
        })
    }

    /// Returns the tracked parent of each joint, as an index in the list. It is `None` for the root, and for children
    /// of a root that is not in the list.
    pub fn logical_parents(&self) -> Vec<Option<usize>> {
        let joints = &self.tracked.joints;
        let mut logical_parents = vec![None; self.tracked.columns];
        for joint in joints {
            if let (Some(column), Some(parent)) = (joint.column, joint.parent) {
                logical_parents[column] = joints[parent].column;
            }
        }
        logical_parents
    }

    /// Writes the pose that best fits the positions. `positions` has one world position per joint in the order of
    /// the list, or `None` if the joint was not seen. Positions that are not finite, or that are missing at the end of a short list, also
    /// count as not seen.
    ///
    /// On input, `pose` must be the pose of the previous frame, or the rest pose in the first frame. Values that the
    /// positions do not determine remain unchanged. Only the tracked joints and the nodes between them are written. No
    /// memory is allocated after the first frames.
    ///
    /// ```
    /// use sinew_character::asset;
    /// use sinew_character::capture::Fit;
    /// use sinew_character::glam::{Affine3A, Quat, Vec3};
    /// use sinew_character::pose::{Pose, world_matrices};
    ///
    /// // Positions of an arm, as a camera would measure them.
    /// let skeleton = asset::mannequin()?.skeleton;
    /// let find = |name| skeleton.find(name).ok_or("the joint does not exist");
    /// let joints = [find("leftUpperArm")?, find("leftLowerArm")?, find("leftHand")?];
    /// let mut posed = Pose::rest(&skeleton);
    /// posed.locals[joints[1]].rotation = Quat::from_rotation_y(-0.8);
    /// let positions = |pose: &Pose| {
    ///     let mut world: Vec<Affine3A> = Vec::new();
    ///     world_matrices(&skeleton, pose, &mut world);
    ///     joints.map(|joint| Some(Vec3::from(world[joint].translation)))
    /// };
    /// let measured = positions(&posed);
    ///
    /// let mut fitted = Pose::rest(&skeleton);
    /// Fit::new(&skeleton, &joints)?.pose(&measured, &mut fitted);
    /// for (a, b) in positions(&fitted).iter().zip(&measured) {
    ///     assert!(a.zip(*b).is_some_and(|(a, b)| a.distance(b) < 1e-4));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pose(&mut self, positions: &[Option<Vec3>], pose: &mut Pose) {
        let seen = |column: usize| positions.get(column).copied().flatten();
        self.fit_measurements(
            |column| Some(Measurement { position: seen(column)?, weight: 1.0, is_returning: false }),
            pose,
        );
    }

    /// Does the same as [`Fit::pose`], but for measurements with blend weights.
    pub(super) fn fit_measurements(
        &mut self,
        seen: impl Fn(usize) -> Option<Measurement<Vec3>>,
        pose: &mut Pose,
    ) {
        self.tracked.reset_untracked(pose);
        for (joint, out) in self.tracked.joints.iter().zip(&mut self.seen) {
            let scaled = |s: Measurement<Vec3>| Measurement {
                position: s.position.as_dvec3() * self.scale,
                weight: s.weight,
                is_returning: s.is_returning,
            };
            *out = joint.column.and_then(&seen).map(scaled).filter(|s| s.position.is_finite());
        }
        for index in 0..self.tracked.joints.len() {
            let joint = &self.tracked.joints[index];
            let Some(local) = pose.locals.get(joint.node).copied() else { continue };
            let world_from_parent = match joint.parent {
                Some(parent) => self.world[parent] * joint.between,
                None => joint.between,
            };
            let parent_from_world = world_from_parent.inverse();
            let current = local.rotation.as_dquat().normalize();
            let scale = local.scale.as_dvec3();
            let (rotation, translation) = if index == 0 {
                self.root_motion(parent_from_world, current, local.translation.as_dvec3(), scale)
            } else {
                let origin = self.bone_origin(
                    index,
                    world_from_parent,
                    parent_from_world,
                    local.translation.as_dvec3(),
                );
                (
                    self.joint_rotation(index, parent_from_world, origin, current, scale),
                    local.translation.as_dvec3(),
                )
            };
            let (rotation, translation) = (rotation.as_quat().normalize(), translation.as_vec3());
            let local = &mut pose.locals[self.tracked.joints[index].node];
            if rotation.is_finite() && translation.is_finite() {
                (local.rotation, local.translation) = (rotation, translation);
            }
            self.world[index] = world_from_parent * affine(*local);
        }
    }

    /// For a joint other than the root, returns the world position from which the directions of its bones are measured. A measured position
    /// is used unchanged. A missing position is estimated as the fitted position plus the offset at the last measurement. A joint that is
    /// returning blends from the estimated to the measured position.
    fn bone_origin(
        &mut self,
        index: usize,
        world_from_parent: DAffine3,
        parent_from_world: DAffine3,
        translation: DVec3,
    ) -> DVec3 {
        let fitted = world_from_parent.transform_point3(translation);
        let estimated = fitted + world_from_parent.transform_vector3(self.last_offset[index]);
        match self.seen[index] {
            Some(seen) if seen.weight >= 1.0 => {
                self.last_offset[index] =
                    finite_or_zero(parent_from_world.transform_vector3(seen.position - fitted));
                seen.position
            }
            Some(seen) => estimated.lerp(seen.position, seen.weight),
            None => estimated,
        }
    }

    /// Computes the rotation of a joint other than the root from the measured directions to its children.
    fn joint_rotation(
        &mut self,
        index: usize,
        parent_from_world: DAffine3,
        origin: DVec3,
        current: DQuat,
        scale: DVec3,
    ) -> DQuat {
        let joint = &self.tracked.joints[index];
        self.bones.clear();
        for &child in &joint.children {
            if let Some(mut seen) = self.seen[child] {
                seen.position = parent_from_world.transform_vector3(seen.position - origin);
                let from = scale * self.tracked.joints[child].offset;
                self.bones.push(MeasuredBone { child, from, seen });
            }
        }
        let (rest, fit) = (joint.rest.rotation.as_dquat().normalize(), self.rotations);
        self.solve_eased(|pairs| bone_rotation(fit, rest, current, pairs), |q, from| *q * from)
    }

    /// Computes the root's rotation and translation from its own and its children's positions.
    fn root_motion(
        &mut self,
        parent_from_world: DAffine3,
        current: DQuat,
        translation: DVec3,
        scale: DVec3,
    ) -> (DQuat, DVec3) {
        let joint = &self.tracked.joints[0];
        self.bones.clear();
        let children = joint.children.iter().map(|&c| (c, scale * self.tracked.joints[c].offset));
        for (child, from) in std::iter::once((0, DVec3::ZERO)).chain(children) {
            if let Some(mut seen) = self.seen[child] {
                seen.position = parent_from_world.transform_point3(seen.position);
                self.bones.push(MeasuredBone { child, from, seen });
            }
        }
        let (rest, fit) = (joint.rest.rotation.as_dquat().normalize(), self.rotations);
        self.solve_eased(
            |pairs| match fit {
                RotationFit::LeastSquares => rigid_motion(rest, current, translation, pairs),
                RotationFit::Lecture => {
                    lecture_motion(pairs).unwrap_or_else(|| rigid_motion(rest, current, translation, pairs))
                }
            },
            |(q, t), from| *q * from + *t,
        )
    }

    /// Calls `solve` with the bones and their measured positions. A joint that is seen again starts at its estimated
    /// position and moves to its measured position as its weight rises, so that the difference fades out (Bollo 2018,
    /// "Inertialization").
    fn solve_eased<T>(
        &mut self,
        solve: impl Fn(&mut [(DVec3, DVec3)]) -> T,
        position_of: impl Fn(&T, DVec3) -> DVec3,
    ) -> T {
        let Self { bones, pairs, return_offset, .. } = self;
        if bones.iter().any(|b| b.seen.is_returning) {
            pairs.clear();
            pairs.extend(bones.iter().filter(|b| b.seen.weight >= 1.0).map(|b| (b.from, b.seen.position)));
            let estimated = solve(pairs);
            for bone in bones.iter().filter(|b| b.seen.is_returning) {
                return_offset[bone.child] = position_of(&estimated, bone.from) - bone.seen.position;
            }
        }
        pairs.clear();
        pairs.extend(bones.iter().map(|b| {
            let offset = if b.seen.weight < 1.0 {
                return_offset[b.child] * (1.0 - b.seen.weight)
            } else {
                DVec3::ZERO
            };
            (b.from, b.seen.position + offset)
        }));
        solve(pairs)
    }

    /// Estimates the factor from the unit of the positions to metres of the skeleton. It is the median, over bones and
    /// frames, of the bone's length in the skeleton divided by its measured length. Returns `None` if no bone was seen
    /// at both ends.
    pub fn scale_of<'p>(&self, frames: impl IntoIterator<Item = &'p [Option<Vec3>]>) -> Option<f64> {
        let joints = &self.tracked.joints;
        let mut world = Vec::new();
        self.tracked.world_from_joints(&mut world, |joint| joint.rest);
        let bones: Vec<(usize, usize, f64)> = joints
            .iter()
            .zip(&world)
            .filter_map(|(joint, at): (&TrackedJoint, _)| {
                let parent = joint.parent?;
                let length = (at.translation - world[parent].translation).length();
                Some((joints[parent].column?, joint.column?, length))
            })
            .collect();
        let mut ratios = Vec::new();
        for frame in frames {
            let at = |column: usize| frame.get(column).copied().flatten().map(Vec3::as_dvec3);
            ratios.extend(bones.iter().filter_map(|&(a, b, length)| {
                let ratio = length / (at(a)? - at(b)?).length();
                (ratio.is_finite() && ratio > 0.0).then_some(ratio)
            }));
        }
        let middle = ratios.len() / 2;
        (!ratios.is_empty()).then(|| *ratios.select_nth_unstable_by(middle, f64::total_cmp).1)
    }
}

fn finite_or_zero(v: DVec3) -> DVec3 {
    if v.is_finite() { v } else { DVec3::ZERO }
}

/// Computes the rigid motion that best maps the first point of each pair to the second. Subtracts the centroids from
/// the points in place.
fn rigid_motion(
    rest: DQuat,
    current: DQuat,
    translation: DVec3,
    points: &mut [(DVec3, DVec3)],
) -> (DQuat, DVec3) {
    #[expect(clippy::cast_precision_loss, reason = "there are few joints")]
    let count = points.len() as f64;
    let sum = points.iter().fold((DVec3::ZERO, DVec3::ZERO), |(a, b), (from, to)| (a + from, b + to));
    let (centroid, to_centroid) = (sum.0 / count, sum.1 / count);
    points.iter_mut().for_each(|(from, to)| (*from, *to) = (*from - centroid, *to - to_centroid));
    let rotation = match *points {
        [] => return (current, translation),
        [_] => current,
        // Two points only determine a direction. After the centroid is subtracted, both points lie along it.
        [_, last] => swing(rest, current, last.0, last.1),
        _ => fit_rotation(current, points),
    };
    (rotation, to_centroid - rotation * centroid)
}

/// Computes the motion of the root as in the lecture: the rotation from the bones to its three children, and the position that moves their
/// mean to the measured mean. The first pair is the root itself. Without the root, the bones would start at the mean of the children, so
/// their sum would be zero and their matrix would have no inverse. In that case, and for other numbers of children, returns `None`.
fn lecture_motion(points: &[(DVec3, DVec3)]) -> Option<(DQuat, DVec3)> {
    let &[(DVec3 { x: 0.0, y: 0.0, z: 0.0 }, root), a, b, c] = points else { return None };
    let rotation = inverse_fit([a.0, b.0, c.0], [a.1 - root, b.1 - root, c.1 - root])?;
    Some((rotation, (a.1 + b.1 + c.1) / 3.0 - rotation * ((a.0 + b.0 + c.0) / 3.0)))
}
