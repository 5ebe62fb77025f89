//! The seam of a loop: positions, rotations and velocities that jump where the loop starts over.
//!
//! A clip is a loop if most of the joints that move in it end where they began. Unless the clip's name marks it as a loop, the root must
//! also end near where it began, apart from travel over the ground.

use glam::{Quat, Vec3};

use crate::mathematics::quantile;

use super::anatomy::Anatomy;
use super::contacts::flat;
use super::finding::{Curve, Finding, Measured, length};
use super::kind::Check;
use super::options::{CheckOptions, Looping};
use super::sampled::{Sampled, degrees_between};

/// Maximum difference between the ends of a loop for most moving joints, in metres at human size and in degrees.
const SAME_PLACE: f64 = 0.015;
const SAME_ROTATION: f64 = 2.0;
/// Maximum distance between the start and the end of the root in a loop whose name does not mark it as one, in metres at human size.
const MAX_SHIFT: f64 = 0.15;
/// Fraction of the moving joints that must end where they began.
const MOST: f64 = 0.7;
/// Distance beyond which a root travels on purpose rather than because of a fault, in metres at human size.
const TRAVEL: f32 = 0.3;
/// A velocity jump counts if it exceeds this many times the typical change from frame to frame.
const UNUSUAL: f64 = 3.0;
/// Velocities match if their median change is below this fraction of the sum of the two speeds.
const SAME_VELOCITY: f64 = 0.35;
/// Minimum sum of the rotation speeds on both sides of the seam for a joint that moves there, in degrees per frame.
const MOVING: f64 = 0.3;
/// Rotation and translation relative to its parent beyond which a joint counts as moving, in degrees and metres.
const MOVES: f64 = 0.1;
const MOVES_BY: f64 = 1e-4;
/// Words in the names of clips that are loops.
const LOOP_WORDS: [&str; 10] =
    ["loop", "looped", "cycle", "walk", "walking", "run", "running", "jog", "sprint", "idle"];
/// Words in the names of clips that are not loops.
const ONCE_WORDS: [&str; 20] = [
    "start", "stop", "end", "begin", "enter", "exit", "to", "death", "die", "attack", "jump", "land",
    "shoot", "hit", "react", "punch", "kick", "slash", "throw", "roll",
];

/// Whether a clip is a loop, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoopKind {
    /// The options or the name declare it a loop.
    Declared,
    /// Most joints end where they began.
    Closed,
    /// The clip is not a loop.
    Once,
}

/// The difference between the last and the first frame at a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    pub(super) node: usize,
    /// Displacement from the first frame to the last, in the root's space, in metres.
    pub(super) offset: Vec3,
    /// Angle between the local rotations in degrees.
    pub(super) angle: f64,
    /// Whether the joint moves relative to its parent at any time.
    pub(super) moves: bool,
    /// Distance between the first and the last local translation, in metres.
    pub(super) local_offset: f64,
    /// Change of the local angular velocity from the end to the start, and the sum of the two speeds, in degrees per frame.
    pub(super) turns: [f64; 2],
    /// The velocity at the end minus the velocity at the start, in metres per second.
    pub(super) velocity: Vec3,
    /// The typical change of the velocity from one frame to the next.
    pub(super) usual: f64,
}

/// The seam of a clip.
#[derive(Clone, Debug)]
pub(super) struct Seam {
    pub(super) kind: LoopKind,
    pub(super) gaps: Vec<Gap>,
}

impl Seam {
    /// Compares the ends of a clip.
    pub(super) fn new(
        anatomy: &Anatomy,
        sampled: &Sampled,
        name: Option<&str>,
        options: &CheckOptions,
    ) -> Self {
        let gaps = gaps(anatomy, sampled);
        let size = f64::from(anatomy.size);
        let is_same = |g: &&Gap| g.local_offset < SAME_PLACE * size && g.angle < SAME_ROTATION;
        // Hair and fingers that never move end where they began, whether the clip is a loop or not.
        let moving = || gaps.iter().filter(|g| g.moves);
        let same = moving().filter(is_same).count();
        let is_closed = !gaps.is_empty()
            && crate::mathematics::spans::number(same)
                >= MOST * crate::mathematics::spans::number(moving().count());
        let root = gaps.iter().find(|g| g.node == anatomy.hips).map_or(0.0, |g| f64::from(g.offset.length()));
        let kind = match options.looping {
            Looping::Always => LoopKind::Declared,
            Looping::Never => LoopKind::Once,
            Looping::Detect if sampled.len() < 4 => LoopKind::Once,
            Looping::Detect if is_closed && name.is_some_and(is_loop_name) => LoopKind::Declared,
            Looping::Detect if is_closed && root < MAX_SHIFT * size => LoopKind::Closed,
            Looping::Detect => LoopKind::Once,
        };
        Self { kind, gaps }
    }
}

fn is_loop_name(name: &str) -> bool {
    let mut spaced = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            spaced.push(' ');
        }
        spaced.extend(c.to_lowercase());
    }
    let words: Vec<&str> = spaced.split(|c: char| !c.is_alphabetic()).filter(|w| !w.is_empty()).collect();
    words.iter().any(|w| LOOP_WORDS.contains(w)) && !words.iter().any(|w| ONCE_WORDS.contains(w))
}

fn gaps(anatomy: &Anatomy, sampled: &Sampled) -> Vec<Gap> {
    let Some(last) = sampled.len().checked_sub(1).filter(|last| *last >= 3) else { return Vec::new() };
    let root = |frame: usize| sampled.position(frame, anatomy.hips);
    let travel = root(last) - root(0);
    let travels = flat(travel).length() > TRAVEL * anatomy.size;
    // The change of heading in a clip that turns its root.
    let turn = if travels || is_turning(anatomy, sampled, last) {
        heading(anatomy, sampled, last)
    } else {
        Quat::IDENTITY
    };
    let travel = if travels { Vec3::new(travel.x, 0.0, travel.z) } else { Vec3::ZERO };
    let origin = root(0);
    let back = |p: Vec3| turn.conjugate() * (p - travel - origin) + origin;
    let velocity = |a: usize, b: usize, node: usize| {
        let (from, to) = sampled.span(a, b);
        (sampled.position(b, node) - sampled.position(a, node)) / (to - from).max(1e-6)
    };
    let gap = |&node: &usize| {
        let offset = back(sampled.position(last, node)) - sampled.position(0, node);
        let local = |frame: usize| sampled.local(frame, node).rotation;
        let is_root = sampled.local(0, node).translation != sampled.local(last, node).translation;
        let angle = if turn != Quat::IDENTITY && (is_root || node == anatomy.hips) {
            0.0
        } else {
            degrees_between(local(0), local(last))
        };
        let (end, start) = (turn.conjugate() * velocity(last - 1, last, node), velocity(0, 1, node));
        let change = |i: usize| f64::from((velocity(i, i + 1, node) - velocity(i - 1, i, node)).length());
        let usual = quantile((1..last).map(change).collect(), 0.7);
        let place = |frame: usize| sampled.local(frame, node).translation;
        let is_travelling = travels && node == anatomy.hips;
        let local_offset = if is_travelling { 0.0 } else { f64::from(place(0).distance(place(last))) };
        let scale = matrix_scale(anatomy, node);
        let turn_of = |a: usize, b: usize| (local(a).conjugate() * local(b)).as_dquat().to_scaled_axis();
        let shorter = |v: glam::DVec3| {
            if v.length() > std::f64::consts::PI { v - v.normalize() * std::f64::consts::TAU } else { v }
        };
        let (turn_end, turn_start) = (shorter(turn_of(last - 1, last)), shorter(turn_of(0, 1)));
        let turns =
            [(turn_start - turn_end).length(), turn_end.length() + turn_start.length()].map(f64::to_degrees);
        let local_offset = local_offset * scale;
        let moves = (1..=last).any(|frame| {
            let [now, first] = [frame, 0].map(|frame| sampled.local(frame, node));
            let moved = f64::from(now.translation.distance(first.translation)) * scale;
            degrees_between(now.rotation, first.rotation) > MOVES || moved > MOVES_BY
        });
        Gap { node, offset, angle, moves, local_offset, turns, velocity: end - start, usual }
    };
    anatomy.joints.iter().filter(|n| !travels || !anatomy.above_hips.contains(n)).map(gap).collect()
}

/// Returns the factor from the units of a node's translation to metres.
fn matrix_scale(anatomy: &Anatomy, node: usize) -> f64 {
    let matrix = anatomy.world.get(node).map_or(1.0, |m| m.matrix3.x_axis.length());
    f64::from(matrix)
}

fn is_turning(anatomy: &Anatomy, sampled: &Sampled, last: usize) -> bool {
    heading(anatomy, sampled, last).angle_between(Quat::IDENTITY) > 0.5
}

/// Returns the rotation about +Y from the first frame to the last.
fn heading(anatomy: &Anatomy, sampled: &Sampled, last: usize) -> Quat {
    let rotation = |frame: usize| super::sampled::rotation_of(&sampled.matrix(frame, anatomy.hips));
    let turn = rotation(last) * rotation(0).conjugate();
    let about_y = Quat::from_xyzw(0.0, turn.y, 0.0, turn.w);
    if about_y.length_squared() > 1e-12 { about_y.normalize() } else { Quat::IDENTITY }
}

pub(super) fn check(anatomy: &Anatomy, sampled: &Sampled, seam: &Seam, options: &CheckOptions) -> Measured {
    const CHECKS: [Check; 3] = [Check::SeamPosition, Check::SeamRotation, Check::SeamVelocity];
    let mut measured = Measured::default();
    if seam.kind == LoopKind::Once {
        for check in CHECKS {
            measured.extend(Measured::not_applied(check, "the clip is not a loop"));
        }
        return measured;
    }
    let limit = |check: Check| options.limit(check, anatomy.size);
    let end = sampled.span(0, sampled.len().saturating_sub(1)).1;
    let mut add = |check: Check, value: &dyn Fn(&Gap) -> f64, text: &dyn Fn(f64) -> String| {
        let worst = seam.gaps.iter().map(|g| (value(g), g.node)).max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((value, node)) = worst.filter(|(value, _)| *value > limit(check)) {
            let finding = Finding::new(check, Some(node), (end, end), value, limit(check), text(value));
            measured.findings.push(finding);
        }
    };
    add(Check::SeamPosition, &|g| f64::from(g.offset.length()), &|v| {
        format!("jumps by {} where the loop starts over", length(v))
    });
    add(Check::SeamRotation, &|g| g.angle, &|v| {
        format!("turns by {v:.1} degrees where the loop starts over")
    });
    if velocities_match(seam) {
        add(
            Check::SeamVelocity,
            &|g| {
                let jump = f64::from(g.velocity.length());
                if jump > UNUSUAL * g.usual { jump } else { 0.0 }
            },
            &|v| format!("changes its velocity by {v:.2} m/s where the loop starts over"),
        );
    } else {
        let reason = "the clip moves on at its end and not at its start, so it is not played as a loop";
        measured.extend(Measured::not_applied(Check::SeamVelocity, reason));
    }
    measured.curves.push(Curve {
        check: Check::SeamPosition,
        node: None,
        limit: Some(limit(Check::SeamPosition)),
        times: sampled.times.clone(),
        values: (0..sampled.len()).map(|frame| distance_to_start(anatomy, sampled, frame)).collect(),
    });
    measured
}

/// Returns whether the clip is meant to be played as a loop: the velocities of most of its moving joints match at its ends. Always true for
/// a clip that is declared as a loop.
pub(super) fn velocities_match(seam: &Seam) -> bool {
    let moving = seam.gaps.iter().filter(|g| g.turns[1] > MOVING);
    let changes: Vec<f64> = moving.map(|g| g.turns[0] / g.turns[1]).collect();
    seam.kind == LoopKind::Declared || changes.is_empty() || quantile(changes, 0.5) < SAME_VELOCITY
}

/// Returns the largest distance of a joint from its place in the first frame, relative to the root, in metres.
fn distance_to_start(anatomy: &Anatomy, sampled: &Sampled, frame: usize) -> f64 {
    let relative =
        |frame: usize, node: usize| sampled.position(frame, node) - sampled.position(frame, anatomy.hips);
    let distance = |&node: &usize| f64::from(relative(frame, node).distance(relative(0, node)));
    anatomy.joints.iter().map(distance).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_whether_a_clip_is_a_loop() {
        for name in ["Walk", "CharacterArmature|Run", "Idle_A", "Melee_2H_Idle", "walkCycle", "Sneak Loop"] {
            assert!(is_loop_name(name), "{name}");
        }
        for name in ["Walk_Stop", "IdleToRun", "Death", "Idle_Attack", "Runner", ""] {
            assert!(!is_loop_name(name), "{name}");
        }
    }
}
