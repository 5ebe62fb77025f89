//! The skin matrices of a character.

use std::collections::HashMap;
use std::ops::Range;
use std::str::FromStr;

use glam::{Affine3A, Mat4};
use serde::{Deserialize, Serialize};

use crate::api::{ParseError, named};
use crate::asset::{Character, Part};

use super::{SkinMatrices, dual};

/// A method that blends the joint transforms of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Skinning {
    /// Weighted sum of matrices. Fast. Most files are made for this method. Strongly twisted or bent parts shrink.
    #[default]
    Linear,
    /// Dual quaternions for the rigid part of a transform, and matrices for the stretch. Keeps the volume, but
    /// strongly bent parts bulge.
    DualQuaternion,
}

impl Skinning {
    /// All methods.
    pub const ALL: [Self; 2] = [Self::Linear, Self::DualQuaternion];

    /// Returns the name of the method in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::DualQuaternion => "dual-quaternion",
        }
    }
}

impl FromStr for Skinning {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        named("skinning", name, Self::ALL.map(|skinning| (skinning.name(), skinning)))
    }
}

/// Skin matrices: one `world_from_mesh` for every joint of every skin in use, and one for every node with a rigid
/// part.
///
/// ```text
/// matrices  | skin 0: joint 0, joint 1, … | skin 1: … | node 7 | node 9 |
///             ▲ first_matrix of every part on skin 0   ▲ first_matrix of a rigid part
/// ```
#[derive(Clone, Debug, Default)]
pub struct Palette {
    /// Column-major, as in the shader's storage buffer. With [`Skinning::DualQuaternion`] the matrices of joints are
    /// packed as a dual quaternion and a stretch.
    pub matrices: Vec<Mat4>,
    skinning: Skinning,
    ranges: Vec<(MatrixSource, Range<usize>)>,
    range_of_part: Vec<usize>,
    /// For each part, the matrices that move it: the index of each matrix within the part's range, and the sum of its weights.
    weights_of_part: Vec<Vec<(usize, f32)>>,
}

/// The source of a range of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum MatrixSource {
    Skin(usize),
    Node(usize),
}

impl Palette {
    /// Lays out the matrices for some parts of a character. Parts on the same skin share a range of matrices, and so
    /// do rigid parts on the same node.
    pub fn new(character: &Character, parts: &[Part]) -> Self {
        let mut palette = Self::default();
        let mut length = 0_usize;
        let mut known = HashMap::new();
        for part in parts {
            let source = part.skin.map_or(MatrixSource::Node(part.node), MatrixSource::Skin);
            let range = *known.entry(source).or_insert_with(|| {
                let start = length;
                length += match source {
                    MatrixSource::Skin(skin) => character.skins[skin].joints.len(),
                    MatrixSource::Node(_) => 1,
                };
                palette.ranges.push((source, start..length));
                palette.ranges.len() - 1
            });
            palette.range_of_part.push(range);
            palette.weights_of_part.push(matrix_weights(character, *part));
        }
        palette.matrices.resize(length, Mat4::IDENTITY);
        palette
    }

    /// Returns the skin matrices of a part. `part` is an index into the `parts` of [`Palette::new`].
    pub fn matrices(&self, part: usize) -> Option<SkinMatrices<'_>> {
        let &(source, ref range) = self.ranges.get(*self.range_of_part.get(part)?)?;
        let matrices = self.matrices.get(range.clone())?;
        match source {
            MatrixSource::Skin(_) if self.skinning == Skinning::DualQuaternion => {
                Some(SkinMatrices::Duals(matrices))
            }
            MatrixSource::Skin(_) => Some(SkinMatrices::Joints(matrices)),
            MatrixSource::Node(_) => matrices.first().map(SkinMatrices::Node),
        }
    }

    /// Returns the node and the inverse bind matrix of each skin matrix, in the order of [`Palette::matrices`]. Rigid parts have the
    /// identity as their inverse bind matrix.
    pub fn sources(&self, character: &Character) -> impl Iterator<Item = (usize, Affine3A)> {
        self.ranges.iter().flat_map(|(source, _)| match *source {
            MatrixSource::Skin(skin) => {
                let skin = &character.skins[skin];
                skin.joints.iter().copied().zip(skin.joint_from_mesh.iter().copied()).collect::<Vec<_>>()
            }
            MatrixSource::Node(node) => vec![(node, Affine3A::IDENTITY)],
        })
    }

    /// Computes the matrices from `world_from_node` of every node of the same character.
    ///
    /// ```
    /// use sinew_character::asset;
    /// use sinew_character::glam::Mat4;
    /// use sinew_character::pose::{Pose, world_matrices};
    /// use sinew_character::skin::{Palette, Skinning};
    ///
    /// let character = asset::mannequin()?;
    /// let parts = character.parts(0);
    /// let mut palette = Palette::new(&character, &parts);
    /// let mut world_from_node = Vec::new();
    /// world_matrices(&character.skeleton, &Pose::rest(&character.skeleton), &mut world_from_node);
    /// palette.update(&character, &world_from_node, Skinning::Linear);
    /// // The character is bound in its rest pose, so nothing moves.
    /// assert!(palette.of_part(0).iter().all(|matrix| matrix.abs_diff_eq(Mat4::IDENTITY, 1e-5)));
    /// # Ok::<(), asset::LoadError>(())
    /// ```
    pub fn update(&mut self, character: &Character, world_from_node: &[Affine3A], skinning: Skinning) {
        self.skinning = skinning;
        let mut matrices = self.matrices.iter_mut();
        for (source, _) in &self.ranges {
            match *source {
                MatrixSource::Skin(skin) => {
                    let skin = &character.skins[skin];
                    let joints = skin.joints.iter().zip(&skin.joint_from_mesh);
                    for ((&joint, &joint_from_mesh), out) in joints.zip(&mut matrices) {
                        let world_from_mesh = Mat4::from(world_from_node[joint] * joint_from_mesh);
                        *out = match skinning {
                            Skinning::Linear => world_from_mesh,
                            Skinning::DualQuaternion => dual::pack(&world_from_mesh),
                        };
                    }
                }
                MatrixSource::Node(node) => {
                    if let Some(out) = matrices.next() {
                        *out = Mat4::from(world_from_node[node]);
                    }
                }
            }
        }
    }

    /// Returns all matrices of a part.
    pub fn of_part(&self, part: usize) -> &[Mat4] {
        let range = self.range_of_part.get(part).and_then(|&range| self.ranges.get(range));
        range.and_then(|(_, range)| self.matrices.get(range.clone())).unwrap_or_default()
    }

    /// Returns whether the matrices of a part are packed for dual quaternions.
    pub fn is_dual(&self, part: usize) -> bool {
        matches!(self.matrices(part), Some(SkinMatrices::Duals(_)))
    }

    /// Returns whether the matrices of a part mirror it, so that its clockwise triangles are the front faces. If only some of its
    /// joints mirror it, the joints that move most of the skin decide.
    pub fn is_mirrored(&self, part: usize) -> bool {
        let weights = self.weights_of_part.get(part).map(Vec::as_slice).unwrap_or_default();
        let (matrices, is_dual) = (self.of_part(part), self.is_dual(part));
        let determinant =
            |matrix: &Mat4| if is_dual { dual::determinant(matrix) } else { matrix.determinant() };
        let side = weights.iter().filter_map(|&(joint, weight)| {
            Some(if determinant(matrices.get(joint)?) < 0.0 { -weight } else { weight })
        });
        side.sum::<f32>() < 0.0
    }

    /// Returns the index of a part's first matrix in [`Palette::matrices`].
    pub fn first_matrix(&self, part: usize) -> usize {
        let range = self.range_of_part.get(part).and_then(|&range| self.ranges.get(range));
        range.map_or(0, |(_, range)| range.start)
    }
}

/// Returns the sum of the weights of each matrix that moves a part.
fn matrix_weights(character: &Character, part: Part) -> Vec<(usize, f32)> {
    if part.skin.is_none() {
        return vec![(0, 1.0)];
    }
    let mut sums: Vec<f32> = Vec::new();
    for set in &character.primitive(part).influences {
        for (joints, weights) in set.joints.iter().zip(&set.weights) {
            for (&joint, weight) in joints.iter().zip(weights.to_array()) {
                let joint = usize::from(joint);
                if joint >= sums.len() {
                    sums.resize(joint + 1, 0.0);
                }
                sums[joint] += weight;
            }
        }
    }
    sums.into_iter().enumerate().filter(|(_, weight)| *weight > 0.0).collect()
}
