//! Undo and redo.

use std::sync::Arc;
use std::time::Duration;

use crate::ik::OptionValue;
use crate::motion::Motion;
use crate::rig::{Chain, JointRig, Rig};

use super::Scene;

/// Maximum number of undo steps, and their maximum total size in bytes. A pose of a hundred thousand nodes takes megabytes.
const MAX_STEPS: usize = 200;
const MAX_BYTES: usize = 64 << 20;
/// Maximum time without data before a live source counts as paused.
const MAX_GAP: Duration = Duration::from_secs(1);

fn bytes_of(rig: &Rig) -> usize {
    let chain = |chain: &Chain| size_of::<Chain>() + chain.name.len() + size_of_val(&chain.joints[..]);
    let chains: usize = rig.chains.iter().map(chain).sum();
    let options = rig.options.iter().count() * size_of::<(&str, OptionValue)>();
    size_of::<Rig>() + chains + rig.joints.len() * size_of::<(usize, JointRig)>() + options
}

/// The scenes before and after the current one.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    past: Vec<Scene>,
    future: Vec<Scene>,
    /// The kind of edit that the last undo step collects. Further edits of this kind add no step.
    run: Option<EditRun>,
    /// Clock time at which a live source last sent data.
    live: Option<Duration>,
}

/// A kind of edit that consists of many small changes but is undone as one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EditRun {
    /// Changes to a node's limit.
    Limit(usize),
    /// Changes to a morph weight.
    Morph(usize),
    /// Rotations of a node.
    Turn(usize),
    /// Rotations of several nodes together.
    TurnJoints,
    /// Changes to the pull of the limb that ends at a node.
    Pull(usize),
    /// Changes to the motion.
    Motion,
    /// Blends with a stored pose.
    Blend,
    /// Changes to the weight of a node's goal.
    Weight(usize),
    /// Changes to the weights and tolerances of a node's goal along its axes.
    Axes(usize),
}

impl History {
    /// Adds an undo step. `state` is the state before the edit.
    pub(crate) fn remember(&mut self, state: Scene) {
        self.future.clear();
        self.run = None;
        self.past.push(state);
        self.forget_oldest();
    }

    /// Drops the oldest steps until the limits are met, but never the newest step.
    fn forget_oldest(&mut self) {
        let (mut bytes, mut rig) = (0_usize, None);
        let fits = |state: &&Scene| {
            bytes = bytes.saturating_add(state.bytes());
            // Most states share one rig.
            if rig.replace(Arc::clone(&state.rig)).is_none_or(|later| !Arc::ptr_eq(&later, &state.rig)) {
                bytes = bytes.saturating_add(bytes_of(&state.rig));
            }
            bytes <= MAX_BYTES
        };
        let kept = self.past.iter().rev().take(MAX_STEPS).take_while(fits).count().max(1);
        self.past.drain(..self.past.len().saturating_sub(kept));
    }

    /// Replaces the rig of all states.
    pub(crate) fn set_rig(&mut self, rig: &Arc<Rig>) {
        self.past.iter_mut().chain(&mut self.future).for_each(|state| state.rig = Arc::clone(rig));
    }

    /// Changes the motion of all states. States that share a motion still share one afterwards.
    pub(crate) fn change_motions(&mut self, change: impl Fn(&Motion) -> Motion) {
        let mut last: Option<(Arc<Motion>, Arc<Motion>)> = None;
        for state in self.past.iter_mut().chain(&mut self.future) {
            let shared = last.take().filter(|(was, _)| Arc::ptr_eq(was, &state.motion));
            let (was, now) =
                shared.unwrap_or_else(|| (state.motion.clone(), Arc::new(change(&state.motion))));
            state.motion = Arc::clone(&now);
            last = Some((was, now));
        }
    }

    /// Adds an undo step unless the last step still collects edits of the same kind.
    pub(crate) fn remember_run(&mut self, run: EditRun, state: &Scene) {
        if self.run != Some(run) {
            self.remember(state.clone());
            self.run = Some(run);
        }
    }

    /// Adds an undo step before the first data of a live source, and before the first data after a pause.
    pub(crate) fn remember_live(&mut self, now: Duration, state: &Scene) {
        if self.live.is_none_or(|last| now.saturating_sub(last) > MAX_GAP) {
            self.remember(state.clone());
        }
        self.live = Some(now);
    }

    /// Returns whether the last undo step still collects edits of a kind.
    #[cfg(feature = "window")]
    pub(crate) fn is_in_run(&self, run: EditRun) -> bool {
        self.run == Some(run)
    }

    /// Returns the state before the last undo step.
    pub(crate) fn last(&self) -> Option<&Scene> {
        self.past.last()
    }

    /// Removes the last undo step if it still collects joint rotations, and returns the state before it.
    pub(crate) fn cancel_turn(&mut self) -> Option<Scene> {
        matches!(self.run, Some(EditRun::Turn(_) | EditRun::TurnJoints))
            .then(|| self.run = None)
            .and_then(|()| self.past.pop())
    }

    /// Returns the kind of edit that the last undo step still collects.
    pub(crate) fn run(&self) -> Option<EditRun> {
        self.run
    }

    /// Makes the next edit start a new step.
    pub(crate) fn end_run(&mut self) {
        self.run = None;
    }

    /// Returns the previous state. `now` becomes available to [`Self::redo`].
    pub(crate) fn undo(&mut self, now: Scene) -> Option<Scene> {
        self.run = None;
        let before = self.past.pop()?;
        self.future.push(now);
        Some(before)
    }

    /// Returns the state that was undone last.
    pub(crate) fn redo(&mut self, now: Scene) -> Option<Scene> {
        let after = self.future.pop()?;
        self.past.push(now);
        Some(after)
    }

    /// Inserts an older history before this one.
    pub(crate) fn append_to(&mut self, before: Self) {
        let past = std::mem::replace(&mut self.past, before.past);
        self.past.extend(past);
        self.forget_oldest();
    }

    #[cfg(any(test, feature = "window"))]
    pub(crate) fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    #[cfg(any(test, feature = "window"))]
    pub(crate) fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::Pose;

    fn state(weights: usize, number: u16) -> Scene {
        let held = Pose { weights: vec![f32::from(number); weights], ..Pose::default() };
        Scene {
            held,
            goals: Vec::new(),
            pins: Vec::new(),
            base: None,
            rig: Arc::default(),
            motion: Arc::default(),
            time: 0.0,
        }
    }

    fn filled(steps: u16, step: impl Fn(u16) -> Scene) -> History {
        let mut history = History::default();
        (0..steps).for_each(|number| history.remember(step(number)));
        history
    }

    #[test]
    fn small_character_keeps_200_undo_steps() {
        let mut history = filled(300, |number| state(65, number));
        let mut now = state(65, 300);
        for number in (100..300).rev() {
            now = history.undo(now).unwrap();
            assert_eq!(now, state(65, number));
        }
        assert!(!history.can_undo() && history.can_redo());
    }

    #[test]
    fn undo_steps_of_a_large_character_are_limited_in_bytes() {
        let large = || filled(20, |number| state(1 << 20, number));
        let bytes: usize = large().past.iter().map(Scene::bytes).sum();
        assert!(bytes <= MAX_BYTES && large().past.len() == 15, "{bytes} bytes");
        // The history set aside for a recording is restored when the recording ends.
        let mut restored = large();
        restored.append_to(large());
        assert_eq!(restored.past.len(), 15);
        // The last step can be undone even if it is larger than the limit.
        assert_eq!(filled(2, |_| state(MAX_BYTES / 4, 0)).past.len(), 1);
    }

    #[test]
    fn shared_rig_counts_once_towards_the_size_of_the_history() {
        let joints = (0..20_000).map(|node| (node, JointRig::default())).collect();
        let rig = Arc::new(Rig { joints, ..Rig::default() });
        let with = |rig: Arc<Rig>| Scene { rig, ..state(0, 0) };
        assert_eq!(filled(40, |_| with(Arc::clone(&rig))).past.len(), 40);
        let own = filled(40, |_| with(Arc::new(Rig::clone(&rig)))).past.len();
        assert!((10..40).contains(&own), "{own} of {} bytes", bytes_of(&rig));
    }
}
