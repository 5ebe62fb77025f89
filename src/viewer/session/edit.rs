//! Undo steps, and edits of the selection, goals, pins, morph weights and the rig.

use std::sync::Arc;

use crate::document::{EditRun, Scene, Selection, axes_fit};
use crate::ik::{GoalAxes, Limit};
use crate::rig::{self, Rig, Slide};

use super::gizmo::GizmoGrip;
use super::place::{allowed, pin_here};
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
        self.set_rig(rig);
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

    pub(crate) fn set_rig(&mut self, rig: Arc<Rig>) {
        if !Arc::ptr_eq(&rig, &self.document.scene.rig) || self.puppet.rig != *rig {
            self.puppet.rig.clone_from(&rig);
        }
        self.document.scene.rig = rig;
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
                self.set_rig(Arc::new(rig));
                self.puppet.reset_solver();
                if self.document.scene.goals.is_empty() { self.show() } else { self.solve() }
            }
            Err(error) => self.refuse(&error),
        }
    }

    pub(crate) fn change_rig(&mut self, act: impl FnOnce(&mut Rig)) {
        let mut rig = Rig::clone(&self.document.scene.rig);
        act(&mut rig);
        self.set_rig(Arc::new(rig));
    }

    /// Sets the limit of a joint, and moves the joint into that limit. Mimic joints that can no longer follow their leaders
    /// become independent.
    pub(crate) fn limit_joint(&mut self, node: usize, limit: Limit) {
        self.change_rig(|rig| {
            let joint = rig.joints.entry(node).or_default();
            joint.limit = limit;
            rig.remove_invalid_mimics();
            let joint = rig.joints.entry(node).or_default();
            if *joint == Default::default() {
                rig.joints.remove(&node);
            }
        });
        let local = self.document.scene.held.locals.get(node).map(|l| l.rotation);
        let Some(now) = local else { return };
        let limits = self.document.settings.solver.limits;
        let allowed = allowed(&self.puppet, limits, node, now.as_dquat()).as_quat().normalize();
        // A rotation inside the limit is left unchanged, because the conversion to double precision and back would
        // change its last digits.
        if let Some(local) =
            self.document.scene.held.locals.get_mut(node).filter(|_| allowed.angle_between(now) > 1e-6)
        {
            local.rotation = allowed;
        }
        let skeleton = &self.puppet.character().skeleton;
        let slide = Slide::new(skeleton, node, &limit).filter(|_| limits);
        if let (Some(slide), Some(local)) = (slide, self.document.scene.held.locals.get_mut(node)) {
            let now = slide.split(local.translation).0;
            let allowed = limit.nearest_displacement(now);
            if (allowed - now).abs() > 1e-6 {
                local.translation = slide.with_displacement(local.translation, allowed);
            }
        }
    }

    /// Sets a limit from the panel. Consecutive changes to the same joint, until the next release, form one undo step.
    pub(super) fn edit_limit(&mut self, node: usize, limit: Limit) {
        if self.has_node(node) && limit.validate().is_ok() {
            self.begin_edit(Some(EditRun::Limit(node)));
            self.limit_joint(node, limit);
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
            self.change_rig(|rig| rig.set_pull(end, pull));
            self.solve();
        }
    }

    /// Removes the pole of the selected limb if `grip` is that pole. Returns whether a pole was removed.
    pub(super) fn remove_pole(&mut self, grip: Option<GizmoGrip>) -> bool {
        let (Some(GizmoGrip::Pole), Some(node)) = (grip, self.document.selection.active) else {
            return false;
        };
        self.begin_edit(None);
        self.change_rig(|rig| {
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
