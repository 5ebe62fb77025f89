//! Reads `VRMC_materials_mtoon`.

use glam::{Vec2, Vec3};
use serde_json::Value;

use crate::asset::{Outline, OutlineWidth, Toon, UvMotion};

use super::ObjectError;
use super::extension::number;
use super::material_layers::MaterialLayer;

/// Largest offset of a material from the default drawing order.
const MAX_QUEUE_OFFSET: i64 = 9;

impl MaterialLayer<'_> {
    pub(super) fn toon(&self) -> Result<Toon, ObjectError> {
        let default = Toon::default();
        let shift_json = self.json.get("shadingShiftTexture").unwrap_or(&Value::Null);
        let shift_scale = number(shift_json, "scale", &format!("{}.shadingShiftTexture", self.at))?;
        let queue = self.json.get("renderQueueOffsetNumber").and_then(Value::as_i64).unwrap_or(0);
        let flag = |key: &str| self.json.get(key).and_then(Value::as_bool).unwrap_or_default();
        Ok(Toon {
            shade_color: self.color("shadeColorFactor", default.shade_color)?,
            shade_texture: self.texture("shadeMultiplyTexture")?,
            shading_shift: self.number("shadingShiftFactor", default.shading_shift)?,
            shading_shift_texture: self.texture("shadingShiftTexture")?,
            shading_shift_scale: shift_scale.unwrap_or(default.shading_shift_scale),
            toony: self.factor("shadingToonyFactor", default.toony)?,
            gi_equalization: self.factor("giEqualizationFactor", default.gi_equalization)?,
            matcap_color: self.color("matcapFactor", default.matcap_color)?,
            matcap_texture: self.texture("matcapTexture")?,
            rim_color: self.color("parametricRimColorFactor", default.rim_color)?,
            rim_texture: self.texture("rimMultiplyTexture")?,
            rim_fresnel_power: self
                .number("parametricRimFresnelPowerFactor", default.rim_fresnel_power)?
                .max(0.0),
            rim_lift: self.number("parametricRimLiftFactor", default.rim_lift)?,
            rim_lighting_mix: self.factor("rimLightingMixFactor", default.rim_lighting_mix)?,
            outline: self.outline()?,
            uv_motion: UvMotion {
                scroll: Vec2::new(
                    self.number("uvAnimationScrollXSpeedFactor", 0.0)?,
                    self.number("uvAnimationScrollYSpeedFactor", 0.0)?,
                ),
                rotation: self.number("uvAnimationRotationSpeedFactor", 0.0)?,
                mask_texture: self.texture("uvAnimationMaskTexture")?,
                seconds: 0.0,
            },
            writes_depth: flag("transparentWithZWrite"),
            #[expect(clippy::cast_possible_truncation, reason = "clamped to one digit")]
            queue_offset: queue.clamp(-MAX_QUEUE_OFFSET, MAX_QUEUE_OFFSET) as i32,
        })
    }

    fn outline(&self) -> Result<Option<Outline>, ObjectError> {
        let width = self.number("outlineWidthFactor", 0.0)?.max(0.0);
        let width = match self.json.get("outlineWidthMode").and_then(Value::as_str) {
            Some("worldCoordinates") => OutlineWidth::World(width),
            Some("screenCoordinates") => OutlineWidth::Screen(width),
            _ => return Ok(None),
        };
        let outline = Outline {
            width,
            width_texture: self.texture("outlineWidthMultiplyTexture")?,
            color: self.color("outlineColorFactor", Vec3::ZERO)?,
            lighting_mix: self.factor("outlineLightingMixFactor", 1.0)?,
        };
        Ok((width != OutlineWidth::World(0.0) && width != OutlineWidth::Screen(0.0)).then_some(outline))
    }
}
