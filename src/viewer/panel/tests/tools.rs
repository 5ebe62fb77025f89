//! Tests of the tools over the scene.

use egui::Theme;
use egui_kittest::kittest::Queryable;

use crate::panel::{axis_gizmo, tools};
use crate::{Action, Command, Tool};

use super::{panel, selected, state};

#[test]
fn tools_do_what_they_say_and_take_their_clicks() {
    let (mut harness, state) = panel(selected("leftHand"), Theme::Light);
    harness.run();
    let node = state.borrow().session.selected().unwrap();
    let all = [
        ("Pull", Command::Tool(Tool::Pull)),
        ("Turn", Command::Tool(Tool::Turn)),
        ("Pin", Command::PinNode(node)),
    ];
    let click = |harness: &mut super::SnapshotHarness, name: &str| {
        // The toolbar has no button of the same name.
        let at = harness.get_by_label(name).rect().center();
        let state = state.borrow();
        assert!(tools::contains(&state.session, &state.panel, at) && !axis_gizmo::contains(&state.panel, at));
        assert!(state.panel.layout.scene.contains(at));
        drop(state);
        harness.get_by_label(name).click();
        harness.run();
    };
    for (name, command) in all {
        click(&mut harness, name);
        assert_eq!(state.borrow_mut().commands.pop(), Some(command), "{name}");
    }
    for (name, action) in [("Symmetric", Action::Symmetry), ("Land on surfaces", Action::Landing)] {
        click(&mut harness, name);
        assert_eq!(state.borrow_mut().panel.action.take(), Some(action), "{name}");
    }
    assert_eq!(Action::Landing.command(&state.borrow().session), Some(Command::Landing(false)));
    let beside = state.borrow().panel.layout.scene.center();
    assert!(!tools::contains(&state.borrow().session, &state.borrow().panel, beside));
}

#[test]
fn a_pin_needs_a_joint_and_tools_are_hidden_with_the_panel() {
    let (mut harness, state) = panel(state(), Theme::Dark);
    harness.run();
    harness.get_by_label("Pin").click();
    harness.run();
    assert!(state.borrow().commands.is_empty());
    state.borrow_mut().panel.hidden = true;
    harness.run();
    assert!(harness.query_by_label("Pin").is_none());
}
