//! Whole-body inverse kinematics of a figure: the pose is the static equilibrium of its joint springs about the stance.
//!
//! ```text
//! minimise   E(q) + Σ F |W (p(q) − t)|        each goal is a hand that pulls with at most F newtons
//! subject to c(q) = 0,  d(q) ≥ 0              contacts, limits, floor, balance, and the capsules of the body
//! ```
//!
//! The energy E contains joint springs about the stance, uprightness, comfort of balance, and the weight of hanging arms. Forces define an
//! order of precedence: contacts and pins first, then balance, floor and body, then limits, and then goals. The pose depends on the goals
//! and the stance, not on the path or the speed of the targets, so undoing a pull restores the pose.
//!
//! The problem is solved by Newton steps with exact second derivatives and one small quadratic program per step (see `newton`). Baerlocher
//! & Boulic 2004 prioritise the tasks of a body by projections. Here, the forces set the priorities.

mod buffers;
mod capsule;
mod constant;
mod energy;
mod factor;
mod foot;
mod goals;
mod limit_rows;
mod mass;
mod model;
mod newton;
pub mod person;
mod pose;
mod problem;
mod pull;
mod reflected;
mod rest;
mod rows;
mod support;
mod system;
mod table;
#[cfg(test)]
mod tests;
mod yielding;

use glam::DVec3;

use super::outcome::Evidence;
use super::{Body, Goal, Hold, Holds, LinkIndex, Options, Outcome, Start};
use newton::{Budget, Ending, Newton};
use pose::FigurePose;
use problem::Problem;
use pull::PullKind;

/// Maximum size of a stride, in metres at human size and in radians. If a solve does not continue a drag, its targets move in strides, so
/// that it finds the same result as a drag.
const STRIDE: f64 = 0.05;
const TURN_STRIDE: f64 = 0.2;
/// Maximum iterations per stride, and the fraction of all iterations that strides may take.
const STRIDE_ITERATIONS: usize = 20;
const WAY: f64 = 0.6;
/// Maximum iterations per frame of a drag. The next frame continues the solve.
const FRAME_ITERATIONS: usize = 12;
/// If a target moves by the distance [`FRAME_MOVE`] (metres at human size) in a frame, joints turn by at most [`FRAME_TURN`] (radians). A
/// change to a very different posture therefore takes a few frames.
const FRAME_MOVE: f64 = 0.005;
const FRAME_TURN: f64 = 0.09;
/// Iteration stops when a step gains less than this energy in joules. The three values apply to a stride, to a frame of a drag, and to the
/// end of a solve.
const WAY_REST: f64 = 1e-2;
const FRAME_REST: f64 = 1e-4;
const REST: f64 = 1e-7;
/// Minimum bend of a limb in radians. A limb that is straighter is bent to this angle before the first step, because a straight limb has no
/// bend direction.
const STRAIGHT: f64 = 0.035;
/// A limb is overstretched if, in the stance, it is bent the wrong way by more than half of [`STRAIGHT`] and less than this angle in
/// radians. A push along such a limb would bend it further the wrong way. The limb is therefore bent farther the right way before the first
/// step, and returned to the stance when nothing pushes it.
const OVERSTRETCHED: f64 = 0.26;
/// Distance in metres at human size. A limb counts as pushed if its end is pulled towards its root by more than this.
const PUSHED: f64 = 1e-6;
/// Distance in metres at human size by which the hips are lowered if the knee of a standing leg is bent by less than half of [`STRAIGHT`].
const LOWERED: f64 = 2e-4;
/// Number of times that the targets are corrected for a body with uneven scale.
const LENGTH_ROUNDS: usize = 4;
/// A row counts as holding the body back if its force exceeds this value, in newtons.
const HOLDING: f64 = 20.0;

/// The figure solver, with its buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct EquilibriumSolver {
    problem: Problem,
    newton: Newton,
    pose: FigurePose,
    key: Option<Key>,
    is_unfinished: bool,
}

/// The inputs from which the problem of a drag was built.
#[derive(Clone, Debug)]
struct Key {
    /// The body in the pose of the result.
    solved: Body,
    /// A buffer for the comparison with the next frame.
    moved: Body,
    goals: Vec<Goal>,
    options: Options,
}

/// The result of a solve.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Equilibrium {
    pub(crate) iterations: usize,
    /// Whether the pose has converged.
    pub(crate) converged: bool,
    /// The constraints that hold the body back.
    pub(crate) held_by: Holds,
}

impl Equilibrium {
    /// Returns the evidence about a missed goal. `beyond_bones` indicates whether the goal's target is farther from a standing foot or a
    /// pin than the total length of the bones in between. In that case, relaxing limits or balance would not help.
    pub(crate) fn evidence(&self, beyond_bones: bool) -> Evidence {
        if beyond_bones {
            return Evidence { beyond_bones, ..Evidence::default() };
        }
        let holds = |is: fn(&Hold) -> bool| self.held_by.iter().any(is);
        let held = if holds(|hold| matches!(hold, Hold::Limit(_))) {
            Some(Outcome::BlockedByLimits)
        } else if holds(|hold| matches!(hold, Hold::Balance)) {
            Some(Outcome::BlockedByBalance)
        } else {
            (!self.held_by.is_empty()).then_some(Outcome::BlockedByContact)
        };
        // If nothing holds the body back, it follows every pull as far as it can reach.
        Evidence { held, at_rest: self.converged, beyond_bones: true, limited: true, ..Evidence::default() }
    }
}

/// Returns the angle by which a frame may turn joints if a target moves by `moved` metres at human size.
fn frame_reach(moved: f64) -> f64 {
    FRAME_TURN * (moved / FRAME_MOVE).max(1.0)
}

impl EquilibriumSolver {
    pub(crate) fn reset(&mut self) {
        self.key = None;
        self.is_unfinished = false;
    }

    /// Returns whether the last frame of a drag had not yet converged, so that the same problem must be continued.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.is_unfinished
    }

    /// Returns whether the target of a goal is farther away than the bones of the body can reach.
    pub(crate) fn is_beyond_bones(&self, goal: usize) -> bool {
        self.problem.is_beyond_bones(goal)
    }

    /// Poses a body that is a figure. Returns `None` if [`Body::poses_as_figure`] is false.
    pub(crate) fn solve(
        &mut self,
        body: &mut Body,
        goals: &[Goal],
        options: &Options,
    ) -> Option<Equilibrium> {
        let figure = body.figure().filter(|_| body.poses_as_figure()).cloned()?;
        let continues = options.start == Start::Continue;
        let is_same = continues && self.key.as_mut().is_some_and(|key| key.fits(body, goals, options));
        let rests = is_same && self.key.as_ref().is_some_and(|key| key.goals == goals);
        let mut moved = 0.0;
        if is_same {
            moved = self.problem.move_targets(&figure, goals);
        } else {
            self.problem.set(body, &figure, goals, options);
            self.newton.reset();
            self.pose.copy_from(&self.problem.stance);
        }
        let mut ending = if is_same {
            let iterations = options.iterations.min(FRAME_ITERATIONS);
            let budget = Budget { iterations, reach: frame_reach(moved) };
            self.problem.pulls.iter_mut().for_each(|pull| pull.advance(1.0));
            self.bend_straight_limbs(false);
            let tolerance = if rests { REST } else { FRAME_REST };
            self.newton.solve(&mut self.problem, &mut self.pose, budget, tolerance)
        } else {
            self.walk(options.iterations, continues)
        };
        self.write(body);
        if body.has_uneven_scale() {
            ending.iterations +=
                self.follow_lengths(body, options.iterations.saturating_sub(ending.iterations));
        }
        self.is_unfinished = continues && !(rests && ending.converged);
        self.remember(body, goals, options);
        let mut held_by = Holds::default();
        for (kind, _) in self.newton.forces().filter(|(_, force)| force.abs() > HOLDING) {
            self.problem.hold(kind).into_iter().for_each(|hold| held_by.add(hold));
        }
        Some(Equilibrium { iterations: ending.iterations, converged: ending.converged, held_by })
    }

    /// Stores the problem for the next frame of a drag.
    fn remember(&mut self, body: &Body, goals: &[Goal], options: &Options) {
        if options.start != Start::Continue {
            self.key = None;
            return;
        }
        match &mut self.key {
            Some(key) => {
                key.solved.copy_from(body);
                key.goals.clear();
                key.goals.extend_from_slice(goals);
                key.options = *options;
            }
            none => {
                let (solved, moved) = (body.clone(), body.clone());
                *none = Some(Key { solved, moved, goals: goals.to_vec(), options: *options });
            }
        }
    }

    /// Moves the targets in strides from their positions in the stance to their final positions.
    fn walk(&mut self, most: usize, continues: bool) -> Ending {
        let strides = self.problem.pulls.iter().map(|pull| {
            let (metres, radians) = pull.distance();
            (metres / STRIDE).max(radians / TURN_STRIDE)
        });
        let strides = strides.chain(self.problem.yielding.iter().map(|foot| foot.distance() / STRIDE));
        let strides = strides.fold(0.0, f64::max);
        let mut ending = Ending { iterations: 0, converged: true };
        if strides == 0.0 {
            return ending;
        }
        self.bend_straight_limbs(true);
        // The first frame of a drag limits joint rotations like every other frame.
        let is_frame = continues && strides <= 1.0;
        let reach = if is_frame { frame_reach(strides * STRIDE) } else { f64::INFINITY };
        #[expect(clippy::cast_precision_loss, reason = "a budget needs no exact count")]
        let budget = (most as f64 * WAY).floor();
        let strides = strides.min(0.5 * budget).ceil().max(1.0);
        let mut done = 1.0;
        while done < strides {
            self.problem.pulls.iter_mut().for_each(|pull| pull.advance(done / strides));
            #[expect(clippy::cast_precision_loss, reason = "a budget needs no exact count")]
            let left = budget - ending.iterations as f64;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a small positive number"
            )]
            let fair = (2.0 * left / (strides - done)).max(1.0) as usize;
            let budget = Budget { iterations: fair.min(STRIDE_ITERATIONS), reach: f64::INFINITY };
            let stride = self.newton.solve(&mut self.problem, &mut self.pose, budget, WAY_REST);
            ending.iterations += stride.iterations;
            done += 1.0;
        }
        self.problem.pulls.iter_mut().for_each(|pull| pull.advance(1.0));
        let budget = Budget { iterations: most.saturating_sub(ending.iterations), reach };
        let last = self.newton.solve(&mut self.problem, &mut self.pose, budget, REST);
        Ending { iterations: ending.iterations + last.iterations, converged: last.converged }
    }

    /// Meets the goals of a body whose uneven scale makes lengths depend on the pose. Repeatedly solves for corrected targets. Each target
    /// is moved by the difference between the effector's true position and its position in the model, which assumes the lengths in the rest
    /// pose. Returns the number of iterations.
    fn follow_lengths(&mut self, body: &mut Body, most: usize) -> usize {
        let mut iterations = 0;
        for _ in 0..LENGTH_ROUNDS {
            let Self { problem, newton, pose, .. } = &mut *self;
            for pull in &mut problem.pulls {
                let PullKind::Position { offset, end, target, .. } = &mut pull.kind else { continue };
                let bare = *offset / problem.model.joints[pull.link].scale;
                let frame = problem.model.frame(pull.link);
                let Some(world) = body.world_from_link(LinkIndex(pull.link)) else { continue };
                let own = (frame * bare) * problem.model.joints[pull.link].signs[1];
                let now = problem.model.space.from_world.transform_point3(world.transform_point3(own));
                *target = *end + (newton.now.point(pull.link, *offset) - now);
            }
            let budget = Budget { iterations: most.saturating_sub(iterations), reach: f64::INFINITY };
            let ending = newton.solve(problem, pose, budget, FRAME_REST);
            iterations += ending.iterations;
            self.write(body);
        }
        iterations
    }

    /// Bends straight limbs that are pulled. Unless `is_first` is set, a limb is bent only if its end is pulled towards its root.
    fn bend_straight_limbs(&mut self, is_first: bool) {
        let Self { problem, newton, pose, .. } = self;
        newton.now.update(&problem.model, pose);
        let model = &problem.model;
        let at = |l: usize| newton.now.positions[l];
        for pull in &problem.pulls {
            let wanted = match pull.kind {
                PullKind::Position { offset, target, .. } => target - newton.now.point(pull.link, offset),
                _ => DVec3::ZERO,
            };
            let is_place = matches!(pull.kind, PullKind::Position { .. });
            let limb = |l: usize| model.up(l).find(|&l| model.joints[l].part.is_some());
            let mut next = limb(pull.link);
            while let Some((end, link)) = next.and_then(|end| Some((end, limb(model.joints[end].parent?)?))) {
                next = Some(link);
                let Some(above) = model.joints[link].parent.and_then(limb) else { break };
                let hinge = problem.stance_now.straight(model, &problem.stance, [above, link, end]);
                let Some((straight, side)) = hinge else { continue };
                let is_pushed = wanted.dot(at(end) - at(above)) < -PUSHED;
                let [low, high] = model.joints[link].range;
                let bent = side * (pose.angles[link] - straight);
                let stance = -side * straight;
                let most = STRAIGHT - 1.5 * stance.min(0.0);
                if !(-OVERSTRETCHED..-0.5 * STRAIGHT).contains(&stance) {
                    if (is_first || is_pushed) && bent.abs() < STRAIGHT {
                        pose.set_angle(model, link, (straight + side * STRAIGHT).clamp(low, high));
                    }
                } else if is_pushed && bent < STRAIGHT {
                    pose.set_angle(model, link, (straight + side * most).clamp(low, high));
                } else if is_place && !is_pushed && (0.0..most).contains(&bent) {
                    pose.set_angle(model, link, 0.0);
                }
            }
        }
        let sinks = problem.pulls.iter().any(|pull| match pull.kind {
            PullKind::Position { offset, target, .. } => {
                target.y < newton.now.point(pull.link, offset).y - LOWERED
            }
            _ => false,
        });
        if is_first || sinks {
            self.lower_straight_legs();
        }
    }

    /// Lowers the hips a little if a leg on the floor is straight, because a straight leg would not bend.
    fn lower_straight_legs(&mut self) {
        let Self { problem, newton, pose, .. } = self;
        let model = &problem.model;
        let is_straight = |contact: &foot::Contact| {
            let foot = &problem.feet[contact.foot];
            let Some([hip, knee]) = foot.leg.filter(|_| contact.keeps()) else { return false };
            let straight = newton.now.straight(model, pose, [hip, knee, foot.link]);
            straight.is_some_and(|(straight, _)| (pose.angles[knee] - straight).abs() < 0.5 * STRAIGHT)
        };
        if problem.contacts.iter().any(is_straight) {
            pose.hips.y -= LOWERED;
        }
    }

    /// Writes the pose into a body. Links that did not turn keep exactly the rotation of the stance.
    fn write(&self, body: &mut Body) {
        let Self { problem: Problem { model, stance, .. }, pose, .. } = self;
        if pose.hips != stance.hips {
            let hips =
                body.base_from_world().transform_point3(model.space.to_world.transform_point3(pose.hips));
            let offset = body.links()[0].offset;
            body.set_root(hips - offset);
        } else if let Some(root) = body.stance().map(|s| s.root) {
            body.set_root(root);
        }
        for link in 0..model.joints.len() {
            if pose.turns[link] != stance.turns[link] {
                body.set_rotation(LinkIndex(link), model.local(link, pose.turns[link]));
            } else if let Some(rotation) = body.stance().map(|s| s.rotations[link]) {
                body.set_rotation(LinkIndex(link), rotation);
            }
        }
    }
}

impl Key {
    /// Returns whether a new problem differs only in the targets of its goals, and the body is in the pose of the last result.
    fn fits(&mut self, body: &Body, goals: &[Goal], options: &Options) -> bool {
        self.options == *options
            && self.goals.len() == goals.len()
            && self.goals.iter().zip(goals).all(|(a, b)| a.moved_as(b))
            && self.solved.is_nearly_at_its_place(body, &mut self.moved)
    }
}

impl Goal {
    /// Returns whether two goals are equal except for their targets.
    fn moved_as(&self, other: &Self) -> bool {
        let bare = |goal: &Self| Self {
            position: goal.position.map(|_| DVec3::ZERO),
            orientation: goal.orientation.filter(|_| !goal.axes.is_world()),
            aim: goal.aim.map(|aim| super::Aim { at: DVec3::ZERO, ..aim }),
            pole: goal.pole.map(|_| DVec3::ZERO),
            ..*goal
        };
        self.orientation.is_some() == other.orientation.is_some() && bare(self) == bare(other)
    }
}
