//! Tests of motions with the mannequin, and with a variant of it that has root motion.

use glam::Vec3;

use crate::asset::{Character, Values, mannequin};
use crate::pose::{Pose, world_matrices};
use crate::rig::Foot;

use super::{
    Contact, ContactConstraint, Edit, Layer, Motion, Player, Playhead, Recorder, RootMotion, Strip,
    WeightedClip,
};

/// Speeds of the mannequin's clips in metres per second, measured from the feet on the ground.
const WALK: f32 = 0.54 / 0.6;
const RUN: f32 = 0.62 / (0.36 * 0.7);

fn clip(character: &Character, name: &str) -> usize {
    character.clips.iter().position(|c| c.name.as_deref() == Some(name)).unwrap()
}

fn feet(character: &Character) -> Vec<usize> {
    ["leftFoot", "rightFoot"].map(|name| character.skeleton.find(name).unwrap()).to_vec()
}

/// The mannequin with root motion added to its clips `walk` and `run`.
fn walker() -> (Character, Vec<usize>) {
    let mut character = mannequin().unwrap();
    let hips = character.skeleton.find("hips").unwrap();
    for name in ["walk", "run"] {
        let walk = clip(&character, name);
        let motion = &mut character.clips[walk];
        let positions = motion.channels.iter_mut().find_map(|c| match &mut c.values {
            Values::Translation(positions) if c.node == hips => Some((c.timeline, positions)),
            _ => None,
        });
        let (timeline, positions) = positions.unwrap();
        let speed = if name == "run" { RUN } else { WALK };
        positions.iter_mut().zip(&motion.timelines[timeline]).for_each(|(p, t)| p.z += speed * t);
    }
    let feet = feet(&character);
    (character, feet)
}

fn pose_at(player: &mut Player, character: &Character, feet: &[usize], motion: &Motion, time: f32) -> Pose {
    let (mut pose, mut contacts) = (Pose::rest(&character.skeleton), Vec::new());
    let feet: Vec<Foot> = feet.iter().copied().map(Foot::joint).collect();
    player.pose(character, motion, &feet, time, &mut pose, &mut contacts);
    pose
}

fn hips(character: &Character, pose: &Pose) -> Vec3 {
    let mut world = Vec::new();
    world_matrices(&character.skeleton, pose, &mut world);
    world[character.skeleton.find("hips").unwrap()].translation.into()
}

fn frames(seconds: f32) -> impl Iterator<Item = f32> {
    (0..=(seconds * 60.0) as u32).map(|i| i as f32 / 60.0)
}

#[test]
fn a_single_clip_is_played_unchanged() {
    let character = mannequin().unwrap();
    for index in 0..character.clips.len() {
        let (motion, mut player, mut playhead) =
            (Motion::clip(index), Player::default(), Playhead::default());
        for time in [-1.0, 0.0, 0.1, 0.333, 0.77, 100.0] {
            let mut expected = Pose::rest(&character.skeleton);
            playhead.sample(&character.clips[index], time, &character.skeleton, &mut expected);
            assert_eq!(pose_at(&mut player, &character, &[], &motion, time), expected, "{index} at {time}");
        }
    }
}

#[test]
fn poses_do_not_depend_on_the_order_of_calls() {
    let (character, feet) = walker();
    let strip = |name, start| Strip {
        start,
        looping: true,
        seconds: Some(2.0),
        ..Strip::new(clip(&character, name))
    };
    let motion =
        Motion { strips: vec![strip("walk", 0.0), strip("run", 1.5)], plant: true, ..Motion::default() };
    let (mut one, mut other) = (Player::default(), Player::default());
    let times = [0.1, 1.7, 0.4, 3.0, 1.9];
    let forward: Vec<Pose> =
        times.iter().map(|&t| pose_at(&mut one, &character, &feet, &motion, t)).collect();
    let backward: Vec<Pose> =
        times.iter().rev().map(|&t| pose_at(&mut other, &character, &feet, &motion, t)).collect();
    assert!(forward.iter().eq(backward.iter().rev()));
}

#[test]
fn a_blend_of_a_clip_with_itself_is_the_clip() {
    let (character, feet) = walker();
    let walk = clip(&character, "walk");
    let weighted = |weight| WeightedClip { clip: walk, weight };
    let strip = Strip { clips: vec![weighted(0.3), weighted(2.0)], ..Strip::new(walk) };
    let motion = Motion { strips: vec![strip], ..Motion::default() };
    let (mut player, mut alone) = (Player::default(), Player::default());
    for time in frames(1.0) {
        let blended = pose_at(&mut player, &character, &feet, &motion, time);
        let expected = pose_at(&mut alone, &character, &feet, &Motion::clip(walk), time);
        for (a, b) in blended.locals.iter().zip(&expected.locals) {
            assert!(a.rotation.angle_between(b.rotation) < 1e-3, "{time}");
            assert!(a.translation.distance(b.translation) < 1e-4, "{time}");
        }
    }
}

/// Returns a cyclic clip that begins at another phase, with 240 keys.
fn shifted(character: &Character, clip: usize, phase: f32) -> crate::asset::Clip {
    let seconds = character.clips[clip].seconds;
    let strip = Strip { from: phase * seconds, looping: true, ..Strip::new(clip) };
    let motion = Motion { strips: vec![strip], ..Motion::default() };
    let (mut player, mut recorder) = (Player::default(), Recorder::new(&character.skeleton));
    for key in 0..=240_u8 {
        let time = seconds * f32::from(key) / 240.0;
        recorder.push(f64::from(time), &pose_at(&mut player, character, &[], &motion, time));
    }
    recorder.clip(&character.skeleton, None).unwrap()
}

/// Regression: a foot strike shortly before the seam of a cycle was mistaken for one at the seam, so blended clips were out of step.
#[test]
fn a_blend_does_not_depend_on_where_its_cycles_begin() {
    let (mut character, feet) = walker();
    for name in ["walk", "run"] {
        let clip = clip(&character, name);
        let seconds = character.clips[clip].seconds;
        for ninth in 1..9_u8 {
            let phase = f32::from(ninth) / 9.0;
            let other = shifted(&character, clip, phase);
            character.clips.push(other);
            let both = [clip, character.clips.len() - 1].map(|clip| WeightedClip { clip, weight: 0.5 });
            let blend = Strip { clips: both.to_vec(), looping: true, ..Strip::new(clip) };
            // The strikes of the blend are halfway between the strikes of both clips.
            let ahead = 0.5 * (phase - phase.round()) * seconds;
            let alone = Strip { from: ahead.rem_euclid(seconds), looping: true, ..Strip::new(clip) };
            let [blend, alone] = [blend, alone].map(|s| Motion { strips: vec![s], ..Motion::default() });
            let (mut player, mut expected) = (Player::default(), Player::default());
            let mut worst = 0.0_f32;
            for time in frames(seconds) {
                let blended = pose_at(&mut player, &character, &feet, &blend, time);
                let single = pose_at(&mut expected, &character, &feet, &alone, time);
                let pairs = blended.locals.iter().zip(&single.locals);
                worst = pairs.map(|(a, b)| a.rotation.angle_between(b.rotation)).fold(worst, f32::max);
            }
            assert!(worst.to_degrees() < 1.0, "{name} {phase}: {}°", worst.to_degrees());
            character.clips.pop();
        }
    }
}

#[test]
fn length_and_root_motion_of_a_blend_are_weighted_means() {
    let (character, feet) = walker();
    let (walk, run) = (clip(&character, "walk"), clip(&character, "run"));
    let strip = Strip {
        clips: vec![WeightedClip { clip: walk, weight: 1.0 }, WeightedClip { clip: run, weight: 1.0 }],
        looping: true,
        seconds: Some(4.0),
        ..Strip::new(walk)
    };
    let cycle = strip.cycle_seconds(&character.clips);
    let mean = 0.5 * (character.clips[walk].seconds + character.clips[run].seconds);
    assert!((cycle - mean).abs() < 1e-6);
    let motion = Motion { strips: vec![strip], ..Motion::default() };
    let mut player = Player::default();
    let displacement = hips(&character, &pose_at(&mut player, &character, &feet, &motion, 2.0 * cycle))
        - hips(&character, &pose_at(&mut player, &character, &feet, &motion, 0.0));
    let distance = |clip: usize, speed: f32| speed * character.clips[clip].seconds;
    let expected = distance(walk, WALK) + distance(run, RUN);
    assert!((displacement.z - expected).abs() < 0.01 * expected, "{displacement} {expected}");
}

#[test]
fn a_loop_accumulates_root_motion_or_stays_in_place() {
    let (character, feet) = walker();
    let walk = clip(&character, "walk");
    for speed in [1.0_f32, -1.5] {
        let strip = Strip { looping: true, seconds: Some(3.5), speed, ..Strip::new(walk) };
        let accumulated = Motion { strips: vec![strip.clone()], ..Motion::default() };
        let in_place =
            Motion { strips: vec![Strip { root_motion: RootMotion::InPlace, ..strip }], ..Motion::default() };
        let (mut a, mut b) = (Player::default(), Player::default());
        let mut before: Option<Vec3> = None;
        let start = hips(&character, &pose_at(&mut b, &character, &feet, &in_place, 0.0));
        for time in frames(3.5) {
            let now = hips(&character, &pose_at(&mut a, &character, &feet, &accumulated, time));
            let step = before.map_or(WALK / 60.0 * speed, |b| now.z - b.z);
            assert!((step * 60.0 - WALK * speed).abs() < 0.45 * speed.abs(), "{time}: {}", step * 60.0);
            before = Some(now);
            let position = hips(&character, &pose_at(&mut b, &character, &feet, &in_place, time));
            assert!((position - start).with_y(0.0).length() < 0.1, "{time}: {position}");
        }
    }
}

/// Regression: a strip that began within its clip lasted as long as the whole clip. A strip that was longer than its clip kept removing
/// root motion from its last pose, so the figure slid.
#[test]
fn a_part_of_a_clip_ends_with_it_and_then_stands_still() {
    let (character, feet) = walker();
    let walk = clip(&character, "walk");
    let whole = character.clips[walk].seconds;
    let part = |speed| Strip { from: 0.25, speed, ..Strip::new(walk) };
    assert!((part(0.5).length(&character.clips) - 2.0 * (whole - 0.25)).abs() < 1e-6);
    assert!((part(-1.0).length(&character.clips) - 0.25).abs() < 1e-6);
    assert_eq!(Strip { looping: true, ..part(1.0) }.length(&character.clips), whole);
    assert_eq!(Strip { from: 9.0, ..part(1.0) }.length(&character.clips), 0.0);
    let both = [walk, clip(&character, "run")].map(|clip| WeightedClip { clip, weight: 0.5 });
    for (root_motion, speed) in
        [(RootMotion::InPlace, 1.0), (RootMotion::InPlace, -1.0), (RootMotion::Accumulate, 1.0)]
    {
        for clips in [&both[..1], &both] {
            let strip = Strip { clips: clips.to_vec(), root_motion, seconds: Some(4.0), ..part(speed) };
            let motion = Motion { strips: vec![strip], ..Motion::default() };
            let mut player = Player::default();
            let end = pose_at(&mut player, &character, &feet, &motion, 2.0);
            assert_eq!(end, pose_at(&mut player, &character, &feet, &motion, 3.9), "{motion:?}");
        }
    }
}

/// Regression: each round of a loop began where the first round had begun, so a walking figure jumped back.
#[test]
fn rounds_continue_where_the_last_one_ended() {
    let (character, feet) = walker();
    let walk = clip(&character, "walk");
    let part = Strip { from: 0.25, ..Strip::new(walk) };
    for strip in
        [Strip::new(walk), Strip { looping: true, ..part.clone() }, Strip { seconds: Some(0.5), ..part }]
    {
        let motion = Motion { strips: vec![strip.clone()], plant: true, ..Motion::default() };
        let round = motion.seconds(&character.clips);
        let mut player = Player::default();
        player.looping = true;
        let mut at = |time| hips(&character, &pose_at(&mut player, &character, &feet, &motion, time));
        let (start, end) = (at(0.0), at(round));
        for rounds in [-2.0_f32, 1.0, 3.0] {
            let (before, after) = (at(rounds * round - 1e-3), at(rounds * round + 1e-3));
            assert!((after - before).with_y(0.0).length() < 0.01, "{strip:?} {rounds}: {before} {after}");
            let travelled = (after - start).z / (end - start).z;
            // The hips twist with each step, so a loop of a single step turns.
            assert!(
                strip.seconds.is_some() || (travelled - rounds).abs() < 0.01,
                "{strip:?} {rounds}: {travelled}"
            );
        }
        let in_place = Strip { root_motion: RootMotion::InPlace, ..strip };
        let motion = Motion { strips: vec![in_place], ..Motion::default() };
        let first = pose_at(&mut player, &character, &feet, &motion, 0.1);
        let later = pose_at(&mut player, &character, &feet, &motion, 0.1 + 5.0 * round);
        let drift = hips(&character, &later) - hips(&character, &first);
        assert!(drift.length() < 1e-3, "{drift}");
    }
}

#[test]
fn joints_turn_at_most_slightly_faster_in_a_transition_than_in_the_clips() {
    let (character, feet) = walker();
    let (walk, run) = (clip(&character, "walk"), clip(&character, "run"));
    // The transition starts at the end of a cycle of the walk, because both clips start with the same foot.
    let cycle = character.clips[walk].seconds;
    let first = Strip { looping: true, seconds: Some(2.0 * cycle + 0.3), ..Strip::new(walk) };
    let second = Strip { looping: true, start: 2.0 * cycle, seconds: Some(2.0), ..Strip::new(run) };
    let motion = Motion { strips: vec![first, second], ..Motion::default() };
    let mut player = Player::default();
    let fastest = |player: &mut Player, from: f32, to: f32| {
        let mut fastest = 0.0_f32;
        let mut before: Option<Pose> = None;
        for i in 0..=((to - from) * 240.0) as u32 {
            let now = pose_at(player, &character, &feet, &motion, from + i as f32 / 240.0);
            if let Some(before) = &before {
                let pairs = before.locals.iter().zip(&now.locals);
                let turn = pairs.map(|(a, b)| a.rotation.angle_between(b.rotation)).fold(0.0, f32::max);
                fastest = fastest.max(turn * 240.0);
            }
            before = Some(now);
        }
        fastest
    };
    let around = fastest(&mut player, 0.0, 2.0 * cycle).max(fastest(&mut player, 2.0 * cycle + 0.3, 4.0));
    let inside = fastest(&mut player, 2.0 * cycle, 2.0 * cycle + 0.3);
    assert!(inside < 1.5 * around, "{inside} rad/s, around {around}");
    // The second strip continues where the first one ends, without a jump.
    let mut positions =
        frames(4.0).map(|t| hips(&character, &pose_at(&mut player, &character, &feet, &motion, t)));
    let mut before = positions.next().unwrap();
    for now in positions {
        assert!(now.distance(before) < 2.0 * RUN / 60.0, "{before} {now}");
        before = now;
    }
}

#[test]
fn an_edit_has_full_weight_at_its_time_and_none_outside_its_window() {
    let (character, feet) = walker();
    let walk = clip(&character, "walk");
    let plain = Motion::clip(walk);
    let mut player = Player::default();
    let from = pose_at(&mut player, &character, &feet, &plain, 0.5);
    let mut to = from.clone();
    let arm =
        character.skeleton.find("left_upper_arm").or(character.skeleton.find("upper_arm_l")).unwrap_or(3);
    to.locals[arm].rotation *= glam::Quat::from_rotation_x(0.8);
    to.locals[character.skeleton.find("hips").unwrap()].translation.y -= 0.1;
    let edit = Edit::between(&from, &to, 0.5, 0.3, 0.2);
    let edited = Motion { edits: vec![edit.clone()], ..plain.clone() };
    let is_near = |a: &Pose, b: &Pose| {
        a.locals.iter().zip(&b.locals).all(|(a, b)| {
            a.rotation.angle_between(b.rotation) < 1e-3 && a.translation.distance(b.translation) < 1e-5
        })
    };
    assert!(is_near(&pose_at(&mut player, &character, &feet, &edited, 0.5), &to));
    for time in [0.0, 0.19, 0.71, 0.9] {
        let bare = pose_at(&mut player, &character, &feet, &plain, time);
        assert_eq!(pose_at(&mut player, &character, &feet, &edited, time), bare, "{time}");
    }
    // Two equal edits double the angle.
    let twice = Motion { edits: vec![edit.clone(), edit], ..plain };
    let rotation = pose_at(&mut player, &character, &feet, &twice, 0.5).locals[arm].rotation;
    let angle = rotation.angle_between(from.locals[arm].rotation);
    assert!((angle - 1.6).abs() < 1e-3, "{angle}");
}

#[test]
fn an_additive_layer_only_affects_the_nodes_of_its_mask() {
    let character = mannequin().unwrap();
    let (walk, wave) = (clip(&character, "walk"), clip(&character, "wave"));
    let arm = (0..character.skeleton.nodes.len()).find(|&n| {
        let animates = |c: &crate::asset::Channel| c.node == n && matches!(c.values, Values::Rotation(_));
        character.clips[wave].channels.iter().any(animates)
    });
    let layer = Layer { clip: wave, weight: 0.5, additive: true, mask: vec![arm.unwrap()], speed: 1.0 };
    let plain = Motion::clip(walk);
    let layered = Motion { layers: vec![layer], ..plain.clone() };
    let mut player = Player::default();
    for time in frames(0.9) {
        let below = pose_at(&mut player, &character, &[], &plain, time);
        let above = pose_at(&mut player, &character, &[], &layered, time);
        for (n, (a, b)) in below.locals.iter().zip(&above.locals).enumerate() {
            assert!(a == b || Some(n) == arm, "{time}: {n}");
        }
    }
}

#[test]
fn planted_feet_stay_where_they_stand() {
    let (character, feet) = walker();
    let walk = clip(&character, "walk");
    let strip = Strip { looping: true, seconds: Some(4.0), ..Strip::new(walk) };
    let motion = Motion { strips: vec![strip], plant: true, ..Motion::default() };
    let feet: Vec<Foot> = feet.into_iter().map(Foot::joint).collect();
    let mut player = Player::default();
    let (mut pose, mut contacts) = (Pose::rest(&character.skeleton), Vec::<ContactConstraint>::new());
    let mut full: Vec<(f32, ContactConstraint)> = Vec::new();
    for time in frames(4.0) {
        pose.reset(&character.skeleton);
        player.pose(&character, &motion, &feet, time, &mut pose, &mut contacts);
        full.extend(contacts.iter().filter(|c| c.weight >= 1.0).map(|c| (time, *c)));
        let mut world = Vec::new();
        world_matrices(&character.skeleton, &pose, &mut world);
        for contact in &contacts {
            let position = Vec3::from(world[contact.node].translation);
            assert!(position.distance(contact.position) < 0.08, "{time}: {contact:?} {position}");
        }
    }
    // Each foot is planted for about half of the time, at a new position with each step.
    for Foot { node: foot, .. } in feet {
        let of_foot = full.iter().filter(|(_, c)| c.node == foot);
        let ratio = of_foot.clone().count() as f32 / 240.0;
        assert!((0.25..0.75).contains(&ratio), "{ratio}");
        let mut positions: Vec<f32> = of_foot.map(|(_, c)| c.position.z).collect();
        positions.dedup_by(|a, b| (*a - *b).abs() < 1e-3);
        assert!(positions.len() >= 3 && positions.windows(2).all(|w| w[1] > w[0] + 0.7), "{positions:?}");
    }
}

/// In the second part of the contact, the figure has walked on by a round.
#[test]
fn a_contact_around_the_end_of_a_loop_stays_behind_a_walking_figure() {
    let (character, feet) = walker();
    let walk = Motion::clip(clip(&character, "walk"));
    let round = walk.seconds(&character.clips);
    let (node, from, to) = (feet[0], round - 0.1, 0.1);
    let contact = Contact { node, point: Vec3::ZERO, from, to, slides: false, on: None };
    let motion = Motion { contacts: vec![contact], ..walk };
    let feet: Vec<Foot> = feet.into_iter().map(Foot::joint).collect();
    for looping in [true, false] {
        let mut player = Player::default();
        player.looping = looping;
        let (mut pose, mut contacts) = (Pose::rest(&character.skeleton), Vec::new());
        let mut place = |time: f32| {
            pose.reset(&character.skeleton);
            player.pose(&character, &motion, &feet, time, &mut pose, &mut contacts);
            let [held] = contacts[..] else { panic!("{time}: {contacts:?}") };
            assert!(held.node == node && held.weight >= 1.0, "{time}: {held:?}");
            held.position
        };
        let [start, end] = [0.05, round - 0.05].map(&mut place);
        assert!((end - start).z > 0.3 && (end.y - start.y).abs() < 1e-4, "{start} {end}");
        let rounds = if looping { 3 } else { 0_u8 };
        for n in 0..rounds {
            let begins = f32::from(n) * round;
            let places = [-0.09, -1e-3, 1e-3, 0.09].map(|time| place(begins + round + time));
            let travelled = f32::from(n) * (end - start);
            assert!(places.iter().all(|at| at.distance(end + travelled) < 1e-3), "{n}: {places:?}");
        }
    }
}

#[test]
fn an_invalid_motion_is_reported_and_not_played() {
    let character = mannequin().unwrap();
    let nan = Motion { strips: vec![Strip { start: f32::NAN, ..Strip::new(0) }], ..Motion::default() };
    assert!(nan.validate().is_err_and(|e| e.to_string().starts_with("strips[0]: ")));
    for (fade_in, error) in [(f32::NAN, "fade_in must be finite"), (-1.0, "fade_in must not be negative")] {
        let faded = Strip { fade_in: Some(fade_in), ..Strip::new(0) };
        let faded = Motion { strips: vec![faded], ..Motion::default() };
        assert!(faded.validate().is_err_and(|e| e.to_string().ends_with(error)));
    }
    assert_eq!(pose_at(&mut Player::default(), &character, &[], &nan, 0.5), Pose::rest(&character.skeleton));
    let unknown = Motion { strips: vec![Strip::new(99)], ..Motion::default() };
    assert!(unknown.validate().is_ok() && !unknown.fits(&character));
    assert_eq!(
        pose_at(&mut Player::default(), &character, &[], &unknown, 0.5),
        Pose::rest(&character.skeleton)
    );
    let endless = Strip { seconds: Some(f32::MAX), looping: true, speed: 1e30, ..Strip::new(0) };
    let endless = Motion { strips: vec![endless], plant: true, ..Motion::default() };
    let feet = feet(&character);
    let pose = pose_at(&mut Player::default(), &character, &feet, &endless, 1e6);
    assert!(pose.locals.iter().all(|l| l.translation.is_finite() && l.rotation.is_finite()));
}
