//! Triangles and what stands at their corners.

use glam::{Vec2, Vec3, Vec4};

/// Primitives that are drawn together on a node.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// The file's name for it.
    pub name: Option<String>,
    /// Triangle primitives in file order; points and lines are left out on loading.
    pub primitives: Vec<Primitive>,
    /// Default morph weights, one a morph target.
    pub weights: Vec<f32>,
    /// Names of the morph targets, by `extras.targetNames`; as many as the file gives, which may be none.
    pub target_names: Vec<String>,
}

impl Mesh {
    /// The number of morph targets: the same for all primitives in a valid file, else the most.
    pub fn morph_targets(&self) -> usize {
        self.primitives.iter().map(|p| p.morph_targets.len()).max().unwrap_or(0)
    }
}

/// A list of triangles with one material. Every attribute is empty or has one value a vertex.
#[derive(Clone, Debug, Default)]
pub struct Primitive {
    /// Its index among the mesh's primitives in the file.
    pub index: usize,
    /// Three vertex indices a triangle, counter-clockwise seen from outside, each below [`Primitive::vertices`].
    pub triangles: Vec<[u32; 3]>,
    /// Metres in mesh space, all finite.
    pub positions: Vec<Vec3>,
    /// Unit vectors in mesh space.
    pub normals: Vec<Vec3>,
    /// xyz along the texture's u, w = handedness of the bitangent.
    pub tangents: Vec<Vec4>,
    /// Texture coordinates of sets 0 and 1.
    pub uvs: [Vec<Vec2>; 2],
    /// Linear RGBA that multiplies the base colour.
    pub colors: Vec<Vec4>,
    /// Joint influences: none (rigid), one set of four, or two.
    pub influences: Vec<Influences>,
    /// Displacements to be added by weight.
    pub morph_targets: Vec<MorphTarget>,
    /// Index of the material; `None` is glTF's default material.
    pub material: Option<usize>,
}

impl Primitive {
    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.positions.len()
    }
}

/// Four influences a vertex. The weights of all of a vertex's sets sum to one.
#[derive(Clone, Debug, Default)]
pub struct Influences {
    /// Indices into the skin's joints.
    pub joints: Vec<[u16; 4]>,
    /// Their weights, finite.
    pub weights: Vec<Vec4>,
}

/// Displacements at full weight, in mesh space. Each list is empty or has one value a vertex.
#[derive(Clone, Debug, Default)]
pub struct MorphTarget {
    /// Metres.
    pub positions: Vec<Vec3>,
    /// Added to the normal before skinning, unnormalised.
    pub normals: Vec<Vec3>,
    /// Added to the tangent's xyz.
    pub tangents: Vec<Vec3>,
}
