//! Gestures on the characters of the cast: what a body does when a person pulls on it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![allow(unreachable_pub, dead_code, reason = "the runner is shared with examples/gestures.rs")]

mod runner;

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
