//! The pose is finite for any motion, or the error names a joint. Bindings that are kept between updates follow every
//! change of the puppet.

use std::sync::LazyLock;

use glam::{DQuat, DVec3, Vec3};
use proptest::prelude::*;

use crate::asset::{Channel, Interpolation, Transform, Values, mannequin};
use crate::ik::{Limit, Method};
use crate::motion::{Edit, Layer, Strip, WeightedClip};

use super::*;

/// The mannequin without its meshes, and its rig.
static BONES: LazyLock<(Character, Rig)> = LazyLock::new(|| {
    let mut character = mannequin().unwrap();
    let rig = rig::detect(&character);
    character.skeleton.nodes.iter_mut().for_each(|n| n.mesh = None);
    character.meshes.clear();
    (character, rig)
});

/// Finite numbers. Many of them overflow single precision when they are added or squared.
fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        -2.0..2.0_f32,
        prop::sample::select(vec![0.0, 1e19, -1e30, f32::MAX, f32::MIN, f32::MIN_POSITIVE]),
        prop::num::f32::NORMAL,
    ]
}

fn vector() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(number()).prop_map(Vec3::from_array)
}

/// A random clip with one channel and two keys, as it might occur in a file.
fn clip() -> impl Strategy<Value = Clip> {
    let values = prop::collection::vec((vector(), number()), 6);
    (0..20_usize, 0..3_u8, 0..3_u8, 0.1..2.0_f32, values).prop_map(|(node, kind, how, end, values)| {
        let (interpolation, count) = match how {
            0 => (Interpolation::Step, 2),
            1 => (Interpolation::Linear, 2),
            _ => (Interpolation::CubicSpline, 6),
        };
        let vectors: Vec<Vec3> = values.iter().take(count).map(|(v, _)| *v).collect();
        let turn = |(v, w): &(Vec3, f32)| match interpolation {
            Interpolation::CubicSpline => Quat::from_xyzw(v.x, v.y, v.z, *w),
            _ => Quat::from_euler(glam::EulerRot::XYZ, v.x.sin(), v.y.sin(), v.z.sin()),
        };
        let values = match kind {
            0 => Values::Translation(vectors),
            1 => Values::Scale(vectors),
            _ => Values::Rotation(values.iter().take(count).map(turn).collect()),
        };
        let channels = vec![Channel { node, timeline: 0, interpolation, values }];
        Clip { name: None, seconds: end, timelines: vec![vec![0.0, end]], channels, ..Clip::default() }
    })
}

fn motion() -> impl Strategy<Value = Motion> {
    let weights = prop::array::uniform2(number().prop_map(f32::abs));
    let strip = (weights, number(), number(), any::<bool>()).prop_map(|(weights, speed, from, looping)| {
        let clips = weights.iter().enumerate().map(|(clip, &weight)| WeightedClip { clip, weight }).collect();
        Strip { clips, speed, from, looping, seconds: Some(2.0), ..Strip::new(0) }
    });
    let layer = (0.0..=1.0_f32, any::<bool>(), number()).prop_map(|(weight, additive, speed)| Layer {
        clip: 2,
        weight,
        additive,
        mask: Vec::new(),
        speed,
    });
    let edit = (0..20_usize, vector(), vector()).prop_map(|(node, turn, shift)| Edit {
        time: 0.4,
        before: 0.3,
        after: 0.3,
        turns: vec![(node, turn)],
        shifts: vec![(node, shift)],
    });
    let many = 0..3_usize;
    let parts = (
        prop::collection::vec(strip, many.clone()),
        prop::collection::vec(layer, many.clone()),
        prop::collection::vec(edit, many),
    );
    parts.prop_map(|(strips, layers, edits)| Motion { strips, layers, edits, ..Motion::default() })
}

fn is_finite(puppet: &Puppet) -> bool {
    let finite = |l: &Transform| l.translation.is_finite() && l.rotation.is_finite() && l.scale.is_finite();
    puppet.pose().locals.iter().all(finite) && puppet.world_from_node().iter().all(Affine3A::is_finite)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_motion_poses_finitely_or_names_a_joint(
        motion in motion(),
        clips in prop::collection::vec(clip(), 3),
    ) {
        let (bones, rig) = &*BONES;
        let mut puppet = Puppet::with_rig(Character { clips, ..bones.clone() }, 0, rig.clone());
        puppet.motion = motion;
        for time in [0.0, 0.35, 1.1, 1e7] {
            puppet.time = time;
            match puppet.update() {
                Ok(_) => {}
                Err(PuppetError::NotFinite(error)) => {
                    prop_assert!(!error.joint.is_empty() && *puppet.pose() == Pose::rest(&bones.skeleton));
                }
                Err(other) => prop_assert!(false, "{other}"),
            }
            prop_assert!(is_finite(&puppet));
        }
    }
}

#[test]
fn an_error_of_a_pose_that_is_not_finite_names_its_joint() {
    let (bones, rig) = &*BONES;
    let chest = bones.skeleton.find("chest").unwrap();
    let head = bones.skeleton.find("head").unwrap();
    let mut puppet = Puppet::with_rig(bones.clone(), 0, rig.clone());
    let error_after = |puppet: &mut Puppet, change: &dyn Fn(&mut Pose)| {
        let mut pose = Pose::rest(&bones.skeleton);
        change(&mut pose);
        puppet.held = Some(pose);
        let error = puppet.update().unwrap_err();
        assert!(is_finite(puppet) && *puppet.pose() == Pose::rest(&bones.skeleton));
        error.to_string()
    };
    let nan = |pose: &mut Pose| pose.locals[chest].rotation.x = f32::NAN;
    assert_eq!(error_after(&mut puppet, &nan), "joint \"chest\": rotation is not finite");
    let far = |pose: &mut Pose| {
        pose.locals[chest].translation = Vec3::MAX;
        pose.locals[head].translation = Vec3::MAX;
    };
    assert!(error_after(&mut puppet, &far).ends_with("world matrix is not finite"));
    // The puppet recovers once the invalid pose is removed.
    puppet.held = None;
    puppet.update().unwrap();
    // `follow` reports the same errors.
    let mut pose = Pose::rest(&bones.skeleton);
    pose.locals[head].scale.y = f32::INFINITY;
    let error = puppet.follow(&pose, &[]).unwrap_err();
    assert_eq!(error.to_string(), "joint \"head\": scale is not finite");
    assert!(is_finite(&puppet));
}

/// A joint with a scale of zero gives the limb below it a length of zero. The closed-form method once panicked on such a limb.
#[test]
fn an_error_of_a_missing_node_has_the_number_of_nodes() {
    let (bones, rig) = &*BONES;
    let mut puppet = Puppet::with_rig(bones.clone(), 0, rig.clone());
    let count = bones.skeleton.nodes.len();
    let missing = Target { position: Some(DVec3::Y), ..Target::new(99_999) };
    let hand = bones.skeleton.find("leftHand").unwrap();
    let from_missing = Target { base: Some(99_999), ..Target { node: hand, ..missing } };
    let turned = Target { orientation: Some(DQuat::IDENTITY), ..Target::new(99_999) };
    for target in [missing, from_missing, turned] {
        puppet.targets = vec![target];
        let error = puppet.update().unwrap_err().to_string();
        assert_eq!(error, format!("node 99999 does not exist; the skeleton has {count}, counted from 0"));
    }
}

#[test]
fn a_limb_below_a_joint_of_scale_zero_keeps_its_pose() {
    for above in ["hips", "leftUpperLeg", "leftLowerLeg"] {
        let (character, rig) = BONES.clone();
        let mut puppet = Puppet::with_rig(character, 0, rig);
        let node = |name: &str| puppet.character().skeleton.find(name).unwrap();
        let (above, foot) = (node(above), node("leftFoot"));
        let mut pose = Pose::rest(&puppet.character().skeleton);
        pose.locals[above].scale = Vec3::new(-0.0, 0.0, 0.0);
        puppet.held = Some(pose);
        puppet.options.solver.method = Method::TwoBone;
        puppet.targets.push(Target { position: Some([0.1, 0.4, 0.2].into()), ..Target::new(foot) });
        drop(puppet.update());
        assert!(puppet.pose().locals.iter().all(|l| l.rotation.is_finite()));
    }
}

/// A change of a puppet: the kind of change, two nodes, and an amount.
type PuppetChange = (u8, usize, usize, f64);

fn apply(puppet: &mut Puppet, (kind, a, b, amount): PuppetChange) {
    let nodes = puppet.character.skeleton.nodes.len();
    let (a, b) = (a % nodes, b % nodes);
    let place = |n: usize| Vec3::from(puppet.world_from_node[n].translation).as_dvec3();
    let (position, pin) = (place(a) + DVec3::splat(0.2 * amount), (place(b), DQuat::IDENTITY));
    let rig = &mut puppet.rig;
    match kind {
        0 | 1 => puppet.targets.push(Target { position: Some(position), ..Target::new(a) }),
        2 => puppet.targets.push(Target { position: Some(position), base: Some(b), ..Target::new(a) }),
        3 => puppet.targets.push(Target { look: Some(position), ..Target::new(a) }),
        4 => puppet.targets.clear(),
        5 => puppet.targets.iter_mut().for_each(|t| t.position = Some(position)),
        6 => puppet.pins.push(Pin { node: b, target: (amount > 0.0).then_some(pin) }),
        7 => puppet.pins.clear(),
        8 if rig.pins.is_empty() => rig.pins.push(b),
        8 => rig.pins.clear(),
        9 => rig.joints.entry(a).or_default().limit = Limit::Hinge { axis: DVec3::X, min: -1.0, max: amount },
        10 => rig.joints.entry(a).or_default().stiffness = 1.2 * amount.abs(),
        11 => rig.joints.entry(a).or_default().logical_parent = (amount > 0.0).then_some(b),
        12 => rig.clone_from(&BONES.1),
        13 => {
            let mut pose = puppet.pose.clone();
            pose.locals[a].rotation = Quat::from_rotation_x(amount as f32);
            pose.locals[b].translation.y += 0.1 * amount as f32;
            puppet.held = Some(pose);
        }
        14 => {
            let pose = puppet.held.get_or_insert_with(|| puppet.pose.clone());
            pose.locals[a].scale = Vec3::splat(1.0 + 0.5 * amount as f32);
        }
        15 => puppet.held = None,
        _ => {
            let methods = [Method::Auto, Method::Dls, Method::FullBody, Method::TwoBone, Method::Ccd];
            puppet.options.solver.method = methods[a % methods.len()];
        }
    }
    puppet.targets.truncate(4);
    puppet.pins.truncate(2);
}

/// Returns the result of an update, without its duration.
fn outcome(puppet: &mut Puppet) -> Result<Vec<GoalReport>, String> {
    puppet.reset_solver();
    let timeless = |r: &GoalReport| GoalReport { seconds: 0.0, ..r.clone() };
    puppet.update().map(|reports| reports.iter().map(timeless).collect()).map_err(|e| e.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn kept_bindings_follow_every_change(
        changes in prop::collection::vec((0..18_u8, 0..100_usize, 0..100_usize, -1.0..1.0_f64), 1..40),
    ) {
        let (bones, rig) = &*BONES;
        let mut kept = Puppet::with_rig(bones.clone(), 0, rig.clone());
        (kept.options.solver.iterations, kept.options.solver.restarts) = (10, 0);
        for change in changes {
            apply(&mut kept, change);
            let mut fresh = Puppet::with_rig(kept.shared_character(), 0, kept.rig.clone());
            fresh.held.clone_from(&kept.held);
            fresh.targets.clone_from(&kept.targets);
            fresh.pins.clone_from(&kept.pins);
            fresh.options.solver = kept.options.solver;
            prop_assert_eq!(outcome(&mut kept), outcome(&mut fresh), "{:?}", change);
            prop_assert_eq!(kept.pose(), fresh.pose(), "{:?}", change);
            prop_assert_eq!(kept.world_from_node(), fresh.world_from_node(), "{:?}", change);
        }
    }
}

/// Regression test: in a file whose feet are elsewhere in the hierarchy, a contact at the end of a shin kept the orientation of the shin,
/// so the leg could not bend.
#[test]
fn a_contact_at_the_end_of_a_bone_leaves_the_bone_free_to_turn() {
    let (mut character, rig) = BONES.clone();
    let skeleton = &mut character.skeleton;
    let [shin, foot, hips] = ["leftLowerLeg", "leftFoot", "hips"].map(|name| skeleton.find(name).unwrap());
    let end = skeleton.nodes.len();
    let rest = Transform { rotation: glam::Quat::IDENTITY, ..skeleton.nodes[foot].rest };
    skeleton.nodes.push(crate::asset::Node { parent: Some(shin), rest, ..crate::asset::Node::new("end") });
    skeleton.nodes[shin].children.push(end);
    skeleton.parents_first.push((end, Some(shin)));
    let mut puppet = Puppet::with_rig(character, 0, rig);
    let place = |puppet: &Puppet, node: usize| Vec3::from(puppet.world_from_node()[node].translation);
    let pose = Pose::rest(&puppet.character().skeleton);
    let [raised, before] = [place(&puppet, end) + Vec3::Y * 0.15, place(&puppet, hips)];
    let contact = ContactConstraint {
        node: end,
        offset: Vec3::ZERO,
        position: raised,
        orientation: None,
        on: None,
        weight: 1.0,
        yields: false,
        pulls: false,
    };
    puppet.follow(&pose, &[contact]).unwrap();
    let [missed, moved] = [place(&puppet, end).distance(raised), place(&puppet, hips).distance(before)];
    assert!(missed < 1e-3 && moved < 0.02, "the end misses by {missed} m, the hips move by {moved} m");
}
