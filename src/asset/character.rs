//! The whole of a loaded file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Clip, Expression, Image, Material, Mesh, Primitive, Skeleton, Skin, Texture};

/// A character: skeleton, skins, meshes, materials and clips of one file. Nothing in it changes after loading.
#[derive(Clone, Debug, Default)]
pub struct Character {
    /// Where it came from, as the user wrote it.
    pub path: PathBuf,
    /// The other files that it names, found from where it lies: buffers and pictures, also those that could not be read.
    pub files: Vec<PathBuf>,
    /// Metres a unit of the file's lengths, where its format leaves that open; everything here is in metres.
    pub units: Option<f64>,
    /// `asset.generator`.
    pub generator: Option<String>,
    /// `extensionsUsed`.
    pub extensions: Vec<String>,
    /// Every node of the file.
    pub skeleton: Skeleton,
    /// Scenes of the file; if it has none, one made of all roots.
    pub scenes: Vec<Scene>,
    /// Index of the scene that is shown unless another is asked for.
    pub default_scene: usize,
    /// Joints and inverse binds.
    pub skins: Vec<Skin>,
    /// Triangles.
    pub meshes: Vec<Mesh>,
    /// Surfaces.
    pub materials: Vec<Material>,
    /// Images with their samplers.
    pub textures: Vec<Texture>,
    /// Encoded pictures.
    pub images: Vec<Image>,
    /// Motions.
    pub clips: Vec<Clip>,
    /// Which node is which part of a human body, where the file says so.
    pub humanoid: Option<Humanoid>,
    /// Faces that the file holds ready; those that move no morph target are left out.
    pub expressions: Vec<Expression>,
    /// What was odd in the file and how it was read, a line each.
    pub warnings: Vec<String>,
}

/// A set of root nodes that are shown together.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The file's name for it.
    pub name: Option<String>,
    /// Node indices.
    pub roots: Vec<usize>,
}

/// Which node is which part of a human body, with VRM 1.0's bone names (`hips`, `leftUpperArm`, …): the map of VRM 0 or 1,
/// or what [`humanoid`](super::humanoid()) finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Humanoid {
    /// Node index of each bone that is named.
    pub bones: BTreeMap<String, usize>,
    /// Major version of VRM: 0 faces −Z, 1 faces +Z. What is found by names alone has 1.
    pub vrm: u32,
}

/// A primitive on a node of a scene: what is skinned and drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Node index.
    pub node: usize,
    /// Mesh index.
    pub mesh: usize,
    /// Position in the mesh's list of primitives.
    pub primitive: usize,
    /// The skin that deforms it; `None`: it follows its node.
    pub skin: Option<usize>,
}

impl Character {
    /// Which nodes a scene shows, in file order: its roots and all below them.
    pub fn visible(&self, scene: usize) -> Vec<bool> {
        let nodes = &self.skeleton.nodes;
        let mut visible = vec![false; nodes.len()];
        for &root in self.scenes.get(scene).map_or(&[][..], |s| &s.roots) {
            if let Some(v) = visible.get_mut(root) {
                *v = true;
            }
        }
        for &(node, parent) in &self.skeleton.parents_first {
            visible[node] |= parent.is_some_and(|p| visible[p]);
        }
        visible
    }

    /// The primitives that a scene shows, in node order, then in primitive order.
    ///
    /// A primitive without influences follows its node even if that node has a skin.
    pub fn parts(&self, scene: usize) -> Vec<Part> {
        let visible = self.visible(scene);
        let mut parts = Vec::new();
        for (index, node) in self.skeleton.nodes.iter().enumerate().filter(|(n, _)| visible[*n]) {
            let Some(mesh) = node.mesh else { continue };
            for (primitive, p) in self.meshes[mesh].primitives.iter().enumerate() {
                let skin = node.skin.filter(|_| !p.influences.is_empty());
                parts.push(Part { node: index, mesh, primitive, skin });
            }
        }
        parts
    }

    /// The primitive of a part.
    pub fn primitive(&self, part: Part) -> &Primitive {
        &self.meshes[part.mesh].primitives[part.primitive]
    }
}
