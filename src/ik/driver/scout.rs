//! Restarts for targets out of reach.
//!
//! The nearest pose of a body with limits is the best of many local minima, and no error is small enough to end the search
//! early. Many random poses are therefore improved by a few cheap sweeps, in rounds. Each round keeps the better half of the
//! poses (successive halving: Karnin, Koren & Somekh 2013). Only the best poses are then improved by the requested method.

use crate::tree::Tree;
use crate::{CcdOptions, Method, Options};

use super::descent::Patience;
use super::{Driver, Task, seed};

/// Number of random poses for each restart that the options allow. With a total of 32 poses instead of 64, `dls` found 0.8 %
/// fewer of the nearest poses in 800 cases of `sinew bench --table beyond`.
const SCOUTS: usize = 8;
/// Upper bound for the number of random poses. The options allow 10,000 restarts, which would need 80,000 poses.
const MOST_SCOUTS: usize = 1024;
/// Number of sweeps of cyclic coordinate descent in each round. With 2 sweeps, the search found 0.5 % fewer of the nearest poses.
const SWEEPS: usize = 3;
/// Number of poses from which the requested method iterates.
const FINALISTS: usize = 3;

impl Driver {
    /// Iterates from the best of many random poses. The first candidate has already run to completion.
    pub(super) fn scout(&mut self, tree: &mut Tree, task: &Task<'_>) {
        // Sweeps do not count as iterations. This check prevents a solve from improving the pose after its last
        // iteration.
        if self.is_over(task) {
            return;
        }
        let mut open = std::mem::take(&mut self.scouts);
        open.clear();
        for number in 0..task.restarts.saturating_mul(SCOUTS).min(MOST_SCOUTS) {
            let index = self.candidates.add();
            self.candidates.get(0).pose.apply(tree);
            seed::scatter(tree, &self.turns, number);
            self.candidates.get_mut(index).keep(tree, task.method);
            open.push(index);
        }
        loop {
            for &index in &open {
                self.sweep(tree, task, index);
            }
            let error = |index: usize| self.candidates.get(index).error();
            open.sort_unstable_by(|&a, &b| error(a).total_cmp(&error(b)).then(a.cmp(&b)));
            if open.len() <= FINALISTS {
                break;
            }
            open.truncate((open.len() / 2).max(FINALISTS));
        }
        for &index in &open {
            if !self.is_over(task) {
                self.candidates.get(index).pose.apply(tree);
                self.descend(tree, task, index, Patience::Full);
            }
        }
        self.scouts = open;
    }

    /// Improves a candidate by a few sweeps, which cost a fraction of an iteration of the other methods.
    fn sweep(&mut self, tree: &mut Tree, task: &Task<'_>, index: usize) {
        let options = Options { ccd: CcdOptions::default(), ..*task.options };
        self.candidates.get(index).pose.apply(tree);
        self.methods.prepare(Method::Ccd, tree);
        for _ in 0..SWEEPS {
            self.methods.pass(Method::Ccd, tree, &options);
            self.candidates.get_mut(index).keep(tree, task.method);
        }
    }
}
