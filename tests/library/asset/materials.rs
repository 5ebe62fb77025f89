//! Materials, textures and images.

use glam::Vec2;
use serde_json::{Value, json};
use sinew::asset::{AlphaMode, MAX_IMAGE_SIDE};

use crate::{load, refusal};
use sinew_testkit::{Builder, image};

fn png(width: u32, height: u32) -> Vec<u8> {
    image::png(width, height, image::ColorType::Rgba, &vec![200; (width * height * 4) as usize])
}

fn textured(image: &[u8], material: Value) -> Vec<u8> {
    let mut b = Builder::default();
    let view = b.view(image);
    b.file(json!({
        "materials": [material],
        "textures": [{"source": 0}],
        "images": [{"bufferView": view, "mimeType": "image/png"}],
    }))
}

fn base_color_texture(info: Value) -> Value {
    json!({"pbrMetallicRoughness": {"baseColorTexture": info}})
}

#[test]
fn factors_and_extensions_are_read() {
    let character = load(&textured(
        &png(2, 2),
        json!({
            "alphaMode": "MASK", "alphaCutoff": 0.25, "doubleSided": true,
            "emissiveFactor": [1, 0.5, 0],
            "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 4}, "KHR_materials_unlit": {}},
        }),
    ))
    .unwrap();
    let material = &character.materials[0];
    assert_eq!(material.alpha_mode, AlphaMode::Mask(0.25));
    assert_eq!((material.emissive.to_array(), material.emissive_strength), ([1.0, 0.5, 0.0], 4.0));
    assert!(material.double_sided && material.unlit);
}

#[test]
fn a_texture_transform_scales_rotates_and_translates() {
    // This is the example of the extension's specification: a quarter turn that shows the lower left quadrant.
    let transform = json!({"offset": [0, 1], "rotation": std::f64::consts::FRAC_PI_2, "scale": [0.5, 0.5], "texCoord": 1});
    let info = json!({"index": 0, "extensions": {"KHR_texture_transform": transform}});
    let character = load(&textured(&png(2, 2), base_color_texture(info))).unwrap();
    let texture = character.materials[0].base_color_texture.unwrap();
    assert_eq!(texture.uv_set, 1);
    for (uv, expected) in [((0.0, 0.0), (0.0, 1.0)), ((1.0, 0.0), (0.0, 0.5)), ((0.0, 1.0), (0.5, 1.0))] {
        let moved = texture.uv_transform.transform_point2(uv.into());
        assert!(moved.abs_diff_eq(Vec2::from(expected), 1e-6), "{uv:?} became {moved}");
    }
}

#[test]
fn unreadable_images_cause_warnings() {
    let character = load(&textured(b"not an image", base_color_texture(json!({"index": 0})))).unwrap();
    assert_eq!(character.textures[0].image, None);
    assert!(character.warnings[0].starts_with("image 0: "), "{:?}", character.warnings);
    assert!(load(&textured(&png(3, 2), json!({}))).unwrap().textures[0].image.is_some());
}

#[test]
fn oversized_images_are_refused_before_decoding() {
    // The header says 100 000 pixels per side, but there is almost no data.
    let mut bomb = png(1, 1);
    bomb[16..20].copy_from_slice(&100_000_u32.to_be_bytes());
    bomb[20..24].copy_from_slice(&100_000_u32.to_be_bytes());
    let crc = crc32(&bomb[12..29]);
    bomb[29..33].copy_from_slice(&crc.to_be_bytes());
    let character = load(&textured(&bomb, json!({}))).unwrap();
    assert!(character.textures[0].image.is_none());
    let expected = format!("image size 100000x100000 exceeds {MAX_IMAGE_SIDE} pixels per side");
    let refused = character.warnings[0].contains(&expected) || character.warnings[0].contains("limit");
    assert!(refused, "{:?}", character.warnings);
}

/// Computes PNG's CRC-32, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, &b| {
        (0..8).fold(crc ^ u32::from(b), |c, _| if c & 1 == 1 { (c >> 1) ^ 0xEDB8_8320 } else { c >> 1 })
    })
}

#[test]
fn textures_that_do_not_exist_are_refused() {
    let file = textured(&png(1, 1), base_color_texture(json!({"index": 3})));
    assert_eq!(
        refusal(&file),
        "test.gltf: materials[0].baseColorTexture.index: texture 3 does not exist; the file has 1, counted from 0"
    );
}
