//! Writes BVH files, and checks that they are read back without loss.

use std::path::Path;

use glam::{Affine3A, Quat, Vec3};
use sinew::asset::{Channel, Character, Clip, Interpolation, Values, bvh as file, gltf, load, mannequin};
use sinew::export::bvh;
use sinew::motion::{Playhead, Tolerance, reduce};
use sinew::pose::{Pose, world_matrices};

use crate::asset::bvh::{files, read};
use sinew_testkit::external;

/// Returns the pose of a clip at a time, and its world matrices.
fn posed(character: &Character, clip: &Clip, time: f32) -> (Pose, Vec<Affine3A>) {
    let (mut pose, mut world) = (Pose::rest(&character.skeleton), Vec::new());
    Playhead::default().sample(clip, time, &character.skeleton, &mut pose);
    world_matrices(&character.skeleton, &pose, &mut world);
    (pose, world)
}

/// Returns the longest side of the skeleton's bounds at rest.
fn size(character: &Character) -> f32 {
    let mut world = Vec::new();
    world_matrices(&character.skeleton, &Pose::rest(&character.skeleton), &mut world);
    let positions = || world.iter().map(|w| Vec3::from(w.translation));
    (positions().reduce(Vec3::max).unwrap() - positions().reduce(Vec3::min).unwrap()).max_element()
}

fn angle(a: Quat, b: Quat) -> f64 {
    let (a, b) = (a.as_dquat().normalize(), b.as_dquat().normalize());
    let b = if a.dot(b) < 0.0 { -b } else { b };
    2.0 * (a - b).length().atan2((a + b).length()) * 2.0
}

fn shape(character: &Character) -> Vec<(Option<&str>, Option<usize>)> {
    character.skeleton.nodes.iter().map(|n| (n.name.as_deref(), n.parent)).collect()
}

/// Returns the numbers of each line of a file's motion.
fn rows(text: &str) -> Vec<Vec<f64>> {
    let motion = text.lines().skip_while(|l| !l.starts_with("Frame Time")).skip(1);
    motion.map(|l| l.split(' ').map(|n| n.parse().unwrap()).collect()).collect()
}

#[test]
fn whole_files_survive_a_round_trip() {
    for path in files() {
        let first = load(&path).unwrap();
        let clip = &first.clips[0];
        let fps = bvh::rate(clip).unwrap_or(30.0);
        let written = bvh::write(&first, clip, fps, first.units.unwrap()).unwrap();
        assert!(written.warnings.is_empty());
        let reread = file::read(&written.text, &path, first.units).unwrap();
        assert!(reread.warnings.is_empty(), "{:?}", reread.warnings);
        assert_eq!(shape(&first), shape(&reread), "{}", path.display());
        let reread_clip = &reread.clips[0];
        assert_eq!(clip.timelines, reread_clip.timelines);
        let step =
            |text: &str| text.lines().find_map(|l| l.strip_prefix("Frame Time:")?.trim().parse::<f64>().ok());
        if clip.timelines[0].len() > 1 {
            assert_eq!(
                step(&std::fs::read_to_string(&path).unwrap()),
                step(&written.text),
                "{}",
                path.display()
            );
        }
        let near = 1e-5 * size(&first);
        for &time in &clip.timelines[0] {
            let ((a, world_a), (b, world_b)) = (posed(&first, clip, time), posed(&reread, reread_clip, time));
            for (node, (a, b)) in a.locals.iter().zip(&b.locals).enumerate() {
                let label = first.skeleton.label(node);
                assert!(angle(a.rotation, b.rotation) < 1e-5, "{label} at {time}: {a:?} {b:?}");
                assert!(a.translation.distance(b.translation) < near, "{label} at {time}: {a:?} {b:?}");
            }
            for (a, b) in world_a.iter().zip(&world_b) {
                assert!(a.translation.distance(b.translation) < near, "{time}");
            }
        }
        for pair in rows(&written.text).windows(2) {
            for (a, b) in pair[0].iter().zip(&pair[1]).skip(3) {
                assert!((a - b).abs() < 180.0, "{}: from {a} to {b}", path.display());
            }
        }
    }
}

/// Compares the world positions of joints with joints of the same name in a written file.
fn compare(character: &Character, clip: &Clip, text: &str, near: f32) {
    let reread = read(text).unwrap();
    let frames = reread.clips[0].timelines[0].clone();
    assert!(frames.len() > 1);
    for (frame, time) in frames.into_iter().enumerate() {
        let ((_, a), (_, b)) = (posed(character, clip, time), posed(&reread, &reread.clips[0], time));
        for (node, name) in
            reread.skeleton.nodes.iter().enumerate().filter_map(|(n, j)| Some((n, j.name.as_deref()?)))
        {
            let Some(source) = character.skeleton.find(name) else { continue };
            let (from, to) = (a[source].translation, b[node].translation);
            assert!(from.distance(to) < near, "{name} in frame {frame}: {from} {to}");
        }
    }
}

#[test]
fn clips_of_the_mannequin_survive_a_round_trip() {
    let character = mannequin().unwrap();
    for clip in &character.clips {
        let written = bvh::write(&character, clip, 30.0, 1.0).unwrap();
        assert!(written.warnings.is_empty(), "{:?}", written.warnings);
        compare(&character, clip, &written.text, 2e-5);
    }
}

/// The file has two roots below a node with scale and rotation, a joint that moves away from its offset, and a joint
/// with scale.
#[test]
fn parent_transforms_and_moving_offsets_are_written() {
    let json = serde_json::json!({"asset": {"version": "2.0"}, "nodes": [
        {"name": "armature", "scale": [0.01, 0.01, 0.01], "rotation": [-0.5, 0.5, 0.5, 0.5], "children": [1, 4]},
        {"name": "a", "translation": [10.0, 20.0, 30.0], "rotation": [0.0, 0.6, 0.0, 0.8], "children": [2]},
        {"name": "b", "translation": [0.0, 50.0, 0.0], "rotation": [0.8, 0.0, 0.0, 0.6], "children": [3]},
        {"name": "b_end", "translation": [0.0, 40.0, 0.0]},
        {"name": "c", "translation": [-30.0, 0.0, 0.0], "scale": [-1.0, 1.0, 1.0], "children": [5]},
        {"name": "d {\n", "translation": [10.0, 0.0, 5.0]},
        {"name": "other", "translation": [1.0, 1.0, 1.0]},
    ], "scenes": [{"nodes": [0, 6]}]});
    let character = gltf::load_bytes(Path::new("a.gltf"), json.to_string().as_bytes(), None).unwrap();
    let channel = |node, values| Channel { node, timeline: 0, interpolation: Interpolation::Linear, values };
    let turn =
        |axis: Vec3| Values::Rotation(vec![Quat::IDENTITY, Quat::from_axis_angle(axis.normalize(), 2.0)]);
    let clip = Clip {
        name: None,
        seconds: 0.5,
        timelines: vec![vec![0.0, 0.5]],
        channels: vec![
            channel(1, turn(Vec3::new(1.0, 2.0, 3.0))),
            channel(2, turn(Vec3::new(-1.0, 0.0, 3.0))),
            channel(2, Values::Translation(vec![Vec3::new(0.0, 50.0, 0.0), Vec3::new(9.0, 40.0, 0.0)])),
            channel(4, turn(Vec3::Z)),
            channel(5, Values::Scale(vec![Vec3::ONE, Vec3::splat(2.0)])),
        ],
        ..Clip::default()
    };
    let written = bvh::write(&character, &clip, 20.0, 1.0).unwrap();
    assert_eq!(
        written.warnings,
        ["BVH cannot store scale; animated scales (nodes: 1, first: \"d {\\n\") only affect joint positions"]
    );
    let reread = read(&written.text).unwrap();
    let names: Vec<_> = reread.skeleton.nodes.iter().map(|n| n.name.clone().unwrap()).collect();
    assert_eq!(names, ["armature", "a", "b", "b_end", "c", "d _", "d __end", "other", "other_end"]);
    let six = written.text.matches("CHANNELS 6").count();
    // Both roots, and the joint that moves away from its offset, have position channels.
    assert_eq!(six, 3, "{}", written.text);
    compare(&character, &clip, &written.text, 1e-6);
}

#[test]
fn angles_are_continuous_past_half_a_turn_and_gimbal_lock() {
    let text =
        "HIERARCHY ROOT a { OFFSET 0 0 0 JOINT b { OFFSET 0 1 0 CHANNELS 3 Zrotation Xrotation Yrotation } }
        MOTION\nFrames: 73\nFrame Time: 0.1\n";
    for axis in 0..3 {
        let mut motion = text.to_owned();
        for frame in 0..73 {
            let mut angles = [20.0, 0.0, 10.0];
            angles[axis] = f64::from(frame) * 10.0;
            motion += &format!("{} {} {}\n", angles[0], angles[1], angles[2]);
        }
        let character = read(&motion).unwrap();
        let written = bvh::write(&character, &character.clips[0], 10.0, 1.0).unwrap();
        for (frame, pair) in rows(&written.text).windows(2).enumerate() {
            // The first six numbers belong to the root.
            for (a, b) in pair[0].iter().zip(&pair[1]).skip(6) {
                assert!((a - b).abs() < 11.0, "about axis {axis}, frame {frame}: from {a} to {b}");
            }
        }
        let last = rows(&written.text)[72][6 + axis];
        assert!((last - 720.0).abs() < 1e-3, "about axis {axis}: {last}");
    }
}

#[test]
fn clips_that_cannot_be_written_are_refused() {
    let character = mannequin().unwrap();
    let clip = &character.clips[0];
    let refusal = |fps, units| bvh::write(&character, clip, fps, units).unwrap_err().to_string();
    let range = "is out of range; must be from 0.000001 to 1000000 frames per second";
    assert_eq!(refusal(0.0, 1.0), format!("frame rate 0 {range}"));
    assert_eq!(refusal(f64::NAN, 1.0), format!("frame rate NaN {range}"));
    assert_eq!(refusal(30.0, -1.0), "length unit -1 m is invalid; must be greater than 0");
    assert!(refusal(1e6, 1.0).ends_with("joints are too many for a BVH file"));
    let nothing = bvh::write(&Character::default(), &Clip::default(), 30.0, 1.0).unwrap_err();
    assert_eq!(nothing, bvh::BvhError::NoJoint);
}

#[test]
fn the_detected_frame_rate_has_the_fewest_digits() {
    let clip =
        |times: Vec<f32>| Clip { seconds: *times.last().unwrap(), timelines: vec![times], ..Clip::default() };
    for step in [0.008_333_3, 0.033_333, 1.0 / 30.0, 0.04, 1.0 / 120.0] {
        let times: Vec<f32> = (0..500).map(|i| (f64::from(i) * step) as f32).collect();
        let found = 1.0 / bvh::rate(&clip(times)).unwrap();
        assert!((found - step).abs() < 1e-9, "{step}: {found}");
    }
    for times in [vec![0.0], vec![0.0, 0.1, 0.3], vec![0.1, 0.2], vec![0.0, 0.0]] {
        assert_eq!(bvh::rate(&clip(times)), None);
    }
}

#[test]
fn reducing_keys_keeps_a_walk_within_the_tolerance() {
    let mannequin = mannequin().unwrap();
    let walk = mannequin.clips.iter().find(|c| c.name.as_deref() == Some("walk")).unwrap();
    check_reduced_keys(&read(&bvh::write(&mannequin, walk, 120.0, 1.0).unwrap().text).unwrap());
    if let Some(path) = external("models/bvh/pybvh/cmu_12_01_walk.bvh") {
        check_reduced_keys(&load(&path).unwrap());
    }
}

/// Checks that a larger tolerance leaves fewer keys in the first clip, and that the motion stays within the tolerance.
fn check_reduced_keys(character: &Character) {
    let clip = &character.clips[0];
    let keys = |clip: &Clip| clip.channels.iter().map(|c| clip.timelines[c.timeline].len()).sum::<usize>();
    let mut before = keys(clip);
    for error in [1e-4, 1e-3, 1e-2] {
        let tolerance = Tolerance { rotation: error, translation: error, ..Tolerance::default() };
        let reduced = reduce(clip, &character.skeleton, tolerance);
        let left = keys(&reduced);
        assert!(left < before * 9 / 10, "{left} of {before}");
        before = left;
        for time in (0..1000).map(|i| clip.seconds * i as f32 / 1000.0) {
            let ((a, _), (b, _)) = (posed(character, clip, time), posed(character, &reduced, time));
            for (a, b) in a.locals.iter().zip(&b.locals) {
                let deviation =
                    f64::from(a.translation.distance(b.translation)).max(angle(a.rotation, b.rotation));
                assert!(deviation < f64::from(error) * 1.001 + 1e-6, "at {time}: {a:?} {b:?}");
            }
        }
    }
}
