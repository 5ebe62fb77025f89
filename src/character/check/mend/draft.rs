//! The poses of a clip while it is repaired.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};

use crate::asset::{Channel, Clip, Interpolation, Values};
use crate::check::checker::{Checker, Prepared};
use crate::check::contacts::Contacts;
use crate::check::kind::Check;
use crate::check::sampled::Sampled;
use crate::pose::orientation;

use super::change::{Difference, Repair};

/// A clip that is being repaired.
pub(in crate::check) struct Draft<'a, 'b> {
    pub(in crate::check) checker: &'b Checker<'a>,
    pub(in crate::check) sampled: Sampled,
    pub(in crate::check) contacts: Contacts,
    pub(in crate::check) floor: f32,
    /// Number of earlier rounds of repairs.
    pub(in crate::check) round: usize,
    /// Whether a loop with differing ends is closed.
    pub(in crate::check) closes_loop: bool,
    rotated: BTreeSet<usize>,
    translated: BTreeSet<usize>,
    /// The samples before the current repair.
    before: Sampled,
}

impl<'a, 'b> Draft<'a, 'b> {
    pub(in crate::check) fn new(checker: &'b Checker<'a>, prepared: Prepared) -> Self {
        let Prepared { sampled, contacts, floor, .. } = prepared;
        let before = sampled.clone();
        Self {
            checker,
            sampled,
            contacts,
            floor,
            round: 0,
            closes_loop: true,
            rotated: BTreeSet::new(),
            translated: BTreeSet::new(),
            before,
        }
    }

    /// Starts a repair. [`Self::change`] then returns the difference that it makes.
    pub(in crate::check) fn begin(&mut self) {
        self.before = self.sampled.clone();
        self.contacts = Contacts::new(&self.checker.anatomy, &self.sampled, self.floor);
    }

    /// Describes the repair.
    pub(in crate::check) fn change(
        &self,
        check: Check,
        mut nodes: Vec<usize>,
        (from, to): (f32, f32),
        text: &str,
    ) -> Repair {
        nodes.sort_unstable();
        nodes.dedup();
        let difference = Difference::of_samples(self.checker, &self.before, &self.sampled);
        Repair { check, nodes, from, to, text: text.to_owned(), difference }
    }

    /// Sets the local rotation of a joint in a frame. The world matrices are not updated.
    pub(in crate::check) fn set_rotation(&mut self, frame: usize, node: usize, rotation: Quat) {
        let pose = self.sampled.poses.get_mut(frame);
        if let Some(local) = pose.and_then(|pose| pose.locals.get_mut(node))
            && rotation.is_finite()
        {
            local.rotation = rotation.normalize();
            self.rotated.insert(node);
        }
    }

    /// Sets the local translation of a joint in a frame. The world matrices are not updated.
    pub(in crate::check) fn set_translation(&mut self, frame: usize, node: usize, translation: Vec3) {
        let pose = self.sampled.poses.get_mut(frame);
        if let Some(local) = pose.and_then(|pose| pose.locals.get_mut(node))
            && translation.is_finite()
        {
            local.translation = translation;
            self.translated.insert(node);
        }
    }

    /// Updates the world matrices of a frame.
    pub(in crate::check) fn refresh(&mut self, frame: usize) {
        self.sampled.refresh(&self.checker.character.skeleton, frame);
    }

    /// Updates all world matrices.
    pub(in crate::check) fn refresh_all(&mut self) {
        (0..self.sampled.len()).for_each(|frame| self.refresh(frame));
    }

    /// Returns the world orientation of a node in a frame, or the identity for `None`.
    pub(in crate::check) fn orientation(&self, frame: usize, node: Option<usize>) -> Quat {
        let pose = self.sampled.poses.get(frame);
        match (node, pose) {
            (Some(node), Some(pose)) => orientation(&self.checker.character.skeleton, pose, node).as_quat(),
            _ => Quat::IDENTITY,
        }
    }

    pub(in crate::check) fn parent(&self, node: usize) -> Option<usize> {
        self.checker.character.skeleton.nodes.get(node).and_then(|n| n.parent)
    }

    /// Returns the node that moves the whole body: the hips, or the root if the feet are not descendants of the hips.
    pub(in crate::check) fn body_root(&self) -> usize {
        let skeleton = &self.checker.character.skeleton;
        let hips = self.checker.anatomy.hips;
        let is_below = |node: usize| skeleton.ancestors(node).any(|n| n == hips);
        if self.checker.anatomy.feet.iter().all(|foot| is_below(foot.node)) {
            hips
        } else {
            skeleton.ancestors(hips).last().unwrap_or(hips)
        }
    }

    /// Moves a node in world space in a frame, and updates the world matrices of the frame.
    pub(in crate::check) fn shift(&mut self, frame: usize, node: usize, offset: Vec3) {
        let above = self.parent(node).map(|p| self.sampled.matrix(frame, p));
        let local = above.map_or(offset, |m| m.inverse().transform_vector3(offset));
        let moved = self.sampled.local(frame, node).translation + local;
        self.set_translation(frame, node, moved);
        self.refresh(frame);
    }

    /// Returns the clip with the repaired channels.
    pub(in crate::check) fn clip(&self, original: &Clip) -> Clip {
        let mut clip = original.clone();
        let is_replaced = |c: &Channel| match c.values {
            Values::Rotation(_) => self.rotated.contains(&c.node),
            Values::Translation(_) => self.translated.contains(&c.node),
            _ => false,
        };
        clip.channels.retain(|c| !is_replaced(c));
        if self.rotated.is_empty() && self.translated.is_empty() {
            return clip;
        }
        let timeline = clip.timelines.len();
        clip.timelines.push(self.sampled.times.clone());
        let mut add = |node: usize, values: Values| {
            clip.channels.push(Channel { node, timeline, interpolation: Interpolation::Linear, values });
        };
        for &node in &self.translated {
            let values = (0..self.sampled.len()).map(|f| self.sampled.local(f, node).translation).collect();
            add(node, Values::Translation(values));
        }
        for &node in &self.rotated {
            add(node, Values::Rotation(self.sampled.rotations(node)));
        }
        remove_unused_timelines(&mut clip);
        clip
    }
}

/// Removes the lists of key times that no channel uses any longer.
fn remove_unused_timelines(clip: &mut Clip) {
    let used: BTreeSet<usize> =
        clip.channels.iter().map(|c| c.timeline).chain(clip.properties.iter().map(|p| p.timeline)).collect();
    let position = |old: usize| used.iter().position(|u| *u == old).unwrap_or(0);
    clip.channels.iter_mut().for_each(|c| c.timeline = position(c.timeline));
    clip.properties.iter_mut().for_each(|p| p.timeline = position(p.timeline));
    clip.timelines = used.iter().filter_map(|u| clip.timelines.get(*u).cloned()).collect();
}
