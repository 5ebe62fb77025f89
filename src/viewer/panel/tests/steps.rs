//! Tests of the controls that step through a solve.

use super::*;

#[test]
fn panel_with_a_step_of_a_solve_matches_its_snapshot() {
    check("steps", stepping(Method::Ccd).showing(Face::Lab, Pane::Solver), Theme::Dark);
}

#[test]
fn step_controls_issue_commands() {
    let (mut harness, state) = panel(stepping(Method::Dls).showing(Face::Lab, Pane::Solver), Theme::Dark);
    harness.run();
    let (shown, count) = state.borrow().session.shown_steps().unwrap();
    assert!(shown == 2 && count > 2, "{shown} {count}");
    for (button, step) in [("Back", Some(1)), ("Next", Some(3)), ("Done", None)] {
        harness.get_by_label(button).click();
        harness.run();
        assert_eq!(std::mem::take(&mut state.borrow_mut().commands), [Command::Step(step)]);
    }
    state.borrow_mut().session.apply(Command::Step(None));
    harness.run();
    harness.get_by_label("Step through").click();
    harness.run();
    assert_eq!(std::mem::take(&mut state.borrow_mut().commands), [Command::Step(Some(0))]);
}
