//! Solver options in the panel: every option has a control, and options can be stored in the rig.

use egui::Theme;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable;
use glam::DVec3;

use crate::Command;
use crate::ik::{Balance, Method, OptionOverrides, Options, Secondary, SolverOption, Swivel};
use crate::panel::option_row::label;
use crate::session::solver_options::options_of_rig;

use super::{Face, Pane, SIZE, TALL, TestPanel, check, panel, state};

/// Returns a panel with these options, tall enough for all rows.
fn with(options: Options) -> TestPanel {
    let mut state = state().of_height(2.0 * TALL).showing(Face::Lab, Pane::Solver);
    state.session.apply(Command::Solver(Box::new(options)));
    // Measured times would differ between runs.
    state.session.update_times.clear();
    state
}

fn with_method(method: Method) -> Options {
    let state = state();
    options_of_rig(state.session.rig(), method)
}

#[test]
fn every_option_has_a_row_for_each_method_that_uses_it() {
    for method in Method::all() {
        let mut options = with_method(method);
        options.jacobian.secondary = Secondary::Rest;
        let (mut harness, _) = panel(with(options), Theme::Dark);
        harness.get_by_label("All methods").click();
        harness.run();
        for option in SolverOption::all().iter().filter(|o| o.refusal.is_none() && o.key != "method") {
            let text = shown_as(option.key);
            let is_shown = harness.query_all_by_role(Role::Label).any(|node| {
                use egui_kittest::kittest::NodeT;
                node.accesskit_node().value().is_some_and(|shown| shown == text)
            });
            // Options of different methods may have the same name.
            let mut named = SolverOption::all().iter().filter(|o| shown_as(o.key) == text);
            let applies = named.any(|o| o.applies_to(method));
            assert_eq!(is_shown, applies, "{method}: {} as {text}", option.key);
        }
    }
}

/// Returns the name of an option's row.
fn shown_as(key: &str) -> String {
    match key {
        "ccd.base_first" => "Order".to_owned(),
        "start" => "Start from rest".to_owned(),
        key => label(key),
    }
}

#[test]
fn a_swivel_that_follows_the_target_can_be_chosen() {
    let (mut harness, state) = panel(with(with_method(Method::TwoBone)), Theme::Dark);
    harness.run();
    harness.get_all_by_role(Role::ComboBox).nth(1).unwrap().click();
    harness.run();
    harness.get_by_label("Follow target").click();
    harness.run();
    let commands = std::mem::take(&mut state.borrow_mut().commands);
    let [Command::Solver(options), ..] = &commands[..] else { panic!("{commands:?}") };
    assert_eq!(options.limb.swivel, Swivel::Follow { at_base: 0.0, slope: DVec3::ZERO });
}

#[test]
fn numbers_of_a_following_swivel_match_their_snapshot() {
    let mut options = with_method(Method::TwoBone);
    options.limb.swivel = Swivel::Follow { at_base: 0.1, slope: DVec3::new(0.0, 0.0, 0.4) };
    check("swivel", with(options).of_height(SIZE.y), Theme::Dark);
}

#[test]
fn settings_of_all_methods_match_their_snapshot() {
    let (mut harness, _) = panel(with(with_method(Method::Auto)).of_height(SIZE.y), Theme::Dark);
    harness.get_by_label("All methods").click();
    harness.run();
    harness.assert_snapshot("settings");
}

#[test]
fn terms_of_an_optimisation_match_their_snapshot() {
    let mut options = with_method(Method::Optimize);
    options.optimize.stay = 0.01;
    options.optimize.balance = Some(Balance { support: DVec3::new(0.1, 0.0, 0.0), weight: 0.5 });
    check("optimize", with(options).of_height(SIZE.y), Theme::Light);
}

/// Showing the panel does not change option values outside the range or precision of their sliders.
#[test]
fn showing_the_panel_changes_no_option() {
    for method in Method::ALL {
        let mut options = with_method(method);
        options.tolerance = Some(1.0 / 3.0);
        options.angle_tolerance = 1.0 / 3.0;
        (options.ccd.step, options.ccd.budget, options.iterations) = (1.0 / 3.0, 7.0, 5000);
        (options.jacobian.damping, options.jacobian.clamp) = (Some(7.0), 1e-3);
        (options.optimize.rest, options.optimize.stay) = (7.0, 1e-9);
        options.optimize.balance = Some(Balance { support: DVec3::splat(2e3), weight: 70.0 });
        options.limb.swivel = Swivel::Angle(7.0);
        let (mut harness, state) = panel(with(options), Theme::Dark);
        harness.get_by_label("All methods").click();
        harness.run();
        let commands = std::mem::take(&mut state.borrow_mut().commands);
        assert_eq!(commands, [], "{method}");
        assert_eq!(state.borrow().session.document.settings.solver.as_ref(), &options, "{method}");
    }
}

#[test]
fn options_are_stored_in_the_rig() {
    let mut options = with_method(Method::Ccd);
    options.ccd.step = 5_f64.to_radians();
    let (mut harness, state) = panel(with(options), Theme::Dark);
    harness.get_by_label("All methods").click();
    harness.run();
    harness.get_by_label("Store in rig").click();
    harness.run();
    assert_eq!(std::mem::take(&mut state.borrow_mut().commands), [Command::StoreOptions]);
    let session = &mut state.borrow_mut().session;
    assert!(!session.is_rig_changed());
    session.apply(Command::StoreOptions);
    assert!(session.is_rig_changed());
    let stored = |overrides: &OptionOverrides| serde_json::to_string(overrides).unwrap();
    assert_eq!(stored(&session.rig().options), r#"{"method":"ccd","ccd.step":"5deg"}"#);
    // The stored options are now the character's defaults. Later changes to these options can also be stored.
    assert_eq!(options_of_rig(session.rig(), Method::Ccd), options);
    session.apply(Command::Solver(Box::new(with_method(Method::Ccd))));
    session.apply(Command::StoreOptions);
    assert_eq!(stored(&session.rig().options), r#"{"method":"ccd","ccd.step":"none"}"#);
    session.apply(Command::Undo);
    assert_eq!(stored(&session.rig().options), r#"{"method":"ccd","ccd.step":"5deg"}"#);
    session.apply(Command::Undo);
    assert!(session.rig().options.is_empty());
}
