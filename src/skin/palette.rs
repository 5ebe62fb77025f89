//! The matrices that vertices are moved by.

use glam::{Affine3A, Mat4};

use crate::asset::{Character, Part};

/// `world_from_mesh` for every joint of every skin in use, and one for every node that carries a rigid part.
///
/// ```text
/// matrices  | skin 0: joint 0, joint 1, … | skin 1: … | node 7 | node 9 |
///             ▲ first_matrix of every part on skin 0   ▲ first_matrix of a rigid part
/// ```
#[derive(Clone, Debug, Default)]
pub struct Palette {
    /// Column-major, as the shader's storage buffer holds them.
    pub matrices: Vec<Mat4>,
    /// For each part given to [`Palette::new`], where its matrices start.
    pub first_matrix: Vec<u32>,
    sources: Vec<Source>,
}

/// What fills a run of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Skin(usize),
    Node(usize),
}

impl Palette {
    /// Lays out the matrices for some parts of a character. Parts on the same skin, or rigid ones on the same
    /// node, share a run.
    pub fn new(character: &Character, parts: &[Part]) -> Self {
        let mut palette = Self::default();
        let mut starts: Vec<u32> = Vec::new();
        let mut length = 0_usize;
        for part in parts {
            let source = part.skin.map_or(Source::Node(part.node), Source::Skin);
            let run = palette.sources.iter().position(|&s| s == source).unwrap_or_else(|| {
                palette.sources.push(source);
                starts.push(u32::try_from(length).unwrap_or(u32::MAX));
                length += match source {
                    Source::Skin(skin) => character.skins[skin].joints.len(),
                    Source::Node(_) => 1,
                };
                palette.sources.len() - 1
            });
            palette.first_matrix.push(starts[run]);
        }
        palette.matrices.resize(length, Mat4::IDENTITY);
        palette
    }

    /// Fills the matrices from `world_from_node` of every node of the same character.
    pub fn update(&mut self, character: &Character, world_from_node: &[Affine3A]) {
        let mut matrices = self.matrices.iter_mut();
        for source in &self.sources {
            match *source {
                Source::Skin(skin) => {
                    let skin = &character.skins[skin];
                    let joints = skin.joints.iter().zip(&skin.joint_from_mesh);
                    for ((&joint, &joint_from_mesh), out) in joints.zip(&mut matrices) {
                        *out = Mat4::from(world_from_node[joint] * joint_from_mesh);
                    }
                }
                Source::Node(node) => {
                    if let Some(out) = matrices.next() {
                        *out = Mat4::from(world_from_node[node]);
                    }
                }
            }
        }
    }
}
