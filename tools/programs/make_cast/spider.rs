//! The spider, which has eight legs with four joints each, and its walk.

use crate::clips::{Clip, Track, turn};
use crate::model::{Model, unrotated_nodes};
use crate::paint::{CORAL, INK, TEAL, VINYL};
use crate::rigs;
use crate::sdf::smoothstep;
use crate::solids::{Bones, Shape, ball, tube};
use crate::tentacle::mix;
use glam::{DQuat, DVec3, dvec3};
use std::error::Error;

/// Directions of the legs of one side, in degrees from straight ahead.
const BEARINGS: [f64; 4] = [38.0, 72.0, 108.0, 144.0];
const BONES: [&str; 4] = ["coxa", "femur", "tibia", "tarsus"];
/// Positions of the four joints and the tip of a leg: metres from the centre, and metres above the ground.
const LEG: [(f64, f64); 5] = [(0.11, 0.27), (0.17, 0.28), (0.38, 0.5), (0.64, 0.17), (0.71, 0.006)];
const BODY: DVec3 = dvec3(0.0, 0.28, 0.04);
const ABDOMEN: DVec3 = dvec3(0.0, 0.3, -0.1);
/// Distance in metres by which a leg on the ground moves back in half a cycle.
const STRIDE: f64 = 0.2;

/// Returns the horizontal direction of a leg.
fn bearing(leg: usize) -> DVec3 {
    let angle = BEARINGS[leg % 4].to_radians();
    dvec3(libm::sin(angle) * if leg < 4 { 1.0 } else { -1.0 }, 0.0, libm::cos(angle))
}

/// Returns the positions of the joints and the tip of a leg.
fn positions(leg: usize) -> [DVec3; 5] {
    // The middle legs are shorter.
    let length_factor = [1.08, 0.92, 0.94, 1.14][leg % 4];
    LEG.map(|(out, up)| dvec3(0.0, up, 0.04) + bearing(leg) * (0.11 + (out - 0.11) * length_factor))
}

fn name(leg: usize, bone: &str) -> String {
    format!("leg_{}{}_{bone}", if leg < 4 { 'l' } else { 'r' }, leg % 4 + 1)
}

pub(crate) fn model() -> Result<Model, Box<dyn Error>> {
    let mut joints = vec![("body".to_owned(), None, BODY), ("abdomen".to_owned(), Some(0), ABDOMEN)];
    let mut shape = Shape::default();
    shape.rigid(ball(1.0, 16).stretched(dvec3(0.125, 0.085, 0.15)).at(BODY), TEAL, 0);
    shape.rigid(
        ball(1.0, 16).stretched(dvec3(0.085, 0.07, 0.08)).at(BODY + dvec3(0.0, 0.012, 0.12)),
        TEAL,
        0,
    );
    let marks = |p: DVec3| {
        let band = libm::sin((p.z + 0.02) * 42.0) + 6.0 * (p.y - 0.42);
        mix(CORAL, VINYL, smoothstep(0.1, 0.6, band) * smoothstep(0.31, 0.35, p.y))
    };
    shape.add(
        ball(1.0, 30).stretched(dvec3(0.17, 0.15, 0.215)).at(ABDOMEN + dvec3(0.0, 0.05, -0.19)),
        marks,
        |_| vec![(1, 1.0)],
    );
    for side in [1.0, -1.0] {
        for (x, y, z, r) in [
            (0.022, 0.045, 0.19, 0.019),
            (0.058, 0.05, 0.17, 0.014),
            (0.03, 0.075, 0.155, 0.012),
            (0.07, 0.06, 0.13, 0.01),
        ] {
            shape.rigid(ball(r, 7).at(BODY + dvec3(x * side, y, z)), INK, 0);
        }
        let fang = [
            (0.045, 0.0, 0.17, 0.024),
            (0.042, -0.03, 0.2, 0.023),
            (0.034, -0.065, 0.21, 0.016),
            (0.026, -0.095, 0.2, 0.005),
        ];
        let fang = fang.map(|(x, y, z, r)| (BODY + dvec3(x * side, y, z), r));
        shape.rigid(tube(&fang, DVec3::X, 10), CORAL, 0);
    }
    let first = joints.len();
    for leg in 0..8 {
        let at = positions(leg);
        for bone in 0..4 {
            let parent = if bone == 0 { 0 } else { joints.len() - 1 };
            joints.push((name(leg, BONES[bone]), Some(parent), at[bone]));
        }
        limb(&mut shape, leg, first + 4 * leg);
    }
    // Nodes that mark the tips of the legs.
    for leg in 0..8 {
        joints.push((name(leg, "tip"), Some(first + 4 * leg + 3), positions(leg)[4]));
    }
    let skin = shape.skin("spider", (0..first + 32).collect(), 4, 0.12)?;
    let mut rig = rigs::RigText::new();
    for leg in 0..8 {
        rig.chain(
            &format!("{} leg {}", if leg < 4 { "left" } else { "right" }, leg % 4 + 1),
            "leg",
            &name(leg, "coxa"),
            &name(leg, "tip"),
        );
        let axis = bearing(leg).cross(DVec3::Y);
        rig.euler(&name(leg, "coxa"), "yxz", [-40, -15, -15], [40, 15, 15]);
        for (bone, min, max) in [("femur", -45, 60), ("tibia", -60, 70), ("tarsus", -50, 50)] {
            rig.hinge(&name(leg, bone), axis.to_array(), min, max);
        }
    }
    rig.cone("abdomen", DVec3::NEG_Z, DVec3::X, [20, 25], [-15, 15], 0.5);
    Ok(Model {
        name: "spider",
        nodes: unrotated_nodes(joints),
        skins: vec![skin],
        clips: vec![walk()],
        humanoid: false,
        rig: rig.finish(),
    })
}

/// Adds a leg: a tube along the joints, thicker at each joint than between joints, with a coloured band at each inner joint.
fn limb(shape: &mut Shape, leg: usize, first: usize) {
    let at = positions(leg);
    let radii = [0.03, 0.032, 0.026, 0.017, 0.006];
    let mut rings = vec![(at[0] - bearing(leg) * 0.04, 0.024)];
    for bone in 0..4 {
        for step in 0..6 {
            let t = f64::from(step) / 6.0;
            let swell = 1.0 - 0.5 * t * (1.0 - t);
            rings.push((
                at[bone].lerp(at[bone + 1], t),
                (radii[bone] + (radii[bone + 1] - radii[bone]) * t) * swell,
            ));
        }
    }
    rings.push((at[4], radii[4]));
    let weights = |p: DVec3| -> Bones {
        let mut bones = vec![(first, 1.0)];
        for bone in 1..4 {
            let direction =
                ((at[bone + 1] - at[bone]).normalize() + (at[bone] - at[bone - 1]).normalize()).normalize();
            let reach = 1.1 * radii[bone];
            let past = smoothstep(-reach, reach, (p - at[bone]).dot(direction));
            let above = bones[bone - 1].1;
            bones[bone - 1].1 = above * (1.0 - past);
            bones.push((first + bone, above * past));
        }
        bones
    };
    let colour = |p: DVec3| if at[1..4].iter().any(|j| (p - *j).length() < 0.036) { CORAL } else { TEAL };
    shape.add(tube(&rings, DVec3::Y.cross(bearing(leg)), 12), colour, weights);
}

/// Returns a walk in place, in which four legs are on the ground while the other four are in the air.
fn walk() -> Clip {
    let mut clip = Clip::at_rate("walk", 24, 30);
    for leg in 0..8 {
        let odd = (leg % 4 + leg / 4) % 2 == 1;
        let phases: Vec<f64> = clip.phases().collect();
        let mut keys = [const { Vec::new() }; 4];
        for t in phases {
            let t = if odd { (t + 0.5).fract() } else { t };
            let (forward, lift) = if t < 0.5 {
                (0.5 - 2.0 * t, 0.0)
            } else {
                let u = 2.0 * t - 1.0;
                let arch = libm::sin(std::f64::consts::PI * u);
                // The tip moves at the speed of the ground when it takes off and when it lands.
                (-0.5 + u - 2.0 * (u - u * u * (3.0 - 2.0 * u)), 0.07 * arch * arch)
            };
            let at = positions(leg);
            let target = at[4] + dvec3(0.0, lift, STRIDE * forward);
            for (keys, q) in keys.iter_mut().zip(solve_leg(leg, target)) {
                keys.push(q);
            }
        }
        for (bone, keys) in BONES.iter().zip(keys) {
            clip.tracks.push(Track::Rotation(name(leg, bone), keys));
        }
    }
    clip
}

/// Returns the local rotations that bring the tip of a leg to `target`. The first joint rotates the plane of the leg,
/// the next two reach for the target, and the last segment keeps its angle to the ground.
fn solve_leg(leg: usize, target: DVec3) -> [DQuat; 4] {
    let at = positions(leg);
    let level = |v: DVec3| dvec3(v.x, 0.0, v.z);
    let (rest, now) = (level(at[4] - at[0]).normalize(), level(target - at[0]));
    let yaw = libm::atan2(rest.z * now.x - rest.x * now.z, rest.dot(now));
    // Coordinates in the plane of the leg: outwards and up.
    let flat = |p: DVec3| ((p - at[0]).dot(rest), p.y);
    let ankle = (now.length() - flat(at[4]).0 + flat(at[3]).0, target.y - at[4].y + at[3].y);
    let (hip, knee, end) = (flat(at[1]), flat(at[2]), flat(at[3]));
    let angle = |a: (f64, f64), b: (f64, f64)| libm::atan2(b.1 - a.1, b.0 - a.0);
    let length =
        |a: (f64, f64), b: (f64, f64)| ((b.0 - a.0) * (b.0 - a.0) + (b.1 - a.1) * (b.1 - a.1)).sqrt();
    let (a, b) = (length(hip, knee), length(knee, end));
    let far = length(hip, ankle).min(0.999 * (a + b));
    let lift = libm::acos(((a * a + far * far - b * b) / (2.0 * a * far)).clamp(-1.0, 1.0));
    let femur = angle(hip, ankle) + lift;
    let bent = (hip.0 + a * libm::cos(femur), hip.1 + a * libm::sin(femur));
    let (femur, tibia) = (femur - angle(hip, knee), angle(bent, ankle) - angle(knee, end));
    let axis = rest.cross(DVec3::Y);
    let about = |radians: f64| turn(axis, radians.to_degrees());
    [turn(DVec3::Y, yaw.to_degrees()), about(femur), about(tibia - femur), about(-tibia)]
}
