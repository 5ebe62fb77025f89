//! Reads materials, textures and images.

use std::collections::HashMap;
use std::sync::Arc;

use glam::{Affine2, Mat2, Vec2, Vec3, Vec4};
use gltf::json::material::{AlphaMode as JsonAlphaMode, Material as Json};
use gltf::json::texture::{
    MagFilter, MinFilter, Sampler as JsonSampler, Texture as JsonTexture, WrappingMode,
};
use gltf::json::validation::Checked;
use serde_json::{Map, Value};

use crate::asset::{
    AlphaMode, Filter, Image, MAX_IMAGES_BYTES, Material, Sampler, Texture, TextureRef, Wrap,
};

use super::extension::{index, number, single};
use super::{GltfFile, ObjectError, label, uri};

/// Extensions that add an image in another format to a texture, in order of preference.
const IMAGE_EXTENSIONS: [&str; 2] = ["KHR_texture_basisu", "EXT_texture_webp"];

/// Location of the bytes of an image: a URI or a buffer view.
type ImageLocation<'a> = (Option<&'a str>, Option<usize>);

impl GltfFile<'_> {
    pub(super) fn materials(&self) -> Result<Vec<Material>, ObjectError> {
        let all = self.root.materials.iter().enumerate();
        let all = all.map(|(i, json)| self.material(json, &format!("materials[{i}]")));
        let mut materials = all.collect::<Result<Vec<_>, _>>()?;
        self.vrm_0_materials(&mut materials)?;
        Ok(materials)
    }

    fn material(&self, json: &Json, at: &str) -> Result<Material, ObjectError> {
        let pbr = &json.pbr_metallic_roughness;
        let others = json.extensions.as_ref().map(|e| &e.others);
        let extension = |name: &str| others.and_then(|o| o.get(name));
        let strength = match extension("KHR_materials_emissive_strength") {
            Some(json) => {
                number(json, "emissiveStrength", &format!("{at}.extensions.KHR_materials_emissive_strength"))?
            }
            None => match extension("VRMC_materials_hdr_emissiveMultiplier") {
                Some(json) => number(json, "emissiveMultiplier", &format!("{at}.extensions"))?,
                None => None,
            },
        };
        // `Info`, `NormalTexture` and `OcclusionTexture` are separate types with the same fields.
        macro_rules! texture {
            ($info:expr, $name:literal) => {
                match &$info {
                    Some(info) => {
                        let others = info.extensions.as_ref().map(|e| &e.others);
                        let at = format!("{at}.{}", $name);
                        Some(self.texture_ref(info.index.value(), info.tex_coord, others, &at)?)
                    }
                    None => None,
                }
            };
        }
        let mut material = Material {
            name: json.name.clone(),
            base_color: Vec4::from(pbr.base_color_factor.0),
            base_color_texture: texture!(pbr.base_color_texture, "baseColorTexture"),
            metallic: pbr.metallic_factor.0,
            roughness: pbr.roughness_factor.0,
            metallic_roughness_texture: texture!(pbr.metallic_roughness_texture, "metallicRoughnessTexture"),
            normal_texture: texture!(json.normal_texture, "normalTexture"),
            normal_scale: json.normal_texture.as_ref().map_or(1.0, |t| t.scale),
            occlusion_texture: texture!(json.occlusion_texture, "occlusionTexture"),
            occlusion_strength: json.occlusion_texture.as_ref().map_or(1.0, |t| t.strength.0),
            emissive: Vec3::from(json.emissive_factor.0),
            emissive_strength: strength.unwrap_or(1.0),
            emissive_texture: texture!(json.emissive_texture, "emissiveTexture"),
            alpha_mode: match json.alpha_mode {
                Checked::Valid(JsonAlphaMode::Opaque) => AlphaMode::Opaque,
                Checked::Valid(JsonAlphaMode::Mask) => {
                    AlphaMode::Mask(json.alpha_cutoff.map_or(0.5, |c| c.0))
                }
                Checked::Valid(JsonAlphaMode::Blend) => AlphaMode::Blend,
                Checked::Invalid => {
                    return Err(ObjectError::new(format!("{at}.alphaMode"), "value is unknown"));
                }
            },
            double_sided: json.double_sided,
            // In files with MToon, `KHR_materials_unlit` is only a fallback.
            unlit: extension("KHR_materials_unlit").is_some() && extension("VRMC_materials_mtoon").is_none(),
            ..self.layers(others, at)?
        };
        if let Some(json) = extension("KHR_materials_pbrSpecularGlossiness").filter(|_| !material.unlit) {
            self.specular_glossiness(&mut material, json, at)?;
        }
        let finite = material.base_color.is_finite()
            && (material.emissive * material.emissive_strength).is_finite()
            && [material.metallic, material.roughness, material.normal_scale, material.occlusion_strength]
                .iter()
                .all(|x| x.is_finite());
        if finite { Ok(material) } else { Err(ObjectError::new(at, "has a factor that is not finite")) }
    }

    pub(super) fn texture_ref(
        &self,
        texture: usize,
        tex_coord: u32,
        extensions: Option<&Map<String, Value>>,
        at: &str,
    ) -> Result<TextureRef, ObjectError> {
        let count = self.root.textures.len();
        if texture >= count {
            return Err(ObjectError::missing(format!("{at}.index"), "texture", texture, count));
        }
        let transform = extensions.and_then(|e| e.get("KHR_texture_transform"));
        let uv_set = transform.and_then(|t| index(t, "texCoord")).unwrap_or(tex_coord as usize);
        if uv_set > 1 {
            self.warn(format!("{at}.texCoord: set {uv_set} is not supported, so set 0 is used"));
        }
        let uv_transform = match transform {
            Some(json) => uv_transform(json, &format!("{at}.extensions.KHR_texture_transform"))?,
            None => Affine2::IDENTITY,
        };
        Ok(TextureRef { texture, uv_set: if uv_set > 1 { 0 } else { uv_set }, uv_transform })
    }

    /// Reads the textures. `images` contains `None` for unreadable images.
    pub(super) fn textures(&self, images: &[Option<Image>]) -> Result<Vec<Texture>, ObjectError> {
        let samplers = &self.root.samplers;
        let mut textures = Vec::with_capacity(self.root.textures.len());
        // Unreadable images are left out of the character's list.
        let mut next_index = 0..;
        let image_indices: Vec<Option<usize>> =
            images.iter().map(|image| image.as_ref().and_then(|_| next_index.next())).collect();
        for (i, json) in self.root.textures.iter().enumerate() {
            let at = format!("textures[{i}]");
            let sampler = match json.sampler.map(|s| s.value()) {
                Some(s) => {
                    let missing =
                        || ObjectError::missing(format!("{at}.sampler"), "sampler", s, samplers.len());
                    sampler(samplers.get(s).ok_or_else(missing)?)
                }
                None => Sampler { mipmap: Some(Filter::Linear), ..Sampler::default() },
            };
            let sources = sources(json, &at);
            if sources.is_empty() {
                self.warn(format!("{at}: has no image in a supported format, so a neutral colour is used"));
            }
            let mut image = None;
            for (at, source) in sources {
                let Some(index) = image_indices.get(source) else {
                    return Err(ObjectError::missing(at, "image", source, images.len()));
                };
                image = image.or(*index);
            }
            textures.push(Texture { image, sampler });
        }
        Ok(textures)
    }

    /// Reads the images. An unreadable image becomes `None`, with a warning.
    pub(super) fn images(&self) -> Result<Vec<Option<Image>>, ObjectError> {
        let mut total = 0_u64;
        let mut images = Vec::with_capacity(self.root.images.len());
        // Images at the same location share their bytes.
        let mut known: HashMap<ImageLocation, Result<Arc<[u8]>, String>> = HashMap::new();
        for (i, json) in self.root.images.iter().enumerate() {
            self.progress.check()?;
            let location = (json.uri.as_deref(), json.buffer_view.map(|v| v.value()));
            let bytes = known.entry(location).or_insert_with(|| self.image_bytes(location)).clone();
            let image =
                bytes.and_then(|bytes| Image::new(json.name.clone(), bytes).map_err(|e| e.to_string()));
            let image = image.and_then(|image| {
                total = total.saturating_add(image.decoded_bytes());
                let fits = total <= MAX_IMAGES_BYTES;
                if fits { Ok(image) } else { Err("all images together exceed 1 GB".to_owned()) }
            });
            match image {
                Ok(image) => images.push(Some(image)),
                Err(cause) => {
                    let name = label(json.name.as_ref(), i);
                    self.warn(format!("image {name}: {cause}, so a neutral colour is used"));
                    images.push(None);
                }
            }
        }
        Ok(images)
    }

    fn image_bytes(&self, location: ImageLocation) -> Result<Arc<[u8]>, String> {
        match location {
            (Some(uri), _) => uri::read(uri, self.folder, self.progress).map(Into::into),
            (None, Some(view)) => {
                let copy = self.buffers.view(view, "bufferView").and_then(|view| {
                    self.buffers.claim(view.bytes.len() as u64, "bufferView")?;
                    Ok(view.bytes.into())
                });
                copy.map_err(|error| format!("{}: {}", error.at, error.cause))
            }
            (None, None) => Err("has neither uri nor bufferView".into()),
        }
    }
}

/// Returns the images of a texture and where they are referenced, in order of preference. The other images are used if
/// the first cannot be read.
fn sources(json: &JsonTexture, at: &str) -> Vec<(String, usize)> {
    let others = json.extensions.as_ref().map(|e| &e.others);
    let of_extension = |name: &&str| {
        let source = others.and_then(|o| o.get(*name)).and_then(|e| index(e, "source"))?;
        Some((format!("{at}.extensions.{name}.source"), source))
    };
    let mut sources: Vec<_> = IMAGE_EXTENSIONS.iter().filter_map(of_extension).collect();
    // The crate returns this index for a texture without a source.
    if json.source.value() != u32::MAX as usize {
        sources.push((format!("{at}.source"), json.source.value()));
    }
    sources
}

/// Converts a `KHR_texture_transform`, which scales, then rotates counter-clockwise, and then translates.
fn uv_transform(json: &Value, at: &str) -> Result<Affine2, ObjectError> {
    let pair = |key: &str, default: Vec2| -> Result<Vec2, ObjectError> {
        let values = json.get(key).and_then(Value::as_array);
        let value = |i: usize| values.and_then(|v| v.get(i)).and_then(Value::as_f64);
        let Some((x, y)) = value(0).zip(value(1)) else { return Ok(default) };
        Ok(Vec2::new(single(x, &format!("{at}.{key}[0]"))?, single(y, &format!("{at}.{key}[1]"))?))
    };
    let (offset, scale) = (pair("offset", Vec2::ZERO)?, pair("scale", Vec2::ONE)?);
    let (sin, cos) = number(json, "rotation", at)?.unwrap_or(0.0).sin_cos();
    // The rotation is counter-clockwise on screen, where v points down. The sign follows from the example in the
    // extension, in which a quarter turn with offset 0, 1 shows the lower left quadrant.
    let rotation = Mat2::from_cols(Vec2::new(cos, -sin), Vec2::new(sin, cos));
    let transform = Affine2::from_mat2_translation(rotation * Mat2::from_diagonal(scale), offset);
    if transform.is_finite() { Ok(transform) } else { Err(ObjectError::new(at, "is not finite")) }
}

fn sampler(json: &JsonSampler) -> Sampler {
    let wrap = |mode: &Checked<WrappingMode>| match mode {
        Checked::Valid(WrappingMode::ClampToEdge) => Wrap::Clamp,
        Checked::Valid(WrappingMode::MirroredRepeat) => Wrap::Mirror,
        _ => Wrap::Repeat,
    };
    let (minify, mipmap) = match json.min_filter {
        Some(Checked::Valid(MinFilter::Nearest)) => (Filter::Nearest, None),
        Some(Checked::Valid(MinFilter::Linear)) => (Filter::Linear, None),
        Some(Checked::Valid(MinFilter::NearestMipmapNearest)) => (Filter::Nearest, Some(Filter::Nearest)),
        Some(Checked::Valid(MinFilter::LinearMipmapNearest)) => (Filter::Linear, Some(Filter::Nearest)),
        Some(Checked::Valid(MinFilter::NearestMipmapLinear)) => (Filter::Nearest, Some(Filter::Linear)),
        _ => (Filter::Linear, Some(Filter::Linear)),
    };
    let magnify = match json.mag_filter {
        Some(Checked::Valid(MagFilter::Nearest)) => Filter::Nearest,
        _ => Filter::Linear,
    };
    Sampler { magnify, minify, mipmap, wrap_u: wrap(&json.wrap_s), wrap_v: wrap(&json.wrap_t) }
}
