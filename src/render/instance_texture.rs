//! The instances of a frame as a texture, for vertex shaders that cannot read storage buffers.

use bytemuck::cast_slice;
use glam::Vec4;

use super::data_texture::{VECTOR, WIDTH, check, create, row_layout, rows};
use super::draw_list::Input;
use super::staging::Staging;
use super::{Gpu, RenderError};

/// The instances of a frame, their matrices and their morph weights in a texture.
#[derive(Debug, Default)]
pub(super) struct InstanceTexture {
    texture: Option<wgpu::Texture>,
    /// Reused by later frames.
    vectors: Vec<Vec4>,
}

impl InstanceTexture {
    /// Schedules the upload of a frame's instances. Returns whether there is a new texture, because there was none or it was too small.
    pub(super) fn write(
        &mut self,
        gpu: &Gpu,
        staging: &mut Staging,
        input: &Input,
    ) -> Result<bool, RenderError> {
        pack(input, &mut self.vectors);
        check(gpu, "instances and joint matrices", self.vectors.len() as u64 * VECTOR)?;
        let needed = rows(self.vectors.len());
        let is_new = self.texture.as_ref().is_none_or(|texture| texture.height() < needed);
        if is_new {
            self.texture = None;
        }
        let texture = self.texture.get_or_insert_with(|| create(gpu, "instances", needed));
        staging.write_rows(texture, needed, cast_slice(&self.vectors), row_layout);
        Ok(is_new)
    }

    /// Returns a view of the texture, or `None` if nothing has been written yet.
    pub(super) fn view(&self) -> Option<wgpu::TextureView> {
        Some(self.texture.as_ref()?.create_view(&Default::default()))
    }
}

/// Writes the input of a frame as the shader reads it: records, matrices and weights, in whole rows.
fn pack(input: &Input, vectors: &mut Vec<Vec4>) {
    let bones: &[Vec4] = if input.few_bones { &[] } else { &input.bones };
    let first_bone = 2 * input.records.len();
    let first_weight = 4 * (first_bone + bones.len());
    // The size check ensures that all indices are exact.
    #[expect(clippy::cast_precision_loss, reason = "less than 2^24")]
    let number = |index: usize| index as f32;
    vectors.clear();
    vectors.extend(input.records.iter().flat_map(|record| {
        // Matrices in the uniform buffer have their own indices.
        let matrix = record.first_matrix as usize + if input.few_bones { 0 } else { first_bone };
        let weight = record.first_weight as usize + first_weight;
        [record.tint.into(), Vec4::new(number(matrix), number(weight), 0.0, 0.0)]
    }));
    vectors.extend_from_slice(bones);
    let (fours, rest) = input.weights.as_chunks::<4>();
    vectors.extend(fours.iter().map(|four| Vec4::from_array(*four)));
    if !rest.is_empty() {
        let mut last = [0.0; 4];
        last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        vectors.push(last.into());
    }
    vectors.resize(vectors.len().max(1).next_multiple_of(WIDTH), Vec4::ZERO);
}

#[cfg(test)]
mod tests {
    use super::super::gpu_types::Instance;
    use super::*;

    fn input(few_bones: bool) -> Input {
        let record = |first_matrix, first_weight| Instance {
            tint: [1.0; 4],
            first_matrix,
            first_weight,
            reserved: [0; 2],
        };
        Input {
            records: vec![record(0, 0), record(3, 2)],
            bones: (0..6_u8).map(|i| Vec4::splat(f32::from(i))).collect(),
            weights: vec![0.1, 0.2, 0.3, 0.4, 0.5],
            few_bones,
            ..Input::default()
        }
    }

    /// Reads like the shader.
    #[test]
    fn the_shader_finds_matrices_and_weights_of_each_instance() {
        let input = input(false);
        let mut vectors = Vec::new();
        pack(&input, &mut vectors);
        assert_eq!(vectors.len(), WIDTH);
        for (i, record) in input.records.iter().enumerate() {
            assert_eq!(vectors[2 * i], Vec4::from(record.tint));
            let [matrix, weight, ..] = vectors[2 * i + 1].to_array().map(|index| index as usize);
            assert_eq!(vectors[matrix], input.bones[record.first_matrix as usize]);
            assert_eq!(vectors[weight / 4][weight % 4], input.weights[record.first_weight as usize]);
        }
    }

    #[test]
    fn few_matrices_stay_in_their_uniform_buffer() {
        let mut vectors = Vec::new();
        pack(&input(true), &mut vectors);
        assert_eq!(vectors[3].to_array()[..2], [3.0, 18.0]);
        assert_eq!(vectors[4].to_array(), [0.1, 0.2, 0.3, 0.4]);
    }
}
