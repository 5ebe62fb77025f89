//! Weights, free axes and tolerances of goals on the command line and in suites.

use std::fs;

use serde_json::Value;

use crate::{folder, json, place, refusal, sinew};
use glam::DVec3;

/// A position above the reach of the left hand.
const ABOVE: [&str; 3] = ["pose", "--reach", "leftHand=0.3,5,0.3"];

/// Poses the built-in character and returns the report of the only goal, and the position of the hand.
fn posed(more: &[&str]) -> (Value, DVec3) {
    let arguments: Vec<&str> = ["pose"].iter().chain(more).copied().collect();
    let output = sinew_with(&arguments);
    let pose: Value = serde_json::from_slice(&output).unwrap();
    (pose["reports"][0].clone(), place(&pose, "leftHand"))
}

fn sinew_with(arguments: &[&str]) -> Vec<u8> {
    let output = crate::command([]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn a_free_axis_makes_a_position_reachable() {
    let [pose, reach, at] = ABOVE;
    let (report, _) = posed(&[reach, at]);
    assert_eq!(report["outcome"], "out-of-reach");
    let (report, hand) = posed(&[reach, at, "--position-weight", "leftHand=1,0,1", "--require-reached"]);
    assert_eq!(report["outcome"], "reached");
    assert!((hand[0] - 0.3).abs() < 1e-3 && (hand[2] - 0.3).abs() < 1e-3, "{hand:?}");
    assert!(report["position_error"].as_f64().unwrap() < 1e-3, "{report}");
    assert!(report["full_position_error"].as_f64().unwrap() > 2.0, "{report}");
    assert_eq!(report["full_orientation_error"], Value::Null);
    // Without free axes, the report contains only one error.
    assert!(posed(&[reach, at]).0.get("full_position_error").is_none());
    assert_eq!(sinew([pose, reach, at, "--require-reached"]).status.code(), Some(1));
}

#[test]
fn the_axes_may_be_those_of_the_target() {
    // The target is rotated by a quarter turn about z, so that its x axis is the world's y axis.
    let turned = "leftHand=0,0,0.70710678,0.70710678";
    let goal = ["--reach", ABOVE[2], "--orient", turned, "--orientation-weight", "leftHand=0"];
    let with = |more: [&'static str; 4]| posed(&[&goal[..], &more[..]].concat()).0["outcome"].clone();
    let weight = ["--position-weight", "leftHand=0,1,1"];
    assert_eq!(with([weight[0], weight[1], "--axes", "leftHand=target"]), "reached");
    assert_eq!(with([weight[0], weight[1], "--axes", "leftHand=world"]), "out-of-reach");
}

#[test]
fn tolerances_have_units_and_may_differ_per_axis() {
    let outcome = |tolerance: &str| {
        posed(&["--reach", ABOVE[2], "--position-tolerance", tolerance]).0["outcome"].clone()
    };
    assert_eq!(outcome("leftHand=5m"), "reached");
    assert_eq!(outcome("leftHand=500cm"), "reached");
    assert_eq!(outcome("leftHand=5mm"), "out-of-reach");
    assert_eq!(outcome("leftHand=2,5,2"), "reached");
    assert_eq!(outcome("leftHand=5,2,5"), "out-of-reach");
    let turned = |tolerance: &str| {
        let goal = ["--reach", "leftHand=0.35,1.3,0.4", "--orient", "leftHand=0,0,0,1"];
        let all = [&goal[..], &["--orientation-tolerance", tolerance, "--iterations", "0"]].concat();
        posed(&all).0["orientation_error"].as_f64().unwrap()
    };
    // A larger tolerance does not change the pose before the first iteration, but it must be accepted.
    assert!((turned("leftHand=2deg") - turned("leftHand=0.1rad")).abs() < 1e-12);
}

#[test]
fn weights_and_the_characteristic_length_change_the_compromise() {
    let base =
        ["--reach", "leftHand=0.2,1.2,0.5", "--orient", "leftHand=0.6,0.5,0.2,0.6", "--base", "leftUpperArm"];
    let errors = |more: &[&str]| {
        let (report, _) = posed(&[&["--base", "leftLowerArm"], &base[..4], more].concat());
        ["position_error", "orientation_error"].map(|key| report[key].as_f64().unwrap())
    };
    let even = errors(&[]);
    let position = errors(&["--orientation-weight", "leftHand=0.01"]);
    let orientation = errors(&["--position-weight", "leftHand=0.0001"]);
    let long = errors(&["--option", "characteristic_length=10"]);
    assert!(position[0] < even[0] - 1e-4, "{position:?} {even:?}");
    assert!(orientation[1] < even[1] - 1e-4 || even[1] < 1e-2, "{orientation:?} {even:?}");
    assert!(long != even, "the characteristic length must matter: {long:?}");
}

#[test]
fn invalid_arguments_name_the_option_and_the_node() {
    let [pose, reach, at] = ABOVE;
    let line = |option: &str, value: &str| refusal([pose, reach, at, option, value]);
    assert!(line("--position-weight", "leftHand=1,2").contains("expected 1 or 3 numbers, found 2"));
    assert!(line("--position-weight", "leftHand").contains("'=' is missing"));
    assert!(line("--position-weight", "leftHand=nan").contains("is not a number"));
    assert!(line("--position-tolerance", "leftHand=2deg").contains("does not fit; use m, cm or mm"));
    assert!(line("--axes", "leftHand=local").contains("expected world or target"));
    let weight = line("--position-weight", "leftHand=1,-1,1");
    assert!(weight.starts_with("--position-weight leftHand: must be at least 0"), "{weight}");
    let tolerance = line("--position-tolerance", "leftHand=0");
    assert_eq!(tolerance, "--position-tolerance leftHand: must be greater than 0, but is 0");
    for (option, value, needed) in [
        ("--orientation-weight", "leftHand=1", "--orient"),
        ("--orientation-tolerance", "leftHand=1deg", "--orient or --look"),
        ("--axes", "leftHand=target", "--orient"),
        ("--position-weight", "hips=1", "--reach"),
    ] {
        let name = value.split('=').next().unwrap();
        let expected = format!("{option} {name}: the node has no such target; add {needed} for it");
        assert_eq!(line(option, value), expected);
    }
    // Regression: a goal whose axes are all free counted as reached.
    assert_eq!(
        line("--position-weight", "leftHand=0"),
        "leftHand: all axes of its goal are free, so that it has no effect"
    );
    let method = refusal([pose, reach, at, "--method", "ccd", "--position-weight", "leftHand=1,0.5,1"]);
    assert!(method.ends_with("axes that are not free must have equal weights"), "{method}");
}

#[test]
fn suites_use_the_same_options() {
    let folder = folder("axes");
    let suite = folder.join("suite.toml");
    let text = r#"version = 1

[[case]]
name = "plane"
resolution = [32, 32]
reach = "leftHand=0.3,5,0.3"
position-weight = ["leftHand=1,0,1"]
position-tolerance = "leftHand=1mm"
compare = ["joints", "report"]
outcome = "reached"
error = 1e-3
"#;
    fs::write(&suite, text).unwrap();
    let path = suite.to_str().unwrap();
    assert!(sinew(["test", path, "--update"]).status.success());
    assert!(sinew(["test", path]).status.success());
    fs::write(&suite, text.replace("1,0,1", "1,1,1")).unwrap();
    assert_eq!(sinew(["test", path]).status.code(), Some(1));
    let json = json(["pose", "--reach", "leftHand=0.3,5,0.3", "--position-weight", "leftHand=1,0,1"]);
    assert_eq!(json["reports"][0]["outcome"], "reached");
}
