//! Snapshots of the panel in various states, and tests of the commands that its controls issue.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test --lib panel` updates the snapshots. Review them before committing.

use crate::asset::mannequin;
use crate::ik::Method;
use crate::motion::{Motion, Strip, WeightedClip};
use crate::rig;
use crate::{Action, Command, Session};

use super::layout::{Face, Pane};
use super::{AppRequest, Leave, PanelState, PathPurpose, Question, show, style};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use egui::Theme;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use glam::Vec2;

mod axes;
mod contacts;
mod contrast;
mod dope_sheet;
mod drawing;
mod files;
mod goal_axes;
mod goal_keys;
mod hand;
mod inspector;
mod keys;
mod light;
mod options;
mod outside;
mod question;
mod steps;
mod timeline;
mod toasts;
mod tools;

use drawing::SnapshotHarness;

const SIZE: Vec2 = Vec2::new(1280.0, 800.0);
/// Height in points of a panel showing all sections.
const TALL: f32 = 1180.0;

/// A session, its panel and the commands that the panel issued.
struct TestPanel {
    session: Session,
    panel: PanelState,
    commands: Vec<Command>,
    /// Size of the window in points.
    size: Vec2,
    /// Pixels per point.
    scale: f32,
}

impl TestPanel {
    /// Returns the panel with one pane of a face in front.
    fn showing(mut self, face: Face, pane: Pane) -> Self {
        self.panel.layout.face = face;
        self.panel.layout.show_pane(pane);
        self
    }

    /// Sets the window's height.
    fn of_height(mut self, height: f32) -> Self {
        self.size.y = height;
        self
    }
}

/// Returns the mannequin with an untouched panel.
fn state() -> TestPanel {
    let character = mannequin().unwrap();
    let rig = rig::load(&character, None).unwrap();
    let panel = PanelState { adapter: "an adapter, vulkan".into(), ..PanelState::default() };
    let session = Session::new(character, Some(rig), SIZE);
    TestPanel { session, panel, commands: Vec::new(), size: SIZE, scale: 1.0 }
}

/// Returns the mannequin during a drag of its left hand, with fixed times.
fn dragging() -> TestPanel {
    let mut state = state();
    drag(&mut state.session, "leftHand", Vec2::new(-20.0, -40.0));
    assert_eq!(state.session.reports.len(), 1, "{:?}", state.session.error);
    fix_times(&mut state.session);
    state
}

/// Drags a joint by a distance in pixels without releasing it.
fn drag(session: &mut Session, name: &str, by: Vec2) {
    let node = session.puppet.character().skeleton.find(name).unwrap();
    let at =
        crate::scene::picking::pixel(&session.camera(), session.position_of(node).unwrap(), session.size())
            .unwrap();
    session.apply(Command::Grab(at));
    session.apply(Command::Drag(at + by));
}

/// Replaces measured times, so that snapshots are reproducible.
fn fix_times(session: &mut Session) {
    session.reports.iter_mut().for_each(|r| r.seconds = 4.2e-6);
    session.comparison.set_solve_times(7.1e-5);
    session.update_times = (0..60_u8).map(|i| 20.0 + f32::from(i % 7)).collect();
}

/// Creates a harness that lays out, draws and clicks the panel, and returns it with the displayed state.
fn panel(state: TestPanel, theme: Theme) -> (SnapshotHarness, Rc<RefCell<TestPanel>>) {
    let (size, scale) = (state.size, state.scale);
    let state = Rc::new(RefCell::new(state));
    let shared = Rc::clone(&state);
    let show = move |ui: &mut egui::Ui| {
        let TestPanel { session, panel, commands, .. } = &mut *shared.borrow_mut();
        commands.extend(show(ui, session, panel));
    };
    let builder =
        Harness::builder().with_size([size.x, size.y]).with_pixels_per_point(scale).with_theme(theme);
    (SnapshotHarness::new(builder, show), state)
}

/// Compares the panel with a snapshot.
fn check(name: &str, state: TestPanel, theme: Theme) {
    let (mut harness, _) = panel(state, theme);
    harness.run();
    harness.assert_snapshot(name);
}

#[test]
fn idle_panel_matches_its_snapshot() {
    check("idle", state(), Theme::Dark);
}

#[test]
fn idle_light_panel_matches_its_snapshot() {
    check("idle-light", state(), Theme::Light);
}

#[test]
fn panel_during_a_drag_matches_its_snapshot() {
    check("dragging", dragging().showing(Face::Lab, Pane::Solver), Theme::Dark);
}

#[test]
fn panel_with_a_playing_clip_matches_its_snapshot() {
    let mut state = state();
    state.session.apply(Command::Clip(Some(0)));
    state.session.apply(Command::Tick(Duration::from_millis(250)));
    state.session.update_times.clear();
    check("clip", state.showing(Face::Pose, Pane::Clips), Theme::Dark);
}

#[test]
fn animated_morph_target_is_read_only() {
    use egui::accesskit::Role;
    use egui_kittest::kittest::NodeT;
    let character = crate::asset::load(&sinew_testkit::asset_path("awkward.glb")).unwrap();
    let session = Session::new(character, None, SIZE);
    let before = TestPanel { session, ..state() }.of_height(TALL).showing(Face::Pose, Pane::Clips);
    let (mut harness, state) = panel(before, Theme::Dark);
    let slider = |harness: &Harness<'_>, name: &str| {
        let sliders = harness.query_all_by_role(Role::Slider).map(|s| s.accesskit_node());
        let slider = sliders.into_iter().find(|s| s.label().is_some_and(|l| l.ends_with(name))).unwrap();
        (slider.numeric_value(), slider.is_disabled())
    };
    harness.run();
    assert!(!slider(&harness, "smile").1);
    state.borrow_mut().session.apply(Command::Clip(Some(0)));
    state.borrow_mut().session.apply(Command::Tick(Duration::from_millis(400)));
    harness.run();
    let (value, is_disabled) = slider(&harness, "smile");
    let weights = state.borrow().session.puppet.pose().weights.clone();
    assert!(
        is_disabled && weights[0] != state.borrow().session.document.scene.held.weights[0],
        "{weights:?}"
    );
    assert!((value.unwrap() - f64::from(weights[0])).abs() < 1e-6);
}

#[test]
fn panel_with_blended_clips_matches_its_snapshot() {
    let mut state = state();
    let clips = [0.7, 0.3].into_iter().enumerate().map(|(clip, weight)| WeightedClip { clip, weight });
    let strip = Strip { clips: clips.collect(), ..Strip::new(0) };
    let motion = Motion { strips: vec![strip], plant: true, ..Motion::default() };
    state.session.apply(Command::Motion(Box::new(motion)));
    state.session.update_times.clear();
    check("blend", state.showing(Face::Pose, Pane::Clips), Theme::Dark);
}

#[test]
fn panel_with_compared_methods_matches_its_snapshot() {
    let mut state = state();
    let methods = vec![Method::Ccd, Method::Fabrik, Method::JacobianTranspose, Method::TwoBone];
    state.session.apply(Command::Compare(methods));
    drag(&mut state.session, "leftHand", Vec2::new(-25.0, -55.0));
    fix_times(&mut state.session);
    check("compare", state.showing(Face::Lab, Pane::Solver), Theme::Dark);
}

#[test]
fn panel_with_weighted_goals_matches_its_snapshot() {
    let mut state = state();
    let session = &mut state.session;
    session.apply(Command::KeepGoals(true));
    for (hand, by) in [("leftHand", Vec2::new(60.0, -60.0)), ("rightHand", Vec2::new(-30.0, -20.0))] {
        drag(session, hand, by);
        session.apply(Command::Release);
    }
    let hand = session.document.scene.goals[0].node;
    session.apply(Command::GoalWeight(hand, 4.0));
    session.apply(Command::Hover(Vec2::NEG_ONE));
    fix_times(session);
    check("goals", state, Theme::Light);
}

/// Returns the whole panel with a selected joint.
fn selected(joint: &str) -> TestPanel {
    let mut state = state();
    let node = state.session.puppet.character().skeleton.find(joint);
    state.session.apply(Command::Select(node));
    state
}

#[test]
fn goal_controls_issue_commands() {
    let mut state = state();
    state.session.apply(Command::KeepGoals(true));
    drag(&mut state.session, "leftHand", Vec2::new(-20.0, -40.0));
    state.session.apply(Command::Release);
    let hand = state.session.document.scene.goals[0].node;
    let (mut harness, state) = panel(state, Theme::Dark);
    harness.run();
    harness.get_by_label("Remove").click();
    harness.run();
    assert_eq!(std::mem::take(&mut state.borrow_mut().commands), [Command::RemoveGoal(hand)]);
    let name = state.borrow().session.puppet.character().skeleton.label(hand);
    harness.get_by_role_and_label(egui::accesskit::Role::Slider, &name).focus();
    harness.run();
    harness.key_press(egui::Key::ArrowRight);
    harness.run();
    let commands = std::mem::take(&mut state.borrow_mut().commands);
    let [Command::GoalWeight(node, weight), Command::Release] = commands[..] else { panic!("{commands:?}") };
    assert!(node == hand && weight > 1.0, "{weight}");
}

/// Returns a panel in which the mannequin's hand has been dragged and step mode shows a part of the solve.
fn stepping(method: Method) -> TestPanel {
    let mut state = state();
    let session = &mut state.session;
    session.apply(Command::Solver(Box::new(session.document.settings.solver.with_method(method))));
    drag(session, "leftHand", Vec2::new(-60.0, -90.0));
    session.apply(Command::Release);
    session.apply(Command::Hover(Vec2::NEG_ONE));
    session.apply(Command::Step(Some(2)));
    fix_times(session);
    state
}

#[test]
fn both_faces_fit_small_and_large_windows() {
    for (name, size, scale) in [("small", Vec2::new(1024.0, 700.0), 1.0), ("double", SIZE, 2.0)] {
        for (face, theme) in [(Face::Pose, Theme::Light), (Face::Lab, Theme::Dark)] {
            let mut state = selected("leftLowerArm").showing(face, Pane::Inspector);
            (state.size, state.scale) = (size, scale);
            let (mut harness, _) = panel(state, theme);
            harness.run();
            harness.assert_snapshot(&format!("{name}-{face:?}").to_lowercase());
        }
    }
}

/// The panes once filled a 320 × 240 window completely.
#[test]
fn the_smallest_window_keeps_the_scene() {
    let mut state = state();
    state.size = Vec2::new(320.0, 240.0);
    let (mut harness, state) = panel(state, Theme::Dark);
    harness.run();
    assert!(state.borrow().session.size().cmpge(Vec2::new(300.0, 180.0)).all());
}
