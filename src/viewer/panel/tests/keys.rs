//! Tests of the list of shortcuts and of the command palette.

use crate::panel::Palette;

use super::*;

#[test]
fn shortcut_window_matches_its_snapshot() {
    let mut state = state();
    state.panel.shortcuts = true;
    check("keys", state, Theme::Dark);
}

#[test]
fn shortcut_window_scrolls_if_it_does_not_fit() {
    let mut state = state().of_height(450.0);
    state.panel.shortcuts = true;
    let (mut harness, _) = panel(state, Theme::Dark);
    harness.run();
    let last = |harness: &Harness<'_>| harness.get_by_label("Del").rect();
    assert!(last(&harness).top() > 450.0);
    harness.hover_at(harness.get_by_label("Left drag").rect().center());
    harness.run();
    let delta = egui::vec2(0.0, -2000.0);
    let (unit, phase, source) =
        (egui::MouseWheelUnit::Point, egui::TouchPhase::Move, egui::MouseWheelSource::Unknown);
    let modifiers = egui::Modifiers::default();
    harness.event(egui::Event::MouseWheel { unit, delta, phase, modifiers, source });
    harness.run_steps(40);
    assert!(last(&harness).bottom() < 450.0, "{}", last(&harness));
    harness.assert_snapshot("keys-low");
}

#[test]
fn palette_finds_an_action_and_runs_it() {
    let mut before = state();
    before.panel.palette = Some(Palette::default());
    let (mut harness, state) = panel(before, Theme::Dark);
    harness.run();
    harness.event(egui::Event::Text("mirror".into()));
    harness.run();
    harness.assert_snapshot("palette");
    harness.key_press(egui::Key::ArrowDown);
    harness.run();
    harness.key_press(egui::Key::Enter);
    harness.run();
    assert_eq!(state.borrow_mut().panel.action.take(), Some(Action::MirrorLimb));
    assert!(state.borrow().panel.palette.is_none());
}
