//! Smaller levels of the shadow map, in which the shader of soft shadows searches for blockers and samples wide edges
//! (`shaders/soft_shadow.wgsl`).
//!
//! They are levels of the map's own texture, because the fragment shaders of surfaces use all 16 textures that WebGPU guarantees. If a pass
//! cannot read from the texture into which it draws, the levels are computed in separate textures and then copied.

use super::Gpu;
use super::depth_levels::{DepthLevels, KeptDepth, LevelPass, create_depth_texture, level_view};

/// Number of levels that are read. The map is the first.
const COUNT: u32 = 6;

/// Returns the number of levels of the map's texture. If levels are separate images, OpenGL draws into them only if all levels down to a
/// single texel exist.
pub(super) fn count(gpu: &Gpu, size: u32) -> u32 {
    if gpu.capabilities.fills_levels_in_place { COUNT } else { size.ilog2() + 1 }
}

/// How a level is computed from a larger one. The levels in between are never read.
struct Step {
    larger: u32,
    level: u32,
    /// The texels of the larger level that are read. See [`DepthLevels::pass`].
    texels: [u32; 3],
}

const STEPS: [Step; 3] = [
    // Half of the texels are enough for casters that are three texels wide. Reading all of them would take four times as long.
    Step { larger: 0, level: 2, texels: [4, 1, 2] },
    Step { larger: 2, level: 4, texels: [4, 0, 4] },
    Step { larger: 4, level: 5, texels: [2, 0, 2] },
];

/// The texels for a level that is a copy of the larger level.
const COPY: [u32; 3] = [1, 0, 1];

/// The levels of one map.
#[derive(Debug)]
pub(super) struct ShadowLevels {
    /// The level into which the casters are drawn.
    pub(super) target: wgpu::TextureView,
    passes: Vec<LevelPass>,
}

impl ShadowLevels {
    pub(super) fn new(gpu: &Gpu, map: &wgpu::Texture) -> Self {
        let mut levels = DepthLevels::new(gpu, KeptDepth::Nearest);
        let in_place = gpu.capabilities.fills_levels_in_place;
        let place = |level: u32| {
            if in_place {
                level_view(map, level)
            } else {
                create_map(gpu, map.width() >> level, 1).create_view(&Default::default())
            }
        };
        let target = place(0);
        let mut passes = Vec::new();
        let mut made = vec![(0, target.clone())];
        for Step { larger, level, texels } in STEPS {
            let Some((_, source)) = made.iter().find(|(made, _)| *made == larger) else { continue };
            let next = place(level);
            passes.push(levels.pass(gpu, source, &next, texels, None));
            made.push((level, next));
        }
        if !in_place {
            let copy = |(level, source): &(u32, wgpu::TextureView)| {
                levels.pass(gpu, source, &level_view(map, *level), COPY, None)
            };
            passes.extend(made.iter().map(copy));
        }
        Self { target, passes }
    }

    /// Computes the levels from the map.
    pub(super) fn fill(&self, encoder: &mut wgpu::CommandEncoder) {
        self.passes.iter().for_each(|pass| pass.encode(encoder));
    }
}

/// Creates a shadow map.
pub(super) fn create_map(gpu: &Gpu, size: u32, levels: u32) -> wgpu::Texture {
    create_depth_texture(gpu, "shadow map", (size, size), levels)
}
