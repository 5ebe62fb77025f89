//! The contacts of a motion: each keeps a point of a foot or a hand at its initial position.
//!
//! The position is taken from the pose of the keys, strips, layers and edits, including the contacts of the keys. Only the point is held.
//! The node rotates about the point, from its orientation in one key to its orientation in the next. The offset of the point fades in
//! before a contact and fades out after it.
//!
//! A contact that reaches around the end of a loop is held as two parts. In the second part, the point is where the first part put it, a
//! round earlier.

use glam::{Affine3A, Quat, Vec3};

use crate::asset::{Character, Skeleton};
use crate::motion::interpolate::slerp;
use crate::motion::key_contacts::poses;
use crate::motion::{Contact, ContactConstraint, Easing, sample_keys};
use crate::pose::{Pose, orientation, world_matrix};

use super::interval::{FADE, Interval};
use super::{PreparedMotion, Scratch};

/// A contact and the position at which it holds its point. Positions and orientations are relative to the node that the contact is on, or
/// to the world.
#[derive(Clone, Debug)]
pub(super) struct HeldContact {
    contact: Contact,
    interval: Interval,
    place: Vec3,
    /// The orientations of the node in the keys that pose it.
    keys: Vec<HeldKey>,
}

#[derive(Clone, Copy, Debug)]
struct HeldKey {
    time: f32,
    easing: Easing,
    orientation: Quat,
}

impl PreparedMotion {
    /// Finds the positions at which the contacts of the motion hold their points.
    pub(super) fn hold(&mut self, character: &Character, rest: &Pose, scratch: &mut Scratch) {
        let nodes = character.skeleton.nodes.len();
        let exists = |c: &&Contact| c.node < nodes && c.on.is_none_or(|on| on < nodes);
        let end = self.motion.seconds(&character.clips);
        // The parts of the contacts, each with the time in the round before at which its contact began.
        let mut parts: Vec<(Contact, Option<f32>)> = Vec::new();
        for contact in self.motion.contacts.iter().filter(exists) {
            let mut begun = None;
            for part in contact.parts(end) {
                parts.push((part, begun));
                begun = Some(part.from);
            }
        }
        parts.sort_by(|(a, _), (b, _)| a.from.total_cmp(&b.from));
        let contacts: Vec<Contact> = parts.iter().map(|(part, _)| *part).collect();
        for (index, &(contact, begun)) in parts.iter().enumerate() {
            let [first, last] =
                [contact.from, contact.to].map(|time| self.places(character, &contact, time, rest, scratch));
            let ([first, place], [last, _]) = (first, last);
            let place = begun.map_or(place, |time| {
                let [_, place] = self.places(character, &contact, time, rest, scratch);
                match contact.on {
                    Some(_) => place,
                    None => self.round_motion.inverse().transform_point(place),
                }
            });
            let held = |at: Vec3| if contact.slides { at.with_y(place.y) } else { place };
            let offsets = [first, last].map(|at| held(at) - at);
            if !(place.is_finite() && offsets.iter().all(|offset| offset.is_finite())) {
                continue;
            }
            let fades = fades(&contacts, index);
            let interval = Interval { from: contact.from, to: contact.to, fades, offsets };
            let keys = self.held_keys(&character.skeleton, &contact, rest, scratch);
            self.held.push(HeldContact { contact, interval, place, keys });
        }
    }

    /// Returns two positions of a contact's point at a time: without and with the contacts of the keys.
    fn places(
        &mut self,
        character: &Character,
        contact: &Contact,
        time: f32,
        rest: &Pose,
        scratch: &mut Scratch,
    ) -> [Vec3; 2] {
        let (skeleton, mut pose) = (&character.skeleton, rest.clone());
        sample_keys::sample(&self.motion.keys, skeleton, time, &mut pose, &mut scratch.other);
        let mut corrections = Vec::new();
        self.key_contacts.corrections(skeleton, time, &pose, &mut corrections);
        self.pose(character, time, &mut pose, scratch);
        let world = world_matrix(skeleton, &pose, contact.node);
        let own = world.transform_point3(contact.point);
        let mut moved = corrections.iter().filter_map(|correction| {
            self.key_contacts.moved(correction, contact.node, contact.point, &world)
        });
        let planted = moved
            .next()
            .map_or(own, |planted| own.lerp(planted, self.weight_of_keys(character, contact.node, time)));
        let on_from_world = world_from_on(skeleton, &pose, contact).inverse();
        [own, planted].map(|at| on_from_world.transform_point3(at))
    }

    /// Returns the orientations of a contact's node in nearby keys.
    fn held_keys(
        &self,
        skeleton: &Skeleton,
        contact: &Contact,
        rest: &Pose,
        scratch: &mut Scratch,
    ) -> Vec<HeldKey> {
        let motion = &self.motion;
        let keys: Vec<_> = motion.keys.iter().filter(|key| poses(key, skeleton, contact.node)).collect();
        let first = keys.partition_point(|key| key.time <= contact.from - FADE).saturating_sub(1);
        let last = keys.partition_point(|key| key.time < contact.to + FADE);
        let near = keys.get(first..keys.len().min(last + 1)).unwrap_or_default();
        let held = |key: &&crate::motion::PoseKey| {
            let mut pose = rest.clone();
            sample_keys::sample(&motion.keys, skeleton, key.time, &mut pose, &mut scratch.other);
            let orientation = relative(skeleton, &pose, contact);
            HeldKey { time: key.time, easing: key.easing, orientation }
        };
        near.iter().map(held).collect()
    }

    /// Computes the rotation of each contact's node from the pose that is interpolated from the keys at a time.
    pub(super) fn turns_of_held(&self, skeleton: &Skeleton, time: f32, pose: &Pose, turns: &mut Vec<Quat>) {
        let turn = |held: &HeldContact| {
            let after = held.keys.partition_point(|key| key.time <= time);
            let before = after.checked_sub(1).and_then(|before| held.keys.get(before));
            let (Some(a), Some(b)) = (before, held.keys.get(after)) else { return Quat::IDENTITY };
            if held.interval.weight(time) <= 0.0 {
                return Quat::IDENTITY;
            }
            let weight = a.easing.weight((time - a.time) / (b.time - a.time));
            let wanted = slerp(a.orientation, b.orientation, weight);
            (wanted * relative(skeleton, pose, &held.contact).conjugate()).normalize()
        };
        turns.clear();
        turns.extend(self.held.iter().map(turn));
    }

    /// Adds the constraints of contacts at a time. A contact in effect replaces all other constraints of its node. `turns` is computed by
    /// [`Self::turns_of_held`].
    pub(super) fn add_held(
        &self,
        character: &Character,
        time: f32,
        pose: &Pose,
        turns: &[Quat],
        contacts: &mut Vec<ContactConstraint>,
    ) {
        let skeleton = &character.skeleton;
        let is_faded = |held: &&HeldContact| !held.contact.holds_at(time);
        let faded = self.held.iter().zip(turns).filter(|(held, _)| is_faded(held));
        let full = self.held.iter().zip(turns).filter(|(held, _)| !is_faded(held));
        for (held, turn) in faded.chain(full) {
            let HeldContact { contact, interval, place, .. } = held;
            let weight = interval.weight(time);
            if weight <= 0.0 {
                continue;
            }
            let Contact { node, point, on, slides, .. } = *contact;
            if contact.holds_at(time) {
                contacts.retain(|known| known.node != node);
            }
            let on_from_world = world_from_on(skeleton, pose, contact).inverse();
            let world = world_matrix(skeleton, pose, node);
            let current = on_from_world.transform_point3(world.transform_point3(point));
            let held = if slides { current.with_y(place.y) } else { *place };
            let position = interval.position(time, current, held);
            // A strip that moves a node releases the node from the keys below the strip.
            let turn = slerp(Quat::IDENTITY, *turn, self.weight_of_keys(character, node, time));
            let orientation = Some((turn * relative(skeleton, pose, contact)).normalize());
            if position.is_finite() {
                contacts.push(ContactConstraint {
                    node,
                    offset: point,
                    position,
                    orientation,
                    on,
                    weight,
                    yields: false,
                    pulls: false,
                });
            }
        }
    }
}

/// Returns the fade durations of a contact, limited so that they do not overlap the fades of other contacts of the same node. The contacts
/// are sorted by start.
fn fades(contacts: &[Contact], index: usize) -> [f32; 2] {
    let Some(contact) = contacts.get(index) else { return [FADE; 2] };
    let of_node = |other: &&Contact| other.node == contact.node;
    let before = contacts.iter().take(index).filter(of_node).map(|other| contact.from - other.to);
    let after = contacts.iter().skip(index + 1).filter(of_node).map(|other| other.from - contact.to);
    let gaps = [before.fold(f32::INFINITY, f32::min), after.fold(f32::INFINITY, f32::min)];
    gaps.map(|gap| (0.5 * gap).clamp(0.0, FADE))
}

/// Returns the matrix of the node that a contact is on, or the identity.
fn world_from_on(skeleton: &Skeleton, pose: &Pose, contact: &Contact) -> Affine3A {
    contact.on.map_or(Affine3A::IDENTITY, |on| world_matrix(skeleton, pose, on))
}

/// Returns the orientation of a contact's node, relative to the node that it is on.
fn relative(skeleton: &Skeleton, pose: &Pose, contact: &Contact) -> Quat {
    let world = |node: usize| orientation(skeleton, pose, node).as_quat();
    let own = world(contact.node);
    contact.on.map_or(own, |on| world(on).conjugate() * own).normalize()
}
