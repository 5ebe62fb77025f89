//! Edits of the whole pose, of a limb or of joints. Consecutive turns or blends form one undo step.

use std::sync::Arc;

use glam::Quat;

use crate::asset::Transform;
use crate::document::{EditRun, Scene, set_pose_values};
use crate::pose::Pose;
use crate::puppet::{Pin, Target};
use crate::scene::picking::Hit;

use super::drag_goal::chain_base;
use super::key_edits::{keyed_motion, with_key_pose};
use super::place::allowed;
use super::pose_edits::{blended, limit_note, reset_pose, turn};
use super::symmetry::{mirror, mirrored_target};
use super::{Session, limb};

const NO_BODY: &str = "mirroring needs a character whose body is recognised";
const NO_LIMB: &str = "select a joint of an arm or a leg that has a counterpart on the other side";

impl Session {
    /// Exchanges the poses, pins and goals of the left and right sides.
    pub(super) fn mirror_pose(&mut self) {
        self.release();
        let Some(mirror) = mirror(&self.puppet) else { return self.refuse(&NO_BODY) };
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
        let Some(mirror) = mirror(&self.puppet) else { return self.refuse(&NO_BODY) };
        let character = self.puppet.character();
        let limb = self.active_node().and_then(|node| limb::of_body(character, &self.puppet.rig, node));
        let has_counterpart = |n: &usize| mirror.partner(*n).is_some_and(|other| other != *n);
        let nodes: Vec<usize> = limb.unwrap_or_default().into_iter().filter(has_counterpart).collect();
        if nodes.is_empty() {
            return self.refuse(&NO_LIMB);
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
        self.steps.problem = None;
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
        self.steps.problem = None;
        self.refresh_pins();
        self.show();
    }

    /// Sets local transforms of some nodes, and all morph weights unless `morphs` is empty. Removes all goals. Invalid
    /// transforms and unknown nodes are ignored.
    pub(super) fn set_pose(&mut self, nodes: &[(usize, Transform)], morphs: &[f32]) {
        self.release();
        let mut pose = self.puppet.primary_pose().clone();
        set_pose_values(&mut pose, nodes, morphs);
        self.replace_pose(pose, |scene| scene.goals.clear());
    }

    /// Sets joint rotations, in the parents' frames, to the allowed rotations nearest to the given ones. Consecutive turns of the same
    /// kind, until the next release, form one undo step. Unknown joints and invalid rotations are ignored.
    pub(super) fn turn_joints(&mut self, turns: &[(usize, Quat)], run: EditRun) {
        let is_valid = |(node, local): &&(usize, Quat)| {
            let length = local.length_squared();
            *node < self.document.scene.held.locals.len() && length.is_finite() && length >= 1e-6
        };
        let valid: Vec<(usize, Quat)> = turns.iter().filter(is_valid).copied().collect();
        if valid.is_empty() {
            return;
        }
        let limits = self.document.settings.solver.limits;
        let nearest = |&(node, local): &(usize, Quat)| {
            (node, allowed(&self.puppet, limits, node, local.normalize().as_dquat()).as_quat().normalize())
        };
        let turns: Vec<(usize, Quat)> = valid.iter().map(nearest).collect();
        self.begin_edit(Some(run));
        // A goal for a turned joint would turn it back.
        let turned: Vec<usize> = turns.iter().map(|(node, _)| *node).collect();
        self.document.scene.remove_goals(&turned);
        if self.puppet.is_posed_by_hand() {
            turn(&mut self.document.scene.held, &turns);
        } else {
            // A clip would overwrite the pose, so the turn becomes a key. All turns of a run start from the same motion.
            if let Some(before) = self.history.last() {
                self.document.scene.motion = Arc::clone(&before.motion);
            }
            let turned = |own: &Pose| {
                let mut pose = own.clone();
                turn(&mut pose, &turns);
                pose
            };
            if let Some(motion) = keyed_motion(&self.puppet, &self.document.scene.motion, turned) {
                self.document.scene.motion = Arc::new(motion);
            }
            self.apply_motion();
        }
        self.steps.problem = None;
        self.refresh_pins();
        self.show();
        self.limit_note = limit_note(&self.puppet, self.document.settings.show_limits, &valid, &turns);
    }

    /// Blends the pose with local transforms of some nodes, and with all morph weights unless `morphs` is empty. Removes all goals. If a
    /// motion determines the pose, the result becomes a key at the current time. Until the next release, consecutive blends start from the
    /// same pose and form one undo step. Invalid transforms and unknown nodes are ignored.
    pub(super) fn blend_pose(&mut self, nodes: &[(usize, Transform)], morphs: &[f32], weight: f32) {
        if !weight.is_finite() {
            return;
        }
        let weight = weight.clamp(0.0, 1.0);
        self.begin_edit(Some(EditRun::Blend));
        if let Some(before) = self.history.last() {
            self.document.scene = before.clone();
        }
        let blend = |from: &Pose| blended(from, nodes, morphs, weight);
        if self.puppet.is_posed_by_hand() {
            let scene = &mut self.document.scene;
            scene.held = blend(&scene.held);
            if self.document.settings.auto_key {
                scene.motion = Arc::new(with_key_pose(&self.puppet, &scene.motion, &scene.held));
            }
        } else if let Some(motion) = keyed_motion(&self.puppet, &self.document.scene.motion, blend) {
            self.document.scene.motion = Arc::new(motion);
        }
        self.document.scene.goals.clear();
        (self.error, self.steps.problem) = (None, None);
        self.drags.trail.clear();
        self.apply_motion();
        self.puppet.reset_solver();
        self.refresh_pins();
        self.show();
    }

    /// Replaces the pose and changes the rest of the scene as one undo step. Pins move with their nodes. If a motion determines the pose,
    /// only the pose changes: it becomes a key at the current time.
    fn replace_pose(&mut self, pose: Pose, change: impl FnOnce(&mut Scene)) {
        if !self.puppet.is_posed_by_hand() {
            return self.key_pose(&pose);
        }
        self.begin_edit(None);
        change(&mut self.document.scene);
        self.document.scene.held = pose;
        if self.document.settings.auto_key {
            let scene = &mut self.document.scene;
            scene.motion = Arc::new(with_key_pose(&self.puppet, &scene.motion, &scene.held));
            self.apply_motion();
        }
        (self.error, self.steps.problem) = (None, None);
        self.drags.trail.clear();
        self.puppet.reset_solver();
        self.refresh_pins();
        self.show();
    }
}
