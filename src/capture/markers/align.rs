//! Markers on the segments of a skeleton.

use std::collections::BTreeMap;

use glam::{DQuat, Vec3};

use crate::asset::Skeleton;
use crate::capture::{Fit, Frames, Take};
use crate::pose::Pose;

use super::{MAX_FRAMES, MarkerTake, mean_offset};

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
    take.joints_of_markers(|name| find(name).is_some(), parent, false)
}

impl MarkerTake {
    /// Turns the axes of the segments to those of the joints, on the average of the poses that fit the joint centres. `joints` are the
    /// nodes of the orientations, and `frames` the positions for the fit. Without a fit, the average is the rest pose.
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
