//! The shadow map: depth as seen from the key light.

use glam::{Mat4, Vec3, camera::rh};

use super::casters::Casters;
use super::depth_levels::level_view;
use super::layout::Layouts;
use super::shadow_levels::{self, ShadowLevels, create_map};
use super::surface::depth_state;
use super::{Gpu, Light, LightSource};

/// Minimum and maximum width of the map in texels.
const SIZE_RANGE: (u32, u32) = (512, 2048);

/// Returns the width in texels of the shadow map for an image: about two texels per pixel. A finer map would make no visible difference. On
/// a software driver, a large map would take longer to draw than a small image.
pub(super) fn size((width, height): (u32, u32)) -> u32 {
    width.max(height).saturating_mul(2).clamp(SIZE_RANGE.0, SIZE_RANGE.1).next_power_of_two()
}

/// The shadow map and the parts that are drawn into it.
#[derive(Debug)]
pub(super) struct Shadow {
    /// All levels of the map.
    pub(super) view: wgpu::TextureView,
    /// The level into which the casters are drawn.
    pub(super) target: wgpu::TextureView,
    /// The smaller levels, which only soft shadows need.
    pub(super) levels: Option<ShadowLevels>,
    kind: Kind,
    pub(super) casters: Casters,
}

/// Properties that determine the texture of the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    size: u32,
    is_soft: bool,
}

impl Shadow {
    /// Creates the shadow map of a frame. [`size`] and [`is_soft`] return its arguments.
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts, size: u32, is_soft: bool) -> Self {
        let depth = wgpu::DepthStencilState {
            bias: wgpu::DepthBiasState { constant: 2, slope_scale: 2.0, clamp: 0.0 },
            ..depth_state(true)
        };
        let kind = Kind { size, is_soft };
        let (view, target, levels) = textures(gpu, kind);
        Self { view, target, levels, kind, casters: Casters::new(gpu, layouts, depth) }
    }

    /// Recreates the map if its size or its softness has changed.
    pub(super) fn resize(&mut self, gpu: &Gpu, size: u32, is_soft: bool) {
        let kind = Kind { size, is_soft };
        if self.kind != kind {
            self.kind = kind;
            (self.view, self.target, self.levels) = textures(gpu, kind);
        }
    }
}

/// Returns whether the shadows of a frame are soft.
pub(super) fn is_soft(light: &Light) -> bool {
    light.source != LightSource::Classic
}

fn textures(gpu: &Gpu, kind: Kind) -> (wgpu::TextureView, wgpu::TextureView, Option<ShadowLevels>) {
    let map = create_map(gpu, kind.size, if kind.is_soft { shadow_levels::count(gpu, kind.size) } else { 1 });
    let levels = kind.is_soft.then(|| ShadowLevels::new(gpu, &map));
    let target = levels.as_ref().map_or_else(|| level_view(&map, 0), |levels| levels.target.clone());
    (map.create_view(&Default::default()), target, levels)
}

/// Returns the matrix from world space to the key light's clip space, which encloses the given sphere. The two numbers
/// are the width of a texel as a fraction of the map, and in world metres.
pub(super) fn light_space(light: &Light, (center, radius): (Vec3, f32), size: u32) -> (Mat4, f32, f32) {
    let towards = light.key_direction();
    let eye = center + towards * (2.0 * radius);
    let up = if towards.x == 0.0 && towards.z == 0.0 { Vec3::Z } else { Vec3::Y };
    let view = rh::view::look_at_mat4(eye, center, up);
    let projection = rh::proj::directx::orthographic(-radius, radius, -radius, radius, 0.0, 4.0 * radius);
    #[expect(clippy::cast_precision_loss, reason = "a power of two")]
    let texel = 1.0 / size as f32;
    (projection * view, texel, 2.0 * radius * texel)
}
