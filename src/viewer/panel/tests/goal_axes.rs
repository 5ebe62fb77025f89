//! Tests of the section with the axes of a goal.

use egui::accesskit::Role;
use glam::{DQuat, DVec3};

use crate::ik::{AxisTerm, GoalAxes, Tolerance};

use super::*;

const SECTION: &str = "Axes and tolerances";

/// Returns a panel with a goal for the left hand. The goal has an orientation if `turns` is set.
fn with_goal(turns: bool) -> (TestPanel, usize) {
    let mut state = state().of_height(TALL);
    let session = &mut state.session;
    session.apply(Command::KeepGoals(true));
    drag(session, "leftHand", Vec2::new(-20.0, -40.0));
    session.apply(Command::Release);
    session.document.scene.goals[0].orientation = turns.then_some(DQuat::IDENTITY);
    let hand = session.document.scene.goals[0].node;
    (state, hand)
}

#[test]
fn panel_with_the_axes_of_a_goal_matches_its_snapshot() {
    let (mut state, hand) = with_goal(true);
    let tolerance = Some(Tolerance::Norm(0.005));
    let position = AxisTerm { weights: DVec3::new(2.0, 0.0, 2.0), tolerance };
    state.session.apply(Command::GoalAxes(hand, GoalAxes { position, ..GoalAxes::default() }));
    state.session.apply(Command::Hover(Vec2::NEG_ONE));
    fix_times(&mut state.session);
    let (mut harness, _) = panel(state, Theme::Dark);
    harness.run();
    harness.get_by_label("Axes and tolerances (changed)").click();
    harness.run();
    harness.assert_snapshot("goal-axes");
}

#[test]
fn a_toggle_frees_an_axis_and_a_second_click_restores_it() {
    let (state, hand) = with_goal(false);
    let (mut harness, state) = panel(state, Theme::Dark);
    harness.run();
    assert!(harness.query_by_role_and_label(Role::CheckBox, "Y").is_none(), "the section is closed at first");
    harness.get_by_label(SECTION).click();
    harness.run();
    for expected in [DVec3::new(1.0, 0.0, 1.0), DVec3::ONE] {
        harness.get_by_role_and_label(Role::CheckBox, "Y").click();
        harness.run();
        let commands = std::mem::take(&mut state.borrow_mut().commands);
        let [Command::GoalAxes(node, axes), Command::Release] = commands[..] else { panic!("{commands:?}") };
        assert_eq!((node, axes.position.weights), (hand, expected));
        assert_eq!(axes.orientation, AxisTerm::default());
        let session = &mut state.borrow_mut().session;
        session.apply(Command::GoalAxes(node, axes));
        session.apply(Command::Release);
    }
}

#[test]
fn sliders_set_the_weight_and_the_tolerance() {
    let (state, hand) = with_goal(false);
    let (mut harness, state) = panel(state, Theme::Dark);
    harness.run();
    harness.get_by_label(SECTION).click();
    harness.run();
    harness.get_by_role_and_label(Role::Slider, "Weight").focus();
    harness.run();
    harness.key_press(egui::Key::ArrowRight);
    harness.run();
    let commands = std::mem::take(&mut state.borrow_mut().commands);
    let [Command::GoalAxes(node, axes), Command::Release] = commands[..] else { panic!("{commands:?}") };
    let weights = axes.position.weights;
    assert!(node == hand && weights.x > 1.0 && weights == DVec3::splat(weights.x), "{weights}");
    harness.get_by_role_and_label(Role::CheckBox, "Auto").click();
    harness.run();
    let commands = std::mem::take(&mut state.borrow_mut().commands);
    let [Command::GoalAxes(_, axes), Command::Release] = commands[..] else { panic!("{commands:?}") };
    assert_eq!(axes.position.tolerance, Some(Tolerance::Norm(0.001)));
}
