//! Instances whose palettes are on the GPU. The GPU also decides which of them are drawn, and with how many triangles.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::cast_slice;
use wgpu::BufferUsages;

use super::compute::read_back;
use super::gpu_types::{COARSE, LEVELS};
use super::layout::Layouts;
use super::{Gpu, RenderError};

mod kernels;
mod levels;
mod list;
mod phases;
#[cfg(test)]
mod tests;

pub(crate) use kernels::Culling;
pub use levels::DrawnLevels;
pub(crate) use levels::Levels;
use list::{ARGUMENTS, List, ListInput, to_u32};
use phases::Phases;

/// Number of lists created so far.
static LISTS: AtomicU64 = AtomicU64::new(0);

/// Number of lanes in a workgroup, as in `shaders/cull.wgsl`.
pub(crate) const LANES: u32 = 256;
/// The largest error of a shadow in texels, for a largest error of one pixel in the image. Even the sharpest edges of shadows are blurred over
/// a disc with a radius of 2.5 texels (`shaders/soft_shadow.wgsl`), and a shadow has no looks, which are part of the error.
const SHADOW_ERROR: f32 = 3.0;

/// Instances of a model whose palettes another GPU pass writes. In each frame, the GPU lists the instances that the camera
/// and the key light can see. Each part is drawn by an indirect draw with all triangles, and one for all coarser levels of detail.
#[derive(Debug)]
pub struct GpuInstances {
    /// A number that is unique in this process.
    pub(super) id: u64,
    input: ListInput,
    /// After the first of two phases and until the second one, the instances of the first phase.
    camera: List,
    light: List,
    /// Exists if hidden instances are not drawn.
    phases: Option<Phases>,
    /// Whether lines are drawn around parts. They may be outside of the spheres around the instances.
    has_outlines: bool,
    /// The draws of the parts, in the order of the model.
    pub(super) parts: Vec<GpuPart>,
    /// The group of each part: parts with the same matrices and morph weights share their records.
    groups: Vec<usize>,
    /// The levels of detail, if the model has any.
    coarse: Option<Coarse>,
}

/// The triangles of all levels of detail except the full one.
#[derive(Debug)]
struct Coarse {
    /// The ranges of each part in `indices`.
    parts: Vec<[Range<u32>; COARSE]>,
    indices: wgpu::Buffer,
}

/// The offsets of a part within an instance's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GpuPart {
    /// Index of its first matrix in the palette of an instance.
    pub(crate) first_matrix: u32,
    /// Index of its first morph weight among the weights of an instance.
    pub(crate) first_weight: u32,
    /// Whether its matrix mirrors the part.
    pub(crate) mirrored: bool,
}

/// The buffers with the data of instances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GpuInstanceBuffers<'a> {
    /// Number of instances, and the length of the buffers.
    pub(crate) instances: u32,
    /// A [`Placed`](super::gpu_types::Placed) for each instance.
    pub(crate) placed: &'a wgpu::Buffer,
    /// The palettes: `world_from_mesh` as three rows of four numbers.
    pub(crate) palettes: &'a wgpu::Buffer,
    /// Number of matrices in a palette.
    pub(crate) bones: u32,
    /// The morph weights of all instances.
    pub(crate) weights: &'a wgpu::Buffer,
    /// Number of morph weights of an instance.
    pub(crate) weight_count: u32,
}

/// A list of instances to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listed {
    /// The instances that the camera sees. In a frame with two phases, those of both phases.
    Camera,
    /// The instances that the key light sees.
    Light,
    /// The instances that the camera saw in the last frame and that are still in view, until the list of the second phase is made. If hidden
    /// instances are drawn, the same as `Camera`.
    FirstPhase,
    /// The other instances that the camera sees and that nothing hides. Making this list also replaces `FirstPhase` by `Camera`. If hidden
    /// instances are drawn, there is no such list.
    SecondPhase,
}

impl GpuInstances {
    /// See [`Renderer::gpu_instances`](super::Renderer::gpu_instances). `indices` contains the index ranges of the parts.
    pub(super) fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        culling: &Culling,
        buffers: &GpuInstanceBuffers<'_>,
        parts: &[GpuPart],
        indices: &[Range<u32>],
        has_outlines: bool,
    ) -> Result<Self, RenderError> {
        let mut offsets: Vec<[u32; 2]> = Vec::new();
        let mut groups = Vec::with_capacity(parts.len());
        for part in parts {
            let offset = [part.first_matrix, part.first_weight];
            let known = offsets.iter().position(|&known| known == offset);
            groups.push(known.unwrap_or_else(|| {
                offsets.push(offset);
                offsets.len() - 1
            }));
        }
        // Until the levels of detail are known, they have no triangles.
        let of_part = |full: &Range<u32>| std::iter::once(draw_of(full)).chain([[0; 5]; COARSE]);
        let arguments = indices.iter().zip(parts).flat_map(|(full, _)| of_part(full)).collect();
        let input = ListInput::new(gpu, buffers, &offsets, arguments)?;
        let [camera, light] = [0, 1].map(|view| input.new_list(gpu, layouts, culling, view));
        Ok(Self {
            id: LISTS.fetch_add(1, Ordering::Relaxed),
            input,
            camera: camera?,
            light: light?,
            phases: None,
            has_outlines,
            parts: parts.to_vec(),
            groups,
            coarse: None,
        })
    }

    /// Sets whether hidden instances are left out. Without [`Culling::occlusion`], and if there are lines around parts, all instances are
    /// drawn.
    ///
    /// # Errors
    /// [`RenderError::Buffer`] if the lists exceed the limits of the adapter.
    pub(super) fn set_occlusion(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        culling: &Culling,
        is_on: bool,
    ) -> Result<(), RenderError> {
        let occlusion = culling.occlusion.as_ref().filter(|_| is_on && !self.has_outlines);
        match occlusion {
            Some(_) if self.has_phases() => {}
            Some(occlusion) => {
                self.phases = Some(Phases::new(gpu, layouts, culling, occlusion, &self.input)?);
            }
            None => self.phases = None,
        }
        Ok(())
    }

    /// Returns whether hidden instances may be left out.
    pub(super) fn has_phases(&self) -> bool {
        self.phases.is_some()
    }

    /// Encodes the passes that make a list. The list of the second phase needs the depth pyramid of the frame.
    pub(super) fn encode_list(&self, culling: &Culling, pass: &mut wgpu::ComputePass<'_>, listed: Listed) {
        let (instances, camera) = (self.input.size.instances, &self.camera.cull);
        let phases = self.phases.as_ref().zip(culling.occlusion.as_ref());
        match (listed, phases) {
            (Listed::FirstPhase, Some((phases, occlusion))) => {
                culling.encode_list(pass, &occlusion.first_phase, camera, &[&phases.states], instances);
            }
            (Listed::SecondPhase, Some((phases, occlusion))) => {
                let Some(pyramid) = occlusion.pyramid.group() else { return };
                let (group, states) = (&phases.second.cull, &phases.states);
                culling.encode_list(pass, &occlusion.second_phase, group, &[states, pyramid], instances);
                // Blended parts are drawn from this list, and statistics are read from it.
                culling.encode_list(pass, &occlusion.both_phases, camera, &[states], instances);
            }
            (Listed::SecondPhase, None) => {}
            (Listed::Camera | Listed::FirstPhase, _) => {
                culling.encode_list(pass, &culling.cull, camera, &[], instances);
            }
            (Listed::Light, _) => {
                culling.encode_list(pass, &culling.cull, &self.light.cull, &[], instances);
            }
        }
    }

    /// Returns whether the levels of detail are known.
    pub(crate) fn has_levels(&self) -> bool {
        self.coarse.is_some()
    }

    /// Adds the levels of detail of the model. Before that, all instances have the full level.
    ///
    /// # Errors
    /// [`RenderError::Buffer`] if the triangles exceed the limits of the adapter.
    pub(crate) fn set_levels(&mut self, gpu: &Gpu, levels: &Levels) -> Result<(), RenderError> {
        let triangles: &[u8] = cast_slice(&levels.indices);
        gpu.check_buffer("triangles", triangles.len() as u64)?;
        let indices = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("triangles of levels"),
            size: (triangles.len() as u64).max(4),
            usage: BufferUsages::INDEX | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.queue.write_buffer(&indices, 0, triangles);
        let coarse = |ranges: &[Range<u32>; COARSE]| ranges.each_ref().map(draw_of);
        let draws: Vec<[[u32; 5]; COARSE]> = levels.parts.iter().map(coarse).collect();
        self.input.set_levels(levels.errors, &draws);
        self.lists().for_each(|list| list.write_levels(gpu, &self.input));
        self.coarse = Some(Coarse { parts: levels.parts.clone(), indices });
        Ok(())
    }

    /// Sets the largest error that levels of detail may have in the image, in pixels. In the shadow map, it may be [`SHADOW_ERROR`] times as
    /// large, in texels. With 0, which is the initial value, all instances have the full level.
    pub(crate) fn set_pixel_error(&mut self, gpu: &Gpu, pixels: f32) {
        self.input.size.pixel_error = pixels;
        self.lists().for_each(|list| list.write_pixel_error(gpu, pixels));
        self.light.write_pixel_error(gpu, SHADOW_ERROR * pixels);
    }

    /// Returns all lists.
    fn lists(&self) -> impl Iterator<Item = &List> {
        let second = self.phases.iter().map(|phases| &phases.second);
        [&self.camera, &self.light].into_iter().chain(second)
    }

    /// Waits for the GPU, and returns what the camera saw in the last frame.
    ///
    /// # Errors
    /// [`RenderError`] if the driver reports an error.
    pub(crate) fn read_drawn(&self, gpu: &Gpu) -> Result<DrawnLevels, RenderError> {
        let encoder = gpu.device.create_command_encoder(&Default::default());
        read_back(gpu, encoder, &self.camera.arguments, 0..self.draws_size(), DrawnLevels::of_draws)
    }

    /// Returns the size in bytes of the arguments of the camera's draws, and of the number of hidden instances.
    pub(crate) fn draws_size(&self) -> u64 {
        self.input.draws_size()
    }

    /// Encodes a copy of these numbers to an offset of a buffer.
    pub(crate) fn copy_draws(&self, encoder: &mut wgpu::CommandEncoder, target: &wgpu::Buffer, offset: u64) {
        encoder.copy_buffer_to_buffer(&self.camera.arguments, 0, target, offset, self.draws_size());
    }

    /// Returns the size of the lists in bytes, excluding the buffers that the caller passed in.
    pub fn bytes(&self) -> u64 {
        2 * self.input.list_bytes() + self.phases.as_ref().map_or(0, |phases| phases.bytes)
    }

    /// Binds the instances of a part, and draws those of a list. The pipeline, vertices and material must be set. `full` contains the
    /// triangles of the full level. All other levels are drawn with the pipeline `coarse`, if there is one. Blended parts are drawn with
    /// coarse levels first, because these are usually farther away, and must not have this second pipeline.
    pub(super) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        listed: Listed,
        part: usize,
        full: &wgpu::Buffer,
        coarse: Option<&wgpu::RenderPipeline>,
        is_blended: bool,
    ) {
        let list = match (listed, &self.phases) {
            (Listed::SecondPhase, Some(phases)) => &phases.second,
            (Listed::SecondPhase, None) => return,
            (Listed::Camera | Listed::FirstPhase, _) => &self.camera,
            (Listed::Light, _) => &self.light,
        };
        let Some(group) = self.groups.get(part).and_then(|&group| list.groups.get(group)) else { return };
        pass.set_bind_group(1, group, &[]);
        let offset = |level: usize| (part * LEVELS + level) as u64 * ARGUMENTS;
        let coarse_triangles = self.coarse_triangles(part);
        if let (Some(triangles), true) = (coarse_triangles, is_blended) {
            pass.set_index_buffer(triangles.slice(..), wgpu::IndexFormat::Uint32);
            for level in (1..LEVELS).rev() {
                pass.draw_indexed_indirect(&list.arguments, offset(level));
            }
        }
        pass.set_index_buffer(full.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed_indirect(&list.arguments, offset(0));
        if let (Some(triangles), false) = (coarse_triangles, is_blended) {
            if let Some(pipeline) = coarse {
                pass.set_pipeline(pipeline);
            }
            pass.set_index_buffer(triangles.slice(..), wgpu::IndexFormat::Uint32);
            pass.multi_draw_indexed_indirect(&list.arguments, offset(1), to_u32(COARSE));
        }
    }

    /// Returns the buffer with the triangles of a part in all levels below the full one, or `None` if the part has no triangles there.
    fn coarse_triangles(&self, part: usize) -> Option<&wgpu::Buffer> {
        let Coarse { parts, indices } = self.coarse.as_ref()?;
        parts.get(part)?.iter().any(|range| !range.is_empty()).then_some(indices)
    }
}

/// Returns the arguments of a draw of some indices, without instances.
fn draw_of(indices: &Range<u32>) -> [u32; 5] {
    [to_u32(indices.len()), 0, indices.start, 0, 0]
}
