//! Gestures on the built-in character, which check the reaction of the body to a pull.
//!
//! `scripts/gestures.sh` makes the same gestures on other characters.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![allow(unreachable_pub, dead_code, reason = "the runner is shared with tools/programs/gestures.rs")]

mod runner;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use glam::{DVec3, Vec2, Vec3};
use sinew::viewer::{Command, NodePoint, Recording, Replay, Session};

use runner::verdict::{Failures, Rule};
use runner::{Side, Subject, run_all};
use sinew_testkit::{folder, mannequin, mannequin_rig};

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
    let folder = folder("gestures");
    let mut subject = Subject::load(None).unwrap();
    subject.recordings = Some(folder.clone());
    let run = runner::people::hand_in_front(&subject, false).unwrap();
    let (pose, path) = (run.puppet().pose().clone(), folder.join("4.session"));
    drop(run.finish());
    let recording = Recording::open(&path).unwrap();
    let (character, rig) = (mannequin(), mannequin_rig());
    assert_eq!(recording.warnings(&character, &rig), Vec::<String>::new());
    let mut replay = Replay::new(&recording, character, rig).unwrap();
    replay.advance(recording.length()).unwrap();
    assert_eq!(*replay.session().puppet().pose(), pose);
}

/// A second drag begins in the pose that the first one left, not at rest.
#[test]
fn a_foot_that_was_raised_stays_up_while_a_hand_is_dragged() {
    let character = mannequin();
    let mut session = Session::new(Arc::clone(&character), None, Vec2::new(800.0, 600.0));
    let node =
        |name: &str| character.skeleton.nodes.iter().position(|n| n.name.as_deref() == Some(name)).unwrap();
    let (foot, standing, hand) = (node("leftFoot"), node("rightFoot"), node("leftHand"));
    let at = |session: &Session, node: usize| {
        Vec3::from(session.puppet().world_from_node()[node].translation).as_dvec3()
    };
    let drag = |session: &mut Session, node: usize, by: DVec3| {
        let from = at(session, node);
        session.apply(Command::GrabNode(NodePoint { node, offset: DVec3::ZERO }));
        for step in 1..=60 {
            session.apply(Command::Tick(Duration::from_secs(1) / 60));
            session.apply(Command::DragTo(from + by * f64::from(step) / 60.0));
        }
        session.apply(Command::Release);
    };
    drag(&mut session, foot, DVec3::new(0.0, 0.25, 0.2));
    let raised = [foot, standing].map(|node| at(&session, node));
    assert!(raised[0].y > 0.25, "{}", raised[0]);
    drag(&mut session, hand, DVec3::new(0.1, 0.3, 0.4));
    let after = [foot, standing].map(|node| at(&session, node));
    assert!(after[0].distance(raised[0]) < 0.005, "the raised foot moves from {} to {}", raised[0], after[0]);
    assert!(
        after[1].distance(raised[1]) < 0.001,
        "the standing foot moves from {} to {}",
        raised[1],
        after[1]
    );
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
    // A value that is not a number does not pass.
    failures.at_most(Rule::Target, f64::NAN, 1.0, || "unknown".to_owned());
    let texts: Vec<&str> = failures.0.iter().map(|f| f.text.as_str()).collect();
    assert_eq!(texts, ["worse", "does not hold", "unknown"]);
}
