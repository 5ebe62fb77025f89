//! Projects on the command line: they are drawn, posed, baked, and compared in suites.

use std::f32::consts::FRAC_1_SQRT_2;
use std::fs;
use std::path::{Path, PathBuf};

use super::{command, json};
use crate::folder;

const SITTING: &str = r#"
version = 1
[view]
target = [0, 0.7, 0]
distance = 3
time = 0.5
[pose.joints]
hips = { translation = [0, 0.6, 0] }
[[motion.strip]]
clips = "wave"
seconds = 1.3
[[goal]]
node = "leftHand"
position = [0.3, 0.9, 0.3]
"#;

/// Creates a folder with a project in it.
fn project_folder(name: &str) -> PathBuf {
    let folder = folder(name);
    fs::write(folder.join("sit.sinew"), SITTING).unwrap();
    folder
}

fn run(arguments: &[&str], folder: &Path) -> (Option<i32>, String) {
    let output = command([]).args(arguments).current_dir(folder).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_project_is_drawn_posed_and_baked() {
    let folder = project_folder("cli-project");
    assert_eq!(
        run(&["render", "sit.sinew", "-o", "sit.png", "--resolution=64,64"], &folder),
        (Some(0), String::new())
    );
    let pose = json(["pose", folder.join("sit.sinew").to_str().unwrap()]);
    assert!(pose["reports"][0]["position_error"].as_f64().unwrap() < 1e-3, "{}", pose["reports"]);
    let (code, text) = run(&["bake", "sit.sinew", "-o", "sit.glb"], &folder);
    assert!(code == Some(0) && text.contains("sit.glb: 1.300 s"), "{text}");
    let frames =
        ["render", "--replay", "sit.sinew", "--frames=0..3", "--resolution=64,64", "-o", "f-{frame:04}.png"];
    assert_eq!(run(&frames, &folder).0, Some(0));
    // The last pose is the end of the motion, not its beginning.
    let hand = |arguments: &[&str]| {
        let output = command([]).args(arguments).current_dir(&folder).output().unwrap();
        let pose = serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap();
        let node = pose["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .find(|node| node["name"] == "rightHand")
            .unwrap()
            .clone();
        [12, 13, 14].map(|i| node["world"][i].as_f64().unwrap())
    };
    let waving = "version = 1\n[[motion.strip]]\nclips = \"wave\"\nseconds = 1.3\n";
    fs::write(folder.join("wave.sinew"), waving).unwrap();
    assert_eq!(run(&["bake", "wave.sinew", "-o", "wave.glb"], &folder).0, Some(0));
    let end = hand(&["pose", "wave.glb", "--animation=baked", "--animation-time=1.3"]);
    let [first, last] =
        ["--animation-time=0", "--animation-time=1.3"].map(|time| hand(&["pose", "--animation=wave", time]));
    let distance = |a: [f64; 3]| a.iter().zip(end).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    assert!(distance(last) < 1e-3 && distance(first) > 0.05, "{end:?} {first:?} {last:?}");
    let frame = |number: u32| fs::read(folder.join(format!("f-{number:04}.png"))).unwrap();
    assert!(frame(0) != frame(2), "the motion does not play");
}

/// Regression test: a project with key poses but without a table `pose` was always shown in its rest pose.
#[test]
fn a_project_without_a_pose_has_that_of_its_keys() {
    let folder = project_folder("keys-without-a-pose");
    let turn = |time: f32| {
        let key = |time: f32, z: f32, w: f32| {
            let joints = format!("joints = {{ leftUpperArm = {{ rotation = [0.0, 0.0, {z}, {w}] }} }}");
            format!("[[motion.key]]\ntime = {time:?}\neasing = \"linear\"\n{joints}\n")
        };
        let keys = key(0.0, -0.258_819, 0.965_926) + &key(1.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2);
        fs::write(folder.join("keys.sinew"), format!("version = 1\n[view]\ntime = {time:?}\n{keys}"))
            .unwrap();
        let (code, message) = run(&["pose", "keys.sinew", "-o", "keys.json"], &folder);
        assert_eq!(code, Some(0), "{message}");
        let pose: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(folder.join("keys.json")).unwrap()).unwrap();
        let nodes = pose["nodes"].as_array().unwrap();
        let arm = nodes.iter().find(|node| node["name"] == "leftUpperArm").unwrap();
        let z = arm["rotation"][2].as_f64().unwrap();
        fs::remove_file(folder.join("keys.json")).unwrap();
        2.0 * z.asin().to_degrees()
    };
    for (time, degrees) in [(0.0, -30.0), (0.5, 30.0), (1.0, 90.0)] {
        assert!((turn(time) - degrees).abs() < 0.1, "{} degrees at {time} s", turn(time));
    }
}

#[test]
fn a_project_is_compared_with_a_reference() {
    let folder = project_folder("cli-project-reference");
    let render = ["render", "sit.sinew", "--resolution=64,64", "-o"];
    let compared = ["b.png", "--reference=a.png"];
    assert_eq!(run(&[&render[..], &["a.png"]].concat(), &folder), (Some(0), String::new()));
    assert_eq!(run(&[&render[..], &compared].concat(), &folder), (Some(0), String::new()));
    let smaller = ["render", "sit.sinew", "--resolution=32,32", "-o", "b.png", "--reference=a.png"];
    let (code, text) = run(&smaller, &folder);
    assert!(code == Some(1) && text.contains("image size is 32x32, but the reference has 64x64"), "{text}");
    fs::write(folder.join("sit.sinew"), SITTING.replace("[0.3, 0.9, 0.3]", "[0.3, 1.4, 0.3]")).unwrap();
    let (code, text) = run(&[&render[..], &compared].concat(), &folder);
    assert!(code == Some(1) && text.contains("pixels differ, mean FLIP error"), "{text}");
    assert!(folder.join("b.diff.png").exists());
    let (code, text) = run(&[&render[..], &["a.png", "--reference=a.png"]].concat(), &folder);
    assert!(code == Some(2) && text.contains("output would overwrite an input"), "{text}");
}

#[test]
fn options_that_a_project_determines_are_refused() {
    let folder = project_folder("cli-project-options");
    let before = fs::read(folder.join("sit.sinew")).unwrap();
    for (arguments, cause) in [
        (
            ["render", "sit.sinew", "--mode=normal", "-o", "a.png"],
            "--mode: cannot be used with a session or a project",
        ),
        (["render", "sit.sinew", "--reach=hips=0,1,0", "-o", "a.png"], "--reach: cannot be used"),
        (["bake", "sit.sinew", "--reach=hips=0,1,0", "-o", "a.glb"], "--reach: cannot be used"),
        (["render", "sit.sinew", "--resolution=64,64", "-o", "sit.sinew"], "sit.sinew"),
    ] {
        let (code, text) = run(&arguments, &folder);
        assert!(
            code == Some(2) && text.contains(cause) && text.lines().count() == 1,
            "{arguments:?}\n{text}"
        );
    }
    let (code, text) = run(&["inspect", "sit.sinew"], &folder);
    assert!(code == Some(2) && text.contains("is a project"), "{text}");
    assert_eq!(fs::read(folder.join("sit.sinew")).unwrap(), before);
}

#[test]
fn a_suite_compares_projects() {
    let folder = project_folder("cli-project-suite");
    let suite =
        "version = 1\n[[case]]\nname = \"sitting\"\nproject = \"sit.sinew\"\nresolution = \"64,64\"\n";
    fs::write(folder.join("suite.toml"), suite).unwrap();
    assert_eq!(run(&["test", "suite.toml", "--update"], &folder).0, Some(0));
    assert_eq!(run(&["test", "suite.toml"], &folder).0, Some(0));
    fs::write(folder.join("sit.sinew"), SITTING.replace("distance = 3", "distance = 2")).unwrap();
    let (code, _) = run(&["test", "suite.toml"], &folder);
    assert_eq!(code, Some(1));
    fs::write(folder.join("suite.toml"), format!("{suite}mode = \"normal\"\n")).unwrap();
    let (code, text) = run(&["test", "suite.toml"], &folder);
    assert!(code == Some(2) && text.contains("line 6") && text.contains("a session or a project"), "{text}");
}
