//! Motions of the mannequin, and of one that walks over the ground.

use glam::Vec3;

use crate::asset::{Character, Values, mannequin};
use crate::pose::{Pose, world_matrices};

use super::{Bar, Edit, Hold, Layer, Motion, Player, Playhead, Share, Travel};

/// How fast the mannequin's clips go, by the feet on the ground: metres a second.
const WALK: f32 = 0.54 / 0.6;
const RUN: f32 = 0.62 / (0.36 * 0.7);

fn clip(character: &Character, name: &str) -> usize {
    character.clips.iter().position(|c| c.name.as_deref() == Some(name)).unwrap()
}

fn feet(character: &Character) -> Vec<usize> {
    ["leftFoot", "rightFoot"].map(|name| character.skeleton.find(name).unwrap()).to_vec()
}

/// The mannequin, whose clips called `walk` and `run` go forward over the ground.
fn walker() -> (Character, Vec<usize>) {
    let mut character = mannequin().unwrap();
    let hips = character.skeleton.find("hips").unwrap();
    for name in ["walk", "run"] {
        let walk = clip(&character, name);
        let motion = &mut character.clips[walk];
        let places = motion.channels.iter_mut().find_map(|c| match &mut c.values {
            Values::Translation(places) if c.node == hips => Some((c.timeline, places)),
            _ => None,
        });
        let (timeline, places) = places.unwrap();
        let pace = if name == "run" { RUN } else { WALK };
        places.iter_mut().zip(&motion.timelines[timeline]).for_each(|(p, t)| p.z += pace * t);
    }
    let feet = feet(&character);
    (character, feet)
}

fn pose_at(player: &mut Player, character: &Character, feet: &[usize], motion: &Motion, time: f32) -> Pose {
    let (mut pose, mut holds) = (Pose::rest(&character.skeleton), Vec::new());
    player.pose(character, motion, feet, time, &mut pose, &mut holds);
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
fn one_clip_is_played_as_it_is() {
    let character = mannequin().unwrap();
    for index in 0..character.clips.len() {
        let (motion, mut player, mut head) = (Motion::clip(index), Player::default(), Playhead::default());
        for time in [-1.0, 0.0, 0.1, 0.333, 0.77, 100.0] {
            let mut expected = Pose::rest(&character.skeleton);
            head.sample(&character.clips[index], time, &character.skeleton, &mut expected);
            assert_eq!(pose_at(&mut player, &character, &[], &motion, time), expected, "{index} at {time}");
        }
    }
}

#[test]
fn an_order_of_questions_changes_no_bit() {
    let (character, feet) = walker();
    let bar =
        |name, start| Bar { start, again: true, seconds: Some(2.0), ..Bar::new(clip(&character, name)) };
    let motion = Motion { bars: vec![bar("walk", 0.0), bar("run", 1.5)], plant: true, ..Motion::default() };
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
    let share = |weight| Share { clip: walk, weight };
    let bar = Bar { clips: vec![share(0.3), share(2.0)], ..Bar::new(walk) };
    let motion = Motion { bars: vec![bar], ..Motion::default() };
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

#[test]
fn a_blend_lies_between_and_lasts_as_long_as_its_shares_say() {
    let (character, feet) = walker();
    let (walk, run) = (clip(&character, "walk"), clip(&character, "run"));
    let bar = Bar {
        clips: vec![Share { clip: walk, weight: 1.0 }, Share { clip: run, weight: 1.0 }],
        again: true,
        seconds: Some(4.0),
        ..Bar::new(walk)
    };
    let cycle = bar.cycle(&character.clips);
    let mean = 0.5 * (character.clips[walk].seconds + character.clips[run].seconds);
    assert!((cycle - mean).abs() < 1e-6);
    let motion = Motion { bars: vec![bar], ..Motion::default() };
    let mut player = Player::default();
    let way = hips(&character, &pose_at(&mut player, &character, &feet, &motion, 2.0 * cycle))
        - hips(&character, &pose_at(&mut player, &character, &feet, &motion, 0.0));
    let of = |clip: usize, pace: f32| pace * character.clips[clip].seconds;
    let expected = of(walk, WALK) + of(run, RUN);
    assert!((way.z - expected).abs() < 0.01 * expected, "{way} {expected}");
}

#[test]
fn a_loop_goes_on_where_it_was_and_a_stripped_one_stays() {
    let (character, feet) = walker();
    let walk = clip(&character, "walk");
    for speed in [1.0_f32, -1.5] {
        let bar = Bar { again: true, seconds: Some(3.5), speed, ..Bar::new(walk) };
        let kept = Motion { bars: vec![bar.clone()], ..Motion::default() };
        let stripped = Motion { bars: vec![Bar { travel: Travel::Stripped, ..bar }], ..Motion::default() };
        let (mut a, mut b) = (Player::default(), Player::default());
        let mut before: Option<Vec3> = None;
        let start = hips(&character, &pose_at(&mut b, &character, &feet, &stripped, 0.0));
        for time in frames(3.5) {
            let now = hips(&character, &pose_at(&mut a, &character, &feet, &kept, time));
            let step = before.map_or(WALK / 60.0 * speed, |b| now.z - b.z);
            assert!((step * 60.0 - WALK * speed).abs() < 0.45 * speed.abs(), "{time}: {}", step * 60.0);
            before = Some(now);
            let stays = hips(&character, &pose_at(&mut b, &character, &feet, &stripped, time));
            assert!((stays - start).with_y(0.0).length() < 0.1, "{time}: {stays}");
        }
    }
}

#[test]
fn a_transition_turns_no_joint_much_faster_than_the_clips_do() {
    let (character, feet) = walker();
    let (walk, run) = (clip(&character, "walk"), clip(&character, "run"));
    // The walk is cut where the run's phase is the same: both begin with the same foot.
    let cycle = character.clips[walk].seconds;
    let first = Bar { again: true, seconds: Some(2.0 * cycle + 0.3), ..Bar::new(walk) };
    let second = Bar { again: true, start: 2.0 * cycle, seconds: Some(2.0), ..Bar::new(run) };
    let motion = Motion { bars: vec![first, second], ..Motion::default() };
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
    // The second goes on from where the first was: nowhere a jump.
    let mut places =
        frames(4.0).map(|t| hips(&character, &pose_at(&mut player, &character, &feet, &motion, t)));
    let mut before = places.next().unwrap();
    for now in places {
        assert!(now.distance(before) < 2.0 * RUN / 60.0, "{before} {now}");
        before = now;
    }
}

#[test]
fn an_edit_is_whole_at_its_time_and_nothing_outside_its_window() {
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
    let near = |a: &Pose, b: &Pose| {
        a.locals.iter().zip(&b.locals).all(|(a, b)| {
            a.rotation.angle_between(b.rotation) < 1e-3 && a.translation.distance(b.translation) < 1e-5
        })
    };
    assert!(near(&pose_at(&mut player, &character, &feet, &edited, 0.5), &to));
    for time in [0.0, 0.19, 0.71, 0.9] {
        let bare = pose_at(&mut player, &character, &feet, &plain, time);
        assert_eq!(pose_at(&mut player, &character, &feet, &edited, time), bare, "{time}");
    }
    // The same one again, and the turn is twice as large.
    let twice = Motion { edits: vec![edit.clone(), edit], ..plain };
    let turned = pose_at(&mut player, &character, &feet, &twice, 0.5).locals[arm].rotation;
    let angle = turned.angle_between(from.locals[arm].rotation);
    assert!((angle - 1.6).abs() < 1e-3, "{angle}");
}

#[test]
fn an_additive_layer_moves_what_its_mask_says() {
    let character = mannequin().unwrap();
    let (walk, wave) = (clip(&character, "walk"), clip(&character, "wave"));
    let arm = (0..character.skeleton.nodes.len()).find(|&n| {
        let moves = |c: &crate::asset::Channel| c.node == n && matches!(c.values, Values::Rotation(_));
        character.clips[wave].channels.iter().any(moves)
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
fn held_feet_are_where_they_stand() {
    let (character, feet) = walker();
    let walk = clip(&character, "walk");
    let bar = Bar { again: true, seconds: Some(4.0), ..Bar::new(walk) };
    let motion = Motion { bars: vec![bar], plant: true, ..Motion::default() };
    let mut player = Player::default();
    let (mut pose, mut holds) = (Pose::rest(&character.skeleton), Vec::<Hold>::new());
    let mut whole: Vec<(f32, Hold)> = Vec::new();
    for time in frames(4.0) {
        pose.reset(&character.skeleton);
        player.pose(&character, &motion, &feet, time, &mut pose, &mut holds);
        whole.extend(holds.iter().filter(|h| h.weight >= 1.0).map(|h| (time, *h)));
        let mut world = Vec::new();
        world_matrices(&character.skeleton, &pose, &mut world);
        for hold in &holds {
            let place = Vec3::from(world[hold.node].translation);
            assert!(place.distance(hold.position) < 0.08, "{time}: {hold:?} {place}");
        }
    }
    // Each foot stands about half of the time, and comes down in another place each time.
    for &foot in &feet {
        let of = whole.iter().filter(|(_, h)| h.node == foot);
        let share = of.clone().count() as f32 / 240.0;
        assert!((0.25..0.75).contains(&share), "{share}");
        let mut places: Vec<f32> = of.map(|(_, h)| h.position.z).collect();
        places.dedup_by(|a, b| (*a - *b).abs() < 1e-3);
        assert!(places.len() >= 3 && places.windows(2).all(|w| w[1] > w[0] + 0.7), "{places:?}");
    }
}

#[test]
fn what_makes_no_sense_is_told_and_not_played() {
    let character = mannequin().unwrap();
    let nan = Motion { bars: vec![Bar { start: f32::NAN, ..Bar::new(0) }], ..Motion::default() };
    assert!(nan.fault().is_some_and(|f| f.starts_with("bars[0]: ")));
    assert_eq!(pose_at(&mut Player::default(), &character, &[], &nan, 0.5), Pose::rest(&character.skeleton));
    let unknown = Motion { bars: vec![Bar::new(99)], ..Motion::default() };
    assert!(unknown.fault().is_none() && !unknown.fits(&character));
    assert_eq!(
        pose_at(&mut Player::default(), &character, &[], &unknown, 0.5),
        Pose::rest(&character.skeleton)
    );
    let endless = Bar { seconds: Some(f32::MAX), again: true, speed: 1e30, ..Bar::new(0) };
    let endless = Motion { bars: vec![endless], plant: true, ..Motion::default() };
    let feet = feet(&character);
    let pose = pose_at(&mut Player::default(), &character, &feet, &endless, 1e6);
    assert!(pose.locals.iter().all(|l| l.translation.is_finite() && l.rotation.is_finite()));
}
