//! Reads `KHR_materials_variants`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::asset::{Mesh, VariantPart, Variants};

use super::extension::index;
use super::{GltfFile, ObjectError};

const NAME: &str = "KHR_materials_variants";

impl GltfFile<'_> {
    /// Reads the variants and their materials for the primitives of `meshes`.
    pub(super) fn variants(&self, meshes: &[Mesh]) -> Result<Variants, ObjectError> {
        let root = self.root.extensions.as_ref().and_then(|e| e.others.get(NAME));
        let list = root.and_then(|json| json.get("variants")?.as_array());
        let Some(list) = list else { return Ok(Variants::default()) };
        let name = |(i, json): (usize, &Value)| match json.get("name").and_then(Value::as_str) {
            Some(name) => name.to_owned(),
            None => format!("#{i}"),
        };
        let names: Vec<String> = list.iter().enumerate().map(name).collect();
        let mut parts = Vec::new();
        for (m, mesh) in meshes.iter().enumerate() {
            for (p, primitive) in mesh.primitives.iter().enumerate() {
                let json = self.root.meshes.get(m).and_then(|json| json.primitives.get(primitive.index));
                let extension = json.and_then(|j| j.extensions.as_ref()?.others.get(NAME));
                let Some(extension) = extension else { continue };
                let at = format!("meshes[{m}].primitives[{}].extensions.{NAME}", primitive.index);
                let materials = self.mappings(extension, names.len(), &at)?;
                parts.push(VariantPart { mesh: m, primitive: p, default: primitive.material, materials });
            }
        }
        Ok(Variants { names, parts, selected: None })
    }

    /// Returns the material for each variant.
    fn mappings(&self, json: &Value, count: usize, at: &str) -> Result<BTreeMap<usize, usize>, ObjectError> {
        let mut materials = BTreeMap::new();
        let mappings = json.get("mappings").and_then(Value::as_array);
        for (i, mapping) in mappings.into_iter().flatten().enumerate() {
            let at = format!("{at}.mappings[{i}]");
            let invalid = |cause: &str| ObjectError::new(&*at, cause);
            let material = index(mapping, "material").ok_or_else(|| invalid("material is not an index"))?;
            let all = self.root.materials.len();
            if material >= all {
                return Err(ObjectError::missing(&*at, "material", material, all));
            }
            let variants = mapping.get("variants").and_then(Value::as_array);
            for variant in variants.into_iter().flatten() {
                let variant = variant.as_u64().and_then(|v| usize::try_from(v).ok());
                let variant = variant.ok_or_else(|| invalid("a variant is not an index"))?;
                if variant >= count {
                    return Err(ObjectError::missing(&*at, "variant", variant, count));
                }
                self.buffers.claim(size_of::<[usize; 4]>() as u64, &at)?;
                materials.entry(variant).or_insert(material);
            }
        }
        Ok(materials)
    }
}
