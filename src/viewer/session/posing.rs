//! Edits of the whole pose or of a limb: mirroring, resetting, and applying poses from other sources. Each edit is one undo step.

use std::sync::Arc;

use crate::Command;
use crate::asset::{Skeleton, Transform};
use crate::export::{PoseDocument, ReadPoseError, StoredPose};
use crate::pose::Pose;
use crate::puppet::{Pin, Target};
use crate::rig::Mirror;
use crate::scene::picking::Hit;
use crate::text::json;

use super::drag_goal::chain_base;
use super::symmetry::mirrored_target;
use super::{Session, limb};
use crate::document::Scene;
use crate::document::is_valid;

const NO_BODY: &str = "mirroring needs a character whose body is recognised";
const NO_LIMB: &str = "select a joint of an arm or a leg that has a counterpart on the other side";

impl Session {
    /// Returns the body's mirror. `None` if no body is recognised.
    pub(super) fn mirror(&self) -> Option<Mirror> {
        let body = self.puppet.rig.body.as_ref()?;
        Some(Mirror::new(&self.puppet.character().skeleton, body))
    }

    /// Exchanges the poses, pins and goals of the left and right sides.
    pub(super) fn mirror_pose(&mut self) {
        self.release();
        let Some(mirror) = self.mirror() else {
            self.error = Some(NO_BODY.to_owned());
            return;
        };
        let skeleton = &self.puppet.character().skeleton;
        let pose = mirror.pose(skeleton, self.puppet.primary_pose());
        let other = |node: usize| mirror.partner(node).unwrap_or(node);
        let goal = |goal: &Target| mirrored_target(&mirror, skeleton, goal).unwrap_or(*goal);
        let Scene { goals, pins, base, .. } = &self.document.scene;
        let goals = goals.iter().map(goal).collect();
        let pins = pins.iter().map(|pin| Pin::from(other(pin.node))).collect();
        let base = base.map(other);
        self.replace_pose(pose, |scene| (scene.goals, scene.pins, scene.base) = (goals, pins, base));
    }

    /// Copies the pose of the selected limb to its counterpart on the other side.
    pub(super) fn mirror_limb(&mut self) {
        self.release();
        let Some(mirror) = self.mirror() else {
            self.error = Some(NO_BODY.to_owned());
            return;
        };
        let character = self.puppet.character();
        let limb = self.active_node().and_then(|node| limb::of_body(character, &self.puppet.rig, node));
        let has_counterpart = |n: &usize| mirror.partner(*n).is_some_and(|other| other != *n);
        let nodes: Vec<usize> = limb.unwrap_or_default().into_iter().filter(has_counterpart).collect();
        if nodes.is_empty() {
            self.error = Some(NO_LIMB.to_owned());
            return;
        }
        let mut pose = self.puppet.primary_pose().clone();
        mirror.copy(&character.skeleton, self.puppet.primary_pose(), nodes.iter().copied(), &mut pose);
        let others: Vec<usize> = nodes.iter().filter_map(|&n| mirror.partner(n)).collect();
        self.replace_pose(pose, |scene| scene.remove_goals(&others));
    }

    /// Resets the limbs of the selected joints, or only these joints. If nothing is selected, resets the joint that keys act on.
    pub(super) fn reset(&mut self, whole_limbs: bool) {
        self.release();
        let mut selected = self.selection();
        if selected.is_empty() {
            selected.extend(self.active_node());
        }
        let character = self.puppet.character();
        let rig = &self.puppet.rig;
        let mut nodes = selected.clone();
        if whole_limbs {
            nodes.extend(selected.iter().flat_map(|&node| limb::nodes(character, rig, node)));
        }
        nodes.sort_unstable();
        nodes.dedup();
        self.reset_nodes(&nodes);
    }

    /// Resets the joint that keys act on, or its chain. If the joint is one of several selected joints, resets all of them.
    pub(super) fn rest(&mut self, chain: bool) {
        if self.remove_pole(self.hover.grip) {
            return;
        }
        let Some(node) = self.active_node() else { return };
        let selection = self.selection();
        self.release();
        let hit = self.hover.hit.filter(|h| h.node == node);
        let skeleton = &self.puppet.character().skeleton;
        let origin = Hit { node, point: glam::Vec3::ZERO, offset: glam::DVec3::ZERO, handle: true };
        let base = chain_base(self.puppet.character(), &self.puppet.rig, &hit.unwrap_or(origin));
        let mut nodes = vec![node];
        if let Some(base) = base.filter(|_| chain) {
            nodes.extend(skeleton.ancestors(node).skip(1).take_while(|&n| n != base));
            nodes.push(base);
        }
        if selection.len() > 1 && selection.contains(&node) {
            let (character, rig) = (self.puppet.character(), &self.puppet.rig);
            let limbs = selection.iter().filter(|_| chain).flat_map(|&n| limb::nodes(character, rig, n));
            nodes.extend(limbs.chain(selection.iter().copied()));
        }
        if self.puppet.is_posed_by_hand() {
            return self.reset_nodes(&nodes);
        }
        self.begin_edit(None);
        self.document.scene.remove_goals(&nodes);
        reset_pose(&mut self.document.scene.held, &self.puppet.character().skeleton, &nodes);
        self.problem = None;
        self.show();
    }

    /// Resets nodes to the rest pose and removes their goals.
    fn reset_nodes(&mut self, nodes: &[usize]) {
        let mut pose = self.puppet.primary_pose().clone();
        reset_pose(&mut pose, &self.puppet.character().skeleton, nodes);
        if !nodes.is_empty() {
            self.replace_pose(pose, |scene| scene.remove_goals(nodes));
        }
    }

    /// Resets the whole character to the rest pose and removes all goals.
    pub(super) fn rest_all(&mut self) {
        self.begin_edit(None);
        self.document.scene.held.reset(&self.puppet.character().skeleton);
        self.document.scene.goals.clear();
        self.problem = None;
        self.refresh_pins();
        self.show();
    }

    /// Sets local transforms of some nodes, and all morph weights unless `morphs` is empty. Removes all goals. Invalid
    /// transforms and unknown nodes are ignored.
    pub(super) fn set_pose(&mut self, nodes: &[(usize, Transform)], morphs: Vec<f32>) {
        self.release();
        let mut pose = self.puppet.primary_pose().clone();
        for (node, transform) in nodes.iter().filter(|(_, t)| is_valid(t)) {
            if let Some(local) = pose.locals.get_mut(*node) {
                *local = *transform;
            }
        }
        if morphs.len() == pose.weights.len() && morphs.iter().all(|w| w.is_finite()) {
            pose.weights = morphs;
        }
        self.replace_pose(pose, |scene| scene.goals.clear());
    }

    /// Returns the pose as the text that *Save pose* writes, for example for the clipboard.
    ///
    /// # Errors
    /// [`ReadPoseError`] if the pose is not finite.
    pub fn copy_pose(&self) -> Result<String, ReadPoseError> {
        let document = PoseDocument::new(&self.puppet, &[], None);
        json::to_string(&document).map_err(|e| ReadPoseError::Json(e.to_string()))
    }

    /// Applies a pose written by [`Session::copy_pose`], *Save pose* or `sinew pose`, even if it was written for another character with the
    /// same joint names. This is one undo step.
    ///
    /// # Errors
    /// [`ReadPoseError`] if the text is not a pose, or is the pose of a character with different joints. The session is then unchanged.
    pub fn paste_pose(&mut self, text: &str) -> Result<(), ReadPoseError> {
        let hips = self.puppet.rig.body.as_ref().map(|body| body.hips);
        let (mut nodes, mut morphs) = StoredPose::read(text)?.fit(&self.puppet.character().skeleton, hips)?;
        let pose = self.puppet.primary_pose();
        nodes.retain(|(node, local)| pose.locals.get(*node) != Some(local));
        if morphs.is_empty() && pose.weights != self.puppet.character().skeleton.rest_weights {
            morphs.clone_from(&self.puppet.character().skeleton.rest_weights);
        }
        self.apply(Command::SetPose(nodes, morphs));
        Ok(())
    }

    /// Replaces the pose and changes the rest of the scene as one undo step. Pins move with their nodes. If a motion determines the pose,
    /// only the pose changes: it becomes a key at the current time.
    fn replace_pose(&mut self, pose: Pose, change: impl FnOnce(&mut Scene)) {
        if !self.puppet.is_posed_by_hand() {
            self.key_pose(&pose);
            return;
        }
        self.begin_edit(None);
        change(&mut self.document.scene);
        self.document.scene.held = pose;
        if self.document.settings.auto_key {
            self.document.scene.motion = Arc::new(self.with_key_pose(&self.document.scene.held));
            self.apply_motion();
        }
        (self.error, self.problem) = (None, None);
        self.trail.clear();
        self.puppet.reset_solver();
        self.refresh_pins();
        self.show();
    }
}

/// Resets some nodes of a pose to the rest pose.
fn reset_pose(pose: &mut Pose, skeleton: &Skeleton, nodes: &[usize]) {
    for &node in nodes {
        if let Some((local, rest)) = pose.locals.get_mut(node).zip(skeleton.nodes.get(node)) {
            *local = rest.rest;
        }
    }
}
