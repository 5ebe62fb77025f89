//! The colours of thin films: the shader against the paper's formula, and that formula against the interference of waves.

use std::f64::consts::{PI, TAU};

use glam::{DVec3, Vec3};
use serde_json::{Value, json};

use crate::layers::{assert_shows, facing, half, layered};
use crate::light::{draw, environment_term, normals};
use crate::{assert_near, pixel};

/// Converts XYZ to linear RGB.
fn rgb(xyz: DVec3) -> DVec3 {
    DVec3::new(3.2404542, -0.9692660, 0.0556434) * xyz.x
        + DVec3::new(-1.5371385, 1.8760108, -0.2040259) * xyz.y
        + DVec3::new(-0.4985314, 0.0415560, 1.0572252) * xyz.z
}

fn schlick(f0: f64, cosine: f64) -> f64 {
    f0 + (1.0 - f0) * (1.0 - cosine).powi(5)
}

/// Fits of the eye's sensitivities in Fourier space (Belcour & Barla 2017): values, positions and variances.
fn sensitivity(path: f64, shift: f64) -> DVec3 {
    let lobe = |value: f64, position: f64, variance: f64| {
        let phase = TAU * path * 1e-9;
        value * (TAU * variance).sqrt() * (position * phase + shift).cos() * (-variance * phase * phase).exp()
            / 1.0685e-7
    };
    let x = lobe(5.4856e-13, 1.6810e6, 4.3278e9) + lobe(9.7470e-14, 2.2399e6, 4.5282e9);
    DVec3::new(x, lobe(4.4201e-13, 1.7953e6, 9.3046e9), lobe(5.2481e-13, 2.2084e6, 6.6121e9))
}

/// The reflection of a film over a colourless surface, with interference (Belcour & Barla 2017).
fn film(ior: f64, thickness: f64, cosine: f64, base_f0: f64) -> DVec3 {
    let below = (1.0 - (1.0 - cosine * cosine) / (ior * ior)).max(0.0).sqrt();
    let first = schlick(((ior - 1.0) / (ior + 1.0)).powi(2), cosine);
    let base_ior = (1.0 + base_f0.sqrt()) / (1.0 - base_f0.sqrt());
    let second = schlick(((base_ior - ior) / (base_ior + ior)).powi(2), below);
    let shift = PI + if base_ior < ior { PI } else { 0.0 };
    let path = 2.0 * ior * thickness * below;
    let between = (1.0 - first).powi(2) * second / (1.0 - first * second);
    let mut sum = DVec3::splat(first + between);
    let mut wave = between - (1.0 - first);
    for order in [1.0, 2.0] {
        wave *= (first * second).sqrt();
        sum += rgb(sensitivity(order * path, order * shift)) * (2.0 * wave);
    }
    sum.max(DVec3::ZERO)
}

/// The eye's sensitivities to a wavelength in nanometres (Wyman, Sloan & Shirley 2013).
fn eye(wavelength: f64) -> DVec3 {
    let lobe = |height: f64, at: f64, left: f64, right: f64| {
        let t = (wavelength - at) * if wavelength < at { left } else { right };
        height * (-0.5 * t * t).exp()
    };
    DVec3::new(
        lobe(0.362, 442.0, 0.0624, 0.0374)
            + lobe(1.056, 599.8, 0.0264, 0.0323)
            + lobe(-0.065, 501.1, 0.0490, 0.0382),
        lobe(0.821, 568.8, 0.0213, 0.0247) + lobe(0.286, 530.9, 0.0613, 0.0322),
        lobe(1.217, 437.0, 0.0845, 0.0278) + lobe(0.681, 459.0, 0.0385, 0.0725),
    )
}

/// The same reflection from the front, computed as a sum of waves over all wavelengths without any of the paper's approximations.
fn interference(ior: f64, thickness: f64, base_f0: f64) -> DVec3 {
    let base_ior = (1.0 + base_f0.sqrt()) / (1.0 - base_f0.sqrt());
    let (upper, lower) = ((1.0 - ior) / (1.0 + ior), (ior - base_ior) / (ior + base_ior));
    let reflected = |wavelength: f64| {
        let wave = 2.0 * upper * lower * (2.0 * TAU * ior * thickness / wavelength).cos();
        let both = (upper * lower).powi(2);
        (upper * upper + lower * lower + wave) / (1.0 + both + wave)
    };
    let mean =
        upper * upper + (1.0 - upper * upper).powi(2) * lower * lower / (1.0 - (upper * lower).powi(2));
    let (mut sum, mut white) = (DVec3::ZERO, 0.0);
    for wavelength in (360..830).map(f64::from) {
        sum += eye(wavelength) * (reflected(wavelength) - mean);
        white += eye(wavelength).y;
    }
    rgb(sum / white) + mean
}

#[test]
fn the_formula_of_films_agrees_with_the_interference_of_waves() {
    for (ior, base_f0) in [(1.33, 0.04), (1.3, 0.3), (1.8, 0.04), (1.5, 0.6)] {
        for thickness in [150.0, 250.0, 320.0, 400.0, 550.0] {
            let (seen, expected) =
                (film(ior, thickness, 1.0, base_f0), interference(ior, thickness, base_f0));
            let error = (seen - expected).abs().max_element();
            assert!(error < 0.06, "{ior}, {thickness} nm over {base_f0}: {seen} is not {expected}");
        }
    }
    // Waves of 540 nm, which are green, cancel each other in a film with an index of 1.8 and a thickness of 150 nm, and add up at a
    // thickness of 225 nm.
    let [violet, green] = [150.0, 225.0].map(|thickness| film(1.8, thickness, 1.0, 0.04));
    assert!(violet.min_element() == violet.y && green.max_element() == green.y, "{violet} {green}");
}

fn iridescence(factor: f32, ior: f32, thickness: f32) -> Value {
    json!({"KHR_materials_iridescence": {
        "iridescenceFactor": factor, "iridescenceIor": ior, "iridescenceThicknessMaximum": thickness,
    }})
}

#[test]
fn drawn_films_have_the_colours_of_the_formula() {
    for (factor, ior, thickness) in [(1.0, 1.3, 300.0), (1.0, 1.8, 450.0), (0.5, 1.5, 550.0)] {
        let image = draw(&layered([0.0; 3], 0.3, iridescence(factor, ior, thickness)), half());
        assert_shows(&image, 0.95, 0.015, "film", |n| {
            let cosine = facing(n);
            let seen = film(ior.into(), thickness.into(), cosine.into(), 0.04).as_vec3();
            let grazing = (1.0 - cosine).powi(5);
            let f0 = ((seen - grazing) / (1.0 - grazing)).clamp(Vec3::ZERO, Vec3::ONE);
            let f0 = Vec3::splat(0.04).lerp(f0, factor);
            let [scale, bias] = environment_term(0.3, cosine).to_array();
            (f0 * scale + bias) * (1.0 + f0 * (1.0 / (scale + bias) - 1.0)) * 0.5
        });
    }
}

/// At grazing angles, Schlick's formula reflects light even at a border between equal media.
#[test]
fn a_film_without_thickness_is_invisible() {
    let plain = draw(&layered([0.5, 0.2, 0.1], 0.4, json!({})), half());
    let film = draw(&layered([0.5, 0.2, 0.1], 0.4, iridescence(1.0, 1.8, 0.0)), half());
    for (x, y, n) in normals(0.7) {
        assert_near(pixel(&plain, x, y), pixel(&film, x, y), 6);
        assert!(n.z > 0.7);
    }
}
