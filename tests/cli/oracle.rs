//! Compares positions and silhouettes with an independent Python script, which skins in double precision and
//! is part of the external test data.
//!
//! `SINEW_PYTHON` names a Python interpreter with numpy and Pillow. Its default is `python3`. See `docs/test-data.md`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use sinew::asset;

use crate::{folder, json, numbers, stdout};
use sinew_testkit::image::{self, PixelAccess};
use sinew_testkit::{built_in_gltf_files, external, external_or_skip, gltf_files, skip};

/// Maximum error of a position, as a fraction of the model's diagonal.
const POSITIONS: f64 = 1e-5;
/// Maximum fraction of pixels that differ.
const PIXELS: f64 = 0.001;
const SIZE: (u32, u32) = (320, 180);
const FOLDERS: [&str; 5] = [
    "models/khronos-sample-models",
    "models/khronos-asset-generator",
    "models/vulkan-assets",
    "models/quaternius/animals_pack",
    "models/derived/Wolf-8influences-JOINTS_1",
];

struct Oracle {
    python: String,
    script: PathBuf,
}

impl Oracle {
    /// Finds the script and the Python interpreter. If one of them is missing, records the test as skipped and returns
    /// `None`.
    #[track_caller]
    fn find() -> Option<Self> {
        let script = external_or_skip("oracle/skin.py")?;
        let python = std::env::var("SINEW_PYTHON").unwrap_or_else(|_| "python3".into());
        let mut probe = Command::new(&python);
        probe.args(["-c", "import numpy, PIL"]).stderr(Stdio::null());
        if !probe.status().is_ok_and(|s| s.success()) {
            skip(&format!("{python} with numpy and Pillow is missing"));
            return None;
        }
        Some(Self { python, script })
    }

    /// Poses a model with the Python script and returns the pose as JSON. The script writes this JSON to the file
    /// `out`, and the model's silhouette to the file `mask`.
    fn pose(&self, model: &Path, posing: &[String; 2], out: &Path, mask: &Path) -> Value {
        let mut command = Command::new(&self.python);
        command.arg(&self.script).arg(model).arg("--json").arg(out).arg("--mask").arg(mask);
        command.args(["--width", &SIZE.0.to_string(), "--height", &SIZE.1.to_string()]);
        if let [clip, time] = posing
            && !clip.is_empty()
        {
            command.args(["--anim", clip, "--time", time]);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&std::fs::read(out).unwrap()).unwrap()
    }
}

#[test]
fn positions_and_masks_agree() {
    let Some(oracle) = Oracle::find() else { return };
    let mut files = built_in_gltf_files();
    files.extend(FOLDERS.iter().filter_map(|f| external(f)).flat_map(|f| gltf_files(&f)));
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (oracle, files, next) = (&oracle, &files, &next);
            scope.spawn(move || {
                let folder = folder(&format!("oracle {worker}"));
                while let Some(file) = files.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    compare(oracle, file, &folder);
                }
            });
        }
    });
}

/// In a baked clip, the Python script finds the same poses that `sinew pose` computes from the clip and the goal.
#[test]
fn another_program_reads_the_same_poses_from_a_baked_clip() {
    let Some(oracle) = Oracle::find() else { return };
    let folder = folder("oracle bake");
    for (name, file, goal) in [
        ("mannequin", crate::MANNEQUIN.to_owned(), "leftHand=0.3,1.3,0.35"),
        ("tentacle", crate::MANNEQUIN.replace("mannequin", "tentacle"), "#30=0.3,0.9,0.2"),
    ] {
        let baked = folder.join(format!("{name}.glb"));
        let baked_path = baked.to_str().unwrap();
        let clip = if name == "mannequin" { "--animation=walk" } else { "--animation=sway" };
        stdout(["bake", &file, "-q", "-o", baked_path, clip, "--reach", goal, "--key-error=0"]);
        // The baked clip has a key at this time, so it equals the original clip there.
        let time = "0.4";
        let posing = ["0".to_owned(), time.to_owned()];
        let expected = oracle.pose(&baked, &posing, &folder.join("oracle.json"), &folder.join("oracle.png"));
        let posed =
            json(["pose", &file, "-q", "--vertices", clip, "--animation-time", time, "--reach", goal]);
        assert_positions(&expected, &posed, name);
    }
}

fn compare(oracle: &Oracle, file: &Path, folder: &Path) {
    let character = asset::load(file).unwrap();
    // Pose the last clip at a time between two keys.
    let posing = match character.clips.iter().enumerate().next_back() {
        Some((clip, c)) => [clip.to_string(), (c.seconds * 0.37).to_string()],
        None => [String::new(), String::new()],
    };
    let (theirs, mask) = (folder.join("oracle.json"), folder.join("oracle.png"));
    let expected = oracle.pose(file, &posing, &theirs, &mask);
    let path = file.to_str().unwrap();
    let [clip, time] = &posing;
    let (clip, time) = if clip.is_empty() {
        (String::from("--start=current"), String::from("--iterations=100"))
    } else {
        (format!("--animation={clip}"), format!("--animation-time={time}"))
    };
    let posed = json(["pose", path, "-q", "--vertices", &clip, &time]);
    assert_positions(&expected, &posed, path);
    let drawn = folder.join("mask.png");
    let resolution = format!("--resolution={},{}", SIZE.0, SIZE.1);
    let out = drawn.to_str().unwrap();
    stdout(["render", path, "-q", "--mode=mask", "--samples=1", &resolution, &clip, &time, "-o", out]);
    assert_masks(&mask, &drawn, path);
}

fn assert_positions(expected: &Value, posed: &Value, path: &str) {
    let primitives = |value: &Value| value["primitives"].as_array().unwrap().clone();
    let (expected, posed) = (primitives(expected), primitives(posed));
    assert_eq!(expected.len(), posed.len(), "{path}");
    let all: Vec<f64> = expected.iter().flat_map(|p| numbers(&p["positions"])).collect();
    let side = |axis: usize| {
        let along = || all.iter().skip(axis).step_by(3);
        along().copied().fold(f64::MIN, f64::max) - along().copied().fold(f64::MAX, f64::min)
    };
    let diagonal = (side(0).powi(2) + side(1).powi(2) + side(2).powi(2)).sqrt();
    for (theirs, ours) in expected.iter().zip(&posed) {
        let (theirs, ours) = (numbers(&theirs["positions"]), numbers(&ours["positions"]));
        assert_eq!(theirs.len(), ours.len(), "{path}");
        let error = theirs.iter().zip(&ours).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error <= POSITIONS * diagonal, "{path}: {error} of {diagonal}");
    }
}

/// Asserts that few pixels differ, and that each of them is next to an edge.
fn assert_masks(theirs: &Path, ours: &Path, path: &str) {
    let (theirs, ours) = (image::open(theirs), image::open(ours));
    assert_eq!(theirs.size(), ours.size());
    let white = |x: u32, y: u32| theirs.pixel(x, y).is_some_and(|p| p[0] > 127);
    let mut different = 0;
    let coordinates = (0..ours.height).flat_map(|y| (0..ours.width).map(move |x| (x, y)));
    for ((x, y), pixel) in coordinates.zip(ours.pixels()) {
        if (pixel[0] > 127) == white(x, y) {
            continue;
        }
        different += 1;
        let around = (0..9).map(|i| white((x + i % 3).wrapping_sub(1), (y + i / 3).wrapping_sub(1)));
        let count = around.filter(|w| *w).count();
        assert!((1..9).contains(&count), "{path}: pixel {x},{y} is far from any edge");
    }
    let fraction = f64::from(different) / f64::from(SIZE.0 * SIZE.1);
    assert!(fraction <= PIXELS, "{path}: {different} pixels differ");
}
