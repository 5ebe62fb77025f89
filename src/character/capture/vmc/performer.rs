//! The latest values of a performer.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use super::{BONES, VmcEvent};

/// Maximum number of morphs that are stored, so that a sender cannot exhaust the memory with new names.
const MAX_MORPHS: usize = 512;
/// Maximum number of trackers that are stored.
const MAX_TRACKERS: usize = 64;

/// The latest values of every bone, tracker and morph. Only a limited number of morphs and trackers is stored.
#[derive(Clone, Debug)]
pub struct Performer {
    /// Whether the sender has a model loaded, or `None` if it has not reported this yet.
    pub ready: Option<bool>,
    /// The sender's time in seconds.
    pub time: Option<f32>,
    /// Position and rotation of the model.
    pub root: (Vec3, Quat),
    /// Local position and rotation by [`Bone::index`](super::Bone::index), or `None` for bones that were not received.
    pub bones: [Option<(Vec3, Quat)>; BONES],
    /// Positions of trackers and of joints, by name.
    pub trackers: BTreeMap<String, Vec3>,
    /// Applied morph weights, by name in lower case.
    pub morphs: BTreeMap<String, f32>,
    /// Morph weights that the next `Apply` applies.
    pending: BTreeMap<String, f32>,
}

impl Default for Performer {
    fn default() -> Self {
        Self {
            ready: None,
            time: None,
            root: (Vec3::ZERO, Quat::IDENTITY),
            bones: [None; BONES],
            trackers: BTreeMap::new(),
            morphs: BTreeMap::new(),
            pending: BTreeMap::new(),
        }
    }
}

impl Performer {
    /// Updates the values with a message.
    pub fn update(&mut self, event: VmcEvent) {
        match event {
            VmcEvent::Ready(ready) => self.ready = Some(ready),
            VmcEvent::Time(time) => self.time = Some(time),
            VmcEvent::Root(position, rotation) => self.root = (position, rotation),
            VmcEvent::Bone(bone, position, rotation) => {
                if let Some(value) = self.bones.get_mut(bone.index()) {
                    *value = Some((position, rotation));
                }
            }
            VmcEvent::Tracker(name, position) => {
                insert_bounded(&mut self.trackers, name, position, MAX_TRACKERS);
            }
            VmcEvent::Morph(name, weight) => insert_bounded(&mut self.pending, name, weight, MAX_MORPHS),
            VmcEvent::Apply => {
                for (name, weight) in std::mem::take(&mut self.pending) {
                    insert_bounded(&mut self.morphs, name, weight, MAX_MORPHS);
                }
            }
        }
    }
}

fn insert_bounded<V>(values: &mut BTreeMap<String, V>, name: String, value: V, most: usize) {
    if values.len() < most || values.contains_key(&name) {
        values.insert(name, value);
    }
}
