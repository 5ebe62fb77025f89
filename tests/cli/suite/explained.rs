//! Explanations of failed cases, and the tolerances and regions that belong to them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{folder, sinew, stdout};
use sinew_testkit::image::{ColorType, png};

const SUITE: &str = r#"version = 1

[defaults]
resolution = [160, 160]
camera-position = [0.6, 1.2, 3]
camera-focal-point = [0, 0.9, 0]

[[case]]
name = "pose"
rotate = "leftLowerArm=0,0,0,1"
"#;

/// Writes a suite with a golden, and then replaces a line of the suite.
fn changed(name: &str, from: &str, to: &str) -> (PathBuf, String) {
    let folder = folder(name);
    let suite = folder.join("suite.toml");
    fs::write(&suite, SUITE).unwrap();
    let path = suite.to_str().unwrap().to_owned();
    stdout(["test", &path, "--update"]);
    assert!(SUITE.contains(from));
    fs::write(&suite, SUITE.replace(from, to)).unwrap();
    (folder, path)
}

/// Runs a suite. Returns whether it passes, the printed text, and the JSON of its first case.
fn run(folder: &Path, suite: &str) -> (bool, String, Value) {
    let json = folder.join("out.json");
    let output = sinew(["test", suite, "-v", "--json", json.to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    let data: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    (output.status.success(), text, data["cases"][0].clone())
}

#[test]
fn the_verdict_names_the_joint_and_the_tolerances_that_would_accept_it() {
    let (folder, suite) = changed("explained-joint", "=0,0,0,1", "=0,0.05,0,1");
    let junit = folder.join("out.xml");
    sinew(["test", &suite, "--junit", junit.to_str().unwrap()]);
    let (passes, text, case) = run(&folder, &suite);
    assert!(!passes);
    let change = &case["explanation"]["changes"][0];
    assert_eq!((&change["kind"], &change["joint"]), (&"moved".into(), &"leftLowerArm".into()));
    let degrees = change["angle"].as_f64().unwrap().to_degrees();
    assert!((degrees - 5.72).abs() < 0.01, "{degrees}");
    let verdict = case["explanation"]["verdict"].as_str().unwrap();
    assert!(verdict.starts_with("Moved: left lower arm ") && verdict.contains("turned 5.7"), "{verdict}");
    // The first line of a failed case states the reason.
    assert_eq!(text.lines().nth(1).unwrap().trim(), format!("verdict: {verdict}"));
    assert!(fs::read_to_string(&junit).unwrap().contains("turned 5.7"));

    // The named tolerances are sufficient, and the case fails if any one of them is missing.
    let needed = text.lines().find_map(|l| l.trim().strip_prefix("tolerance: would pass with ")).unwrap();
    let settings: Vec<&str> = needed.split(", ").collect();
    assert!(settings.len() >= 2, "{settings:?}");
    let with = |settings: &[&str]| {
        let text = SUITE.replace("=0,0,0,1", "=0,0.05,0,1");
        fs::write(&suite, format!("{text}{}\n", settings.join("\n"))).unwrap();
        sinew(["test", &suite]).status.success()
    };
    assert!(with(&settings), "{settings:?}");
    for left_out in 0..settings.len() {
        let mut fewer = settings.clone();
        fewer.remove(left_out);
        assert!(!with(&fewer), "{fewer:?}");
    }
}

#[test]
fn the_kind_of_a_change_is_named() {
    let expect = |name: &str, from: &str, to: &str, kind: &str, words: &str| {
        let (folder, suite) = changed(name, from, to);
        let (passes, text, case) = run(&folder, &suite);
        let explanation = &case["explanation"];
        assert!(!passes, "{text}");
        assert_eq!(explanation["changes"][0]["kind"], kind, "{text}");
        let verdict = explanation["verdict"].as_str().unwrap();
        assert!(verdict.contains(words), "{verdict}");
    };
    expect(
        "explained-camera",
        "[0.6, 1.2, 3]",
        "[0.61, 1.2, 3]",
        "camera",
        "its position differs by 10.0 mm",
    );
    let light = "[0, 0.9, 0]\nexposure = 0.3";
    expect("explained-light", "[0, 0.9, 0]", light, "light", "exposure 0.3 instead of 0");
    let background = "[0, 0.9, 0]\nbackground = \"#102030\"";
    expect("explained-background", "[0, 0.9, 0]", background, "background", "#102030 instead of #e4e5e8");
}

#[test]
fn regions_restrict_the_comparison() {
    let (folder, suite) = changed("explained-regions", "=0,0,0,1", "=0,0.05,0,1");
    let text = fs::read_to_string(&suite).unwrap();
    let with = |line: &str| {
        fs::write(
            &suite,
            format!("{text}ground = \"off\"\nshadow = \"off\"\ncompare = [\"image\", \"joints\"]\n{line}\n"),
        )
        .unwrap();
        let output = sinew(["test", &suite]);
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    // The golden was drawn with a floor, so it is created again.
    fs::write(
        &suite,
        SUITE.to_owned() + "ground = \"off\"\nshadow = \"off\"\ncompare = [\"image\", \"joints\"]\n",
    )
    .unwrap();
    stdout(["test", &suite, "--update"]);
    assert!(!with("").0);
    for passing in
        ["ignore = \"left arm\"", "ignore = [\"leftLowerArm\"]", "only = [\"right arm\", \"head\"]"]
    {
        let (passes, text) = with(passing);
        assert!(passes, "{passing}: {text}");
    }
    for failing in ["only = \"left arm\"", "only = [\"leftHand\"]", "ignore = [\"right arm\"]"] {
        assert!(!with(failing).0, "{failing}");
    }
    let (passes, text) = with("only = [\"left amr\"]");
    let missing =
        "only: joint, part, material or limb \"left amr\" does not exist; did you mean \"left arm\"?";
    assert!(!passes && text.contains(missing), "{text}");
    drop(folder);
}

#[test]
fn scenes_are_added_to_old_goldens_without_changing_their_pixels() {
    let (folder, suite) = changed("explained-old", "=0,0,0,1", "=0,0.5,0,1");
    let golden = folder.join("goldens/pose.png");
    let decode = |path: &Path| image_rgba(path);
    // A golden without its scene, as older versions wrote them.
    let pixels = decode(&golden);
    let ((width, height), rgba) = &pixels;
    fs::write(&golden, png(*width, *height, ColorType::Rgba, rgba)).unwrap();
    let (_, text, case) = run(&folder, &suite);
    assert!(text.contains("verdict: none, because the golden does not contain its scene"), "{text}");
    assert!(case["explanation"].is_null());
    // A scene is added only to goldens that pass.
    let failing = fs::read(&golden).unwrap();
    sinew(["test", &suite, "--update=scenes"]);
    assert_eq!(fs::read(&golden).unwrap(), failing);
    fs::write(&suite, SUITE).unwrap();
    stdout(["test", &suite, "--update=scenes"]);
    assert_ne!(fs::read(&golden).unwrap(), failing);
    assert_eq!(decode(&golden), pixels);
    fs::write(&suite, SUITE.replace("=0,0,0,1", "=0,0.5,0,1")).unwrap();
    assert!(run(&folder, &suite).1.contains("joint `leftLowerArm` turned"));
}

#[test]
fn a_golden_whose_scene_is_damaged_is_compared_without_it() {
    let (folder, suite) = changed("explained-damaged", "=0,0,0,1", "=0,0.5,0,1");
    let golden = folder.join("goldens/pose.png");
    let ((width, height), rgba) = image_rgba(&golden);
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(ColorType::Rgba);
    encoder.add_ztxt_chunk("Scene".into(), "{\"camera\":".into()).unwrap();
    encoder.write_header().unwrap().write_image_data(&rgba).unwrap();
    fs::write(&golden, bytes).unwrap();
    let (passes, text, _) = run(&folder, &suite);
    assert!(!passes && text.contains("the recorded scene of the golden is not used: EOF"), "{text}");
    // The image has not changed, so the case passes, and the golden can be repaired.
    fs::write(&suite, SUITE).unwrap();
    assert!(run(&folder, &suite).0);
    stdout(["test", &suite, "--update=all"]);
    fs::write(&suite, SUITE.replace("=0,0,0,1", "=0,0.5,0,1")).unwrap();
    assert!(run(&folder, &suite).1.contains("joint `leftLowerArm` turned"));
}

#[test]
fn a_class_of_adapters_can_have_goldens_of_its_own() {
    let (folder, suite) = changed("explained-sets", "=0,0,0,1", "=0,0.05,0,1");
    let (_, _, _) = run(&folder, &suite);
    let data: Value = serde_json::from_slice(&fs::read(folder.join("out.json")).unwrap()).unwrap();
    let class = data["adapter_class"].as_str().unwrap().to_owned();
    let text = fs::read_to_string(&suite).unwrap();
    fs::write(&suite, text.replace("version = 1", &format!("version = 1\ngolden-sets = [\"{class}\"]")))
        .unwrap();
    let shared = fs::read(folder.join("goldens/pose.png")).unwrap();
    assert!(
        !sinew(["test", &suite]).status.success(),
        "the shared golden is used while there is no other one"
    );
    stdout(["test", &suite, "--update"]);
    assert!(folder.join("goldens").join(&class).join("pose.png").is_file());
    assert_eq!(fs::read(folder.join("goldens/pose.png")).unwrap(), shared);
    stdout(["test", &suite]);
    stdout(["test", &suite, "--prune"]);
    assert!(folder.join("goldens").join(&class).join("pose.png").is_file());
}

#[test]
fn a_sweep_counts_failing_cases_for_each_tolerance() {
    let (_, suite) = changed("explained-sweep", "=0,0,0,1", "=0,0.05,0,1");
    let output = sinew(["test", &suite, "--sweep"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip_while(|line| !line.starts_with("tolerance "))
        .skip(1)
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert!(rows.iter().any(|row| row[0] == "moved" && row[1].parse::<f64>().unwrap() > 0.25), "{text}");
    // The movement is not the only value beyond its tolerance.
    assert!(rows.iter().filter(|row| row[0] == "moved").all(|row| row[2] == "1"), "{text}");
}

fn image_rgba(path: &Path) -> ((u32, u32), Vec<u8>) {
    let image = sinew_testkit::image::open(path);
    ((image.width, image.height), image.rgba)
}
