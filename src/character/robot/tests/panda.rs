//! A Panda-like arm with a mesh for each link, for tests of collisions and trajectories.

use std::f64::consts::{FRAC_PI_2, TAU};

use glam::{DQuat, DVec3};

use crate::asset::{
    Character, JointKind, MechanicalJoint, Mesh, Node, Primitive, Scene, Skeleton, Transform,
};
use crate::robot::Robot;

/// Joint values of the pose in which the arm is ready, with the gripper half open.
pub(super) const READY: [f64; 8] = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785, 0.02];

/// A link: its name, its joint, the joint's position and rotation about X, and the ends and the radius of its tube.
struct PandaLink {
    name: &'static str,
    parent: Option<usize>,
    kind: JointKind,
    offset: [f64; 3],
    roll: f64,
    velocity: f64,
    tube: ([f64; 3], [f64; 3], f64),
}

fn parts() -> Vec<PandaLink> {
    let hinge = |min, max| JointKind::Hinge { axis: DVec3::Z, range: Some([min, max]) };
    let slide = |axis| JointKind::Slide { axis, range: [0.0, 0.04] };
    let part = |name, kind, (offset, roll, velocity), tube| PandaLink {
        name,
        parent: None,
        kind,
        offset,
        roll,
        velocity,
        tube,
    };
    let (h, o) = (FRAC_PI_2, [0.0; 3]);
    let mut parts = vec![
        part("link0", JointKind::Fixed, (o, 0.0, 0.0), ([-0.1, 0.0, 0.06], [0.0, 0.0, 0.06], 0.06)),
        part("link1", hinge(-2.8973, 2.8973), ([0.0, 0.0, 0.333], 0.0, 2.175), ([0.0, 0.0, -0.19], o, 0.055)),
        part("link2", hinge(-1.7628, 1.7628), (o, -h, 2.175), (o, [0.0, -0.19, 0.0], 0.055)),
        part("link3", hinge(-2.8973, 2.8973), ([0.0, -0.316, 0.0], h, 2.175), ([0.0, 0.0, -0.12], o, 0.055)),
        part("link4", hinge(-3.0718, -0.0698), ([0.0825, 0.0, 0.0], h, 2.175), (o, [-0.08, 0.1, 0.0], 0.05)),
        part(
            "link5",
            hinge(-2.8973, 2.8973),
            ([-0.0825, 0.384, 0.0], -h, 2.61),
            ([0.0, 0.0, -0.25], o, 0.05),
        ),
        part("link6", hinge(-0.0175, 3.7525), (o, h, 2.61), (o, [0.088, 0.0, 0.0], 0.045)),
        part("link7", hinge(-2.8973, 2.8973), ([0.088, 0.0, 0.0], h, 2.61), (o, [0.0, 0.0, 0.1], 0.04)),
        part(
            "hand",
            JointKind::Fixed,
            ([0.0, 0.0, 0.107], 0.0, 0.0),
            ([0.0, -0.1, 0.03], [0.0, 0.1, 0.03], 0.03),
        ),
        part(
            "finger1",
            slide(DVec3::Y),
            ([0.0, 0.0, 0.06], 0.0, 0.2),
            ([0.0, 0.012, 0.0], [0.0, 0.012, 0.05], 0.01),
        ),
        part(
            "finger2",
            slide(-DVec3::Y),
            ([0.0, 0.0, 0.06], 0.0, 0.1),
            ([0.0, -0.012, 0.0], [0.0, -0.012, 0.05], 0.01),
        ),
    ];
    for (index, part) in parts.iter_mut().enumerate().skip(1) {
        part.parent = Some((index - 1).min(8));
    }
    parts
}

/// Returns a closed tube with eight sides.
fn tube((from, to, radius): ([f64; 3], [f64; 3], f64)) -> Primitive {
    let [from, to] = [from, to].map(DVec3::from);
    let (u, v) = (to - from).normalize().any_orthonormal_pair();
    let mut mesh = Primitive::default();
    for end in [from, to] {
        for i in 0..8 {
            let (sin, cos) = (TAU * f64::from(i) / 8.0).sin_cos();
            mesh.positions.push((end + (u * cos + v * sin) * radius).as_vec3());
            mesh.normals.push((u * cos + v * sin).as_vec3());
        }
    }
    for i in 0..8 {
        let next = (i + 1) % 8;
        mesh.triangles.extend([[i, next, next + 8], [i, next + 8, i + 8]]);
        if (1..7).contains(&i) {
            mesh.triangles.extend([[0, i + 1, i], [8, i + 8, i + 9]]);
        }
    }
    mesh
}

/// Returns the character of the arm.
pub(super) fn panda() -> Character {
    let parts = parts();
    let joint = |(order, part): (usize, &PandaLink)| MechanicalJoint {
        name: if part.kind == JointKind::Fixed { String::new() } else { format!("{}_joint", part.name) },
        order,
        kind: part.kind,
        origin: (part.offset.into(), DQuat::from_rotation_x(part.roll)),
        rest_value: part
            .kind
            .range()
            .map_or(0.0, |[a, b]| if a <= 0.0 && b >= 0.0 { 0.0 } else { 0.5 * (a + b) }),
        velocity: Some(part.velocity).filter(|velocity| *velocity > 0.0),
        mimic: (part.name == "finger2").then_some((9, 1.0, 0.0)),
    };
    let node = |(index, part): (usize, &PandaLink)| {
        let rest = Transform {
            translation: DVec3::from(part.offset).as_vec3(),
            rotation: DQuat::from_rotation_x(part.roll).as_quat(),
            ..Transform::IDENTITY
        };
        Node { name: Some(part.name.into()), mesh: Some(index), ..Node::unnamed(part.parent, rest) }
    };
    let mesh = |part: &PandaLink| Mesh {
        name: Some(part.name.into()),
        primitives: vec![tube(part.tube)],
        weights: Vec::new(),
        target_names: Vec::new(),
    };
    let mut nodes: Vec<Node> = parts.iter().enumerate().map(node).collect();
    for (index, part) in parts.iter().enumerate() {
        if let Some(parent) = part.parent {
            nodes[parent].children.push(index);
        }
    }
    let skeleton = Skeleton {
        nodes,
        parents_first: parts.iter().map(|part| part.parent).enumerate().collect(),
        ..Skeleton::default()
    };
    Character {
        skeleton,
        scenes: vec![Scene { name: Some("panda".into()), roots: vec![0] }],
        meshes: parts.iter().map(mesh).collect(),
        joints: parts.iter().enumerate().map(joint).enumerate().collect(),
        ..Character::default()
    }
}

pub(super) fn robot() -> Robot {
    Robot::new(&panda()).unwrap()
}
