//! What can be taken back.

use std::sync::Arc;

use crate::motion::Motion;
use crate::pose::Pose;
use crate::puppet::{Pin, Target};
use crate::rig::{Chain, JointRig, Rig};

/// Steps that are remembered, and bytes that they may take: a character of a hundred thousand nodes has poses of megabytes.
const DEPTH: usize = 200;
const BYTES: usize = 64 << 20;

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
    /// What is played.
    pub(super) motion: Arc<Motion>,
}

impl State {
    /// What it takes, but the rig.
    fn bytes(&self) -> usize {
        let Self { held, goals, pins, base: _, rig: _, motion } = self;
        size_of::<Self>()
            + size_of_val(&held.locals[..])
            + size_of_val(&held.weights[..])
            + size_of_val(&goals[..])
            + size_of_val(&pins[..])
            + motion.bytes()
    }
}

fn bytes_of(rig: &Rig) -> usize {
    let chain = |chain: &Chain| size_of::<Chain>() + chain.name.len() + size_of_val(&chain.joints[..]);
    let chains: usize = rig.chains.iter().map(chain).sum();
    size_of::<Rig>() + chains + rig.joints.len() * size_of::<(usize, JointRig)>()
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
    /// What is played.
    Motion,
    /// The weight of a node's goal.
    Weight(usize),
}

impl History {
    /// Remembers a state that is about to change.
    pub(super) fn remember(&mut self, state: State) {
        self.future.clear();
        self.run = None;
        self.past.push(state);
        self.forget_oldest();
    }

    /// Leaves as much of the past as may be remembered, and always the last step.
    fn forget_oldest(&mut self) {
        let (mut bytes, mut rig) = (0_usize, None);
        let fits = |state: &&State| {
            bytes = bytes.saturating_add(state.bytes());
            // Most steps share one.
            if rig.replace(Arc::clone(&state.rig)).is_none_or(|later| !Arc::ptr_eq(&later, &state.rig)) {
                bytes = bytes.saturating_add(bytes_of(&state.rig));
            }
            bytes <= BYTES
        };
        let kept = self.past.iter().rev().take(DEPTH).take_while(fits).count().max(1);
        self.past.drain(..self.past.len().saturating_sub(kept));
    }

    /// Gives all states another rig.
    pub(super) fn set_rig(&mut self, rig: &Arc<Rig>) {
        self.past.iter_mut().chain(&mut self.future).for_each(|state| state.rig = Arc::clone(rig));
    }

    /// Plays something else in all states; those that share a motion still do.
    pub(super) fn change_motions(&mut self, change: impl Fn(&Motion) -> Motion) {
        let mut last: Option<(Arc<Motion>, Arc<Motion>)> = None;
        for state in self.past.iter_mut().chain(&mut self.future) {
            let known = last.take().filter(|(was, _)| Arc::ptr_eq(was, &state.motion));
            let (was, now) = known.unwrap_or_else(|| (state.motion.clone(), Arc::new(change(&state.motion))));
            state.motion = Arc::clone(&now);
            last = Some((was, now));
        }
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
        self.forget_oldest();
    }

    pub(super) fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    pub(super) fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(weights: usize, number: u16) -> State {
        let held = Pose { weights: vec![f32::from(number); weights], ..Pose::default() };
        State {
            held,
            goals: Vec::new(),
            pins: Vec::new(),
            base: None,
            rig: Arc::default(),
            motion: Arc::default(),
        }
    }

    fn filled(steps: u16, step: impl Fn(u16) -> State) -> History {
        let mut history = History::default();
        (0..steps).for_each(|number| history.remember(step(number)));
        history
    }

    #[test]
    fn as_many_steps_of_a_small_character_are_remembered_as_anybody_takes_back() {
        let mut history = filled(300, |number| state(65, number));
        let mut now = state(65, 300);
        for number in (100..300).rev() {
            now = history.undo(now).unwrap();
            assert_eq!(now, state(65, number));
        }
        assert!(!history.can_undo() && history.can_redo());
    }

    #[test]
    fn a_large_character_does_not_fill_the_memory_with_its_past() {
        let large = || filled(20, |number| state(1 << 20, number));
        let bytes: usize = large().past.iter().map(State::bytes).sum();
        assert!(bytes <= BYTES && large().past.len() == 15, "{bytes} bytes");
        // A recording sets a past aside and gives it back.
        let mut again = large();
        again.append_to(large());
        assert_eq!(again.past.len(), 15);
        // However large it is, the last step can be taken back.
        assert_eq!(filled(2, |_| state(BYTES / 4, 0)).past.len(), 1);
    }

    #[test]
    fn a_rig_that_steps_share_counts_once() {
        let joints = (0..20_000).map(|node| (node, JointRig::default())).collect();
        let rig = Arc::new(Rig { joints, ..Rig::default() });
        let with = |rig: Arc<Rig>| State { rig, ..state(0, 0) };
        assert_eq!(filled(40, |_| with(Arc::clone(&rig))).past.len(), 40);
        let own = filled(40, |_| with(Arc::new(Rig::clone(&rig)))).past.len();
        assert!((10..40).contains(&own), "{own} of {} bytes", bytes_of(&rig));
    }
}
