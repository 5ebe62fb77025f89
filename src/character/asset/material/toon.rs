//! MToon: the shading of anime figures in VRM.

use glam::{Vec2, Vec3};

use super::TextureRef;

/// How a surface is shaded in two colours (`VRMC_materials_mtoon`, and `VRM/MToon` of VRM 0 in the units of VRM 1.0). The lit
/// colour, the normal map, the emission and the alpha mode come from the [`Material`](super::Material). Colours are linear RGB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Toon {
    /// Colour of the side that faces away from the light.
    pub shade_color: Vec3,
    /// sRGB-encoded texture whose RGB scales the shade colour.
    pub shade_texture: Option<TextureRef>,
    /// Value that is added to the cosine of the angle between normal and light. At −1 everything is in shade, and at 1 everything is lit.
    pub shading_shift: f32,
    /// Texture whose red channel, multiplied by [`Self::shading_shift_scale`], is added to the shift.
    pub shading_shift_texture: Option<TextureRef>,
    /// Factor of [`Self::shading_shift_texture`].
    pub shading_shift_scale: f32,
    /// Sharpness of the edge between light and shade, 0 (a gradient over the whole surface) to 1 (a line).
    pub toony: f32,
    /// Fraction of the ambient light that is averaged over all directions, 0 to 1.
    pub gi_equalization: f32,
    /// Factor of the matcap texture. Without a texture there is no matcap.
    pub matcap_color: Vec3,
    /// sRGB-encoded texture that is sampled by the normal in view space and added to the colour.
    pub matcap_texture: Option<TextureRef>,
    /// Colour of the rim light, at the edge of the figure.
    pub rim_color: Vec3,
    /// sRGB-encoded texture whose RGB scales the rim light and the matcap.
    pub rim_texture: Option<TextureRef>,
    /// Exponent of the falloff from the edge.
    pub rim_fresnel_power: f32,
    /// Value that is added to one minus the cosine of the angle between normal and camera, so that the light reaches further inwards.
    pub rim_lift: f32,
    /// Influence of the light's colour on the rim, 0 to 1.
    pub rim_lighting_mix: f32,
    /// The line around the figure, if any.
    pub outline: Option<Outline>,
    /// Motion of the textures over the surface.
    pub uv_motion: UvMotion,
    /// Whether a blended surface writes depth, so that it hides what is behind it.
    pub writes_depth: bool,
    /// Drawing order of blended surfaces, −9 to 9. Surfaces with higher values are drawn later.
    pub queue_offset: i32,
}

/// A line around a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outline {
    /// Width of the line. Not negative.
    pub width: OutlineWidth,
    /// Texture whose green channel scales the width.
    pub width_texture: Option<TextureRef>,
    /// Linear RGB.
    pub color: Vec3,
    /// Degree to which the outline colour is multiplied by the colour of the shaded surface, 0 to 1.
    pub lighting_mix: f32,
}

/// The width of an outline and its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OutlineWidth {
    /// World metres.
    World(f32),
    /// Fraction of the image height.
    Screen(f32),
}

/// Textures that move over a surface. The matcap and the mask do not move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UvMotion {
    /// Translation in texture coordinates per second.
    pub scroll: Vec2,
    /// Rotation about the middle of the texture in radians per second, in the direction of [`TextureRef::uv_transform`].
    pub rotation: f32,
    /// Texture whose blue channel scales both motions.
    pub mask_texture: Option<TextureRef>,
    /// Time for which the textures have been moving, in seconds. Zero after loading.
    pub seconds: f32,
}

impl UvMotion {
    /// Returns whether the textures move.
    pub fn moves(&self) -> bool {
        self.scroll != Vec2::ZERO || self.rotation != 0.0
    }

    /// Returns the current displacement of the textures: the offset (less than two textures per axis) and the angle in radians.
    pub fn phase(&self) -> (Vec2, f32) {
        let seconds = if self.seconds.is_finite() { self.seconds } else { 0.0 };
        // Wraps in double precision, because a texture may have moved for hours. Mirrored textures repeat after two textures.
        #[expect(clippy::cast_possible_truncation, reason = "the remainder is small")]
        let wrapped = |speed: f32, period: f64| ((f64::from(speed) * f64::from(seconds)) % period) as f32;
        let offset = Vec2::new(wrapped(self.scroll.x, 2.0), wrapped(self.scroll.y, 2.0));
        (offset, wrapped(self.rotation, std::f64::consts::TAU))
    }
}

impl Default for Toon {
    /// Returns the extension's defaults.
    fn default() -> Self {
        Self {
            shade_color: Vec3::ZERO,
            shade_texture: None,
            shading_shift: 0.0,
            shading_shift_texture: None,
            shading_shift_scale: 1.0,
            toony: 0.9,
            gi_equalization: 0.9,
            matcap_color: Vec3::ONE,
            matcap_texture: None,
            rim_color: Vec3::ZERO,
            rim_texture: None,
            rim_fresnel_power: 5.0,
            rim_lift: 0.0,
            rim_lighting_mix: 1.0,
            outline: None,
            uv_motion: UvMotion::default(),
            writes_depth: false,
            queue_offset: 0,
        }
    }
}

impl Toon {
    /// Returns all textures of the shading.
    pub fn textures_mut(&mut self) -> impl Iterator<Item = &mut Option<TextureRef>> {
        let outline = self.outline.as_mut().map(|outline| &mut outline.width_texture);
        let own = [
            &mut self.shade_texture,
            &mut self.shading_shift_texture,
            &mut self.matcap_texture,
            &mut self.rim_texture,
            &mut self.uv_motion.mask_texture,
        ];
        own.into_iter().chain(outline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textures_move_evenly_for_hours_and_never_to_infinity() {
        let motion = UvMotion { scroll: Vec2::new(0.25, -1.0), rotation: 1.0, ..UvMotion::default() };
        let at = |seconds| UvMotion { seconds, ..motion }.phase();
        assert_eq!(at(0.0), (Vec2::ZERO, 0.0));
        assert_eq!(at(1.5), (Vec2::new(0.375, -1.5), 1.5));
        // 0.25 × 36 001 is 9000.25 textures.
        assert_eq!(at(36_001.0).0.x, 0.25);
        for seconds in [f32::NAN, f32::INFINITY, f32::MAX, -f32::MAX] {
            let (offset, angle) = at(seconds);
            assert!(offset.is_finite() && angle.is_finite() && offset.abs().max_element() < 2.0, "{seconds}");
        }
        assert!(motion.moves() && !UvMotion::default().moves());
    }
}
