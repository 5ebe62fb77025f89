//! Sides, normals, lighting and transparency of surfaces.

use serde_json::{Value, json};
use sinew::render::{DecodedImage, ShadingMode};

use crate::{add_square, assert_near, draw, pixel, settings, srgb};
use sinew_testkit::Builder;
use sinew_testkit::image;

const BLACK: [u8; 4] = [0, 0, 0, 255];

/// A square from −1 to 1, with the depth of each corner and an optional normal.
struct Square {
    z: [f32; 4],
    normal: Option<[f32; 3]>,
    clockwise: bool,
    skinned: bool,
}

impl Default for Square {
    fn default() -> Self {
        Self { z: [0.0; 4], normal: Some([0.0, 0.0, 1.0]), clockwise: false, skinned: false }
    }
}

impl Square {
    fn file(&self, nodes: Value, materials: Value) -> Vec<u8> {
        let mut b = Builder::default();
        let [z0, z1, z2, z3] = self.z;
        let corners = [-1.0, -1.0, z0, 1.0, -1.0, z1, 1.0, 1.0, z2, -1.0, 1.0, z3];
        let mut attributes = json!({"POSITION": b.floats("VEC3", 3, &corners)});
        if let Some(normal) = self.normal {
            attributes["NORMAL"] = b.floats("VEC3", 3, &normal.repeat(4)).into();
        }
        if self.skinned {
            attributes["JOINTS_0"] = b.accessor("VEC4", 5121, 4, &[0; 16]).into();
            attributes["WEIGHTS_0"] = b.floats("VEC4", 4, &[1.0, 0.0, 0.0, 0.0].repeat(4)).into();
        }
        let order: [u8; 6] = if self.clockwise { [0, 2, 1, 0, 3, 2] } else { [0, 1, 2, 0, 2, 3] };
        let indices = b.accessor("SCALAR", 5121, 6, &order);
        let mesh = |material: usize| json!({"primitives": [{"attributes": attributes, "indices": indices, "material": material}]});
        let count = materials.as_array().unwrap().len();
        let mut document = json!({
            "meshes": (0..count).map(mesh).collect::<Vec<_>>(),
            "materials": materials,
            "nodes": nodes,
        });
        if self.skinned {
            let joint = document["nodes"].as_array().unwrap().len() - 1;
            document["skins"] = json!([{"joints": [joint]}]);
        }
        b.file(document)
    }

    fn plain(&self, mode: ShadingMode) -> [u8; 4] {
        self.with(json!([{"mesh": 0}]), json!([{}]), mode)
    }

    fn with(&self, nodes: Value, materials: Value, mode: ShadingMode) -> [u8; 4] {
        pixel(&draw(&self.file(nodes, materials), &settings(mode)), 30, 34)
    }
}

/// The documented formula of `lambert`, for an albedo and the cosine of the angle to the light.
fn lambert(albedo: f32, cosine: f32) -> u8 {
    srgb((albedo * (0.3 + 0.8 * cosine.max(0.0))).clamp(0.0, 1.0))
}

/// Returns the z component of the direction towards the light, which is (0.4, 0.8, 0.6) normalised.
fn lamp_z() -> f32 {
    0.6 / (0.16_f32 + 0.64 + 0.36).sqrt()
}

/// Returns the colour of a white surface that faces +Z in `lambert` mode.
fn facing_lamp() -> [u8; 4] {
    let level = lambert(1.0, lamp_z());
    [level, level, level, 255]
}

#[test]
fn lambert_matches_its_formula() {
    let grey = json!([{"pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.25, 1.0, 1.0]}}]);
    let seen = Square::default().with(json!([{"mesh": 0}]), grey, ShadingMode::Lambert);
    let expected = [0.5, 0.25, 1.0].map(|albedo| lambert(albedo, lamp_z()));
    assert_near(seen, [expected[0], expected[1], expected[2], 255], 1);
}

#[test]
fn normals_are_stored_without_srgb_conversion() {
    let tilted = Square { normal: Some([0.6, 0.0, 0.8]), ..Square::default() };
    assert_near(tilted.plain(ShadingMode::Normal), [204, 128, 230, 255], 1);
}

#[test]
fn normals_are_transformed_by_the_inverse_transpose() {
    // If the square is stretched to twice its width, its tilted normal leans less to the side.
    let tilted = Square { normal: Some([0.6, 0.0, 0.8]), ..Square::default() };
    let seen = tilted.with(json!([{"mesh": 0, "scale": [2, 1, 1]}]), json!([{}]), ShadingMode::Normal);
    let n = glam::Vec3::new(0.3, 0.0, 0.8).normalize() * 127.5 + 127.5;
    assert_near(seen, [n.x.round() as u8, 128, n.z.round() as u8, 255], 1);
}

#[test]
fn a_mesh_without_normals_is_flat() {
    // The outside of the plane z = x faces (−1, 0, 1).
    let slope = Square { z: [-1.0, 1.0, 1.0, -1.0], normal: None, ..Square::default() };
    let n =
        (127.5 - 127.5 * std::f32::consts::FRAC_1_SQRT_2, 127.5 + 127.5 * std::f32::consts::FRAC_1_SQRT_2);
    assert_near(slope.plain(ShadingMode::Normal), [n.0.round() as u8, 128, n.1.round() as u8, 255], 1);
}

#[test]
fn back_faces_are_culled_unless_double_sided() {
    let away = Square { clockwise: true, normal: Some([0.0, 0.0, -1.0]), ..Square::default() };
    let double = json!([{"doubleSided": true}]);
    assert_eq!(away.plain(ShadingMode::Lambert), BLACK);
    assert_eq!(away.plain(ShadingMode::Normal), BLACK);
    assert_eq!(away.plain(ShadingMode::Mask), [255; 4]);
    let nodes = || json!([{"mesh": 0}]);
    // The visible inside is lit as if it faced the camera, but `normal` mode shows the normal of the outside.
    assert_near(away.with(nodes(), double.clone(), ShadingMode::Lambert), facing_lamp(), 1);
    assert_near(away.with(nodes(), double.clone(), ShadingMode::Normal), [128, 128, 0, 255], 1);
    let flat = Square { normal: None, ..away };
    assert_near(flat.with(nodes(), double.clone(), ShadingMode::Normal), [128, 128, 0, 255], 1);
    assert_near(flat.with(nodes(), double, ShadingMode::Lambert), facing_lamp(), 1);
}

/// Returns a pixel of a square whose normal map tilts all normals towards +u. The u axis runs along +X or −X, and the node is scaled along
/// X.
fn tilted_by_map(tangents: bool, mirrored: bool, turned: bool, scale: i32) -> [u8; 4] {
    let mut b = Builder::default();
    let u = if mirrored { [1.0, 0.0] } else { [0.0, 1.0] };
    let mut attributes = json!({
        "POSITION": b.floats("VEC3", 3, &[-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0, 1.0, 0.0]),
        "NORMAL": b.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(4)),
        "TEXCOORD_0": b.floats("VEC2", 2, &[u[0], 1.0, u[1], 1.0, u[1], 0.0, u[0], 0.0]),
    });
    if tangents {
        let tangent = if mirrored { [-1.0, 0.0, 0.0, -1.0] } else { [1.0, 0.0, 0.0, 1.0] };
        attributes["TANGENT"] = b.floats("VEC4", 4, &tangent.repeat(4)).into();
    }
    let indices = b.accessor("SCALAR", 5121, 6, &[0, 1, 2, 0, 2, 3]);
    // (0.6, 0.3, 0.74)
    let view = b.view(&image::png(2, 2, image::ColorType::Rgb, &[204, 166, 222].repeat(4)));
    let turn = if turned { [0.0, 1.0, 0.0, 0.0] } else { [0.0, 0.0, 0.0, 1.0] };
    let file = b.file(json!({
        "meshes": [{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}],
        "materials": [{"doubleSided": true, "normalTexture": {"index": 0}, "pbrMetallicRoughness":
            {"baseColorFactor": [0.4, 0.4, 0.4, 1], "metallicFactor": 0, "roughnessFactor": 1}}],
        "textures": [{"source": 0}],
        "images": [{"bufferView": view, "mimeType": "image/png"}],
        "nodes": [{"mesh": 0, "rotation": turn, "scale": [scale, 1, 1]}],
    }));
    pixel(&draw(&file, &settings(ShadingMode::Shaded)), 30, 34)
}

/// Draws a square of 32 by 32 pixels in the middle of the image. The sampler reads a grey texture of `side` by `side` texels.
fn textured(side: u32, texel: impl Fn(u32, u32) -> u8, sampler: &Value) -> DecodedImage {
    let mut b = Builder::default();
    let (attributes, indices) = add_square(&mut b);
    let texels: Vec<u8> = (0..side * side).map(|i| texel(i % side, i / side)).collect();
    let view = b.view(&image::png(side, side, image::ColorType::Grayscale, &texels));
    let file = b.file(json!({
        "meshes": [{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "samplers": [sampler],
        "textures": [{"source": 0, "sampler": 0}],
        "images": [{"bufferView": view, "mimeType": "image/png"}],
        "nodes": [{"mesh": 0}],
    }));
    draw(&file, &settings(ShadingMode::Lambert))
}

/// Software drivers do not read memory for helper pixels outside a triangle. If a derivative depends on such a read,
/// the smallest mip level appears along every edge.
#[test]
fn a_texture_with_mip_levels_has_no_seams_between_triangles() {
    // The texture has as many texels as the square has pixels. It is white with a black border, so smaller mip levels
    // are grey everywhere.
    let is_inside = |i: u32| (8..24).contains(&i);
    let texel = |x, y| if is_inside(x) && is_inside(y) { 255 } else { 0 };
    let image = textured(32, texel, &json!({"magFilter": 9729, "minFilter": 9987}));
    for (x, y) in (26..38).flat_map(|y| (26..38).map(move |x| (x, y))) {
        assert_near(pixel(&image, x, y), facing_lamp(), 1);
    }
}

/// Regression: the stripes of CesiumMan were jagged, because its file asks for the nearest texel of a mip level. Exporters write this
/// filter for no particular reason.
#[test]
fn a_texture_is_filtered_unless_it_shows_its_texels() {
    // Diagonal stripes of one texel, eight texels per pixel.
    let stripes = |x, y| if (x + y) % 2 == 0 { 255 } else { 0 };
    let middle = |magnify: u32, minify: u32| {
        let image = textured(256, stripes, &json!({"magFilter": magnify, "minFilter": minify}));
        let pixels = (26..38).flat_map(|y| (26..38).map(move |x| (x, y)));
        pixels.map(|(x, y)| pixel(&image, x, y)[0]).collect::<Vec<u8>>()
    };
    let [nearest, linear] = [9728, 9729];
    let [nearest_mipmap_linear, linear_mipmap_linear] = [9986, 9987];
    let smooth = middle(linear, linear_mipmap_linear);
    assert!(smooth.iter().all(|level| level.abs_diff(smooth[0]) < 2), "{smooth:?}");
    for minify in [nearest, linear, nearest_mipmap_linear] {
        assert_eq!(middle(linear, minify), smooth, "{minify}");
    }
    let pixels = middle(nearest, nearest);
    assert!(pixels.iter().any(|level| level.abs_diff(smooth[0]) > 40), "{pixels:?}");
}

#[test]
fn normal_maps_tilt_the_same_with_and_without_tangents() {
    for turned in [false, true] {
        for (mirrored, scale) in [(false, 1), (true, 1), (false, -1), (true, -1)] {
            let (from_mesh, derived) =
                (tilted_by_map(true, mirrored, turned, scale), tilted_by_map(false, mirrored, turned, scale));
            assert_near(from_mesh, derived, 2);
        }
        let (right, left) = (tilted_by_map(true, false, turned, 1), tilted_by_map(true, true, turned, 1));
        assert!(right[0].abs_diff(left[0]) > 10, "{right:?} {left:?}");
    }
}

#[test]
fn a_mirrored_rigid_mesh_keeps_its_front_faces() {
    let seen =
        Square::default().with(json!([{"mesh": 0, "scale": [-1, 1, 1]}]), json!([{}]), ShadingMode::Normal);
    assert_near(seen, [128, 128, 255, 255], 1);
    let flat = Square { normal: None, ..Square::default() };
    let seen = flat.with(json!([{"mesh": 0, "scale": [-1, 1, 1]}]), json!([{}]), ShadingMode::Normal);
    assert_near(seen, [128, 128, 255, 255], 1);
}

#[test]
fn the_node_of_a_skinned_mesh_does_not_transform_it() {
    let skinned = Square { skinned: true, ..Square::default() };
    let nodes = json!([{"mesh": 0, "skin": 0, "scale": [-1, 1, 1], "translation": [9, 9, 9]}, {}]);
    assert_near(skinned.with(nodes, json!([{}]), ShadingMode::Normal), [128, 128, 255, 255], 1);
}

/// Regression: mirroring was read from the node of the mesh, although only the joint moves the mesh.
#[test]
fn a_joint_that_mirrors_keeps_the_front_faces_of_its_skin() {
    let joint = |scale: i32| json!([{"mesh": 0, "skin": 0}, {"scale": [scale, 1, 1]}]);
    let double = || json!([{"doubleSided": true}]);
    for normal in [Some([0.0, 0.0, 1.0]), None] {
        let skinned = Square { skinned: true, normal, ..Square::default() };
        for scale in [1, -1] {
            for materials in [json!([{}]), double()] {
                let seen = skinned.with(joint(scale), materials.clone(), ShadingMode::Normal);
                assert_near(seen, [128, 128, 255, 255], 1);
                assert_near(skinned.with(joint(scale), materials, ShadingMode::Lambert), facing_lamp(), 1);
            }
        }
    }
    let away = Square { skinned: true, clockwise: true, normal: Some([0.0, 0.0, -1.0]), ..Square::default() };
    assert_eq!(away.with(joint(-1), json!([{}]), ShadingMode::Normal), BLACK);
}

#[test]
fn alpha_cutoff_makes_holes_except_in_masks() {
    let cut = json!([{"alphaMode": "MASK", "pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 0.4]}}]);
    let nodes = || json!([{"mesh": 0}]);
    let square = Square::default();
    for mode in [ShadingMode::Shaded, ShadingMode::Lambert, ShadingMode::Normal] {
        assert_eq!(square.with(nodes(), cut.clone(), mode), BLACK, "{}", mode.name());
    }
    assert_eq!(square.with(nodes(), cut, ShadingMode::Mask), [255; 4]);
}

#[test]
fn blended_surfaces_are_drawn_back_to_front() {
    let glass = |rgb: [f32; 3]| {
        json!({"alphaMode": "BLEND", "extensions": {"KHR_materials_unlit": {}},
               "pbrMetallicRoughness": {"baseColorFactor": [rgb[0], rgb[1], rgb[2], 0.5]}})
    };
    let (red, blue) = (glass([1.0, 0.0, 0.0]), glass([0.0, 0.0, 1.0]));
    let materials = || json!([red, blue]);
    let red_in_front = [json!({"mesh": 0, "translation": [0, 0, 0.5]}), json!({"mesh": 1})];
    let [near, far] = red_in_front;
    let square = Square::default();
    let expected = [srgb(0.5), 0, srgb(0.25), 255];
    for nodes in [json!([near, far]), json!([far, near])] {
        assert_near(square.with(nodes, materials(), ShadingMode::Shaded), expected, 1);
    }
}

#[test]
fn an_unlit_surface_has_its_base_colour() {
    let unlit = json!([{"extensions": {"KHR_materials_unlit": {}},
        "pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.1, 0.9, 1.0]}}]);
    let seen = Square::default().with(json!([{"mesh": 0}]), unlit, ShadingMode::Shaded);
    assert_near(seen, [srgb(0.5), srgb(0.1), srgb(0.9), 255], 1);
}

#[test]
fn nearer_surfaces_hide_farther_ones() {
    let unlit = |rgb: [f32; 3]| {
        json!({"extensions": {"KHR_materials_unlit": {}},
               "pbrMetallicRoughness": {"baseColorFactor": [rgb[0], rgb[1], rgb[2], 1.0]}})
    };
    let materials = json!([unlit([1.0, 0.0, 0.0]), unlit([0.0, 1.0, 0.0])]);
    let nodes = json!([{"mesh": 0, "translation": [0, 0, 0.5]}, {"mesh": 1}]);
    assert_eq!(Square::default().with(nodes, materials, ShadingMode::Shaded), [255, 0, 0, 255]);
}
