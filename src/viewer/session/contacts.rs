//! Contacts of the motion: those that its keys imply are stored, and new ones are added.

use glam::Vec3;

use crate::motion::{Contact, Motion};
use crate::rig::Foot;

use super::Session;

impl Session {
    /// Returns the contacts that the key poses imply and that are not stored.
    pub(in crate::viewer) fn contacts_of_keys(&self) -> Vec<Contact> {
        let feet: Vec<Foot> = self.puppet.rig.soles().collect();
        self.state.motion.contacts_of_keys(&self.puppet.character().skeleton, &feet)
    }

    /// Stores the contacts that the key poses imply, as one undo step.
    pub(super) fn plant_keys(&mut self) {
        let mut motion = Motion::clone(&self.state.motion);
        motion.contacts.extend(self.contacts_of_keys());
        self.change_contacts(motion);
    }

    /// Adds a contact of the end of a joint's limb at the current time, as one undo step.
    pub(super) fn add_contact(&mut self, node: usize) {
        let end = self.limb_end(node);
        let motion =
            end.and_then(|(end, point)| self.state.motion.with_contact(end, point, self.puppet.time));
        if let Some(motion) = motion {
            self.change_contacts(motion);
        }
    }

    /// Returns whether a contact of the end of a joint's limb can be added at the current time.
    pub(in crate::viewer) fn can_add_contact(&self, node: usize) -> bool {
        let end = self.limb_end(node).filter(|_| !self.state.motion.is_rest());
        end.is_some_and(|(end, point)| self.state.motion.with_contact(end, point, self.puppet.time).is_some())
    }

    /// Returns the foot or the hand at the end of the limb of a joint, and its point that touches: the ball of a foot, or the origin of
    /// a hand.
    fn limb_end(&self, node: usize) -> Option<(usize, Vec3)> {
        let rig = &self.puppet.rig;
        let mut limbs = rig.body.iter().flat_map(|body| &body.limbs);
        let has = |nodes: &[usize]| nodes.contains(&node);
        let limb = limbs.find(|limb| has(&limb.joints) || limb.digits.iter().any(|digit| has(digit)))?;
        let end = limb.end();
        let foot = rig.soles().find(|foot| foot.node == end);
        Some((end, foot.map_or(Vec3::ZERO, |foot| foot.ball)))
    }

    fn change_contacts(&mut self, motion: Motion) {
        self.history.end_run();
        self.set_motion(motion);
        self.history.end_run();
    }
}
