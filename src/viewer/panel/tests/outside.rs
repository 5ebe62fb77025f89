//! Tests of the arrow that points to a character outside the scene.

use egui::{Pos2, Theme};
use egui_kittest::kittest::Queryable;
use glam::Vec3;

use crate::Command;
use crate::panel::{axis_gizmo, outside};

use super::{panel, state};

const LABEL: &str = "The character is outside the view";

/// The arrow once covered the axis gizmo, and a click on the arrow also deselected the joint.
#[test]
fn the_arrow_takes_clicks_and_slides_around_the_axis_gizmo() {
    let (mut harness, state) = panel(state(), Theme::Dark);
    harness.run();
    assert!(harness.query_by_label(LABEL).is_none());
    let look_at = |target: Vec3| {
        let mut view = state.borrow().session.home_view();
        view.set_target(target);
        state.borrow_mut().session.apply(Command::Camera(view));
    };
    let is_taken = |at: Pos2| outside::contains(&state.borrow().session, &state.borrow().panel, at);
    // Move the body outside the scene, around the corner that contains the gizmo.
    let mut places: Vec<Pos2> = Vec::new();
    for step in 0..=20_u8 {
        look_at(Vec3::new(-10.0 + f32::from(step) * 0.4, -2.0 - f32::from(step) * 0.4, 0.0));
        harness.run();
        let at = harness.get_by_label(LABEL).rect().center();
        assert!(is_taken(at) && state.borrow().panel.layout.scene.contains(at), "{at:?}");
        assert!(!axis_gizmo::contains(&state.borrow().panel, at), "{at:?}");
        places.push(at);
    }
    let gizmo = axis_gizmo::area(&state.borrow().panel).unwrap();
    assert!(places[0].x >= gizmo.left() && places[0].y > gizmo.bottom(), "{places:?}");
    assert!(places[20].x < gizmo.left() && places[20].y < gizmo.bottom(), "{places:?}");
    assert!(!is_taken(gizmo.center()) && !is_taken(places[0]));
    harness.get_by_label(LABEL).click();
    harness.run();
    let home = state.borrow().session.home_view();
    assert_eq!(state.borrow_mut().commands.pop(), Some(Command::Camera(home)));
}
