//! Reads back the output of the vertex shader, to compare it with the CPU skinning.

use bytemuck::cast_slice;
use glam::{Affine3A, Mat4, Vec3, Vec4, Vec4Swizzles};
use wgpu::{BufferBindingType, BufferUsages, ShaderStages};

use crate::view::Bounds;

use super::culling::Frustum;
use super::gpu_types::{Vertex, VertexSurface, flags};
use super::layout::buffer;
use super::model::Model;
use super::offscreen::read_buffer;
use super::skinning::SkinningVariant;
use super::{Draw, Instance, RenderError, Renderer, shaders};

/// World positions in metres and unit normals, one of each per vertex.
type Vertices = (Vec<Vec3>, Vec<Vec3>);

impl Renderer {
    /// Skins one part on the GPU with the shader that draws it, and reads positions and normals back. The normals are
    /// empty if the part has none.
    ///
    /// # Errors
    /// [`RenderError`] if the adapter runs no compute shaders, if a buffer is larger than it supports, or if the driver reports an error.
    pub fn read_vertices(
        &mut self,
        model: &Model,
        draw: &Draw<'_>,
        palette: &[Mat4],
    ) -> Result<Vertices, RenderError> {
        if !self.gpu().capabilities.has_compute {
            return Err(RenderError::NoCompute);
        }
        let Some(part) = model.parts.get(draw.part).filter(|p| p.uniform.vertices > 0) else {
            return Ok((Vec::new(), Vec::new()));
        };
        let vertices = part.uniform.vertices;
        let size = u64::from(vertices) * 32;
        self.gpu().check_storage("skinned vertices", size)?;
        let mut encoder = self.gpu().device.create_command_encoder(&Default::default());
        let draws = vec![Draw { bounds: Bounds::default(), ..*draw }];
        let instance = Instance { model: 0, draws, palette, place: Affine3A::IDENTITY, tint: Vec4::ONE };
        let everywhere = Frustum::new(&Mat4::IDENTITY);
        let instances = self.upload_instances(&mut encoder, |list| {
            list.add(&[model], &instance, &everywhere, None);
            if let Some(item) = list.items.first() {
                list.input.push(item);
            }
        })?;
        let device = &self.gpu().device;
        let create_buffer = |label, usage| {
            device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
        };
        let skinned = create_buffer(Some("skinned"), BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let readback = create_buffer(Some("read back"), BufferUsages::COPY_DST | BufferUsages::MAP_READ);
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("skin vertices"),
            entries: &[
                buffer(0, ShaderStages::COMPUTE, BufferBindingType::Storage { read_only: true }, false),
                buffer(1, ShaderStages::COMPUTE, BufferBindingType::Storage { read_only: true }, false),
                buffer(2, ShaderStages::COMPUTE, BufferBindingType::Storage { read_only: false }, false),
            ],
        });
        // Bind only this part. All vertices together may exceed the limit of a binding.
        let stream = |buffer, stride: usize| {
            let size = u64::from(vertices) * stride as u64;
            self.gpu().check_storage("vertices", size)?;
            let offset = part.first_vertex * stride as u64;
            let binding = wgpu::BufferBinding { buffer, offset, size: wgpu::BufferSize::new(size) };
            Ok::<_, RenderError>(wgpu::BindingResource::Buffer(binding))
        };
        let positions = stream(&model.vertices, size_of::<Vertex>())?;
        let surfaces = stream(&model.surfaces, size_of::<VertexSurface>())?;
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("skin vertices"),
            layout: &layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: positions },
                wgpu::BindGroupEntry { binding: 1, resource: surfaces },
                wgpu::BindGroupEntry { binding: 2, resource: skinned.as_entire_binding() },
            ],
        });
        let pipeline = self.skinning_pipeline(&layout, SkinningVariant::of(part, draw.dual, false));
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_bind_group(1, instances.as_ref(), &[]);
        pass.set_bind_group(3, &part.material, &[part.offset; 2]);
        pass.dispatch_workgroups(vertices.div_ceil(64), 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&skinned, 0, &readback, 0, size);
        let work = self.gpu().queue.submit([encoder.finish()]);
        let has_normals = part.flags & flags::HAS_NORMALS != 0;
        read_buffer(self.gpu(), &readback, work, |bytes| {
            let pairs = cast_slice::<u8, [Vec4; 2]>(bytes);
            let positions = pairs.iter().map(|[position, _]| position.xyz()).collect();
            let normals = pairs.iter().filter(|_| has_normals).map(|[_, normal]| normal.xyz()).collect();
            (positions, normals)
        })
    }

    fn skinning_pipeline(
        &self,
        own: &wgpu::BindGroupLayout,
        skinning: SkinningVariant,
    ) -> wgpu::ComputePipeline {
        let device = &self.gpu().device;
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("skin vertices"),
            bind_group_layouts: &[
                Some(own),
                Some(&self.layouts().instances),
                None,
                Some(&self.layouts().material),
            ],
            immediate_size: 0,
        });
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("skin vertices"),
            layout: Some(&layout),
            module: &shaders::module(device, "skin vertices", shaders::SKIN_VERTICES),
            entry_point: Some("skin_vertices"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &skinning.constants(),
                ..Default::default()
            },
            cache: None,
        })
    }
}
