//! A frame's contents: the data of all instances, and batches of equal parts.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use bytemuck::Zeroable;
use glam::Vec4;

use crate::view::Bounds;

use super::culling::Frustum;
use super::model::{Model, ModelPart};
use super::overrides::{MaterialOverrides, OwnMaterial};
use super::place::Place;
use super::{Draw, Instance, gpu_types};

/// One part of one instance of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) model: usize,
    pub(super) part: usize,
    pub(super) dual: bool,
    pub(super) mirrored: bool,
    pub(super) bounds: Bounds,
    pub(super) few_bones: bool,
    /// Whether the camera may see the item.
    pub(super) is_seen: bool,
    /// Whether its shadow may be visible.
    pub(super) is_lit: bool,
    /// Index of its first matrix in the palette of its instance.
    first_matrix: usize,
    record: gpu_types::Instance,
    /// Index of its material in [`Input::materials`], if it is not the model's.
    pub(super) material: Option<u32>,
    /// The textures of its material that use the second set of texture coordinates, one bit for each.
    pub(super) second_sets: u32,
}

/// Some instances of one part, drawn together.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) model: usize,
    pub(super) part: usize,
    /// Their records.
    pub(super) instances: Range<u32>,
    pub(super) dual: bool,
    /// Index of its material in [`Input::materials`], if it is not the model's.
    pub(super) material: Option<u32>,
    pub(super) pipeline: wgpu::RenderPipeline,
}

/// The models that a pass draws, and the materials that replace the models' own in its frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrawnModels<'a> {
    pub(super) models: &'a [&'a Model],
    pub(super) overrides: &'a MaterialOverrides,
}

/// The visible parts of a frame, and the data of their instances. The buffers are reused by later frames.
#[derive(Debug, Default)]
pub(super) struct DrawList {
    pub(super) items: Vec<Item>,
    pub(super) input: Input,
}

/// The shaders' data about instances.
#[derive(Debug, Default)]
pub(super) struct Input {
    pub(super) records: Vec<gpu_types::Instance>,
    pub(super) bones: Vec<Vec4>,
    pub(super) weights: Vec<f32>,
    /// Records of parts with materials that differ from the model's.
    pub(super) materials: Vec<OwnMaterial>,
    /// Whether the shaders that draw read the matrices from a uniform buffer. See `software/few_bones.rs`.
    pub(super) few_bones: bool,
    /// Whether compute shaders also read the matrices, always from a storage buffer.
    pub(super) is_posed: bool,
}

impl DrawList {
    pub(super) fn clear(&mut self) {
        let Self { items, input: Input { records, bones, weights, materials, few_bones, is_posed } } = self;
        items.clear();
        records.clear();
        bones.clear();
        weights.clear();
        materials.clear();
        (*few_bones, *is_posed) = (false, false);
    }

    /// Appends the parts of an instance that a camera or a light can see, and its matrices if there are any such parts.
    pub(super) fn add(
        &mut self,
        models: &[&Model],
        instance: &Instance<'_>,
        camera: &Frustum,
        light: Option<&Frustum>,
    ) {
        let Some(model) = models.get(instance.model) else { return };
        let parts = &model.parts;
        let Self { items, input } = self;
        let place = Place::new(&instance.place);
        let first_item = items.len();
        let (mut has_rows, mut has_duals) = (false, false);
        for draw in instance.draws.iter().filter(|draw| model.is_drawn(draw)) {
            let &Draw { part, first_matrix, dual, mirrored, morph_weights, material, bounds } = draw;
            let (bounds, mirrored) = (place.bounds(&bounds), mirrored != place.is_mirrored());
            let is_seen = camera.sees(&bounds);
            let is_lit = light.is_some_and(|light| light.sees(&bounds));
            if !(is_seen || is_lit) {
                continue;
            }
            (has_rows, has_duals) = (has_rows || !dual, has_duals || dual);
            let first_weight = to_u32(input.weights.len());
            let record =
                gpu_types::Instance { tint: instance.tint.into(), first_weight, ..Zeroable::zeroed() };
            let model = instance.model;
            let few_bones = input.few_bones;
            let own_record = material.zip(parts.get(part)).map(|(material, part)| part.record_with(material));
            let drawn = own_record.as_ref().or(parts.get(part).map(|part| &part.uniform));
            let second_sets = drawn.map_or(0, gpu_types::PartConstants::second_sets);
            let material = own_record.map(|record| {
                input.materials.push(OwnMaterial { model: instance.model, part, record });
                to_u32(input.materials.len() - 1)
            });
            items.push(Item {
                model,
                part,
                dual,
                mirrored,
                bounds,
                few_bones,
                is_seen,
                is_lit,
                first_matrix,
                record,
                material,
                second_sets,
            });
            let targets =
                models.get(model).and_then(|m| m.parts.get(part)).map_or(0, |p| p.uniform.morph_targets);
            let weights = morph_weights.iter().copied().chain(std::iter::repeat(0.0));
            input.weights.extend(weights.take(targets as usize));
        }
        // The palette is uploaded as matrices and as dual quaternions if both forms are used. Rigid parts always use matrices.
        let first_row = input.bones.len();
        if has_rows {
            input.bones.extend(instance.palette.iter().flat_map(|matrix| place.rows(matrix)));
        }
        let first_dual = input.bones.len();
        if has_duals {
            input.bones.extend(instance.palette.iter().flat_map(|packed| place.dual(packed)));
        }
        for item in items.iter_mut().skip(first_item) {
            let first = item.first_matrix;
            let at = if item.dual { first_dual + 4 * first } else { first_row + 3 * first };
            item.record.first_matrix = to_u32(at);
        }
    }
}

impl Input {
    /// Appends the record of one item, and returns its index.
    pub(super) fn push(&mut self, item: &Item) -> u32 {
        self.records.push(item.record);
        to_u32(self.records.len() - 1)
    }
}

/// If an index does not fit in 32 bits, the size check of its buffer fails later.
fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Groups items that can be drawn together: the same part of the same model, with the same pipeline. Batches are sorted by
/// pipeline. Everything else remains in the order of the frame.
#[derive(Debug)]
pub(super) struct Batcher<V> {
    variants: HashMap<V, u32>,
    parts: HashMap<(V, usize, usize, Option<u32>), u32>,
    /// For each item, the ranks of its variant and its part, and its index.
    order: Vec<(u32, u32, usize)>,
    pub(super) batches: Vec<Batch>,
}

impl<V> Default for Batcher<V> {
    fn default() -> Self {
        Self { variants: HashMap::new(), parts: HashMap::new(), order: Vec::new(), batches: Vec::new() }
    }
}

impl<V: Copy + Eq + Hash> Batcher<V> {
    /// Groups the items for which `variant` returns a value, and appends their records to the list.
    pub(super) fn group(
        &mut self,
        DrawList { items, input }: &mut DrawList,
        variant: impl Fn(&Item) -> Option<V>,
        mut pipeline: impl FnMut(V) -> wgpu::RenderPipeline,
    ) {
        self.variants.clear();
        self.parts.clear();
        self.order.clear();
        self.batches.clear();
        for (index, item) in items.iter().enumerate() {
            let Some(variant) = variant(item) else { continue };
            let next = to_u32(self.variants.len());
            let variant_rank = *self.variants.entry(variant).or_insert(next);
            let next = to_u32(self.parts.len());
            let part_rank =
                *self.parts.entry((variant, item.model, item.part, item.material)).or_insert(next);
            self.order.push((variant_rank, part_rank, index));
        }
        self.order.sort_unstable();
        let mut last = None;
        for &(_, rank, index) in &self.order {
            let Some(item) = items.get(index) else { continue };
            let record = input.push(item);
            match self.batches.last_mut().filter(|_| last == Some(rank)) {
                Some(batch) => batch.instances.end = record + 1,
                None => {
                    let Some(variant) = variant(item) else { continue };
                    self.batches.push(Batch::new(item, record, pipeline(variant)));
                }
            }
            last = Some(rank);
        }
    }
}

impl Item {
    pub(super) fn part<'m>(&self, models: &[&'m Model]) -> Option<&'m ModelPart> {
        models.get(self.model)?.parts.get(self.part)
    }
}

impl Batch {
    pub(super) fn new(item: &Item, record: u32, pipeline: wgpu::RenderPipeline) -> Self {
        Self {
            model: item.model,
            part: item.part,
            instances: record..record + 1,
            dual: item.dual,
            material: item.material,
            pipeline,
        }
    }

    /// Encodes the batch. `previous` is the last batch that the pass drew. Its state is still set.
    pub(super) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        drawn: DrawnModels<'_>,
        previous: Option<&Self>,
    ) {
        let DrawnModels { models, overrides } = drawn;
        let Some((model, part)) = self.of(models) else { return };
        if previous.is_none_or(|p| p.pipeline != self.pipeline) {
            pass.set_pipeline(&self.pipeline);
        }
        if previous.is_none_or(|p| p.model != self.model) {
            pass.set_index_buffer(model.indices.slice(..), wgpu::IndexFormat::Uint32);
        }
        let key = |b: &Self| (b.model, b.part, b.material);
        if previous.is_none_or(|p| key(p) != key(self)) {
            let (material, offset) = self.material(model, part, overrides);
            pass.set_bind_group(3, material, &[offset; 2]);
            pass.set_vertex_buffer(0, part.stream::<gpu_types::Vertex>(&model.vertices));
            pass.set_vertex_buffer(1, part.stream::<gpu_types::VertexSurface>(&model.surfaces));
        }
        pass.draw_indexed(part.indices.clone(), 0, self.instances.clone());
    }

    /// Returns the model and the part that the batch draws.
    pub(super) fn of<'m>(&self, models: &[&'m Model]) -> Option<(&'m Model, &'m ModelPart)> {
        let model = *models.get(self.model)?;
        Some((model, model.parts.get(self.part)?))
    }

    /// Returns the bind group of the batch's material, and the offset of its record.
    pub(super) fn material<'m>(
        &self,
        model: &'m Model,
        part: &'m ModelPart,
        overrides: &'m MaterialOverrides,
    ) -> (&'m wgpu::BindGroup, u32) {
        let own = self.material.and_then(|material| overrides.get(model, self.part, material));
        own.unwrap_or((&part.material, part.offset))
    }
}

/// Encodes batches in order.
pub(super) fn draw_all(batches: &[Batch], pass: &mut wgpu::RenderPass<'_>, drawn: DrawnModels<'_>) {
    let mut previous = None;
    for batch in batches {
        batch.draw(pass, drawn, previous);
        previous = Some(batch);
    }
}
