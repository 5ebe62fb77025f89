//! The arm: an industrial robot with six hinges and a gripper. Each part is bound to one joint.

use crate::model::{Model, unrotated_nodes};
use crate::paint::{CORAL, INK, TEAL, VINYL};
use crate::rigs;
use crate::solids::{Shape, cylinder, revolve, rounded_box};
use glam::{DQuat, DVec3, dvec3};
use std::error::Error;

/// Name, parent and world position in metres of each joint.
const JOINTS: [(&str, Option<usize>, DVec3); 10] = [
    ("base", None, DVec3::ZERO),
    ("axis_1", Some(0), dvec3(0.0, 0.2, 0.0)),
    ("axis_2", Some(1), dvec3(0.0, 0.42, 0.12)),
    ("axis_3", Some(2), dvec3(0.0, 1.02, 0.04)),
    ("axis_4", Some(3), dvec3(0.0, 1.12, 0.22)),
    ("axis_5", Some(4), dvec3(0.0, 1.12, 0.68)),
    ("axis_6", Some(5), dvec3(0.0, 1.12, 0.79)),
    ("gripper", Some(6), dvec3(0.0, 1.12, 0.87)),
    ("jaw_left", Some(7), dvec3(0.045, 1.12, 0.92)),
    ("jaw_right", Some(7), dvec3(-0.045, 1.12, 0.92)),
];

/// Name, local axis, and minimum and maximum angle in degrees of each hinge.
const HINGES: [(&str, [i32; 3], i32, i32); 8] = [
    ("axis_1", [0, 1, 0], -170, 170),
    ("axis_2", [1, 0, 0], -60, 95),
    ("axis_3", [1, 0, 0], -80, 130),
    ("axis_4", [0, 0, 1], -185, 185),
    ("axis_5", [1, 0, 0], -120, 120),
    ("axis_6", [0, 0, 1], -350, 350),
    ("jaw_left", [0, 1, 0], -25, 12),
    ("jaw_right", [0, 1, 0], -12, 25),
];

pub(crate) fn model() -> Result<Model, Box<dyn Error>> {
    let at = |joint: usize| JOINTS[joint].2;
    // Rotations from +Y to +X and from +Y to +Z.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let (across, ahead) = (DQuat::from_xyzw(0.0, 0.0, -half, half), DQuat::from_xyzw(half, 0.0, 0.0, half));
    let mut shape = Shape::default();
    let foot = [
        (0.0, 0.0),
        (0.235, 0.0),
        (0.25, 0.015),
        (0.25, 0.045),
        (0.238, 0.058),
        (0.175, 0.07),
        (0.16, 0.085),
        (0.155, 0.185),
        (0.148, 0.192),
        (0.0, 0.192),
    ];
    shape.rigid(revolve(&foot, 48), VINYL, 0);
    for i in 0..6 {
        let angle = std::f64::consts::TAU * f64::from(i) / 6.0;
        let position = dvec3(0.205 * libm::sin(angle), 0.066, 0.205 * libm::cos(angle));
        shape.rigid(cylinder(0.014, 0.012, 0.003).at(position), INK, 0);
    }
    // The turntable and its fork.
    let table = [(0.0, 0.196), (0.148, 0.196), (0.158, 0.206), (0.158, 0.262), (0.145, 0.277), (0.0, 0.285)];
    shape.rigid(revolve(&table, 44), CORAL, 1);
    for side in [1.0, -1.0] {
        shape.rigid(rounded_box(dvec3(0.03, 0.13, 0.1), 0.022).at(dvec3(0.105 * side, 0.35, 0.07)), CORAL, 1);
        shape.rigid(cylinder(0.078, 0.012, 0.006).placed(across, at(2) + DVec3::X * 0.14 * side), INK, 1);
    }
    shape.rigid(rounded_box(dvec3(0.07, 0.08, 0.07), 0.02).at(dvec3(0.0, 0.33, -0.07)), INK, 1);
    // The upper arm.
    shape.rigid(cylinder(0.1, 0.072, 0.012).placed(across, at(2)), TEAL, 2);
    let lean = tilt(at(3) - at(2));
    let middle = (at(2) + at(3)) * 0.5;
    shape.rigid(rounded_box(dvec3(0.055, 0.3, 0.078), 0.026).placed(lean, middle), CORAL, 2);
    for side in [1.0, -1.0] {
        let panel = rounded_box(dvec3(0.006, 0.19, 0.04), 0.005);
        shape.rigid(panel.placed(lean, middle + DVec3::X * 0.056 * side), VINYL, 2);
        shape.rigid(cylinder(0.062, 0.012, 0.005).placed(across, at(3) + DVec3::X * 0.105 * side), INK, 3);
    }
    // The elbow, and the forearm, which rolls.
    shape.rigid(cylinder(0.092, 0.094, 0.014).placed(across, at(3)), TEAL, 3);
    shape.rigid(rounded_box(dvec3(0.078, 0.085, 0.12), 0.028).at(dvec3(0.0, 1.12, 0.07)), CORAL, 3);
    shape.rigid(cylinder(0.05, 0.04, 0.008).placed(ahead, dvec3(0.0, 1.13, -0.075)), INK, 3);
    let forearm = [
        (0.0, -0.03),
        (0.076, -0.03),
        (0.084, -0.02),
        (0.084, 0.03),
        (0.076, 0.045),
        (0.056, 0.34),
        (0.06, 0.355),
        (0.06, 0.385),
        (0.053, 0.394),
        (0.0, 0.394),
    ];
    shape.rigid(revolve(&forearm, 36).placed(ahead, at(4)), CORAL, 4);
    shape.rigid(cylinder(0.0865, 0.012, 0.004).placed(ahead, at(4) + DVec3::Z * 0.012), VINYL, 4);
    for side in [1.0, -1.0] {
        shape.rigid(
            rounded_box(dvec3(0.013, 0.044, 0.075), 0.011).at(at(5) + dvec3(0.052 * side, 0.0, -0.04)),
            CORAL,
            4,
        );
    }
    // The wrist, the flange and the gripper.
    shape.rigid(cylinder(0.052, 0.037, 0.008).placed(across, at(5)), TEAL, 5);
    shape.rigid(cylinder(0.038, 0.052, 0.006).placed(ahead, at(5) + DVec3::Z * 0.055), VINYL, 5);
    shape.rigid(cylinder(0.046, 0.02, 0.005).placed(ahead, at(6) + DVec3::Z * 0.022), INK, 6);
    shape.rigid(rounded_box(dvec3(0.08, 0.032, 0.03), 0.01).at(at(7) + DVec3::Z * 0.005), TEAL, 7);
    for (joint, side) in [(8, 1.0), (9, -1.0)] {
        shape.rigid(cylinder(0.02, 0.036, 0.005).at(at(joint)), INK, joint);
        shape.rigid(
            rounded_box(dvec3(0.013, 0.024, 0.062), 0.008).at(at(joint) + dvec3(0.006 * side, 0.0, 0.05)),
            VINYL,
            joint,
        );
        shape.rigid(
            rounded_box(dvec3(0.012, 0.022, 0.024), 0.006).at(at(joint) + dvec3(-0.012 * side, 0.0, 0.105)),
            INK,
            joint,
        );
    }
    let nodes =
        unrotated_nodes(JOINTS.map(|(name, parent, position)| (name.to_owned(), parent, position)).into());
    let skin = shape.skin("robot", (0..JOINTS.len()).collect(), 1, 0.15)?;
    let mut rig = rigs::RigText::new();
    rig.chain("arm", "limb", "axis_1", "gripper");
    for (node, axis, min, max) in HINGES {
        rig.hinge(node, axis.map(f64::from), min, max);
    }
    Ok(Model { name: "arm", nodes, skins: vec![skin], clips: Vec::new(), humanoid: false, rig: rig.finish() })
}

/// Returns the rotation from +Y to a direction that is perpendicular to X.
fn tilt(direction: DVec3) -> DQuat {
    let to = direction.normalize();
    DQuat::from_xyzw(to.z, 0.0, 0.0, 1.0 + to.y).normalize()
}
