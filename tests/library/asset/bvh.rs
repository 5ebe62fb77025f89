//! Reads BVH files in all variants that other programs write.

use std::f32::consts::FRAC_PI_2;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use glam::{DQuat, DVec3, Quat, Vec3};
use proptest::prelude::*;
use sinew::asset::{Channel, Character, Values, bvh, load, mannequin};

use sinew_testkit::{external, files_below, folder};

mod broken;
mod up_axis;

/// The mannequin's run, written by sinew in inches at 50 frames per second.
static WRITTEN: LazyLock<PathBuf> = LazyLock::new(|| {
    let character = mannequin().unwrap();
    let run = character.clips.iter().find(|c| c.name.as_deref() == Some("run")).unwrap();
    let written = sinew::export::bvh::write(&character, run, 50.0, 0.0254).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("asset-bvh-written");
    std::fs::create_dir_all(&folder).unwrap();
    // Under nextest, several processes write the same file, and none of them may read an incomplete file.
    let (path, part) = (folder.join("run.bvh"), folder.join(format!("{}.part", std::process::id())));
    std::fs::write(&part, written.text).unwrap();
    std::fs::rename(part, &path).unwrap();
    path
});

/// Returns the BVH file of the suite, the one that sinew wrote, and the external ones.
pub(crate) fn files() -> Vec<PathBuf> {
    let hail = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/hail.bvh");
    let mut files = vec![hail, WRITTEN.clone()];
    if let Some(folder) = external("models/bvh") {
        files.extend(files_below(&folder, &["bvh"]));
        assert_eq!(files.len(), 8);
    }
    files
}

/// Reads a text in metres.
pub(crate) fn read(text: &str) -> Result<Character, String> {
    bvh::read(text, Path::new("walk.bvh"), Some(1.0)).map_err(|e| e.to_string())
}

/// Returns a file with a single joint, its channels and its frames.
fn single(channels: &str, motion: &str) -> String {
    format!("HIERARCHY\nROOT hips\n{{\nOFFSET 1 2 3\nCHANNELS {channels}\n}}\nMOTION\n{motion}")
}

fn channel(character: &Character, node: usize, translation: bool) -> Option<&Channel> {
    let is = |c: &&Channel| c.node == node && matches!(c.values, Values::Translation(_)) == translation;
    character.clips.first()?.channels.iter().find(is)
}

fn rotations(character: &Character, node: usize) -> &[Quat] {
    match &channel(character, node, false).unwrap().values {
        Values::Rotation(v) => v,
        other => panic!("{other:?}"),
    }
}

fn translations(character: &Character, node: usize) -> &[Vec3] {
    match &channel(character, node, true).unwrap().values {
        Values::Translation(v) => v,
        other => panic!("{other:?}"),
    }
}

fn names(character: &Character) -> Vec<&str> {
    character.skeleton.nodes.iter().map(|n| n.name.as_deref().unwrap_or("-")).collect()
}

const UNUSUAL: &str = "\u{FEFF}hierarchy\r\n\tRoot  my hips \r\n{Offset\t1e1 -.5 +2.\r\nCHANNELS 7 Yrotation ZPOSITION Xrotation \
xposition Yrotation Zrotation Yposition
  JOINT left  hand{ CHANNELS 3 Xposition Zposition Zrotation OFFSET 0 4 0
End Site { OFFSET 0 1 0 }
END SITE{
OFFSET 0 2 0}
}JOINT\n{ OFFSET 1 1 1 CHANNELS 0 End Site {} JOINT deep { OFFSET 0 0 1 CHANNELS 1 Xrotation } }
}
ROOT prop { OFFSET 5 0 0 CHANNELS 1 Yposition }
MOTION
FRAMES : 2

Frame   Time:\t2.5E-1
90 1 0 2 0 0 3  7 8 90  10  6

0 0 0 0 0 0 0 0 0 0 0 0
";

#[test]
fn unusual_syntax_is_understood() {
    let character = read(UNUSUAL).unwrap();
    assert_eq!(
        names(&character),
        ["my hips", "left  hand", "left  hand_end", "left  hand_end2", "-", "-", "deep", "prop"]
    );
    let parents: Vec<_> = character.skeleton.nodes.iter().map(|n| n.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(1), Some(0), Some(4), Some(4), None]);
    assert_eq!(character.scenes[0].roots, [0, 7]);
    assert_eq!(character.skeleton.nodes[0].rest.translation, Vec3::new(10.0, -0.5, 2.0));
    let clip = &character.clips[0];
    assert_eq!((clip.name.as_deref(), clip.seconds), (Some("walk"), 0.25));
    assert_eq!(clip.timelines, [[0.0, 0.25]]);
    assert_eq!(translations(&character, 0)[0], Vec3::new(2.0, 3.0, 1.0));
    assert!(rotations(&character, 0)[0].abs_diff_eq(Quat::from_rotation_y(FRAC_PI_2), 1e-6));
    // A position channel replaces the offset only on its own axis.
    assert_eq!(translations(&character, 1)[0], Vec3::new(7.0, 4.0, 8.0));
    assert!(rotations(&character, 1)[0].abs_diff_eq(Quat::from_rotation_z(FRAC_PI_2), 1e-6));
    assert!(channel(&character, 6, true).is_none());
    assert_eq!(translations(&character, 7)[0], Vec3::new(5.0, 6.0, 0.0));
    assert_eq!(
        character.warnings,
        ["line 10: joints without an OFFSET are placed at their parent (1 in total)"]
    );
}

#[test]
fn a_frame_may_span_lines_and_frames_may_share_a_line() {
    for motion in ["1 2\n3\n4 5\n6\n", "1 2 3 4 5 6"] {
        let text = single("3 Xposition Yposition Zposition", &format!("Frames: 2\nFrame Time: 1\n{motion}"));
        let character = read(&text).unwrap();
        assert_eq!(translations(&character, 0), [Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)]);
        assert!(character.warnings.is_empty());
    }
}

#[test]
fn invalid_headers_cause_warnings() {
    let one = "1 Xposition";
    for (motion, frames, seconds, warning) in [
        ("Frames: 5\nFrame Time: 0.5\n1\n2\n", 2, 0.5, "\"Frames:\" is 5, but the file has 2 frames"),
        ("Frames: 1\nFrame Time: 0.5\n1\n2\n", 2, 0.5, "\"Frames:\" is 1, but the file has 2 frames"),
        ("Frames: many\nFrame Time: 0.5\n1\n2\n", 2, 0.5, "\"Frames:\" is NaN, but the file has 2 frames"),
        ("Frame Time: 0.5\n1\n2\n", 2, 0.5, "\"Frames:\" is missing, but the file has 2 frames"),
        ("Frames: 2\n1\n2\n", 2, 1.0 / 30.0, "\"Frame Time:\" is missing, so 1/30 s is used"),
        (
            "Frames: 2\nFrame Time: 0\n1\n2\n",
            2,
            1.0 / 30.0,
            "\"Frame Time:\" of 0 is invalid, so 1/30 s is used",
        ),
        (
            "Frames: 2\nFrame Time: -1\n1\n2\n",
            2,
            1.0 / 30.0,
            "\"Frame Time:\" of -1 is invalid, so 1/30 s is used",
        ),
        (
            "Frames: 2\nFrame Time: inf\n1\n2\n",
            2,
            1.0 / 30.0,
            "\"Frame Time:\" of inf is invalid, so 1/30 s is used",
        ),
        (
            "Frames: 2\nFrame Time:\n1\n2\n",
            2,
            1.0 / 30.0,
            "\"Frame Time:\" of NaN is invalid, so 1/30 s is used",
        ),
    ] {
        let character = read(&single(one, motion)).unwrap();
        assert_eq!(translations(&character, 0).len(), frames, "{motion}");
        assert_eq!(character.clips[0].seconds, seconds, "{motion}");
        assert_eq!(character.warnings, [warning], "{motion}");
    }
    let cut = read(&single("2 Xposition Xrotation", "Frames: 2\nFrame Time: 1\n1 2\n3")).unwrap();
    assert_eq!(
        cut.warnings,
        ["frame 1 has only 1 of 2 numbers and is ignored", "\"Frames:\" is 2, but the file has 1 frames"]
    );
    let several = read(&single("2 Xposition Xrotation", "Frames: 2\nFrame Time: 1\n1 2 1 2\n3\n")).unwrap();
    assert_eq!(several.warnings, ["frame 2 has only 1 of 2 numbers and is ignored"]);
    let still = read("HIERARCHY ROOT a { OFFSET 0 0 0 }").unwrap();
    assert_eq!(still.warnings, ["the file has no MOTION section and therefore no clip"]);
    assert!(still.clips.is_empty());
}

#[test]
fn units_are_guessed_from_the_size() {
    for (size, metres) in [
        (1.75, 1.0),
        (172.0, 0.01),
        (1800.0, 0.001),
        (16.5, 0.1),
        (66.0, 0.0254),
        (5.6, 0.3048),
        (29.0, 0.0254 / 0.45),
    ] {
        let text = format!(
            "HIERARCHY ROOT a {{ OFFSET 900 0 0 JOINT b {{ OFFSET 0 {size} 0 CHANNELS 1 Yposition }} }}
            MOTION\nFrames: 1\nFrame Time: 1\n{size}"
        );
        let character = bvh::read(&text, Path::new("a.bvh"), None).unwrap();
        assert_eq!(character.units, Some(metres));
        let height = (size * metres) as f32;
        assert_eq!(character.skeleton.nodes[1].rest.translation, Vec3::Y * height);
        assert_eq!(translations(&character, 1), [Vec3::Y * height]);
        assert_eq!(character.warnings.len(), 1, "{:?}", character.warnings);
        let explicit = bvh::read(&text, Path::new("a.bvh"), Some(0.5)).unwrap();
        assert_eq!((explicit.units, explicit.warnings.len()), (Some(0.5), 0));
    }
    let point = bvh::read(&single("0", ""), Path::new("a.bvh"), None).unwrap();
    assert_eq!(point.units, Some(0.01));
}

proptest! {
    /// Any number of rotation channels are multiplied in file order.
    #[test]
    fn rotations_multiply_in_the_order_of_the_file(turns in prop::collection::vec((0_usize..3, -720.0_f64..720.0), 1..6)) {
        let words: Vec<_> = turns.iter().map(|(axis, _)| ["Xrotation", "Yrotation", "Zrotation"][*axis]).collect();
        let numbers: Vec<_> = turns.iter().map(|(_, degrees)| degrees.to_string()).collect();
        let channels = format!("{} {}", words.len(), words.join(" "));
        let text = single(&channels, &format!("Frames: 1\nFrame Time: 1\n{}", numbers.join(" ")));
        let character = read(&text).unwrap();
        let point = DVec3::new(0.3, -0.5, 0.8);
        // The last rotation of the product is applied to the point first.
        let moved = turns.iter().rev().fold(point, |p, (axis, degrees)| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let [x, y, z] = p.to_array();
            match axis {
                0 => DVec3::new(x, cos * y - sin * z, sin * y + cos * z),
                1 => DVec3::new(cos * x + sin * z, y, cos * z - sin * x),
                _ => DVec3::new(cos * x - sin * y, sin * x + cos * y, z),
            }
        });
        let found: DQuat = rotations(&character, 0)[0].as_dquat();
        prop_assert!((found * point).distance(moved) < 1e-6);
    }
}

#[test]
fn whole_files_are_read() {
    for path in files() {
        let character = load(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let (nodes, frames, units) = match name {
            "hail" => (68, 21, 0.01),
            "run" => (68, 36, 0.0254),
            "test_mocapbank" => (24, 455, 0.01),
            "jumping_jacks" => (38, 125, 0.0254 / 0.45),
            "dab" => (34, 339, 0.0254),
            "standard_skeleton" => (29, 1, 0.0254),
            "bvh_test1" => (29, 75, 0.0254),
            _ => (38, 524, 0.0254 / 0.45),
        };
        let clip = &character.clips[0];
        assert_eq!((character.skeleton.nodes.len(), clip.timelines[0].len()), (nodes, frames), "{name}");
        assert_eq!((character.units, clip.name.as_deref()), (Some(units), Some(name)));
        // Only the guessed units cause a warning.
        assert_eq!(character.warnings.len(), 1, "{name}: {:?}", character.warnings);
        let rig = sinew::rig::detect(&character);
        let chains: Vec<_> = rig.chains.iter().map(|c| c.name.as_str()).collect();
        for chain in ["left arm", "right arm", "left leg", "right leg", "spine", "neck"] {
            assert!(chains.contains(&chain), "{name}: {chain} is not among {chains:?}");
        }
        for chain in rig.chains.iter().filter(|c| c.name.starts_with("left")) {
            let label = character.skeleton.label(chain.effector).to_lowercase();
            assert!(label.starts_with('l'), "{name}: {} ends at {label}", chain.name);
        }
    }
}

#[test]
fn files_are_detected_by_extension_or_first_word() {
    let folder = folder("asset-bvh");
    let text = single("1 Xrotation", "Frames: 1\nFrame Time: 1\n90\n");
    for (name, text) in [("a.BVH", text.clone()), ("capture.txt", format!("\u{FEFF}\n {text}"))] {
        std::fs::write(folder.join(name), text).unwrap();
        assert_eq!(load(&folder.join(name)).unwrap().clips.len(), 1, "{name}");
    }
    std::fs::write(folder.join("b.bvh"), b"\x00\xFF").unwrap();
    let line = load(&folder.join("b.bvh")).unwrap_err().to_string();
    assert!(line.ends_with("b.bvh: line 1: expected HIERARCHY, found \"\\0\u{FFFD}\""), "{line}");
}
