//! The rig as it is edited: limits, poles and pins.

use std::sync::Arc;

use glam::DQuat;

use crate::ik::Limit;
use crate::puppet::Pin;
use crate::rig::{Rig, orientation};

use super::super::gizmo::Grip;
use super::super::history::Run;
use super::Session;

impl Session {
    /// The rig as it is now.
    pub fn rig(&self) -> &Rig {
        &self.state.rig
    }

    /// Whether the rig is another than the one that was loaded or saved last.
    pub fn is_rig_changed(&self) -> bool {
        !Arc::ptr_eq(&self.state.rig, &self.saved_rig) && self.state.rig != self.saved_rig
    }

    /// Puts another rig in the place of the present one.
    pub(in super::super) fn set_rig(&mut self, rig: Arc<Rig>) {
        if !Arc::ptr_eq(&rig, &self.state.rig) || self.puppet.rig != *rig {
            self.puppet.rig.clone_from(&rig);
        }
        self.state.rig = rig;
    }

    pub(in super::super) fn change_rig(&mut self, act: impl FnOnce(&mut Rig)) {
        let mut rig = Rig::clone(&self.state.rig);
        act(&mut rig);
        self.set_rig(Arc::new(rig));
    }

    /// Limits a joint, and turns it to where it still may be.
    pub(in super::super) fn limit_joint(&mut self, node: usize, limit: Limit) {
        self.change_rig(|rig| {
            let joint = rig.joints.entry(node).or_default();
            joint.limit = limit;
            if *joint == Default::default() {
                rig.joints.remove(&node);
            }
        });
        let local = self.state.held.locals.get(node).map(|l| l.rotation);
        let Some(now) = local else { return };
        let allowed = self.allowed(node, now.as_dquat()).as_quat().normalize();
        // Untouched where it may stay: a way through double precision and back would move the last digits.
        if let Some(local) =
            self.state.held.locals.get_mut(node).filter(|_| allowed.angle_between(now) > 1e-6)
        {
            local.rotation = allowed;
        }
    }

    /// The local rotation next to one that a joint's limit allows, where limits count.
    pub(in super::super) fn allowed(&self, node: usize, local: DQuat) -> DQuat {
        let joint = self.puppet.character().skeleton.nodes.get(node).filter(|_| self.options.limits);
        let Some(rest) = joint.map(|n| n.rest.rotation.as_dquat()) else { return local };
        match self.puppet.rig.joint(node).limit {
            Limit::Free => local,
            limit => rest * limit.nearest(rest.conjugate() * local),
        }
    }

    /// A limit that was asked for in numbers. What follows on the same joint, until something is let go, is one step.
    pub(super) fn edit_limit(&mut self, node: usize, limit: Limit) {
        if node >= self.state.held.locals.len() || limit.fault().is_some() {
            return;
        }
        if self.is_dragging() {
            self.release();
        }
        self.history.remember_run(Run::Limit(node), &self.state);
        self.limit_joint(node, limit);
        self.pin_again();
        self.solve();
    }

    /// Takes the pole of the selected limb away, if the pointer is on it.
    pub(super) fn unset_pole(&mut self, grip: Option<Grip>) -> bool {
        let (Some(Grip::Pole), Some(node)) = (grip, self.selected) else { return false };
        self.history.remember(self.state.clone());
        self.change_rig(|rig| {
            let limb = rig.chains.iter_mut().find(|c| c.joints.len() == 3 && c.joints.contains(&node));
            if let Some(limb) = limb {
                limb.pole = None;
            }
        });
        self.hot = None;
        self.solve();
        true
    }

    /// A pin where a node is now.
    pub(super) fn pin_here(&self, node: usize) -> Pin {
        let skeleton = &self.puppet.character().skeleton;
        let turned = || orientation(skeleton, self.puppet.pose(), node);
        Pin { node, place: self.place(node).map(|p| (p.as_dvec3(), turned())) }
    }

    /// Pins what is pinned where it has come to by something that is no solve: the next one then pulls nothing back.
    pub(in super::super) fn pin_again(&mut self) {
        if !self.puppet.motion.is_rest() {
            return;
        }
        self.show();
        let pins = self.state.pins.iter().map(|p| self.pin_here(p.node)).collect();
        self.state.pins = pins;
    }
}
