//! Finds nodes, scenes and cameras by the names or indices that users type.

use crate::api::Missing;
use crate::asset::{Camera, Character};
use crate::rig::Bones;
use crate::rig::file::NodeNames;

use super::failure::Failure;

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
            [one] => Ok(one),
            [] => Ok(NodeNames::with_bones(&character.skeleton, bones).get(name)?),
            _ => {
                let all = named.iter().map(|n| format!("#{n}")).collect::<Vec<_>>().join(", ");
                Err(Failure::Usage(format!("node \"{name}\" is ambiguous; use one of {all}")))
            }
        }
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

/// Returns a note for each name that several clips share. It says which clip the name refers to.
pub(super) fn namesakes(character: &Character, names: &[String]) -> Vec<String> {
    let note = |name: &String| {
        let clips = character.clips.iter().enumerate();
        let mut named = clips.filter(|(_, clip)| clip.name.as_ref() == Some(name));
        let count = named.clone().count();
        let second = character.clip_name(named.nth(1)?.0);
        Some(format!(
            "animation \"{name}\": the first of {count} clips of this name plays; \"{second}\" is the second"
        ))
    };
    names.iter().filter_map(note).collect()
}

/// Returns the index of the scene with this name. If no scene has the name, it is parsed as an index.
pub(super) fn scene(character: &Character, name: &str) -> Result<usize, Failure> {
    let mut names = character.scenes.iter().map(|s| s.name.as_deref());
    let all = names.clone();
    let index = || name.parse().ok().filter(|i| *i < character.scenes.len());
    let missing = || Failure::from(Missing::name_or_index("scene", name, all));
    names.position(|n| n == Some(name)).or_else(index).ok_or_else(missing)
}

/// Returns the index of the camera with this name, or of the camera on the node with this name. Otherwise the name is parsed as an index.
pub(super) fn camera(character: &Character, name: &str) -> Result<usize, Failure> {
    let cameras = &character.cameras;
    let node = |camera: &Camera| character.skeleton.nodes.get(camera.node)?.name.as_deref();
    let named = cameras.iter().position(|camera| camera.name.as_deref() == Some(name));
    let named = named.or_else(|| cameras.iter().position(|camera| node(camera) == Some(name)));
    let index = || name.parse().ok().filter(|index| *index < cameras.len());
    let names = cameras.iter().map(|camera| camera.name.as_deref());
    named.or_else(index).ok_or_else(|| Missing::name_or_index("camera", name, names).into())
}
