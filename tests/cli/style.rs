//! `sinew style`, and `--method style`.

use std::path::Path;

use serde_json::Value;

use crate::{MANNEQUIN, command, folder, json, node, place, refusal, sinew};
use glam::DVec3;
use sinew_testkit::external;

#[test]
fn a_style_is_learned_written_and_used() {
    let others = ["leftUpperArm", "rightUpperLeg", "rightLowerArm"];
    learn_and_pose(MANNEQUIN, "leftHand=0.3,1.0,0.4", others);
    let Some(walk) = external("models/bvh/pybvh/cmu_12_01_walk.bvh") else { return };
    learn_and_pose(walk.to_str().unwrap(), "LeftHand=0.3,1.0,0.4", ["LeftArm", "RightLeg", "RightForeArm"]);
}

/// Learns a style from the clips of a file and poses its character with it. The joints named in `others` must turn when
/// the hand reaches.
fn learn_and_pose(file: &str, reach: &str, others: [&str; 3]) {
    let out = folder("style").join("walk.style.json").display().to_string();
    let output = sinew(["style", file, "--postures", "30", "-o", &out]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && text.contains("30 of"), "{text}");
    let pose = json(["pose", file, "--method", "style", "--style", &out, "--reach", reach]);
    assert_eq!(
        (&pose["reports"][0]["method"], &pose["reports"][0]["outcome"]),
        (&"style".into(), &"reached".into())
    );
    // The style poses the whole figure, not only the arm.
    let rest = json(["pose", file]);
    let turned = |name: &str| node(&pose, name)["rotation"] != node(&rest, name)["rotation"];
    assert!(others.into_iter().all(turned));
}

/// With clips as examples, a walking pose is restored from the positions of its hands, feet and head. Without examples, the error is large.
#[test]
fn clips_are_examples_for_posing() {
    let walk = json(["pose", "--animation", "walk", "--animation-time", "0.3"]);
    let ends = ["leftHand", "rightHand", "leftFoot", "rightFoot", "head"].map(|name| {
        let DVec3 { x, y, z } = place(&walk, name);
        format!("{name}={x},{y},{z}")
    });
    let [a, b, c, d, e] = ends.each_ref().map(String::as_str);
    let reach = ["--reach", a, "--reach", b, "--reach", c, "--reach", d, "--reach", e];
    let posed = |options: &[&str]| {
        let output = command(["pose"]).args(reach).args(options).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let largest_error = |pose: &Value| {
        let names = ["leftLowerArm", "rightLowerArm", "leftLowerLeg", "rightLowerLeg", "hips", "chest"];
        let error = |name: &str| place(pose, name).distance(place(&walk, name));
        names.into_iter().map(error).fold(0.0, f64::max)
    };
    let pose = posed(&["--method", "style", "--style", MANNEQUIN, "--require-reached"]);
    assert_eq!(pose["reports"][0]["method"], "style");
    assert!(largest_error(&pose) < 0.01, "{}", largest_error(&pose));
    let without = posed(&["--method", "full-body"]);
    assert!(largest_error(&without) > 0.03, "{}", largest_error(&without));
}

/// Clips of another skeleton and sensor recordings are retargeted to the character first, as with `--clips`.
#[test]
fn examples_are_retargeted_to_the_character() {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite");
    for (file, model, goal) in
        [("hail.bvh", "awkward", "hand.R=-0.3,0.6,0.1"), ("bow.csv", "mannequin", "leftHand=0.3,0.9,0.4")]
    {
        let file = suite.join(file).display().to_string();
        let model = suite.join(format!("../../assets/{model}.glb")).display().to_string();
        let posed = ["pose", &model, "--method", "style", "--style", &file, "--reach", goal];
        let pose = json(posed);
        assert_eq!(pose["reports"][0]["outcome"], "reached", "{file}");
        assert_eq!(pose["nodes"], json(posed)["nodes"], "{file}: the same each time");
        assert_ne!(place(&pose, "head"), place(&json(["pose", &model]), "head"), "{file}");
    }
    // Bake a clip with a goal for the hand in the style of examples.
    let out = folder("style-bake").join("out.bvh").display().to_string();
    let bake = ["bake", "-q", "--animation", "idle", "--seconds", "0..0.5", "--method", "style"];
    let style = ["--style", MANNEQUIN, "--reach", "leftHand=0.3,1.2,0.3", "--require-reached", "-o", &out];
    let output = command(bake).args(style).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(Path::new(&out).exists());
}

#[test]
fn files_without_usable_examples_are_refused() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let folder = folder("no-examples");
    let broken = folder.join("broken.csv");
    std::fs::write(&broken, "time,hips.x\n0,a\n").unwrap();
    for (file, cause) in [
        (assets.join("arm.glb"), "arm.glb: the file contains no clips"),
        (assets.join("tentacle.glb"), "not recognised as a humanoid"),
        (broken, "broken.csv: line 1"),
        (folder.join("none.glb"), "none.glb: "),
    ] {
        let file = file.display().to_string();
        let error = refusal(["pose", "--method", "style", "--style", &file, "--reach", "head=0,1.5,0.2"]);
        assert!(error.contains(cause), "{error}");
    }
}

#[test]
fn an_invalid_style_is_refused() {
    let (reach, folder) = ("leftHand=0.3,1.0,0.4", folder("no-style"));
    let error = refusal(["pose", "--method", "style", "--reach", reach]);
    assert!(error.contains("add --style FILE"), "{error}");
    for (text, cause) in [
        ("{}", "missing field"),
        ("[1, 2", "not a style"),
        (
            r#"{"format":"sinew-style-2","joints":[],"means":[],"centre":[],"scales":[],"beta":1,"gamma":1,"postures":[]}"#,
            "unknown format \"sinew-style-2\"",
        ),
        (
            r#"{"format":"sinew-style-1","joints":["a"],"means":[],"centre":[],"scales":[],"beta":1,"gamma":1,"postures":[]}"#,
            "at least 3 postures, but this one has 0",
        ),
    ] {
        let path = folder.join("some.style.json");
        std::fs::write(&path, text).unwrap();
        let path = path.display().to_string();
        let error = refusal(["pose", "--method", "style", "--style", &path, "--reach", reach]);
        assert!(error.contains(cause) && error.contains("some.style.json"), "{error}");
    }
    // One frame is not enough to learn from.
    let still = folder.join("still.bvh");
    let text = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\n\
                OFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n10 0 0\n";
    std::fs::write(&still, text).unwrap();
    let out = folder.join("out.json").display().to_string();
    let error = refusal(["style", &still.display().to_string(), "--units", "1", "-o", &out]);
    assert!(
        error.contains(
            "still.bvh: cannot learn from the clips: a style needs at least 3 postures, but this one has 1"
        ),
        "{error}"
    );
    assert!(!folder.join("out.json").exists());
}
