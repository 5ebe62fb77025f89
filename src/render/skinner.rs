//! Skins vertices in a compute shader that uses the functions of the vertex shaders. The results remain in a GPU buffer.

use std::collections::HashMap;

use wgpu::{BufferBindingType, ShaderStages};

use super::gpu_types::{Vertex, VertexSurface};
use super::layout::{Layouts, buffer};
use super::model::{Model, ModelPart};
use super::skinning::{SKINNED, SkinningVariant};
use super::{Gpu, RenderError, shaders};

/// Number of vertices in a workgroup.
const GROUP: u32 = 64;

/// Skins parts of models. The adapter must run compute shaders.
#[derive(Debug)]
pub(super) struct VertexSkinner {
    own: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    module: wgpu::ShaderModule,
    /// Created on first use.
    pipelines: HashMap<SkinningVariant, wgpu::ComputePipeline>,
}

/// One part of a model, and the buffers for its skinning.
pub(super) struct Skinned<'a> {
    pub(super) model: &'a Model,
    pub(super) part: &'a ModelPart,
    pub(super) dual: bool,
    /// A uniform buffer with the index of the first instance.
    pub(super) first_instance: wgpu::BufferBinding<'a>,
    pub(super) instances: u32,
    /// The results for the vertices of the first instance, followed by the results for each further instance.
    pub(super) results: wgpu::BufferBinding<'a>,
}

impl VertexSkinner {
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let storage = |binding, read_only| {
            buffer(binding, ShaderStages::COMPUTE, BufferBindingType::Storage { read_only }, false)
        };
        let first_instance = buffer(3, ShaderStages::COMPUTE, BufferBindingType::Uniform, false);
        let own = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("skin vertices"),
            entries: &[storage(0, true), storage(1, true), storage(2, false), first_instance],
        });
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("skin vertices"),
            bind_group_layouts: &[Some(&own), Some(&layouts.instances), None, Some(&layouts.material)],
            immediate_size: 0,
        });
        let module = shaders::module(&gpu.device, "skin vertices", shaders::SKIN_VERTICES);
        Self { own, layout, module, pipelines: HashMap::new() }
    }

    /// Returns whether the given number of instances of a part can be skinned at once.
    pub(super) fn fits(gpu: &Gpu, part: &ModelPart, instances: u64) -> bool {
        let limits = gpu.device.limits();
        let vertices = u64::from(part.uniform.vertices);
        let largest = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        let groups = u64::from(limits.max_compute_workgroups_per_dimension);
        vertices.saturating_mul(instances).saturating_mul(SKINNED) <= largest
            && vertices.saturating_mul(size_of::<VertexSurface>() as u64) <= largest
            && vertices.div_ceil(GROUP.into()).max(instances) <= groups
    }

    /// Encodes the skinning of a part. The bind group contains the records, the matrices and the morph weights of all instances.
    ///
    /// # Errors
    /// [`RenderError::Buffer`] if the part has more vertices than a shader can read.
    pub(super) fn encode(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        instances: &wgpu::BindGroup,
        skinned: Skinned<'_>,
    ) -> Result<(), RenderError> {
        let Skinned { model, part, dual, first_instance, instances: count, results } = skinned;
        let vertices = part.uniform.vertices;
        // Bind only this part. All vertices together may exceed the limit of a binding.
        let stream = |buffer, stride: usize| {
            let size = u64::from(vertices) * stride as u64;
            gpu.check_storage("vertices", size)?;
            let offset = part.first_vertex * stride as u64;
            let binding = wgpu::BufferBinding { buffer, offset, size: wgpu::BufferSize::new(size) };
            Ok::<_, RenderError>(wgpu::BindingResource::Buffer(binding))
        };
        let entry = |binding, resource| wgpu::BindGroupEntry { binding, resource };
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("skin vertices"),
            layout: &self.own,
            entries: &[
                entry(0, stream(&model.vertices, size_of::<Vertex>())?),
                entry(1, stream(&model.surfaces, size_of::<VertexSurface>())?),
                entry(2, wgpu::BindingResource::Buffer(results)),
                entry(3, wgpu::BindingResource::Buffer(first_instance)),
            ],
        });
        pass.set_pipeline(self.pipeline(gpu, SkinningVariant::of(part, dual, false)));
        pass.set_bind_group(0, &group, &[]);
        pass.set_bind_group(1, instances, &[]);
        pass.set_bind_group(3, &part.material, &[part.offset; 2]);
        pass.dispatch_workgroups(vertices.div_ceil(GROUP), count, 1);
        Ok(())
    }

    fn pipeline(&mut self, gpu: &Gpu, variant: SkinningVariant) -> &wgpu::ComputePipeline {
        let Self { layout, module, pipelines, .. } = self;
        pipelines.entry(variant).or_insert_with(|| {
            gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("skin vertices"),
                layout: Some(layout),
                module,
                entry_point: Some("skin_vertices"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &variant.constants(),
                    ..Default::default()
                },
                cache: None,
            })
        })
    }
}
