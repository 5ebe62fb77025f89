//! What is told over the scene.

use super::super::super::Recorder;
use super::*;

/// Steps of the harness a second.
const STEPS: usize = 4;

/// The scene alone, after something was said.
fn told(came: Result<String, String>) -> State {
    let mut state = state();
    (state.look.hidden, state.height) = (true, 450.0);
    state.look.say(came);
    state
}

#[test]
fn what_was_saved_is_told_without_the_panel_and_goes() {
    let (mut harness, state) = panel(told(Ok("saved sinew-0001.png".into())), Theme::Dark);
    harness.step();
    harness.looks_like("said");
    harness.run_steps(2 * STEPS);
    assert!(state.borrow().look.said.is_some());
    // While it stands nothing is drawn for it until it begins to go.
    let delay = harness.output().viewport_output.values().map(|v| v.repaint_delay).min().unwrap();
    assert!(delay > Duration::from_millis(100) && delay < Duration::from_secs(4), "{delay:?}");
    harness.run_steps(3 * STEPS);
    assert!(state.borrow().look.said.is_none());
    harness.run_steps(2 * STEPS);
    let delay = harness.output().viewport_output.values().map(|v| v.repaint_delay).min().unwrap();
    assert!(delay > Duration::from_secs(60), "{delay:?}");
}

#[test]
fn an_error_is_told_without_the_panel_and_stays_longer() {
    let line = "models/hero.glb: skins[0].joints[3]: node 99 does not exist\n(12 do) ".repeat(5);
    let (mut harness, state) = panel(told(Err(line)), Theme::Light);
    harness.step();
    harness.looks_like("said-error");
    harness.run_steps(6 * STEPS);
    assert!(state.borrow().look.said.is_some());
    harness.run_steps(7 * STEPS);
    assert!(state.borrow().look.said.is_none());
}

#[test]
fn a_recording_is_seen_without_the_panel() {
    let folder = std::env::temp_dir().join(format!("sinew-panel-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut state = state();
    (state.look.hidden, state.height) = (true, 450.0);
    state.session.record(Recorder::numbered(&folder, "dot".into()).unwrap(), 1.0).unwrap();
    check("recording", state, Theme::Dark);
    std::fs::remove_dir_all(&folder).unwrap();
}
