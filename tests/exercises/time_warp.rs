//! Exercise 8: a walk and a run that are blended in step.

use glam::Vec3A;
use sinew::asset::{self, Character, Clip};
use sinew::motion::{Motion, Player, Playhead, Strip, blend};
use sinew::pose::{Pose, world_matrix};
use sinew::rig::Foot;

use crate::page::{Page, assert_printed};

const PAGE: &str = include_str!("../../docs/exercises/08-time-warp.md");

/// Sample rate that sinew uses to detect foot strikes, in samples per second.
const RATE: f32 = 60.0;

/// A cyclic clip, and the phases at which its left and right feet become low and at which they are farthest in front.
struct Gait<'a> {
    clip: &'a Clip,
    low: [f64; 2],
    front: [f64; 2],
}

fn sample(character: &Character, clip: &Clip, time: f32) -> Pose {
    let mut pose = Pose::rest(&character.skeleton);
    Playhead::default().sample(clip, time, &character.skeleton, &mut pose);
    pose
}

fn feet(character: &Character) -> [usize; 2] {
    ["leftFoot", "rightFoot"].map(|name| character.skeleton.find(name).unwrap())
}

fn position(character: &Character, pose: &Pose, node: usize) -> Vec3A {
    world_matrix(&character.skeleton, pose, node).translation
}

/// A foot is low if it is less than a twentieth of the hips' height above the lowest position of any foot.
fn gait<'a>(character: &'a Character, name: &str) -> Gait<'a> {
    let clip = character.clips.iter().find(|c| c.name.as_deref() == Some(name)).unwrap();
    let count = (clip.seconds * RATE).ceil() as u16;
    let poses: Vec<Pose> = (0..=count).map(|i| sample(character, clip, f32::from(i) / RATE)).collect();
    let path = |foot| -> Vec<Vec3A> { poses.iter().map(|pose| position(character, pose, foot)).collect() };
    let paths = feet(character).map(path);
    let lowest = paths.iter().flatten().map(|p| p.y).fold(f32::INFINITY, f32::min);
    let rest = Pose::rest(&character.skeleton);
    let hips = position(character, &rest, character.skeleton.find("hips").unwrap());
    let low = lowest + 0.05 * (hips.y - position(character, &rest, feet(character)[0]).y);
    let phase = |sample: usize| sample as f64 / f64::from(RATE) / f64::from(clip.seconds);
    let becomes_low = |path: &Vec<Vec3A>| (1..path.len()).find(|&i| path[i - 1].y >= low && path[i].y < low);
    let in_front = |path: &Vec<Vec3A>| (0..path.len()).max_by(|&a, &b| path[a].z.total_cmp(&path[b].z));
    let low = paths.each_ref().map(|path| phase(becomes_low(path).unwrap()));
    let front = paths.each_ref().map(|path| phase(in_front(path).unwrap()));
    Gait { clip, low, front }
}

/// A piecewise linear map from the phase of a blend to the phase of one of its clips.
struct Warp {
    /// Phases of the blend and of the clip at the strikes of one cycle, and at the first strike of the next one.
    knots: Vec<(f64, f64)>,
}

/// Returns the warps of clips. `strikes` has the phases of each clip, for the same feet in the same order.
fn warps(strikes: &[Vec<f64>], weights: &[f64]) -> Vec<Warp> {
    let mean = |i: usize| strikes.iter().zip(weights).map(|(s, w)| s[i] * w).sum::<f64>();
    let warp = |own: &Vec<f64>| {
        let mut knots: Vec<(f64, f64)> = (0..own.len()).map(|i| (mean(i), own[i])).collect();
        knots.push((knots[0].0 + 1.0, knots[0].1 + 1.0));
        Warp { knots }
    };
    strikes.iter().map(warp).collect()
}

impl Warp {
    fn phase(&self, phase: f64) -> f64 {
        let first = self.knots[0].0;
        let within = first + (phase - first).rem_euclid(1.0);
        let next = self.knots.iter().position(|(x, _)| within < *x).unwrap();
        let ((x0, y0), (x1, y1)) = (self.knots[next - 1], self.knots[next]);
        y0 + (y1 - y0) * (within - x0) / (x1 - x0)
    }
}

/// Returns the pose of a cyclic clip at a phase.
fn at(character: &Character, gait: &Gait, phase: f64) -> Pose {
    let time = phase.rem_euclid(1.0) * f64::from(gait.clip.seconds);
    sample(character, gait.clip, time as f32)
}

/// Values that the page lists for a cycle.
struct Quality {
    /// Number of times that a foot becomes low.
    strikes: usize,
    /// Standard deviation of the speed of the left foot while it is at most 1 cm above its lowest position, in m/s. It is zero
    /// for a foot that stands on a treadmill.
    slip: f64,
    /// Distance that the left foot swings from back to front, in metres.
    stride: f64,
}

/// Measures a blend of the walk and the run with equal weights. `phases` maps the phase of the blend to the phase of each.
fn measure(character: &Character, gaits: [&Gait; 2], phases: impl Fn(f64) -> [f64; 2]) -> Quality {
    const FRAMES: u32 = 850;
    let seconds = 0.5 * f64::from(gaits[0].clip.seconds + gaits[1].clip.seconds);
    let pose = |frame: u32| {
        let [walk, run] = phases(f64::from(frame) / f64::from(FRAMES));
        let mut pose = at(character, gaits[0], walk);
        blend(&mut pose, &at(character, gaits[1], run), 0.5);
        pose
    };
    let poses: Vec<Pose> = (0..=FRAMES).map(pose).collect();
    let path = |foot| poses.iter().map(|p| position(character, p, foot)).collect();
    let [left, right]: [Vec<_>; 2] = feet(character).map(path);
    let lowest = left.iter().chain(&right).map(|p| p.y).fold(f32::INFINITY, f32::min);
    let low = lowest + 0.0425;
    let down = |path: &Vec<Vec3A>| path.windows(2).filter(|w| w[0].y >= low && w[1].y < low).count();
    let standing = left.windows(2).filter(|w| w[1].y < lowest + 0.01);
    let speeds = standing.map(|w| f64::from(w[1].z - w[0].z) * f64::from(FRAMES) / seconds);
    let speeds: Vec<f64> = speeds.collect();
    let mean = speeds.iter().sum::<f64>() / speeds.len() as f64;
    let variance = speeds.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / speeds.len() as f64;
    let (back, front) = left.iter().fold((f32::MAX, f32::MIN), |(a, b), p| (a.min(p.z), b.max(p.z)));
    let stride = f64::from(front - back);
    Quality { strikes: down(&left) + down(&right), slip: variance.sqrt(), stride }
}

#[test]
fn the_strikes_and_their_common_phases_are_those_of_the_page() {
    let page = Page::new("time_warp", PAGE);
    page.assert_blocks_are_in(include_str!("time_warp.rs"));
    let character = asset::mannequin().unwrap();
    let (walk, run) = (gait(&character, "walk"), gait(&character, "run"));
    let rows = page.table("Foot strikes:");
    let kinds = [(walk.low, run.low), (walk.front, run.front)];
    let strikes = kinds.iter().flat_map(|(walk, run)| [(walk[1], run[1]), (walk[0], run[0])]);
    assert_eq!(rows.len(), 4);
    for (row, (walk, run)) in rows.iter().zip(strikes) {
        assert_printed(row[2], walk);
        assert_printed(row[3], run);
        assert_printed(row[4], 0.5 * (walk + run));
    }
}

#[test]
fn the_blend_of_sinew_is_in_step() {
    let character = asset::mannequin().unwrap();
    let (walk, run) = (gait(&character, "walk"), gait(&character, "run"));
    let clip = |name: &str| character.clips.iter().position(|c| c.name.as_deref() == Some(name)).unwrap();
    let mut strip = Strip::new(clip("walk"));
    let mut other = strip.clips[0];
    (other.clip, strip.looping) = (clip("run"), true);
    strip.clips.push(other);
    let seconds = strip.cycle_seconds(&character.clips);
    assert!((seconds - 0.85).abs() < 1e-6);
    let mut motion = Motion::default();
    motion.strips.push(strip);
    let right = 1;
    let time = 0.5 * (walk.low[right] + run.low[right]) as f32 * seconds;
    let (mut of_sinew, mut contacts) = (Pose::rest(&character.skeleton), Vec::new());
    Player::default().pose(
        &character,
        &motion,
        &feet(&character).map(Foot::joint),
        time,
        &mut of_sinew,
        &mut contacts,
    );
    let mut by_hand = at(&character, &walk, walk.low[right]);
    blend(&mut by_hand, &at(&character, &run, run.low[right]), 0.5);
    // Skip the hips, because sinew aligns the start of both clips.
    let joints = of_sinew.locals.iter().zip(&by_hand.locals).skip(1);
    let angles = joints.map(|(a, b)| a.rotation.angle_between(b.rotation).to_degrees());
    assert!(angles.fold(0.0, f32::max) < 0.2);
}

#[test]
fn the_program_blends_the_angles() {
    let page = Page::new("time_warp_program", PAGE);
    let knee = |part: &str| {
        let pose: serde_json::Value = serde_json::from_str(&page.run(part)).unwrap();
        let nodes = pose["nodes"].as_array().unwrap();
        let leg = nodes.iter().find(|n| n["name"] == "rightLowerLeg").unwrap();
        let q = [0, 1, 2, 3].map(|i| leg["rotation"][i].as_f64().unwrap());
        glam::DQuat::from_array(q).to_scaled_axis().length().to_degrees()
    };
    let angles = [
        knee("-q --animation walk --animation-time"),
        knee("-q --animation run"),
        knee("-q --animation walk --blend"),
    ];
    for (row, angle) in page.table("Knee at the strike:").iter().zip(angles) {
        assert_printed(row[2], angle);
    }
    assert!((angles[2] - 0.5 * (angles[0] + angles[1])).abs() < 0.2, "{angles:?}");
}

#[test]
fn each_blend_is_as_good_as_the_page_says() {
    let page = Page::new("time_warp_quality", PAGE);
    let character = asset::mannequin().unwrap();
    let (walk, run) = (gait(&character, "walk"), gait(&character, "run"));
    // The right foot strikes first in both clips.
    let [low, front] = [|gait: &Gait| gait.low, |gait: &Gait| gait.front].map(|strikes| {
        let strikes = [&walk, &run].map(|gait| vec![strikes(gait)[1], strikes(gait)[0]]);
        warps(&strikes, &[0.5, 0.5])
    });
    let qualities = [
        measure(&character, [&walk, &walk], |p| [p, p]),
        measure(&character, [&run, &run], |p| [p, p]),
        measure(&character, [&walk, &run], |p| [p, p]),
        measure(&character, [&walk, &run], |p| [low[0].phase(p), low[1].phase(p)]),
        measure(&character, [&walk, &run], |p| [front[0].phase(p), front[1].phase(p)]),
        measure(&character, [&walk, &run], |p| [p, p + 0.5]),
    ];
    for (row, quality) in page.table("Blends:").iter().zip(qualities) {
        assert_eq!(row[1], quality.strikes.to_string(), "{}", row[0]);
        assert_printed(row[2], quality.slip);
        assert_printed(row[3], quality.stride);
    }
}

#[test]
fn the_warp_of_a_limp_has_the_slopes_of_the_page() {
    let page = Page::new("time_warp_limp", PAGE);
    let warps = warps(&[vec![0.1, 0.6], vec![0.1, 0.45]], &[0.5, 0.5]);
    for (row, warp) in page.table("Warps of a walk and a limp:").iter().zip(&warps) {
        let slope =
            |i: usize| (warp.knots[i + 1].1 - warp.knots[i].1) / (warp.knots[i + 1].0 - warp.knots[i].0);
        assert_printed(row[1], slope(0));
        assert_printed(row[2], slope(1));
        assert_printed(row[3], warp.phase(0.8));
    }
}
