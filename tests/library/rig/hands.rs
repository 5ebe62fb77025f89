//! Hands: their fingers close towards the palm on any character, and both hands are mirror images.

use glam::{Affine3A, Vec3};
use sinew::asset::{Character, load, mannequin};
use sinew::ik::Limit;
use sinew::pose::{Mirror, Pose, world_matrices};
use sinew::rig::{self, BodyLimb, BodyPlan, Hand, HandPose, Rig};

use sinew_testkit::external;

/// Third-party characters, whose joints have all kinds of axes: with three bones in each finger, with a single finger, and with bones in the
/// palm. One has a thumb that is named after the wrong side.
const STRANGERS: [&str; 6] = [
    "quaternius/modular_men/Adventurer/Adventurer.glb",
    "quaternius/modular_women/Witch/Witch.glb",
    "quaternius/single_knight_pack/KnightCharacter/KnightCharacter.glb",
    "ozz-animation/converted/arnaud/arnaud.glb",
    "raylib/robot/robot.glb",
    "vrm/VRMC_materials_mtoon_UV_Animation_Test.vrm",
];

struct Posed {
    character: Character,
    rig: Rig,
    pose: Pose,
}

impl Posed {
    fn new(character: Character) -> Self {
        let rig = rig::detect(&character);
        Self { pose: Pose::rest(&character.skeleton), rig, character }
    }

    fn arms(&self) -> Vec<BodyLimb> {
        self.rig.body.iter().flat_map(BodyPlan::arms).cloned().collect()
    }

    fn hand(&self, arm: &BodyLimb) -> Hand {
        Hand::new(&self.character.skeleton, &self.rig, arm).unwrap()
    }

    fn turn(&mut self, rotations: Vec<(usize, glam::Quat)>) {
        assert!(!rotations.is_empty());
        for (joint, rotation) in rotations {
            self.pose.locals[joint].rotation = rotation;
        }
    }

    fn take(&mut self, pose: HandPose) {
        for arm in self.arms() {
            let rotations = self.hand(&arm).pose(&self.character.skeleton, &self.pose, pose);
            self.turn(rotations);
        }
    }

    fn world(&self) -> Vec<Affine3A> {
        let mut world = Vec::new();
        world_matrices(&self.character.skeleton, &self.pose, &mut world);
        world
    }

    fn position(&self, node: usize) -> Vec3 {
        self.world()[node].translation.into()
    }
}

fn characters() -> Vec<Posed> {
    let files = STRANGERS.iter().filter_map(|path| external(&format!("models/{path}")));
    let strangers = files.map(|path| load(&path).unwrap());
    std::iter::once(mannequin().unwrap()).chain(strangers).map(Posed::new).collect()
}

/// Returns the knuckles and the tips of the fingers without the thumb.
fn tips(posed: &Posed, hand: &Hand) -> Vec<(usize, usize)> {
    let tip = |joint: usize| {
        let child = posed.character.skeleton.nodes[joint].children.first().copied();
        child.unwrap_or(joint)
    };
    let fingers = hand.fingers().iter().filter(|finger| finger.name() != "Thumb");
    let ends = fingers.map(|finger| {
        let joints: Vec<usize> = finger.joints().collect();
        (joints[0], tip(joints[joints.len() - 1]))
    });
    ends.collect()
}

#[test]
fn a_fist_brings_the_tips_to_the_palm_and_on_its_side() {
    for mut posed in characters() {
        let name = posed.character.path.clone();
        let rest = posed.world();
        for arm in posed.arms() {
            let hand = posed.hand(&arm);
            let wrist = Vec3::from(rest[arm.end()].translation);
            let at = |world: &[Affine3A], node: usize| Vec3::from(world[node].translation);
            let pairs = tips(&posed, &hand);
            let thumb = hand.fingers().iter().find(|finger| finger.name() == "Thumb").unwrap();
            let thumb = at(&rest, thumb.joints().next().unwrap());
            posed.take(HandPose::Fist);
            let fist = posed.world();
            let knuckles = pairs.iter().map(|(knuckle, _)| at(&rest, *knuckle)).sum::<Vec3>()
                / f32::from(u8::try_from(pairs.len()).unwrap());
            // Palms face the floor or the body or, if the thumbs are up, the same direction as the body.
            let along = (knuckles - wrist).normalize();
            let facing = posed.rig.body.as_ref().unwrap().facing;
            let inwards = if at(&rest, arm.joints[0]).x > 0.0 { Vec3::NEG_X } else { Vec3::X };
            let thumb_is_up = (thumb - wrist).reject_from_normalized(along).normalize().y > 0.7;
            let palm = if thumb_is_up { facing } else { Vec3::NEG_Y + inwards };
            let palm = palm.reject_from_normalized(along).normalize();
            for (knuckle, tip) in pairs {
                let [before, after] = [&rest, &fist].map(|world| at(world, tip));
                let length = before.distance(at(&rest, knuckle));
                let depth = (after - at(&rest, knuckle)).dot(palm) / length;
                assert!(depth > 0.1, "{name:?}: {depth} of the finger is out of the palm");
                let nearer = before.distance(wrist) - after.distance(wrist);
                assert!(nearer > 0.2 * length, "{name:?}: {nearer} of {length}");
                assert!((at(&fist, knuckle) - at(&rest, knuckle)).length() < 1e-4);
            }
        }
    }
}

#[test]
fn both_hands_are_mirror_images_in_all_poses() {
    for mut posed in characters() {
        let name = posed.character.path.clone();
        let body = posed.rig.body.clone().unwrap();
        let mirror = Mirror::new(&posed.character.skeleton, &body);
        let rest = posed.world();
        for pose in HandPose::ALL {
            posed.take(pose);
            let world = posed.world();
            let [left, right] = [0, 1].map(|side| posed.hand(&posed.arms()[side]));
            assert_eq!(left.fingers().len(), right.fingers().len());
            for (left, right) in left.fingers().iter().zip(right.fingers()) {
                assert_eq!(left.name(), right.name());
                for (l, r) in left.joints().zip(right.joints()) {
                    // The rest poses of files are not quite symmetric.
                    let gap = |world: &[Affine3A]| {
                        let at = |node: usize| world[node].translation.as_dvec3();
                        mirror.point(at(l)).distance(at(r))
                    };
                    let allowed = gap(&rest) + 0.004 * f64::from(body.size);
                    assert!(gap(&world) < 3.0 * allowed, "{name:?} {pose:?}: {} {allowed}", gap(&world));
                }
            }
        }
    }
}

/// The tip of the thumb is outside the palm, at least part of the way along the first bone of the index finger.
#[test]
fn the_thumb_of_a_fist_lies_over_the_fingers() {
    for mut posed in characters() {
        let name = posed.character.path.clone();
        for arm in posed.arms() {
            let hand = posed.hand(&arm);
            let joints = |place: usize| hand.fingers()[place].joints().collect::<Vec<_>>();
            let (thumb, index) = (joints(0), joints(1));
            posed.take(HandPose::Fist);
            let [tip, knuckle, second] =
                [thumb[thumb.len() - 1], index[0], index[1]].map(|n| posed.position(n));
            let bone = second - knuckle;
            let height = (tip - knuckle).dot(bone) / bone.length_squared();
            assert!(height > 0.3, "{name:?}: the thumb is in the palm: {height}");
        }
    }
}

#[test]
fn curls_and_spreads_are_absolute_and_independent() {
    for mut posed in characters() {
        let name = posed.character.path.clone();
        let arm = posed.arms().remove(0);
        let hand = posed.hand(&arm);
        let skeleton = posed.character.skeleton.clone();
        for _ in 0..2 {
            posed.take(HandPose::Fist);
            for (finger, _) in hand.fingers().iter().enumerate() {
                let curl = hand.curl(&skeleton, &posed.pose, finger);
                assert!((curl - 1.0).abs() < 1e-3, "{name:?} {finger}: {curl}");
            }
        }
        let spread = hand.spread(&skeleton, &posed.pose);
        assert!(spread.is_none_or(|spread| spread.abs() < 1e-3), "{name:?}: {spread:?}");
        let first = hand.fingers().iter().position(|finger| finger.name() != "Thumb").unwrap();
        if spread.is_some() {
            posed.turn(hand.with_spread(&skeleton, &posed.pose, 0.8));
        }
        posed.turn(hand.with_curl(&skeleton, &posed.pose, first, 0.3));
        let curl = |finger: usize| hand.curl(&skeleton, &posed.pose, finger);
        assert!((curl(first) - 0.3).abs() < 1e-3, "{name:?}: {}", curl(first));
        let others = (0..hand.fingers().len()).filter(|&finger| finger != first);
        others.for_each(|finger| assert!((curl(finger) - 1.0).abs() < 1e-3, "{name:?} {finger}"));
        if let Some(spread) = hand.spread(&skeleton, &posed.pose) {
            assert!((spread - 0.8).abs() < 1e-3, "{name:?}: {spread}");
        }
        posed.take(HandPose::Relax);
        let rest = Pose::rest(&skeleton);
        let turns = posed.pose.locals.iter().zip(&rest.locals);
        assert!(turns.map(|(a, b)| a.rotation.dot(b.rotation).abs()).all(|dot| dot > 1.0 - 1e-6), "{name:?}");
    }
}

#[test]
fn a_spread_moves_the_tips_apart() {
    for mut posed in characters() {
        let arm = posed.arms().remove(0);
        let hand = posed.hand(&arm);
        let ends = tips(&posed, &hand);
        let ([(_, first), .., (_, last)], true) = (&ends[..], ends.len() > 1) else { continue };
        let mut apart = [0.0, 1.0].map(|spread| {
            let rotations = hand.with_spread(&posed.character.skeleton, &posed.pose, spread);
            posed.turn(rotations);
            posed.position(*first).distance(posed.position(*last))
        });
        apart.reverse();
        assert!(apart[0] > 1.3 * apart[1], "{:?}: {apart:?}", posed.character.path);
    }
}

#[test]
fn limits_are_kept_and_hinges_are_used() {
    for mut limited in characters() {
        let arm = limited.arms().remove(0);
        let free = limited.hand(&arm);
        let first = free.fingers().iter().find(|finger| finger.name() != "Thumb").unwrap();
        let [knuckle, middle, ..] = first.joints().collect::<Vec<_>>()[..] else { panic!("one joint") };
        // Limit one joint by a hinge whose axis is opposite to the turn of the fist, and another joint by a cone.
        limited.take(HandPose::Fist);
        let turn = |posed: &Posed, node: usize| {
            let rest = posed.character.skeleton.nodes[node].rest.rotation.as_dquat();
            rest.conjugate() * posed.pose.locals[node].rotation.as_dquat()
        };
        let axis = -turn(&limited, middle).normalize().to_axis_angle().0;
        let hinge = Limit::Hinge { axis, min: -0.5, max: 0.2 };
        limited.rig.joints.entry(middle).or_default().limit = hinge;
        let cone = sinew::ik::round_cone(axis, 0.3, [-0.4, 0.4]);
        limited.rig.joints.entry(knuckle).or_default().limit = cone;
        limited.take(HandPose::Fist);
        for (node, limit) in [(middle, hinge), (knuckle, cone)] {
            let excess = limit.limit_violation(turn(&limited, node));
            assert!(excess < 1e-3, "{:?}: {excess}", limited.character.path);
        }
        let angle = turn(&limited, middle).to_axis_angle().1;
        assert!((angle - 0.5).abs() < 1e-3, "the finger stops at the end of the hinge: {angle}");
    }
}

#[test]
fn a_hand_without_fingers_and_a_leg_are_no_hands() {
    let posed = Posed::new(mannequin().unwrap());
    let skeleton = &posed.character.skeleton;
    let mut arm = posed.arms().remove(0);
    let leg = posed.rig.body.as_ref().unwrap().left_leg().unwrap();
    assert!(Hand::new(skeleton, &posed.rig, leg).is_none());
    assert!(Hand::new(skeleton, &posed.rig, &arm).is_some());
    let foreign = BodyLimb { joints: vec![100_000, 100_001, 100_002], ..arm.clone() };
    assert!(Hand::new(skeleton, &posed.rig, &foreign).is_none());
    arm.digits.clear();
    assert!(Hand::new(skeleton, &posed.rig, &arm).is_none());
    for path in ["kaykit-char/models/mannequin_v2/manny_med_mod.gltf", "raylib/greenman/greenman.glb"] {
        let Some(path) = external(&format!("models/{path}")) else { continue };
        let posed = Posed::new(load(&path).unwrap());
        for arm in posed.arms() {
            assert!(Hand::new(&posed.character.skeleton, &posed.rig, &arm).is_none(), "{path:?}");
        }
    }
}
