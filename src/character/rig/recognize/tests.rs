//! Bodies are recognised in skeletons without names, regardless of their facing direction and size.

use std::path::PathBuf;

use glam::{Affine3A, Quat, Vec3, Vec4};

use super::recognize;
use crate::asset::{Character, Influences, Mesh, Node, Primitive, Skeleton, Skin, Transform};
use crate::ik::Limit;
use crate::rig::body_plan::{BodyKind, BodyPlan, LimbKind, LimbSide};

/// A skeleton under construction. Every joint moves a small part of the skin unless it is a control joint.
#[derive(Default)]
struct Figure {
    joints: Vec<(Option<usize>, Vec3)>,
    controls: Vec<usize>,
}

impl Figure {
    fn add(&mut self, parent: Option<usize>, at: [f32; 3]) -> usize {
        self.joints.push((parent, at.into()));
        self.joints.len() - 1
    }

    fn chain(&mut self, parent: usize, places: &[[f32; 3]]) -> Vec<usize> {
        let mut above = parent;
        let mut nodes = Vec::new();
        for &at in places {
            above = self.add(Some(above), at);
            nodes.push(above);
        }
        nodes
    }

    /// Adds the same chain on both sides. Returns the joints at +X and the joints at -X.
    fn pair(&mut self, parent: usize, places: &[[f32; 3]]) -> [Vec<usize>; 2] {
        let mirrored: Vec<[f32; 3]> = places.iter().map(|&[x, y, z]| [-x, y, z]).collect();
        [self.chain(parent, places), self.chain(parent, &mirrored)]
    }

    /// Returns the character, turned about the vertical axis and scaled.
    fn character(&self, turn: f32, scale: f32) -> Character {
        let at = |n: usize| Quat::from_rotation_y(turn) * self.joints[n].1 * scale;
        let mut skeleton = Skeleton::default();
        let mut skin =
            Skin { name: None, joints: Vec::new(), joint_from_mesh: Vec::new(), has_inverse_binds: true };
        let mut primitive = Primitive::default();
        let mut influences = Influences::default();
        for (n, &(parent, _)) in self.joints.iter().enumerate() {
            let translation = at(n) - parent.map_or(Vec3::ZERO, at);
            skeleton.nodes.push(Node::unnamed(parent, Transform::from_translation(translation)));
            skeleton.parents_first.push((n, parent));
            if let Some(parent) = parent {
                skeleton.nodes[parent].children.push(n);
            }
            skin.joints.push(n);
            skin.joint_from_mesh.push(Affine3A::from_translation(-at(n)));
            if self.controls.contains(&n) {
                continue;
            }
            let end = self.joints.iter().position(|(p, _)| *p == Some(n)).map_or(at(n), at);
            let middle = at(n).lerp(end, 0.5);
            let first = u32::try_from(primitive.positions.len()).unwrap();
            primitive.triangles.push([first, first + 1, first + 2]);
            let size = 0.02 * scale;
            primitive.positions.extend([Vec3::X, Vec3::NEG_X, Vec3::Z].map(|v| middle + size * v));
            for _ in 0..3 {
                influences.joints.push([u16::try_from(n).unwrap(), 0, 0, 0]);
                influences.weights.push(Vec4::X);
            }
        }
        primitive.influences.push(influences);
        let node = skeleton.nodes.len();
        let mesh = Node::unnamed(None, Transform::IDENTITY);
        skeleton.nodes.push(Node { mesh: Some(0), skin: Some(0), ..mesh });
        skeleton.parents_first.push((node, None));
        let mesh =
            Mesh { name: None, primitives: vec![primitive], weights: Vec::new(), target_names: Vec::new() };
        let path = PathBuf::from("figure");
        Character { path, skeleton, skins: vec![skin], meshes: vec![mesh], ..Character::default() }
    }
}

/// The joints of a biped that faces +Z.
struct Biped {
    figure: Figure,
    hips: usize,
    chest: usize,
    head: usize,
    arms: [Vec<usize>; 2],
    legs: [Vec<usize>; 2],
}

const T_POSE: [[f32; 3]; 5] =
    [[0.05, 1.42, 0.0], [0.2, 1.42, 0.0], [0.46, 1.42, -0.01], [0.7, 1.42, 0.0], [0.78, 1.42, 0.0]];
const A_POSE: [[f32; 3]; 5] =
    [[0.05, 1.42, 0.0], [0.18, 1.4, 0.0], [0.36, 1.2, -0.02], [0.52, 1.02, 0.01], [0.56, 0.95, 0.02]];

fn biped(arms: &[[f32; 3]]) -> Biped {
    let mut figure = Figure::default();
    let root = figure.add(None, [0.0; 3]);
    figure.controls.push(root);
    let hips = figure.add(Some(root), [0.0, 1.0, 0.0]);
    let spine = figure.chain(hips, &[[0.0, 1.12, 0.0], [0.0, 1.32, -0.01]]);
    let chest = spine[1];
    let neck = figure.chain(chest, &[[0.0, 1.5, -0.01], [0.0, 1.6, 0.0]]);
    let arms = figure.pair(chest, arms);
    let leg = [[0.1, 0.95, 0.0], [0.1, 0.5, 0.01], [0.1, 0.08, -0.02], [0.1, 0.0, 0.12]];
    let legs = figure.pair(hips, &leg);
    Biped { figure, hips, chest, head: neck[1], arms, legs }
}

fn limb(plan: &BodyPlan, kind: LimbKind, side: LimbSide) -> &[usize] {
    let mut found = plan.limbs.iter().filter(|l| l.kind == kind && l.side == side);
    &found.next().unwrap_or_else(|| panic!("no {side:?} {kind:?} in {plan:#?}")).joints
}

fn check(body: &Biped, turn: f32, scale: f32) {
    let found = recognize(&body.figure.character(turn, scale)).unwrap();
    let plan = &found.plan;
    assert_eq!((plan.kind, plan.hips, plan.chest()), (BodyKind::Biped, body.hips, body.chest), "{plan:#?}");
    assert_eq!(plan.head(), Some(body.head), "{plan:#?}");
    for (i, side) in [LimbSide::Left, LimbSide::Right].into_iter().enumerate() {
        assert_eq!(limb(plan, LimbKind::Arm, side), &body.arms[i][1..4]);
        assert_eq!(limb(plan, LimbKind::Leg, side), &body.legs[i][..3]);
    }
    let front = Quat::from_rotation_y(turn) * Vec3::Z;
    assert!(plan.facing.dot(front) > 0.99, "{} instead of {front}", plan.facing);
    assert!(plan.certainty > 0.7, "{plan:#?}");
}

/// Regression test: because of its joint names, a mirrored body was mistaken for a figure that walks backwards.
#[test]
fn a_mirrored_body_faces_where_its_feet_point() {
    let plain = crate::asset::mannequin().unwrap();
    let mut mirrored = plain.clone();
    for (node, parent) in plain.skeleton.parents_first.iter().copied() {
        if parent.is_none() {
            let rest = &mut mirrored.skeleton.nodes[node].rest;
            (rest.scale.x, rest.translation.x) = (-rest.scale.x, -rest.translation.x);
        }
    }
    let [plain, mirrored] = [plain, mirrored].map(|character| recognize(&character).unwrap().plan);
    assert!(mirrored.facing.dot(plain.facing) > 0.99, "{}", mirrored.facing);
    assert!(mirrored.certainty > 0.9, "{mirrored:#?}");
    for kind in [LimbKind::Arm, LimbKind::Leg] {
        assert_eq!(limb(&mirrored, kind, LimbSide::Left), limb(&plain, kind, LimbSide::Right));
    }
}

#[test]
fn bipeds_are_recognised_in_any_pose_direction_and_size() {
    use std::f32::consts::{FRAC_PI_2, PI};
    for arms in [&T_POSE, &A_POSE] {
        for turn in [0.0, FRAC_PI_2, PI, -0.6] {
            for scale in [0.01, 1.0, 100.0] {
                check(&biped(arms), turn, scale);
            }
        }
    }
}

#[test]
fn twist_joints_are_not_part_of_limbs() {
    let mut body = biped(&T_POSE);
    for side in 0..2 {
        for (limb, i) in [(&body.arms[side], 1), (&body.arms[side], 2), (&body.legs[side], 0)] {
            let (a, b) = (body.figure.joints[limb[i]].1, body.figure.joints[limb[i + 1]].1);
            body.figure.add(Some(limb[i]), a.lerp(b, 0.5).to_array());
        }
    }
    check(&body, 0.0, 1.0);
}

#[test]
fn control_joints_and_props_do_not_matter() {
    let mut body = biped(&A_POSE);
    for at in [[0.1, 0.5, 1.0], [-0.1, 0.5, 1.0], [0.0, 2.5, 0.0]] {
        let control = body.figure.add(Some(0), at);
        body.figure.controls.push(control);
    }
    // A sword in one hand.
    let hand = body.arms[1][3];
    body.figure.chain(hand, &[[-0.55, 0.95, 0.1], [-0.55, 0.95, 0.6], [-0.55, 0.95, 1.1]]);
    check(&body, 0.0, 1.0);
}

#[test]
fn hips_and_feet_may_be_attached_elsewhere() {
    let mut figure = Figure::default();
    let root = figure.add(None, [0.0; 3]);
    let body = figure.add(Some(root), [0.0, 1.05, 0.2]);
    figure.controls.extend([root, body]);
    let hips = figure.add(Some(body), [0.0, 1.0, 0.0]);
    let chest = figure.chain(hips, &[[0.0, 1.12, 0.0], [0.0, 1.32, 0.0]])[1];
    figure.chain(chest, &[[0.0, 1.5, 0.0], [0.0, 1.6, 0.0]]);
    figure.pair(chest, &A_POSE);
    let legs = figure.pair(body, &[[0.1, 0.95, 0.0], [0.1, 0.5, 0.02], [0.1, 0.08, 0.0]]);
    figure.controls.extend([legs[0][2], legs[1][2]]);
    let feet = [0.1, -0.1].map(|x| figure.chain(root, &[[x, 0.08, 0.0], [x, 0.0, 0.15]])[0]);
    let found = recognize(&figure.character(0.0, 1.0)).unwrap();
    assert_eq!(found.plan.hips, hips);
    for (side, (leg, foot)) in [LimbSide::Left, LimbSide::Right].into_iter().zip(legs.iter().zip(feet)) {
        assert_eq!(limb(&found.plan, LimbKind::Leg, side), [leg[0], leg[1], foot]);
        assert_eq!(found.logical_parents.get(&foot), Some(&leg[1]));
        assert_eq!(found.logical_parents.get(&leg[0]), Some(&hips));
    }
}

#[test]
fn a_leg_that_is_nearly_straight_bends_as_the_other_one() {
    // In a dinosaur whose rest pose is in mid-step, one leg bent to the front and the other to the back.
    let mut body = biped(&A_POSE);
    for (leg, knee, foot) in [(0, -0.25, -0.1), (1, 0.02, 0.03)] {
        let [_, k, f, ..] = body.legs[leg][..] else { panic!("a leg has four joints") };
        (body.figure.joints[k].1.z, body.figure.joints[f].1.z) = (knee, foot);
    }
    let character = body.figure.character(0.0, 1.0);
    let plan = recognize(&character).unwrap().plan;
    let legs: Vec<_> = plan.legs().collect();
    assert_eq!(legs.len(), 2);
    for leg in &legs {
        assert!(leg.bend.z < -0.8, "{:?} bends to {}", leg.side, leg.bend);
    }
    let rig = crate::rig::load(&character, None).unwrap();
    for leg in &legs {
        let Limit::Hinge { axis, max, .. } = rig.joints[&leg.joints[1]].limit else {
            panic!("a knee is a hinge")
        };
        // A shin that points down turns forwards about -X, so that the knee moves backwards.
        assert!(axis.x * max < -1.5, "{:?}: {axis} {max}", leg.side);
    }
}

#[test]
fn quadrupeds_and_spiders_are_recognised() {
    let mut figure = Figure::default();
    let hips = figure.add(None, [0.0, 0.6, -0.4]);
    let chest = figure.chain(hips, &[[0.0, 0.62, -0.1], [0.0, 0.6, 0.3]])[1];
    figure.chain(chest, &[[0.0, 0.75, 0.45], [0.0, 0.85, 0.6]]);
    figure.chain(hips, &[[0.0, 0.6, -0.5], [0.0, 0.5, -0.6], [0.0, 0.4, -0.7]]);
    let hind = figure.pair(
        hips,
        &[[0.1, 0.55, -0.4], [0.1, 0.35, -0.35], [0.1, 0.2, -0.5], [0.1, 0.03, -0.45], [0.1, 0.0, -0.38]],
    );
    let fore = figure.pair(chest, &[[0.1, 0.5, 0.3], [0.1, 0.3, 0.25], [0.1, 0.04, 0.3], [0.1, 0.0, 0.36]]);
    for turn in [0.0, 1.5, 3.0] {
        let plan = recognize(&figure.character(turn, 1.0)).unwrap().plan;
        assert_eq!((plan.kind, plan.hips, plan.chest()), (BodyKind::Quadruped, hips, chest), "{plan:#?}");
        let joints: Vec<&[usize]> = plan.limbs.iter().map(|l| &l.joints[..]).collect();
        assert_eq!(joints, [&fore[0][..3], &fore[1][..3], &hind[0][..4], &hind[1][..4]]);
        assert!(plan.facing.dot(Quat::from_rotation_y(turn) * Vec3::Z) > 0.99, "{plan:#?}");
        assert_eq!(plan.tails.len(), 1);
    }
    let mut spider = Figure::default();
    let body = spider.add(None, [0.0, 0.3, 0.0]);
    spider.chain(body, &[[0.0, 0.35, -0.3], [0.0, 0.3, -0.6]]);
    for (i, z) in [0.3, 0.1, -0.1, -0.3].into_iter().enumerate() {
        let far = [0.9, 0.4, -0.3, -0.9][i];
        spider.pair(body, &[[0.1, 0.3, 0.3 * z], [0.4, 0.5, 0.5 * far], [0.7, 0.2, far], [0.8, 0.0, far]]);
    }
    let plan = recognize(&spider.character(0.0, 1.0)).unwrap().plan;
    assert_eq!((plan.kind, plan.hips, plan.limbs.len()), (BodyKind::ManyLegged, body, 8));
    assert!(plan.facing.z > 0.99, "{plan:#?}");
}

#[test]
fn what_has_no_body_is_not_recognised() {
    let mut snake = Figure::default();
    let first = snake.add(None, [0.0; 3]);
    let places: Vec<[f32; 3]> = (1..20_u16).map(|i| [0.0, 0.0, f32::from(i)]).collect();
    snake.chain(first, &places);
    assert!(recognize(&snake.character(0.0, 1.0)).is_err());
    // A hand with five fingers.
    let mut hand = Figure::default();
    let wrist = hand.add(None, [0.0, 1.0, 0.0]);
    for x in [-0.04, -0.02, 0.0, 0.02, 0.04] {
        hand.chain(wrist, &[[x, 0.9, 0.0], [x, 0.87, 0.0], [x, 0.85, 0.0]]);
    }
    assert!(recognize(&hand.character(0.0, 1.0)).is_err());
    assert!(recognize(&Character::default()).is_err());
}
