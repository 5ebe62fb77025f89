//! The tentacle: forty joints, a tapering shape and two rows of suckers.

use crate::clips::{Clip, turn, wave_at};
use crate::model::{Model, unrotated_nodes};
use crate::paint::{CORAL, TEAL, VINYL};
use crate::rigs;
use crate::sdf::smoothstep;
use crate::solids::{Bones, Shape, revolve, tube};
use glam::{DQuat, DVec3, dvec3};
use std::error::Error;

const JOINTS: usize = 40;
const HEIGHT: f64 = 2.0;

/// Returns the centre line at `t`, from 0 at the base to 1 at the tip. It is upright, and the tip curls forward.
fn center_line(t: f64) -> DVec3 {
    let lean = smoothstep(0.35, 1.3, t);
    dvec3(0.0, HEIGHT * (t - 0.12 * lean), 0.9 * lean - 0.16 * libm::sin(3.14159 * t))
}

fn radius(t: f64) -> f64 {
    let flare = 1.0 - smoothstep(0.0, 0.12, t);
    0.125 * (1.0 - t) + 0.016 + 0.05 * flare * flare
}

/// Returns the position of a joint along the centre line. Joints are closer together towards the tip.
fn joint_position(joint: usize) -> f64 {
    let u = joint as f64 / JOINTS as f64;
    u * (1.18 - 0.18 * u)
}

/// Returns the skin weights at `t`: the basis functions of a quadratic B-spline for three joints.
fn weights(t: f64) -> Bones {
    let along = (1..JOINTS).take_while(|&j| joint_position(j) <= t).count();
    let (from, to) =
        (joint_position(along), if along + 1 < JOINTS { joint_position(along + 1) } else { 1.0 });
    let u = ((t - from) / (to - from)).clamp(0.0, 1.0);
    let (before, after) = (0.5 * (1.0 - u) * (1.0 - u), 0.5 * u * u);
    vec![
        (along.saturating_sub(1), before),
        (along, 1.0 - before - after),
        ((along + 1).min(JOINTS - 1), after),
    ]
    .into_iter()
    .fold(Bones::new(), |mut all, (joint, weight)| {
        match all.iter_mut().find(|(j, _)| *j == joint) {
            Some(same) => same.1 += weight,
            None => all.push((joint, weight)),
        }
        all
    })
}

/// Interpolates between two colours.
pub(crate) fn mix(a: [u8; 3], b: [u8; 3], t: f64) -> [u8; 3] {
    [0, 1, 2].map(|i| (f64::from(a[i]) * (1.0 - t) + f64::from(b[i]) * t + 0.5) as u8)
}

pub(crate) fn model() -> Result<Model, Box<dyn Error>> {
    let mut shape = Shape::default();
    const RINGS: usize = 150;
    let t_of = |p: DVec3| {
        // The nearest of 601 samples of the centre line is precise enough for colours and weights.
        let near = |i: &usize| (center_line(*i as f64 / 600.0) - p).length_squared();
        (0..=600).min_by(|a, b| near(a).total_cmp(&near(b))).unwrap_or(0) as f64 / 600.0
    };
    let mut rings: Vec<(DVec3, f64)> =
        (0..=RINGS).map(|i| i as f64 / RINGS as f64).map(|t| (center_line(t), radius(t))).collect();
    let direction = (center_line(1.0) - center_line(0.99)).normalize() * radius(1.0);
    rings
        .extend([(0.5, 0.85), (0.85, 0.5)].map(|(s, r)| (center_line(1.0) + direction * s, radius(1.0) * r)));
    let colour = |p: DVec3| {
        let t = t_of(p);
        let below = smoothstep(0.1, 0.75, (p - center_line(t)).z / radius(t));
        mix(mix(TEAL, CORAL, smoothstep(0.25, 0.95, t)), VINYL, below)
    };
    shape.add(tube(&rings, DVec3::X, 28), colour, |p| weights(t_of(p)));
    for row in 0..38 {
        let t = 0.06 + 0.9 * joint_position(row);
        let along = (center_line(t + 0.005) - center_line(t - 0.005)).normalize();
        let front = DVec3::X.cross(along);
        for side in [1.0, -1.0] {
            let out = (front * 0.87 + DVec3::X * 0.49 * side).normalize();
            let apart = 0.9 * HEIGHT * (joint_position(row + 1) - joint_position(row));
            let size = (0.38 * radius(t)).min(0.46 * apart);
            let cup = [
                (0.62, -0.35),
                (0.98, 0.1),
                (1.0, 0.28),
                (0.86, 0.4),
                (0.64, 0.36),
                (0.42, 0.12),
                (0.0, 0.04),
            ];
            let profile = cup.map(|(r, y)| (r * size, y * size));
            let rotation = DQuat::from_xyzw(out.z, 0.0, -out.x, 1.0 + out.y).normalize();
            let bones = weights(t);
            let cup = revolve(&profile, 12).placed(rotation, center_line(t) + out * radius(t) * 0.98);
            shape.add(cup, |_| CORAL, |_| bones.clone());
        }
    }
    let joint = |j: usize| (format!("segment_{j:02}"), j.checked_sub(1), center_line(joint_position(j)));
    let nodes = unrotated_nodes((0..JOINTS).map(joint).collect());
    let skin = shape.skin("tentacle", (0..JOINTS).collect(), 4, 0.1)?;
    let mut sway = Clip::at_rate("sway", 80, 20);
    for j in 1..JOINTS {
        let part = j as f64 / JOINTS as f64;
        let reach = 1.0 + 3.5 * part;
        sway.turns(&format!("segment_{j:02}"), |t| {
            turn(DVec3::X, reach * wave_at(t, 1.0, 1.1 * part))
                * turn(DVec3::Z, reach * wave_at(t, 1.0, 0.25 + 1.1 * part))
        });
    }
    let mut rig = rigs::RigText::new();
    rig.chain("tentacle", "limb", "segment_00", "segment_39");
    for j in 0..JOINTS - 1 {
        rig.cone(&format!("segment_{j:02}"), DVec3::Y, DVec3::X, [22, 22], [-8, 8], 0.0);
    }
    Ok(Model {
        name: "tentacle",
        nodes,
        skins: vec![skin],
        clips: vec![sway],
        humanoid: false,
        rig: rig.finish(),
    })
}
