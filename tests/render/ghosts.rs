//! Translucent copies of the character.

use glam::{Mat4, Vec3};
use serde_json::json;
use sinew::puppet::Puppet;
use sinew::render::{DecodedImage, Instance, ShadingMode};
use sinew::scene;

use crate::{draw_frame, draw_puppet, load, pixel, settings, typical_view};
use sinew_testkit::Builder;
use sinew_testkit::mannequin;

const RED: Vec3 = Vec3::X;

/// Draws squares from −1 to 1 that face +Z, one at each depth, with ghosts of them at other positions.
fn squares(depths: &[f32], mode: ShadingMode, ghosts: &[(Vec3, Mat4)]) -> DecodedImage {
    let mut b = Builder::default();
    let corners = |z: f32| [-1.0, -1.0, z, 1.0, -1.0, z, 1.0, 1.0, z, -1.0, 1.0, z];
    let corners: Vec<f32> = depths.iter().flat_map(|z| corners(*z)).collect();
    let normals = [0.0, 0.0, 1.0].repeat(4 * depths.len());
    let indices: Vec<u8> =
        (0..depths.len()).flat_map(|i| [0, 1, 2, 0, 2, 3].map(|n| n + 4 * i as u8)).collect();
    let attributes =
        json!({"POSITION": b.floats("VEC3", 3, &corners), "NORMAL": b.floats("VEC3", 3, &normals)});
    let indices = b.accessor("SCALAR", 5121, indices.len(), &indices);
    let bytes = b.file(json!({
        "meshes": [{"primitives": [{"attributes": attributes, "indices": indices}]}],
        "nodes": [{"mesh": 0}],
    }));
    let puppet = Puppet::new(load(&bytes), 0);
    let palettes: Vec<Vec<Mat4>> = ghosts.iter().map(|(_, m)| vec![*m]).collect();
    draw_frame(&puppet, &settings(mode), (64, 64), |frame| {
        for ((color, _), palette) in ghosts.iter().zip(&palettes) {
            frame.ghosts.push(Instance { palette, tint: color.extend(1.0), ..frame.instances[0].clone() });
        }
    })
    .unwrap()
}

fn offset(x: f32, z: f32) -> Mat4 {
    Mat4::from_translation(Vec3::new(x, 0.0, z))
}

#[test]
fn a_ghost_is_translucent_and_has_its_colour() {
    let seen = squares(&[0.0], ShadingMode::Lambert, &[(RED, offset(1.0, 0.5))]);
    let bare = squares(&[0.0], ShadingMode::Lambert, &[]);
    let [r, g, b, a] = pixel(&seen, 55, 32);
    assert!(r > 100 && r < 255 && g == 0 && b == 0 && a == 255, "over black: {:?}", [r, g, b, a]);
    let (over, white) = (pixel(&seen, 40, 32), pixel(&bare, 40, 32));
    assert!(over[1] < white[1] && over[1] > 0 && over[0] > over[1], "{over:?} over {white:?}");
    assert_eq!(pixel(&seen, 20, 32), pixel(&bare, 20, 32));
}

#[test]
fn ghosts_are_hidden_behind_surfaces_and_in_data_modes() {
    let behind = [(RED, offset(0.0, -0.5))];
    assert_eq!(
        squares(&[0.0], ShadingMode::Lambert, &behind).rgba,
        squares(&[0.0], ShadingMode::Lambert, &[]).rgba
    );
    for mode in [ShadingMode::Normal, ShadingMode::Mask] {
        let before = [(RED, offset(0.5, 0.5))];
        assert_eq!(squares(&[0.0], mode, &before).rgba, squares(&[0.0], mode, &[]).rgba);
    }
}

#[test]
fn a_ghost_does_not_show_its_inner_surfaces() {
    let position = [(RED, offset(1.5, 0.0))];
    let one = pixel(&squares(&[0.3], ShadingMode::Lambert, &position), 60, 32);
    for depths in [[0.0, 0.3], [0.3, 0.0]] {
        assert_eq!(pixel(&squares(&depths, ShadingMode::Lambert, &position), 60, 32), one);
    }
}

#[test]
fn the_first_of_coincident_ghosts_is_visible() {
    let position = offset(1.5, 0.0);
    let both = squares(&[0.0], ShadingMode::Lambert, &[(RED, position), (Vec3::Y, position)]);
    assert_eq!(both.rgba, squares(&[0.0], ShadingMode::Lambert, &[(RED, position)]).rgba);
}

/// A ghost that coincides with the character changes no pixel, not even at edges.
#[test]
fn a_coincident_ghost_does_not_change_the_image() {
    let puppet = Puppet::new(mannequin(), 0);
    let settings = typical_view(puppet.bounds(), 1.0);
    let bare = draw_puppet(&puppet, &settings, (200, 200));
    let with_ghosts = draw_frame(&puppet, &settings, (200, 200), |frame| {
        for color in [RED, Vec3::Y] {
            let palette = &puppet.palette().matrices;
            frame.ghosts.push(Instance { palette, tint: color.extend(1.0), ..frame.instances[0].clone() });
        }
    })
    .unwrap();
    let differ = bare.rgba.chunks(4).zip(with_ghosts.rgba.chunks(4)).filter(|(a, b)| a != b).count();
    assert_eq!(differ, 0, "{differ} pixels");
    assert!(scene::ghost(&puppet, &puppet, RED).draws.is_empty());
}
