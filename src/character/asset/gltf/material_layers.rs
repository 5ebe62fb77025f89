//! Reads the Khronos material extensions that add layers to a surface.

use glam::Vec3;
use serde_json::{Map, Value};

use crate::asset::{Anisotropy, Clearcoat, Iridescence, Material, Sheen, TextureRef, Transmission, Volume};

use super::extension::{index, number, single};
use super::{GltfFile, ObjectError};

/// One extension of a material.
pub(super) struct MaterialLayer<'a> {
    pub(super) file: &'a GltfFile<'a>,
    pub(super) json: &'a Value,
    pub(super) at: String,
}

impl GltfFile<'_> {
    /// Returns a default material with the layers that a material's extensions describe.
    pub(super) fn layers(
        &self,
        extensions: Option<&Map<String, Value>>,
        at: &str,
    ) -> Result<Material, ObjectError> {
        let layer = |name: &str| {
            let json = extensions?.get(name)?;
            Some(MaterialLayer { file: self, json, at: format!("{at}.extensions.{name}") })
        };
        let mut material = Material::default();
        if let Some(layer) = layer("KHR_materials_ior") {
            material.ior = layer.number("ior", material.ior)?;
        }
        if let Some(layer) = layer("KHR_materials_specular") {
            material.specular = layer.factor("specularFactor", 1.0)?;
            material.specular_texture = layer.texture("specularTexture")?;
            material.specular_color = layer.color("specularColorFactor", Vec3::ONE)?;
            material.specular_color_texture = layer.texture("specularColorTexture")?;
        }
        material.clearcoat = layer("KHR_materials_clearcoat").map(|l| l.clearcoat()).transpose()?;
        material.sheen = layer("KHR_materials_sheen").map(|l| l.sheen()).transpose()?;
        material.transmission = layer("KHR_materials_transmission").map(|l| l.transmission()).transpose()?;
        material.volume = layer("KHR_materials_volume").map(|l| l.volume()).transpose()?;
        if let Some(layer) = layer("KHR_materials_dispersion") {
            material.dispersion = layer.number("dispersion", 0.0)?.max(0.0);
        }
        material.iridescence = layer("KHR_materials_iridescence").map(|l| l.iridescence()).transpose()?;
        material.anisotropy = layer("KHR_materials_anisotropy").map(|l| l.anisotropy()).transpose()?;
        material.toon = layer("VRMC_materials_mtoon").map(|l| l.toon()).transpose()?;
        Ok(material)
    }
}

impl GltfFile<'_> {
    /// Replaces the metallic-roughness values of a material with the values of `KHR_materials_pbrSpecularGlossiness`. That model has no
    /// metals: all surfaces reflect in the colour that the extension specifies.
    pub(super) fn specular_glossiness(
        &self,
        material: &mut Material,
        json: &Value,
        at: &str,
    ) -> Result<(), ObjectError> {
        let layer = MaterialLayer {
            file: self,
            json,
            at: format!("{at}.extensions.KHR_materials_pbrSpecularGlossiness"),
        };
        let diffuse = json.get("diffuseFactor").and_then(|factor| factor.get(3)).and_then(Value::as_f64);
        let alpha =
            diffuse.map_or(Ok(1.0), |alpha| single(alpha, &format!("{}.diffuseFactor[3]", layer.at)))?;
        material.base_color = layer.color("diffuseFactor", Vec3::ONE)?.extend(alpha);
        material.base_color_texture = layer.texture("diffuseTexture")?;
        material.metallic = 0.0;
        material.roughness = 1.0 - layer.factor("glossinessFactor", 1.0)?;
        material.metallic_roughness_texture = None;
        // With an index of refraction of zero, the colour is the reflectance itself.
        material.ior = 0.0;
        material.specular = 1.0;
        material.specular_texture = None;
        material.specular_color = layer.color("specularFactor", Vec3::ONE)?;
        material.specular_color_texture = layer.texture("specularGlossinessTexture")?;
        material.has_glossiness = material.specular_color_texture.is_some();
        Ok(())
    }
}

impl MaterialLayer<'_> {
    fn clearcoat(&self) -> Result<Clearcoat, ObjectError> {
        let normal = self.json.get("clearcoatNormalTexture").unwrap_or(&Value::Null);
        let scale = number(normal, "scale", &format!("{}.clearcoatNormalTexture", self.at))?;
        Ok(Clearcoat {
            factor: self.factor("clearcoatFactor", 0.0)?,
            texture: self.texture("clearcoatTexture")?,
            roughness: self.factor("clearcoatRoughnessFactor", 0.0)?,
            roughness_texture: self.texture("clearcoatRoughnessTexture")?,
            normal_texture: self.texture("clearcoatNormalTexture")?,
            normal_scale: scale.unwrap_or(1.0),
        })
    }

    fn sheen(&self) -> Result<Sheen, ObjectError> {
        Ok(Sheen {
            color: self.color("sheenColorFactor", Vec3::ZERO)?,
            color_texture: self.texture("sheenColorTexture")?,
            roughness: self.factor("sheenRoughnessFactor", 0.0)?,
            roughness_texture: self.texture("sheenRoughnessTexture")?,
        })
    }

    fn transmission(&self) -> Result<Transmission, ObjectError> {
        Ok(Transmission {
            factor: self.factor("transmissionFactor", 0.0)?,
            texture: self.texture("transmissionTexture")?,
        })
    }

    fn volume(&self) -> Result<Volume, ObjectError> {
        let default = Volume::default();
        let distance = self.number("attenuationDistance", default.attenuation_distance)?;
        Ok(Volume {
            thickness: self.number("thicknessFactor", 0.0)?.max(0.0),
            thickness_texture: self.texture("thicknessTexture")?,
            // The extension does not allow a distance of zero, but exporters write it if there is no attenuation.
            attenuation_distance: if distance > 0.0 { distance } else { default.attenuation_distance },
            attenuation_color: self.color("attenuationColor", Vec3::ONE)?.min(Vec3::ONE),
        })
    }

    fn iridescence(&self) -> Result<Iridescence, ObjectError> {
        let default = Iridescence::default();
        let [minimum, maximum] = default.thickness;
        Ok(Iridescence {
            factor: self.factor("iridescenceFactor", 0.0)?,
            texture: self.texture("iridescenceTexture")?,
            ior: self.number("iridescenceIor", default.ior)?.max(1.0),
            thickness: [
                self.number("iridescenceThicknessMinimum", minimum)?.max(0.0),
                self.number("iridescenceThicknessMaximum", maximum)?.max(0.0),
            ],
            thickness_texture: self.texture("iridescenceThicknessTexture")?,
        })
    }

    fn anisotropy(&self) -> Result<Anisotropy, ObjectError> {
        Ok(Anisotropy {
            strength: self.factor("anisotropyStrength", 0.0)?,
            rotation: self.number("anisotropyRotation", 0.0)?,
            texture: self.texture("anisotropyTexture")?,
        })
    }

    pub(super) fn number(&self, key: &str, default: f32) -> Result<f32, ObjectError> {
        number(self.json, key, &self.at).map(|value| value.unwrap_or(default))
    }

    /// Reads a number between 0 and 1.
    pub(super) fn factor(&self, key: &str, default: f32) -> Result<f32, ObjectError> {
        Ok(self.number(key, default)?.clamp(0.0, 1.0))
    }

    /// Reads a linear colour without negative channels.
    pub(super) fn color(&self, key: &str, default: Vec3) -> Result<Vec3, ObjectError> {
        let mut color = default;
        let values = self.json.get(key).and_then(Value::as_array);
        for (i, (channel, value)) in color.as_mut().iter_mut().zip(values.into_iter().flatten()).enumerate() {
            let Some(value) = value.as_f64() else { continue };
            *channel = single(value, &format!("{}.{key}[{i}]", self.at))?.max(0.0);
        }
        Ok(color)
    }

    pub(super) fn texture(&self, key: &str) -> Result<Option<TextureRef>, ObjectError> {
        let Some(json) = self.json.get(key) else { return Ok(None) };
        let at = format!("{}.{key}", self.at);
        let texture = index(json, "index").ok_or_else(|| {
            ObjectError::new(format!("{at}.index"), "is missing or not an unsigned integer")
        })?;
        let set = index(json, "texCoord").and_then(|set| u32::try_from(set).ok()).unwrap_or(0);
        let extensions = json.get("extensions").and_then(Value::as_object);
        self.file.texture_ref(texture, set, extensions, &at).map(Some)
    }
}
