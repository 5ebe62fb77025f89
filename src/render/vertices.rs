//! Reads back the output of the vertex shader, to compare it with the CPU skinning.

use bytemuck::cast_slice;
use glam::{Affine3A, Mat4, Vec3, Vec4, Vec4Swizzles};
use wgpu::BufferUsages;

use crate::view::Bounds;

use super::culling::Frustum;
use super::gpu_types::flags;
use super::model::Model;
use super::offscreen::read_buffer;
use super::skinner::{Skinned, VertexSkinner};
use super::skinning::SKINNED;
use super::{Draw, Instance, RenderError, Renderer};

/// World positions in metres and unit normals, one of each per vertex.
type Vertices = (Vec<Vec3>, Vec<Vec3>);

impl Renderer {
    /// Skins one part on the GPU with the shader that draws it, and reads back positions and normals. The normals are
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
        let size = u64::from(vertices) * SKINNED;
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
        // New buffers contain zeros.
        let first_instance = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("first instance"),
            size: 16,
            usage: BufferUsages::UNIFORM,
            mapped_at_creation: false,
        });
        let mut skinner = VertexSkinner::new(self.gpu(), self.layouts());
        let Some(instances) = instances else { return Ok((Vec::new(), Vec::new())) };
        let mut pass = encoder.begin_compute_pass(&Default::default());
        skinner.encode(
            self.gpu(),
            &mut pass,
            &instances,
            Skinned {
                model,
                part,
                dual: draw.dual,
                first_instance: first_instance.as_entire_buffer_binding(),
                instances: 1,
                results: skinned.as_entire_buffer_binding(),
            },
        )?;
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
}
