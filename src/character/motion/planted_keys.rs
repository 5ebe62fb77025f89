//! Derives contacts from keys, so that they can be stored and changed, and adds contacts at a time.

use glam::Vec3;

use crate::asset::Skeleton;
use crate::rig::Foot;

use super::key_contacts::KeyContacts;
use super::pose_key::{SAME_TIME, is_same_time};
use super::{Contact, Motion};

/// Duration in seconds of a contact that is added after the last key.
const LENGTH: f32 = 1.0;

impl Motion {
    /// Returns the contacts that follow from the keys: a foot that is in the same place in successive keys is in contact. When the foot
    /// drifts away from its position in the first of these keys, another contact begins. While the motion itself has a contact of a foot,
    /// the keys add no contact for it.
    ///
    /// If the motion is played as a loop (`looping`) and ends at its last key, a foot that stands in the same place at the end and at the start
    /// has one contact, which [wraps](Contact::wraps). Only a stored contact has one place around the end: without it, the foot is corrected
    /// between successive keys, and moves by up to 5 mm at human size where the loop starts over.
    ///
    /// ```
    /// use sinew_character::motion::{Motion, PoseKey};
    /// use sinew_character::pose::Pose;
    /// use sinew_character::{asset, rig};
    ///
    /// let character = asset::mannequin()?;
    /// let (skeleton, rest) = (&character.skeleton, Pose::rest(&character.skeleton));
    /// let motion = [0.0, 1.0, 2.0].iter().fold(Motion::default(), |motion, time| {
    ///     motion.with_key(PoseKey::new(*time, &rest, skeleton))
    /// });
    /// let feet: Vec<_> = rig::detect(&character).soles().collect();
    /// let contacts = motion.contacts_of_keys(skeleton, &feet, false);
    /// assert!(contacts.len() == 2 && contacts.iter().all(|c| (c.from, c.to) == (0.0, 2.0)));
    /// // Once they are stored, nothing else follows from the keys.
    /// let planted = motion.with_contacts_of_keys(skeleton, &feet, false);
    /// assert_eq!(planted.contacts, contacts);
    /// assert_eq!(planted.contacts_of_keys(skeleton, &feet, false), []);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contacts_of_keys(&self, skeleton: &Skeleton, feet: &[Foot], looping: bool) -> Vec<Contact> {
        if self.validate().is_err() {
            return Vec::new();
        }
        // If the motion ended later, a contact that wraps would also hold the foot in keys that are added after the last one.
        let last = self.keys.last().map_or(0.0, |key| key.time);
        let ends_with_keys = self.takes_keys() && is_same_time(self.seconds(&[]), last);
        let contacts = KeyContacts::new(self, skeleton, feet).contacts(looping && ends_with_keys);
        contacts.iter().flat_map(|contact| uncovered_parts(self, contact)).collect()
    }

    /// Returns the motion with the contacts of its keys ([`Motion::contacts_of_keys`]) added to its stored contacts.
    #[must_use]
    pub fn with_contacts_of_keys(&self, skeleton: &Skeleton, feet: &[Foot], looping: bool) -> Self {
        let mut motion = self.clone();
        motion.contacts.extend(self.contacts_of_keys(skeleton, feet, looping));
        motion
    }

    /// Returns the motion with a new contact of a node that starts at a time. It lasts until the next key, or for one second after the last
    /// key, but at most until the node's next contact. Returns `None` if the node has a contact at that time, or if the time is not finite.
    pub fn with_contact(&self, node: usize, point: Vec3, time: f32) -> Option<Self> {
        self.new_contact(node, point, time).map(|contact| {
            let mut motion = self.clone();
            motion.contacts.push(contact);
            motion
        })
    }

    /// Returns the contact that [`Motion::with_contact`] adds. `point` is in the space of the node, and `time` in seconds.
    pub fn new_contact(&self, node: usize, point: Vec3, time: f32) -> Option<Contact> {
        let own = || self.contacts.iter().filter(|contact| contact.node == node);
        if own().any(|contact| contact.holds_at(time)) {
            return None;
        }
        let key = self.keys.iter().map(|key| key.time).find(|key| *key >= time + SAME_TIME);
        let next = own().map(|contact| contact.from).filter(|from| *from > time);
        let to = next.fold(key.unwrap_or(time + LENGTH), f32::min);
        let contact = Contact { node, point, from: time, to, slides: false, on: None };
        contact.error().is_none().then_some(contact)
    }
}

/// Returns the parts of a contact during which a motion has no contact of the same node.
pub fn uncovered_parts(motion: &Motion, contact: &Contact) -> Vec<Contact> {
    let stored = motion.contacts.iter().filter(|c| c.node == contact.node);
    let mut stored: Vec<Contact> = stored.flat_map(|c| c.parts(f32::INFINITY)).collect();
    stored.sort_by(|a, b| a.from.total_cmp(&b.from));
    // Keys imply a contact that wraps only if the motion has no clips.
    let last = motion.seconds(&[]);
    let mut parts: Vec<Contact> = Vec::new();
    for part in contact.parts(last) {
        let mut from = part.from;
        for [start, end] in stored.iter().map(|c| [c.from, c.to]).chain([[part.to; 2]]) {
            let to = start.min(part.to);
            if to > from {
                parts.push(Contact { from, to, ..part });
            }
            from = from.max(end);
        }
    }
    let meets = |pair: &[Contact]| matches!(pair, [a, b] if a.to >= last && b.from <= 0.0);
    if contact.wraps()
        && let Some(seam) = parts.windows(2).position(meets)
    {
        let after = parts.remove(seam + 1);
        if let Some(before) = parts.get_mut(seam) {
            before.to = after.to;
        }
    }
    let seconds = |part: &Contact| part.to - part.from + if part.wraps() { last } else { 0.0 };
    parts.retain(|part| seconds(part) > SAME_TIME);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::mannequin;
    use crate::motion::PoseKey;
    use crate::pose::Pose;
    use crate::rig;

    #[test]
    fn stored_contacts_leave_the_rest_to_the_keys() {
        let character = mannequin().unwrap();
        let (skeleton, rest) = (&character.skeleton, Pose::rest(&character.skeleton));
        let feet: Vec<Foot> = rig::detect(&character).soles().take(1).collect();
        let mut motion = Motion::default();
        for time in [0.0, 1.0, 2.0] {
            motion = motion.with_key(PoseKey::new(time, &rest, skeleton));
        }
        let stored =
            |from, to| Contact { node: feet[0].node, point: Vec3::ZERO, from, to, slides: false, on: None };
        let spans = |contacts: Vec<Contact>| {
            motion = Motion { contacts, ..motion.clone() };
            let left = motion.contacts_of_keys(skeleton, &feet, true);
            left.iter().map(|c| (c.from, c.to)).collect::<Vec<_>>()
        };
        let mut spans = spans;
        assert_eq!(spans(vec![]), [(0.0, 2.0)]);
        assert_eq!(spans(vec![stored(0.5, 1.5)]), [(0.0, 0.5), (1.5, 2.0)]);
        assert_eq!(spans(vec![stored(1.0, 3.0), stored(-1.0, 0.25)]), [(0.25, 1.0)]);
        assert_eq!(spans(vec![stored(0.0, 1.9), stored(0.5, 1.0), stored(1.91, 2.0)]), []);
        assert_eq!(spans(vec![stored(1.5, 0.5)]), [(0.5, 1.5)]);
        // A contact of another node does not shorten the contact.
        assert_eq!(spans(vec![Contact { node: 0, ..stored(0.0, 2.0) }]), [(0.0, 2.0)]);
    }

    /// Returns a motion in which a foot stands in the first two keys, is elsewhere in the third one, and stands in the last two. `back` is the
    /// distance in metres between its first and its last place.
    fn cycle(skeleton: &Skeleton, back: f32) -> Motion {
        let root = skeleton.parents_first[0].0;
        let places = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.5), (3.0, back), (4.0, back)];
        places.into_iter().fold(Motion::default(), |motion, (time, place)| {
            let mut pose = Pose::rest(skeleton);
            pose.locals[root].translation.z += place;
            motion.with_key(PoseKey::new(time, &pose, skeleton))
        })
    }

    #[test]
    fn a_foot_that_stands_at_both_ends_of_a_loop_has_one_contact() {
        let character = mannequin().unwrap();
        let skeleton = &character.skeleton;
        let feet: Vec<Foot> = rig::detect(&character).soles().take(1).collect();
        let spans = |motion: &Motion| {
            let contacts = motion.contacts_of_keys(skeleton, &feet, true);
            contacts.iter().map(|c| (c.from, c.to)).collect::<Vec<_>>()
        };
        let motion = cycle(skeleton, 0.001);
        assert_eq!(spans(&motion), [(3.0, 1.0)]);
        let lasting = |duration| Motion { duration: Some(duration), ..motion.clone() };
        assert_eq!(spans(&lasting(4.0)), [(3.0, 1.0)]);
        // The motion ends before or after the last key, or is played once.
        let apart = [(0.0, 1.0), (3.0, 4.0)];
        assert_eq!(spans(&lasting(3.5)), apart);
        assert_eq!(spans(&lasting(5.0)), apart);
        let once = motion.contacts_of_keys(skeleton, &feet, false);
        assert_eq!(once.iter().map(|c| (c.from, c.to)).collect::<Vec<_>>(), apart);
        assert_eq!(spans(&cycle(skeleton, 0.02)), apart);
        let planted = motion.with_contacts_of_keys(skeleton, &feet, true);
        assert_eq!((spans(&planted), planted.validate()), (vec![], Ok(())));
        let stored = |from, to| {
            let contact =
                Contact { node: feet[0].node, point: Vec3::ZERO, from, to, slides: false, on: None };
            spans(&Motion { contacts: vec![contact], ..motion.clone() })
        };
        assert_eq!(stored(3.5, 0.5), [(3.0, 3.5), (0.5, 1.0)]);
        assert_eq!(stored(0.25, 0.5), [(3.0, 0.25), (0.5, 1.0)]);
        assert_eq!(stored(2.5, 3.5), [(3.5, 1.0)]);
        assert_eq!(stored(0.0, 4.0), []);
    }

    /// Regression test: each key is near the previous one, so a single contact held the foot at its first position until the end.
    #[test]
    fn a_foot_that_drifts_has_more_than_one_contact() {
        let character = mannequin().unwrap();
        let (skeleton, rest) = (&character.skeleton, Pose::rest(&character.skeleton));
        let feet: Vec<Foot> = rig::detect(&character).soles().take(1).collect();
        let root = skeleton.parents_first[0].0;
        let spans = |drift: f32| {
            let motion = (0..20_u8).map(f32::from).fold(Motion::default(), |motion, time| {
                let mut pose = rest.clone();
                pose.locals[root].translation.z += drift * time;
                motion.with_key(PoseKey::new(time, &pose, skeleton))
            });
            let contacts = motion.contacts_of_keys(skeleton, &feet, true);
            contacts.iter().map(|c| (c.from, c.to)).collect::<Vec<_>>()
        };
        let each: Vec<(f32, f32)> = (0..19_u8).map(f32::from).map(|time| (time, time + 1.0)).collect();
        assert_eq!(spans(0.004), each);
        assert_eq!(spans(0.0001), [(0.0, 19.0)]);
    }

    #[test]
    fn a_contact_is_added_until_the_next_key_or_contact() {
        let keys = [0.0, 1.0].map(|time| PoseKey { time, ..PoseKey::default() }).into();
        let motion = Motion { keys, ..Motion::default() };
        let added = |motion: &Motion, time| {
            let motion = motion.with_contact(7, Vec3::Y, time)?;
            assert_eq!(motion.validate(), Ok(()));
            motion.contacts.last().map(|c| (c.node, c.point, c.from, c.to))
        };
        assert_eq!(added(&motion, 0.0), Some((7, Vec3::Y, 0.0, 1.0)));
        assert_eq!(added(&motion, 1.0), Some((7, Vec3::Y, 1.0, 2.0)));
        assert_eq!(added(&motion, f32::NAN), None);
        let motion = motion.with_contact(7, Vec3::Y, 0.5).unwrap();
        assert_eq!(added(&motion, 0.2), Some((7, Vec3::Y, 0.2, 0.5)));
        assert_eq!(added(&motion, 0.7), None);
        // Around the end of a loop, there is no room either.
        let mut wrapped = motion;
        (wrapped.contacts[0].from, wrapped.contacts[0].to) = (0.75, 0.25);
        assert_eq!([0.0, 0.25, 0.75, 1.0].map(|time| added(&wrapped, time)), [None; 4]);
        assert_eq!(added(&wrapped, 0.5), Some((7, Vec3::Y, 0.5, 0.75)));
    }
}
