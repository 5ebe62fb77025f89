//! Tests of spring bones.

use glam::Vec3;
use proptest::prelude::*;
use serde_json::json;
use sinew::asset::{Character, Transform};
use sinew::puppet::Puppet;

use super::{character, far_away, soft, strand, sway};
use sinew_testkit::external_or_skip;

/// Length of the strand's links in metres.
const LINK: f32 = 0.15;

fn puppet(character: Character) -> Puppet {
    let mut puppet = Puppet::new(character, 0);
    puppet.set_springs(true);
    puppet
}

/// Returns a puppet whose pole sways.
fn swaying(character: Character) -> Puppet {
    let mut puppet = puppet(character);
    puppet.add_clips([sway()]);
    puppet.play(0, 0.0);
    puppet
}

fn positions(puppet: &Puppet) -> Vec<Vec3> {
    puppet.world_from_node().iter().map(|m| m.translation.into()).collect()
}

/// Returns the bits of a pose.
fn bits(puppet: &Puppet) -> Vec<u32> {
    let of = |t: &Transform| [t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w].map(f32::to_bits);
    puppet.pose().locals.iter().flat_map(of).collect()
}

#[test]
fn a_strand_at_rest_stays_at_rest() {
    let mut joint = soft();
    joint["gravityPower"] = json!(0);
    let mut puppet = puppet(character(&strand(&joint, &far_away())));
    puppet.update().unwrap();
    let rest = positions(&puppet);
    puppet.settle(10.0).unwrap();
    let now = positions(&puppet);
    assert!(rest.iter().zip(&now).all(|(a, b)| a.distance(*b) < 1e-6), "{now:?}");
}

#[test]
fn a_strand_swings_behind_its_pole_and_comes_to_rest() {
    let mut puppet = swaying(character(&strand(&soft(), &far_away())));
    let mut clock = puppet.start_springs(0.0).unwrap();
    let mut farthest = 0.0_f32;
    for frame in 0..=120_u8 {
        puppet.update_at(f32::from(frame) / 60.0, &mut clock).unwrap();
        let at = positions(&puppet);
        farthest = farthest.max((at[6].x - at[0].x).abs());
        for link in at[1..7].windows(2) {
            assert!((link[0].distance(link[1]) - LINK).abs() < 1e-6, "links keep their length");
        }
    }
    assert!(farthest > 0.1, "{farthest}");
    puppet.settle(20.0).unwrap();
    let at = positions(&puppet);
    assert!((at[6].x - at[0].x).abs() < 1e-3, "{at:?}");
}

#[test]
fn springs_do_not_depend_on_the_frame_rate() {
    let at_rate = |rate: u16| {
        let mut puppet = swaying(character(&strand(&soft(), &far_away())));
        let mut clock = puppet.start_springs(0.0).unwrap();
        let mut shared = Vec::new();
        for frame in 0..=(rate * 2) {
            puppet.update_at(f32::from(frame) / f32::from(rate), &mut clock).unwrap();
            // Times that occur at all rates.
            if frame % (rate / 6) == 0 {
                shared.push(bits(&puppet));
            }
        }
        shared
    };
    let expected = at_rate(30);
    assert!(expected[3] != expected[0], "the strand moves");
    for rate in [6, 60, 144, 240] {
        assert!(at_rate(rate) == expected, "{rate} Hz");
    }
}

/// The time of a frame can be any number. Without a bound, the springs would be simulated for a billion years.
#[test]
fn springs_settle_after_a_long_time_without_a_frame() {
    let mut late = swaying(character(&strand(&soft(), &far_away())));
    let mut clock = late.start_springs(0.0).unwrap();
    late.update_at(3e16, &mut clock).unwrap();
    let at = positions(&late);
    assert!(at[1..7].windows(2).all(|link| (link[0].distance(link[1]) - LINK).abs() < 1e-6), "{at:?}");
    late.update_at(3e16, &mut clock).unwrap();
    assert_eq!(positions(&late), at);
}

#[test]
fn a_frame_between_two_steps_lies_between_them() {
    let mut puppet = swaying(character(&strand(&soft(), &far_away())));
    let mut clock = puppet.start_springs(0.0).unwrap();
    let mut tail_at = |time: f32| {
        puppet.update_at(time, &mut clock).unwrap();
        positions(&puppet)[6]
    };
    let mut before = tail_at(0.4);
    for step in 1..=40_u8 {
        let now = tail_at(0.4 + f32::from(step) / 600.0);
        assert!(before.distance(now) < 0.01, "the tail jumps by {}", before.distance(now));
        before = now;
    }
}

#[test]
fn a_jump_resets_the_strand() {
    let mut joint = soft();
    joint["gravityPower"] = json!(0);
    let mut puppet = puppet(character(&strand(&joint, &far_away())));
    let mut clock = puppet.start_springs(0.0).unwrap();
    let mut held = puppet.pose().clone();
    held.locals[0].translation = Vec3::new(50.0, 0.0, 0.0);
    puppet.held = Some(held);
    puppet.update_at(1.0 / 60.0, &mut clock).unwrap();
    let at = positions(&puppet);
    assert!(at[6].distance(Vec3::new(50.0, 0.25, 0.0)) < 1e-4, "{at:?}");
}

#[test]
fn without_springs_a_pose_keeps_its_bits() {
    let file = strand(&soft(), &far_away());
    let mut with = swaying(character(&file));
    with.set_springs(false);
    let mut plain = file;
    plain.as_object_mut().unwrap().remove("extensions");
    plain["extensionsUsed"] = json!([]);
    let mut without = swaying(character(&plain));
    for time in [0.0, 0.3, 0.9] {
        (with.time, without.time) = (time, time);
        with.update().unwrap();
        without.update().unwrap();
        assert_eq!(with.pose(), without.pose());
    }
}

#[test]
fn the_pose_before_springs_is_kept() {
    let mut puppet = swaying(character(&strand(&soft(), &far_away())));
    let mut clock = puppet.start_springs(0.0).unwrap();
    puppet.update_at(0.4, &mut clock).unwrap();
    assert_ne!(puppet.primary_pose(), puppet.pose());
    assert_eq!(puppet.primary_pose().locals[2], puppet.character().skeleton.nodes[2].rest);
    assert!(puppet.is_sprung(2) && !puppet.is_sprung(0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// In each step, a joint is pushed out of a collider, and its fixed length then takes back a part of the movement. Once the
    /// strand hangs still, the joint is therefore never deeper inside than its force moves it in one step.
    #[test]
    fn strands_rest_outside_colliders(x in -0.3..0.3_f64, y in 0.3..0.6_f64, z in -0.3..0.3_f64, radius in 0.05..0.2_f64) {
        prop_assume!(x.hypot(z) > 0.02);
        let shape = json!({ "sphere": { "offset": [x, y, z], "radius": radius } });
        let mut puppet = puppet(character(&strand(&soft(), &shape)));
        puppet.update().unwrap();
        puppet.settle(20.0).unwrap();
        let center = glam::DVec3::new(x, y, z).as_vec3();
        #[expect(clippy::cast_possible_truncation, reason = "a test")]
        let surface = (radius + 0.02) as f32;
        for tail in &positions(&puppet)[2..7] {
            prop_assert!(tail.distance(center) > surface - 0.7 / 60.0, "{} < {surface}", tail.distance(center));
        }
    }

    /// Without gravity, a strand whose pole has stopped swings less and less.
    #[test]
    fn the_amplitude_does_not_grow(stiffness in 0.0..4.0_f64, drag in 0.05..1.0_f64) {
        let joint = json!({ "stiffness": stiffness, "dragForce": drag });
        let mut puppet = swaying(character(&strand(&joint, &far_away())));
        let mut clock = puppet.start_springs(0.0).unwrap();
        puppet.update_at(1.0, &mut clock).unwrap();
        let mut farthest = |from: u16, to: u16| {
            let mut farthest = 0.0_f32;
            for frame in from..to {
                puppet.update_at(1.0 + f32::from(frame) / 60.0, &mut clock).unwrap();
                farthest = farthest.max(positions(&puppet)[6].distance(Vec3::new(0.0, 0.25, 0.0)));
            }
            farthest
        };
        let (first, last) = (farthest(1, 60), farthest(540, 600));
        prop_assert!(last <= first + 1e-6, "{first} {last}");
    }
}

/// The strands of the specification's samples must end in the same positions as in the reference implementation; `benches/peers/vrm.mjs`
/// compares all frames.
#[test]
fn samples_have_their_springs() {
    for (name, count) in [("sphere-collider", 1), ("plane-collider", 1), ("inside-collider", 1)] {
        let Some(file) = external_or_skip(&format!("models/vrm/springbone/{name}.gltf")) else { return };
        let character = sinew::asset::load(&file).unwrap();
        assert_eq!(character.warnings, Vec::<String>::new(), "{name}");
        assert_eq!((character.springs.springs.len(), character.springs.colliders.len()), (1, count));
        assert_eq!(character.springs.joints().count(), 4);
    }
}
