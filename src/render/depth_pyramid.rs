//! The farthest depths of squares of pixels, from which the GPU decides which characters of a crowd are hidden (`shaders/occlusion.wgsl`;
//! Greene, Kass & Miller 1993, "Hierarchical Z-Buffer Visibility").

use super::Gpu;
use super::depth_levels::{DepthLevels, KeptDepth, LevelPass, create_depth_texture, level_view};
use super::layout::depth_pyramid;

/// The larger side of the smallest level, in texels. A shader reads at most a square of this size.
pub(super) const SMALLEST: u32 = 4;
/// Each texel covers a square of two by two texels of the larger level, or of two by two pixels.
const SQUARE: [u32; 3] = [2, 0, 2];

/// Computes the pyramid of a depth buffer.
#[derive(Debug)]
pub(super) struct DepthPyramid {
    /// The layout of the bind group with the pyramid.
    pub(super) layout: wgpu::BindGroupLayout,
    levels: DepthLevels,
    /// Computes the first level from a multisampled depth buffer. Created on first use.
    of_samples: Option<DepthLevels>,
    built: Option<Built>,
}

/// The pyramid of one depth buffer.
#[derive(Debug)]
struct Built {
    depth: wgpu::TextureView,
    passes: Vec<LevelPass>,
    group: wgpu::BindGroup,
}

/// Returns the width and height of the first level for a depth buffer of `size` pixels, and the number of levels. The sides are powers of
/// two, so a texel covers the same pixels as four texels of the larger level.
fn dimensions((width, height): (u32, u32)) -> ((u32, u32), u32) {
    let side = |pixels: u32| pixels.div_ceil(2).max(1).next_power_of_two();
    let (width, height) = (side(width), side(height));
    ((width, height), (width.max(height) / SMALLEST).max(1).ilog2() + 1)
}

impl DepthPyramid {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("depth pyramid"),
            entries: &[depth_pyramid(0)],
        });
        Self { layout, levels: DepthLevels::new(gpu, KeptDepth::Farthest), of_samples: None, built: None }
    }

    /// Creates the pipelines for depth buffers with a number of samples per pixel.
    pub(super) fn create_pipelines(&mut self, gpu: &Gpu, samples: u32) {
        if samples > 1 {
            self.of_samples.get_or_insert_with(|| DepthLevels::of_samples(gpu)).pipeline(gpu, SQUARE);
        }
        self.levels.pipeline(gpu, SQUARE);
    }

    /// Removes the pyramid. Until then, it keeps the memory of the depth buffer allocated.
    pub(super) fn clear(&mut self) {
        self.built = None;
    }

    /// Returns the number of pipelines that exist.
    #[cfg(test)]
    pub(super) fn pipelines(&self) -> usize {
        self.of_samples.iter().chain([&self.levels]).map(|levels| levels.pipelines.len()).sum()
    }

    /// Prepares the pyramid of a depth buffer of `size` pixels. The buffer must be readable.
    pub(super) fn prepare(&mut self, gpu: &Gpu, depth: &wgpu::TextureView, size: (u32, u32), samples: u32) {
        if self.built.as_ref().is_some_and(|built| built.depth == *depth) {
            return;
        }
        let (first, count) = dimensions(size);
        let texture = create_depth_texture(gpu, "depth pyramid", first, count);
        let mut passes = Vec::new();
        let mut larger = depth.clone();
        for index in 0..count {
            let level = level_view(&texture, index);
            let reader = if index == 0 && samples > 1 {
                self.of_samples.get_or_insert_with(|| DepthLevels::of_samples(gpu))
            } else {
                &mut self.levels
            };
            // The rest of a level is outside of the image.
            let covered = |pixels: u32| pixels.div_ceil(2 << index);
            let area = Some((covered(size.0), covered(size.1)));
            passes.push(reader.pass(gpu, &larger, &level, SQUARE, area));
            larger = level;
        }
        let whole = texture.create_view(&Default::default());
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("depth pyramid"),
            layout: &self.layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::TextureView(&whole),
            }],
        });
        self.built = Some(Built { depth: depth.clone(), passes, group });
    }

    /// Computes the pyramid from the depth buffer.
    pub(super) fn fill(&self, encoder: &mut wgpu::CommandEncoder) {
        self.built.iter().flat_map(|built| &built.passes).for_each(|pass| pass.encode(encoder));
    }

    /// Returns the bind group with the pyramid of the depth buffer that was prepared last.
    pub(super) fn group(&self) -> Option<&wgpu::BindGroup> {
        self.built.as_ref().map(|built| &built.group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_level_is_small_enough_to_be_read_as_a_whole() {
        for (size, expected) in [
            ((1, 1), ((1, 1), 1)),
            ((8, 3), ((4, 2), 1)),
            ((9, 3), ((8, 2), 2)),
            ((1280, 720), ((1024, 512), 9)),
            ((500, 2049), ((256, 2048), 10)),
        ] {
            assert_eq!(dimensions(size), expected, "{size:?}");
            let ((width, height), count) = expected;
            assert!(width.max(height) >> (count - 1) <= SMALLEST);
        }
    }
}
