//! Characters derived from the built-in ones. Each has one property that makes real files hard to retarget.

use std::path::Path;

use serde_json::{Value, json};
use sinew::asset;
use sinew::asset::{Character, Values, gltf};
use sinew::motion::Playhead;
use sinew::pose::Pose;

pub(crate) const MANNEQUIN: &str = "mannequin";
pub(crate) const AWKWARD: &str = "awkward";
/// A character with longer limbs than the mannequin, and therefore with a different skeleton.
pub(crate) const LONG_LIMBS: &str = "mannequin with long limbs";
/// A character whose rest pose is a frame of its run. Its skin is bound in the mannequin's rest pose.
pub(crate) const MID_STRIDE: &str = "mannequin in mid-stride";
/// The same character without a skin, so that the standing posture can only be found in its clips.
pub(crate) const MID_STRIDE_BARE: &str = "mannequin in mid-stride without a skin";

pub(crate) fn figure(name: &str) -> Option<Character> {
    match name {
        MANNEQUIN => Some(asset::mannequin().unwrap()),
        AWKWARD => {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/awkward.glb");
            Some(asset::load(path.as_ref()).unwrap())
        }
        LONG_LIMBS => Some(long_limbs()),
        MID_STRIDE => Some(mid_stride()),
        MID_STRIDE_BARE => {
            let mut character = mid_stride();
            character.skins.clear();
            character.meshes.clear();
            for node in &mut character.skeleton.nodes {
                (node.mesh, node.skin) = (None, None);
            }
            Some(character)
        }
        _ => None,
    }
}

/// The factor by which the limbs of [`LONG_LIMBS`] are longer.
const LONGER: f32 = 1.4;

fn long_limbs() -> Character {
    let mut character = asset::mannequin().unwrap();
    let hips = character.skeleton.find("hips").unwrap();
    let mut leg = 0.0;
    for node in &mut character.skeleton.nodes {
        let name = node.name.as_deref().unwrap_or_default();
        let is_leg = ["LowerLeg", "Foot"].iter().any(|bone| name.ends_with(bone));
        let arms = ["LowerArm", "Hand", "Thumb", "Index", "Middle", "Ring", "Little"];
        if is_leg {
            leg += 0.5 * node.rest.translation.length();
        }
        if is_leg || arms.iter().any(|bone| name.contains(bone)) {
            node.rest.translation *= LONGER;
        }
    }
    // The hips are raised by the extra length of the legs and move farther in proportion.
    let rest = &mut character.skeleton.nodes[hips].rest.translation;
    let factor = 1.0 + (LONGER - 1.0) * leg / rest.y;
    *rest *= factor;
    for channel in character.clips.iter_mut().flat_map(|clip| &mut clip.channels) {
        if let Values::Translation(positions) = &mut channel.values {
            assert_eq!(channel.node, hips);
            positions.iter_mut().for_each(|position| *position *= factor);
        }
    }
    character
}

fn mid_stride() -> Character {
    let mut character = asset::mannequin().unwrap();
    let run = character.clips.iter().find(|c| c.name.as_deref() == Some("run")).unwrap();
    let mut pose = Pose::rest(&character.skeleton);
    Playhead::default().sample(run, 0.1, &character.skeleton, &mut pose);
    for (node, local) in character.skeleton.nodes.iter_mut().zip(&pose.locals) {
        node.rest = *local;
    }
    character
}

/// Returns the mannequin's joints and clips in a file without a mesh, with the nodes in reverse order.
pub(crate) fn reordered() -> Character {
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/mannequin.glb")).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let (json, binary) = bytes[20..].split_at(length);
    let mut file: Value = serde_json::from_slice(json).unwrap();
    for key in ["meshes", "skins", "extensions", "extensionsUsed"] {
        file.as_object_mut().unwrap().remove(key);
    }
    let nodes = file["nodes"].as_array_mut().unwrap();
    let last = nodes.len() - 1;
    let moved = |index: &Value| json!(last - usize::try_from(index.as_u64().unwrap()).unwrap());
    nodes.reverse();
    for node in nodes {
        let node = node.as_object_mut().unwrap();
        node.remove("mesh");
        node.remove("skin");
        for child in node.get_mut("children").and_then(Value::as_array_mut).into_iter().flatten() {
            *child = moved(child);
        }
    }
    for root in file["scenes"][0]["nodes"].as_array_mut().unwrap() {
        *root = moved(root);
    }
    for clip in file["animations"].as_array_mut().unwrap() {
        for channel in clip["channels"].as_array_mut().unwrap() {
            channel["target"]["node"] = moved(&channel["target"]["node"]);
        }
    }
    let json = serde_json::to_vec(&file).unwrap();
    let json = [&json[..], &b"   "[..(4 - json.len() % 4) % 4]].concat();
    let size = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let head = [&b"glTF\x02\0\0\0"[..], &size(20 + json.len() + binary.len()), &size(json.len()), b"JSON"];
    gltf::load_bytes(Path::new("clips.glb"), &[&head.concat()[..], &json, binary].concat(), None).unwrap()
}
