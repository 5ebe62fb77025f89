//! A clip, sampled once for all checks.

use glam::{Affine3A, Quat, Vec3};

use crate::asset::{Character, Clip, Skeleton, Transform};
use crate::export::bake::{frames, rate_of_keys};
use crate::motion::Playhead;
use crate::pose::{Pose, world_matrices};

/// Sampling rate of clips whose keys were set by hand, in frames per second.
const RATE: f32 = 60.0;
/// Maximum total number of transforms in all frames. It limits the memory to about 400 MB.
const MAX_TRANSFORMS: usize = 1 << 22;
/// Minimum number of frames of a clip with a non-zero length.
const MIN_FRAMES: usize = 3;

/// A clip that has too many frames for its number of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{frames} frames of {nodes} nodes are too many to check")]
#[non_exhaustive]
pub struct TooLong {
    /// Number of frames.
    pub frames: usize,
    /// Number of nodes of the character.
    pub nodes: usize,
}

/// The poses of a clip at evenly spaced times.
#[derive(Clone, Debug)]
pub(super) struct Sampled {
    /// Time of each frame in seconds. The last interval may be shorter.
    pub(super) times: Vec<f32>,
    /// Time between two frames, in seconds.
    pub(super) step: f32,
    /// Local transforms of all nodes, for each frame.
    pub(super) poses: Vec<Pose>,
    /// World matrices of all nodes, for each frame.
    pub(super) world: Vec<Vec<Affine3A>>,
}

impl Sampled {
    /// Returns the rest pose as a single frame.
    pub(super) fn rest(character: &Character) -> Self {
        let pose = Pose::rest(&character.skeleton);
        let world = world_of(&character.skeleton, &pose);
        Self { times: vec![0.0], step: RATE.recip(), poses: vec![pose], world: vec![world] }
    }

    /// Samples a clip at the rate of its keys.
    pub(super) fn new(character: &Character, clip: &Clip) -> Result<Self, TooLong> {
        let rates = clip.timelines.iter().filter_map(|times| rate_of_keys(times));
        let rate = rates.reduce(f32::max).unwrap_or(RATE);
        let seconds = if clip.seconds.is_finite() { clip.seconds.max(0.0) } else { 0.0 };
        let mut times = frames(0.0..seconds, rate);
        if times.len() < MIN_FRAMES && seconds > 0.0 {
            times = vec![0.0, 0.5 * seconds, seconds];
        }
        Self::at(character, clip, times, rate.recip())
    }

    pub(super) fn at(
        character: &Character,
        clip: &Clip,
        times: Vec<f32>,
        step: f32,
    ) -> Result<Self, TooLong> {
        let skeleton = &character.skeleton;
        let nodes = skeleton.nodes.len();
        if times.len().saturating_mul(nodes) > MAX_TRANSFORMS {
            return Err(TooLong { frames: times.len(), nodes });
        }
        let mut playhead = Playhead::default();
        let pose = |time: &f32| {
            let mut pose = Pose::rest(skeleton);
            playhead.sample(clip, *time, skeleton, &mut pose);
            pose
        };
        let poses: Vec<Pose> = times.iter().map(pose).collect();
        let world = poses.iter().map(|pose| world_of(skeleton, pose)).collect();
        Ok(Self { times, step, poses, world })
    }

    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    /// Returns the world position of a node in a frame, in metres.
    pub(super) fn position(&self, frame: usize, node: usize) -> Vec3 {
        self.matrix(frame, node).translation.into()
    }

    /// Returns the world matrix of a node in a frame.
    pub(super) fn matrix(&self, frame: usize, node: usize) -> Affine3A {
        self.world.get(frame).and_then(|world| world.get(node)).copied().unwrap_or(Affine3A::IDENTITY)
    }

    /// Returns the local transform of a node in a frame.
    pub(super) fn local(&self, frame: usize, node: usize) -> Transform {
        let pose = self.poses.get(frame);
        pose.and_then(|pose| pose.locals.get(node)).copied().unwrap_or(Transform::IDENTITY)
    }

    /// Returns the local rotations of a node in all frames, each on the hemisphere of the previous rotation.
    pub(super) fn rotations(&self, node: usize) -> Vec<Quat> {
        let mut rotations: Vec<Quat> =
            (0..self.len()).map(|frame| self.local(frame, node).rotation).collect();
        for i in 1..rotations.len() {
            if let [before, now] = &mut rotations[i - 1..=i]
                && before.dot(*now) < 0.0
            {
                *now = -*now;
            }
        }
        rotations
    }

    /// Returns the time span of a range of frames.
    pub(super) fn span(&self, first: usize, last: usize) -> (f32, f32) {
        let at = |frame: usize| self.times.get(frame).copied().unwrap_or_default();
        (at(first), at(last))
    }

    /// Returns the number of frames in a duration, at least one.
    pub(super) fn frames_in(&self, seconds: f32) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small number of frames"
        )]
        let count = (seconds / self.step).round().clamp(1.0, 1e6) as usize;
        count
    }

    /// Updates the world matrices of a frame after its pose has changed.
    pub(super) fn refresh(&mut self, skeleton: &Skeleton, frame: usize) {
        if let Some((pose, world)) = self.poses.get(frame).zip(self.world.get_mut(frame)) {
            world_matrices(skeleton, pose, world);
        }
    }
}

fn world_of(skeleton: &Skeleton, pose: &Pose) -> Vec<Affine3A> {
    let mut world = Vec::new();
    world_matrices(skeleton, pose, &mut world);
    world
}

/// Returns the angle between two rotations in degrees. It is accurate for small angles.
pub(super) fn degrees_between(a: Quat, b: Quat) -> f64 {
    let (a, b) = (a.as_dquat(), b.as_dquat());
    let b = if a.dot(b) < 0.0 { -b } else { b };
    (4.0 * (a - b).length().atan2((a + b).length())).to_degrees()
}

/// Returns the rotation of a matrix that may have scale.
pub(super) fn rotation_of(matrix: &Affine3A) -> Quat {
    Transform::from_affine(*matrix).rotation
}
