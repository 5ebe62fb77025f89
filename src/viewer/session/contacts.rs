//! Edits the contacts of the motion: stores the contacts that keys imply, adds new ones, and keeps a dragged hand in place between keys.

use glam::Vec3;

use crate::mathematics::nearest_points;
use crate::motion::{Contact, Motion, is_same_time};
use crate::rig::{Capsule, Foot};

use super::Session;

/// Maximum distance between a hand and the flesh of a body part that counts as touching, in metres at human size.
const TOUCHING: f64 = 0.06;
/// Distance that a hand or foot may move and still count as placed by a drag, in metres at human size.
const STILL: f32 = 0.03;

/// The place where a drag has put a hand or foot on a part of the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Laid {
    /// The node of the body part.
    on: usize,
    /// Position of the hand or foot in the frame of that node.
    place: Vec3,
    /// Time of the last key with the hand or foot at this position.
    keyed: Option<f32>,
}

impl Session {
    /// Returns the contacts that the key poses imply but that are not stored in the motion.
    pub(crate) fn contacts_of_keys(&self) -> Vec<Contact> {
        let feet: Vec<Foot> = self.puppet.rig.soles().collect();
        self.document.scene.motion.contacts_of_keys(&self.puppet.character().skeleton, &feet)
    }

    /// Stores the contacts implied by the key poses, as one undo step.
    pub(super) fn plant_keys(&mut self) {
        let feet: Vec<Foot> = self.puppet.rig.soles().collect();
        let skeleton = &self.puppet.character().skeleton;
        self.change_contacts(self.document.scene.motion.with_contacts_of_keys(skeleton, &feet));
    }

    /// Adds a contact for the end of a joint's limb at the current time, as one undo step.
    pub(super) fn add_contact(&mut self, node: usize) {
        let Some((end, point)) = self.limb_end(node) else { return };
        let Some(contact) = self.document.scene.motion.new_contact(end, point, self.puppet.time) else {
            return;
        };
        let mut motion = Motion::clone(&self.document.scene.motion);
        motion.contacts.push(Contact { on: self.touched_by(end), ..contact });
        self.change_contacts(motion);
    }

    /// Returns whether a contact for the end of a joint's limb can be added at the current time.
    pub(crate) fn can_add_contact(&self, node: usize) -> bool {
        let end = self.limb_end(node).filter(|_| !self.document.scene.motion.is_rest());
        end.is_some_and(|(end, point)| {
            self.document.scene.motion.new_contact(end, point, self.puppet.time).is_some()
        })
    }

    /// Returns the foot or hand at the end of a joint's limb, and its contact point: the ball of a foot, or the origin of a hand.
    fn limb_end(&self, node: usize) -> Option<(usize, Vec3)> {
        let rig = &self.puppet.rig;
        let has = |nodes: &[usize]| nodes.contains(&node);
        let mut limbs = rig.limbs().iter();
        let limb = limbs.find(|limb| has(&limb.joints) || limb.digits.iter().any(|digit| has(digit)))?;
        let end = limb.end();
        let foot = rig.soles().find(|foot| foot.node == end);
        Some((end, foot.map_or(Vec3::ZERO, |foot| foot.ball)))
    }

    /// Returns the part of a recognised body that a hand touches in the current pose: the part with the nearest flesh, if it is within
    /// [`TOUCHING`]. The hand's own arm is excluded.
    fn touched_by(&self, hand: usize) -> Option<usize> {
        let body = self.puppet.rig.body.as_ref()?;
        let own = &body.limb_ending_at(hand)?.joints;
        let world = self.puppet.world_from_node();
        let axis = |capsule: &Capsule| Some(capsule.axis(world.get(capsule.node)?).map(Vec3::as_dvec3));
        let palm = body.capsules.iter().find(|capsule| capsule.node == hand)?;
        let from = axis(palm)?;
        let others = body.capsules.iter().filter(|capsule| !own.contains(&capsule.node));
        let distance = |capsule: &Capsule| {
            let (a, b) = nearest_points(from, axis(capsule)?);
            let radii = f64::from(palm.radius + capsule.radius);
            Some((a.distance(b) - radii, capsule.node)).filter(|(distance, _)| distance.is_finite())
        };
        let nearest = others.filter_map(distance).min_by(|a, b| a.0.total_cmp(&b.0))?;
        (nearest.0 < TOUCHING * f64::from(body.size)).then_some(nearest.1)
    }

    /// Records where the current drag has placed a hand or foot, or that the drag has moved it away.
    pub(super) fn note_laid(&mut self) {
        let Some(drag) = self.drag.as_ref().filter(|drag| drag.moved) else { return };
        let Some((end, _)) = self.limb_end(drag.hit.node) else { return };
        let on = drag.landing.and_then(|landing| landing.on);
        let known = self.laid.get(&end).copied();
        match on.and_then(|on| Some((on, self.place_on(end, on)?))) {
            Some((on, _)) if known.is_some_and(|laid| laid.on == on && self.is_still(end, &laid)) => {}
            Some((on, place)) => drop(self.laid.insert(end, Laid { on, place, keyed: None })),
            None => drop(self.laid.remove(&end)),
        }
    }

    /// Returns the motion with contacts that keep hands and feet where drags have placed them, from the last key at that place to the key
    /// at the current time.
    pub(super) fn with_laid(&mut self, mut motion: Motion) -> Motion {
        self.note_laid();
        let time = self.puppet.time;
        let mut laid = std::mem::take(&mut self.laid);
        laid.retain(|&end, laid| self.is_still(end, laid));
        for (&end, laid) in &mut laid {
            // The last key may have been moved or removed since then.
            let has_key = |time: f32| motion.keys.iter().any(|key| is_same_time(key.time, time));
            let before = laid.keyed.replace(time);
            let before = before.filter(|before| !is_same_time(*before, time) && has_key(*before));
            let Some((before, (_, point))) = before.zip(self.limb_end(end)) else { continue };
            let (from, to) = (before.min(time), before.max(time));
            let is_end = |key: f32| is_same_time(key, from) || is_same_time(key, to);
            let is_between = |key: f32| key > from && key < to && !is_end(key);
            if motion.keys.iter().any(|key| is_between(key.time)) {
                continue;
            }
            let contact = Contact { node: end, point, from, to, slides: false, on: Some(laid.on) };
            motion.contacts.extend(motion.left_of(&contact));
        }
        self.laid = laid;
        motion
    }

    /// Returns a node's position in another node's frame.
    fn place_on(&self, node: usize, on: usize) -> Option<Vec3> {
        let world = self.puppet.world_from_node();
        Some(world.get(on)?.inverse().transform_point3(world.get(node)?.translation.into()))
    }

    /// Returns whether a hand or foot is still where a drag placed it.
    fn is_still(&self, end: usize, laid: &Laid) -> bool {
        let size = self.puppet.rig.body.as_ref().map_or(1.0, |body| body.size);
        let scale = |node: usize| {
            self.puppet.world_from_node().get(node).map(|m| m.matrix3.determinant().abs().cbrt())
        };
        let distance = self.place_on(end, laid.on).map(|place| place.distance(laid.place));
        distance.zip(scale(laid.on)).is_some_and(|(distance, scale)| distance * scale < STILL * size)
    }

    fn change_contacts(&mut self, motion: Motion) {
        self.history.end_run();
        self.set_motion(motion);
        self.history.end_run();
    }
}
