//! Fingerprints that identify a recording's character and clip files.

use crc32fast::Hasher;

use crate::asset::{Character, Clip, Node, Skeleton, Transform, Values};
use crate::capture::write_csv;
use crate::export::bake::Source;
use crate::rig::Rig;

/// Returns whether two skeletons have the same nodes, by name and parent.
pub(super) fn has_same_nodes(a: &Skeleton, b: &Skeleton) -> bool {
    let is_same = |(a, b): (&Node, &Node)| (&a.name, a.parent) == (&b.name, b.parent);
    a.nodes.len() == b.nodes.len() && a.nodes.iter().zip(&b.nodes).all(is_same)
}

/// Returns the CRC-32 (IEEE 802.3) of everything that affects motion and picking: rest transforms, positions, clips and
/// rig. The file format and the appearance of surfaces do not matter.
pub(crate) fn of_character(character: &Character, clips: &[Clip], rig: &Rig) -> String {
    let mut hasher = Hasher::new();
    let mut floats = |values: &[f32]| values.iter().for_each(|v| hasher.update(&v.to_le_bytes()));
    for node in &character.skeleton.nodes {
        let Transform { translation, rotation, scale } = node.rest;
        floats(&translation.to_array());
        floats(&rotation.to_array());
        floats(&scale.to_array());
    }
    for primitive in character.meshes.iter().flat_map(|m| &m.primitives) {
        primitive.positions.iter().for_each(|p| floats(&p.to_array()));
    }
    for clip in clips {
        clip.timelines.iter().for_each(|times| floats(times));
        for channel in &clip.channels {
            match &channel.values {
                Values::Translation(v) | Values::Scale(v) => {
                    v.iter().for_each(|v| floats(&v.to_array()));
                }
                Values::Rotation(v) => v.iter().for_each(|q| floats(&q.to_array())),
                Values::Weights(v) => floats(v),
            }
        }
        clip.properties.iter().for_each(|track| floats(&track.values));
    }
    hasher.update(format!("{:?}", character.skeleton.parents_first).as_bytes());
    // Some fields had other names, or did not exist, when the format was defined. New names or default values would change every recorded
    // fingerprint. Solver options are excluded, because a session sets all of them. The body is determined by the character and the rest of
    // the rig.
    let Rig { chains, joints, pins, options: _, body: _, bones: _, given_bones: _ } = rig;
    let rig = format!("Rig {{ chains: {chains:?}, joints: {joints:?}, pins: {pins:?} }}");
    let rig = rig.replace("logical_parent: ", "carrier: ").replace(", ccd_budget: inf", "");
    hasher.update(rig.replace(", mimic: None", "").replace(", pull: None", "").as_bytes());
    format!("crc32:{:08x}", hasher.finalize())
}

/// Returns the CRC-32 of a motion source: of a character without its rig, or of the values of a take.
pub(crate) fn of_source(source: &Source) -> String {
    match source {
        Source::Character(character) => of_character(character, &character.clips, &Rig::default()),
        Source::Take(take) => format!("crc32:{:08x}", crc32fast::hash(write_csv(take).as_bytes())),
    }
}
