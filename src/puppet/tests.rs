//! Whatever is played, the pose is finite, or refused by the name of a joint.

use std::sync::LazyLock;

use glam::Vec3;
use proptest::prelude::*;

use super::*;
use crate::asset::{Channel, Interpolation, Transform, Values, mannequin};
use crate::motion::{Bar, Edit, Layer, Share};

/// The mannequin without its skin, and its rig.
static BONES: LazyLock<(Character, Rig)> = LazyLock::new(|| {
    let mut character = mannequin().unwrap();
    let rig = rig::find(&character);
    character.skeleton.nodes.iter_mut().for_each(|n| n.mesh = None);
    character.meshes.clear();
    (character, rig)
});

/// Finite numbers, those that leave single precision when they are added or squared as often as others.
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

/// A clip as a file may have it, of one channel with two keys.
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
        Clip { name: None, seconds: end, timelines: vec![vec![0.0, end]], channels }
    })
}

fn motion() -> impl Strategy<Value = Motion> {
    let weights = prop::array::uniform2(number().prop_map(f32::abs));
    let bar = (weights, number(), number(), any::<bool>()).prop_map(|(weights, speed, from, again)| {
        let clips = weights.iter().enumerate().map(|(clip, &weight)| Share { clip, weight }).collect();
        Bar { clips, speed, from, again, seconds: Some(2.0), ..Bar::new(0) }
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
        prop::collection::vec(bar, many.clone()),
        prop::collection::vec(layer, many.clone()),
        prop::collection::vec(edit, many),
    );
    parts.prop_map(|(bars, layers, edits)| Motion { bars, layers, edits, plant: false })
}

fn is_finite(puppet: &Puppet) -> bool {
    let finite = |l: &Transform| l.translation.is_finite() && l.rotation.is_finite() && l.scale.is_finite();
    puppet.pose().locals.iter().all(finite) && puppet.world_from_node().iter().all(Affine3A::is_finite)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_motion_gives_a_finite_pose_or_names_the_joint(
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
fn what_is_not_finite_is_refused_by_the_name_of_its_joint() {
    let (bones, rig) = &*BONES;
    let chest = bones.skeleton.find("chest").unwrap();
    let head = bones.skeleton.find("head").unwrap();
    let mut puppet = Puppet::with_rig(bones.clone(), 0, rig.clone());
    let said = |puppet: &mut Puppet, change: &dyn Fn(&mut Pose)| {
        let mut pose = Pose::rest(&bones.skeleton);
        change(&mut pose);
        puppet.held = Some(pose);
        let error = puppet.update().unwrap_err();
        assert!(is_finite(puppet) && *puppet.pose() == Pose::rest(&bones.skeleton));
        error.to_string()
    };
    let nan = |pose: &mut Pose| pose.locals[chest].rotation.x = f32::NAN;
    assert_eq!(said(&mut puppet, &nan), "joint \"chest\": rotation is not finite");
    let far = |pose: &mut Pose| {
        pose.locals[chest].translation = Vec3::MAX;
        pose.locals[head].translation = Vec3::MAX;
    };
    assert!(said(&mut puppet, &far).ends_with("world matrix is not finite"));
    // It goes on from there.
    puppet.held = None;
    puppet.update().unwrap();
    // The same of a pose that comes from elsewhere.
    let mut pose = Pose::rest(&bones.skeleton);
    pose.locals[head].scale.y = f32::INFINITY;
    let error = puppet.follow(&pose, &[]).unwrap_err();
    assert_eq!(error.to_string(), "joint \"head\": scale is not finite");
    assert!(is_finite(&puppet));
}

/// A joint of scale zero squashes the limb below it to bones without a length, at which the closed form once panicked.
#[test]
fn a_limb_below_a_joint_of_scale_zero_is_left_as_it_is() {
    for above in ["hips", "leftUpperLeg", "leftLowerLeg"] {
        let (character, rig) = BONES.clone();
        let mut puppet = Puppet::with_rig(character, 0, rig);
        let node = |name: &str| puppet.character().skeleton.find(name).unwrap();
        let (above, foot) = (node(above), node("leftFoot"));
        let mut pose = Pose::rest(&puppet.character().skeleton);
        pose.locals[above].scale = Vec3::new(-0.0, 0.0, 0.0);
        puppet.held = Some(pose);
        puppet.options.method = Method::TwoBone;
        puppet.targets.push(Target { position: Some([0.1, 0.4, 0.2].into()), ..Target::new(foot) });
        drop(puppet.update());
        assert!(puppet.pose().locals.iter().all(|l| l.rotation.is_finite()));
    }
}
