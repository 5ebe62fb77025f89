//! How colours are stored in a target.

use wgpu::TextureFormat;

use super::srgb::to_linear;
use super::{Background, ShadingMode};

/// Properties of the target textures that a pipeline depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Output {
    pub(super) format: TextureFormat,
    pub(super) samples: u32,
    /// Whether colours are tone mapped. Otherwise, they are linear and may exceed one.
    pub(super) is_tone_mapped: bool,
    /// Whether the shader converts colours to sRGB, because the format does not.
    pub(super) is_encoded: bool,
}

impl Output {
    /// Returns the output for a mode. `is_hdr` is true if the target stores linear light.
    pub(super) fn new(mode: ShadingMode, samples: u32, format: TextureFormat, is_hdr: bool) -> Self {
        let is_color = !mode.is_data();
        Self {
            format,
            samples,
            is_tone_mapped: !is_hdr,
            is_encoded: is_color && !is_hdr && !format.is_srgb(),
        }
    }

    /// Returns the value of the shaders' constant.
    pub(super) fn encode_constant(self) -> (&'static str, f64) {
        ("ENCODE_SRGB", f64::from(u8::from(self.is_encoded)))
    }

    /// Returns the load operation of a pass with a background. `mode` is the frame's shading mode.
    pub(super) fn load(self, background: Background, mode: ShadingMode) -> wgpu::LoadOp<wgpu::Color> {
        match background {
            Background::Transparent => wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
            Background::Keep => wgpu::LoadOp::Load,
            Background::Color(rgb) => {
                // The value in the shader's units: linear, unless the shader itself would have encoded it.
                let [r, g, b] = rgb.map(|v| f64::from(v) / 255.0);
                let is_linear = self.format.is_srgb() || !(self.is_encoded || mode.is_data());
                let [r, g, b] = if is_linear { [r, g, b].map(to_linear) } else { [r, g, b] };
                wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 })
            }
        }
    }
}
