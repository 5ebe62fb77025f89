//! Finds nodes, clips and scenes by the names or indices that users type.

use crate::asset::{Camera, Character};
use crate::rig::Bones;

use super::failure::Failure;

/// Number of similar names that an error suggests.
const SUGGESTIONS: usize = 3;

/// The nodes of a character, and the bones of its body.
#[derive(Clone, Copy)]
pub(super) struct Nodes<'a> {
    pub(super) character: &'a Character,
    pub(super) bones: &'a Bones,
}

impl Nodes<'_> {
    /// Finds a node by its name, `#INDEX` or bone name.
    pub(super) fn find(&self, name: &str) -> Result<usize, Failure> {
        let Self { character, bones } = self;
        let nodes = &character.skeleton.nodes;
        let named: Vec<usize> =
            (0..nodes.len()).filter(|&n| nodes[n].name.as_deref() == Some(name)).collect();
        match named[..] {
            [one] => return Ok(one),
            [] => {}
            _ => {
                let all = named.iter().map(|n| format!("#{n}")).collect::<Vec<_>>().join(", ");
                return Err(Failure::Usage(format!("node \"{name}\" is ambiguous; use one of {all}")));
            }
        }
        if let Some(index) = name.strip_prefix('#').and_then(|i| i.parse::<usize>().ok()) {
            if index < nodes.len() {
                return Ok(index);
            }
            return Err(Failure::Usage(format!(
                "node {name} does not exist; the file has {}, counted from #0",
                nodes.len()
            )));
        }
        if let Some(&node) = bones.get(name) {
            return Ok(node);
        }
        let known = nodes.iter().filter_map(|n| n.name.as_deref()).chain(bones.keys().map(String::as_str));
        Err(unknown("node", name, known))
    }
}

/// Returns a name by which [`Nodes::find`] finds a node: its own name if that is unique, or `#INDEX`.
pub(super) fn of_node(character: &Character, node: usize) -> String {
    let nodes = &character.skeleton.nodes;
    let name = nodes.get(node).and_then(|node| node.name.as_deref());
    let is_unique =
        |name: &&str| nodes.iter().filter(|node| node.name.as_deref() == Some(*name)).count() == 1;
    name.filter(is_unique).map_or_else(|| format!("#{node}"), str::to_owned)
}

/// Finds a clip by its name (see [`Character::find_clip`]).
pub(super) fn clip(character: &Character, name: &str) -> Result<usize, Failure> {
    let names = character.clips.iter().map(|c| c.name.as_deref());
    character.find_clip(name).ok_or_else(|| missing("animation", name, names))
}

/// Returns a note for each name that several clips share.
pub(super) fn namesakes(character: &Character, names: &[String]) -> Vec<String> {
    names.iter().filter_map(|name| character.namesakes(name)).collect()
}

/// Returns the index of the scene with this name. If no scene has the name, it is parsed as an index.
pub(super) fn scene(character: &Character, name: &str) -> Result<usize, Failure> {
    let mut names = character.scenes.iter().map(|s| s.name.as_deref());
    let all = names.clone();
    let index = || name.parse().ok().filter(|i| *i < character.scenes.len());
    names.position(|n| n == Some(name)).or_else(index).ok_or_else(|| missing("scene", name, all))
}

/// Returns the index of the camera with this name, or of the camera on the node with this name. Otherwise the name is parsed as an index.
pub(super) fn camera(character: &Character, name: &str) -> Result<usize, Failure> {
    let cameras = &character.cameras;
    let node = |camera: &Camera| character.skeleton.nodes.get(camera.node)?.name.as_deref();
    let named = cameras.iter().position(|camera| camera.name.as_deref() == Some(name));
    let named = named.or_else(|| cameras.iter().position(|camera| node(camera) == Some(name)));
    let index = || name.parse().ok().filter(|index| *index < cameras.len());
    let names = cameras.iter().map(|camera| camera.name.as_deref());
    named.or_else(index).ok_or_else(|| missing("camera", name, names))
}

/// Returns the error for a name or index that does not exist. The file may contain no object of this kind at all.
pub(super) fn missing<'a>(
    kind: &str,
    name: &str,
    names: impl ExactSizeIterator<Item = Option<&'a str>>,
) -> Failure {
    match name.parse::<usize>() {
        Ok(index) => Failure::Usage(format!(
            "{kind} {index} does not exist; the file has {}, counted from 0",
            names.len()
        )),
        Err(_) => unknown(kind, name, names.flatten()),
    }
}

/// Returns the error for an unknown name, which suggests the most similar known names.
pub(super) fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Failure {
    let lower = name.to_lowercase();
    let mut near: Vec<_> =
        known.map(|k| (strsim::normalized_damerau_levenshtein(&lower, &k.to_lowercase()), k)).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup_by(|a, b| a.1 == b.1);
    let suggestions: Vec<_> = near.iter().take(SUGGESTIONS).map(|(_, k)| format!("\"{k}\"")).collect();
    Failure::Usage(match &suggestions[..] {
        [] => format!("{kind} \"{name}\" does not exist; the file has no {kind}s with names"),
        _ => format!("{kind} \"{name}\" does not exist; nearest: {}", suggestions.join(", ")),
    })
}
