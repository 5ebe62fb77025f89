//! From targets to what a solver is asked: which are solved together, from which base, and which joints are lent for it.

use glam::{DVec3, Vec3};

use crate::ik::{Aim, Body, Goal, Method, Options, SolveError, Styled};
use crate::pose::Pose;
use crate::rig::{self, Carried, Lease, RigError, default_base};

use super::{Pin, Puppet, PuppetError, Target};

/// Targets of one base, solved together.
pub(super) struct Group {
    pub(super) base: usize,
    pub(super) targets: Vec<Target>,
    /// Whether the base may move.
    pub(super) root_motion: bool,
}

/// A group as the solver is asked.
pub(super) struct Question {
    /// The targets' nodes, then what is pinned.
    pub(super) effectors: Vec<usize>,
    pub(super) lease: Lease,
    /// The joints as the rig hangs them, where that is not as the file does.
    pub(super) carried: Option<Carried>,
    pub(super) body: Body,
    pub(super) goals: Vec<Goal>,
    /// Of [`Method::Style`], where the puppet's style knows one of the joints.
    pub(super) style: Option<Styled>,
}

/// Whether a target asks its own base to be elsewhere: only a point beside the joint can move by turning it.
fn is_stuck(target: &Target, base: usize) -> bool {
    target.node == base && target.position.is_some() && target.offset == DVec3::ZERO
}

impl Puppet {
    /// Why a method could not treat some targets and pins, said without solving; `None`: it can.
    pub fn refusal(&self, targets: &[Target], pins: &[Pin], method: Method) -> Option<PuppetError> {
        let refuses = |group: &Group| {
            let question = match self.question(group, pins, method) {
                Ok(question) => question,
                Err(error) => return Some(error),
            };
            // The pose of a style is taken on by full-body.
            let method = match method {
                Method::Style if question.style.is_some() => Method::FullBody,
                method => method,
            };
            let options = Options { method, root_motion: group.root_motion, ..self.options };
            let refused = options.refusal(&question.body, &question.goals)?;
            Some(self.refused(&question.effectors, refused))
        };
        self.groups(targets, pins, method).iter().find_map(refuses)
    }

    /// Targets of one base together, bases in the order in which they are first named. Where something is pinned, and
    /// for the full body, all at once.
    pub(super) fn groups(&self, targets: &[Target], pins: &[Pin], method: Method) -> Vec<Group> {
        if !(pins.is_empty() && self.rig.pins.is_empty()) || method.is_whole_body() {
            // The first base holds the whole; further ones are pins.
            let given = targets.iter().find_map(|t| t.base);
            let first = targets.first().map(|t| t.node).or_else(|| pins.first().map(|p| p.node));
            let base = given.or_else(|| first.map(|n| default_base(&self.character, n)));
            let all = |base| Group { base, targets: targets.to_vec(), root_motion: given.is_none() };
            return base.map(all).into_iter().collect();
        }
        let mut groups: Vec<Group> = Vec::new();
        for target in targets {
            let base = self.base(target);
            match groups.iter_mut().find(|g| g.base == base) {
                Some(group) => group.targets.push(*target),
                None => groups.push(Group { base, targets: vec![*target], root_motion: false }),
            }
        }
        groups
    }

    /// The node that a target holds still.
    pub fn base(&self, target: &Target) -> usize {
        let chain = self.rig.chain(target.node).map(|c| c.base);
        let usual = match (target.position, target.look) {
            (Some(_), _) => chain.unwrap_or_else(|| default_base(&self.character, target.node)),
            (None, Some(_)) => chain.unwrap_or(target.node),
            // Its own joint alone can take any orientation.
            (None, None) => target.node,
        };
        target.base.unwrap_or(usual)
    }

    /// Lends the joints of a group to the solver.
    pub(super) fn question(
        &self,
        group: &Group,
        pins: &[Pin],
        method: Method,
    ) -> Result<Question, PuppetError> {
        let Group { base, ref targets, root_motion } = *group;
        let skeleton = &self.character.skeleton;
        if let Some(stuck) = targets.iter().find(|t| is_stuck(t, base) && !root_motion) {
            return Err(RigError::NoJoints { effector: skeleton.label(stuck.node) }.into());
        }
        let still = root_motion && !(method == Method::Auto || method.is_whole_body());
        let is_moved = |t: &&Target| {
            is_stuck(t, base) || (t.node == base && t.position.is_some() && t.orientation.is_some())
        };
        if let Some(moved) = targets.iter().find(is_moved).filter(|_| still) {
            return Err(PuppetError::Root { effector: skeleton.label(moved.node), method });
        }
        let all_at_once = !(pins.is_empty() && self.rig.pins.is_empty());
        let own = pins.iter().map(|p| p.node);
        let mut pinned: Vec<usize> = own.chain(self.rig.pins.iter().copied()).collect();
        if all_at_once || method.is_whole_body() {
            pinned.extend(targets.iter().filter_map(|t| t.base));
        }
        pinned.sort_unstable();
        pinned.dedup();
        pinned.retain(|&p| p != base || root_motion);
        let effectors: Vec<usize> = targets.iter().map(|t| t.node).chain(pinned.iter().copied()).collect();
        let carried = Carried::new(skeleton, &self.rig, &self.pose, &self.world_from_node)?;
        // What is solved: the character as it is, or hung as its rig says.
        let (hung, pose, world) = match &carried {
            Some(c) => (&c.skeleton, &c.pose, &c.world_from_node),
            None => (skeleton, &self.pose, &self.world_from_node),
        };
        // A style poses all that it knows, whatever is reached for.
        let styled = if method == Method::Style { self.styled_nodes() } else { Vec::new() };
        let below = |n: &usize| hung.ancestors(*n).any(|above| above == base);
        let lent: Vec<usize> =
            effectors.iter().copied().chain(styled.iter().map(|(n, _)| *n).filter(below)).collect();
        let lease = Lease::new(hung, &self.character.skins, &self.rig, base, &lent)?;
        let body = lease.body(hung, pose, world).map_err(|source| self.refused(&effectors, source))?;
        let pin = |&node: &usize| {
            let (link, offset) = lease.link(node, pose)?;
            let given = pins.iter().find(|p| p.node == node).and_then(|p| p.place);
            let (place, turned) = given.unwrap_or_else(|| {
                let place = Vec3::from(self.world_from_node[node].translation).as_dvec3();
                (place, rig::orientation(hung, pose, node))
            });
            Some(Goal { offset, ..Goal::pin(link, place, turned) })
        };
        let goals = targets
            .iter()
            .filter_map(|t| self.goal(t, &lease, pose))
            .chain(pinned.iter().filter_map(pin))
            .collect();
        let style = self.style.as_ref().filter(|_| !styled.is_empty()).map(|style| {
            let joint = |node| styled.iter().find(|(n, _)| Some(*n) == node).map(|(_, joint)| *joint);
            Styled { teaching: style.teaching.clone(), joints: lease.nodes().map(joint).collect() }
        });
        Ok(Question { effectors, lease, carried, body, goals, style })
    }

    /// The nodes that the style knows by their names, and which of its joints they are.
    fn styled_nodes(&self) -> Vec<(usize, usize)> {
        let joints = self.style.iter().flat_map(|s| s.joints.iter().enumerate());
        let skeleton = &self.character.skeleton;
        joints.filter_map(|(joint, name)| Some((skeleton.find(name)?, joint))).collect()
    }

    pub(super) fn refused(&self, effectors: &[usize], source: SolveError) -> PuppetError {
        let effector = effectors.first().map_or_else(String::new, |&n| self.character.skeleton.label(n));
        PuppetError::Solve { effector, source }
    }

    /// A target as the solver's goal.
    fn goal(&self, target: &Target, lease: &Lease, pose: &Pose) -> Option<Goal> {
        let (link, offset) = lease.link(target.node, pose)?;
        let chain = self.rig.chain(target.node);
        let look = target.look.map(|at| {
            let forward = match &self.character.humanoid {
                Some(humanoid) if humanoid.vrm == 0 => DVec3::NEG_Z,
                _ => DVec3::Z,
            };
            let skeleton = &self.character.skeleton;
            let rest = rig::orientation(skeleton, &Pose::rest(skeleton), target.node);
            Aim { axis: rest.conjugate() * forward, at }
        });
        Some(Goal {
            link,
            position: target.position,
            orientation: target.orientation,
            aim: look,
            pole: target.pole.or_else(|| chain?.pole.map(Vec3::as_dvec3)),
            offset: offset + target.offset,
            weight: target.weight * chain.map_or(1.0, |c| c.weight),
            pinned: false,
        })
    }
}
