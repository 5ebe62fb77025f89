//! Goals that stay: what each comes to, how much it counts, and letting one go.

use crate::puppet::Target;
use crate::rig::orientation;

use super::super::hand::Hand;
use super::super::history::Run;
use super::Session;

/// The weight of a goal before which no other counts.
pub(in super::super) const HEAVIEST: f64 = 1e3;

impl Session {
    /// Where its goals stay, and those of a drag that moves something.
    pub(in super::super) fn goals(&self) -> Vec<Target> {
        self.wanted(self.hand.as_ref().filter(|hand| hand.moved).map(Hand::asks)).0
    }

    /// How far the character is from a goal as it stands: world metres, and radians.
    pub(in super::super) fn missed(&self, goal: &Target) -> (Option<f64>, Option<f64>) {
        let skeleton = &self.puppet.character().skeleton;
        let Some(world) = self.puppet.world_from_node().get(goal.node) else { return (None, None) };
        let reached = world.transform_point3(goal.offset.as_vec3()).as_dvec3();
        let turned = || orientation(skeleton, self.puppet.pose(), goal.node);
        let angle = goal.orientation.map(|wanted| wanted.angle_between(turned()));
        (goal.position.map(|wanted| wanted.distance(reached)), angle)
    }

    /// Another weight of a goal, and what then comes of all. What follows on the same goal, until something is let go, is
    /// one step.
    pub(super) fn weigh(&mut self, node: usize, weight: f64) {
        if !(weight.is_finite() && weight >= 0.0 && self.state.goals.iter().any(|g| g.node == node)) {
            return;
        }
        if self.is_dragging() {
            self.release();
        }
        self.history.remember_run(Run::Weight(node), &self.state);
        for goal in self.state.goals.iter_mut().filter(|g| g.node == node) {
            goal.weight = weight.min(HEAVIEST);
        }
        self.solve();
    }

    /// Lets one goal go; the others are met without it.
    pub(super) fn forget(&mut self, node: usize) {
        if !self.state.goals.iter().any(|g| g.node == node) {
            return;
        }
        self.release();
        self.history.remember(self.state.clone());
        self.state.goals.retain(|g| g.node != node);
        if self.state.goals.is_empty() { self.show() } else { self.solve() }
    }
}
