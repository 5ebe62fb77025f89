//! Reports of solved trees.

use crate::driver::Progress;
use crate::outcome::Evidence;
use crate::tree::Tree;
use crate::{GoalOutcome, LinkIndex, Report};

use super::Solver;

/// A joint counts as limited if it is within this angle of its limit, in radians.
const AT_BORDER: f64 = 1e-6;

impl Solver {
    /// Determines the outcomes of the goals of the solved tree, and fills the report.
    pub(super) fn report_tree(&mut self, progress: &Progress) {
        let Self { tree, driver, multipliers, report, .. } = self;
        if !(0..tree.tasks.len()).all(|task| tree.is_reached(task)) {
            multipliers.judge(tree);
        }
        fill_report(report, tree, &driver.history, progress, |goal| multipliers.evidence(tree, goal));
    }
}

/// Fills the report from the solved tree. `evidence` returns the evidence about a missed goal.
pub(super) fn fill_report(
    report: &mut Report,
    tree: &Tree,
    history: &[f64],
    progress: &Progress,
    evidence: impl Fn(usize) -> Evidence,
) {
    report.limited.clear();
    let limited = tree.joints.iter().filter(|j| j.is_at_border(AT_BORDER));
    report.limited.extend(limited.map(|j| LinkIndex(j.link)));
    let goal = |effector| {
        let reached = tree.is_reached(effector);
        let evidence = if reached { Evidence::default() } else { evidence(effector) };
        let (full_position_error, full_orientation_error) = tree.full_errors(effector);
        GoalOutcome {
            outcome: Evidence { reached, spent: progress.spent, ..evidence }.outcome(),
            position_error: tree.error(effector),
            orientation_error: tree.angle_error(effector),
            full_position_error,
            full_orientation_error,
        }
    };
    report.goals.clear();
    report.goals.extend((0..tree.tasks.len()).map(goal));
    report.history.clear();
    report.history.extend_from_slice(history);
    (report.method, report.iterations) = (progress.method, progress.iterations);
}
