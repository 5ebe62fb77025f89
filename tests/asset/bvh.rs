//! BVH in: what programs write is read as they mean it, what is broken is refused with its line.

use std::f32::consts::FRAC_PI_2;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use glam::{DQuat, DVec3, Quat, Vec3};
use proptest::prelude::*;
use sinew::asset::{Channel, Character, Values, bvh, load, mannequin};

use crate::corpus::{ALLOCATOR, Random};
use crate::support::{external, files_below};

/// The mannequin's run, written by our own writer in inches, 50 frames a second.
static WRITTEN: LazyLock<PathBuf> = LazyLock::new(|| {
    let character = mannequin().unwrap();
    let run = character.clips.iter().find(|c| c.name.as_deref() == Some("run")).unwrap();
    let written = sinew::motion::bvh::write(&character, run, 50.0, 0.0254).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("asset-bvh-written");
    std::fs::create_dir_all(&folder).unwrap();
    // Under nextest several processes write it, each the same, and none may read half of it.
    let (path, part) = (folder.join("run.bvh"), folder.join(format!("{}.part", std::process::id())));
    std::fs::write(&part, written.text).unwrap();
    std::fs::rename(part, &path).unwrap();
    path
});

/// The suite's file, one written by our own writer, and the external ones.
pub(crate) fn files() -> Vec<PathBuf> {
    let hail = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/hail.bvh");
    let mut files = vec![hail, WRITTEN.clone()];
    if let Some(folder) = external("models/bvh") {
        files.extend(files_below(&folder, &["bvh"]));
        assert_eq!(files.len(), 8);
    }
    files
}

/// A text in metres.
pub(crate) fn read(text: &str) -> Result<Character, String> {
    bvh::read(text, Path::new("walk.bvh"), Some(1.0)).map_err(|e| e.to_string())
}

/// One joint with some channels, and frames.
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

const ODD: &str = "\u{FEFF}hierarchy\r\n\tRoot  my hips \r\n{Offset\t1e1 -.5 +2.\r\nCHANNELS 7 Yrotation ZPOSITION Xrotation \
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
fn oddities_are_read_as_meant() {
    let character = read(ODD).unwrap();
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
    // A position channel stands in place of the offset, on its axis alone.
    assert_eq!(translations(&character, 1)[0], Vec3::new(7.0, 4.0, 8.0));
    assert!(rotations(&character, 1)[0].abs_diff_eq(Quat::from_rotation_z(FRAC_PI_2), 1e-6));
    assert!(channel(&character, 6, true).is_none());
    assert_eq!(translations(&character, 7)[0], Vec3::new(5.0, 6.0, 0.0));
    assert_eq!(character.warnings, ["line 10: joints without an OFFSET are at their parent's place: 1"]);
}

#[test]
fn a_frame_may_run_over_lines_or_share_one() {
    for motion in ["1 2\n3\n4 5\n6\n", "1 2 3 4 5 6"] {
        let text = single("3 Xposition Yposition Zposition", &format!("Frames: 2\nFrame Time: 1\n{motion}"));
        let character = read(&text).unwrap();
        assert_eq!(translations(&character, 0), [Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)]);
        assert!(character.warnings.is_empty());
    }
}

#[test]
fn what_a_file_says_wrongly_of_itself_is_a_warning() {
    let one = "1 Xposition";
    for (motion, frames, seconds, warning) in [
        ("Frames: 5\nFrame Time: 0.5\n1\n2\n", 2, 0.5, "Frames: says 5, but 2 are there"),
        ("Frames: 1\nFrame Time: 0.5\n1\n2\n", 2, 0.5, "Frames: says 1, but 2 are there"),
        ("Frames: many\nFrame Time: 0.5\n1\n2\n", 2, 0.5, "Frames: says NaN, but 2 are there"),
        ("Frame Time: 0.5\n1\n2\n", 2, 0.5, "there is no number of frames: 2 are there"),
        ("Frames: 2\n1\n2\n", 2, 1.0 / 30.0, "there is no Frame Time: taken as a thirtieth of a second"),
        (
            "Frames: 2\nFrame Time: 0\n1\n2\n",
            2,
            1.0 / 30.0,
            "Frame Time: 0 cannot be: taken as a thirtieth of a second",
        ),
        (
            "Frames: 2\nFrame Time: -1\n1\n2\n",
            2,
            1.0 / 30.0,
            "Frame Time: -1 cannot be: taken as a thirtieth of a second",
        ),
        (
            "Frames: 2\nFrame Time: inf\n1\n2\n",
            2,
            1.0 / 30.0,
            "Frame Time: inf cannot be: taken as a thirtieth of a second",
        ),
        (
            "Frames: 2\nFrame Time:\n1\n2\n",
            2,
            1.0 / 30.0,
            "Frame Time: NaN cannot be: taken as a thirtieth of a second",
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
        ["frame 1 is cut off after 1 of 2 numbers: left out", "Frames: says 2, but 1 are there"]
    );
    let several = read(&single("2 Xposition Xrotation", "Frames: 2\nFrame Time: 1\n1 2 1 2\n3\n")).unwrap();
    assert_eq!(several.warnings, ["frame 2 is cut off after 1 of 2 numbers: left out"]);
    let still = read("HIERARCHY ROOT a { OFFSET 0 0 0 }").unwrap();
    assert_eq!(still.warnings, ["there is no MOTION: a skeleton alone"]);
    assert!(still.clips.is_empty());
}

#[test]
fn broken_files_are_refused_with_their_line() {
    let frames =
        |motion: &str| single("2 Xposition Xrotation", &format!("Frames: 2\nFrame Time: 1\n{motion}"));
    let joint = |inside: &str| format!("HIERARCHY\nROOT a\n{{\n{inside}\n}}\n");
    let long = format!("HIERARCHY\nROOT a {{ OFFSET {} 0 0 }}", "x".repeat(5000));
    for (text, line) in [
        (String::new(), "line 1: the file is empty"),
        ("\n\nSKELETON".into(), "line 3: \"SKELETON\" where HIERARCHY begins"),
        ("HIERARCHY\n\n".into(), "line 1: there is no ROOT"),
        ("HIERARCHY\nMOTION".into(), "line 2: there is no ROOT"),
        ("HIERARCHY\nJOINT a { }".into(), "line 2: \"JOINT\" where ROOT or MOTION begins"),
        ("HIERARCHY\nROOT a { } }".into(), "line 2: \"}\" where ROOT or MOTION begins"),
        ("HIERARCHY\nROOT a\nOFFSET".into(), "line 3: \"OFFSET\" where joint \"a\" needs a {"),
        ("HIERARCHY\nROOT a".into(), "line 2: the text ends where joint \"a\" needs a {"),
        (
            "HIERARCHY\nROOT a {\nOFFSET 0 0 0\n\n".into(),
            "line 3: the text ends within joint \"a\" of line 2",
        ),
        ("HIERARCHY\nROOT a {\nOFFSET 0 0".into(), "line 3: the text ends within OFFSET"),
        ("HIERARCHY\nROOT a {\nOFFSET 0 0\n\n\n".into(), "line 3: the text ends within OFFSET"),
        ("HIERARCHY\nROOT a {\nCHANNELS\n\n".into(), "line 3: CHANNELS: \"\" is not a number of channels"),
        ("HIERARCHY\nROOT a\n\n".into(), "line 2: the text ends where joint \"a\" needs a {"),
        (joint("OFFSET 0 0 MOTION"), "line 4: \"MOTION\" is not a number"),
        (joint("OFFSET 0 nan 0"), "line 4: \"nan\" is not finite"),
        (joint("OFFSET 0 1e999 0"), "line 4: \"1e999\" is not finite"),
        (joint("OFFSET 0 1e99 0"), "line 4: \"1e99\" is too large a number"),
        (joint("OFFSET 0 0 0 1"), "line 4: \"1\" has no place in joint \"a\""),
        (joint("OFFSET 0 0 0\nOFFSET 0 0 0"), "line 5: a second OFFSET in joint \"a\""),
        (joint("CHANNELS 0 CHANNELS 0"), "line 4: a second CHANNELS in joint \"a\""),
        (joint("CHANNELS -3"), "line 4: CHANNELS: \"-3\" is not a number of channels"),
        (joint("CHANNELS 3 Xrotation Yrotation"), "line 5: CHANNELS: \"}\" is no channel, after 2 of 3"),
        (
            joint("CHANNELS 99999999999 Xrotation"),
            "line 5: CHANNELS: \"}\" is no channel, after 1 of 99999999999",
        ),
        (joint("CHANNELS 1 Wrotation"), "line 4: CHANNELS: \"Wrotation\" is no channel, after 0 of 1"),
        (joint("CHANNELS 1 Ärotation"), "line 4: CHANNELS: \"Ärotation\" is no channel, after 0 of 1"),
        (joint("CHANNELS 2 Xposition xPosition"), "line 4: CHANNELS: \"xPosition\" comes twice"),
        (joint("CHANNELS 1 Xrotation Yrotation"), "line 4: \"Yrotation\" has no place in joint \"a\""),
        (joint("ROOT b { }"), "line 4: \"ROOT\" has no place in joint \"a\""),
        (joint("End Site { JOINT b { } }"), "line 4: \"JOINT\" has no place in End Site \"a_end\""),
        (joint("End Site { CHANNELS 1 Xrotation }"), "line 4: End Site \"a_end\" cannot have channels"),
        (joint("MOTION"), "line 4: \"MOTION\" has no place in joint \"a\""),
        (frames("1 2\n1 nan\n"), "line 11: \"nan\" is not finite"),
        (frames("1 2\n1 2,5\n"), "line 11: \"2,5\" is not a number"),
        (frames("1 2\n1\n1 2\n"), "line 11: 1 numbers where a frame has 2"),
        (frames("1 2\n1 2 3\n1 2\n"), "line 11: 3 numbers where a frame has 2"),
        (frames("1\n1 2\n"), "line 10: 1 numbers where a frame has 2"),
        (frames("1 2 1\n2\n1\n"), "line 10: 3 numbers where a frame has 2"),
        (frames("1 2 3\n"), "line 10: 3 numbers where a frame has 2"),
        (frames("1 2\n}\n"), "line 11: \"}\" is not a number"),
        (frames("1 2\nFrames: 3\n"), "line 11: \"Frames:\" is not a number"),
        (single("0", "Frames: 1\nFrame Time: 1\n1"), "line 10: \"1\" where no joint has channels"),
        (long, "line 2: \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\" is not a number"),
    ] {
        assert_eq!(read(&text).unwrap_err(), format!("walk.bvh: {line}"), "{text:.200}");
    }
    let line = bvh::read(&joint(""), Path::new("walk.bvh"), Some(0.0)).unwrap_err().to_string();
    assert_eq!(line, "walk.bvh: units: 0 metres a unit are not within 1e-6 and 1e6");
}

#[test]
fn lines_count_however_they_end() {
    for end in ["\n", "\r\n", "\r"] {
        let text =
            ["HIERARCHY", "ROOT a", "{", "OFFSET 0 0 0", "CHANNELS 1 Xrotation", "}", "MOTION", "Frames: 1"];
        let text = format!("{}{end}Frame Time: 1{end}{end}x", text.join(end));
        assert_eq!(read(&text).unwrap_err(), "walk.bvh: line 11: \"x\" is not a number", "{end:?}");
    }
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
        let told = bvh::read(&text, Path::new("a.bvh"), Some(0.5)).unwrap();
        assert_eq!((told.units, told.warnings.len()), (Some(0.5), 0));
    }
    let point = bvh::read(&single("0", ""), Path::new("a.bvh"), None).unwrap();
    assert_eq!(point.units, Some(0.01));
}

proptest! {
    /// Any order, any number of channels: the product in file order.
    #[test]
    fn rotations_multiply_in_the_order_of_the_file(turns in prop::collection::vec((0_usize..3, -720.0_f64..720.0), 1..6)) {
        let words: Vec<_> = turns.iter().map(|(axis, _)| ["Xrotation", "Yrotation", "Zrotation"][*axis]).collect();
        let numbers: Vec<_> = turns.iter().map(|(_, degrees)| degrees.to_string()).collect();
        let channels = format!("{} {}", words.len(), words.join(" "));
        let text = single(&channels, &format!("Frames: 1\nFrame Time: 1\n{}", numbers.join(" ")));
        let character = read(&text).unwrap();
        let point = DVec3::new(0.3, -0.5, 0.8);
        // The last rotation of the product is the first that a point meets.
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
        // That of the units.
        assert_eq!(character.warnings.len(), 1, "{name}: {:?}", character.warnings);
        let rig = sinew::rig::find(&character);
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
fn memory_stays_in_proportion_to_the_text() {
    let rows = "0 ".repeat(1000) + "\n";
    let joints = "JOINT a{CHANNELS 1 Xrotation}".repeat(1000);
    let ends = format!("JOINT {}{{{}}}", "a".repeat(20_000), "End{}".repeat(20_000));
    for text in [
        format!(
            "HIERARCHY ROOT a{{{joints}}}MOTION\nFrames: 999999999999\nFrame Time: 1\n{}",
            rows.repeat(1000)
        ),
        format!("HIERARCHY ROOT a{{{joints}}}MOTION\nFrames: 999999999999\nFrame Time: 1\n"),
        format!("HIERARCHY ROOT a{{{}}}", "End{}".repeat(20_000)),
        format!("HIERARCHY ROOT a{{{ends}}}"),
    ] {
        let before = ALLOCATOR.current_usage();
        ALLOCATOR.reset_peak_usage();
        read(&text).unwrap();
        let took = ALLOCATOR.peak_usage().saturating_sub(before);
        // Other tests of this binary allocate beside this one; what they take is far below the bound.
        let bound = 32 * text.len() + (48 << 20);
        assert!(took <= bound, "{took} bytes of {bound}");
    }
}

/// Refused in one line or read; never a panic, and nothing that is not finite.
fn survive(what: &str, bytes: &[u8]) {
    let start = Instant::now();
    match bvh::read(&String::from_utf8_lossy(bytes), Path::new("walk.bvh"), None) {
        Ok(character) => {
            let nodes = character.skeleton.nodes.iter();
            assert!(nodes.map(|n| n.rest).all(|r| r.translation.is_finite()), "{what}");
            let _ = sinew::puppet::Puppet::new(character, 0);
        }
        Err(error) => {
            let line = error.to_string();
            assert!(line.starts_with("walk.bvh: line ") && !line.contains('\n'), "{what}: {line}");
        }
    }
    assert!(start.elapsed() < Duration::from_secs(2), "{what}: {:?}", start.elapsed());
}

#[test]
fn bytes_changed_or_cut_off_are_survived() {
    let mut texts = vec![ODD.as_bytes().to_vec()];
    texts.extend(files().iter().map(|path| std::fs::read(path).unwrap()));
    let mut random = Random(7);
    for (file, original) in texts.iter().enumerate() {
        // The hierarchy is where a change does most.
        let original = &original[..original.len().min(20_000)];
        for i in 0..300 {
            let mut bytes = original.to_vec();
            for _ in 0..=i % 3 {
                let at = random.below(if i % 2 == 0 { bytes.len() } else { bytes.len().min(3000) });
                let signs = b"{}\n 0-9.eEnN:\xFF";
                bytes[at] = if i % 5 == 0 {
                    random.next().to_le_bytes()[0]
                } else {
                    signs[random.below(signs.len())]
                };
            }
            survive(&format!("file {file}, change {i}"), &bytes);
            let cut = random.below(original.len());
            survive(&format!("file {file} cut at {cut}"), &original[..cut]);
        }
    }
}

#[test]
fn files_are_known_by_their_ending_or_their_first_word() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("asset-bvh");
    std::fs::create_dir_all(&folder).unwrap();
    let text = single("1 Xrotation", "Frames: 1\nFrame Time: 1\n90\n");
    for (name, text) in [("a.BVH", text.clone()), ("capture.txt", format!("\u{FEFF}\n {text}"))] {
        std::fs::write(folder.join(name), text).unwrap();
        assert_eq!(load(&folder.join(name)).unwrap().clips.len(), 1, "{name}");
    }
    std::fs::write(folder.join("b.bvh"), b"\x00\xFF").unwrap();
    let line = load(&folder.join("b.bvh")).unwrap_err().to_string();
    assert!(line.ends_with("b.bvh: line 1: \"\\0\u{FFFD}\" where HIERARCHY begins"), "{line}");
}
