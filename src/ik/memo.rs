//! The last question and its answer: asked again, the same is answered without a pass, so that nothing creeps.

use std::sync::Arc;

use glam::{DAffine3, DQuat, DVec3};

use super::{Body, Goal, Link, Options, Start};

/// Rotations, and how far the base has moved.
pub(super) type Stance = (Vec<DQuat>, DVec3);

#[derive(Clone, Debug, Default)]
pub(super) struct Memo {
    shape: Option<Arc<[Link]>>,
    placed: (DAffine3, DQuat),
    posture: Option<Arc<[DQuat]>>,
    start: Stance,
    answer: Stance,
    goals: Vec<Goal>,
    options: Option<Options>,
}

impl Memo {
    /// Whether a body stands where the last answer led it.
    pub(super) fn is_answer(&self, body: &Body) -> bool {
        // All compared at once: most often they are the same.
        let differ = |(a, b): (&DQuat, &DQuat)| {
            let (a, b) = (a.to_array().map(f64::to_bits), b.to_array().map(f64::to_bits));
            (0..4).fold(0, |all, i| all | (a[i] ^ b[i]))
        };
        self.answer.1 == body.root()
            && self.answer.0.len() == body.rotations().len()
            && self.answer.0.iter().zip(body.rotations()).map(differ).fold(0, |all, d| all | d) == 0
            && self.is_of(body)
    }

    /// Whether the last answer is not where its question started from.
    pub(super) fn moved(&self) -> bool {
        self.start != self.answer
    }

    /// Whether this is the answer to a question, or where the question starts from. `is_answer`: the body stands as the
    /// answer has it.
    pub(super) fn answers(&self, body: &Body, is_answer: bool, goals: &[Goal], options: &Options) -> bool {
        let from_answer = is_answer && options.start == Start::Current;
        let from_start = || self.start.0 == body.rotations() && self.start.1 == body.root();
        self.goals == goals
            && (from_answer || from_start())
            && self.options.as_ref() == Some(options)
            && self.placed == (body.world_from_base(), body.world_from_base_rotation())
            && self.posture.as_ref() == body.posture()
            && self.is_of(body)
    }

    fn is_of(&self, body: &Body) -> bool {
        self.shape.as_ref().is_some_and(|s| Arc::ptr_eq(s, body.shape()) || s[..] == body.shape()[..])
    }

    /// Stands a body as the answer has it.
    pub(super) fn recall(&self, body: &mut Body) {
        stand(body, &self.answer);
    }

    /// Takes over a question and its answer, which the body stands in; `start` becomes that of the question before.
    pub(super) fn take(&mut self, body: &Body, start: &mut Stance, goals: &[Goal], options: &Options) {
        if !self.shape.as_ref().is_some_and(|s| Arc::ptr_eq(s, body.shape())) {
            self.shape = Some(Arc::clone(body.shape()));
        }
        self.placed = (body.world_from_base(), body.world_from_base_rotation());
        self.posture = body.posture().cloned();
        std::mem::swap(&mut self.start, start);
        self.answer.0.clear();
        self.answer.0.extend_from_slice(body.rotations());
        self.answer.1 = body.root();
        self.goals.clear();
        self.goals.extend_from_slice(goals);
        self.options = Some(*options);
    }
}

/// Stands a body as it stood.
pub(super) fn stand(body: &mut Body, stance: &Stance) {
    body.rotations_mut().copy_from_slice(&stance.0);
    body.set_root(stance.1);
}
