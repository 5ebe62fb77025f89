//! What can be taken back.

use std::sync::Arc;

use crate::pose::Pose;
use crate::puppet::{Pin, Target};
use crate::rig::Rig;

/// Steps that are remembered.
const DEPTH: usize = 200;

/// Everything that a person changes about the pose and the rig.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    /// Where the character stands without clip and goals.
    pub(super) held: Pose,
    /// Goals that stayed when they were let go.
    pub(super) goals: Vec<Target>,
    /// Pinned nodes, and where.
    pub(super) pins: Vec<Pin>,
    /// The node that is held still.
    pub(super) base: Option<usize>,
    /// Chains, limits and poles.
    pub(super) rig: Arc<Rig>,
}

/// States before and after the present one.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    past: Vec<State>,
    future: Vec<State>,
    /// What a run of changes is made to.
    run: Option<Run>,
}

/// What is changed in many small steps that are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// The limit of a node.
    Limit(usize),
    /// A morph weight.
    Morph(usize),
    /// The weight of a node's goal.
    Weight(usize),
}

impl History {
    /// Remembers a state that is about to change.
    pub(super) fn remember(&mut self, state: State) {
        self.future.clear();
        self.run = None;
        if self.past.len() == DEPTH {
            self.past.remove(0);
        }
        self.past.push(state);
    }

    /// Gives all states another rig.
    pub(super) fn set_rig(&mut self, rig: &Arc<Rig>) {
        self.past.iter_mut().chain(&mut self.future).for_each(|state| state.rig = Arc::clone(rig));
    }

    /// Remembers a state before the first of a run of changes.
    pub(super) fn remember_run(&mut self, run: Run, state: &State) {
        if self.run != Some(run) {
            self.remember(state.clone());
            self.run = Some(run);
        }
    }

    /// What comes next is no part of the run any more.
    pub(super) fn end_run(&mut self) {
        self.run = None;
    }

    /// The state before; `now` can be made again.
    pub(super) fn undo(&mut self, now: State) -> Option<State> {
        self.run = None;
        let before = self.past.pop()?;
        self.future.push(now);
        Some(before)
    }

    /// The state that was taken back.
    pub(super) fn redo(&mut self, now: State) -> Option<State> {
        let after = self.future.pop()?;
        self.past.push(now);
        Some(after)
    }

    /// Puts what was before all of this in front of it.
    pub(super) fn append_to(&mut self, before: Self) {
        let past = std::mem::replace(&mut self.past, before.past);
        self.past.extend(past);
        self.past.drain(..self.past.len().saturating_sub(DEPTH));
    }

    pub(super) fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    pub(super) fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}
