//! Contacts of key poses: a foot that is in the same place in two successive keys stays there between them.
//!
//! Interpolated joints do not keep a foot in place: the hips move in a straight line from one key to the next, and knees turn at a
//! constant rate. Between two keys, the foot of the interpolated pose is therefore corrected:
//!
//! - If its heel or its ball is in the same place in both keys, the contact is held. That point moves straight between the two places,
//!   which are less than [`SAME_PLACE`] apart, and the foot turns about it from one orientation to the other.
//! - Any other foot follows the joints, but is raised if it would sink below the floor, or sink deeper than in the keys. The allowed
//!   depth is interpolated linearly between the keys.
//!
//! At the keys themselves, nothing is corrected.

use glam::{Affine3A, Quat, Vec3};

use crate::asset::Skeleton;
use crate::pose::{Pose, orientation, world_matrices, world_matrix};
use crate::rig::Foot;

use super::contact::Contact;
use super::interpolate::slerp;
use super::{ContactConstraint, Easing, Motion, PoseKey, sample_keys};

/// A point is in the same place in two keys if it moves by less than this, in metres at human size.
const SAME_PLACE: f32 = 0.005;
/// Corrections below this, in metres or radians, are treated as rounding errors.
const ROUNDING: f32 = 1e-6;

/// The contacts of the keys of a motion.
#[derive(Clone, Debug, Default)]
pub(super) struct KeyContacts {
    tracks: Vec<Track>,
    world: Vec<Affine3A>,
}

/// A foot in all keys that pose it.
#[derive(Clone, Debug)]
struct Track {
    foot: Foot,
    keys: Vec<FootKey>,
}

/// A foot in a key.
#[derive(Clone, Debug)]
struct FootKey {
    time: f32,
    easing: Easing,
    place: Place,
    /// The contact that is held until the next key.
    contact: Option<Contact>,
}

/// Position and orientation of a foot in a pose.
#[derive(Clone, Copy, Debug)]
struct Place {
    world_from_foot: Affine3A,
    orientation: Quat,
    /// Height of the foot's lowest point relative to the floor, in metres, at most 0.
    sunk: f32,
}

/// The correction of a foot's position and orientation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Correction {
    foot: usize,
    /// The point about which the foot turns, in the foot's frame, and the displacement of that point in the world.
    point: Vec3,
    shift: Vec3,
    turn: Quat,
}

impl KeyContacts {
    pub(super) fn new(motion: &Motion, skeleton: &Skeleton, feet: &[Foot]) -> Self {
        let (mut pose, mut other) = (Pose::rest(skeleton), Pose::default());
        let mut world = Vec::new();
        let mut track = |foot: &Foot| {
            let keys = motion.keys.iter().filter(|key| poses(key, skeleton, foot.node));
            let mut keys: Vec<FootKey> = keys
                .map(|key| {
                    sample_keys::sample(&motion.keys, skeleton, key.time, &mut pose, &mut other);
                    world_matrices(skeleton, &pose, &mut world);
                    let place = Place::of(foot, skeleton, &pose, &world);
                    FootKey { time: key.time, easing: key.easing, place, contact: None }
                })
                .collect();
            let nexts: Vec<(f32, Place)> = keys.iter().skip(1).map(|key| (key.time, key.place)).collect();
            for (key, (to, next)) in keys.iter_mut().zip(nexts) {
                let moved = |point: Vec3| key.place.at(point).distance(next.at(point));
                // The foot rolls about its ball if the ball stays in place.
                let mut points = [foot.ball, foot.heel].into_iter();
                let held = points.find(|point| moved(*point) < SAME_PLACE * foot.size);
                let node = foot.node;
                key.contact =
                    held.map(|point| Contact { node, point, from: key.time, to, slides: false, on: None });
            }
            Track { foot: *foot, keys }
        };
        let nodes = skeleton.nodes.len();
        let is_known = |foot: &&Foot| foot.node < nodes && foot.sole.iter().all(|(node, _)| *node < nodes);
        let tracks = if motion.keys.len() < 2 {
            Vec::new()
        } else {
            feet.iter().filter(is_known).map(&mut track).collect()
        };
        Self { tracks, world }
    }

    /// Returns the contacts in the order of the feet and of their keys. Contacts of successive keys are merged while the point stays at
    /// its position in the first key. If `is_loop` is set, the motion starts over after its last key, so a contact that ends there is merged
    /// with one that starts at the first key.
    pub(super) fn contacts(&self, is_loop: bool) -> Vec<Contact> {
        self.tracks.iter().flat_map(|track| track.contacts(is_loop)).collect()
    }

    /// Returns the corrections of the feet at a time, for the pose that is interpolated from the keys.
    pub(super) fn corrections(
        &mut self,
        skeleton: &Skeleton,
        time: f32,
        pose: &Pose,
        corrections: &mut Vec<Correction>,
    ) {
        corrections.clear();
        let Self { tracks, world } = self;
        let mut is_placed = false;
        for (index, track) in tracks.iter().enumerate() {
            let after = track.keys.partition_point(|key| key.time <= time);
            let before = after.checked_sub(1).and_then(|before| track.keys.get(before));
            let (Some(a), Some(b)) = (before, track.keys.get(after)) else { continue };
            let weight = a.easing.weight((time - a.time) / (b.time - a.time));
            if weight <= 0.0 || weight >= 1.0 {
                continue;
            }
            if !is_placed {
                world_matrices(skeleton, pose, world);
                is_placed = true;
            }
            let correction = track.correct(index, a, b, weight, skeleton, pose, world);
            let turn = correction.turn.xyz().length();
            corrections.extend(Some(correction).filter(|c| c.shift.length() > ROUNDING || turn > ROUNDING));
        }
    }

    /// Returns the position to which a correction moves a point of a node, or `None` if the correction is for another node.
    /// `world_from_node` is the node's matrix in the pose.
    pub(super) fn moved(
        &self,
        correction: &Correction,
        node: usize,
        point: Vec3,
        world_from_node: &Affine3A,
    ) -> Option<Vec3> {
        self.tracks.get(correction.foot).filter(|track| track.foot.node == node)?;
        let [pivot, point] = [correction.point, point].map(|p| world_from_node.transform_point3(p));
        Some(pivot + correction.shift + correction.turn * (point - pivot))
    }

    /// Returns the contact constraint of a corrected foot, or `None` if its weight is 0. `pose` is the pose after everything else has been
    /// added to the keys. `weight` returns the weight of a foot.
    pub(super) fn constraint(
        &self,
        correction: &Correction,
        skeleton: &Skeleton,
        pose: &Pose,
        weight: impl Fn(usize) -> f32,
    ) -> Option<ContactConstraint> {
        let &Correction { foot, point: offset, shift, turn } = correction;
        let node = self.tracks.get(foot)?.foot.node;
        let weight = weight(node);
        let world = world_matrix(skeleton, pose, node);
        let position = world.transform_point3(offset) + shift;
        let orientation = Some((turn * orientation(skeleton, pose, node).as_quat()).normalize());
        (weight > 0.0).then_some(ContactConstraint {
            node,
            offset,
            position,
            orientation,
            on: None,
            weight,
            yields: false,
            pulls: false,
        })
    }
}

impl Track {
    /// Returns the contacts of the foot, see [`KeyContacts::contacts`].
    fn contacts(&self, is_loop: bool) -> Vec<Contact> {
        let (mut joined, mut first): (Vec<Contact>, Vec3) = (Vec::new(), Vec3::ZERO);
        let is_near = |key: &FootKey, point: Vec3, first: Vec3| {
            key.place.at(point).distance(first) < SAME_PLACE * self.foot.size
        };
        for (key, next) in self.keys.iter().zip(self.keys.iter().skip(1)) {
            let Some(contact) = key.contact else { continue };
            let goes_on = |last: &&mut Contact| {
                last.point == contact.point
                    && last.to.to_bits() == contact.from.to_bits()
                    && is_near(next, contact.point, first)
            };
            match joined.last_mut().filter(goes_on) {
                Some(last) => last.to = contact.to,
                None => {
                    first = key.place.at(contact.point);
                    joined.push(contact);
                }
            }
        }
        if let ([start, .., end], true, [first_key, .., last_key]) = (&joined[..], is_loop, &self.keys[..]) {
            let reaches =
                [start.from, end.to].map(f32::to_bits) == [first_key.time, last_key.time].map(f32::to_bits);
            let wrapped = Contact { to: start.to, ..*end };
            let mut held = self.keys.iter().take_while(|key| key.time <= start.to);
            let goes_on = start.point == end.point && held.all(|key| is_near(key, end.point, first));
            if reaches && goes_on && wrapped.wraps() {
                joined.remove(0);
                joined.pop();
                joined.push(wrapped);
            }
        }
        joined
    }

    /// Returns the correction of the foot at `index` between its keys `a` and `b`. `weight` is the weight of `b`, and `world` contains the
    /// world matrices of the interpolated pose.
    fn correct(
        &self,
        index: usize,
        a: &FootKey,
        b: &FootKey,
        weight: f32,
        skeleton: &Skeleton,
        pose: &Pose,
        world: &[Affine3A],
    ) -> Correction {
        let foot = &self.foot;
        let now = Place::of(foot, skeleton, pose, world);
        if let Some(contact) = &a.contact {
            let orientation = slerp(a.place.orientation, b.place.orientation, weight);
            let turn = shorter(orientation * now.orientation.conjugate());
            let [from, to, now] = [&a.place, &b.place, &now].map(|place| place.at(contact.point));
            return Correction {
                foot: index,
                point: contact.point,
                shift: from.lerp(to, weight) - now,
                turn,
            };
        }
        let sunk = a.place.sunk + (b.place.sunk - a.place.sunk) * weight;
        let shift = Vec3::Y * (sunk - now.sunk).max(0.0);
        Correction { foot: index, point: foot.ball, shift, turn: Quat::IDENTITY }
    }
}

impl Place {
    fn of(foot: &Foot, skeleton: &Skeleton, pose: &Pose, world: &[Affine3A]) -> Self {
        Self {
            world_from_foot: world[foot.node],
            orientation: orientation(skeleton, pose, foot.node).as_quat().normalize(),
            sunk: foot.sunk(world),
        }
    }

    /// Returns the world position of a point of the foot.
    fn at(&self, point: Vec3) -> Vec3 {
        self.world_from_foot.transform_point3(point)
    }
}

/// Returns whether a key poses a foot, which means that it includes the foot or one of its ancestors.
pub(super) fn poses(key: &PoseKey, skeleton: &Skeleton, foot: usize) -> bool {
    !key.partial || key.joints.iter().any(|(joint, _)| skeleton.ancestors(foot).any(|node| node == *joint))
}

/// Returns the quaternion of a rotation by at most half a turn.
fn shorter(q: Quat) -> Quat {
    if q.w < 0.0 { -q } else { q }
}
