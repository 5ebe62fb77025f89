//! Takes, which are recordings of sensor values.

use std::collections::BTreeMap;

use glam::{DQuat, Quat, Vec3};

use crate::asset::{Clip, Skeleton, UpAxis};
use crate::motion::Playhead;
use crate::pose::{Pose, world_matrices};

use super::Frames;

/// The measured positions or orientations of some joints, frame by frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracks<V> {
    /// The unique names of the joints.
    pub joints: Vec<String>,
    /// One value per joint, or `None` if it was not measured. The number of frames equals the number of times in the
    /// take.
    pub frames: Frames<Option<V>>,
}

impl<V> Default for Tracks<V> {
    fn default() -> Self {
        Self { joints: Vec::new(), frames: Frames::default() }
    }
}

impl<V: Clone> Tracks<V> {
    /// Creates tracks without frames.
    pub fn of(joints: Vec<String>) -> Self {
        Self { frames: Frames::new(joints.len()), joints }
    }

    /// Keeps the joints whose names `is_kept` accepts. Returns the names of the removed joints.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&String) -> bool) -> Vec<String> {
        let kept: Vec<bool> = self.joints.iter().map(is_kept).collect();
        if kept.iter().all(|k| *k) {
            return Vec::new();
        }
        let mut tracks = Self::of(Vec::new());
        let mut others = Vec::new();
        for (joint, kept) in self.joints.drain(..).zip(&kept) {
            if *kept { tracks.joints.push(joint) } else { others.push(joint) }
        }
        tracks.frames = Frames::new(tracks.joints.len());
        for frame in self.frames.iter() {
            tracks
                .frames
                .push(frame.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(value, _)| value.clone()));
        }
        *self = tracks;
        others
    }
}

/// A recording of sensor values: positions, orientations, or both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Take {
    /// The times of the frames in seconds, increasing.
    pub times: Vec<f64>,
    /// World positions of joints.
    pub positions: Tracks<Vec3>,
    /// World orientations of segments, as unit quaternions.
    pub orientations: Tracks<Quat>,
}

impl Take {
    /// Rotates a take so that +Y is up. An orientation that is the identity in the T-pose stays the identity.
    pub fn turn_up(&mut self, up: UpAxis) {
        for position in self.positions.frames.values_mut().flatten() {
            *position = up.vector(*position);
        }
        for orientation in self.orientations.frames.values_mut().flatten() {
            *orientation = up.rotation(*orientation);
        }
    }

    /// Converts a clip to a take: the world orientations of a humanoid's bones, and the position of its hips, at the
    /// clip's keys.
    pub fn of(clip: &Clip, skeleton: &Skeleton, bones: &BTreeMap<String, usize>) -> Self {
        let bones: Vec<_> = bones.iter().filter(|(_, node)| **node < skeleton.nodes.len()).collect();
        let mut times: Vec<f32> = clip.timelines.iter().flatten().copied().collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        let names = |only: Option<&str>| -> Vec<String> {
            let selected = bones.iter().filter(|(name, _)| only.is_none_or(|o| o == *name));
            selected.map(|(name, _)| (*name).clone()).collect()
        };
        let mut take = Self {
            positions: Tracks::of(names(Some("hips"))),
            orientations: Tracks::of(names(None)),
            times: times.iter().copied().map(f64::from).collect(),
        };
        let (mut playhead, mut pose, mut world) = (Playhead::default(), Pose::rest(skeleton), Vec::new());
        for time in times {
            playhead.sample(clip, time, skeleton, &mut pose);
            world_matrices(skeleton, &pose, &mut world);
            let position = |node: &usize| world.get(*node).map(|m| m.translation.into());
            let hips = bones.iter().filter(|(name, _)| *name == "hips");
            take.positions.frames.push(hips.map(|(_, node)| position(node)));
            let orientation = |node: &usize| {
                let above = skeleton.ancestors(*node).filter_map(|n| pose.locals.get(n));
                above.fold(DQuat::IDENTITY, |below, local| local.rotation.as_dquat() * below)
            };
            let orientations = bones.iter().map(|(_, node)| Some(orientation(node).as_quat().normalize()));
            take.orientations.frames.push(orientations);
        }
        take
    }
}
