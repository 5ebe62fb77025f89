//! The last step of a continued solve, which undoes turns that gain nothing.

use glam::DVec3;

use crate::tree::{EffectorTask, Tree};
use crate::{Correction, Limit, Method, Secondary};

use super::{Driver, Task};

/// Fractions of the way back to the start pose. They are tried in order.
const FRACTIONS: [f64; 2] = [1.0, 0.5];
/// Fraction of the tolerance by which the error of an unmet goal may grow. A smaller value would prevent the undoing of a bend in a nearly
/// straight limb, because such a bend changes the error only to second order.
const SLACK: f64 = 0.1;
/// Like [`SLACK`], for a complete return to the start pose. A larger value would make a slow drag jerky.
const START_SLACK: f64 = 1e-4;

impl Driver {
    /// Moves the best pose towards the start pose without moving the effector noticeably.
    ///
    /// At limits or beyond the reach, iterations turn joints back and forth for gains that nobody can see. In a drag, the
    /// body would therefore shake.
    pub(super) fn settle(&mut self, tree: &mut Tree, task: &Task<'_>) {
        let [goal] = tree.tasks[..] else { return };
        // A pole decides how the limb bends, so the pose must not be changed.
        if goal.pole.is_some() || !applies(tree, task) {
            return;
        }
        let most = |error: f64, slack: f64| error + slack * goal.tolerance;
        self.start_pose.apply(tree);
        let start = tree.measure();
        let Some(found) = self.candidates.get(0).measure else { return };
        if start.done == found.done && start.sum.sqrt() <= most(found.sum.sqrt(), START_SLACK) {
            let best = self.candidates.get_mut(0);
            best.measure = Some(start);
            best.pose.store(tree);
            return;
        }
        let most = most(found.sum.sqrt(), SLACK).min(start.sum.max(found.sum).sqrt());
        for fraction in FRACTIONS {
            self.candidates.get(0).pose.apply(tree);
            tree.tasks.iter_mut().for_each(hold);
            self.methods.return_towards_start(tree, fraction);
            if let Some(task) = tree.tasks.first_mut() {
                (task.target, task.orientation, task.aim) = (goal.target, goal.orientation, goal.aim);
            }
            tree.forward_tips();
            let measure = tree.measure();
            if measure.done == found.done && (measure.done || measure.sum.sqrt() <= most) {
                let best = self.candidates.get_mut(0);
                best.measure = Some(measure);
                best.pose.store(tree);
                return;
            }
        }
    }
}

/// Returns whether turns that gain nothing may be undone for a method. If there are no limits, the steps of the methods
/// listed here contain no such turns. A secondary task causes such turns on purpose.
fn applies(tree: &Tree, task: &Task<'_>) -> bool {
    let takes_least_steps = match task.method {
        Method::Fused => task.options.fused.correction == Correction::Midpoint,
        Method::PseudoInverse | Method::Dls | Method::Sdls | Method::Optimize | Method::FullBody => true,
        _ => false,
    };
    let is_limited = tree.joints.iter().any(|j| j.limit != Limit::Free);
    takes_least_steps && is_limited && !tree.root_moves && task.options.jacobian.secondary == Secondary::None
}

/// Makes the current position and orientation of an effector its target.
fn hold(task: &mut EffectorTask) {
    task.target = task.target.map(|_| task.position);
    task.orientation = task.orientation.map(|_| task.rotation);
    if let Some((axis, at)) = task.aim {
        let away = task.rotation * axis * task.position.distance(at);
        task.aim = Some((axis, task.position + away));
    }
    (task.turn, task.aim_turn) = (DVec3::ZERO, DVec3::ZERO);
}
