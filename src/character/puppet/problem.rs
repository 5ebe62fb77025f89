//! IK problems: grouping targets that are solved together, selecting their base, and building goals for a solver.

use glam::{DVec3, Vec3};

use crate::asset::{Character, Skeleton};
use crate::ik::{Aim, Body, BoundPrior, Goal, GoalOutcome, Method, Options, SolveError};
use crate::pose::{Pose, orientation, rest_orientation};
use crate::rig::{Binding, LimbKind, Rig, RigError, body_ends, default_base, topmost_joint};

use super::bindings::{BindError, Bindings, Subject, facing};
use super::{CharacterPrior, GoalKind, Pin, PinnedNode, PuppetError, Target};

/// The targets and pins of a puppet, and the options for solving them.
#[derive(Clone, Copy)]
pub(super) struct Demand<'a> {
    /// The kind of the targets in reports.
    pub(super) kind: GoalKind,
    pub(super) targets: &'a [Target],
    pub(super) pins: &'a [Pin],
    /// Nodes that are pinned at their positions in the motion.
    pub(super) pinned: &'a [usize],
    /// Nodes of contacts that give way to other parts of the body.
    pub(super) yielding: &'a [usize],
    /// Nodes of contacts that pull the body along.
    pub(super) pulling: &'a [usize],
    pub(super) options: Options,
    /// Whether the whole body may follow the targets, if the rig has one.
    pub(super) whole_body: bool,
}

impl Demand<'_> {
    fn has_pins(&self) -> bool {
        !(self.pins.is_empty() && self.pinned.is_empty())
    }

    /// Returns whether all targets are solved together.
    fn is_one_group(&self) -> bool {
        self.has_pins() || self.options.method.is_whole_body()
    }

    /// Returns the hips of the body if it follows the targets as a whole. [`Method::Auto`] moves the whole body if any target is a position
    /// or a look-at goal. No method moves the whole body if a target has a base, or if a node is not a descendant of the hips.
    pub(super) fn hips(&self, character: &Character, rig: &Rig) -> Option<usize> {
        let Self { options, targets, .. } = self;
        let hips = rig.body.as_ref().filter(|_| self.whole_body && !targets.is_empty())?.hips;
        let moves = match options.method {
            Method::FullBody => true,
            Method::Auto => targets.iter().any(|target| target.position.is_some() || target.look.is_some()),
            _ => false,
        };
        let above = |node: usize| std::iter::successors(Some(node), |&n| rig.above(&character.skeleton, n));
        let count = character.skeleton.nodes.len();
        let is_below = |node: usize| above(node).take(count).any(|n| n == hips);
        let nodes = targets.iter().map(|t| t.node).chain(self.pins.iter().map(|p| p.node));
        let mut nodes = nodes.chain(self.pinned.iter().copied());
        let fits = moves && targets.iter().all(|t| t.base.is_none()) && nodes.all(is_below);
        fits.then_some(hips)
    }
}

/// Targets with a common base, which are solved together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Group {
    pub(super) base: usize,
    /// Whether the base may move.
    pub(super) root_motion: bool,
    /// Whether the base is the hips of a body that is posed as a whole.
    pub(super) whole_body: bool,
}

/// The targets, divided into groups.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    groups: Vec<Group>,
    /// The group of each target.
    group_of: Vec<usize>,
}

impl Groups {
    /// Groups targets by their bases, in the order in which the bases first occur. All targets are one group if a node is pinned, or if the
    /// method poses the whole body.
    pub(super) fn set(&mut self, character: &Character, rig: &Rig, demand: &Demand<'_>) {
        self.groups.clear();
        self.group_of.clear();
        if let Some(base) = demand.hips(character, rig) {
            self.groups.push(Group { base, root_motion: true, whole_body: true });
            self.group_of.resize(demand.targets.len(), 0);
            return;
        }
        if demand.is_one_group() {
            // The group uses the base of the first target that specifies a base, and other bases are pinned. If no target specifies a base,
            // the base may move, so it must be the topmost joint.
            let given = demand.targets.iter().find_map(|t| t.base);
            let first =
                demand.targets.first().map(|t| t.node).or_else(|| demand.pins.first().map(|p| p.node));
            let base = given.or_else(|| first.map(|n| topmost_joint(character, n)));
            let root_motion = given.is_none();
            self.groups.extend(base.map(|base| Group { base, root_motion, whole_body: false }));
            self.group_of.resize(demand.targets.len(), 0);
            return;
        }
        for target in demand.targets {
            let base = base(character, rig, target);
            let group = Group { base, root_motion: false, whole_body: false };
            let known = self.groups.iter().position(|g| *g == group);
            self.group_of.push(known.unwrap_or(self.groups.len()));
            if known.is_none() {
                self.groups.push(group);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<Group> {
        self.groups.get(index).copied()
    }

    /// Returns the targets of a group in their original order.
    pub(super) fn targets<'a>(
        &'a self,
        index: usize,
        targets: &'a [Target],
    ) -> impl Iterator<Item = &'a Target> + Clone {
        targets.iter().zip(&self.group_of).filter(move |(_, group)| **group == index).map(|(t, _)| t)
    }
}

/// Returns the node that stays fixed when a target is solved.
pub(super) fn base(character: &Character, rig: &Rig, target: &Target) -> usize {
    let chain = rig.chain(target.node).map(|c| c.base);
    let default = match (target.position, target.look) {
        (Some(_), _) => chain.unwrap_or_else(|| default_base(character, target.node)),
        (None, Some(_)) => chain.unwrap_or(target.node),
        // For an orientation alone, the node's own joint suffices.
        (None, None) => target.node,
    };
    target.base.unwrap_or(default)
}

/// The problem of one group.
#[derive(Clone, Debug, Default)]
pub(super) struct Problem {
    /// The nodes of the targets, then the pinned nodes.
    effectors: Vec<usize>,
    /// The pinned nodes that can move.
    pinned: Vec<usize>,
    /// Whether the base is pinned. The base stays in place even if it is not pinned.
    is_base_pinned: bool,
    /// The effectors and all other nodes of the binding that a style needs.
    pub(super) bound_nodes: Vec<usize>,
    /// The index of the binding.
    pub(super) binding: usize,
    /// The goals of the targets, then of the pins.
    pub(super) goals: Vec<Goal>,
    /// The pins, with their positions and orientations: `pinned`, and then the base if it is pinned.
    pub(super) pins: Vec<PinnedNode>,
    /// The style for [`Method::Style`], if the style includes one of the joints.
    pub(super) style: Option<BoundPrior>,
}

impl Problem {
    /// Builds the problem of a group, with the body in the subject's pose.
    pub(super) fn set(
        &mut self,
        subject: &Subject<'_>,
        demand: &Demand<'_>,
        groups: &Groups,
        index: usize,
        bindings: &mut Bindings,
    ) -> Result<(), PuppetError> {
        let Some(group) = groups.get(index) else { return Ok(()) };
        let Group { base, root_motion, whole_body } = group;
        let targets = groups.targets(index, demand.targets);
        let (skeleton, method) = (&subject.character.skeleton, demand.options.method);
        skeleton.check_nodes(targets.clone().map(|target| target.node)).map_err(RigError::from)?;
        check_base(skeleton, targets.clone(), base, root_motion, method)?;
        self.pin(demand, targets.clone(), group);
        bindings.refresh(subject)?;
        // A style poses all joints that it includes.
        let nodes_of_style = match subject.style.filter(|_| method == Method::Style) {
            Some(style) => nodes_of_prior(skeleton, style),
            None => Vec::new(),
        };
        let logical = bindings.logical_pose(subject);
        let is_below = |n: &usize| logical.skeleton.ancestors(*n).any(|above| above == base);
        self.bound_nodes.clone_from(&self.effectors);
        self.bound_nodes.extend(nodes_of_style.iter().map(|(n, _)| *n).filter(is_below));
        if let Some(plan) = subject.rig.body.as_ref().filter(|_| whole_body) {
            self.bound_nodes.extend(body_ends(plan).filter(is_below));
        }
        self.binding =
            bindings.bind(subject, base, whole_body, &self.bound_nodes).map_err(|error| match error {
                BindError::Rig(error) => error.into(),
                BindError::Solve(error) => self.solve_error(skeleton, error),
            })?;
        let pose = bindings.logical_pose(subject);
        let (logical, pose) = (pose.skeleton, pose.pose);
        let Some(bound) = bindings.get(self.binding) else { return Ok(()) };
        self.goals.clear();
        self.goals.extend(targets.filter_map(|t| goal(subject, t, &bound.binding, pose)));
        self.pins.clear();
        self.pins.extend(self.pinned.iter().chain(self.is_base_pinned.then_some(&base)).map(|&node| {
            let given = demand.pins.iter().find(|p| p.node == node).and_then(|p| p.target);
            let (position, orientation) = given.unwrap_or_else(|| {
                let position = Vec3::from(subject.world_from_node[node].translation).as_dvec3();
                (position, orientation(logical, pose, node))
            });
            PinnedNode { node, position, orientation }
        }));
        self.goals.extend(self.pins.iter().take(self.pinned.len()).filter_map(|pin| {
            let (link, offset) = bound.binding.link(pin.node, pose)?;
            Some(Goal::pin(link, pin.position, pin.orientation).with_offset(offset))
        }));
        if whole_body && demand.kind == GoalKind::Contact {
            // Only goals pull the body along. The motion defines which feet stand, and its hand positions are relative to the shoulders.
            let limbs = subject.rig.limbs();
            let is_free = |node: usize| {
                limbs.iter().any(|limb| limb.kind != LimbKind::Leg && limb.joints.contains(&node))
            };
            let contacts = self.goals.iter_mut().zip(groups.targets(index, demand.targets));
            for (goal, target) in contacts.filter(|(_, target)| !demand.pulling.contains(&target.node)) {
                goal.pinned = true;
                goal.yields = demand.yielding.contains(&target.node);
                if is_free(target.node) {
                    goal.weight = 0.0;
                }
            }
        }
        self.style = subject.style.filter(|_| !nodes_of_style.is_empty()).map(|style| {
            let joint = |node| nodes_of_style.iter().find(|(n, _)| Some(*n) == node).map(|(_, joint)| *joint);
            BoundPrior { prior: style.prior.clone(), joints: bound.binding.nodes().map(joint).collect() }
        });
        Ok(())
    }

    /// Returns the pins that were solved for, each with its result. `goals` contains the results of all goals.
    pub(super) fn pinned_goals<'a>(
        &'a self,
        goals: &'a [GoalOutcome],
    ) -> impl Iterator<Item = (&'a PinnedNode, &'a GoalOutcome)> {
        let targets = self.goals.len().saturating_sub(self.pinned.len());
        self.pins.iter().zip(goals.iter().skip(targets)).take(self.pinned.len())
    }

    /// Returns the base if it is pinned. It needs no goal, because it cannot move.
    pub(super) fn pinned_base(&self) -> Option<&PinnedNode> {
        self.pins.last().filter(|_| self.is_base_pinned)
    }

    /// Collects the pinned nodes and the effectors.
    fn pin<'a>(
        &mut self,
        demand: &Demand<'_>,
        targets: impl Iterator<Item = &'a Target> + Clone,
        Group { base, root_motion, whole_body }: Group,
    ) {
        self.pinned.clear();
        self.pinned.extend(demand.pins.iter().map(|p| p.node).chain(demand.pinned.iter().copied()));
        self.is_base_pinned = !root_motion && self.pinned.contains(&base);
        if demand.is_one_group() || whole_body {
            self.pinned.extend(targets.clone().filter_map(|t| t.base));
        }
        self.pinned.sort_unstable();
        self.pinned.dedup();
        self.pinned.retain(|&p| p != base || root_motion);
        self.effectors.clear();
        self.effectors.extend(targets.map(|t| t.node).chain(self.pinned.iter().copied()));
    }

    /// Returns the error that a solver would return for the problem, without solving it.
    pub(super) fn refusal(&self, skeleton: &Skeleton, body: &Body, options: &Options) -> Option<PuppetError> {
        // With a style, the full-body method solves for the goals.
        let method = match options.method {
            Method::Style if self.style.is_some() => Method::FullBody,
            method => method,
        };
        let error = options.with_method(method).refusal(body, &self.goals)?;
        Some(self.solve_error(skeleton, error))
    }

    /// Converts a solver's error to an error with the name of the first effector.
    pub(super) fn solve_error(&self, skeleton: &Skeleton, source: SolveError) -> PuppetError {
        let effector = self.effectors.first().map_or_else(String::new, |&n| skeleton.label(n));
        PuppetError::Solve { effector, source }
    }
}

/// Returns whether a target is a position of the base's own joint, which only root motion can change.
fn moves_base(target: &Target, base: usize) -> bool {
    target.node == base && target.position.is_some() && target.offset == DVec3::ZERO
}

/// Checks that targets of the base itself can be met.
fn check_base<'a>(
    skeleton: &Skeleton,
    mut targets: impl Iterator<Item = &'a Target>,
    base: usize,
    root_motion: bool,
    method: Method,
) -> Result<(), PuppetError> {
    if !root_motion {
        return match targets.find(|t| moves_base(t, base)) {
            Some(target) => Err(RigError::NoJoints { effector: skeleton.label(target.node) }.into()),
            None => Ok(()),
        };
    }
    if method == Method::Auto || method.is_whole_body() {
        return Ok(());
    }
    let needs_root = |t: &&Target| {
        moves_base(t, base) || (t.node == base && t.position.is_some() && t.orientation.is_some())
    };
    match targets.find(needs_root) {
        Some(target) => Err(PuppetError::Root { effector: skeleton.label(target.node), method }),
        None => Ok(()),
    }
}

/// Returns the nodes that share a name with a joint of a prior, each with the index of that joint.
fn nodes_of_prior(skeleton: &Skeleton, style: &CharacterPrior) -> Vec<(usize, usize)> {
    let joints = style.joints.iter().enumerate();
    joints.filter_map(|(joint, name)| Some((skeleton.find(name)?, joint))).collect()
}

/// Returns the goal of a solver for a target.
fn goal(subject: &Subject<'_>, target: &Target, binding: &Binding, pose: &Pose) -> Option<Goal> {
    let (link, offset) = binding.link(target.node, pose)?;
    let chain = subject.rig.chain(target.node);
    let aim = target.look.map(|at| {
        let forward = facing(subject.character) * DVec3::Z;
        let rest = rest_orientation(&subject.character.skeleton, target.node);
        Aim { axis: rest.conjugate() * forward, at }
    });
    let pole = target.pole.or_else(|| chain?.pole.map(Vec3::as_dvec3));
    let goal = Goal::position(link, DVec3::ZERO)
        .with_position(target.position)
        .with_orientation(target.orientation)
        .with_aim(aim)
        .with_pole(pole)
        .with_offset(offset + target.offset)
        .with_axes(target.axes)
        .with_weight(target.weight * chain.map_or(1.0, |c| c.weight))
        .with_touches(target.touches);
    Some(goal)
}
