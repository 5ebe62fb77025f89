//! Reads the material changes of expressions: `materialColorBinds` and `textureTransformBinds` of VRM 1.0, and `materialValues` of VRM 0.

use glam::{Vec2, Vec4};
use serde_json::Value;

use crate::api::Missing;
use crate::asset::{Material, MaterialBind, MaterialProperty};

use super::extension::{index, single};
use super::material_vrm_0::linear;
use super::{GltfFile, ObjectError};

/// Names of colours in VRM 1.0, their names in VRM 0, and their JSON pointers in a material.
const COLORS: [(&str, &str, &str); 6] = [
    ("color", "_Color", "pbrMetallicRoughness/baseColorFactor"),
    ("emissionColor", "_EmissionColor", "emissiveFactor"),
    ("shadeColor", "_ShadeColor", "extensions/VRMC_materials_mtoon/shadeColorFactor"),
    ("matcapColor", "_MatcapColor", "extensions/VRMC_materials_mtoon/matcapFactor"),
    ("rimColor", "_RimColor", "extensions/VRMC_materials_mtoon/parametricRimColorFactor"),
    ("outlineColor", "_OutlineColor", "extensions/VRMC_materials_mtoon/outlineColorFactor"),
];

/// Reads the numbers of a list. Missing numbers are taken from `default`.
fn numbers<const N: usize>(
    json: &Value,
    key: &str,
    default: [f32; N],
    at: &str,
) -> Result<[f32; N], ObjectError> {
    let mut numbers = default;
    let values = json.get(key).and_then(Value::as_array);
    for (number, value) in numbers.iter_mut().zip(values.into_iter().flatten()) {
        let Some(value) = value.as_f64() else { continue };
        *number = single(value, &format!("{at}.{key}"))?;
    }
    Ok(numbers)
}

/// Returns the bind that sets a property of a material, or `None` if the material does not have it.
fn bind(material: (usize, &Material), pointer: &str, wanted: [f32; 4]) -> Option<MaterialBind> {
    let property = MaterialProperty::find(pointer)?;
    let (count, rest) = property.get(material.1)?;
    let mut difference = [0.0; 4];
    for ((to, wanted), rest) in difference.iter_mut().zip(wanted).zip(rest).take(count) {
        *to = wanted - rest;
    }
    let is_finite = difference.iter().all(|x| x.is_finite());
    is_finite.then_some(MaterialBind { material: material.0, property, difference })
}

/// Adds binds that set the scale and the offset of all textures of a material.
fn move_textures(all: &mut Vec<MaterialBind>, material: (usize, &Material), scale: Vec2, offset: Vec2) {
    for texture in MaterialProperty::textures() {
        let pointer = |part: &str| format!("{texture}/extensions/KHR_texture_transform/{part}");
        for (part, Vec2 { x, y }) in [("scale", scale), ("offset", offset)] {
            let new = bind(material, &pointer(part), [x, y, 0.0, 0.0]);
            all.extend(new.filter(|bind| bind.difference != [0.0; 4]));
        }
    }
}

impl GltfFile<'_> {
    /// Reads the material changes of a VRM 1.0 expression. An invalid change is left out with a warning.
    pub(super) fn material_binds_1(
        &self,
        json: &Value,
        materials: &[Material],
        at: &str,
    ) -> Result<Vec<MaterialBind>, ObjectError> {
        let mut all = Vec::new();
        let lists = ["materialColorBinds", "textureTransformBinds"];
        for (key, json) in lists.into_iter().flat_map(|key| list(json, key).map(move |json| (key, json))) {
            let at = format!("{at}.{key}");
            let material = index(json, "material");
            let Some(material) = material.and_then(|i| Some((i, materials.get(i)?))) else {
                let cause = material.map(|i| Missing::index("material", i, materials.len()).to_string());
                let cause = cause.unwrap_or_else(|| "material is not an index".to_owned());
                self.warn(format!("{at}: {cause}, so the bind is ignored"));
                continue;
            };
            let before = all.len();
            if key == "materialColorBinds" {
                let kind = json.get("type").and_then(Value::as_str).unwrap_or_default();
                let Some((.., pointer)) = COLORS.iter().find(|(name, ..)| *name == kind) else {
                    self.warn(format!("{at}: type \"{kind}\" is unknown, so the bind is ignored"));
                    continue;
                };
                let target = numbers(json, "targetValue", [0.0, 0.0, 0.0, 1.0], &at)?;
                all.extend(bind(material, pointer, target));
            } else {
                let (scale, offset) =
                    (numbers(json, "scale", [1.0; 2], &at)?, numbers(json, "offset", [0.0; 2], &at)?);
                move_textures(&mut all, material, scale.into(), offset.into());
            }
            self.claim_binds(all.len() - before, &at)?;
        }
        Ok(all)
    }

    /// Reads the material changes of a VRM 0 expression. Its colours are sRGB, and the origin of its texture coordinates is at the bottom.
    pub(super) fn material_binds_0(
        &self,
        json: &Value,
        materials: &[Material],
        at: &str,
    ) -> Result<Vec<MaterialBind>, ObjectError> {
        let mut all = Vec::new();
        for json in list(json, "materialValues") {
            let at = format!("{at}.materialValues");
            let text = |key: &str| json.get(key).and_then(Value::as_str);
            let (name, property) = (text("materialName"), text("propertyName").unwrap_or_default());
            let target = Vec4::from(numbers(json, "targetValue", [0.0, 0.0, 0.0, 1.0], &at)?);
            let is_named = |material: &Material| name.is_some() && material.name.as_deref() == name;
            let mut named = materials.iter().enumerate().filter(|(_, m)| is_named(m)).peekable();
            if named.peek().is_none() {
                self.warn(format!("{at}: a material does not exist, so the bind is ignored"));
            }
            let before = all.len();
            for material in named {
                if property == "_MainTex_ST" {
                    let scale = Vec2::new(target.x, target.y);
                    let offset = Vec2::new(target.z, 1.0 - target.y - target.w);
                    move_textures(&mut all, material, scale, offset);
                    continue;
                }
                let Some((.., pointer)) = COLORS.iter().find(|(_, name, _)| *name == property) else {
                    self.warn(format!("{at}: property \"{property}\" is unknown, so the bind is ignored"));
                    continue;
                };
                let color = target.truncate().to_array().map(linear);
                all.extend(bind(material, pointer, [color[0], color[1], color[2], target.w]));
            }
            self.claim_binds(all.len() - before, &at)?;
        }
        Ok(all)
    }

    fn claim_binds(&self, count: usize, at: &str) -> Result<(), ObjectError> {
        self.buffers.claim((count * size_of::<MaterialBind>()) as u64, at)
    }
}

fn list<'a>(json: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    json.get(key).and_then(Value::as_array).into_iter().flatten()
}
