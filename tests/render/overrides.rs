//! Draws that override the materials of their model.

use glam::{Affine3A, Vec3, Vec4};
use serde_json::json;
use sinew::asset::Material;
use sinew::puppet::Puppet;
use sinew::render::{DecodedImages, ShadingMode};
use sinew::scene;

use crate::{add_square, assert_near, draw_frame, load, pixel, renderer, settings};
use sinew_testkit::{Builder, image};

/// Two instances of one model override its material, and a third one does not.
#[test]
fn draws_of_one_model_have_their_own_materials() {
    let mut b = Builder::default();
    let (attributes, indices) = add_square(&mut b);
    let file = b.file(json!({
        "meshes": [{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [0, 0, 1, 1]}, "extensions": {"KHR_materials_unlit": {}}}],
        "nodes": [{"mesh": 0, "scale": [0.4, 0.4, 1]}],
    }));
    let puppet = Puppet::new(load(&file), 0);
    let mut renderer = renderer();
    let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
    let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
    let of_model = puppet.character().materials[0].clone();
    let colored = |color: Vec4| Material { base_color: color, ..of_model.clone() };
    let (red, green) = (colored(Vec4::new(1.0, 0.0, 0.0, 1.0)), colored(Vec4::new(0.0, 1.0, 0.0, 1.0)));
    let mut frame = scene::frame(&puppet, &settings(ShadingMode::Shaded));
    let at = |x: f32, material| {
        let mut instance = scene::instance(&puppet);
        instance.place = Affine3A::from_translation(Vec3::X * x);
        instance.draws.iter_mut().for_each(|draw| draw.material = material);
        instance
    };
    frame.instances = vec![at(-1.0, Some(&red)), at(0.0, None), at(1.0, Some(&green))];
    for _ in 0..2 {
        let image = renderer.render(&[&model], &frame, (64, 64)).unwrap();
        assert_near(pixel(&image, 16, 32), [255, 0, 0, 255], 0);
        assert_near(pixel(&image, 32, 32), [0, 0, 255, 255], 0);
        assert_near(pixel(&image, 48, 32), [0, 255, 0, 255], 0);
        // Draw a frame without overrides in between.
        let image = renderer
            .render(&[&model], &scene::frame(&puppet, &settings(ShadingMode::Shaded)), (64, 64))
            .unwrap();
        assert_near(pixel(&image, 32, 32), [0, 0, 255, 255], 0);
    }
    let first = frame.fingerprint();
    frame.instances[0].draws[0].material = Some(&green);
    assert_ne!(frame.fingerprint(), first);
    let image = renderer.render(&[&model], &frame, (64, 64)).unwrap();
    assert_near(pixel(&image, 16, 32), [0, 255, 0, 255], 0);
}

#[test]
fn an_override_may_use_other_texture_coordinates() {
    let mut b = Builder::default();
    let (mut attributes, indices) = add_square(&mut b);
    for (set, u) in [("TEXCOORD_0", 0.25), ("TEXCOORD_1", 0.75)] {
        attributes[set] = b.floats("VEC2", 2, &[u, 0.5].repeat(4)).into();
    }
    let view = b.view(&image::png(2, 1, image::ColorType::Grayscale, &[0, 255]));
    let file = b.file(json!({
        "meshes": [{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}, "extensions": {"KHR_materials_unlit": {}}}],
        "textures": [{"source": 0}],
        "images": [{"bufferView": view, "mimeType": "image/png"}],
        "nodes": [{"mesh": 0}],
    }));
    let puppet = Puppet::new(load(&file), 0);
    let mut second = puppet.character().materials[0].clone();
    second.base_color_texture.as_mut().unwrap().uv_set = 1;
    for (material, level) in [(None, 0), (Some(&second), 255)] {
        let image = draw_frame(&puppet, &settings(ShadingMode::Shaded), (64, 64), |frame| {
            frame.instances[0].draws[0].material = material;
        });
        let image = image.unwrap();
        assert_near(pixel(&image, 32, 32), [level, level, level, 255], 0);
    }
}
