//! Prismatic and mimic joints of a character: a SCARA arm with a gripper and a finger, from a glTF file and a rig file.

use glam::{DVec3, Vec3};
use serde_json::{Value, json};
use sinew::asset::Character;
use sinew::ik::{Method, Options, Outcome, Start};
use sinew::pose::Pose;
use sinew::puppet::{Puppet, PuppetError, Target};
use sinew::rig::{Slide, file};

use crate::load;
use sinew_testkit::Builder;

/// The rig of [`robot`]. The jaws of the gripper slide apart together, and the finger curls by one hinge.
const RIG: &str = r#"version = 1

[[chain]]
effector = "tip"
base = "base"

[[joint]]
node = "base"
limit = { kind = "hinge", axis = [0, 1, 0], min = -140, max = 140 }

[[joint]]
node = "elbow"
limit = { kind = "hinge", axis = [0, 1, 0], min = -140, max = 140 }

[[joint]]
node = "lift" # the linear axis
limit = { kind = "prismatic", axis = [0, 0, 1], min = 0, max = 0.2 }

[[joint]]
node = "palm"
limit = { kind = "hinge", axis = [0, 0, 1], min = -170, max = 170 }

[[joint]]
node = "left"
limit = { kind = "prismatic", axis = [1, 0, 0], min = 0, max = 0.04 }

[[joint]]
node = "right"
limit = { kind = "prismatic", axis = [-1, 0, 0], min = 0, max = 0.03 }
mimic = { joint = "left" }

[[joint]]
node = "finger"
limit = { kind = "hinge", axis = [1, 0, 0], min = 0, max = 80 }

[[joint]]
node = "fingertip"
limit = { kind = "hinge", axis = [1, 0, 0], min = 0, max = 90 }
mimic = { joint = "finger", ratio = 0.8, offset = 5 }
"#;

/// Returns a SCARA arm of rigid parts. The lift is turned by 90° about x at rest, so that its z axis points down.
fn robot() -> Character {
    let nodes: [(&str, [f64; 3], &[usize]); 10] = [
        ("base", [0.0, 0.4, 0.0], &[1]),
        ("elbow", [0.3, 0.0, 0.0], &[2]),
        ("lift", [0.25, 0.0, 0.0], &[3]),
        ("palm", [0.0, 0.0, 0.05], &[4, 6, 8]),
        ("left", [0.02, 0.0, 0.05], &[5]),
        ("tip", [0.0, 0.0, 0.04], &[]),
        ("right", [-0.02, 0.0, 0.05], &[7]),
        ("right tip", [0.0, 0.0, 0.04], &[]),
        ("finger", [0.0, 0.03, 0.05], &[9]),
        ("fingertip", [0.0, 0.0, 0.03], &[10]),
    ];
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let node = |(name, translation, children): &(&str, [f64; 3], &[usize])| {
        let mut node = json!({"name": name, "translation": translation});
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        if *name == "lift" {
            node["rotation"] = json!([half, 0.0, 0.0, half]);
        }
        node
    };
    let mut nodes: Vec<Value> = nodes.iter().map(node).collect();
    nodes.push(json!({"name": "finger end", "translation": [0.0, 0.0, 0.02]}));
    load(&Builder::default().file(json!({"nodes": nodes, "scenes": [{"nodes": [0]}], "scene": 0}))).unwrap()
}

fn puppet() -> Puppet {
    let character = robot();
    let rig = file::read(RIG, &character.skeleton).unwrap();
    Puppet::with_rig(character, 0, rig)
}

fn node(puppet: &Puppet, name: &str) -> usize {
    puppet.character().skeleton.find(name).unwrap()
}

fn position(puppet: &Puppet, name: &str) -> DVec3 {
    Vec3::from(puppet.world_from_node()[node(puppet, name)].translation).as_dvec3()
}

/// Returns the displacement of a joint, and its translation without that displacement.
fn split(puppet: &Puppet, pose: &Pose, name: &str) -> (f64, DVec3) {
    let node = node(puppet, name);
    let slide = Slide::new(&puppet.character().skeleton, node, &puppet.rig.joint(node).limit).unwrap();
    slide.split(pose.locals[node].translation)
}

/// Returns the angle of a hinge about x from rest.
fn angle(puppet: &Puppet, name: &str) -> f64 {
    puppet.pose().locals[node(puppet, name)].rotation.to_scaled_axis().x.into()
}

fn target(puppet: &Puppet, name: &str, position: DVec3) -> Target {
    Target::new(node(puppet, name)).with_position(position)
}

/// The methods that move prismatic and mimic joints.
fn methods() -> impl Iterator<Item = Method> {
    let refusing = [Method::TwoBone, Method::Fabrik, Method::Particle, Method::Style];
    Method::all().filter(move |method| !refusing.contains(method))
}

#[test]
fn dragging_the_tool_moves_the_lift_and_the_gripper() {
    for method in methods() {
        let mut puppet = puppet();
        puppet.options.solver = Options::default().with_method(method).with_iterations(300);
        puppet.update().unwrap();
        let goal = position(&puppet, "tip") + DVec3::new(-0.1, -0.12, 0.1);
        let base = Some(node(&puppet, "base"));
        puppet.targets = vec![target(&puppet, "tip", goal).with_base(base)];
        let reached = puppet.update().unwrap().iter().all(|r| r.outcome == Outcome::Reached);
        assert!(reached, "{method}: {goal} and {}", position(&puppet, "tip"));
        assert!(position(&puppet, "tip").distance(goal) < 2e-4, "{method}");
        let (lift, offset) = split(&puppet, puppet.pose(), "lift");
        assert!((lift - 0.12).abs() < 1e-3, "{method}: {lift}");
        assert!(offset.abs_diff_eq(DVec3::X * 0.25, 1e-7), "{method}: {offset}");
        let [left, right] = ["left", "right"].map(|name| split(&puppet, puppet.pose(), name).0);
        assert!(
            (left - right).abs() < 1e-7 && (-1e-7..=0.03 + 1e-7).contains(&left),
            "{method}: {left} {right}"
        );
        let node = node(&puppet, "lift");
        let rest = puppet.character().skeleton.nodes[node].rest.rotation;
        assert!(puppet.pose().locals[node].rotation.abs_diff_eq(rest, 1e-6), "{method}");
    }
}

#[test]
fn a_finger_curls_as_one() {
    for method in methods() {
        let mut puppet = puppet();
        puppet.options.solver = Options::default().with_method(method);
        puppet.update().unwrap();
        let end = position(&puppet, "finger end");
        let finger = node(&puppet, "finger");
        let goal = end + DVec3::new(0.0, 0.012, -0.02);
        puppet.targets = vec![target(&puppet, "finger end", goal).with_base(finger)];
        puppet.update().unwrap();
        let (first, second) = (angle(&puppet, "finger"), angle(&puppet, "fingertip"));
        assert!((second - (0.8 * first + 5f64.to_radians())).abs() < 1e-6, "{method}: {first} {second}");
        assert!(
            first > 0.1 || position(&puppet, "finger end").distance(goal) < end.distance(goal),
            "{method}"
        );
        // The leader is above the base of the chain, so the follower keeps its angle.
        let tip = node(&puppet, "fingertip");
        puppet.held = Some(puppet.pose().clone());
        puppet.targets = vec![target(&puppet, "finger end", goal + DVec3::Z).with_base(tip)];
        puppet.update().unwrap();
        assert_eq!(angle(&puppet, "fingertip"), second, "{method}");
    }
}

/// The right jaw is in no chain, but follows the left one.
#[test]
fn a_follower_outside_the_chain_follows() {
    let mut puppet = puppet();
    puppet.update().unwrap();
    let palm = node(&puppet, "palm");
    let goal = position(&puppet, "tip") + DVec3::X * 0.05;
    puppet.targets = vec![target(&puppet, "tip", goal).with_base(palm)];
    puppet.update().unwrap();
    let [left, right] = ["left", "right"].map(|name| split(&puppet, puppet.pose(), name).0);
    // The stroke of the right jaw is shorter, and stops both.
    assert!((left - 0.03).abs() < 1e-7 && (right - 0.03).abs() < 1e-7, "{left} {right}");
}

#[test]
fn every_base_stays_in_place_and_only_slides_change_their_length() {
    let slides = ["lift", "left", "right"];
    let mut moved = 0;
    for method in methods() {
        for (case, base) in ["tip", "right tip", "palm", "lift", "elbow"].into_iter().enumerate() {
            for (number, effector) in ["base", "elbow", "palm", "right tip", "tip"].into_iter().enumerate() {
                if base == effector {
                    continue;
                }
                let mut puppet = puppet();
                puppet.options.solver =
                    Options::default().with_method(method).with_iterations(40).with_restarts(2);
                let mut held = Pose::rest(&puppet.character().skeleton);
                let turn = glam::Quat::from_rotation_y(0.4 + 0.1 * case as f32);
                held.locals[node(&puppet, "elbow")].rotation = turn;
                held.locals[node(&puppet, "lift")].translation.y = -0.08;
                held.locals[node(&puppet, "left")].translation.x += 0.01;
                held.locals[node(&puppet, "right")].translation.x -= 0.01;
                puppet.held = Some(held.clone());
                puppet.update().unwrap();
                let place = puppet.world_from_node()[node(&puppet, base)];
                let start = position(&puppet, effector);
                let goal = start + DVec3::new(0.03, -0.04, 0.02 * number as f64);
                let own = target(&puppet, effector, goal);
                puppet.targets = vec![own.with_base(node(&puppet, base))];
                match puppet.update() {
                    Ok(_) => {}
                    Err(PuppetError::Rig(_)) => continue,
                    Err(error) => panic!("{method}, base {base}, effector {effector}: {error}"),
                }
                let context = format!("{method}, base {base}, effector {effector}");
                moved += u32::from(position(&puppet, effector).distance(start) > 0.005);
                let now = puppet.world_from_node()[node(&puppet, base)];
                // If the chain is below its base, the base is the first joint that moves.
                let skeleton = &puppet.character().skeleton;
                let (own, base) = (node(&puppet, effector), node(&puppet, base));
                let moves = skeleton.ancestors(own).any(|n| n == base);
                let slides_itself = moves && slides.contains(&skeleton.label(base).as_str());
                assert!(moves || now.abs_diff_eq(place, 2e-6), "{context}: {place} to {now}");
                let stays = now.translation.abs_diff_eq(place.translation, 2e-6);
                assert!(slides_itself || stays, "{context}: {place} to {now}");
                for (index, above) in
                    skeleton.nodes.iter().enumerate().filter_map(|(i, n)| Some((i, n.parent?)))
                {
                    let at = |n: usize| Vec3::from(puppet.world_from_node()[n].translation);
                    let (length, rest) =
                        (at(index).distance(at(above)), held.locals[index].translation.length());
                    let label = skeleton.label(index);
                    if !slides.contains(&label.as_str()) {
                        assert!(
                            (length - rest).abs() < 1e-6,
                            "{context}: {label} was {rest} m, is {length} m"
                        );
                    }
                }
                for name in slides {
                    let (displacement, offset) = split(&puppet, puppet.pose(), name);
                    let node = node(&puppet, name);
                    let rest = skeleton.nodes[node].rest.translation.as_dvec3();
                    assert!(offset.abs_diff_eq(rest, 1e-6), "{context}: {name} left its axis: {offset}");
                    let allowed = puppet.rig.joint(node).limit.nearest_displacement(displacement);
                    assert!((displacement - allowed).abs() < 1e-6, "{context}: {name} at {displacement} m");
                }
                let [left, right] = ["left", "right"].map(|name| split(&puppet, puppet.pose(), name).0);
                assert!((left - right).abs() < 1e-6, "{context}: jaws at {left} and {right}");
            }
        }
    }
    println!("{moved} solves moved the effector");
    assert!(moved > 100, "{moved}");
}

#[test]
fn a_drag_that_rests_does_not_creep() {
    let mut puppet = puppet();
    puppet.options.solver.start = Start::Continue;
    puppet.update().unwrap();
    let goal = position(&puppet, "tip") + DVec3::new(-0.1, -0.07, 0.1);
    puppet.targets = vec![target(&puppet, "tip", goal)];
    puppet.update().unwrap();
    for _ in 0..5 {
        let before = puppet.pose().clone();
        puppet.held = Some(before.clone());
        puppet.update().unwrap();
        assert_eq!(*puppet.pose(), before);
    }
}

#[test]
fn methods_that_refuse_the_joints_say_why() {
    let mut puppet = puppet();
    puppet.update().unwrap();
    puppet.targets = vec![target(&puppet, "tip", DVec3::new(0.3, 0.2, 0.1))];
    for method in [Method::Fabrik, Method::Particle, Method::TwoBone] {
        puppet.options.solver.method = method;
        let error = puppet.update().unwrap_err().to_string();
        let source = format!("{:?}", puppet.update().unwrap_err());
        assert!(error.contains("prismatic") || source.contains("prismatic"), "{error}: {source}");
    }
}

/// Regression: on the path from a base up to its ancestors, joints that were displaced and turned were placed as in the rest pose. The
/// solve therefore reported `reached` for a pose that missed its target by centimetres.
#[test]
fn a_displaced_joint_that_turns_is_where_the_report_says() {
    for method in methods() {
        for limits in [false, true] {
            let mut puppet = puppet();
            puppet.options.solver =
                Options::default().with_method(method).with_limits(limits).with_iterations(200);
            // With limits, the lift keeps its wrong rotation, because it never moves.
            let lift = node(&puppet, "lift");
            puppet.rig.joints.get_mut(&lift).unwrap().stiffness = 1.0;
            let mut held = Pose::rest(&puppet.character().skeleton);
            held.locals[lift].translation.y = -0.15;
            held.locals[lift].rotation *= glam::Quat::from_rotation_y(0.7);
            puppet.held = Some(held);
            puppet.update().unwrap();
            let goal = position(&puppet, "base") + DVec3::new(0.05, 0.0, 0.04);
            puppet.targets = vec![target(&puppet, "base", goal).with_base(node(&puppet, "tip"))];
            let reports = puppet.update().unwrap().to_vec();
            let error = position(&puppet, "base").distance(goal);
            let reached = reports.iter().all(|r| r.outcome == Outcome::Reached);
            assert_eq!(reached, error < 2e-4, "{method}, limits {limits}: {error} m, {reports:?}");
        }
    }
}
