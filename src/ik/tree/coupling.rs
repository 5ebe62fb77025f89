//! Mimic joints among the joints of a tree.
//!
//! A leader and its followers are one degree of freedom. The leader's column of the Jacobian is the sum of its own column
//! and its followers' columns times their ratios. The followers have no column of their own. Forward kinematics sets their
//! values.

use glam::{DQuat, DVec3};

use crate::link::own;
use crate::mimic::hinge_angle;
use crate::{Body, Limit, LinkIndex};

use super::Tree;

/// The role of a joint in a group of coupled joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// The joint moves independently.
    #[default]
    Single,
    /// Other joints follow the joint.
    Leader,
    /// The joint follows another joint.
    Follower,
}

/// A joint that follows another joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coupling {
    pub(crate) leader: usize,
    pub(crate) follower: usize,
    pub(crate) ratio: f64,
    offset: f64,
}

impl Tree {
    /// Finds the leaders and the followers among the joints.
    pub(super) fn couple(&mut self, body: &Body) {
        self.couplings.clear();
        for follower in 0..self.joints.len() {
            let Some(mimic) = body.links()[self.joints[follower].link].mimic else { continue };
            let leader = self.joints.binary_search_by_key(&mimic.of, |joint| LinkIndex(joint.link));
            if let Ok(leader) = leader {
                self.couplings.push(Coupling { leader, follower, ratio: mimic.ratio, offset: mimic.offset });
                self.joints[leader].role = Role::Leader;
                self.joints[follower].role = Role::Follower;
            }
        }
    }

    /// Sets followers to the values that their leaders determine.
    #[cold]
    pub(super) fn follow_leaders(&mut self) {
        for place in 0..self.couplings.len() {
            let Coupling { leader, follower, ratio, offset } = self.couplings[place];
            let leader = &self.joints[leader];
            if leader.prismatic.is_some() {
                self.joints[follower].displacement = ratio * leader.displacement + offset;
                continue;
            }
            let turned = own(leader.rest, leader.reversed, leader.rotation);
            if let Some(angle) = hinge_angle(&leader.limit, turned) {
                let follower = &mut self.joints[follower];
                if let Limit::Hinge { axis, .. } = follower.limit {
                    let own = DQuat::from_axis_angle(axis, ratio * angle + offset);
                    follower.rotation = follower.link_rotation(own);
                }
            }
        }
    }

    /// Returns whether any joint follows another joint.
    pub(crate) fn is_coupled(&self) -> bool {
        !self.couplings.is_empty()
    }

    /// Returns whether no joint is prismatic and no joint follows another joint.
    pub(crate) fn only_turns(&self) -> bool {
        !self.is_coupled() && !self.has_prismatic
    }

    pub(crate) fn followers(&self, leader: usize) -> impl Iterator<Item = usize> {
        self.couplings.iter().filter(move |c| c.leader == leader).map(|c| c.follower)
    }

    /// Returns the joints that move if a joint turns by `turn`, a rotation vector in base space: the joint itself and its
    /// followers, each with its turn.
    pub(crate) fn coupled_turns(&self, index: usize, turn: DVec3) -> impl Iterator<Item = (usize, DVec3)> {
        let axis = move |index: usize| {
            let joint = &self.joints[index];
            joint.only_axis().map_or(DVec3::ZERO, |axis| self.axis_from_frame(joint, axis))
        };
        let angle = turn.dot(axis(index));
        let followers = self.couplings.iter().filter(move |coupling| coupling.leader == index);
        let turn_of = move |c: &Coupling| (c.follower, axis(c.follower) * (angle * c.ratio));
        std::iter::once((index, turn)).chain(followers.map(turn_of))
    }

    /// Returns, to first order, how an effector turns and moves in base space if a joint and its followers turn. `turn` is the turn of the
    /// joint itself, a rotation vector in base space.
    pub(crate) fn effector_motion(&self, index: usize, turn: DVec3, effector: usize) -> (DVec3, DVec3) {
        let at = self.tasks[effector].position;
        if self.joints[index].role == Role::Single {
            return self.motion(&self.joints[index], turn, at - self.joints[index].position);
        }
        let moves = |index: &usize| self.tasks_below(*index).any(|place| self.task_at(place) == effector);
        let members = self.coupled_turns(index, turn).filter(|(member, _)| moves(member));
        members.fold((DVec3::ZERO, DVec3::ZERO), |sum, (member, turn)| {
            let joint = &self.joints[member];
            let (turned, moved) = self.motion(joint, turn, at - joint.position);
            (sum.0 + turned, sum.1 + moved)
        })
    }

    /// Returns the joints that a solver turns to move an effector: those above it, with leaders in place of followers.
    pub(crate) fn movers(&self, effector: usize) -> impl Iterator<Item = usize> {
        let leader = |follower: usize| self.couplings.iter().find(move |c| c.follower == follower);
        let is_above = move |joint: usize| self.above(effector).any(|above| above == joint);
        self.above(effector).filter_map(move |index| match self.joints[index].role {
            Role::Single | Role::Leader => Some(index),
            // The leader counts once. If the leader is not above the effector, it replaces the follower that is nearest to the effector.
            Role::Follower => {
                let leader = leader(index)?.leader;
                let same =
                    |other: usize| self.couplings.iter().any(|c| (c.leader, c.follower) == (leader, other));
                let first = self.above(effector).find(|&other| same(other)) == Some(index);
                (first && !is_above(leader)).then_some(leader)
            }
        })
    }

    /// Also selects the leaders of all selected followers.
    pub(crate) fn select_leaders(&self, selected: &mut [bool]) {
        for coupling in &self.couplings {
            if selected[coupling.follower] {
                selected[coupling.leader] = true;
            }
        }
    }
}
