//! Key poses: poses of the whole character or of some joints at given times, with interpolation between them.

use serde::{Deserialize, Serialize};

use crate::asset::{Skeleton, Transform};
use crate::pose::Pose;

use super::blend::ease;

/// Keys less than this many seconds apart (one frame at 60 Hz) count as simultaneous.
pub(super) const SAME_TIME: f32 = 1.0 / 60.0;
/// Maximum deviation of a rotation quaternion's length from one.
const MAX_LENGTH_ERROR: f32 = 1e-3;

/// How a pose changes from one key to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Easing {
    /// Changes at a constant speed.
    Linear,
    /// Starts and ends slowly.
    #[default]
    Smooth,
    /// Holds the pose until the next key.
    Stepped,
}

impl Easing {
    /// All easings.
    pub const ALL: [Self; 3] = [Self::Linear, Self::Smooth, Self::Stepped];

    /// Name in files and sessions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Smooth => "smooth",
            Self::Stepped => "stepped",
        }
    }

    /// Returns the weight of the next key at a fraction of the time to that key.
    pub(super) fn weight(self, fraction: f32) -> f32 {
        match self {
            Self::Linear => fraction,
            Self::Smooth => ease(fraction),
            Self::Stepped => 0.0,
        }
    }
}

/// A pose of the whole character, or of some of its joints, at a given time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoseKey {
    /// Time on the timeline, in seconds.
    pub time: f32,
    /// Easing of the pose from this key to the next one.
    #[serde(default)]
    pub easing: Easing,
    /// The joints whose easing differs from `easing`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub easings: Vec<(usize, Easing)>,
    /// Whether the key holds only the listed joints, and the morph weights only if they are listed. Otherwise it holds everything, and
    /// unlisted values come from the rest pose.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// Local transforms of the nodes that a partial key holds. A whole key lists only the nodes that are not in the rest pose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<(usize, Transform)>,
    /// All morph weights. If empty, a partial key holds no weights, and a whole key has the rest weights.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub morphs: Vec<f32>,
}

impl PoseKey {
    /// Stores a pose as a key.
    pub fn new(time: f32, pose: &Pose, skeleton: &Skeleton) -> Self {
        let locals = pose.locals.iter().zip(&skeleton.nodes).enumerate();
        let joints = locals.filter(|(_, (local, node))| **local != node.rest);
        let has_morphs = pose.weights != skeleton.rest_weights;
        Self {
            time,
            easing: Easing::default(),
            easings: Vec::new(),
            partial: false,
            joints: joints.map(|(node, (local, _))| (node, *local)).collect(),
            morphs: if has_morphs { pose.weights.clone() } else { Vec::new() },
        }
    }

    /// Returns the easing of a joint from this key to the next one.
    pub fn easing_of(&self, joint: usize) -> Easing {
        self.easings.iter().find(|(node, _)| *node == joint).map_or(self.easing, |(_, easing)| *easing)
    }

    /// Sets the easings of some joints from this key to the next one.
    pub(super) fn set_easings(&mut self, easings: &[(usize, Easing)]) {
        self.easings.retain(|(node, _)| easings.iter().all(|(other, _)| other != node));
        self.easings.extend(easings.iter().filter(|(_, easing)| *easing != self.easing));
        self.easings.sort_by_key(|(node, _)| *node);
    }

    /// Writes the pose of the key. All nodes that the key does not list get the rest pose. Unknown nodes are ignored.
    pub fn write(&self, skeleton: &Skeleton, pose: &mut Pose) {
        pose.reset(skeleton);
        for (node, local) in &self.joints {
            if let Some(slot) = pose.locals.get_mut(*node) {
                *slot = *local;
            }
        }
        if self.morphs.len() == pose.weights.len() {
            pose.weights.copy_from_slice(&self.morphs);
        }
    }

    /// Returns the reason why the key is invalid, or `None` if it is valid.
    pub(super) fn error(&self) -> Option<&'static str> {
        let is_valid = |(_, local): &(usize, Transform)| {
            let is_unit = (local.rotation.length() - 1.0).abs() < MAX_LENGTH_ERROR;
            is_unit && local.translation.is_finite() && local.scale.is_finite()
        };
        match () {
            () if !(self.time.is_finite() && self.time >= 0.0) => {
                Some("time must be finite and not negative")
            }
            () if !self.joints.iter().all(is_valid) => {
                Some("transforms must be finite, with rotations of length 1")
            }
            () if self.morphs.iter().any(|w| !w.is_finite()) => Some("morph weights must be finite"),
            () => None,
        }
    }
}

/// Returns whether two times in seconds count as the same key: they are less than a frame at 60 Hz apart.
pub fn is_same_time(a: f32, b: f32) -> bool {
    (a - b).abs() < SAME_TIME
}

/// Returns the index of the key pose that is nearest to a time in seconds, if [`is_same_time`] holds for it.
pub fn pose_key_at(keys: &[PoseKey], time: f32) -> Option<usize> {
    let near = keys.iter().enumerate().filter(|(_, key)| is_same_time(key.time, time));
    near.min_by(|a, b| (a.1.time - time).abs().total_cmp(&(b.1.time - time).abs())).map(|(index, _)| index)
}

/// Clamps the time of a key to at least 0. Returns `None` if it is not finite.
pub(super) fn checked(time: f32) -> Option<f32> {
    time.is_finite().then(|| time.max(0.0))
}
