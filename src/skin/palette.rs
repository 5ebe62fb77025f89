//! The matrices that vertices are moved by.

use std::collections::HashMap;
use std::ops::Range;

use glam::{Affine3A, Mat4};
use serde::{Deserialize, Serialize};

use crate::asset::{Character, Part};

use super::{Movers, dual};

/// How the joints of a vertex are blended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Skinning {
    /// Their matrices, summed: quick, and what files are made for; what is twisted or bent far shrinks.
    #[default]
    Linear,
    /// Dual quaternions for what is rigid, matrices for what stretches: keeps its volume; what is bent far bulges.
    DualQuaternion,
}

impl Skinning {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Linear, Self::DualQuaternion];

    /// The name that people write.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::DualQuaternion => "dual-quaternion",
        }
    }
}

/// `world_from_mesh` for every joint of every skin in use, and one for every node that carries a rigid part.
///
/// ```text
/// matrices  | skin 0: joint 0, joint 1, … | skin 1: … | node 7 | node 9 |
///             ▲ first_matrix of every part on skin 0   ▲ first_matrix of a rigid part
/// ```
#[derive(Clone, Debug, Default)]
pub struct Palette {
    /// Column-major, as the shader's storage buffer holds them; for [`Skinning::DualQuaternion`] the joints' are taken
    /// apart into a dual quaternion and a stretch.
    pub matrices: Vec<Mat4>,
    skinning: Skinning,
    runs: Vec<(Source, Range<usize>)>,
    run_of_part: Vec<usize>,
}

/// What fills a run of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Source {
    Skin(usize),
    Node(usize),
}

impl Palette {
    /// Lays out the matrices for some parts of a character. Parts on the same skin, or rigid ones on the same
    /// node, share a run.
    pub fn new(character: &Character, parts: &[Part]) -> Self {
        let mut palette = Self::default();
        let mut length = 0_usize;
        let mut known = HashMap::new();
        for part in parts {
            let source = part.skin.map_or(Source::Node(part.node), Source::Skin);
            let run = *known.entry(source).or_insert_with(|| {
                let start = length;
                length += match source {
                    Source::Skin(skin) => character.skins[skin].joints.len(),
                    Source::Node(_) => 1,
                };
                palette.runs.push((source, start..length));
                palette.runs.len() - 1
            });
            palette.run_of_part.push(run);
        }
        palette.matrices.resize(length, Mat4::IDENTITY);
        palette
    }

    /// What moves the vertices of a part: `parts[part]` of [`Palette::new`].
    pub fn movers(&self, part: usize) -> Option<Movers<'_>> {
        let &(source, ref run) = self.runs.get(*self.run_of_part.get(part)?)?;
        let matrices = self.matrices.get(run.clone())?;
        match source {
            Source::Skin(_) if self.skinning == Skinning::DualQuaternion => Some(Movers::Duals(matrices)),
            Source::Skin(_) => Some(Movers::Joints(matrices)),
            Source::Node(_) => matrices.first().map(Movers::Node),
        }
    }

    /// Fills the matrices from `world_from_node` of every node of the same character.
    pub fn update(&mut self, character: &Character, world_from_node: &[Affine3A], skinning: Skinning) {
        self.skinning = skinning;
        let mut matrices = self.matrices.iter_mut();
        for (source, _) in &self.runs {
            match *source {
                Source::Skin(skin) => {
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
                Source::Node(node) => {
                    if let Some(out) = matrices.next() {
                        *out = Mat4::from(world_from_node[node]);
                    }
                }
            }
        }
    }

    /// All matrices of a part.
    pub fn of_part(&self, part: usize) -> &[Mat4] {
        let run = self.run_of_part.get(part).and_then(|&run| self.runs.get(run));
        run.and_then(|(_, range)| self.matrices.get(range.clone())).unwrap_or_default()
    }

    /// Whether a part's matrices are taken apart for dual quaternions.
    pub fn is_dual(&self, part: usize) -> bool {
        matches!(self.movers(part), Some(Movers::Duals(_)))
    }

    /// Where a part's matrices start in [`Palette::matrices`].
    pub fn first_matrix(&self, part: usize) -> usize {
        let run = self.run_of_part.get(part).and_then(|&run| self.runs.get(run));
        run.map_or(0, |(_, range)| range.start)
    }
}
