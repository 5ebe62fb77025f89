//! A race of restarts.
//!
//! Each start runs only as long as its error falls quickly. A start that falls slowly is set aside, and the next one
//! begins. Most goals are therefore met by a start that would have been quick from the beginning, and the others cost a
//! few iterations each. If no start meets the goals, the most promising ones run until their errors no longer fall.

use crate::ik::Limit;
use crate::ik::tree::Tree;

use super::descent::Patience;
use super::{Driver, Task, seed};

/// Maximum number of starts that run to their end if no start meets the goals.
const POLISHED: usize = 3;

impl Driver {
    /// Restarts until a start meets the goals, or no start is left. The first candidate has already run.
    pub(super) fn race(&mut self, tree: &mut Tree, task: &Task<'_>) {
        self.candidates.get(0).pose.apply(tree);
        let root = tree.root;
        let restarts = if can_gain(tree) { task.restarts } else { 0 };
        for number in 0..restarts {
            if self.is_over(task) {
                return;
            }
            let index = self.candidates.add();
            tree.root = root;
            seed::place(tree, number, &mut self.seed);
            self.descend(tree, task, index, Patience::Brief);
        }
        for _ in 0..POLISHED {
            let Some(index) = self.candidates.most_promising().filter(|_| !self.is_over(task)) else {
                return;
            };
            self.candidates.get(index).pose.apply(tree);
            self.descend(tree, task, index, Patience::Full);
        }
    }

    /// Returns whether the goals are met or the iterations are spent.
    fn is_over(&self, task: &Task<'_>) -> bool {
        self.candidates.is_done() || self.iterations >= task.options.iterations
    }
}

/// Returns whether another start may end nearer to the goals: a goal within reach is not met, or limits may keep the
/// chain from pointing at a target out of reach.
fn can_gain(tree: &Tree) -> bool {
    (0..tree.tasks.len()).any(|task| {
        let limited = || tree.above(task).any(|j| tree.joints[j].limit != Limit::Free);
        let misses = tree.tasks[task].weight > 0.0 && !tree.is_reached(task);
        misses && (!tree.is_out_of_reach(task) || limited())
    })
}
