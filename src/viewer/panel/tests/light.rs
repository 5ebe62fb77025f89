//! Tests of the controls for lighting.

use super::*;
use crate::render::{Light, LightSource, ToneMap};

/// Applies the commands that the panel has issued, and returns the light.
fn light_after(state: &Rc<RefCell<TestPanel>>) -> Light {
    let TestPanel { session, commands, .. } = &mut *state.borrow_mut();
    commands.drain(..).for_each(|command| session.apply(command));
    session.settings().light.clone()
}

#[test]
fn controls_of_the_light_issue_commands() {
    let (mut harness, state) = panel(state().of_height(TALL).showing(Face::Pose, Pane::View), Theme::Dark);
    harness.run();
    assert_eq!(light_after(&state), Light::new(LightSource::Studio));
    assert!(harness.query_by_label("Reset light").is_none());
    harness.get_by_label("outdoor").click();
    harness.run();
    assert_eq!(light_after(&state), Light::new(LightSource::Outdoor));
    harness.run();
    harness.get_by_label("agx").click();
    harness.run();
    let outdoor = Light { tone: ToneMap::Agx, ..Light::new(LightSource::Outdoor) };
    assert_eq!(light_after(&state), outdoor);
    harness.run();
    harness.get_by_label("Reset light").click();
    harness.run();
    assert_eq!(light_after(&state), Light::new(LightSource::Studio));
}

#[test]
fn panel_with_the_light_matches_its_snapshot() {
    let mut state = state().showing(Face::Pose, Pane::View);
    let turned = Light { rotation: 0.5, exposure: -0.5, ..Light::new(LightSource::Outdoor) };
    state.session.apply(Command::Light(turned));
    check("light", state, Theme::Dark);
}
