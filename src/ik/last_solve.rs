//! The last problem of a solver and its result. A repeated problem has the same result, so that a pose does not creep.

use std::sync::Arc;

use glam::{DAffine3, DQuat, DVec3};

use super::body::Shape;
use super::{Body, Goal, Link, Options, Start};

/// The rotations of a body's links, and how far its base has moved.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BodyPose {
    rotations: Vec<DQuat>,
    root: DVec3,
}

impl BodyPose {
    /// Copies the pose of a body.
    pub(super) fn store(&mut self, body: &Body) {
        self.rotations.clear();
        self.rotations.extend_from_slice(body.rotations());
        self.root = body.root();
    }

    fn clear(&mut self) {
        self.rotations.clear();
        self.root = DVec3::ZERO;
    }

    /// Puts a body into this pose.
    pub(super) fn apply(&self, body: &mut Body) {
        body.rotations_mut().copy_from_slice(&self.rotations);
        body.set_root(self.root);
    }
}

/// The last problem of a solver and its result.
#[derive(Clone, Debug, Default)]
pub(super) struct LastSolve {
    shape: Option<Shape>,
    links: Vec<Link>,
    world_from_base: (DAffine3, DQuat),
    posture: Option<Arc<[DQuat]>>,
    start: BodyPose,
    result: BodyPose,
    goals: Vec<Goal>,
    options: Option<Options>,
}

impl LastSolve {
    /// Discards the problem and its result, but keeps the buffers.
    pub(super) fn reset(&mut self) {
        (self.shape, self.posture, self.options) = (None, None, None);
        self.links.clear();
        self.goals.clear();
        self.start.clear();
        self.result.clear();
    }

    /// Returns whether a body is in the pose of the last result.
    pub(super) fn is_result(&self, body: &Body) -> bool {
        // Compare all rotations without an early exit, because in most cases all of them are equal.
        let differ = |(a, b): (&DQuat, &DQuat)| {
            let (a, b) = (a.to_array().map(f64::to_bits), b.to_array().map(f64::to_bits));
            (0..4).fold(0, |all, i| all | (a[i] ^ b[i]))
        };
        let rotations = &self.result.rotations;
        self.result.root == body.root()
            && rotations.len() == body.rotations().len()
            && rotations.iter().zip(body.rotations()).map(differ).fold(0, |all, d| all | d) == 0
            && self.has_links_of(body)
    }

    /// Returns whether the last result differs from the pose in which its solve started.
    pub(super) fn has_moved(&self) -> bool {
        self.start != self.result
    }

    /// Returns whether a problem equals the last one and starts either from the same pose or from the last result.
    /// `is_result` is whether the body is in the pose of the last result.
    pub(super) fn solves(&self, body: &Body, is_result: bool, goals: &[Goal], options: &Options) -> bool {
        let from_result = is_result && options.start == Start::Current;
        let from_start = || self.start.rotations == body.rotations() && self.start.root == body.root();
        self.goals == goals
            && (from_result || from_start())
            && self.options.as_ref() == Some(options)
            && self.world_from_base == (body.world_from_base(), body.world_from_base_rotation())
            && self.posture.as_ref() == body.posture()
            && self.has_links_of(body)
    }

    fn has_links_of(&self, body: &Body) -> bool {
        self.shape == Some(body.shape()) || self.links == body.links()
    }

    /// Puts a body into the pose of the last result.
    pub(super) fn recall(&self, body: &mut Body) {
        self.result.apply(body);
    }

    /// Stores a problem and its result, which is the current pose of the body. `start` is the pose in which the solve
    /// started. It is swapped with the previous one, so that its buffers are reused.
    pub(super) fn store(&mut self, body: &Body, start: &mut BodyPose, goals: &[Goal], options: &Options) {
        if self.shape != Some(body.shape()) {
            self.shape = Some(body.shape());
            self.links.clear();
            self.links.extend_from_slice(body.links());
        }
        self.world_from_base = (body.world_from_base(), body.world_from_base_rotation());
        self.posture = body.posture().cloned();
        std::mem::swap(&mut self.start, start);
        self.result.store(body);
        self.goals.clear();
        self.goals.extend_from_slice(goals);
        self.options = Some(*options);
    }
}
