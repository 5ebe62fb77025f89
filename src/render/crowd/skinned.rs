//! Skins the characters of a crowd on the CPU.

use glam::{Affine3A, Mat4};

use crate::asset::Primitive;
use crate::skin::{SkinMatrices, Skinned, skin};

use super::model::CrowdModel;
use super::types::Rows;

impl CrowdModel {
    /// Skins the parts one after another, and calls a function with each part's primitive and skinned vertices. `palette` contains
    /// `world_from_mesh` of all bones, and `weights` the morph weights of all parts.
    pub(super) fn skin(&self, palette: &[Rows], weights: &[f32], mut act: impl FnMut(&Primitive, &Skinned)) {
        let matrices: Vec<Mat4> = palette.iter().map(|rows| Mat4::from(Affine3A::from(rows))).collect();
        let mut skinned = Skinned::default();
        for (part, draw) in self.parts.iter().zip(&self.draws) {
            let primitive = self.character.primitive(*part);
            let of_part = matrices.get(draw.first_matrix as usize..).unwrap_or_default();
            let of_part = match (part.skin, of_part.first()) {
                (None, Some(matrix)) => SkinMatrices::Node(matrix),
                _ => SkinMatrices::Joints(of_part),
            };
            let morphs = weights.get(draw.first_weight as usize..).unwrap_or_default();
            skin(primitive, of_part, morphs, &mut skinned);
            act(primitive, &skinned);
        }
    }
}
