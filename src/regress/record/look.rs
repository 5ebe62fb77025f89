//! Records of parts, materials and the settings of a view.

use std::collections::BTreeMap;
use std::fmt::Write;

use glam::{Mat4, Vec2, Vec3, Vec4};

use crate::asset::{Character, Material};
use crate::puppet::Puppet;
use crate::render::{Background, Frame, LightSource};
use crate::skin::Skinned;

use super::contents::Contents;
use super::seen::{MAX_SEEN, SeenRecord};
use super::{MaterialRecord, PartRecord, part_names};

/// The value of the setting `floor` without a floor.
pub(crate) const NO_FLOOR: &str = "none";

/// Records the drawn parts of a puppet, and their materials.
pub(super) fn parts(
    puppet: &Puppet,
    frame: &Frame<'_>,
    size: (u32, u32),
    contents: &Contents,
) -> (Vec<PartRecord>, Vec<MaterialRecord>) {
    let (character, names) = (puppet.character(), part_names(puppet));
    let (mut parts, mut materials) = (Vec::new(), Vec::new());
    let mut known: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    #[expect(clippy::cast_precision_loss, reason = "image sizes are exact in single precision")]
    let size = Vec2::new(size.0 as f32, size.1 as f32);
    let clip_from_world = frame.camera.clip_from_world(size.x / size.y);
    let (mut left, mut skinned) = (MAX_SEEN, Skinned::default());
    for draw in frame.instances.first().map(|i| &i.draws[..]).unwrap_or_default() {
        let Some((part, name)) = puppet.parts().get(draw.part).zip(names.get(draw.part)) else { continue };
        let index = character.primitive(*part).material;
        let material = *known.entry(index).or_insert_with(|| {
            let of_file = index.and_then(|index| character.materials.get(index));
            let name = of_file.and_then(|material| material.name.clone());
            let name = name.or_else(|| index.map(|index| format!("#{index}")));
            let shown = draw.material.or(of_file);
            materials.push(material_record(character, name, shown, &contents.images));
            materials.len() - 1
        });
        let primitive = character.primitive(*part);
        let of_part = contents.parts.get(draw.part);
        let seen = primitive.vertices() <= left && draw.part < puppet.parts().len();
        let seen = seen.then(|| {
            left -= primitive.vertices();
            puppet.skin(draw.part, &mut skinned);
            SeenRecord::of(primitive, &skinned.positions, &clip_from_world, size)
        });
        parts.push(PartRecord {
            seen,
            name: name.clone(),
            material,
            counts: [primitive.vertices(), primitive.triangles.len()],
            digests: of_part.map(|part| part.digests.clone()).unwrap_or_default(),
            vertices: of_part.and_then(|part| part.vertices.clone()),
            regions: of_part.map(|part| part.regions.clone()).unwrap_or_default(),
        });
    }
    (parts, materials)
}

fn material_record(
    character: &Character,
    name: Option<String>,
    material: Option<&Material>,
    digests: &[u32],
) -> MaterialRecord {
    let default = Material::default();
    let material = material.unwrap_or(&default);
    let mut images = crc32fast::Hasher::new();
    for texture in material.clone().texture_refs_mut() {
        let found = character.textures.get(texture.texture);
        let image = found.and_then(|found| found.image).and_then(|image| digests.get(image));
        images.update(&image.copied().unwrap_or_default().to_le_bytes());
        let mut sampler = String::new();
        // Writing to a string does not fail.
        let _ = write!(sampler, "{:?}", found.map(|found| found.sampler));
        images.update(sampler.as_bytes());
    }
    MaterialRecord {
        name: name.unwrap_or_else(|| "default".into()),
        color: material.base_color.to_array(),
        values: values_digest(material),
        textures: format!("{:08x}", images.finalize()),
        numbers: Some(numbers(material)),
    }
}

/// Returns a digest of the numbers and switches of a material, except its base colour, which is recorded separately.
pub(crate) fn values_digest(material: &Material) -> String {
    let mut values = material.without_name();
    values.base_color = Vec4::ONE;
    // A file that was exported again may have reordered textures.
    values.texture_refs_mut().for_each(|texture| texture.texture = 0);
    format!("{:08x}", crc32fast::hash(format!("{values:?}").as_bytes()))
}

fn numbers(material: &Material) -> [f32; 10] {
    let Material { metallic, roughness, normal_scale, occlusion_strength, .. } = *material;
    let [r, g, b] = material.emissive.to_array();
    let Material { emissive_strength, ior, specular, .. } = *material;
    [metallic, roughness, normal_scale, occlusion_strength, r, g, b, emissive_strength, ior, specular]
}

/// The names of these numbers, in order.
const NUMBERS: [&str; 10] = [
    "metalness",
    "roughness",
    "scale of its normal map",
    "strength of its occlusion",
    "red of its emission",
    "green of its emission",
    "blue of its emission",
    "strength of its emission",
    "index of refraction",
    "specular factor",
];

impl MaterialRecord {
    /// Returns text about the number that differs most from a newer record, or `None` if no recorded number differs.
    pub(crate) fn other_numbers(&self, newer: &Self) -> Option<String> {
        let (was, is) = (self.numbers?, newer.numbers?);
        let all = NUMBERS.into_iter().zip(was.into_iter().zip(is));
        let (name, (was, is)) =
            all.max_by(|(_, (a, b)), (_, (c, d))| (a - b).abs().total_cmp(&(c - d).abs()))?;
        let name = if name.contains(" its ") { format!("the {name}") } else { format!("its {name}") };
        (was != is).then(|| format!("{name} is {is:.3} instead of {was:.3}"))
    }

    /// Sets the numbers of a material to the recorded ones.
    pub(crate) fn apply_to(&self, material: &mut Material) {
        material.base_color = Vec4::from(self.color);
        if let Some([metallic, roughness, normal, occlusion, r, g, b, strength, ior, specular]) = self.numbers
        {
            material.metallic = metallic;
            material.roughness = roughness;
            material.normal_scale = normal;
            material.occlusion_strength = occlusion;
            material.emissive = Vec3::new(r, g, b);
            material.emissive_strength = strength;
            material.ior = ior;
            material.specular = specular;
        }
    }
}

/// Records everything else that determines an image, by name.
pub(super) fn settings(frame: &Frame<'_>) -> BTreeMap<String, String> {
    let light = &frame.light;
    let source = match &light.source {
        LightSource::Image(_) => "image".to_owned(),
        source => source.name().to_owned(),
    };
    let background = match frame.background {
        Background::Color([r, g, b]) => format!("#{r:02x}{g:02x}{b:02x}"),
        Background::Transparent | Background::Keep => "transparent".into(),
    };
    let floor = if frame.ground.is_some() { "shown" } else { NO_FLOOR }.to_owned();
    let is_dual = frame.instances.iter().flat_map(|i| &i.draws).any(|draw| draw.dual);
    let overlays = format!("{:?}{:?}", frame.fills, frame.lines);
    let ghosts = frame.ghosts.iter().map(|ghost| {
        let matrices = ghost.palette.iter().flat_map(Mat4::to_cols_array).flat_map(f32::to_le_bytes);
        crc32fast::hash(&matrices.collect::<Vec<u8>>())
    });
    let ghosts: Vec<String> = ghosts.map(|digest| format!("{digest:08x}")).collect();
    let on_off = |on: bool| if on { "on" } else { "off" }.to_owned();
    let settings = [
        ("mode", frame.mode.name().to_owned()),
        ("light", source),
        ("light rotation", light.rotation.to_string()),
        ("exposure", light.exposure.to_string()),
        ("tone map", format!("{:?}", light.tone).to_lowercase()),
        ("file lights", format!("{:08x}", crc32fast::hash(format!("{:?}", frame.lights).as_bytes()))),
        ("background", background),
        ("samples", frame.samples.to_string()),
        ("floor", floor),
        ("shadow", on_off(frame.shadow && frame.light.has_key())),
        ("ambient occlusion", on_off(frame.ambient_occlusion)),
        ("skinning", if is_dual { "dual-quaternion" } else { "linear" }.to_owned()),
        ("overlays", format!("{:08x}", crc32fast::hash(overlays.as_bytes()))),
        ("ghosts", ghosts.join(" ")),
    ];
    settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
