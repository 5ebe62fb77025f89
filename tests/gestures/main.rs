//! Gestures on the built-in character: what a body does when a person pulls on it.
//!
//! `scripts/gestures.sh` makes the same gestures on other characters.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![allow(unreachable_pub, dead_code, reason = "the runner is shared with examples/gestures.rs")]

mod runner;

use std::fs;
use std::path::Path;

use sinew::asset;
use sinew::rig;
use sinew::viewer::{Recording, Replay};

use runner::verdict::{Failures, Rule};
use runner::{Side, Subject, run_all};

/// Makes all gestures on the built-in character, and returns a line for each failure.
fn failures(side: Side) -> Vec<String> {
    let mut subject = Subject::load(None).unwrap();
    subject.side = side;
    let mut lines = Vec::new();
    for result in run_all(&subject) {
        let (number, name) = (result.number, result.name);
        lines.extend(result.skipped.iter().map(|reason| format!("{number} {name}: skipped, {reason}")));
        lines.extend(result.failures.0.iter().map(|f| format!("{number} {name}: {}", f.text)));
    }
    lines
}

#[test]
fn the_mannequin_makes_all_gestures() {
    for side in [Side::Left, Side::Right] {
        let failures = failures(side);
        assert!(failures.is_empty(), "{} side:\n{}", side.name(), failures.join("\n"));
    }
}

#[test]
fn every_gesture_is_recorded_as_a_session_that_replays_to_the_same_pose() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gestures");
    fs::create_dir_all(&folder).unwrap();
    let mut subject = Subject::load(None).unwrap();
    subject.recordings = Some(folder.clone());
    let run = runner::people::hand_in_front(&subject, false).unwrap();
    let (pose, path) = (run.puppet().pose().clone(), folder.join("4.session"));
    drop(run.finish());
    let recording = Recording::open(&path).unwrap();
    let character = asset::mannequin().unwrap();
    let rig = rig::load(&character, None).unwrap();
    assert_eq!(recording.warnings(&character, &rig), Vec::<String>::new());
    let mut replay = Replay::new(&recording, character, rig).unwrap();
    replay.advance(recording.length()).unwrap();
    assert_eq!(*replay.session().puppet().pose(), pose);
}

#[test]
fn a_character_without_a_body_has_no_gestures() {
    let tentacle = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/tentacle.glb");
    assert!(Subject::load(Some(Path::new(tentacle))).is_err());
}

#[test]
fn the_worst_figure_of_each_rule_is_reported() {
    let mut failures = Failures::default();
    for (figure, text) in [(0.9, "fits"), (2.0, "bad"), (3.0, "worse"), (1.5, "less bad")] {
        failures.at_most(Rule::Jump, figure, 1.0, || text.to_owned());
    }
    failures.require(Rule::Posture, true, || "holds".to_owned());
    failures.require(Rule::Posture, false, || "does not hold".to_owned());
    // A figure that is not a number does not fit.
    failures.at_most(Rule::Target, f64::NAN, 1.0, || "unknown".to_owned());
    let texts: Vec<&str> = failures.0.iter().map(|f| f.text.as_str()).collect();
    assert_eq!(texts, ["worse", "does not hold", "unknown"]);
}
