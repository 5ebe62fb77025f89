//! Clips that are trimmed, mirrored, kept in place, rotated upright, and drawn on a sheet.

use std::fs;

use glam::Vec3;
use sinew::asset;
use sinew::asset::DecodedImage;

#[path = "../../examples/make_reaches.rs"]
mod make_reaches;

use crate::{MANNEQUIN, folder, json, place, refusal, stdout};
use sinew_testkit::external_or_skip;

#[test]
fn a_trimmed_and_mirrored_clip_is_baked() {
    let out = folder("clips-bake").join("out.glb");
    let out = out.to_str().unwrap();
    stdout(["bake", MANNEQUIN, "-q", "--animation", "wave", "--trim", "0.5..1", "--mirror", "-o", out]);
    let baked = asset::load(out.as_ref()).unwrap();
    assert!((baked.clips[0].seconds - 0.5).abs() < 1e-4);
    let wave = json(["pose", MANNEQUIN, "--animation", "wave", "--animation-time", "0.7"]);
    let mirrored = json(["pose", out, "--animation", "baked", "--animation-time", "0.2"]);
    for (from, to) in [("rightHand", "leftHand"), ("leftHand", "rightHand"), ("hips", "hips")] {
        let gap = (place(&wave, from).as_vec3() * Vec3::new(-1.0, 1.0, 1.0))
            .distance(place(&mirrored, to).as_vec3());
        assert!(gap < 2e-3, "{from}: {gap}");
    }
}

#[test]
fn clip_options_are_refused_with_a_reason() {
    let walk = ["pose", MANNEQUIN, "--animation", "walk"];
    let with = |option: &str, value: &str| refusal([walk[0], walk[1], walk[2], walk[3], option, value]);
    assert_eq!(with("--trim", "0.5..9"), "--trim 0.5..9: the clip ends at 1 s");
    assert!(with("--trim", "1..0").contains("expected A..B in seconds, with 0 <= A < B, or cycle"));
    assert_eq!(with("--root-motion", "hips"), "--root-motion hips: the node is not above the hips");
    assert!(with("--up", "z").starts_with("--up z: needs a .bvh, .csv or .trc file"));
    let none = "--mirror: no clip is played; choose one with --animation NAME|INDEX";
    assert_eq!(refusal(["pose", MANNEQUIN, "--mirror"]), none);
    let arm = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/arm.glb");
    let refused = refusal(["bake", arm, "--clips", MANNEQUIN, "--mirror", "-o", "never.glb"]);
    assert!(!refused.is_empty());
}

#[test]
fn a_sheet_shows_poses_and_a_camera_that_follows_shows_them_larger() {
    let Some(walk) = external_or_skip("models/bvh/pybvh/cmu_12_01_walk.bvh") else { return };
    let out = folder("clips-sheet").join("sheet.png");
    let (walk, out) = (walk.to_str().unwrap(), out.to_str().unwrap());
    let drawn = |more: &[&str]| {
        let mut command =
            crate::command(["render", walk, "-q", "--animation", "0", "--sheet", "3", "-o", out]);
        let command = command.args(["--resolution", "240,96", "--mode", "skeleton", "--samples", "1"]);
        assert!(command.args(["--ground", "off"]).args(more).status().unwrap().success());
        let image = DecodedImage::decode(&fs::read(out).unwrap()).unwrap();
        assert_eq!((image.width, image.height), (240, 96));
        let background = &image.rgba[..4];
        let cell = |index: usize| {
            let rows = image.rgba.chunks_exact(4 * 240).take(80);
            rows.flat_map(|row| row[320 * index..320 * (index + 1)].chunks_exact(4))
                .filter(|p| *p != background)
                .count()
        };
        [cell(0), cell(1), cell(2)]
    };
    let (still, following) = (drawn(&[]), drawn(&["--follow"]));
    for (still, following) in still.iter().zip(&following) {
        assert!(*still > 0 && following > still, "{still} {following}");
    }
}

/// `--blend-to` chooses weights with which the hand reaches its target, and prints them.
#[test]
fn reaches_are_blended_to_a_target() {
    let folder = folder("clips-blend-to");
    let (file, out) = (folder.join("reaches.glb"), folder.join("out.glb"));
    let (character, clips) = make_reaches::reaches().unwrap();
    fs::write(&file, sinew::export::animated_copy(&character, None, &clips).unwrap()).unwrap();
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    let blend = |target: &str| {
        let to = format!("leftHand={target}");
        let mut command = crate::command(["bake", file, "--animation", "high"]);
        command.args(["--blend", "low", "--blend", "out", "--blend", "front", "--blend", "across"]);
        let output = command.args(["--blend-to", &to, "-o", out]).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{printed}");
        printed.lines().find(|line| line.starts_with("blend: ")).unwrap().to_owned()
    };
    let line = blend("0.35,1.35,0.35");
    let time = line.split("; at ").nth(1).unwrap().split(" s").next().unwrap().to_owned();
    let pose = json(["pose", out, "--animation", "baked", "--animation-time", &time]);
    let gap = place(&pose, "leftHand").as_vec3().distance(Vec3::new(0.35, 1.35, 0.35));
    assert!(gap < 0.06, "{line}: {gap}");
    // If the target is the position of one example, only that example is used.
    let line = blend("0.3,1.7,0.3");
    assert!(line.starts_with("blend: high 1.000; at 0.9"), "{line}");
    let alone = ["pose", file, "--animation", "high", "--blend-to", "leftHand=0,1,0"];
    assert!(refusal(alone).contains("--blend"));
    let unknown = ["pose", file, "--animation", "high", "--blend", "low", "--blend-to", "tail=0,1,0"];
    assert!(refusal(unknown).contains("\"tail\""));
    let twice = ["pose", file, "--animation", "high", "--blend", "high", "--blend-to", "leftHand=0,1,0"];
    assert!(refusal(twice).starts_with("--blend-to leftHand: clip "));
}
