//! The last problem of a solver that continues, and its result.
//!
//! A problem that is repeated in the pose of its result has the same result, so that a pose does not creep while its
//! goals rest. Only [`Start::Continue`](super::Start::Continue) asks for this.

use std::sync::Arc;

use glam::{DAffine3, DQuat, DVec3};

use super::body::Shape;
use super::{Body, Goal, Link, Options};

/// Maximum difference of two numbers that are equal within single-precision rounding, relative to the larger of their
/// magnitude and 1. Characters store their poses in single precision. A rotation that has passed through it is
/// normalised, inverted and multiplied with few others, and every step rounds by at most half of the machine epsilon.
const SINGLE_ROUNDING: f64 = 8.0 * f32::EPSILON as f64;

/// The rotations and displacements of a body's links, and how far its base has moved.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BodyPose {
    rotations: Vec<DQuat>,
    displacements: Vec<f64>,
    root: DVec3,
}

impl BodyPose {
    /// Copies the pose of a body.
    pub(super) fn store(&mut self, body: &Body) {
        self.rotations.clear();
        self.rotations.extend_from_slice(body.rotations());
        self.displacements.clear();
        self.displacements.extend_from_slice(body.displacements());
        self.root = body.root();
    }

    fn clear(&mut self) {
        self.rotations.clear();
        self.displacements.clear();
        self.root = DVec3::ZERO;
    }

    /// Puts a body into this pose.
    pub(super) fn apply(&self, body: &mut Body) {
        body.rotations_mut().copy_from_slice(&self.rotations);
        body.displacements_mut().copy_from_slice(&self.displacements);
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
            && self.result.displacements == body.displacements()
            && self.has_links_of(body)
    }

    /// Returns whether a problem equals the last one, and the body is in the pose of the last result within
    /// single-precision rounding.
    pub(super) fn answers(&self, body: &Body, goals: &[Goal], options: &Options) -> bool {
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| is_near(*a, *b));
        // A rotation and its negative are the same.
        let same = |(a, b): (&DQuat, &DQuat)| {
            let b = if a.dot(*b) < 0.0 { -*b } else { *b };
            near(&a.to_array(), &b.to_array())
        };
        let (placed, spin) = &self.world_from_base;
        self.goals == goals
            && self.options.as_ref() == Some(options)
            && self.result.rotations.len() == body.rotations().len()
            && self.result.rotations.iter().zip(body.rotations()).all(same)
            && self.result.displacements.len() == body.displacements().len()
            && near(&self.result.displacements, body.displacements())
            && near(&self.result.root.to_array(), &body.root().to_array())
            && near(&placed.to_cols_array(), &body.world_from_base().to_cols_array())
            && same((spin, &body.world_from_base_rotation()))
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

    /// Stores a problem and its result, which is the current pose of the body.
    pub(super) fn store(&mut self, body: &Body, goals: &[Goal], options: &Options) {
        if self.shape != Some(body.shape()) {
            self.shape = Some(body.shape());
            self.links.clear();
            self.links.extend_from_slice(body.links());
        }
        self.world_from_base = (body.world_from_base(), body.world_from_base_rotation());
        self.posture = body.posture().cloned();
        self.result.store(body);
        self.goals.clear();
        self.goals.extend_from_slice(goals);
        self.options = Some(*options);
    }
}

/// Returns whether two numbers are equal within single-precision rounding.
fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= SINGLE_ROUNDING * a.abs().max(1.0)
}
