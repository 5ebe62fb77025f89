//! What a performer said last.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use super::{BONES, Event};

/// So many morphs are remembered: who invents names without end fills nothing.
const MOST_MORPHS: usize = 512;

/// The latest word on every bone and morph. Its size is bounded whatever is said.
#[derive(Clone, Debug)]
pub struct Performer {
    /// Whether the sender says that it has a model, `None` while it has said nothing.
    pub ready: Option<bool>,
    /// The sender's clock, seconds.
    pub time: Option<f32>,
    /// Where the model stands.
    pub root: (Vec3, Quat),
    /// Local position and rotation by [`Bone::index`](super::Bone::index), `None` for those that it does not speak of.
    pub bones: [Option<(Vec3, Quat)>; BONES],
    /// Weights of morphs that hold, by their names in small letters.
    pub morphs: BTreeMap<String, f32>,
    /// Weights that hold from the next `Apply` on.
    pending: BTreeMap<String, f32>,
}

impl Default for Performer {
    fn default() -> Self {
        Self {
            ready: None,
            time: None,
            root: (Vec3::ZERO, Quat::IDENTITY),
            bones: [None; BONES],
            morphs: BTreeMap::new(),
            pending: BTreeMap::new(),
        }
    }
}

impl Performer {
    /// Takes a message in.
    pub fn hear(&mut self, event: Event) {
        match event {
            Event::Ready(ready) => self.ready = Some(ready),
            Event::Time(time) => self.time = Some(time),
            Event::Root(position, rotation) => self.root = (position, rotation),
            Event::Bone(bone, position, rotation) => {
                if let Some(place) = self.bones.get_mut(bone.index()) {
                    *place = Some((position, rotation));
                }
            }
            Event::Morph(name, weight) => keep(&mut self.pending, name, weight),
            Event::Apply => {
                for (name, weight) in std::mem::take(&mut self.pending) {
                    keep(&mut self.morphs, name, weight);
                }
            }
        }
    }
}

fn keep(morphs: &mut BTreeMap<String, f32>, name: String, weight: f32) {
    if morphs.len() < MOST_MORPHS || morphs.contains_key(&name) {
        morphs.insert(name, weight);
    }
}
