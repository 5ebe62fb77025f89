//! Layers of materials: Khronos extensions with their factors, textures and defaults.

use glam::{Affine2, Vec2, Vec3};
use serde_json::{Value, json};
use sinew::asset::{Anisotropy, Clearcoat, Iridescence, Material, Sheen, TextureRef, Transmission, Volume};

use crate::{load, refusal};
use sinew_testkit::{Builder, image};

/// Returns a file with two textures and a material with extensions.
fn file(extensions: Value) -> Vec<u8> {
    let mut b = Builder::default();
    let view = b.view(&image::png(1, 1, image::ColorType::Rgba, &[200; 4]));
    b.file(json!({
        "materials": [{"extensions": extensions}],
        "textures": [{"source": 0}, {"source": 0}],
        "images": [{"bufferView": view, "mimeType": "image/png"}],
    }))
}

fn read(name: &str, extension: Value) -> Material {
    let character = load(&file(json!({ name: extension }))).unwrap();
    assert!(character.warnings.is_empty(), "{:?}", character.warnings);
    character.materials[0].clone()
}

fn texture(texture: usize) -> Option<TextureRef> {
    Some(TextureRef { texture, uv_set: 0, uv_transform: Affine2::IDENTITY })
}

#[test]
fn layers_have_the_defaults_of_their_extensions() {
    assert_eq!(
        read("KHR_materials_clearcoat", json!({})).clearcoat,
        Some(Clearcoat { normal_scale: 1.0, ..Clearcoat::default() })
    );
    assert_eq!(read("KHR_materials_sheen", json!({})).sheen, Some(Sheen::default()));
    assert_eq!(read("KHR_materials_transmission", json!({})).transmission, Some(Transmission::default()));
    let volume = read("KHR_materials_volume", json!({})).volume.unwrap();
    assert_eq!(volume, Volume::default());
    assert_eq!((volume.attenuation_distance, volume.absorption()), (f32::INFINITY, Vec3::ZERO));
    let film = read("KHR_materials_iridescence", json!({})).iridescence.unwrap();
    assert_eq!(film, Iridescence::default());
    assert_eq!((film.ior, film.thickness), (1.3, [100.0, 400.0]));
    assert_eq!(read("KHR_materials_anisotropy", json!({})).anisotropy, Some(Anisotropy::default()));
    assert_eq!(read("KHR_materials_dispersion", json!({})).dispersion, 0.0);
    let plain = read("KHR_materials_ior", json!({}));
    assert!(plain.clearcoat.is_none() && plain.sheen.is_none() && plain.transmission.is_none());
    assert!(plain.volume.is_none() && plain.iridescence.is_none() && plain.anisotropy.is_none());
}

#[test]
fn factors_and_textures_of_layers_are_read() {
    let coat = json!({
        "clearcoatFactor": 0.5, "clearcoatTexture": {"index": 0}, "clearcoatRoughnessFactor": 0.25,
        "clearcoatRoughnessTexture": {"index": 1}, "clearcoatNormalTexture": {"index": 1, "scale": 0.75},
    });
    let expected = Clearcoat {
        factor: 0.5,
        texture: texture(0),
        roughness: 0.25,
        roughness_texture: texture(1),
        normal_texture: texture(1),
        normal_scale: 0.75,
    };
    assert_eq!(read("KHR_materials_clearcoat", coat).clearcoat, Some(expected));
    let sheen = json!({
        "sheenColorFactor": [0.1, 0.2, 0.3], "sheenColorTexture": {"index": 0},
        "sheenRoughnessFactor": 0.4, "sheenRoughnessTexture": {"index": 1},
    });
    let expected = Sheen {
        color: Vec3::new(0.1, 0.2, 0.3),
        color_texture: texture(0),
        roughness: 0.4,
        roughness_texture: texture(1),
    };
    assert_eq!(read("KHR_materials_sheen", sheen).sheen, Some(expected));
    let transmission = json!({"transmissionFactor": 0.9, "transmissionTexture": {"index": 1}});
    let expected = Transmission { factor: 0.9, texture: texture(1) };
    assert_eq!(read("KHR_materials_transmission", transmission).transmission, Some(expected));
    let volume = json!({
        "thicknessFactor": 0.2, "thicknessTexture": {"index": 0}, "attenuationDistance": 2, "attenuationColor": [0.5, 1, 0.25],
    });
    let volume = read("KHR_materials_volume", volume).volume.unwrap();
    assert_eq!((volume.thickness, volume.thickness_texture), (0.2, texture(0)));
    let absorbed = (volume.absorption() * -2.0).exp();
    assert!(absorbed.abs_diff_eq(Vec3::new(0.5, 1.0, 0.25), 1e-6), "{absorbed}");
    let film = json!({
        "iridescenceFactor": 1, "iridescenceTexture": {"index": 0}, "iridescenceIor": 1.8, "iridescenceThicknessMinimum": 50,
        "iridescenceThicknessMaximum": 800, "iridescenceThicknessTexture": {"index": 1},
    });
    let expected = Iridescence {
        factor: 1.0,
        texture: texture(0),
        ior: 1.8,
        thickness: [50.0, 800.0],
        thickness_texture: texture(1),
    };
    assert_eq!(read("KHR_materials_iridescence", film).iridescence, Some(expected));
    let grain =
        json!({"anisotropyStrength": 0.6, "anisotropyRotation": 1.5, "anisotropyTexture": {"index": 1}});
    let expected = Anisotropy { strength: 0.6, rotation: 1.5, texture: texture(1) };
    assert_eq!(read("KHR_materials_anisotropy", grain).anisotropy, Some(expected));
    assert_eq!(read("KHR_materials_dispersion", json!({"dispersion": 0.5})).dispersion, 0.5);
    let specular = json!({
        "specularFactor": 0.5, "specularTexture": {"index": 0}, "specularColorFactor": [2, 1, 0], "specularColorTexture": {"index": 1},
    });
    let material = read("KHR_materials_specular", specular);
    assert_eq!((material.specular, material.specular_texture), (0.5, texture(0)));
    assert_eq!(
        (material.specular_color, material.specular_color_texture),
        (Vec3::new(2.0, 1.0, 0.0), texture(1))
    );
}

#[test]
fn textures_of_layers_have_their_own_transforms() {
    let transform = json!({"KHR_texture_transform": {"offset": [0.5, 0.25], "scale": [2, 3], "texCoord": 1}});
    let info = json!({"index": 1, "extensions": transform});
    let texture =
        read("KHR_materials_sheen", json!({"sheenColorTexture": info})).sheen.unwrap().color_texture.unwrap();
    assert_eq!((texture.texture, texture.uv_set), (1, 1));
    assert_eq!(texture.uv_transform.transform_point2(Vec2::ONE), Vec2::new(2.5, 3.25));
}

/// Factors out of their ranges are clamped, and values that are not numbers count as missing.
#[test]
fn odd_values_of_layers_are_replaced() {
    let coat = read("KHR_materials_clearcoat", json!({"clearcoatFactor": 7, "clearcoatRoughnessFactor": -1}))
        .clearcoat
        .unwrap();
    assert_eq!((coat.factor, coat.roughness), (1.0, 0.0));
    let sheen =
        read("KHR_materials_sheen", json!({"sheenColorFactor": [-1, "red"], "sheenRoughnessFactor": "x"}))
            .sheen
            .unwrap();
    assert_eq!((sheen.color, sheen.roughness), (Vec3::ZERO, 0.0));
    let volume = json!({"thicknessFactor": -2, "attenuationDistance": 0, "attenuationColor": [3, 0, 1]});
    let volume = read("KHR_materials_volume", volume).volume.unwrap();
    assert_eq!((volume.thickness, volume.attenuation_color), (0.0, Vec3::new(1.0, 0.0, 1.0)));
    assert_eq!(volume.absorption(), Vec3::ZERO);
    let film = json!({"iridescenceIor": 0.5, "iridescenceThicknessMinimum": -5});
    let film = read("KHR_materials_iridescence", film).iridescence.unwrap();
    assert_eq!((film.ior, film.thickness), (1.0, [0.0, 400.0]));
    assert_eq!(read("KHR_materials_dispersion", json!({"dispersion": -3})).dispersion, 0.0);
    assert_eq!(read("KHR_materials_clearcoat", json!(null)).clearcoat.unwrap().factor, 0.0);
}

#[test]
fn broken_layers_are_refused_with_their_path() {
    let layer = |name: &str, extension: Value| refusal(&file(json!({ name: extension })));
    let at = "test.gltf: materials[0].extensions";
    for (name, key, value, message) in [
        ("clearcoat", "clearcoatFactor", json!(1e39), "clearcoatFactor: value is too large"),
        ("sheen", "sheenColorFactor", json!([0, 0, 1e39]), "sheenColorFactor[2]: value is too large"),
        ("volume", "attenuationDistance", json!(1e39), "attenuationDistance: value is too large"),
        ("iridescence", "iridescenceIor", json!(-1e39), "iridescenceIor: value is too large"),
        ("anisotropy", "anisotropyRotation", json!(1e300), "anisotropyRotation: value is too large"),
        ("dispersion", "dispersion", json!(1e39), "dispersion: value is too large"),
        (
            "pbrSpecularGlossiness",
            "diffuseFactor",
            json!([1, 1, 1, 1e39]),
            "diffuseFactor[3]: value is too large",
        ),
        (
            "transmission",
            "transmissionTexture",
            json!({}),
            "transmissionTexture.index: is missing or not an unsigned integer",
        ),
        (
            "transmission",
            "transmissionTexture",
            json!({"index": 2}),
            "transmissionTexture.index: texture 2 does not exist; the file has 2, counted from 0",
        ),
    ] {
        let name = format!("KHR_materials_{name}");
        assert_eq!(layer(&name, json!({ key: value })), format!("{at}.{name}.{message}"));
    }
}

/// The extension replaces all values of the metallic-roughness model, which are there for other programs.
#[test]
fn specular_and_glossiness_become_reflectance_and_roughness() {
    let extension = json!({
        "diffuseFactor": [0.5, 0.25, 0.125, 0.75], "diffuseTexture": {"index": 0}, "specularFactor": [0.9, 0.7, 0.3],
        "glossinessFactor": 0.75, "specularGlossinessTexture": {"index": 1},
    });
    let material = read("KHR_materials_pbrSpecularGlossiness", extension);
    assert_eq!(material.base_color.to_array(), [0.5, 0.25, 0.125, 0.75]);
    assert_eq!((material.metallic, material.roughness), (0.0, 0.25));
    assert_eq!((material.base_color_texture, material.specular_color_texture), (texture(0), texture(1)));
    assert_eq!(material.dielectric_reflectance(), Vec3::new(0.9, 0.7, 0.3));
    assert!(material.has_glossiness && material.metallic_roughness_texture.is_none());
    let default = read("KHR_materials_pbrSpecularGlossiness", json!({}));
    assert_eq!((default.base_color.to_array(), default.roughness), ([1.0; 4], 0.0));
    assert_eq!(default.dielectric_reflectance(), Vec3::ONE);
    assert!(!default.has_glossiness);
    // An unlit material shows the base colour of the core material.
    let unlit = json!({"KHR_materials_unlit": {}, "KHR_materials_pbrSpecularGlossiness": {"diffuseFactor": [0, 0, 0, 1]}});
    assert_eq!(load(&file(unlit)).unwrap().materials[0].base_color.to_array(), [1.0; 4]);
}
