//! Tests of toasts and of the recording indicator.

use crate::Recorder;

use super::*;

/// Steps of the harness per second.
const STEPS: usize = 4;

/// Returns a hidden panel that has just shown a message.
fn with_message(message: Result<String, String>) -> TestPanel {
    let mut state = state().of_height(450.0);
    state.panel.hidden = true;
    state.panel.show_message(message);
    state
}

#[test]
fn message_is_shown_without_the_panel_for_four_seconds() {
    let (mut harness, state) = panel(with_message(Ok("saved sinew-0001.png".into())), Theme::Dark);
    harness.step();
    harness.assert_snapshot("said");
    harness.run_steps(2 * STEPS);
    assert!(state.borrow().panel.toast.is_some());
    // Nothing is repainted for the toast until its fade-out begins.
    let delay = harness.output().viewport_output.values().map(|v| v.repaint_delay).min().unwrap();
    assert!(delay > Duration::from_millis(100) && delay < Duration::from_secs(4), "{delay:?}");
    harness.run_steps(3 * STEPS);
    assert!(state.borrow().panel.toast.is_none());
    harness.run_steps(2 * STEPS);
    let delay = harness.output().viewport_output.values().map(|v| v.repaint_delay).min().unwrap();
    assert!(delay > Duration::from_secs(60), "{delay:?}");
}

#[test]
fn error_is_shown_without_the_panel_for_twelve_seconds() {
    let line = "models/hero.glb: skins[0].joints[3]: node 99 is out of range (12 nodes) ".repeat(5);
    let (mut harness, state) = panel(with_message(Err(line)), Theme::Light);
    harness.step();
    harness.assert_snapshot("said-error");
    harness.run_steps(6 * STEPS);
    assert!(state.borrow().panel.toast.is_some());
    harness.run_steps(7 * STEPS);
    assert!(state.borrow().panel.toast.is_none());
}

/// Names and messages may contain any characters. The panel shortens them to one line without control characters.
#[test]
fn control_characters_are_escaped() {
    let mut state = state().of_height(TALL).showing(Face::Lab, Pane::Inspector);
    let mut character = crate::asset::Character::clone(state.session.puppet.character());
    let hand = character.skeleton.find("leftHand").unwrap();
    character.skeleton.nodes[hand].name = Some("ha\u{1b}[2Jnd\n\u{202e}".into());
    character.clips[0].name = Some(format!("wa\u{7}{}lk", "x".repeat(1_000_000)));
    character.path = "fo\u{1b}x.glb".into();
    let rig = rig::load(&character, None).unwrap();
    state.session = Session::new(character, Some(rig), state.session.size());
    state.session.apply(Command::Select(Some(hand)));
    state.session.apply(Command::Clip(Some(0)));
    state.session.error = Some("no\u{9b}31m".into());
    state.panel.show_message(Err("bad\u{1b}\r\nfile".into()));
    let (mut harness, _) = panel(state, Theme::Dark);
    harness.step();
    let is_shown = |part: &str| harness.query_all_by_label_contains(part).count() > 0;
    for part in ["ha\\u{1b}[2Jnd\\n\\u{202e}", "fo\\u{1b}x.glb", "no\\u{9b}31m", "bad\\u{1b}\\r\\nfile"] {
        assert!(is_shown(part), "{part}");
    }
    for hidden in ["\u{1b}", "\u{9b}", "\u{7}", "\r", "\u{202e}", &"x".repeat(100)] {
        assert!(!is_shown(hidden), "{hidden:?}");
    }
}

#[test]
fn recording_indicator_is_shown_without_the_panel() {
    let folder = std::env::temp_dir().join(format!("sinew-panel-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut state = state().of_height(450.0);
    state.panel.hidden = true;
    state.session.record(Recorder::numbered(&folder, "dot".into()).unwrap(), 1.0).unwrap();
    check("recording", state, Theme::Dark);
    std::fs::remove_dir_all(&folder).unwrap();
}
