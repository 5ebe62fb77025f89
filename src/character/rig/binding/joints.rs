//! Prismatic joints and mimic joints of a binding.

use glam::DQuat;

use crate::asset::Skeleton;
use crate::ik::shared::narrow;
use crate::ik::{Body, Limit, LinkIndex, Mimic};
use crate::pose::Pose;
use crate::rig::{MimicRig, Rig, Slide};

use super::Binding;

/// A mimic joint that no link represents. It moves no effector, but follows a joint that moves one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Follower {
    node: usize,
    /// The leader's link.
    leader: LinkIndex,
    ratio: f64,
    offset: f64,
    motion: FollowerMotion,
}

/// How the node of a follower moves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FollowerMotion {
    /// A hinge, with its axis.
    Turn { rest: DQuat, axis: glam::DVec3 },
    /// A prismatic joint.
    Slide(Slide),
}

impl Follower {
    fn new(skeleton: &Skeleton, rig: &Rig, node: usize, mimic: MimicRig, leader: LinkIndex) -> Option<Self> {
        let limit = rig.joint(node).limit;
        let rest = skeleton.nodes.get(node)?.rest.rotation.as_dquat().normalize();
        let motion = match limit {
            Limit::Hinge { axis, .. } => FollowerMotion::Turn { rest, axis },
            _ => FollowerMotion::Slide(Slide::new(skeleton, node, &limit)?),
        };
        Some(Self { node, leader, ratio: mimic.ratio, offset: mimic.offset, motion })
    }

    /// Moves the node to follow its leader in the body.
    pub(super) fn write(&self, body: &Body, pose: &mut Pose) {
        let Some(local) = pose.locals.get_mut(self.node) else { return };
        let Some(value) = body.joint_value(self.leader).map(|v| self.ratio * v + self.offset) else { return };
        match self.motion {
            FollowerMotion::Turn { rest, axis } => {
                local.rotation = (rest * DQuat::from_axis_angle(axis, value)).as_quat().normalize();
            }
            FollowerMotion::Slide(slide) => {
                local.translation = slide.with_displacement(local.translation, value);
            }
        }
    }
}

impl Binding {
    /// Finds the prismatic joints among the nodes of the links.
    pub(super) fn set_slides(&mut self, skeleton: &Skeleton) {
        let slide =
            |link: &super::BoundLink| Some((link.node?, Slide::new(skeleton, link.node?, &link.limit)?));
        self.slides = self.links.iter().filter_map(slide).collect();
    }

    /// Connects mimic joints with their leaders. A mimic joint whose leader has no link stays in place.
    pub(super) fn couple(&mut self, skeleton: &Skeleton, rig: &Rig) {
        let mimics = rig.joints.iter().filter_map(|(&node, joint)| Some((node, joint.mimic?)));
        for (node, mimic) in mimics.collect::<Vec<_>>() {
            let link_of = |node: usize| self.links.iter().position(|l| l.node == Some(node)).map(LinkIndex);
            match (link_of(node), link_of(mimic.joint)) {
                (Some(own), Some(of)) => {
                    let turns = self.links[of.0].turns;
                    self.links[own.0].turns = turns;
                    self.links[own.0].mimic = Some(Mimic { of, ratio: mimic.ratio, offset: mimic.offset });
                }
                (Some(own), None) => self.links[own.0].turns = false,
                (None, Some(of)) => self.add_follower(skeleton, rig, node, mimic, of),
                (None, None) => {}
            }
        }
    }

    /// Adds a mimic joint without a link, whose limit then stops its leader.
    fn add_follower(
        &mut self,
        skeleton: &Skeleton,
        rig: &Rig,
        node: usize,
        mimic: MimicRig,
        leader: LinkIndex,
    ) {
        let Some(follower) = Follower::new(skeleton, rig, node, mimic, leader) else { return };
        let mut limit = self.links[leader.0].limit;
        if !self.links[leader.0].turns
            || !narrow(&mut limit, &rig.joint(node).limit, mimic.ratio, mimic.offset)
        {
            return;
        }
        self.links[leader.0].limit = limit;
        self.followers.push(follower);
        let place = skeleton.parents_first.iter().position(|(n, _)| *n == node);
        self.first = self.first.min(place.unwrap_or(0));
    }

    /// Copies the displacements of a solved body into a pose. A node that did not move keeps its exact translation.
    pub(super) fn write_displacements(&self, body: &Body, pose: &mut Pose) {
        if self.slides.is_empty() {
            return;
        }
        for (index, link) in self.links.iter().enumerate().filter(|(_, link)| link.turns) {
            let Some((node, slide)) = link.node.and_then(|n| Some((n, self.slides.get(&n)?))) else {
                continue;
            };
            let (translation, displacement) =
                (pose.locals[node].translation, body.displacement(LinkIndex(index)));
            let moved = displacement - slide.split(translation).0;
            if moved != 0.0 {
                pose.locals[node].translation = slide.with_displacement(translation, displacement);
            }
        }
    }
}
