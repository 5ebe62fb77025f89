//! Tests of node constraints and of eyes.

use glam::{DVec3, Quat, Vec3};
use serde_json::{Value, json};
use sinew::puppet::Puppet;

use super::{character, load};

/// Returns a file with a source node at (0, 0, 2) and a constrained node at the origin.
fn constrained(constraint: &Value) -> Value {
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [
            { "name": "source", "translation": [0, 0, 2] },
            { "name": "follower", "extensions": { "VRMC_node_constraint": { "constraint": constraint } } },
        ],
        "extensionsUsed": ["VRMC_node_constraint"],
    })
}

/// Returns the rotation of the follower for a rotation and a position of the source.
fn follow(constraint: &Value, rotation: Quat, position: Vec3) -> Quat {
    let mut puppet = Puppet::new(character(&constrained(constraint)), 0);
    let mut held = puppet.pose().clone();
    (held.locals[0].rotation, held.locals[0].translation) = (rotation, position);
    puppet.held = Some(held);
    puppet.update().unwrap();
    puppet.pose().locals[1].rotation
}

#[test]
fn a_rotation_constraint_follows_by_its_weight() {
    let turn = Quat::from_rotation_y(0.8);
    let half = json!({ "rotation": { "source": 0, "weight": 0.5 } });
    assert!(follow(&half, turn, Vec3::Z).angle_between(Quat::from_rotation_y(0.4)) < 1e-6);
    let none = json!({ "rotation": { "source": 0, "weight": 0 } });
    assert!(follow(&none, turn, Vec3::Z).angle_between(Quat::IDENTITY) < 1e-6);
}

#[test]
fn a_roll_constraint_follows_about_one_axis() {
    let roll = json!({ "roll": { "source": 0, "rollAxis": "Y" } });
    let turned = follow(&roll, Quat::from_rotation_y(0.7), Vec3::Z);
    assert!(turned.angle_between(Quat::from_rotation_y(0.7)) < 1e-6);
    let swung = follow(&roll, Quat::from_rotation_x(0.7), Vec3::Z);
    assert!(swung.angle_between(Quat::IDENTITY) < 1e-6);
    let both = follow(&roll, Quat::from_rotation_x(0.4) * Quat::from_rotation_y(0.7), Vec3::Z);
    assert!(both.angle_between(Quat::from_rotation_y(0.7)) < 1e-6);
}

#[test]
fn an_aim_constraint_points_at_its_source() {
    let aim = json!({ "aim": { "source": 0, "aimAxis": "PositiveZ" } });
    for position in [Vec3::new(1.0, 0.5, 2.0), Vec3::new(-3.0, 0.1, -0.2)] {
        let axis = follow(&aim, Quat::IDENTITY, position) * Vec3::Z;
        assert!(axis.distance(position.normalize()) < 1e-6, "{axis}");
    }
    let at_source = follow(&aim, Quat::IDENTITY, Vec3::ZERO);
    assert_eq!(at_source, Quat::IDENTITY, "there is no direction");
}

#[test]
fn constraints_on_each_other_are_left_out() {
    let on = |source: usize| json!({ "VRMC_node_constraint": { "constraint": { "rotation": { "source": source } } } });
    let mut file = constrained(&json!({}));
    file["nodes"] = json!([
        { "name": "a", "extensions": on(1) },
        { "name": "b", "extensions": on(0) },
        { "name": "c", "extensions": on(2) },
        { "name": "d", "extensions": on(4) },
        { "name": "e" },
        { "name": "f", "extensions": on(3) },
        { "name": "g", "extensions": on(99) },
    ]);
    let character = load(file.to_string().as_bytes()).unwrap();
    let nodes: Vec<usize> = character.constraints.iter().map(|c| c.node).collect();
    assert_eq!(nodes, [3, 5], "a source comes before what follows it");
    assert_eq!(character.warnings.len(), 4, "{:?}", character.warnings);
}

/// Returns a VRM 1.0 file with a head and two eyes.
fn face(kind: &str) -> Value {
    let map = |output: f64| json!({ "inputMaxValue": 90, "outputScale": output });
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [
            { "name": "head", "translation": [0, 1.5, 0], "children": [1, 2] },
            { "name": "left", "translation": [0.03, 0, 0.1] },
            { "name": "right", "translation": [-0.03, 0, 0.1] },
        ],
        "extensionsUsed": ["VRMC_vrm"],
        "extensions": { "VRMC_vrm": {
            "specVersion": "1.0",
            "humanoid": { "humanBones": { "head": { "node": 0 }, "leftEye": { "node": 1 }, "rightEye": { "node": 2 } } },
            "lookAt": {
                "type": kind,
                "offsetFromHeadBone": [0, 0, 0],
                "rangeMapHorizontalInner": map(20.0),
                "rangeMapHorizontalOuter": map(40.0),
                "rangeMapVerticalDown": map(30.0),
                "rangeMapVerticalUp": map(10.0),
            },
        } },
    })
}

/// Returns the directions of both eyes when they look at a point, in degrees: yaw to the left and pitch downwards.
fn eyes(target: DVec3, head: Quat) -> [[f32; 2]; 2] {
    let mut puppet = Puppet::new(character(&face("bone")), 0);
    let mut held = puppet.pose().clone();
    held.locals[0].rotation = head;
    (puppet.held, puppet.look_at) = (Some(held), Some(target));
    puppet.update().unwrap();
    [1, 2].map(|eye: usize| {
        let to = puppet.pose().locals[eye].rotation * Vec3::Z;
        [to.x.atan2(to.z).to_degrees(), -to.y.asin().to_degrees()]
    })
}

fn assert_near(now: [[f32; 2]; 2], expected: [[f32; 2]; 2]) {
    for (now, expected) in now.as_flattened().iter().zip(expected.as_flattened()) {
        assert!((now - expected).abs() < 1e-3, "{now} is not {expected}");
    }
}

#[test]
fn eyes_turn_by_their_range_maps() {
    let straight = DVec3::new(0.0, 1.5, 5.0);
    assert_near(eyes(straight, Quat::IDENTITY), [[0.0, 0.0], [0.0, 0.0]]);
    // 45 degrees to the left of the character: outwards for the left eye, inwards for the right one.
    assert_near(eyes(DVec3::new(5.0, 1.5, 5.0), Quat::IDENTITY), [[20.0, 0.0], [10.0, 0.0]]);
    assert_near(eyes(DVec3::new(-5.0, 1.5, 5.0), Quat::IDENTITY), [[-10.0, 0.0], [-20.0, 0.0]]);
    assert_near(eyes(DVec3::new(0.0, 6.5, 5.0), Quat::IDENTITY), [[0.0, -5.0], [0.0, -5.0]]);
    assert_near(eyes(DVec3::new(0.0, -3.5, 5.0), Quat::IDENTITY), [[0.0, 15.0], [0.0, 15.0]]);
    // The direction from the head determines the result.
    let quarter = std::f32::consts::FRAC_PI_4;
    assert_near(eyes(DVec3::new(5.0, 1.5, 5.0), Quat::from_rotation_y(quarter)), [[0.0, 0.0], [0.0, 0.0]]);
}

#[test]
fn a_point_that_is_not_finite_turns_no_eyes() {
    assert_near(eyes(DVec3::new(f64::NAN, 0.0, 0.0), Quat::IDENTITY), [[0.0, 0.0], [0.0, 0.0]]);
    assert_near(eyes(DVec3::new(0.0, 1.5, 0.0), Quat::IDENTITY), [[0.0, 0.0], [0.0, 0.0]]);
}
