//! Reads `KHR_lights_punctual`.

use std::f32::consts::FRAC_PI_4;

use glam::Vec3;
use serde_json::Value;

use crate::asset::{Light, LightKind};

use super::extension::{index, number, single};
use super::{GltfFile, ObjectError};

const NAME: &str = "KHR_lights_punctual";

impl GltfFile<'_> {
    /// Reads the lights of all nodes. Several nodes may share a light of the file.
    pub(super) fn lights(&self) -> Result<Vec<Light>, ObjectError> {
        let root = self.root.extensions.as_ref().and_then(|e| e.others.get(NAME));
        let list = root.and_then(|json| json.get("lights")?.as_array()).map_or(&[][..], Vec::as_slice);
        let mut lights = Vec::new();
        for (node, json) in self.root.nodes.iter().enumerate() {
            let Some(extension) = json.extensions.as_ref().and_then(|e| e.others.get(NAME)) else { continue };
            let at = format!("nodes[{node}].extensions.{NAME}.light");
            let light = index(extension, "light")
                .ok_or_else(|| ObjectError::new(&*at, "is missing or not an unsigned integer"))?;
            let json = list.get(light).ok_or_else(|| ObjectError::missing(at, "light", light, list.len()))?;
            self.buffers.claim(size_of::<Light>() as u64, NAME)?;
            lights.extend(self.light(json, node, &format!("extensions.{NAME}.lights[{light}]"))?);
        }
        Ok(lights)
    }

    /// Reads a light. Returns `None`, with a warning, if its type is unknown.
    fn light(&self, json: &Value, node: usize, at: &str) -> Result<Option<Light>, ObjectError> {
        let kind = match json.get("type").and_then(Value::as_str) {
            Some("directional") => LightKind::Directional,
            Some("point") => LightKind::Point,
            Some("spot") => {
                let spot = json.get("spot").unwrap_or(&Value::Null);
                let angle = |key: &str| number(spot, key, &format!("{at}.spot"));
                LightKind::Spot {
                    inner: angle("innerConeAngle")?.unwrap_or(0.0),
                    outer: angle("outerConeAngle")?.unwrap_or(FRAC_PI_4),
                }
            }
            _ => {
                self.warn(format!("{at}.type: value is unknown, so the light is ignored"));
                return Ok(None);
            }
        };
        let mut color = Vec3::ONE;
        let channels = json.get("color").and_then(Value::as_array);
        for (i, channel) in channels.into_iter().flatten().filter_map(Value::as_f64).take(3).enumerate() {
            color[i] = single(channel, &format!("{at}.color[{i}]"))?;
        }
        let name = json.get("name").and_then(Value::as_str).map(str::to_owned);
        let intensity = number(json, "intensity", at)?.unwrap_or(1.0);
        Ok(Some(Light { name, node, kind, color, intensity, range: number(json, "range", at)? }))
    }
}
