//! Reads the materials of VRM 0 (`VRM.materialProperties`), which use the properties of Unity's shaders. Converts them to the units of VRM
//! 1.0 as described in its migration guide.

use std::collections::BTreeSet;

use glam::{Affine2, Vec2, Vec3, Vec4};
use serde_json::Value;

use crate::asset::{AlphaMode, Material, Outline, OutlineWidth, TextureRef, Toon, UvMotion};

use super::extension::{index, number, single};
use super::{GltfFile, ObjectError};

/// Outline widths are in centimetres, or in hundredths of the height of the image.
const OUTLINE_UNIT: f32 = 0.01;

/// The properties of one material.
struct Properties<'a> {
    file: &'a GltfFile<'a>,
    json: &'a Value,
    at: String,
    /// The transform of all textures except the matcap.
    uv_transform: Affine2,
}

impl GltfFile<'_> {
    /// Replaces the glTF properties of a VRM 0 file's materials.
    pub(super) fn vrm_0_materials(&self, materials: &mut [Material]) -> Result<(), ObjectError> {
        let extensions = self.root.extensions.as_ref().map(|e| &e.others);
        let vrm = extensions.filter(|e| !e.contains_key("VRMC_vrm")).and_then(|e| e.get("VRM"));
        let list = vrm.and_then(|json| json.get("materialProperties")?.as_array());
        let Some(list) = list else { return Ok(()) };
        let queues = [false, true].map(|writes_depth| queues(list, writes_depth));
        for (i, (material, json)) in materials.iter_mut().zip(list).enumerate() {
            let at = format!("extensions.VRM.materialProperties[{i}]");
            let properties = Properties::new(self, json, at)?;
            let shader = json.get("shader").and_then(Value::as_str).unwrap_or_default();
            let [blended, depth_writing] = &queues;
            match shader {
                "VRM/MToon" => properties.toon(material)?,
                _ if shader.starts_with("VRM/Unlit") => properties.unlit(material, shader)?,
                _ => continue,
            }
            let Some(toon) = &mut material.toon else { continue };
            if let (AlphaMode::Blend, Some(queue)) = (material.alpha_mode, queue(json)) {
                // The first queue with depth writing and the last queue without it get the default offset of VRM 1.0.
                toon.queue_offset = if toon.writes_depth {
                    rank(depth_writing.iter().take_while(|q| **q < queue).count())
                } else {
                    -rank(blended.iter().rev().take_while(|q| **q > queue).count())
                };
            }
        }
        if list.len() > materials.len() {
            self.warn(format!(
                "extensions.VRM.materialProperties: {} materials are not in the file and are ignored",
                list.len() - materials.len()
            ));
        }
        Ok(())
    }
}

/// Limits an offset to the range of VRM 1.0.
fn rank(count: usize) -> i32 {
    i32::try_from(count.min(9)).unwrap_or(9)
}

fn queue(json: &Value) -> Option<i64> {
    json.get("renderQueue").and_then(Value::as_i64)
}

fn float(json: &Value, key: &str) -> Option<f64> {
    json.get("floatProperties")?.get(key)?.as_f64()
}

fn keyword(json: &Value, key: &str) -> bool {
    json.get("keywordMap").and_then(|map| map.get(key)?.as_bool()).unwrap_or_default()
}

/// Returns whether a material is blended, and whether it then writes depth.
fn blending(json: &Value) -> (bool, bool) {
    match json.get("shader").and_then(Value::as_str) {
        Some("VRM/UnlitTransparentZWrite") => (true, true),
        Some("VRM/UnlitTransparent") => (true, false),
        Some("VRM/MToon") => (keyword(json, "_ALPHABLEND_ON"), float(json, "_ZWrite") == Some(1.0)),
        _ => (false, false),
    }
}

/// Returns the render queues of the blended materials of a file, which define their drawing order.
fn queues(list: &[Value], writes_depth: bool) -> BTreeSet<i64> {
    list.iter().filter(|json| blending(json) == (true, writes_depth)).filter_map(queue).collect()
}

/// Converts a channel of a colour from sRGB.
pub(super) fn linear(srgb: f32) -> f32 {
    let c = srgb.max(0.0);
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

impl<'a> Properties<'a> {
    fn new(file: &'a GltfFile<'a>, json: &'a Value, at: String) -> Result<Self, ObjectError> {
        let mut properties = Self { file, json, at, uv_transform: Affine2::IDENTITY };
        let [x, y, z, w] = properties.vector("_MainTex", Vec4::new(0.0, 0.0, 1.0, 1.0))?.to_array();
        // Unity's texture coordinates have their origin at the bottom.
        let (scale, offset) = (Vec2::new(z, w), Vec2::new(x, 1.0 - w - y));
        let transform = Affine2::from_scale_angle_translation(scale, 0.0, offset);
        if transform.is_finite() {
            properties.uv_transform = transform;
        }
        Ok(properties)
    }

    fn number(&self, key: &str, default: f32) -> Result<f32, ObjectError> {
        let floats = self.json.get("floatProperties").unwrap_or(&Value::Null);
        number(floats, key, &format!("{}.floatProperties", self.at)).map(|value| value.unwrap_or(default))
    }

    fn vector(&self, key: &str, default: Vec4) -> Result<Vec4, ObjectError> {
        let mut vector = default;
        let values = self.json.get("vectorProperties").and_then(|v| v.get(key)?.as_array());
        for (part, value) in vector.as_mut().iter_mut().zip(values.into_iter().flatten()) {
            let Some(value) = value.as_f64() else { continue };
            *part = single(value, &format!("{}.vectorProperties.{key}", self.at))?;
        }
        Ok(vector)
    }

    /// Reads an sRGB colour with linear alpha.
    fn color(&self, key: &str, default: Vec4) -> Result<Vec4, ObjectError> {
        let [x, y, z, w] = self.vector(key, default)?.to_array();
        let color = Vec4::new(linear(x), linear(y), linear(z), w);
        let error = || ObjectError::new(format!("{}.vectorProperties.{key}", self.at), "value is too large");
        color.is_finite().then_some(color).ok_or_else(error)
    }

    fn texture(&self, key: &str) -> Result<Option<TextureRef>, ObjectError> {
        let textures = self.json.get("textureProperties").unwrap_or(&Value::Null);
        let Some(texture) = index(textures, key) else { return Ok(None) };
        let at = format!("{}.textureProperties.{key}", self.at);
        let read = self.file.texture_ref(texture, 0, None, &at)?;
        Ok(Some(TextureRef { uv_transform: self.uv_transform, ..read }))
    }

    /// Sets the properties that MToon and the unlit shaders share.
    fn base(&self, material: &mut Material, cutoff: Option<f32>) -> Result<(), ObjectError> {
        material.base_color = self.color("_Color", Vec4::ONE)?;
        material.base_color_texture = self.texture("_MainTex")?;
        material.alpha_mode = match cutoff {
            _ if blending(self.json).0 => AlphaMode::Blend,
            Some(cutoff) => AlphaMode::Mask(cutoff),
            None => AlphaMode::Opaque,
        };
        Ok(())
    }

    /// An unlit shader becomes an unlit material. It also gets MToon settings, because they contain the drawing order.
    fn unlit(&self, material: &mut Material, shader: &str) -> Result<(), ObjectError> {
        let cutoff = if shader == "VRM/UnlitCutout" { Some(self.number("_Cutoff", 0.5)?) } else { None };
        self.base(material, cutoff)?;
        material.unlit = true;
        material.toon = Some(Toon { writes_depth: blending(self.json).1, ..Toon::default() });
        Ok(())
    }

    fn toon(&self, material: &mut Material) -> Result<(), ObjectError> {
        let is_cut_out = keyword(self.json, "_ALPHATEST_ON");
        let cutoff = if is_cut_out { Some(self.number("_Cutoff", 0.5)?) } else { None };
        self.base(material, cutoff)?;
        material.unlit = false;
        // 0: both sides, 1: back faces only, 2: front faces only.
        material.double_sided = self.number("_CullMode", 2.0)? == 0.0;
        material.normal_texture = self.texture("_BumpMap")?;
        material.normal_scale = self.number("_BumpScale", 1.0)?;
        material.emissive = self.color("_EmissionColor", Vec4::ZERO)?.truncate();
        material.emissive_texture = self.texture("_EmissionMap")?;
        let black = Vec4::ZERO;
        let shift = self.number("_ShadeShift", 0.0)?.clamp(-1.0, 1.0);
        let toony = self.number("_ShadeToony", 0.9)?.clamp(0.0, 1.0);
        // In VRM 0, the edge begins at the shift and is as wide as the gradient. In VRM 1.0, the edge is centred at the shift.
        let toony = toony + (1.0 - toony) * (0.5 + 0.5 * shift);
        let matcap = self.texture("_SphereAdd")?;
        material.toon = Some(Toon {
            shade_color: self.color("_ShadeColor", Vec4::new(0.97, 0.81, 0.86, 1.0))?.truncate(),
            shade_texture: self.texture("_ShadeTexture")?,
            shading_shift: -shift - (1.0 - toony),
            toony,
            gi_equalization: (1.0 - self.number("_IndirectLightIntensity", 0.1)?).clamp(0.0, 1.0),
            matcap_color: Vec3::ONE,
            // The matcap has no transform.
            matcap_texture: matcap.map(|t| TextureRef { uv_transform: Affine2::IDENTITY, ..t }),
            rim_color: self.color("_RimColor", black)?.truncate(),
            rim_texture: self.texture("_RimTexture")?,
            rim_fresnel_power: self.number("_RimFresnelPower", 1.0)?.max(0.0),
            rim_lift: self.number("_RimLift", 0.0)?,
            rim_lighting_mix: self.number("_RimLightingMix", 0.0)?.clamp(0.0, 1.0),
            outline: self.outline()?,
            uv_motion: UvMotion {
                scroll: Vec2::new(self.number("_UvAnimScrollX", 0.0)?, -self.number("_UvAnimScrollY", 0.0)?),
                rotation: self.number("_UvAnimRotation", 0.0)?,
                mask_texture: self.texture("_UvAnimMaskTexture")?,
                seconds: 0.0,
            },
            writes_depth: blending(self.json).1,
            ..Toon::default()
        });
        Ok(())
    }

    fn outline(&self) -> Result<Option<Outline>, ObjectError> {
        let width = self.number("_OutlineWidth", 0.0)?.max(0.0) * OUTLINE_UNIT;
        let mode = self.number("_OutlineWidthMode", 0.0)?;
        let width = match () {
            () if width <= 0.0 => return Ok(None),
            () if mode == 1.0 => OutlineWidth::World(width),
            () if mode == 2.0 => OutlineWidth::Screen(width),
            () => return Ok(None),
        };
        let is_mixed = self.number("_OutlineColorMode", 0.0)? == 1.0;
        let mix = if is_mixed { self.number("_OutlineLightingMix", 1.0)?.clamp(0.0, 1.0) } else { 0.0 };
        Ok(Some(Outline {
            width,
            width_texture: self.texture("_OutlineWidthTexture")?,
            color: self.color("_OutlineColor", Vec4::ZERO)?.truncate(),
            lighting_mix: mix,
        }))
    }
}
