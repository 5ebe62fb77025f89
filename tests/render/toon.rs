//! MToon: a CPU twin of the shading, the width of outlines, and the order of blended surfaces.

use glam::Vec3;
use serde_json::{Value, json};
use sinew::render::{DecodedImage, Light, LightSource, ShadingMode};
use sinew::scene::ViewSettings;

use crate::{assert_near, draw, draw_sized, pixel, settings, srgb};
use sinew_testkit::{Builder, image};

/// Returns a sphere of radius 1 with an MToon material. `texture` is a picture of 1×2 pixels, from top to bottom.
fn sphere(material: Value, texture: Option<[[u8; 4]; 2]>) -> Vec<u8> {
    const RINGS: u16 = 48;
    const SECTORS: u16 = 96;
    let (mut points, mut indices) = (Vec::new(), Vec::new());
    for ring in 0..=RINGS {
        for sector in 0..=SECTORS {
            let polar = std::f32::consts::PI * f32::from(ring) / f32::from(RINGS);
            let turn = std::f32::consts::TAU * f32::from(sector) / f32::from(SECTORS);
            points.extend([polar.sin() * turn.sin(), polar.cos(), polar.sin() * turn.cos()]);
            if ring < RINGS && sector < SECTORS {
                let [a, b] = [0, 1].map(|down| (ring + down) * (SECTORS + 1) + sector);
                indices.extend([a, b, a + 1, a + 1, b, b + 1]);
            }
        }
    }
    let mut b = Builder::default();
    let positions = b.floats("VEC3", 3, &points);
    let bytes: Vec<u8> = indices.iter().flat_map(|i: &u16| i.to_le_bytes()).collect();
    let indices = b.accessor("SCALAR", 5123, indices.len(), &bytes);
    let attributes = json!({"POSITION": positions, "NORMAL": positions});
    let mut document = json!({
        "meshes": [{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}],
        "nodes": [{"mesh": 0}],
        "materials": [material],
    });
    if let Some(texture) = texture {
        let view = b.view(&image::png(1, 2, image::ColorType::Rgba, texture.as_flattened()));
        document["images"] = json!([{"bufferView": view, "mimeType": "image/png"}]);
        document["textures"] = json!([{"source": 0}]);
    }
    b.file(document)
}

fn mtoon(color: [f32; 3], extension: Value) -> Value {
    let [r, g, b] = color;
    json!({
        "pbrMetallicRoughness": {"baseColorFactor": [r, g, b, 1]},
        "extensions": {"VRMC_materials_mtoon": extension},
    })
}

fn lit_by(source: LightSource) -> ViewSettings {
    settings(ShadingMode::Shaded).with_light(Light::new(source))
}

/// The parameters of the twin.
struct Twin {
    base: Vec3,
    shade: Vec3,
    toony: f32,
    shift: f32,
    equalization: f32,
    rim: Vec3,
    power: f32,
    lift: f32,
    mix: f32,
}

impl Twin {
    fn material(&self) -> Value {
        let extension = json!({
            "shadeColorFactor": self.shade.to_array(),
            "shadingToonyFactor": self.toony,
            "shadingShiftFactor": self.shift,
            "giEqualizationFactor": self.equalization,
            "parametricRimColorFactor": self.rim.to_array(),
            "parametricRimFresnelPowerFactor": self.power,
            "parametricRimLiftFactor": self.lift,
            "rimLightingMixFactor": self.mix,
        });
        mtoon(self.base.to_array(), extension)
    }

    /// Returns the colour for a normal and the direction to the camera, as in `shaders/toon.wgsl`.
    fn color(&self, light: &Light, n: Vec3, v: Vec3) -> Vec3 {
        let (key, ambient) = match light.environment() {
            None => (Vec3::splat(0.8), Vec3::splat(0.2)),
            Some(environment) => {
                let [a, b, c, d, e, f, g, h, i] = environment.irradiance;
                let irradiance = |n: Vec3| {
                    let linear = a + b * n.x + c * n.y + d * n.z;
                    let square = e * (n.x * n.y) + f * (n.y * n.z) + g * (n.x * n.z);
                    let sum = linear + square + h * (3.0 * n.y * n.y - 1.0) + i * (n.x * n.x - n.z * n.z);
                    sum.max(Vec3::ZERO)
                };
                let everywhere = (irradiance(Vec3::Y) + irradiance(-Vec3::Y)) / 2.0;
                let ambient = irradiance(n).lerp(everywhere, self.equalization);
                let luminance = |c: Vec3| 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;
                let white = luminance(environment.key.color) + luminance(everywhere);
                (environment.key.color / white, ambient / white)
            }
        };
        let cosine = n.dot(light.key_direction()) + self.shift;
        let ramp = ((cosine + 1.0 - self.toony) / (2.0 - 2.0 * self.toony)).clamp(0.0, 1.0);
        let edge = (1.0 - n.dot(v) + self.lift).clamp(0.0, 1.0).powf(self.power);
        let rim = self.rim * edge * Vec3::ONE.lerp(key + ambient, self.mix);
        self.shade.lerp(self.base, ramp) * key + self.base * ambient + rim
    }
}

/// Returns the point of the sphere that a pixel of an image of 64 pixels shows, or `None` near the edge of the sphere.
fn point(x: u32, y: u32) -> Option<Vec3> {
    let eye = Vec3::Z * 2.0;
    let ray = Vec3::new((x as f32 + 0.5) / 32.0 - 1.0, 1.0 - (y as f32 + 0.5) / 32.0, -1.0).normalize();
    let along = -eye.dot(ray);
    let off = eye.length_squared() - along * along;
    (off < 0.95).then(|| eye + ray * (along - (1.0 - off).sqrt()))
}

#[test]
fn a_sphere_has_the_colours_of_the_cpu_twin() {
    let bright = Twin {
        base: Vec3::new(0.9, 0.7, 0.6),
        shade: Vec3::new(0.5, 0.2, 0.3),
        toony: 0.4,
        shift: -0.1,
        equalization: 0.9,
        rim: Vec3::ZERO,
        power: 5.0,
        lift: 0.0,
        mix: 1.0,
    };
    let dark = Twin {
        base: Vec3::new(0.02, 0.03, 0.05),
        shade: Vec3::ZERO,
        toony: 0.0,
        shift: 0.3,
        equalization: 0.0,
        rim: Vec3::new(0.1, 0.2, 0.4),
        power: 2.0,
        lift: 0.2,
        mix: 0.5,
    };
    for twin in [bright, dark] {
        let file = sphere(twin.material(), None);
        for source in [LightSource::Classic, LightSource::Studio, LightSource::Flat] {
            let settings = lit_by(source);
            let seen = draw(&file, &settings);
            let mut checked = 0;
            for (x, y) in (0..64).flat_map(|y| (0..64).map(move |x| (x, y))) {
                let Some(point) = point(x, y) else { continue };
                let to_eye = (Vec3::Z * 2.0 - point).normalize();
                let [r, g, b] = twin.color(&settings.light, point, to_eye).to_array().map(srgb);
                assert_near(pixel(&seen, x, y), [r, g, b, 255], 3);
                checked += 1;
            }
            assert!(checked > 500, "{checked}");
        }
    }
}

#[test]
fn a_lit_white_surface_is_white_in_every_light() {
    let white =
        sphere(mtoon([1.0; 3], json!({"shadeColorFactor": [1, 1, 1], "giEqualizationFactor": 1})), None);
    for source in LightSource::BUILT_IN {
        let [r, g, b, _] = pixel(&draw(&white, &lit_by(source)), 32, 32);
        assert!([r, g, b].iter().all(|c| *c > 235), "{r} {g} {b}");
    }
}

/// Returns the number of red pixels in the left half of the middle row.
fn red_pixels(image: &DecodedImage) -> usize {
    let row = (0..image.width / 2).map(|x| pixel(image, x, image.height / 2));
    row.filter(|[r, g, ..]| *r > 200 && *g < 50).count()
}

fn outlined(mode: &str, width: f32, texture: Option<u8>) -> usize {
    let mut extension = json!({
        "outlineWidthMode": mode, "outlineWidthFactor": width,
        "outlineColorFactor": [1, 0, 0], "outlineLightingMixFactor": 0,
    });
    let texture = texture.map(|green| {
        extension["outlineWidthMultiplyTexture"] = json!({"index": 0});
        [[0, green, 0, 255]; 2]
    });
    let file = sphere(mtoon([0.0, 0.0, 1.0], extension), texture);
    red_pixels(&draw_sized(&file, &settings(ShadingMode::Shaded), (300, 200)).unwrap())
}

#[test]
fn outlines_are_as_wide_as_the_material_says() {
    assert_eq!(outlined("none", 0.1, None), 0);
    for (width, pixels) in [(0.05, 10), (0.1, 20), (0.2, 40)] {
        let seen = outlined("screenCoordinates", width, None);
        assert!(seen.abs_diff(pixels) <= 1, "{seen} is not {pixels}");
    }
    // A sphere of radius r at a distance of 2 ends where the tangent of the angle is r / sqrt(4 − r²). Half the image corresponds to a
    // tangent of 1.
    let edge = |r: f32| 100.0 * r / (4.0 - r * r).sqrt();
    let pixels = (edge(1.1) - edge(1.0)).round() as usize;
    let seen = outlined("worldCoordinates", 0.1, None);
    assert!(seen.abs_diff(pixels) <= 1, "{seen} is not {pixels}");
}

#[test]
fn a_texture_narrows_outlines() {
    assert_eq!(outlined("screenCoordinates", 0.2, Some(0)), 0);
    let half = outlined("screenCoordinates", 0.2, Some(128));
    assert!(half.abs_diff(20) <= 1, "{half}");
    assert!(outlined("screenCoordinates", 0.2, Some(255)).abs_diff(40) <= 1);
}

#[test]
fn other_modes_have_no_outlines() {
    let extension = json!({"outlineWidthMode": "screenCoordinates", "outlineWidthFactor": 0.2});
    let file = sphere(mtoon([1.0; 3], extension), None);
    let plain = sphere(mtoon([1.0; 3], json!({})), None);
    for mode in [ShadingMode::Lambert, ShadingMode::Normal, ShadingMode::Mask] {
        assert_eq!(draw(&file, &settings(mode)).rgba, draw(&plain, &settings(mode)).rgba, "{mode:?}");
    }
}

#[test]
fn the_top_of_a_matcap_is_seen_from_above() {
    let extension = json!({"matcapTexture": {"index": 0}, "rimLightingMixFactor": 0});
    let texture = [[255, 0, 0, 255], [0, 0, 255, 255]];
    let seen = draw(&sphere(mtoon([0.0; 3], extension), Some(texture)), &settings(ShadingMode::Shaded));
    let ([top, _, below_top, _], [bottom, _, below, _]) = (pixel(&seen, 32, 19), pixel(&seen, 32, 45));
    assert!(top > below_top + 60 && below > bottom + 60, "{top} {below_top} {bottom} {below}");
}

/// A missing matcap adds no light, although missing textures are white elsewhere.
#[test]
fn a_missing_matcap_adds_nothing() {
    let mut material = mtoon([0.0; 3], json!({"matcapTexture": {"index": 0}}));
    let texture = [[255; 4]; 2];
    assert_near(
        pixel(&draw(&sphere(material.clone(), Some(texture)), &lit_by(LightSource::Flat)), 32, 32),
        [255; 4],
        1,
    );
    material["extensions"]["VRMC_materials_mtoon"]["matcapTexture"]["index"] = json!(1);
    let mut document: Value = serde_json::from_slice(&sphere(material, Some(texture))).unwrap();
    document["textures"].as_array_mut().unwrap().push(json!({}));
    let seen = draw(document.to_string().as_bytes(), &lit_by(LightSource::Flat));
    assert_near(pixel(&seen, 32, 32), [0, 0, 0, 255], 1);
}

/// Returns the colour of two half-transparent squares that overlap. The red one is in front of the green one.
fn two_squares(red: Value, green: Value) -> [u8; 4] {
    let mut b = Builder::default();
    let corners = [-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0, 1.0, 0.0];
    let attributes = json!({
        "POSITION": b.floats("VEC3", 3, &corners), "NORMAL": b.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(4)),
    });
    let indices = b.accessor("SCALAR", 5121, 6, &[0, 1, 2, 0, 2, 3]);
    let mesh =
        |m: usize| json!({"primitives": [{"attributes": attributes, "indices": indices, "material": m}]});
    let material = |emissive: [u8; 3], extension: &Value| {
        let mut material = mtoon([0.0; 3], extension.clone());
        material["pbrMetallicRoughness"]["baseColorFactor"] = json!([0, 0, 0, 0.5]);
        material["emissiveFactor"] = json!(emissive);
        material["alphaMode"] = json!("BLEND");
        material
    };
    let document = json!({
        "meshes": [mesh(0), mesh(1)],
        "nodes": [{"mesh": 0, "translation": [0, 0, 0.2]}, {"mesh": 1}],
        "materials": [material([1, 0, 0], &red), material([0, 1, 0], &green)],
    });
    pixel(&draw(&b.file(document), &settings(ShadingMode::Shaded)), 32, 32)
}

#[test]
fn blended_surfaces_have_an_order() {
    let (quarter, half) = (srgb(0.25), srgb(0.5));
    let plain = json!({});
    assert_near(two_squares(plain.clone(), plain.clone()), [half, quarter, 0, 255], 1);
    let early = json!({"renderQueueOffsetNumber": -1});
    assert_near(two_squares(early, plain.clone()), [quarter, half, 0, 255], 1);
    // Surfaces that write depth are drawn first regardless of their offsets, and hide the surfaces behind them.
    let hiding = json!({"transparentWithZWrite": true, "renderQueueOffsetNumber": 9});
    assert_near(two_squares(hiding.clone(), plain.clone()), [half, 0, 0, 255], 1);
    assert_near(two_squares(plain, hiding), [half, quarter, 0, 255], 1);
}
