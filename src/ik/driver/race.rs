//! A race of restarts.
//!
//! Each start runs only as long as its error falls quickly. A start whose error falls slowly is suspended, and the next
//! one begins. In most solves, the goals are therefore met by a start that converges quickly, and each of the other
//! starts costs only a few iterations. If no start meets the goals, the most promising ones run until their errors no
//! longer fall.

use crate::tree::Tree;
use crate::{Limit, Options};

use super::descent::{Patience, is_quick};
use super::{Driver, Task, margin, seed};

/// Maximum number of starts that run to completion if no start meets the goals.
const POLISHED: usize = 3;

/// Number of restarts after which the most promising start runs to completion before further restarts.
const ROUND: usize = 8;

/// If a target is out of reach, the requested start leaves 1/`SCOUTED` of the remaining iterations to the other starts.
const SCOUTED: usize = 4;

impl Driver {
    /// Restarts until a start meets the goals or no start is left. The first candidate has already run.
    pub(super) fn race(&mut self, tree: &mut Tree, task: &Task<'_>) {
        // If bending helps, the start pose has already been bent.
        let task = &Task { bend: false, ..*task };
        self.candidates.get(0).pose.apply(tree);
        let gain = select_joints(tree, &mut self.turns);
        if gain == Gain::Remote {
            let left = task.options.iterations.saturating_sub(self.iterations);
            let options = Options { iterations: task.options.iterations - left / SCOUTED, ..*task.options };
            self.descend(tree, &Task { options: &options, ..*task }, 0, Patience::Full);
            return self.scout(tree, task);
        }
        let quick = is_quick(task) && !self.remote.contains(&true);
        let starts = if gain == Gain::None { 0 } else { task.restarts };
        for number in 0..starts {
            if self.is_over(task) {
                return;
            }
            let index = self.candidates.add();
            self.candidates.get(0).pose.apply(tree);
            seed::place(tree, &self.turns, number, quick, &mut self.seed);
            self.descend(tree, task, index, Patience::Brief);
            // If there are many starts, they are run in rounds, so that a promising start is finished before all the
            // others have begun.
            if number % ROUND == ROUND - 1 && number + 1 < starts {
                self.polish(tree, task, 1);
            }
        }
        self.polish(tree, task, POLISHED);
    }

    /// Runs the most promising starts to completion.
    fn polish(&mut self, tree: &mut Tree, task: &Task<'_>, count: usize) {
        for _ in 0..count {
            let Some(index) = self.candidates.most_promising(margin(tree)).filter(|_| !self.is_over(task))
            else {
                return;
            };
            self.candidates.get(index).pose.apply(tree);
            self.descend(tree, task, index, Patience::Full);
        }
    }

    /// Returns whether the goals are met or the iterations have run out.
    pub(super) fn is_over(&self, task: &Task<'_>) -> bool {
        self.candidates.is_done() || self.iterations >= task.options.iterations
    }
}

/// The goals that restarts can improve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gain {
    /// Nothing.
    None,
    /// A goal within reach that is not met.
    Near,
    /// Only the error of a goal out of reach.
    Remote,
}

/// Selects the joints that restarts turn. These are the joints above the goals within reach that are not met. If all
/// goals within reach are met, selects the joints above each target out of reach, provided that a limit may keep these
/// joints from the nearest pose. The other joints are not turned, so that a restart for one limb does not change the
/// other limbs.
fn select_joints(tree: &Tree, turns: &mut Vec<bool>) -> Gain {
    let misses = |task: &usize| tree.tasks[*task].weight > 0.0 && !tree.is_reached(*task);
    turns.clear();
    turns.resize(tree.joints.len(), false);
    for gain in [Gain::Near, Gain::Remote] {
        let is_remote = gain == Gain::Remote;
        let chosen = (0..tree.tasks.len()).filter(misses).filter(|t| tree.is_out_of_reach(*t) == is_remote);
        for task in chosen {
            let is_limited = tree.above(task).any(|j| tree.joints[j].limit != Limit::Free);
            if is_limited || !is_remote {
                tree.above(task).for_each(|j| turns[j] = true);
            }
        }
        tree.select_leaders(turns);
        if turns.contains(&true) {
            return gain;
        }
    }
    Gain::None
}
