//! Contacts of the motion: new ones, and those that keep a dragged hand in place between keys.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::mathematics::nearest_points;
use crate::motion::{Contact, Motion, is_same_time};
use crate::puppet::Puppet;
use crate::rig::{Capsule, Rig};
use crate::shared::uncovered_parts;

use super::drag::Drag;

/// Maximum distance between a hand and the flesh of a body part that counts as touching, in metres at human size.
const TOUCHING: f64 = 0.06;
/// Distance that a hand or foot may move and still count as placed by a drag, in metres at human size.
const STILL: f32 = 0.03;

/// Returns a new contact for the end of a joint's limb at the current time. `None` if there is no room for it in the motion.
pub(crate) fn new_contact(puppet: &Puppet, motion: &Motion, node: usize) -> Option<Contact> {
    let (end, point) = limb_end(&puppet.rig, node)?;
    let contact = motion.new_contact(end, point, puppet.time)?;
    Some(Contact { on: touched_by(puppet, end), ..contact })
}

/// Returns the foot or hand at the end of a joint's limb, and its contact point: the ball of a foot, or the origin of a hand.
fn limb_end(rig: &Rig, node: usize) -> Option<(usize, Vec3)> {
    let mut limbs = rig.limbs().iter();
    let has = |nodes: &[usize]| nodes.contains(&node);
    let limb = limbs.find(|limb| has(&limb.joints) || limb.digits.iter().any(|digit| has(digit)))?;
    let end = limb.end();
    let foot = rig.soles().find(|foot| foot.node == end);
    Some((end, foot.map_or(Vec3::ZERO, |foot| foot.ball)))
}

/// Returns the part of a recognised body that a hand touches in the current pose: the part with the nearest flesh, if it is within
/// [`TOUCHING`]. The hand's own arm is excluded.
fn touched_by(puppet: &Puppet, hand: usize) -> Option<usize> {
    let body = puppet.rig.body.as_ref()?;
    let own = &body.limb_ending_at(hand)?.joints;
    let world = puppet.world_from_node();
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

/// The hands and feet that drags have laid on parts of the body.
#[derive(Debug, Default)]
pub(super) struct LaidLimbs(BTreeMap<usize, Laid>);

/// The place where a drag has put a hand or foot on a part of the body.
#[derive(Clone, Copy, Debug)]
struct Laid {
    /// The node of the body part.
    on: usize,
    /// Position of the hand or foot in the frame of that node.
    place: Vec3,
    /// Time of the last key with the hand or foot at this position.
    keyed: Option<f32>,
}

impl LaidLimbs {
    /// Records where a drag has placed a hand or foot, or that the drag has moved it away.
    pub(super) fn note(&mut self, puppet: &Puppet, drag: &Drag) {
        let Some((end, _)) = limb_end(&puppet.rig, drag.hit.node).filter(|_| drag.moved) else { return };
        let on = drag.landing.and_then(|landing| landing.on);
        let known = self.0.get(&end).copied();
        match on.and_then(|on| Some((on, place_on(puppet, end, on)?))) {
            Some((on, _)) if known.is_some_and(|laid| laid.on == on && laid.holds(puppet, end)) => {}
            Some((on, place)) => drop(self.0.insert(end, Laid { on, place, keyed: None })),
            None => drop(self.0.remove(&end)),
        }
    }

    /// Adds contacts to a motion that keep hands and feet where drags have placed them, from the last key at that place to the key at the
    /// current time.
    pub(super) fn keep(&mut self, puppet: &Puppet, motion: &mut Motion) {
        let time = puppet.time;
        self.0.retain(|&end, laid| laid.holds(puppet, end));
        for (&end, laid) in &mut self.0 {
            // The last key may have been moved or removed since then.
            let has_key = |time: f32| motion.keys.iter().any(|key| is_same_time(key.time, time));
            let before = laid.keyed.replace(time);
            let before = before.filter(|before| !is_same_time(*before, time) && has_key(*before));
            let Some((before, (_, point))) = before.zip(limb_end(&puppet.rig, end)) else { continue };
            let (from, to) = (before.min(time), before.max(time));
            let is_end = |key: f32| is_same_time(key, from) || is_same_time(key, to);
            let is_between = |key: f32| key > from && key < to && !is_end(key);
            if motion.keys.iter().any(|key| is_between(key.time)) {
                continue;
            }
            let contact = Contact { node: end, point, from, to, slides: false, on: Some(laid.on) };
            motion.contacts.extend(uncovered_parts(motion, &contact));
        }
    }
}

impl Laid {
    /// Returns whether a hand or foot is still where a drag placed it.
    fn holds(&self, puppet: &Puppet, end: usize) -> bool {
        let size = puppet.rig.body.as_ref().map_or(1.0, |body| body.size);
        let scale = puppet.world_from_node().get(self.on).map(|m| m.matrix3.determinant().abs().cbrt());
        let distance = place_on(puppet, end, self.on).map(|place| place.distance(self.place));
        distance.zip(scale).is_some_and(|(distance, scale)| distance * scale < STILL * size)
    }
}

/// Returns a node's position in another node's frame.
fn place_on(puppet: &Puppet, node: usize, on: usize) -> Option<Vec3> {
    let world = puppet.world_from_node();
    Some(world.get(on)?.inverse().transform_point3(world.get(node)?.translation.into()))
}
