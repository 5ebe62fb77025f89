//! The last problem of a solver that continues, and its result.
//!
//! If the same problem is solved again from the pose of its result, the result stays the same. The pose therefore does
//! not creep while the goals are unchanged. Only [`Start::Continue`](super::Start::Continue) uses this module.

use glam::{DQuat, DVec3};

use super::{Body, Goal, Options};

/// The rotations and displacements of a body's links, and the translation of the body's base.
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

    /// Applies this pose to a body.
    pub(super) fn apply(&self, body: &mut Body) {
        body.rotations_mut().copy_from_slice(&self.rotations);
        body.displacements_mut().copy_from_slice(&self.displacements);
        body.set_root(self.root);
    }
}

/// The last problem of a solver and its result.
#[derive(Clone, Debug, Default)]
pub(super) struct LastSolve {
    /// The body in the pose of the result, and the options of the solve.
    solved: Option<(Body, Options)>,
    goals: Vec<Goal>,
    /// Whether there is a result. If not, `solved` only provides reusable buffers.
    is_set: bool,
}

impl LastSolve {
    /// Discards the problem and its result, but keeps the buffers.
    pub(super) fn reset(&mut self) {
        self.is_set = false;
    }

    fn solved(&self) -> Option<&(Body, Options)> {
        self.solved.as_ref().filter(|_| self.is_set)
    }

    /// Returns whether a body is in the pose of the last result.
    pub(super) fn is_result(&self, body: &Body) -> bool {
        let Some((result, _)) = self.solved() else { return false };
        // Compare all rotations without an early exit, because in most cases all of them are equal.
        let differ = |(a, b): (&DQuat, &DQuat)| {
            let (a, b) = (a.to_array(), b.to_array());
            (0..4).fold(0, |all, i| all | (a[i].to_bits() ^ b[i].to_bits()))
        };
        let rotations = result.rotations();
        result.root() == body.root()
            && rotations.len() == body.rotations().len()
            && rotations.iter().zip(body.rotations()).map(differ).fold(0, |all, d| all | d) == 0
            && result.displacements() == body.displacements()
            && (result.shape() == body.shape() || result.links() == body.links())
    }

    /// Returns whether a problem equals the last one, and whether the body is in the pose of the last result within single-precision
    /// rounding.
    pub(super) fn answers(&self, body: &Body, goals: &[Goal], options: &Options) -> bool {
        let same = |(result, last): &(Body, Options)| last == options && result.is_nearly(body);
        self.goals == goals && self.solved().is_some_and(same)
    }

    /// Applies the pose of the last result to a body.
    pub(super) fn recall(&self, body: &mut Body) {
        if let Some((result, _)) = self.solved() {
            body.rotations_mut().copy_from_slice(result.rotations());
            body.displacements_mut().copy_from_slice(result.displacements());
            body.set_root(result.root());
        }
    }

    /// Stores a problem and its result, which is the current pose of the body.
    pub(super) fn store(&mut self, body: &Body, goals: &[Goal], options: &Options) {
        self.is_set = true;
        self.goals.clear();
        self.goals.extend_from_slice(goals);
        match &mut self.solved {
            Some((result, last)) => {
                result.copy_from(body);
                *last = *options;
            }
            none => *none = Some((body.clone(), *options)),
        }
    }
}
