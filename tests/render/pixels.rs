//! Coverage of pixels, and other properties of images.

use serde_json::{Value, json};
use sinew::render::{Background, Light, LightSource, ShadingMode};

use crate::{add_square, assert_near, draw, draw_sized, pixel, settings};
use sinew_testkit::Builder;

/// Returns a file with a square from −1 to 1 that faces +Z. Each node is an instance of it.
fn squares(nodes: Value, material: Value) -> Vec<u8> {
    let mut b = Builder::default();
    let (attributes, indices) = add_square(&mut b);
    b.file(json!({
        "meshes": [{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}],
        "materials": [material],
        "nodes": nodes,
    }))
}

fn square() -> Vec<u8> {
    squares(json!([{"mesh": 0}]), json!({}))
}

#[test]
fn a_square_covers_its_pixels_and_no_others() {
    let image = draw(&square(), &settings(ShadingMode::Mask));
    for y in 0..64 {
        for x in 0..64 {
            let inside = (16..48).contains(&x) && (16..48).contains(&y);
            let expected = if inside { [255; 4] } else { [0, 0, 0, 255] };
            assert_eq!(pixel(&image, x, y), expected, "{x},{y}");
        }
    }
}

#[test]
fn row_0_is_at_the_top_and_x_increases_to_the_right() {
    let file = squares(json!([{"mesh": 0, "translation": [1, 1, 0], "scale": [0.5, 0.5, 1]}]), json!({}));
    let image = draw(&file, &settings(ShadingMode::Mask));
    assert_eq!(pixel(&image, 48, 16), [255; 4]);
    assert_eq!(pixel(&image, 48, 48), [0, 0, 0, 255]);
    assert_eq!(pixel(&image, 16, 16), [0, 0, 0, 255]);
}

#[test]
fn rows_with_padding_are_copied_correctly() {
    // Rows of 100 pixels are not a multiple of the 256 bytes that copies require.
    let image = draw_sized(&square(), &settings(ShadingMode::Mask), (100, 50)).unwrap();
    assert_eq!(image.rgba.len(), 100 * 50 * 4);
    for (x, y, inside) in [(50, 25, true), (38, 13, true), (61, 36, true), (36, 25, false), (63, 25, false)] {
        assert_eq!(pixel(&image, x, y)[0] == 255, inside, "{x},{y}");
    }
}

#[test]
fn four_samples_antialias_an_edge() {
    // The edge at x = 1.03 is 0.48 pixels into column 48.
    let file = squares(json!([{"mesh": 0, "scale": [1.03, 1.0, 1.0]}]), json!({}));
    let mut four = settings(ShadingMode::Mask);
    four.samples = 4;
    let edge = pixel(&draw(&file, &four), 48, 32)[0];
    assert!((1..255).contains(&edge), "{edge}");
    let hard = pixel(&draw(&file, &settings(ShadingMode::Mask)), 48, 32)[0];
    assert!(hard == 0 || hard == 255, "{hard}");
}

/// Draws a square with the given number of samples. Its alpha grows from left to right, so that its visible part begins within a pixel.
fn hole(samples: u32, light: Light, background: Background) -> Vec<[u8; 4]> {
    let mut b = Builder::default();
    // Alpha is 0.5 at 32.4 pixels.
    let (left, right) = (0.5 - 16.4 / 64.0, 0.5 + 15.6 / 64.0);
    let colors = [left, right, right, left].map(|alpha| [1.0, 1.0, 1.0, alpha]);
    let corners = [-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0, 1.0, 0.0];
    let attributes = json!({
        "POSITION": b.floats("VEC3", 3, &corners),
        "COLOR_0": b.floats("VEC4", 4, colors.as_flattened()),
    });
    let indices = b.accessor("SCALAR", 5121, 6, &[0, 1, 2, 0, 2, 3]);
    let file = b.file(json!({
        "meshes": [{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}],
        "materials": [{"alphaMode": "MASK", "extensions": {"KHR_materials_unlit": {}}}],
        "nodes": [{"mesh": 0}],
    }));
    let image = draw(
        &file,
        &settings(ShadingMode::Shaded).with_samples(samples).with_light(light).with_background(background),
    );
    (30..35).map(|x| pixel(&image, x, 40)).collect()
}

/// The edge of a hole is as smooth as the edge of a triangle, and pixels outside the hole are opaque. Classic light does not change, so
/// that the images of suites still match.
#[test]
fn four_samples_antialias_the_edges_of_holes() {
    let (none, all) = ([0, 0, 0, 255], [255; 4]);
    let studio = || Light::new(LightSource::Studio);
    // Of the samples of pixel 32, at 0.125, 0.375, 0.625 and 0.875, two are to the right of 0.4.
    let [a, b, edge, c, d] = *hole(4, studio(), Background::BLACK).first_chunk::<5>().unwrap();
    assert_eq!([a, b, c, d], [none, none, all, all]);
    assert_near(edge, [188, 188, 188, 255], 2);
    let clear = hole(4, studio(), Background::Transparent);
    assert_near(clear[2], [255, 255, 255, 128], 2);
    assert_eq!((clear[1], clear[3]), ([0; 4], all));
    for hard in [hole(1, studio(), Background::BLACK), hole(4, Light::default(), Background::BLACK)] {
        assert_eq!(hard, [none, none, all, all, all]);
    }
}

#[test]
fn a_transparent_background_has_straight_alpha() {
    let glass =
        json!({"pbrMetallicRoughness": {"baseColorFactor": [0.8, 0.2, 0.1, 0.25]}, "alphaMode": "BLEND"});
    let solid = json!({"pbrMetallicRoughness": {"baseColorFactor": [0.8, 0.2, 0.1, 1.0]}});
    let mut clear = settings(ShadingMode::Lambert);
    clear.background = Background::Transparent;
    let image = draw(&squares(json!([{"mesh": 0}]), glass), &clear);
    assert_eq!(pixel(&image, 2, 2), [0; 4]);
    let [r, g, b, a] = pixel(&image, 32, 32);
    let [sr, sg, sb, sa] = pixel(&draw(&squares(json!([{"mesh": 0}]), solid), &clear), 32, 32);
    assert_near([r, g, b, a], [sr, sg, sb, 64], 3);
    assert_eq!(sa, 255);
}

#[test]
fn the_background_has_the_given_colour() {
    for mode in ShadingMode::ALL {
        let mut with_background = settings(mode);
        with_background.background = Background::Color([12, 130, 251]);
        assert_eq!(pixel(&draw(&square(), &with_background), 0, 0), [12, 130, 251, 255], "{}", mode.name());
    }
}

#[test]
fn rendering_is_deterministic() {
    let mut all = settings(ShadingMode::Skeleton);
    (all.shadow, all.floor, all.samples) = (true, true, 4);
    let first = draw(&square(), &all);
    for _ in 0..3 {
        assert!(draw(&square(), &all) == first);
    }
}

#[test]
fn invalid_sizes_and_sample_counts_are_rejected() {
    let error = |size| draw_sized(&square(), &settings(ShadingMode::Mask), size).unwrap_err().to_string();
    let line = error((1_000_000, 2));
    assert!(line.contains("1000000x2") && line.contains("adapter's limit of"), "{line}");
    assert_eq!(error((0, 2)), "image size 0x2 is empty");
    let mut three = settings(ShadingMode::Mask);
    three.samples = 3;
    let line = draw_sized(&square(), &three, (8, 8)).unwrap_err().to_string();
    assert_eq!(line, "3 samples per pixel are not supported; use 1 or 4");
}

#[test]
fn an_unknown_adapter_is_rejected_with_one_line() {
    let choice = "vulkan:no such card".parse().unwrap();
    let line = sinew::render::Gpu::new(&choice).unwrap_err().to_string();
    assert!(line.contains("vulkan:no such card") && line.contains("mesa-vulkan-drivers"), "{line}");
    assert!(!line.contains('\n'));
}

#[test]
fn a_shadow_falls_on_the_floor_in_shaded_images() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let file = squares(json!([{"mesh": 0, "rotation": [-half, 0, 0, half]}]), json!({}));
    let mut lit = settings(ShadingMode::Shaded);
    lit.camera.position = glam::Vec3::new(0.0, 2.0, 3.0);
    lit.background = Background::Color([200; 3]);
    lit.floor = true;
    let mut shadowed = lit.clone();
    shadowed.shadow = true;
    let (without, with) = (draw(&file, &lit), draw(&file, &shadowed));
    let darker = without.rgba.chunks(4).zip(with.rgba.chunks(4)).filter(|(a, b)| b[0] + 20 < a[0]).count();
    assert!(darker > 20, "{darker} pixels in shadow");
    let brighter = without.rgba.chunks(4).zip(with.rgba.chunks(4)).filter(|(a, b)| b[0] > a[0] + 2).count();
    assert_eq!(brighter, 0);
}

/// A horizontal sheet slightly above the ground, seen from above, with or without a shadow.
fn sheet(material: Value, shadow: bool) -> Vec<u8> {
    turned_sheet(-1.0, [1, 1, 1], material, shadow)
}

/// The same sheet, scaled and then rotated by `turns` quarter turns about X. With −1 turns, it faces up.
fn turned_sheet(turns: f32, scale: [i32; 3], material: Value, shadow: bool) -> Vec<u8> {
    let (sin, cos) = (turns * std::f32::consts::FRAC_PI_4).sin_cos();
    let file = squares(json!([{"mesh": 0, "rotation": [sin, 0, 0, cos], "scale": scale}]), material);
    let mut from_above = settings(ShadingMode::Shaded);
    from_above.camera.position = glam::Vec3::new(0.0, 2.0, 3.0);
    (from_above.floor, from_above.shadow) = (true, shadow);
    draw(&file, &from_above).rgba
}

#[test]
fn holes_cast_no_shadow() {
    let leaf = |alpha: f32| {
        json!({"alphaMode": "MASK", "doubleSided": true,
               "pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, alpha]}})
    };
    assert!(sheet(leaf(0.4), true) == sheet(leaf(0.4), false));
    assert!(sheet(leaf(0.6), true) != sheet(leaf(0.6), false));
}

#[test]
fn single_sided_surfaces_cast_shadows_only_if_they_face_the_light() {
    let casts = |turns, scale, double_sided: bool| {
        let material = json!({"doubleSided": double_sided});
        turned_sheet(turns, scale, material.clone(), true) != turned_sheet(turns, scale, material, false)
    };
    let (up, down, plain, mirrored) = (-1.0, 1.0, [1, 1, 1], [-1, 1, 1]);
    assert!(casts(up, plain, false) && casts(up, mirrored, false));
    assert!(!casts(down, plain, false) && !casts(down, mirrored, false));
    assert!(casts(down, plain, true) && casts(down, mirrored, true));
}

#[test]
fn a_mesh_shared_by_many_nodes_is_uploaded_once() {
    // 2000 copies of 20,000 vertices would take gigabytes.
    let mut b = Builder::default();
    let mut corners = vec![0.0; 60_000];
    corners[..9].copy_from_slice(&[-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 0.0, 1.0, 0.0]);
    let position = b.floats("VEC3", 3, &corners);
    let indices = b.accessor("SCALAR", 5121, 3, &[0, 1, 2]);
    let file = b.file(json!({
        "meshes": [{"primitives": [{"attributes": {"POSITION": position}, "indices": indices}]}],
        "nodes": vec![json!({"mesh": 0}); 2000],
    }));
    assert_eq!(pixel(&draw(&file, &settings(ShadingMode::Mask)), 32, 32), [255; 4]);
}

#[test]
fn bones_have_the_same_width_on_a_tiny_model() {
    let bones = |scale: f32| {
        let nodes = json!([{"children": [1]}, {"translation": [0, scale, 0]}]);
        let file = json!({"asset": {"version": "2.0"}, "nodes": nodes}).to_string();
        let mut near = settings(ShadingMode::Skeleton);
        near.camera.position *= scale;
        (near.camera.near, near.camera.far) = (near.camera.near * scale, near.camera.far * scale);
        draw(file.as_bytes(), &near).rgba
    };
    let (one, tiny) = (bones(1.0), bones(1e-5));
    let differ = one.iter().zip(&tiny).filter(|(a, b)| a.abs_diff(**b) > 2).count();
    assert!(one.iter().any(|&v| v > 200) && differ < 20, "{differ} values differ");
}

#[test]
fn bones_are_drawn_over_the_surface() {
    let file = squares(
        json!([{"mesh": 0}, {"translation": [-0.9, 0, -1], "children": [2]}, {"translation": [1.8, 0, 0]}]),
        json!({}),
    );
    let (shaded, bones) =
        (draw(&file, &settings(ShadingMode::Shaded)), draw(&file, &settings(ShadingMode::Skeleton)));
    assert_ne!(pixel(&shaded, 32, 32), pixel(&bones, 32, 32));
    assert_eq!(pixel(&shaded, 32, 20), pixel(&bones, 32, 20));
}
