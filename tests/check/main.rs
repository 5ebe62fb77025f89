//! Checks that faults added to clips are found and repaired, and that nothing else is changed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "tools/programs/check_corpus.rs uses more of the corpus")]
#![allow(unreachable_pub, reason = "the program uses the corpus, too")]

mod corpus;

use std::path::Path;

use corpus::{Corpus, Source};
use glam::{Quat, Vec3};
use sinew::asset::{self, Channel, Character, Clip, Interpolation, Values};
use sinew::check::mend::mend;
use sinew::check::{Check, CheckOptions, Checker, ClipReport, Looping};
use sinew::rig;

fn check(character: &Character, clip: &Clip, options: &CheckOptions) -> ClipReport {
    let rig = rig::detect(character);
    Checker::new(character, &rig).check(clip, options).unwrap()
}

/// Changes the rotation keys of a joint. `change` receives the index of a key and the number of keys.
fn turned(character: &Character, clip: usize, joint: &str, change: impl Fn(usize, usize) -> Quat) -> Clip {
    let mut clip = character.clips[clip].clone();
    let node = character.skeleton.find(joint).unwrap();
    for channel in clip.channels.iter_mut().filter(|c| c.node == node) {
        if let Values::Rotation(values) = &mut channel.values {
            let count = values.len();
            values.iter_mut().enumerate().for_each(|(i, q)| *q *= change(i, count));
        }
    }
    clip
}

#[test]
fn faults_of_the_built_in_character_are_found_and_repaired() {
    let sources = [Source::new("built-in", asset::mannequin().unwrap(), None)];
    let corpus = Corpus::choose(&sources, 5);
    assert_eq!(corpus.len(), 5);
    for seed in 1..4 {
        let results = corpus.measure(seed);
        let details = results.details.join("\n");
        assert!(results.kinds() >= 10, "{}", results.table());
        assert_eq!(results.recall(), 1.0, "seed {seed}\n{details}");
        assert!(results.false_alarms() <= 0.01, "seed {seed}\n{details}");
        assert!(results.repaired() >= 0.95, "seed {seed}\n{details}");
        let (degrees, millimetres) = results.mean_distance();
        assert!(degrees < 1.0 && millimetres < 20.0, "seed {seed}: {degrees}°, {millimetres} mm");
    }
}

#[test]
fn faults_of_characters_from_other_sources_are_found() {
    let Some(folder) = sinew_testkit::external("models/kaykit-char/anim") else { return };
    let load = |name: &str| Source::new(name, asset::load(&folder.join(name)).unwrap(), None);
    let sources = ["Med_General.glb", "Med_MovementBasic.glb"].map(load);
    let results = Corpus::choose(&sources, 6).measure(1);
    let details = results.details.join("\n");
    assert!(results.recall() >= 0.98 && results.false_alarms() <= 0.02, "{details}\n{}", results.table());
}

/// A part of a clip that was played as a loop without its root motion.
#[test]
fn a_root_that_jumps_is_found() {
    let character = asset::mannequin().unwrap();
    let hips = character.skeleton.find("hips").unwrap();
    let mut walk = character.clips[2].clone();
    assert!(check(&character, &walk, &CheckOptions::default()).passed());
    for channel in walk.channels.iter_mut().filter(|c| c.node == hips) {
        if let Values::Translation(values) = &mut channel.values {
            let middle = values.len() / 2;
            values.iter_mut().skip(middle).for_each(|v| v.z += 0.7);
        }
    }
    let report = check(&character, &walk, &CheckOptions::default());
    let jumps: Vec<_> = report.errors(Check::Jump).collect();
    assert!(
        matches!(jumps[..], [jump] if jump.node == Some(hips) && (jump.value - 0.7).abs() < 0.05),
        "{jumps:?}"
    );
    assert!(jumps[0].text.starts_with("jumps by "), "{}", jumps[0].text);
}

/// Regression: joints that never move caused a clip to be classified as a loop, so the rotation of a leg was undone.
#[test]
fn joints_that_never_move_have_no_vote() {
    let character = asset::mannequin().unwrap();
    let clip = |joints: &[&str]| {
        let channel = |joint: &&str| {
            let node = character.skeleton.find(joint).unwrap();
            let rest = character.skeleton.nodes[node].rest.rotation;
            let values = Values::Rotation(vec![rest, rest * Quat::from_rotation_x(0.9)]);
            Channel { node, timeline: 0, interpolation: Interpolation::Linear, values }
        };
        let channels = joints.iter().map(channel).collect();
        Clip { seconds: 1.0, timelines: vec![vec![0.0, 1.0]], channels, ..Clip::default() }
    };
    let options = CheckOptions::default();
    let step = clip(&["leftUpperLeg", "rightUpperLeg"]);
    assert_eq!(check(&character, &step, &options).errors(Check::SeamRotation).count(), 0);
    let always = options.with_looping(Looping::Always);
    assert_eq!(check(&character, &step, &always).errors(Check::SeamRotation).count(), 1);
}

#[test]
fn a_large_seam_is_closed_only_if_the_clip_is_said_to_be_a_loop() {
    let character = asset::mannequin().unwrap();
    let rig = rig::detect(&character);
    let checker = Checker::new(&character, &rig);
    let seam = |angle: f32, looping: Looping| {
        let part = |i: usize, n: usize| i as f32 / (n - 1) as f32;
        let clip = turned(&character, 2, "head", |i, n| Quat::from_rotation_y(angle * part(i, n)));
        let mended = mend(&checker, &clip, &CheckOptions::default().with_looping(looping)).unwrap();
        assert_eq!(mended.before.errors(Check::SeamRotation).count(), 1, "{angle}");
        mended.after.errors(Check::SeamRotation).count()
    };
    assert_eq!(
        [seam(0.4, Looping::Detect), seam(0.8, Looping::Detect), seam(0.8, Looping::Always)],
        [0, 1, 0]
    );
}

#[test]
fn the_same_clip_has_the_same_report() {
    let character = asset::mannequin().unwrap();
    let rig = rig::detect(&character);
    for clip in &character.clips {
        let report = || {
            let report = Checker::new(&character, &rig).check(clip, &CheckOptions::default()).unwrap();
            (report.findings, report.curves)
        };
        assert_eq!(report(), report());
    }
}

/// A character in centimetres has the same findings as one in metres.
#[test]
fn reports_do_not_depend_on_the_size_of_the_character() {
    let character = asset::mannequin().unwrap();
    let faulty =
        turned(&character, 2, "head", |i, n| Quat::from_rotation_y(if i == n / 2 { 0.4 } else { 0.0 }));
    let mut large = character.clone();
    large.clips = vec![faulty.clone()];
    for node in &mut large.skeleton.nodes {
        node.rest.translation *= 100.0;
    }
    for channel in large.clips.iter_mut().flat_map(|c| &mut c.channels) {
        if let Values::Translation(values) = &mut channel.values {
            values.iter_mut().for_each(|v| *v *= 100.0);
        }
    }
    for mesh in &mut large.meshes {
        mesh.primitives.iter_mut().flat_map(|p| &mut p.positions).for_each(|p| *p *= 100.0);
    }
    for matrix in large.skins.iter_mut().flat_map(|s| &mut s.joint_from_mesh) {
        matrix.translation *= 100.0;
    }
    let of = |report: ClipReport| -> Vec<(Check, Option<usize>)> {
        report.findings.iter().map(|f| (f.check, f.node)).collect()
    };
    let small = of(check(&character, &faulty, &CheckOptions::default()));
    assert!(small.iter().any(|(check, _)| *check == Check::Jerk));
    assert_eq!(small, of(check(&large, &large.clips[0], &CheckOptions::default())));
}

#[test]
fn characters_without_legs_have_all_other_checks() {
    let tentacle = asset::load(Path::new("assets/tentacle.glb")).unwrap();
    let report = check(&tentacle, &tentacle.clips[0], &CheckOptions::default());
    let reason =
        |check: Check| report.not_applied.iter().find(|n| n.check == check).map(|n| n.reason.as_str());
    assert_eq!(reason(Check::FootSlide), Some("the character has no recognised legs"));
    assert_eq!(reason(Check::Jerk), None);
    let node = tentacle.clips[0].channels[0].node;
    let joint = tentacle.skeleton.label(node);
    let flipped =
        turned(&tentacle, 0, &joint, |i, n| Quat::from_rotation_x(if i == n / 2 { 3.0 } else { 0.0 }));
    let report = check(&tentacle, &flipped, &CheckOptions::default());
    assert!(report.errors(Check::Flip).any(|f| f.node == Some(node)), "{:?}", report.findings);
}

#[test]
fn hostile_clips_are_checked_without_a_panic() {
    let character = asset::mannequin().unwrap();
    let channel = |values| Channel { node: 1, timeline: 0, interpolation: Interpolation::Linear, values };
    let clip = |times: Vec<f32>, values: Values| Clip {
        seconds: times.last().copied().unwrap_or(0.0),
        timelines: vec![times],
        channels: vec![channel(values)],
        ..Clip::default()
    };
    let clips = [
        Clip::default(),
        clip(vec![0.0], Values::Translation(vec![Vec3::ZERO])),
        clip(vec![0.0, 0.0], Values::Rotation(vec![Quat::IDENTITY; 2])),
        clip(vec![0.0, f32::NAN], Values::Rotation(vec![Quat::IDENTITY; 2])),
        clip(vec![0.0, 1.0], Values::Translation(vec![Vec3::splat(f32::NAN); 2])),
        clip(vec![0.0, 1.0], Values::Rotation(vec![Quat::from_xyzw(0.0, 0.0, 0.0, 0.0); 2])),
        clip(vec![0.0, 1e-30], Values::Scale(vec![Vec3::ZERO; 2])),
        clip(vec![0.0, 1.0], Values::Translation(vec![Vec3::ZERO, Vec3::splat(1e30)])),
    ];
    let rig = rig::detect(&character);
    let checker = Checker::new(&character, &rig);
    for clip in &clips {
        for looping in [Looping::Detect, Looping::Always] {
            let options = CheckOptions::default().with_looping(looping);
            checker.check(clip, &options).unwrap();
            mend(&checker, clip, &options).unwrap();
        }
    }
    let endless = clip(vec![0.0, 1e9], Values::Translation(vec![Vec3::ZERO; 2]));
    assert!(checker.check(&endless, &CheckOptions::default()).is_err());
}

#[test]
fn a_limit_of_a_check_can_be_changed() {
    let character = asset::mannequin().unwrap();
    let faulty =
        turned(&character, 2, "head", |i, n| Quat::from_rotation_y(if i == n / 2 { 0.4 } else { 0.0 }));
    let with = |limit: f64| CheckOptions::default().with_limits([(Check::Jerk, limit)].into());
    assert!(!check(&character, &faulty, &with(10.0)).passed());
    assert!(check(&character, &faulty, &with(40.0)).passed());
    let skipped = CheckOptions::default().with_skip([Check::Jerk].into());
    assert!(check(&character, &faulty, &skipped).passed());
}
