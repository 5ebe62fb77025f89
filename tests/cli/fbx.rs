//! Characters in FBX files.

use std::fs;

use crate::{folder, json, refusal, stdout};

/// A strip in centimetres with +Z up, which one clip bends by 90 degrees.
const STRIP: &str = include_str!("../../src/character/asset/fbx/strip.fbx");

#[test]
fn a_clip_of_an_fbx_file_bends_its_mesh() {
    let folder = folder("fbx");
    let strip = folder.join("strip.fbx");
    // Its image does not exist, and every command would warn about it.
    fs::write(&strip, STRIP.replace("C: \"OP\",41,40", "; ")).unwrap();
    let strip = strip.to_str().unwrap();
    let end = json(["pose", strip, "--vertices", "--animation", "bend", "--animation-time", "1"]);
    let positions = end["primitives"][0]["positions"].as_array().unwrap();
    let positions: Vec<f64> = positions.iter().map(|p| p.as_f64().unwrap()).collect();
    let has = |expected: [f64; 3]| {
        let near = |p: &[f64]| p.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5);
        positions.chunks_exact(3).any(near)
    };
    // The corner that follows the tip, and the one that only the blend shape moves.
    assert!(has([0.1, 1.0, 1.0]) && has([0.0, 2.0, 0.1]), "{positions:?}");

    let image = folder.join("strip.png");
    stdout(["render", strip, "--resolution", "80,60", "-o", image.to_str().unwrap()]);
    assert!(image.exists());
    let copy = folder.join("copy.glb");
    let line = refusal(["pose", strip, "-o", copy.to_str().unwrap()]);
    assert_eq!(line, format!("{strip}: only glTF and BVH files have copies; write the pose as .json"));
    assert!(!copy.exists());
    let damaged = folder.join("damaged.fbx");
    fs::write(&damaged, "not an FBX file").unwrap();
    let line = refusal(["inspect", damaged.to_str().unwrap()]);
    assert!(line.starts_with(&format!("{}: ", damaged.display())), "{line}");
}
