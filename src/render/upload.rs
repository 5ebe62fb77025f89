//! The buffers with the input of a frame, and their bind groups. They are reused in later frames.

use bytemuck::{bytes_of, cast_slice};
use wgpu::BufferUsages;

use super::draw_list::Input;
use super::instance_texture::InstanceTexture;
use super::layout::{Layouts, bind_instance_texture, bind_instances};
use super::overrides::MaterialOverrides;
use super::software::few_bones;
use super::staging::Staging;
use super::{Gpu, RenderError, gpu_types};

/// A frame's input on the GPU. A buffer is replaced only when it is too small, and a bind group is replaced only when one of its buffers
/// is.
#[derive(Debug, Default)]
pub(super) struct FrameBuffers {
    pub(super) staging: Staging,
    globals: Option<wgpu::Buffer>,
    records: Option<wgpu::Buffer>,
    bones: Option<wgpu::Buffer>,
    pub(super) few_bones: Option<wgpu::Buffer>,
    weights: Option<wgpu::Buffer>,
    /// Used instead of `records`, `bones` and `weights` if vertex shaders cannot read storage buffers.
    instance_texture: InstanceTexture,
    lines: Option<wgpu::Buffer>,
    globals_group: Option<wgpu::BindGroup>,
    instances_group: Option<wgpu::BindGroup>,
    pub(super) overrides: MaterialOverrides,
}

impl FrameBuffers {
    pub(super) fn write_globals(
        &mut self,
        gpu: &Gpu,
        globals: &gpu_types::Globals,
    ) -> Result<(), RenderError> {
        let bytes = bytes_of(globals);
        if self.staging.write(gpu, &mut self.globals, "globals", bytes, BufferUsages::UNIFORM)? {
            self.globals_group = None;
        }
        Ok(())
    }

    /// Schedules the upload of the views for which the GPU culls.
    pub(super) fn write_views(
        &mut self,
        gpu: &Gpu,
        buffer: &mut Option<wgpu::Buffer>,
        views: &gpu_types::CullViews,
    ) -> Result<(), RenderError> {
        self.staging.write(gpu, buffer, "views", bytes_of(views), BufferUsages::UNIFORM).map(drop)
    }

    /// Schedules the upload of matrices into the uniform buffer, which must be written before the first frame even if that frame does not
    /// use it.
    pub(super) fn write_few_bones(&mut self, gpu: &Gpu, input: &Input) -> Result<(), RenderError> {
        let is_missing = self.few_bones.is_none();
        if input.few_bones || is_missing {
            let padded = few_bones::padded(if input.few_bones { &input.bones } else { &[] });
            let (buffer, bytes) = (&mut self.few_bones, cast_slice(&padded));
            if self.staging.write(gpu, buffer, "few joint matrices", bytes, BufferUsages::UNIFORM)? {
                self.globals_group = None;
            }
        }
        Ok(())
    }

    pub(super) fn write_instances(&mut self, gpu: &Gpu, input: &Input) -> Result<(), RenderError> {
        let storage = BufferUsages::STORAGE;
        let Self { staging, records, bones, weights, instance_texture, instances_group, .. } = self;
        if !gpu.capabilities.has_vertex_storage {
            if instance_texture.write(gpu, staging, input)? {
                *instances_group = None;
            }
            return Ok(());
        }
        let is_read = input.is_posed || !input.few_bones;
        let many = if is_read { &input.bones[..] } else { &[] };
        let buffers = [
            (records, "instances", cast_slice(&input.records)),
            (bones, "joint matrices", cast_slice(many)),
            (weights, "morph weights", cast_slice(&input.weights)),
        ];
        for (buffer, label, bytes) in buffers {
            // A new buffer makes the bind group invalid at once, even if a later write fails because its data is too large.
            if staging.write(gpu, buffer, label, bytes, storage)? {
                *instances_group = None;
            }
        }
        Ok(())
    }

    /// Schedules the upload of materials that differ from the materials in their models.
    pub(super) fn write_materials(&mut self, gpu: &Gpu, input: &Input) -> Result<(), RenderError> {
        self.overrides.write(gpu, &mut self.staging, &input.materials)
    }

    pub(super) fn write_lines(&mut self, gpu: &Gpu, lines: &[gpu_types::Line]) -> Result<(), RenderError> {
        let bytes = cast_slice(lines);
        self.staging.write(gpu, &mut self.lines, "lines", bytes, BufferUsages::VERTEX).map(drop)
    }

    pub(super) fn flush(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) -> Result<(), RenderError> {
        self.staging.flush(gpu, encoder)
    }

    /// Drops the scheduled uploads of a frame that failed.
    pub(super) fn cancel(&mut self) {
        self.staging.clear();
    }

    /// Returns the buffer with the written lines.
    pub(super) fn lines(&self) -> Option<&wgpu::Buffer> {
        self.lines.as_ref()
    }

    /// Binds the globals, which must have been written.
    pub(super) fn bind_globals(&mut self, gpu: &Gpu, layouts: &Layouts) -> Option<&wgpu::BindGroup> {
        let (buffer, few_bones) = (self.globals.as_ref()?, self.few_bones.as_ref()?);
        Some(self.globals_group.get_or_insert_with(|| {
            gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("globals"),
                layout: &layouts.globals,
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() },
                    wgpu::BindGroupEntry { binding: 1, resource: few_bones.as_entire_binding() },
                ],
            })
        }))
    }

    /// Binds the instances, which must have been written.
    pub(super) fn bind_instances(&mut self, gpu: &Gpu, layouts: &Layouts) -> Option<&wgpu::BindGroup> {
        if !gpu.capabilities.has_vertex_storage {
            let view = self.instance_texture.view()?;
            return Some(
                self.instances_group.get_or_insert_with(|| bind_instance_texture(gpu, layouts, &view)),
            );
        }
        let (records, bones, weights) =
            (self.records.as_ref()?, self.bones.as_ref()?, self.weights.as_ref()?);
        Some(self.instances_group.get_or_insert_with(|| {
            bind_instances(gpu, layouts, records.as_entire_buffer_binding(), bones, weights)
        }))
    }
}
