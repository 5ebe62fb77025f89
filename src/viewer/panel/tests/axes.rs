//! Tests of the axis gizmo with the pointer.

use egui::Theme;

use crate::{Action, Command};

use super::{SnapshotHarness, panel, state};

#[test]
fn the_axis_gizmo_changes_the_view_and_orbits() {
    let (mut harness, state) = panel(state(), Theme::Dark);
    harness.run();
    let middle = state.borrow().panel.layout.scene.right_top() + egui::vec2(-56.0, 56.0);
    let press = |harness: &mut SnapshotHarness, at: egui::Pos2, pressed: bool| {
        harness.event(egui::Event::PointerMoved(at));
        harness.step();
        let button = egui::PointerButton::Primary;
        let modifiers = egui::Modifiers::default();
        harness.event(egui::Event::PointerButton { pos: at, button, pressed, modifiers });
        harness.step();
    };
    for (by, action) in [(egui::vec2(0.0, -31.0), Action::Top), (egui::Vec2::ZERO, Action::Projection)] {
        press(&mut harness, middle + by, true);
        press(&mut harness, middle + by, false);
        assert_eq!(state.borrow_mut().panel.action.take(), Some(action));
    }
    // A drag orbits, even outside the circle.
    press(&mut harness, middle + egui::vec2(20.0, 20.0), true);
    press(&mut harness, middle + egui::vec2(-40.0, 60.0), false);
    let orbits = |command: &Command| matches!(command, Command::Orbit(_));
    assert!(state.borrow().commands.iter().any(orbits));
    assert_eq!(state.borrow().panel.action, None);
    // The corners beside the circle belong to the scene.
    state.borrow_mut().commands.clear();
    press(&mut harness, middle + egui::vec2(40.0, 40.0), true);
    press(&mut harness, middle + egui::vec2(0.0, 10.0), false);
    assert!(!state.borrow().commands.iter().any(orbits) && state.borrow().panel.action.is_none());
}
