//! Surfaces that transmit light, and the scene behind them.

use glam::Vec3;
use serde_json::{Value, json};
use sinew::puppet::Puppet;
use sinew::render::{Background, Canvas, DecodedImage, DecodedImages, Environment, Light, ShadingMode};
use sinew::scene::{self, ViewSettings};

use crate::embedded::{SIZE, clear, read, texture};
use crate::layers::{half, layered};
use crate::light::{draw as draw_sphere, neutral, normals};
use crate::{add_square, assert_near, draw, image_light, linear, load, pixel, renderer, settings};
use sinew_testkit::{Builder, image};

/// Glass that reflects nothing, with the properties of a volume.
fn glass(color: [f32; 3], roughness: f32, mut extensions: Value) -> Value {
    extensions["KHR_materials_transmission"] = json!({"transmissionFactor": 1});
    extensions["KHR_materials_specular"] = json!({"specularFactor": 0});
    json!({
        "pbrMetallicRoughness": {
            "baseColorFactor": [color[0], color[1], color[2], 1], "metallicFactor": 0, "roughnessFactor": roughness,
        },
        "extensions": extensions,
    })
}

fn paint(color: [f32; 3]) -> Value {
    json!({"pbrMetallicRoughness": {"baseColorFactor": [color[0], color[1], color[2], 1]},
           "extensions": {"KHR_materials_unlit": {}}})
}

/// Returns a file with a square from −1 to 1 for each material. The mesh has the same number as its material. The textures of a material
/// are white on the right half.
fn squares(nodes: Value, materials: Value) -> Vec<u8> {
    let mut b = Builder::default();
    let (attributes, indices) = add_square(&mut b);
    let texels: Vec<u8> = (0..256).map(|x| if x < 128 { 0 } else { 255 }).collect();
    let view = b.view(&image::png(256, 1, image::ColorType::Grayscale, &texels));
    let mesh = |material: usize| json!({"primitives": [{"attributes": attributes, "indices": indices, "material": material}]});
    let count = materials.as_array().unwrap().len();
    b.file(json!({
        "meshes": (0..count).map(mesh).collect::<Vec<_>>(),
        "materials": materials,
        "textures": [{"source": 0}],
        "images": [{"bufferView": view, "mimeType": "image/png"}],
        "nodes": nodes,
    }))
}

fn view() -> ViewSettings {
    let dark = image_light(Environment::new(|_| Vec3::ZERO, |_| Vec3::ZERO));
    settings(ShadingMode::Shaded).with_light(dark)
}

fn middle(image: &DecodedImage) -> Vec3 {
    Vec3::from(pixel(image, 32, 32).first_chunk::<3>().unwrap().map(linear))
}

/// Draws a pane in front of a larger painted wall.
fn seen_through(pane: Value, wall: [f32; 3], scale: f32) -> Vec3 {
    let nodes = json!([
        {"mesh": 0, "scale": [scale, scale, scale]},
        {"mesh": 1, "translation": [0, 0, -1], "scale": [3, 3, 1]},
    ]);
    let file = squares(nodes, json!([pane, paint(wall)]));
    let [one, four] = [1, 4].map(|samples| middle(&draw(&file, &view().with_samples(samples))));
    assert!(one.distance(four) < 0.01, "{one} with one sample is not {four} with four");
    one
}

fn assert_color(seen: Vec3, expected: Vec3) {
    let expected = neutral(expected);
    assert!((seen - expected).abs().max_element() < 0.006, "{seen} is not {expected}");
}

#[test]
fn what_is_behind_a_thin_wall_is_seen_in_its_colour() {
    assert_color(
        seen_through(glass([1.0; 3], 0.0, json!({})), [0.7, 0.4, 0.2], 1.0),
        Vec3::new(0.7, 0.4, 0.2),
    );
    assert_color(
        seen_through(glass([0.5, 1.0, 0.5], 0.0, json!({})), [0.7, 0.4, 0.3], 1.0),
        Vec3::new(0.35, 0.4, 0.15),
    );
    // A rough pane does not change the look of an even wall.
    assert_color(
        seen_through(glass([1.0; 3], 0.8, json!({})), [0.7, 0.4, 0.2], 1.0),
        Vec3::new(0.7, 0.4, 0.2),
    );
    // Metals transmit nothing.
    let mut metal = glass([1.0; 3], 0.0, json!({}));
    metal["pbrMetallicRoughness"]["metallicFactor"] = json!(1);
    assert_color(seen_through(metal, [0.7, 0.4, 0.2], 1.0), Vec3::ZERO);
}

/// Light is absorbed according to the Beer–Lambert law: it is multiplied by the attenuation colour for each attenuation distance. The
/// thickness is scaled with the mesh.
#[test]
fn volumes_absorb_light_by_their_thickness() {
    let volume = |thickness: f32| {
        let volume = json!({"thicknessFactor": thickness, "attenuationDistance": 0.5, "attenuationColor": [0.9, 0.5, 0.25]});
        glass([1.0; 3], 0.0, json!({"KHR_materials_volume": volume, "KHR_materials_ior": {"ior": 1}}))
    };
    let color = Vec3::new(0.9, 0.5, 0.25);
    for (thickness, scale) in [(0.5, 1.0), (0.25, 1.0), (0.25, 2.0), (0.5, 2.0)] {
        let expected = color.powf(thickness * scale / 0.5) * 0.8;
        assert_color(seen_through(volume(thickness), [0.8; 3], scale), expected);
    }
    assert_color(seen_through(volume(0.0), [0.8; 3], 1.0), Vec3::splat(0.8));
}

/// Finds the column at which a row becomes bright.
fn edge(image: &DecodedImage) -> u32 {
    (0..64).find(|x| pixel(image, *x, 32)[1] > 100).unwrap()
}

/// The ray that leaves the volume determines the visible part of the scene. A thin wall does not refract.
#[test]
fn volumes_refract_the_scene_behind_them() {
    let mut wall = paint([1.0; 3]);
    wall["pbrMetallicRoughness"]["baseColorTexture"] = json!({"index": 0});
    let edge_with = |thickness: f32, ior: f32| {
        let volume = json!({"thicknessFactor": thickness});
        let pane =
            glass([1.0; 3], 0.0, json!({"KHR_materials_volume": volume, "KHR_materials_ior": {"ior": ior}}));
        // The edge of the wall is to the right of the middle.
        let nodes = json!([
            {"mesh": 0, "scale": [1.9, 1.9, 1]},
            {"mesh": 1, "translation": [1.2, 0, -1], "scale": [3, 3, 1]},
        ]);
        edge(&draw(&squares(nodes, json!([pane, wall])), &view()))
    };
    let straight = edge_with(0.0, 1.5);
    // The camera is at (0, 0, 2), and the wall's edge at (1.2, 0, −1) appears at x = 0.8 of 2.
    assert!(straight.abs_diff(32 + 13) <= 1, "{straight}");
    // The point on the pane from which the refracted ray leaves the volume in the direction of that edge.
    for (thickness, ior) in [(1.0_f32, 1.5_f32), (0.5, 1.33)] {
        let column = (0..2000).map(|i| i as f32 / 1000.0).find(|x| {
            let sine = x / x.hypot(2.0) / ior;
            let (side, deep) = (x + sine * thickness, (1.0 - sine * sine).sqrt() * thickness);
            side / (2.0 + deep) * 2.0 > 0.8
        });
        let expected = 32.0 + 16.0 * column.unwrap();
        let seen = edge_with(thickness, ior);
        assert!((seen as f32 - expected).abs() <= 1.2, "{seen} is not {expected}");
        assert!(seen > straight + 1 || thickness < 0.6);
    }
}

#[test]
fn rough_surfaces_blur_what_is_behind_them() {
    let mut wall = paint([1.0; 3]);
    wall["pbrMetallicRoughness"]["baseColorTexture"] = json!({"index": 0});
    let contrast = |roughness: f32| {
        let nodes = json!([{"mesh": 0, "scale": [1.9, 1.9, 1]}, {"mesh": 1, "translation": [0, 0, -1], "scale": [3, 3, 1]}]);
        let image = draw(&squares(nodes, json!([glass([1.0; 3], roughness, json!({})), wall])), &view());
        let columns: Vec<f32> = (24..40).map(|x| linear(pixel(&image, x, 32)[1])).collect();
        assert!(columns.is_sorted(), "{columns:?}");
        columns[9] - columns[6]
    };
    let (sharp, frosted, rough) = (contrast(0.0), contrast(0.3), contrast(0.6));
    assert!(sharp > 0.8 && frosted < 0.75 * sharp && rough < 0.6 * frosted, "{sharp} {frosted} {rough}");
}

#[test]
fn the_background_is_seen_through_glass() {
    let pane = |color| squares(json!([{"mesh": 0}]), json!([glass(color, 0.0, json!({}))]));
    let through = |file: &[u8], background| pixel(&draw(file, &view().with_background(background)), 32, 32);
    // Clear glass does not change the colour of the background, but tinted glass does.
    let grey = Background::Color([131, 134, 139]);
    assert_near(through(&pane([1.0; 3]), grey), [131, 134, 139, 255], 1);
    let [r, g, ..] = through(&pane([1.0, 0.5, 1.0]), grey);
    assert!((linear(g) / linear(134) - 0.5).abs() < 0.02 && r.abs_diff(131) <= 1);
    // Without a background, clear glass is fully transparent, and tinted glass is partly opaque.
    assert_eq!(through(&pane([1.0; 3]), Background::Transparent), [0; 4]);
    assert_near(through(&pane([0.25; 3]), Background::Transparent), [0, 0, 0, 191], 1);
}

#[test]
fn glass_is_sorted_with_blended_surfaces() {
    let tinted = |alpha: f32| {
        let mut pane = glass([1.0, 0.1, 0.1], 0.0, json!({}));
        pane["alphaMode"] = json!("BLEND");
        pane["pbrMetallicRoughness"]["baseColorFactor"][3] = json!(alpha);
        pane
    };
    let wall = json!({"mesh": 1, "translation": [0, 0, -1], "scale": [3, 3, 1]});
    let draw_pane = |pane: Value| {
        middle(&draw(&squares(json!([{"mesh": 0}, wall]), json!([pane, paint([0.5; 3])])), &view()))
    };
    // Alpha is the coverage of the pane.
    let (none, whole) = (draw_pane(tinted(0.0)), draw_pane(tinted(1.0)));
    assert!((none - 0.5).abs().max_element() < 0.01, "{none}");
    assert_color(whole, Vec3::new(0.5, 0.05, 0.05));
    let part = draw_pane(tinted(0.5));
    assert!((part - (none + whole) / 2.0).abs().max_element() < 0.01, "{part}");
    // Glass hides no blended surface, whether the surface is behind it or in front of it. An opaque surface in front of glass hides it.
    let green = |mode: &str| {
        let mut film = paint([0.0, 0.8, 0.0]);
        film["alphaMode"] = json!(mode);
        film["pbrMetallicRoughness"]["baseColorFactor"][3] = json!(0.5);
        film
    };
    let with_film = |z: f32, mode: &str| {
        let nodes = json!([{"mesh": 0}, wall, {"mesh": 2, "translation": [0, 0, z]}]);
        let materials = json!([glass([0.5; 3], 0.0, json!({})), paint([0.5; 3]), green(mode)]);
        middle(&draw(&squares(nodes, materials), &view()))
    };
    assert_color(with_film(-0.5, "BLEND"), Vec3::new(0.125, 0.325, 0.125));
    let before = with_film(0.5, "BLEND");
    assert!((before.y - 0.4 - 0.5 * neutral(Vec3::splat(0.25)).y).abs() < 0.01, "{before}");
    assert!((with_film(0.5, "OPAQUE").y - 0.8).abs() < 0.01);
}

/// Layers, films, grain and volumes never reflect or transmit more light than they receive.
#[test]
fn no_combination_of_layers_is_brighter_than_its_surroundings() {
    let all = json!({
        "KHR_materials_clearcoat": {"clearcoatFactor": 1, "clearcoatRoughnessFactor": 0.3},
        "KHR_materials_sheen": {"sheenColorFactor": [1, 1, 1], "sheenRoughnessFactor": 0.4},
        "KHR_materials_iridescence": {"iridescenceFactor": 1, "iridescenceIor": 1.7},
        "KHR_materials_anisotropy": {"anisotropyStrength": 0.8},
        "KHR_materials_transmission": {"transmissionFactor": 0.7},
        "KHR_materials_volume": {"thicknessFactor": 0.2},
    });
    let names: Vec<&String> = all.as_object().unwrap().keys().collect();
    let all_chosen = (1_u32 << names.len()) - 1;
    for chosen in (1..=all_chosen).filter(|chosen| chosen.count_ones() <= 2 || *chosen == all_chosen) {
        let mut extensions = json!({});
        let is_chosen = |i: usize| chosen & (1 << i) != 0;
        for (_, name) in names.iter().enumerate().filter(|(i, _)| is_chosen(*i)) {
            extensions[*name] = all[*name].clone();
        }
        let image = draw_sphere(&layered([1.0; 3], 0.4, extensions.clone()), half());
        let is_clear = extensions.get("KHR_materials_transmission").is_some();
        let is_iridescent = extensions.get("KHR_materials_iridescence").is_some();
        for (x, y, n) in normals(0.95).step_by(5) {
            let seen = Vec3::from(pixel(&image, x, y).first_chunk::<3>().unwrap().map(linear)) + 0.04;
            assert!(seen.max_element() < 0.5 * 1.04, "{extensions}: {seen} at {n}");
            // The background of the test is black. A film removes the light of one colour from all colours.
            assert!(
                is_clear || is_iridescent || seen.min_element() > 0.5 * 0.95,
                "{extensions}: {seen} at {n}"
            );
        }
    }
}

#[test]
fn other_modes_and_classic_light_draw_glass_too() {
    let pane = glass([1.0; 3], 0.0, json!({}));
    let nodes = || json!([{"mesh": 0}, {"mesh": 1, "translation": [0, 0, -1], "scale": [3, 3, 1]}]);
    let file = squares(nodes(), json!([pane, paint([0.7, 0.4, 0.2])]));
    let classic = middle(&draw(&file, &view().with_light(Light::default())));
    assert_color(classic, Vec3::new(0.7, 0.4, 0.2));
    let opaque =
        squares(nodes(), json!([{"pbrMetallicRoughness": {"metallicFactor": 0}}, paint([0.7, 0.4, 0.2])]));
    for mode in [ShadingMode::Lambert, ShadingMode::Normal, ShadingMode::Mask] {
        let draw = |file: &[u8]| draw(file, &view().with_mode(mode));
        assert!(draw(&file) == draw(&opaque), "{}", mode.name());
    }
}

/// In a host's own texture, glass looks the same as in an image, even if an encoder has several frames, some of them without glass.
#[test]
fn glass_is_drawn_into_the_views_of_a_host() {
    let wall = json!({"mesh": 1, "translation": [0.6, 0, -1], "scale": [0.8, 0.8, 1]});
    let file = squares(
        json!([{"mesh": 0}, wall]),
        json!([glass([0.5, 1.0, 1.0], 0.2, json!({})), paint([0.7, 0.4, 0.2])]),
    );
    let puppet = Puppet::new(load(&file), 0);
    let mut renderer = renderer();
    let gpu = renderer.gpu().clone();
    let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
    let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
    let format = wgpu::TextureFormat::Rgba8UnormSrgb;
    let grey = [0x60, 0x68, 0x70];
    for samples in [1, 4] {
        let view_of = |background| view().with_samples(samples).with_background(background);
        let on_grey = view_of(Background::Color(grey));
        let (kept, cleared) = (view_of(Background::Keep), on_grey.clone().with_mode(ShadingMode::Mask));
        let frames = [&on_grey, &cleared, &kept, &on_grey].map(|settings| scene::frame(&puppet, settings));
        let expected = renderer.render(&[&model], &frames[0], SIZE).unwrap().rgba;
        let textures = frames.each_ref().map(|_| texture(&gpu, format));
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for (frame, texture) in frames.iter().zip(&textures) {
            let view = texture.create_view(&Default::default());
            clear(&mut encoder, &view, grey);
            let canvas = Canvas { view: &view, format, size: SIZE, area: SIZE, is_hdr: false };
            renderer.prepare(&[&model], frame, &canvas).unwrap();
            renderer.draw(&[&model], frame, &canvas, &mut encoder).unwrap();
        }
        gpu.queue.submit([encoder.finish()]);
        let [first, _, over, last] = textures.map(|texture| read(&gpu, &texture));
        assert!(first == expected && last == expected, "{samples} samples");
        // The host's own drawing is visible through glass with its brightness, but without its colour. Elsewhere it is unchanged.
        let at =
            |image: &[u8], x: usize, y: usize| <[u8; 4]>::try_from(&image[(y * 64 + x) * 4..][..4]).unwrap();
        assert_near(at(&over, 2, 2), [grey[0], grey[1], grey[2], 255], 1);
        let (seen, colored) = (at(&over, 20, 32), at(&expected, 20, 32));
        assert!(seen[0] > colored[0] && seen[1] < colored[1], "{seen:?} {colored:?}");
        assert!(seen[1].abs_diff(colored[1]) < 25, "{seen:?} {colored:?}");
    }
}
