//! Triangle meshes with their vertex attributes.

use glam::{Vec2, Vec3, Vec4};

/// Primitives that are drawn together on a node.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Name in the file.
    pub name: Option<String>,
    /// Triangle primitives in file order. Points and lines are left out.
    pub primitives: Vec<Primitive>,
    /// Default morph weights, one per morph target.
    pub weights: Vec<f32>,
    /// Names of the morph targets from `extras.targetNames`. The file may name only some of the targets, or none.
    pub target_names: Vec<String>,
}

impl Mesh {
    /// Returns the number of morph targets. If the primitives have different numbers, which is invalid, this is the
    /// maximum.
    pub fn morph_targets(&self) -> usize {
        self.primitives.iter().map(|p| p.morph_targets.len()).max().unwrap_or(0)
    }
}

/// A list of triangles with one material. Every attribute is empty or has one value per vertex.
#[derive(Clone, Debug, Default)]
pub struct Primitive {
    /// Index of the primitive in the file's list for this mesh.
    pub index: usize,
    /// Three vertex indices per triangle, in counter-clockwise order as seen from outside. Each is less than
    /// [`Primitive::vertices`].
    pub triangles: Vec<[u32; 3]>,
    /// Finite positions in mesh space, in metres.
    pub positions: Vec<Vec3>,
    /// Unit vectors in mesh space.
    pub normals: Vec<Vec3>,
    /// The direction of the texture's u axis in xyz, and the handedness of the bitangent in w.
    pub tangents: Vec<Vec4>,
    /// Texture coordinates of sets 0 and 1.
    pub uvs: [Vec<Vec2>; 2],
    /// Linear RGBA that multiplies the base colour.
    pub colors: Vec<Vec4>,
    /// Sets of four joint influences per vertex. A rigid primitive has none, and a skinned primitive has one or two.
    pub influences: Vec<Influences>,
    /// Morph targets, added in proportion to their weights.
    pub morph_targets: Vec<MorphTarget>,
    /// Index of the material. `None` for glTF's default material.
    pub material: Option<usize>,
}

impl Primitive {
    /// Returns the number of vertices.
    pub fn vertices(&self) -> usize {
        self.positions.len()
    }
}

/// Four influences per vertex. The weights of all sets of a vertex sum to one.
#[derive(Clone, Debug, Default)]
pub struct Influences {
    /// Indices into the skin's joints.
    pub joints: Vec<[u16; 4]>,
    /// Weights of the joints, all finite.
    pub weights: Vec<Vec4>,
}

impl Influences {
    /// Maximum number of influence sets of a vertex.
    pub(super) const MAX_SETS: usize = 2;

    /// Sorts the influences of a vertex by decreasing weight, and keeps as many as all sets can hold. Influences of equal weight keep their
    /// order.
    pub(super) fn keep_heaviest(found: &mut Vec<(u16, f64)>) {
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found.truncate(4 * Self::MAX_SETS);
    }
}

/// Displacements at full weight, in mesh space. Each list is empty or has one value per vertex.
#[derive(Clone, Debug, Default)]
pub struct MorphTarget {
    /// Displacements of the positions in metres.
    pub positions: Vec<Vec3>,
    /// Vectors that are added to the normals before skinning. The sum is not normalised.
    pub normals: Vec<Vec3>,
    /// Vectors that are added to the xyz of the tangents.
    pub tangents: Vec<Vec3>,
}
