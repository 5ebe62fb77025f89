//! Reads materials and their images.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{Affine2, Mat2, Vec2, Vec3, Vec4};
use ufbx::MaterialMap;

use crate::asset::references::{Folder, ReferenceError, References, file_name};
use crate::asset::{AlphaMode, Character, Image, Material, Sampler, Texture, TextureRef, Wrap};
use crate::files::{Progress, bounded};

use super::ObjectError;

/// Maximum size of all images in bytes.
const MAX_IMAGE_BYTES: u64 = 512 << 20;

/// Adds the materials of a scene, in the order of the file.
pub(super) fn add(
    scene: &ufbx::Scene,
    character: &mut Character,
    references: &References,
    progress: &Progress,
) -> Result<(), ObjectError> {
    let mut textures = Textures { known: HashMap::new(), remaining: MAX_IMAGE_BYTES, references, progress };
    for material in &scene.materials {
        let at = format!("material \"{}\"", &*material.element.name);
        progress.check().map_err(|e| ObjectError::new(&*at, e.to_string()))?;
        let material = read(material, &mut textures, character, &at);
        character.materials.push(material);
    }
    Ok(())
}

fn read(material: &ufbx::Material, textures: &mut Textures, character: &mut Character, at: &str) -> Material {
    let pbr = &material.pbr;
    let mut texture = |map: &MaterialMap| {
        let texture = map.texture.as_deref().filter(|_| map.texture_enabled)?;
        textures.add(texture, character, at)
    };
    let base_color_texture = texture(&pbr.base_color);
    let emissive_texture = texture(&pbr.emission_color);
    let normal_texture = texture(&pbr.normal_map);
    // A texture for metalness or roughness alone is not used, because its other channel is unknown. Most exporters write one image
    // for both.
    let of = |map: &MaterialMap| {
        map.texture.as_deref().filter(|_| map.texture_enabled).map(|t| t.element.typed_id)
    };
    let is_packed = of(&pbr.metalness).is_some() && of(&pbr.metalness) == of(&pbr.roughness);
    let metallic_roughness_texture = if is_packed { texture(&pbr.roughness) } else { None };
    for (name, map) in [("metalness", &pbr.metalness), ("roughness", &pbr.roughness)] {
        if of(map).is_some() && !is_packed {
            character.warnings.push(format!("{at}: its texture of {name} is not drawn"));
        }
    }
    let opacity = factor(&pbr.opacity, 1.0).clamp(0.0, 1.0);
    let is_cut_out = of(&pbr.opacity).is_some() && of(&pbr.opacity) == of(&pbr.base_color);
    // A texture replaces the colour of its slot.
    let color = if base_color_texture.is_some() { Vec3::ONE } else { color(&pbr.base_color, Vec3::ONE) };
    let color = color * factor(&pbr.base_factor, 1.0).clamp(0.0, 1.0);
    let glow =
        if emissive_texture.is_some() { Vec3::ONE } else { self::color(&pbr.emission_color, Vec3::ZERO) };
    let (metallic, roughness) = match is_packed {
        true => (1.0, 1.0),
        false => (factor(&pbr.metalness, 0.0).clamp(0.0, 1.0), factor(&pbr.roughness, 0.6).clamp(0.0, 1.0)),
    };
    Material {
        name: (!material.element.name.is_empty()).then(|| material.element.name.to_string()),
        base_color: color.extend(if is_cut_out { 1.0 } else { opacity }),
        base_color_texture,
        metallic,
        roughness,
        metallic_roughness_texture,
        normal_texture,
        emissive: glow * factor(&pbr.emission_factor, 1.0).max(0.0),
        emissive_texture,
        alpha_mode: if is_cut_out || opacity < 1.0 { AlphaMode::Blend } else { AlphaMode::Opaque },
        // FBX does not say which sides of a surface are visible, and programs that write FBX show both.
        double_sided: true,
        ..Material::default()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "materials are single precision")]
fn value(map: &MaterialMap) -> Option<Vec4> {
    let v = map.value_vec4;
    let value = Vec4::new(v.x as f32, v.y as f32, v.z as f32, v.w as f32);
    (map.has_value && value.is_finite()).then_some(value)
}

fn factor(map: &MaterialMap, default: f32) -> f32 {
    value(map).map_or(default, |v| v.x)
}

fn color(map: &MaterialMap, default: Vec3) -> Vec3 {
    value(map).map_or(default, |v| v.truncate().max(Vec3::ZERO))
}

struct Textures<'a> {
    known: HashMap<u32, Option<TextureRef>>,
    /// Bytes of images that may still be read.
    remaining: u64,
    references: &'a References,
    progress: &'a Progress,
}

impl Textures<'_> {
    /// Adds a texture and its image. An image that cannot be read causes a warning.
    fn add(&mut self, texture: &ufbx::Texture, character: &mut Character, at: &str) -> Option<TextureRef> {
        let id = texture.element.typed_id;
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let added = match self.image(texture, character) {
            Ok(image) => {
                let wrap = |mode| if mode == ufbx::WrapMode::Clamp { Wrap::Clamp } else { Wrap::Repeat };
                let sampler = Sampler {
                    wrap_u: wrap(texture.wrap_u),
                    wrap_v: wrap(texture.wrap_v),
                    mipmap: Some(crate::asset::Filter::Linear),
                    ..Sampler::default()
                };
                character.images.push(image);
                character.textures.push(Texture { image: Some(character.images.len() - 1), sampler });
                let texture_index = character.textures.len() - 1;
                Some(TextureRef { texture: texture_index, uv_set: 0, uv_transform: uv_transform(texture) })
            }
            Err(cause) => {
                character.warnings.push(format!("{at}: {cause}, so it is not drawn"));
                None
            }
        };
        self.known.insert(id, added);
        added
    }

    fn image(&mut self, texture: &ufbx::Texture, character: &mut Character) -> Result<Image, String> {
        let video = texture.video.as_deref();
        let embedded = [Some(&texture.content), video.map(|video| &video.content)];
        let embedded = embedded.into_iter().flatten().find(|content| !content.is_empty());
        let name =
            [&*texture.relative_filename, &*texture.filename].into_iter().find(|name| !name.is_empty());
        let name = name.unwrap_or(&*texture.element.name);
        let bytes: Arc<[u8]> = if let Some(content) = embedded {
            (**content).into()
        } else {
            let path = find(&character.path, name, self.references)?;
            character.files.push(path.clone());
            let bytes = bounded::read_regular_with(&path, self.remaining, self.progress);
            bytes.map_err(|e| format!("image \"{name}\": {e}"))?.into()
        };
        let left = self.remaining.checked_sub(bytes.len() as u64);
        self.remaining = left.ok_or_else(|| "all images together are too large".to_owned())?;
        Image::new(Some(file_name(name).into()), bytes).map_err(|cause| format!("image \"{name}\": {cause}"))
    }
}

/// Returns the path of an image. Exporters write paths from their own machine, so the image's file name is also looked up in the FBX file's
/// folder and in its `textures` folder.
fn find(file: &Path, name: &str, references: &References) -> Result<PathBuf, String> {
    let folder = file.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = Folder::new(folder, references.allow_parent);
    let short = file_name(name);
    let found = folder.find(name).or_else(|error| {
        folder.find(&format!("textures/{short}")).or_else(|_| folder.find(short)).map_err(|_| error)
    });
    found.map_err(|error| match error {
        ReferenceError::Outside(_) => format!("image {error}"),
        _ => format!("image \"{name}\" does not exist"),
    })
}

/// Returns a texture transform for coordinates whose origin is at the top.
#[expect(clippy::cast_possible_truncation, reason = "texture coordinates are single precision")]
fn uv_transform(texture: &ufbx::Texture) -> Affine2 {
    if !texture.has_uv_transform {
        return Affine2::IDENTITY;
    }
    let m = &texture.uv_to_texture;
    let matrix =
        Mat2::from_cols(Vec2::new(m.m00 as f32, m.m10 as f32), Vec2::new(m.m01 as f32, m.m11 as f32));
    let bottom = Affine2::from_mat2_translation(matrix, Vec2::new(m.m03 as f32, m.m13 as f32));
    let flip = Affine2::from_mat2_translation(Mat2::from_diagonal(Vec2::new(1.0, -1.0)), Vec2::Y);
    let transform = flip * bottom * flip;
    if transform.is_finite() { transform } else { Affine2::IDENTITY }
}
