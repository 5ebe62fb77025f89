//! Markers on the segments of a skeleton.

use std::collections::BTreeMap;

use glam::{Affine3A, DQuat, Vec3};

use crate::asset::Skeleton;
use crate::capture::{Fit, Frames, Take};
use crate::pose::{Pose, world_matrices};

use super::{MAX_FRAMES, MarkerTake, mean_offset};

/// The bones of the trunk above the hips.
const TRUNK: [&str; 5] = ["spine", "chest", "upperChest", "neck", "head"];

/// Converts the markers on the nodes or bones of a skeleton to joints. Returns `None` if the take has no markers.
pub(in crate::capture) fn for_skeleton(
    take: &Take,
    skeleton: &Skeleton,
    bones: &BTreeMap<String, usize>,
) -> Option<MarkerTake> {
    let find = |name: &str| skeleton.find(name).or_else(|| bones.get(name).copied());
    let names_of = |node: usize| {
        let own = skeleton.nodes.get(node).and_then(|n| n.name.as_deref());
        own.into_iter().chain(bones.iter().filter(move |(_, n)| **n == node).map(|(name, _)| name.as_str()))
    };
    let parent = |name: &str, has_markers: &dyn Fn(&str) -> bool| {
        let mut above = skeleton.ancestors(find(name)?).skip(1);
        above.find_map(|node| names_of(node).find(|name| has_markers(name))).map(str::to_owned)
    };
    let mut markers = take.joints_of_markers(|name| find(name).is_some(), parent, false)?;
    // Joints without markers lie between trunk segments, so the centre of rotation between two segments is not at a single joint.
    let is_joint = |name: &String| {
        let Some(node) = find(name) else { return true };
        let is_trunk = TRUNK.iter().any(|bone| bones.get(*bone) == Some(&node));
        let above = skeleton.nodes.get(node).and_then(|n| n.parent);
        let is_direct =
            above.is_some_and(|above| names_of(above).any(|name| markers.segments.contains_key(name)));
        let is_center = markers.segments.get(name).is_some_and(|fit| fit.joint_residual.is_some());
        !is_center || !is_trunk || is_direct
    };
    let left_out = markers.take.positions.retain(is_joint);
    markers.on_root.retain(|name| !left_out.contains(name));
    Some(markers)
}

impl MarkerTake {
    /// Aligns the axes of the segments with the axes of the joints, averaged over the poses that fit the joint centres. `joints` contains
    /// the nodes of the orientations, and `frames` contains the positions for the fit. Without a fit, the rest pose is used.
    pub(in crate::capture) fn align(
        &mut self,
        skeleton: &Skeleton,
        joints: &[usize],
        fit: Option<&Fit>,
        frames: &Frames<Option<Vec3>>,
    ) {
        let (mut fit, mut pose) = (fit.cloned(), Pose::rest(skeleton));
        let mut pairs = vec![Vec::new(); joints.len()];
        let step = frames.len().div_ceil(MAX_FRAMES).max(1);
        for frame in (0..frames.len()).step_by(step) {
            if let Some(fit) = &mut fit {
                fit.pose(frames.get(frame).unwrap_or_default(), &mut pose);
            }
            let seen = self.take.orientations.frames.get(frame).unwrap_or_default();
            for ((&joint, segment), pairs) in joints.iter().zip(seen).zip(&mut pairs) {
                let above = skeleton.ancestors(joint).filter_map(|n| pose.locals.get(n));
                let world = above.fold(DQuat::IDENTITY, |below, l| l.rotation.as_dquat() * below);
                pairs.extend(segment.map(|segment| (segment.as_dquat(), world.normalize())));
            }
        }
        let is_segment = |name: &String| self.segments.contains_key(name);
        let aligned = self.take.orientations.joints.iter().map(is_segment);
        let offsets: Vec<Option<DQuat>> =
            aligned.zip(pairs).map(|(aligned, pairs)| mean_offset(pairs).filter(|_| aligned)).collect();
        for frame in 0..self.take.orientations.frames.len() {
            let Some(row) = self.take.orientations.frames.get_mut(frame) else { return };
            for (out, offset) in row.iter_mut().zip(&offsets) {
                if let (Some(orientation), Some(offset)) = (out.as_mut(), offset) {
                    *orientation = (orientation.as_dquat() * *offset).normalize().as_quat();
                }
            }
        }
    }
}

/// The joints between the root segment and other segments.
pub(in crate::capture) struct Anchors {
    /// The node of the root segment.
    root: usize,
    /// The columns of the joints in the positions, and their nodes.
    joints: Vec<(usize, usize)>,
}

impl Anchors {
    /// `joints` are the nodes of the positions. Returns `None` if no joint is on the root segment.
    pub(in crate::capture) fn new(markers: &MarkerTake, root: usize, joints: &[usize]) -> Option<Self> {
        let named = markers.take.positions.joints.iter().zip(joints).zip(0..);
        let on_root = named.filter(|((name, _), _)| markers.on_root.contains(name));
        let joints: Vec<_> = on_root.map(|((_, node), column)| (column, *node)).collect();
        (!joints.is_empty()).then_some(Self { root, joints })
    }

    /// Moves the root of a pose so that the joints are at their measured positions. Segment orientations, which are applied after the fit,
    /// have moved the joints. `scale` is the factor from the unit of the positions to metres.
    pub(in crate::capture) fn move_root(
        &self,
        skeleton: &Skeleton,
        measured: &[Option<Vec3>],
        scale: f64,
        pose: &mut Pose,
    ) {
        let mut world: Vec<Affine3A> = Vec::new();
        world_matrices(skeleton, pose, &mut world);
        #[expect(clippy::cast_possible_truncation, reason = "poses are in single precision")]
        let scale = scale as f32;
        let missing = |&(column, node): &(usize, usize)| {
            let seen = measured.get(column).copied().flatten()?;
            Some(seen * scale - Vec3::from(world.get(node)?.translation))
        };
        let offsets = self.joints.iter().filter_map(missing);
        let (sum, count) =
            offsets.fold((Vec3::ZERO, 0.0), |(sum, count), offset| (sum + offset, count + 1.0));
        if count == 0.0 {
            return;
        }
        let above = skeleton.nodes.get(self.root).and_then(|n| n.parent).and_then(|above| world.get(above));
        let shift = above.map_or(sum / count, |above| above.inverse().transform_vector3(sum / count));
        if let Some(local) = pose.locals.get_mut(self.root).filter(|_| shift.is_finite()) {
            local.translation += shift;
        }
    }
}
