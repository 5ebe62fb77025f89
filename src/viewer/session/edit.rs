//! Undo steps, and edits of goals, pins and the selection.

use std::sync::Arc;

use crate::document::{EditRun, Scene, Selection, axes_fit};
use crate::ik::GoalAxes;
use crate::puppet::{Pin, Target};
use crate::rig::orientation;
use crate::session::drag::Drag;

use super::Session;
use super::place::pin_here;

impl Session {
    /// Begins a scene edit: ends a drag, and adds an undo step unless the last step still collects edits of this kind.
    pub(super) fn begin_edit(&mut self, run: Option<EditRun>) {
        if run.is_none() || self.is_dragging() {
            self.release();
        }
        match run {
            Some(run) => self.history.remember_run(run, &self.document.scene),
            None => self.history.remember(self.document.scene.clone()),
        }
    }

    pub(crate) fn restore(&mut self, scene: Option<Scene>) {
        let Some(scene) = scene else { return };
        let rig = Arc::clone(&scene.rig);
        self.document.scene = scene;
        self.set_rig(rig);
        if self.document.scene.motion.has_only_keys() {
            self.puppet.time = self.document.scene.time;
            self.clock.since = (self.clock.now, self.puppet.time);
        }
        self.apply_motion();
        self.trail.clear();
        (self.error, self.problem) = (None, None);
        self.show();
    }

    /// Returns the node that keys act on: the dragged, hovered, active or last dragged node, in this order of precedence.
    pub(crate) fn active_node(&self) -> Option<usize> {
        let held = self.drag.as_ref().map(|h| h.hit.node);
        let Selection { active, last, .. } = self.document.selection;
        held.or(self.hover.hit.map(|h| h.node)).or(active).or(last)
    }

    /// Changes the selection.
    pub(super) fn select(&mut self, change: impl FnOnce(&mut Selection)) {
        self.release();
        change(&mut self.document.selection);
        self.hover.grip = None;
    }

    /// Returns the kept goals, and the goal of the current drag once the pointer has moved.
    pub(crate) fn goals(&self) -> Vec<Target> {
        self.targets_and_pins(self.drag.as_ref().filter(|drag| drag.moved).map(Drag::target_and_pins)).0
    }

    /// Returns the distance in world metres and the angle in radians between the current pose and a goal, ignoring free axes.
    pub(crate) fn goal_error(&self, goal: &Target) -> (Option<f64>, Option<f64>) {
        let skeleton = &self.puppet.character().skeleton;
        let Some(world) = self.puppet.world_from_node().get(goal.node) else { return (None, None) };
        let reached = world.transform_point3(goal.offset.as_vec3()).as_dvec3();
        let turned = || orientation(skeleton, self.puppet.pose(), goal.node);
        let Target { axes, position, orientation, .. } = goal;
        let angle = orientation.and_then(|wanted| axes.orientation_error(wanted, turned()));
        (position.and_then(|wanted| axes.position_error(wanted - reached, *orientation)), angle)
    }

    /// Sets the weight of a goal and solves again. Consecutive changes to the same goal, until the next release, form
    /// one undo step.
    pub(super) fn set_goal_weight(&mut self, node: usize, weight: f64) {
        if weight.is_finite() && weight >= 0.0 && self.document.scene.has_goal(node) {
            self.begin_edit(Some(EditRun::Weight(node)));
            self.document.scene.set_goal_weight(node, weight);
            self.solve();
        }
    }

    /// Sets the weights and tolerances of a goal along its axes, and solves again. Consecutive changes to the same goal, until the next
    /// release, form one undo step. Invalid numbers have no effect. Axes in the target's frame have no effect on a goal without an
    /// orientation.
    pub(super) fn set_goal_axes(&mut self, node: usize, axes: &GoalAxes) {
        if self.document.scene.goals.iter().any(|goal| goal.node == node && axes_fit(axes, goal)) {
            self.begin_edit(Some(EditRun::Axes(node)));
            self.document.scene.set_goal_axes(node, axes);
            self.solve();
        }
    }

    /// Removes the goal of a node and solves for the other goals.
    pub(super) fn remove_goal(&mut self, node: usize) {
        if self.document.scene.has_goal(node) {
            self.begin_edit(None);
            self.document.scene.remove_goals(&[node]);
            self.problem = None;
            if self.document.scene.goals.is_empty() { self.show() } else { self.solve() }
        }
    }

    /// Removes all goals, all pins and the base.
    pub(super) fn clear_goals(&mut self) {
        self.begin_edit(None);
        let Scene { goals, pins, base, .. } = &mut self.document.scene;
        (*goals, *pins, *base) = (Vec::new(), Vec::new(), None);
        self.problem = None;
        self.show();
    }

    /// Pins a node at its current position and orientation, or removes its pin. Unknown nodes are ignored.
    pub(super) fn toggle_pin(&mut self, node: usize) {
        if self.has_node(node) {
            self.begin_edit(None);
            let pin = pin_here(&self.puppet, node);
            self.document.scene.toggle_pin(pin);
        }
    }

    /// Pins or unpins the joint that keys act on. If it is one of several selected joints, all of them are pinned, or unpinned if all are
    /// already pinned.
    pub(super) fn toggle_pins(&mut self) {
        let Some(node) = self.active_node() else { return };
        let selection = self.document.selection.nodes();
        let nodes = if selection.contains(&node) { selection } else { vec![node] };
        self.begin_edit(None);
        let pins: Vec<Pin> = nodes.into_iter().map(|node| pin_here(&self.puppet, node)).collect();
        let scene = &mut self.document.scene;
        let unpins = pins.iter().all(|pin| scene.is_pinned(pin.node));
        for pin in pins.into_iter().filter(|pin| scene.is_pinned(pin.node) == unpins).collect::<Vec<_>>() {
            scene.toggle_pin(pin);
        }
    }

    /// Makes the joint that keys act on the base, or removes the base if this joint is the base.
    pub(super) fn toggle_base(&mut self) {
        if let Some(node) = self.active_node() {
            self.begin_edit(None);
            let base = &mut self.document.scene.base;
            *base = Some(node).filter(|_| *base != Some(node));
        }
    }

    /// Sets a morph weight. Consecutive changes to the same weight, until the next release, form one undo step.
    pub(super) fn set_morph(&mut self, index: usize, weight: f32) {
        if index < self.document.scene.held.weights.len() && weight.is_finite() {
            self.begin_edit(Some(EditRun::Morph(index)));
            if let Some(now) = self.document.scene.held.weights.get_mut(index) {
                *now = weight.clamp(-2.0, 2.0);
            }
            self.show();
        }
    }
}
