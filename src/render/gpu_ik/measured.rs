//! Poses from the GPU, written to bodies and measured in double precision.

use glam::{DQuat, DVec3};

use crate::ik::{Body, Goal, GoalOutcome, LinkIndex, Method, Options, Outcome, Report, Solver, Start};

use super::group::{Group, moves_root, tolerances, world_scale};
use super::options::{Solved, SolvedBy};

/// A joint counts as limited if it is within this angle of its limit, in radians.
const AT_BORDER: f64 = 1e-4;
/// Tolerance of a polish: a fraction of the chain's length for positions, and radians for orientations.
const POLISHED: f64 = 1e-9;
/// Maximum number of iterations of a polish. Few are needed, because near the goal each iteration squares the error.
const POLISH_ITERATIONS: usize = 20;

/// The answer of a shader to one problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer<'a> {
    /// The rotations of the joints.
    pub(super) rotations: &'a [[f32; 4]],
    /// Translation of the base, as a fraction of the structure's length.
    pub(super) root: [f32; 4],
    pub(super) iterations: f32,
}

impl Answer<'_> {
    /// Returns whether the rotations and the translation are finite.
    pub(super) fn is_finite(&self) -> bool {
        self.rotations.iter().chain([&self.root]).flatten().all(|x| x.is_finite())
    }
}

impl Group {
    /// Poses a body and measures its errors.
    pub(super) fn apply(
        &self,
        answer: Answer<'_>,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
        most_iterations: u32,
    ) -> Report {
        if options.start == Start::Rest {
            body.reset();
        }
        for &index in &self.structure.locked {
            let rest = body.links().get(index).map(|link| link.rest);
            rest.into_iter().for_each(|rest| body.set_rotation(LinkIndex(index), rest));
        }
        for (joint, own) in self.structure.joints.iter().zip(answer.rotations) {
            let Some(link) = body.links().get(joint.link).copied() else { continue };
            let own = DQuat::from_array(own.map(f64::from));
            if own.is_finite() && own.length() > 0.0 {
                let rotation = joint.local(&link, own);
                // Apply the limits again, so that they are also met in double precision.
                let allowed = if options.limits { link.nearest(rotation) } else { rotation };
                body.set_rotation(LinkIndex(joint.link), allowed);
            }
        }
        let [x, y, z, _] = answer.root.map(f64::from);
        body.set_root(body.root() + DVec3::new(x, y, z) * self.structure.length);
        let iterations = count(answer.iterations);
        let is_spent = iterations >= most_iterations as usize;
        let moves = moves_root(options);
        let method = if self.structure.effectors.len() > 1 || moves { Method::FullBody } else { Method::Dls };
        let measure = |(index, goal): (usize, &Goal)| self.outcome(index, goal, body, options, is_spent);
        let at_border = |link: &usize| {
            let (joint, rotation) = (body.links()[*link], body.rotations()[*link]);
            joint.is_at_border(rotation, AT_BORDER)
        };
        let limited = self.structure.joints.iter().map(|j| j.link).filter(|l| options.limits && at_border(l));
        let mut report = Report::default();
        (report.method, report.iterations) = (method, iterations);
        report.goals = goals.iter().enumerate().map(measure).collect();
        report.limited = limited.map(LinkIndex).collect();
        report
    }

    fn outcome(
        &self,
        index: usize,
        goal: &Goal,
        body: &Body,
        options: &Options,
        is_spent: bool,
    ) -> GoalOutcome {
        let point = body.world_from_link(goal.link).map(|m| m.transform_point3(goal.offset));
        let position = goal.position.zip(point).map(|(target, point)| target.distance(point));
        let turn = goal.orientation.zip(body.orientation(goal.link));
        let turn = turn.map(|(target, orientation)| {
            let away = target.normalize() * orientation.conjugate();
            2.0 * away.xyz().length().atan2(away.w.abs())
        });
        let scale = world_scale(body).unwrap_or(1.0);
        let length = self.structure.effectors.get(index).map_or(1.0, |e| e.length);
        let [most, most_angle] = tolerances(goal, length * scale, options);
        let is_reached = position.is_none_or(|e| e <= most) && turn.is_none_or(|e| e <= most_angle);
        let outcome = if is_reached {
            Outcome::Reached
        } else {
            self.reason(index, goal, body, body.root(), options, is_spent)
        };
        let mut measured = GoalOutcome::default();
        measured.outcome = outcome;
        (measured.position_error, measured.full_position_error) = (position, position);
        (measured.orientation_error, measured.full_orientation_error) = (turn, turn);
        measured
    }

    /// Returns why a goal was missed by a body whose base is translated by `root`.
    pub(super) fn reason(
        &self,
        index: usize,
        goal: &Goal,
        body: &Body,
        root: DVec3,
        options: &Options,
        is_spent: bool,
    ) -> Outcome {
        if !moves_root(options) && self.is_too_far(index, goal, body, root) {
            Outcome::OutOfReach
        } else if is_spent {
            Outcome::IterationLimit
        } else {
            Outcome::Stalled
        }
    }

    /// Returns whether a target is farther from the first joint of its chain than the chain's length.
    fn is_too_far(&self, index: usize, goal: &Goal, body: &Body, root: DVec3) -> bool {
        let Some(effector) = self.structure.effectors.get(index) else { return false };
        let first = self.structure.above(effector).last().map(|j| self.structure.joints[j].offset);
        let target = goal.position.map(|p| body.world_from_base().inverse().transform_point3(p));
        target.zip(first).is_some_and(|(t, first)| t.distance(first + root) > effector.length)
    }

    /// Continues from the pose of a body on the CPU. Keeps the pose and its report if the result is not nearer to the
    /// goals.
    pub(super) fn polish(
        &self,
        solver: &mut Solver,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
        report: Report,
    ) -> Solved {
        let length = self.structure.length * world_scale(body).unwrap_or(1.0);
        let method = report.method;
        let fine = options
            .with_method(method)
            .with_start(Start::Current)
            .with_restarts(0)
            .with_iterations(POLISH_ITERATIONS)
            .with_tolerance(Some(POLISHED * length))
            .with_angle_tolerance(POLISHED);
        let before = body.clone();
        solver.reset();
        let Ok(mut polished) = solver.solve(body, goals, &fine).cloned() else {
            *body = before;
            return Solved { report, by: SolvedBy::Gpu };
        };
        if error(&polished) > error(&report) {
            *body = before;
            return Solved { report, by: SolvedBy::Gpu };
        }
        polished.iterations += report.iterations;
        for (index, (found, goal)) in polished.goals.iter_mut().zip(goals).enumerate() {
            // The polish used smaller tolerances, so determine the outcome with the tolerances of the options.
            found.outcome = self.outcome(index, goal, body, options, false).outcome;
        }
        Solved { report: polished, by: SolvedBy::GpuAndCpu }
    }
}

/// Returns the number of iterations that a shader has stored.
pub(super) fn count(iterations: f32) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    let count = iterations.max(0.0) as usize;
    count
}

/// Returns the sum of the errors of a report, where one radian counts as much as one metre.
fn error(report: &Report) -> f64 {
    let errors = |g: &GoalOutcome| g.position_error.unwrap_or(0.0) + g.orientation_error.unwrap_or(0.0);
    report.goals.iter().map(errors).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_finite_if_all_of_its_numbers_are() {
        let rotations = [[0.0, 0.0, 0.0, 1.0]; 3];
        let is_finite =
            |rotations: &[[f32; 4]], root| Answer { rotations, root, iterations: 1.0 }.is_finite();
        assert!(is_finite(&rotations, [0.0; 4]));
        assert!(!is_finite(&rotations, [0.0, f32::INFINITY, 0.0, 0.0]));
        let mut invalid = rotations;
        invalid[2][1] = f32::NAN;
        assert!(!is_finite(&invalid, [0.0; 4]));
    }
}
