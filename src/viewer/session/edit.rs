//! Undo steps, and edits of the selection, goals, pins, morph weights and the rig.

use std::sync::Arc;

use crate::document::{EditRun, Scene, Selection, axes_fit};
use crate::ik::{GoalAxes, Limit};
use crate::rig;

use super::gizmo::GizmoGrip;
use super::place::pin_here;
use super::rig_edits::{change_rig, limit_joint, set_rig};
use super::{Session, limb};

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
        set_rig(&mut self.puppet, &mut self.document.scene, rig);
        if self.document.scene.motion.has_only_keys() {
            self.puppet.time = self.document.scene.time;
            self.clock.set_time(self.puppet.time);
        }
        self.apply_motion();
        self.drags.trail.clear();
        (self.error, self.steps.problem) = (None, None);
        self.show();
    }

    /// Returns the node that keys act on: the dragged, hovered, active or last dragged node, in this order of precedence.
    pub(crate) fn active_node(&self) -> Option<usize> {
        let held = self.drags.joint.as_ref().map(|drag| drag.hit.node);
        let Selection { active, last, .. } = self.document.selection;
        held.or(self.hover.hit.map(|h| h.node)).or(active).or(last)
    }

    /// Changes the selection.
    pub(super) fn select(&mut self, change: impl FnOnce(&mut Selection)) {
        self.release();
        change(&mut self.document.selection);
        self.hover.grip = None;
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
            self.steps.problem = None;
            if self.document.scene.goals.is_empty() { self.show() } else { self.solve() }
        }
    }

    /// Removes all goals, all pins and the base.
    pub(super) fn clear_goals(&mut self) {
        self.begin_edit(None);
        let Scene { goals, pins, base, .. } = &mut self.document.scene;
        (*goals, *pins, *base) = (Vec::new(), Vec::new(), None);
        self.steps.problem = None;
        self.show();
    }

    /// Pins nodes at their current positions and orientations, or removes their pins if all are already pinned. Does nothing if one
    /// of them does not exist.
    pub(super) fn toggle_pins(&mut self, nodes: &[usize]) {
        if !nodes.iter().all(|&node| self.has_node(node)) {
            return;
        }
        self.begin_edit(None);
        let scene = &mut self.document.scene;
        let unpins = nodes.iter().all(|node| scene.is_pinned(*node));
        let toggled: Vec<usize> =
            nodes.iter().copied().filter(|node| scene.is_pinned(*node) == unpins).collect();
        toggled.into_iter().for_each(|node| scene.toggle_pin(pin_here(&self.puppet, node)));
    }

    /// Pins or unpins the joint that keys act on. If it is one of several selected joints, all of them are pinned or unpinned.
    pub(super) fn toggle_active_pins(&mut self) {
        let Some(node) = self.active_node() else { return };
        let selection = self.selection();
        self.toggle_pins(if selection.contains(&node) {
            selection.as_slice()
        } else {
            std::slice::from_ref(&node)
        });
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

    /// Assigns a node to a bone of the body, or returns that bone to automatic recognition. The body and its limbs are then recognised
    /// again. Contradictory assignments change nothing.
    pub(super) fn set_bone(&mut self, bone: &str, node: Option<usize>) {
        let mut given = self.document.scene.rig.given_bones.clone();
        match node {
            Some(node) => drop(given.insert(bone.to_owned(), node)),
            None => drop(given.remove(bone)),
        }
        if given == self.document.scene.rig.given_bones {
            return;
        }
        match rig::with_bones(self.puppet.character(), &self.document.scene.rig, &given) {
            Ok(rig) => {
                self.begin_edit(None);
                set_rig(&mut self.puppet, &mut self.document.scene, Arc::new(rig));
                self.puppet.reset_solver();
                if self.document.scene.goals.is_empty() { self.show() } else { self.solve() }
            }
            Err(error) => self.refuse(&error),
        }
    }

    /// Sets a limit from the panel. Consecutive changes to the same joint, until the next release, form one undo step.
    pub(super) fn edit_limit(&mut self, node: usize, limit: Limit) {
        if self.has_node(node) && limit.validate().is_ok() {
            self.begin_edit(Some(EditRun::Limit(node)));
            limit_joint(&mut self.puppet, &mut self.document, node, limit);
            self.refresh_pins();
            self.solve();
        }
    }

    /// Sets the pull of the limb that ends at a node, and solves again. Consecutive changes to the same limb, until the next release, form
    /// one undo step.
    pub(super) fn set_pull(&mut self, end: usize, pull: f64) {
        let is_end = limb::pull(&self.puppet.rig, end).is_some_and(|(chain, _)| chain.effector == end);
        if is_end && (0.0..=1.0).contains(&pull) {
            self.begin_edit(Some(EditRun::Pull(end)));
            change_rig(&mut self.puppet, &mut self.document.scene, |rig| rig.set_pull(end, pull));
            self.solve();
        }
    }

    /// Removes the pole of the selected limb if `grip` is that pole. Returns whether a pole was removed.
    pub(super) fn remove_pole(&mut self, grip: Option<GizmoGrip>) -> bool {
        let (Some(GizmoGrip::Pole), Some(node)) = (grip, self.document.selection.active) else {
            return false;
        };
        self.begin_edit(None);
        change_rig(&mut self.puppet, &mut self.document.scene, |rig| {
            let limb = rig.chains.iter_mut().find(|c| c.joints.len() == 3 && c.joints.contains(&node));
            if let Some(limb) = limb {
                limb.pole = None;
            }
        });
        self.hover.grip = None;
        self.solve();
        true
    }

    /// Moves all pins to the current positions of their nodes, unless a motion is loaded. This is required after every edit other than a
    /// solve. Otherwise, the next solve would pull the nodes back.
    pub(crate) fn refresh_pins(&mut self) {
        if !self.puppet.is_posed_by_hand() {
            return;
        }
        self.show();
        let pins = self.document.scene.pins.iter().map(|p| pin_here(&self.puppet, p.node)).collect();
        self.document.scene.pins = pins;
    }
}
