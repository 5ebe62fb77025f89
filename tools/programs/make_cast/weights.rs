//! Skin weights of the left half: smooth transitions across the joints, limited to each limb and then diffused over the
//! mesh.

use crate::body::{arm, torso};
use crate::mesh::Mesh;
use crate::sdf::smoothstep;
use crate::skeleton::{
    CHEST, FOOT, HAND, HEAD, JOINT_COUNT, LIMB_COUNT, LOWER_ARM, LOWER_LEG, NECK, SPINE, TOES, TRUNK_COUNT,
    UPPER_ARM, UPPER_CHEST, UPPER_LEG,
};
use glam::{DVec3, dvec3};

/// Weights of all joints. The weights of joints on the right side are zero on the left half.
pub(crate) type Row = [f64; JOINT_COUNT];

/// Number of diffusion steps. Diffusion smooths the corners of the transitions over about one edge length.
const DIFFUSION_STEPS: usize = 6;

/// Returns the weights of each point of the left half. Every row sums to one.
pub(crate) fn bind(half: &Mesh) -> Vec<Row> {
    let mut rows: Vec<Row> = half.points.iter().map(|&p| row(p)).collect();
    let neighbours = half.neighbours();
    for _ in 0..DIFFUSION_STEPS {
        let before = rows.clone();
        for (index, around) in neighbours.iter().enumerate() {
            // Weights must not diffuse across the mirror plane, where the half mesh ends.
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

/// Returns the position of `p` relative to a joint at `centre` along a direction: 0 before the joint and 1 beyond it, with a smooth
/// transition of width 2 × `reach`.
fn past(p: DVec3, centre: DVec3, direction: DVec3, reach: f64) -> f64 {
    smoothstep(-reach, reach, (p - centre).dot(direction.normalize()))
}

/// Returns the weights at a point before diffusion. Each joint takes weight from its parent, so the sum stays one.
fn row(p: DVec3) -> Row {
    let mut row = [0.0; JOINT_COUNT];
    let arm_weight = past(p, UPPER_ARM + dvec3(-0.004, 0.0, 0.0), dvec3(0.93, -0.36, 0.0), 0.052)
        * smoothstep(-0.028, 0.028, torso(p) - arm(p) - 0.002);
    let leg_weight = past(p, UPPER_LEG + dvec3(0.0, -0.004, 0.0), dvec3(0.28, -0.96, 0.0), 0.075)
        * smoothstep(0.0, 0.03, p.x)
        * (1.0 - smoothstep(0.25, 0.35, p.x));
    let limbs = TRUNK_COUNT;
    let arm_row = arm_chain(p);
    let leg_row = leg_chain(p);
    let trunk = trunk_chain(p);
    let leg_weight = leg_weight * (1.0 - arm_weight);
    let trunk_weight = 1.0 - arm_weight - leg_weight;
    for (joint, weight) in trunk.into_iter().enumerate() {
        row[joint] = weight * trunk_weight;
    }
    // The collarbone takes over the weight of the top of the shoulder from the upper chest.
    let lift = past(p, dvec3(0.085, 1.39, 0.0), dvec3(1.0, 0.35, 0.0), 0.06) * smoothstep(1.27, 1.39, p.y);
    row[limbs] = row[3] * lift;
    row[3] -= row[limbs];
    for (joint, weight) in arm_row.into_iter().enumerate() {
        row[limbs + 1 + joint] = weight * arm_weight;
    }
    for (joint, weight) in leg_row.into_iter().enumerate() {
        row[limbs + 4 + joint] = weight * leg_weight;
    }
    row
}

/// Distributes a weight of one along a chain, given the result of `past` for each joint.
fn chain<const N: usize>(past_joint: [f64; N]) -> [f64; N] {
    // `past_joint[0]` belongs to the first joint and is always one.
    let mut weights = past_joint;
    for i in 1..N {
        weights[i] = weights[i - 1] * past_joint[i];
        weights[i - 1] -= weights[i];
    }
    weights
}

/// Returns the weights of the torso joints, from the hips to the head.
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

/// Returns the weights of the upper arm, the lower arm and the hand.
fn arm_chain(p: DVec3) -> [f64; 3] {
    let along = HAND - UPPER_ARM;
    chain([1.0, past(p, LOWER_ARM, along, 0.045), past(p, HAND, along, 0.03)])
}

/// Returns the weights of the upper leg, the lower leg, the foot and the toes.
fn leg_chain(p: DVec3) -> [f64; 4] {
    chain([
        1.0,
        past(p, LOWER_LEG, DVec3::NEG_Y, 0.055),
        past(p, FOOT, dvec3(0.0, -0.85, 0.52), 0.034),
        past(p, TOES, DVec3::Z, 0.022),
    ])
}

/// Returns the row for the mirror image of a point.
pub(crate) fn mirrored_row(row: &Row) -> Row {
    let mut other = *row;
    other[TRUNK_COUNT..].rotate_left(LIMB_COUNT);
    other
}
