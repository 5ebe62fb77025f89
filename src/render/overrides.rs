//! Materials that replace the model's own in one frame.

use std::collections::HashMap;

use super::layout::Layouts;
use super::material::PART_STRIDE;
use super::model::{Model, part_usage};
use super::staging::Staging;
use super::{Gpu, RenderError, gpu_types};
use bytemuck::bytes_of;

/// The record of a part whose material differs from the material in its model.
#[derive(Debug)]
pub(super) struct OwnMaterial {
    pub(super) model: usize,
    pub(super) part: usize,
    pub(super) record: gpu_types::PartConstants,
}

/// The records and bind groups of the parts in a frame whose materials differ from the materials in their models.
#[derive(Debug, Default)]
pub(super) struct MaterialOverrides {
    records: Option<wgpu::Buffer>,
    /// The bind groups by the id of the model and the index of the part.
    groups: HashMap<(u64, usize), wgpu::BindGroup>,
}

impl MaterialOverrides {
    pub(super) fn write(
        &mut self,
        gpu: &Gpu,
        staging: &mut Staging,
        materials: &[OwnMaterial],
    ) -> Result<(), RenderError> {
        if materials.is_empty() {
            self.groups.clear();
            return Ok(());
        }
        let mut bytes = vec![0; materials.len() * PART_STRIDE];
        for (to, OwnMaterial { record, .. }) in bytes.chunks_exact_mut(PART_STRIDE).zip(materials) {
            to.split_at_mut(size_of_val(record)).0.copy_from_slice(bytes_of(record));
        }
        if staging.write(gpu, &mut self.records, "materials", &bytes, part_usage(gpu))? {
            self.groups.clear();
        }
        Ok(())
    }

    /// Creates the bind groups of the frame, and removes the bind groups of earlier frames.
    pub(super) fn bind(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        models: &[&Model],
        materials: &[OwnMaterial],
    ) {
        let Self { records: Some(records), groups } = self else { return };
        let mut used = HashMap::new();
        for own in materials {
            let Some(model) = models.get(own.model) else { continue };
            let Some(part) = model.parts.get(own.part) else { continue };
            let key = (model.id, own.part);
            let create = || part.textures.bind(gpu, layouts, records, &model.extras);
            used.entry(key).or_insert_with(|| groups.remove(&key).unwrap_or_else(create));
        }
        *groups = used;
    }

    /// Returns the bind group and the dynamic offset of the material of a batch.
    pub(super) fn get(&self, model: &Model, part: usize, material: u32) -> Option<(&wgpu::BindGroup, u32)> {
        let group = self.groups.get(&(model.id, part))?;
        Some((group, material.saturating_mul(PART_STRIDE as u32)))
    }
}
