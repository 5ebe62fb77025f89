//! Edits of the rig: limits, poles and pins.

use std::sync::Arc;

use crate::document::EditRun;
use crate::ik::Limit;
use crate::rig::{self, Chain, Rig, Slide};
use crate::session::gizmo::GizmoGrip;

use super::Session;
use super::place::{allowed, pin_here};

impl Session {
    /// The rig with all edits.
    pub fn rig(&self) -> &Rig {
        &self.document.scene.rig
    }

    /// Returns whether the rig differs from the one that was last loaded or saved.
    pub fn is_rig_changed(&self) -> bool {
        self.rig_file.differs_from(&self.document.scene.rig)
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
            Err(error) => self.error = Some(error.to_string()),
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

    /// Returns the chain of the body limb that contains a joint, and the limb's pull. The pull says how strongly the limb's goals pull the
    /// body, from 0 to 1. `None` if no limb of a recognised body contains the joint.
    pub(crate) fn limb_pull(&self, node: usize) -> Option<(&Chain, f64)> {
        let rig = &self.puppet.rig;
        let limb = rig.limbs().iter().find(|limb| limb.nodes().any(|own| own == node))?;
        Some((rig.chain(limb.end())?, f64::from(limb.pull)))
    }

    /// Sets the pull of the limb that ends at a node, and solves again. Consecutive changes to the same limb, until the next release, form
    /// one undo step.
    pub(super) fn set_pull(&mut self, end: usize, pull: f64) {
        let is_end = self.limb_pull(end).is_some_and(|(chain, _)| chain.effector == end);
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
