//! Solves for the targets of a puppet, group by group.

use glam::Affine3A;

use crate::asset::Character;
use crate::ik::{GoalOutcome, Holds, LinkIndex, Method, Solver};
use crate::platform::Instant;
use crate::pose::Pose;
use crate::rig::{Binding, Rig};

use super::bindings::{Bindings, Subject};
use super::problem::{Demand, Groups, Problem, base};
use super::trace::SolveTrace;
use super::{CharacterPrior, GoalKind, GoalReport, Pin, Puppet, PuppetError, Target, fits};

/// The IK bindings and the buffers of a puppet.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    pub(super) bindings: Bindings,
    pub(super) groups: Groups,
    problem: Problem,
    /// For each node, whether its joint was at its limit after it was last solved in this frame.
    is_limited: Vec<bool>,
    /// The traces of this frame's solves.
    pub(super) traces: Vec<SolveTrace>,
}

/// A character, with the pose that a solve changes.
pub(super) struct Posable<'a> {
    pub(super) character: &'a Character,
    pub(super) rig: &'a Rig,
    pub(super) style: Option<&'a CharacterPrior>,
    pub(super) stance: Option<&'a Pose>,
    pub(super) pose: &'a mut Pose,
    /// The world matrices of the pose.
    pub(super) world_from_node: &'a mut [Affine3A],
}

impl Posable<'_> {
    pub(super) fn subject(&self) -> Subject<'_> {
        let Self { character, rig, style, stance, ref pose, ref world_from_node } = *self;
        Subject { character, rig, style, pose, world_from_node, stance }
    }
}

impl Workspace {
    /// Begins a frame of a character with the given number of nodes.
    pub(super) fn begin_frame(&mut self, nodes: usize) {
        self.bindings.begin_frame();
        self.traces.clear();
        self.is_limited.clear();
        self.is_limited.resize(nodes, false);
    }

    /// Returns the nodes at their limits, sorted.
    pub(super) fn limited(&self) -> impl Iterator<Item = usize> + '_ {
        self.is_limited.iter().enumerate().filter(|(_, limited)| **limited).map(|(node, _)| node)
    }

    /// Returns whether the figure solver would pose the whole body for the targets.
    pub(super) fn poses_figure(&mut self, posable: &Posable<'_>, demand: &Demand<'_>) -> bool {
        let Self { bindings, groups, problem, .. } = self;
        groups.set(posable.character, posable.rig, demand);
        groups.get(0).is_some_and(|group| group.whole_body)
            && problem.set(&posable.subject(), demand, groups, 0, bindings).is_ok()
            && bindings.get(problem.binding).is_some_and(|bound| bound.body.poses_as_figure())
    }

    /// Solves one group of targets. It updates the pose and its world matrices, and adds a report for each target and
    /// each pin. If there is an error, nothing changes.
    pub(super) fn solve_group(
        &mut self,
        solver: &mut Solver,
        posable: &mut Posable<'_>,
        demand: &Demand<'_>,
        index: usize,
        reports: &mut Vec<GoalReport>,
    ) -> Result<(), PuppetError> {
        let started = Instant::now();
        let Self { bindings, groups, problem, is_limited, traces } = self;
        let skeleton = &posable.character.skeleton;
        problem.set(&posable.subject(), demand, groups, index, bindings)?;
        let (Some(group), Some(bound)) = (groups.get(index), bindings.get_mut(problem.binding)) else {
            return Ok(());
        };
        let options = demand.options.with_root_motion(group.root_motion);
        solver.set_style(problem.style.take());
        if let Err(source) = solver.solve(&mut bound.body, &problem.goals, &options) {
            return Err(problem.solve_error(skeleton, source));
        }
        bindings.write_back(problem.binding, skeleton, posable.pose, posable.world_from_node);
        let seconds = started.elapsed().as_secs_f64();
        let report = solver.report();
        if let Some(bound) = bindings.get(problem.binding) {
            note_limits(is_limited, &bound.binding, &report.limited);
            if options.trace {
                traces.push(SolveTrace {
                    solve: index,
                    method: report.method,
                    targets: groups.targets(index, demand.targets).copied().collect(),
                    steps: SolveTrace::node_steps(bound, &report.trace),
                    base: group.base,
                    whole_body: group.whole_body,
                    bound_nodes: problem.bound_nodes.clone(),
                });
            }
        }
        let node = |link: LinkIndex| bindings.get(problem.binding)?.binding.node(link);
        let mut held_by = Holds::default();
        report.held_by.iter().filter_map(|hold| hold.mapped(node)).for_each(|hold| held_by.add(hold));
        let common = GoalReport {
            solve: index,
            method: report.method,
            iterations: report.iterations,
            held_by,
            seconds,
            ..GoalReport::new(demand.kind, group.base)
        };
        // Position errors are measured in the returned pose, which has single precision.
        let targets = groups.targets(index, demand.targets);
        let measured = |target: &Target, goal: &GoalOutcome| {
            let (position_error, full_position_error) = posable.position_errors(target);
            GoalReport {
                node: target.node,
                outcome: goal.outcome,
                position_error,
                orientation_error: goal.orientation_error,
                full_position_error,
                full_orientation_error: goal.full_orientation_error,
                ..common.clone()
            }
        };
        reports.extend(targets.zip(&report.goals).map(|(target, goal)| measured(target, goal)));
        let pins = problem.pinned_goals(&report.goals);
        reports.extend(
            pins.map(|(pin, goal)| GoalReport { kind: GoalKind::Pin, ..measured(&pin.target(), goal) }),
        );
        if let Some(pin) = problem.pinned_base() {
            let mut report = GoalReport { kind: GoalKind::Pin, ..common };
            let length = demand.targets.first().map_or(0.0, |t| posable.chain_length(t));
            posable.measure(&mut report, &pin.target(), &options, length);
            reports.push(report);
        }
        Ok(())
    }
}

/// Records which joints of a solved binding are at their limits.
fn note_limits(is_limited: &mut [bool], binding: &Binding, limited: &[LinkIndex]) {
    let mut note = |node: Option<usize>, limited| {
        if let Some(own) = node.and_then(|n| is_limited.get_mut(n)) {
            *own = limited;
        }
    };
    binding.nodes().for_each(|node| note(node, false));
    limited.iter().for_each(|&link| note(binding.node(link), true));
}

impl Puppet {
    /// Solves all groups, each starting in the pose that results from the previous one.
    pub(super) fn solve(&mut self) -> Result<(), PuppetError> {
        let before = self.options.shown_steps.map(|_| self.pose.clone());
        self.solve_targets()?;
        before.map_or(Ok(()), |before| self.show_steps(&before))
    }

    fn solve_targets(&mut self) -> Result<(), PuppetError> {
        let demand = Demand {
            kind: GoalKind::Goal,
            targets: &self.targets,
            pins: &self.pins,
            pinned: &self.rig.pins,
            yielding: &[],
            pulling: &[],
            options: self.solve_options(),
            whole_body: true,
        };
        let mut posable = Posable {
            character: &self.character,
            rig: &self.rig,
            style: self.style.as_ref(),
            stance: self.stance.as_ref().filter(|stance| fits(&self.character, stance)),
            pose: &mut self.pose,
            world_from_node: &mut self.world_from_node,
        };
        self.workspace.groups.set(&self.character, &self.rig, &demand);
        (0..self.workspace.groups.len()).try_for_each(|index| {
            self.workspace.solve_group(&mut self.solver, &mut posable, &demand, index, &mut self.reports)
        })
    }

    /// Returns the reason why a method cannot solve some targets with some pins, or `None` if it can. This function
    /// does not solve anything.
    ///
    /// ```
    /// use sinew_character::glam::DVec3;
    /// use sinew_character::ik::Method;
    /// use sinew_character::{asset, puppet::{Puppet, Target}};
    ///
    /// let puppet = Puppet::new(asset::mannequin()?, 0);
    /// let hand = puppet.character().skeleton.find("leftHand").ok_or("no hand")?;
    /// let targets = [Target::new(hand).with_position(DVec3::new(0.3, 1.4, 0.4))];
    /// assert!(puppet.refusal(&targets, &[], Method::Ccd).is_none());
    /// // This method needs a style that was learned from poses.
    /// assert!(puppet.refusal(&targets, &[], Method::Style).is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refusal(&self, targets: &[Target], pins: &[Pin], method: Method) -> Option<PuppetError> {
        let options = self.options.solver.with_method(method);
        let demand = Demand {
            kind: GoalKind::Goal,
            targets,
            pins,
            pinned: &self.rig.pins,
            yielding: &[],
            pulling: &[],
            options,
            whole_body: true,
        };
        let subject = Subject {
            character: &self.character,
            rig: &self.rig,
            style: self.style.as_ref(),
            pose: &self.pose,
            world_from_node: &self.world_from_node,
            stance: self.stance.as_ref().filter(|stance| fits(&self.character, stance)),
        };
        let Workspace { mut bindings, mut groups, mut problem, .. } = Workspace::default();
        groups.set(&self.character, &self.rig, &demand);
        (0..groups.len()).find_map(|index| {
            if let Err(error) = problem.set(&subject, &demand, &groups, index, &mut bindings) {
                return Some(error);
            }
            let root_motion = groups.get(index).is_some_and(|g| g.root_motion);
            let body = &bindings.get(problem.binding)?.body;
            problem.refusal(&self.character.skeleton, body, &options.with_root_motion(root_motion))
        })
    }

    /// Returns whether the whole body follows a position target of a node, with the current method.
    pub fn moves_whole_body(&self, node: usize) -> bool {
        let target = Target { position: Some(glam::DVec3::ZERO), ..Target::new(node) };
        let demand = Demand {
            kind: GoalKind::Goal,
            targets: &[target],
            pins: &self.pins,
            pinned: &self.rig.pins,
            yielding: &[],
            pulling: &[],
            options: self.options.solver,
            whole_body: true,
        };
        demand.hips(&self.character, &self.rig).is_some()
    }

    /// Returns the node that stays fixed when a target is solved.
    pub fn base(&self, target: &Target) -> usize {
        base(&self.character, &self.rig, target)
    }
}
