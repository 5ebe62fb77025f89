//! Skin weights of the left half: soft cuts across the joints, limited to the limb, then diffused over the mesh.

use crate::body::{arm, torso};
use crate::mesh::Mesh;
use crate::sdf::smoothstep;
use crate::skeleton::{
    CHEST, FOOT, HAND, HEAD, JOINT_COUNT, LIMB_COUNT, LOWER_ARM, LOWER_LEG, NECK, SPINE, TOES, TRUNK_COUNT,
    UPPER_ARM, UPPER_CHEST, UPPER_LEG,
};
use glam::{DVec3, dvec3};

/// The weight of every joint; those of the right side are zero on the left half.
pub(crate) type Row = [f64; JOINT_COUNT];

/// Steps of diffusion: enough to round the corners of the soft cuts, about one edge length.
const DIFFUSION_STEPS: usize = 6;

/// The weights of each point of the left half; every row sums to one.
pub(crate) fn bind(half: &Mesh) -> Vec<Row> {
    let mut rows: Vec<Row> = half.points.iter().map(|&p| row(p)).collect();
    let neighbours = half.neighbours();
    for _ in 0..DIFFUSION_STEPS {
        let before = rows.clone();
        for (index, around) in neighbours.iter().enumerate() {
            // A limb must not reach over the mirror plane, where the half mesh ends.
            if half.points[index].x == 0.0 {
                continue;
            }
            for joint in 0..JOINT_COUNT {
                let mean = around.iter().map(|&n| before[n][joint]).sum::<f64>() / around.len() as f64;
                rows[index][joint] = 0.5 * (before[index][joint] + mean);
            }
        }
    }
    rows
}

/// How far `p` is past a joint at `centre` in the direction of `way`: 0 before, 1 behind, over twice `reach`.
fn past(p: DVec3, centre: DVec3, way: DVec3, reach: f64) -> f64 {
    smoothstep(-reach, reach, (p - centre).dot(way.normalize()))
}

/// The weights at a point before diffusion. Each joint takes from its parent what lies past it, so the sum is one.
fn row(p: DVec3) -> Row {
    let mut row = [0.0; JOINT_COUNT];
    let arm_share = past(p, UPPER_ARM + dvec3(-0.004, 0.0, 0.0), dvec3(0.93, -0.36, 0.0), 0.052)
        * smoothstep(-0.028, 0.028, torso(p) - arm(p) - 0.002);
    let leg_share = past(p, UPPER_LEG + dvec3(0.0, -0.004, 0.0), dvec3(0.28, -0.96, 0.0), 0.075)
        * smoothstep(0.0, 0.03, p.x)
        * (1.0 - smoothstep(0.25, 0.35, p.x));
    let limbs = TRUNK_COUNT;
    let arm_row = arm_chain(p);
    let leg_row = leg_chain(p);
    let trunk = trunk_chain(p);
    let leg_share = leg_share * (1.0 - arm_share);
    let trunk_share = 1.0 - arm_share - leg_share;
    for (joint, share) in trunk.into_iter().enumerate() {
        row[joint] = share * trunk_share;
    }
    // The collar bone takes the top of the shoulder from the upper chest.
    let lift = past(p, dvec3(0.085, 1.39, 0.0), dvec3(1.0, 0.35, 0.0), 0.06) * smoothstep(1.27, 1.39, p.y);
    row[limbs] = row[3] * lift;
    row[3] -= row[limbs];
    for (joint, share) in arm_row.into_iter().enumerate() {
        row[limbs + 1 + joint] = share * arm_share;
    }
    for (joint, share) in leg_row.into_iter().enumerate() {
        row[limbs + 4 + joint] = share * leg_share;
    }
    row
}

/// Splits one along a chain, given how far the point is past each joint after the first.
fn chain<const N: usize>(past_joint: [f64; N]) -> [f64; N] {
    // `past_joint[0]` is that of the first joint and always one.
    let mut shares = past_joint;
    for i in 1..N {
        shares[i] = shares[i - 1] * past_joint[i];
        shares[i - 1] -= shares[i];
    }
    shares
}

fn trunk_chain(p: DVec3) -> [f64; TRUNK_COUNT] {
    let head = past(p, HEAD + dvec3(0.0, 0.002, 0.0), dvec3(0.0, 0.85, 0.53), 0.034);
    chain([
        1.0,
        past(p, SPINE, DVec3::Y, 0.065),
        past(p, CHEST, DVec3::Y, 0.06),
        past(p, UPPER_CHEST, DVec3::Y, 0.06),
        past(p, NECK + dvec3(0.0, 0.006, 0.0), dvec3(0.0, 0.96, 0.28), 0.036),
        head,
    ])
}

/// Upper arm, lower arm, hand.
fn arm_chain(p: DVec3) -> [f64; 3] {
    let along = HAND - UPPER_ARM;
    chain([1.0, past(p, LOWER_ARM, along, 0.045), past(p, HAND, along, 0.03)])
}

/// Upper leg, lower leg, foot, toes.
fn leg_chain(p: DVec3) -> [f64; 4] {
    chain([
        1.0,
        past(p, LOWER_LEG, DVec3::NEG_Y, 0.055),
        past(p, FOOT, dvec3(0.0, -0.85, 0.52), 0.034),
        past(p, TOES, DVec3::Z, 0.022),
    ])
}

/// The row of the mirror image of a point.
pub(crate) fn mirrored_row(row: &Row) -> Row {
    let mut other = *row;
    other[TRUNK_COUNT..].rotate_left(LIMB_COUNT);
    other
}
