//! Pictures of the panel in its states, and what its buttons ask for.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test --lib panel` draws the pictures anew: look at them before you commit them.

use crate::motion::{Bar, Motion, Share};
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use egui::Theme;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use glam::Vec2;

use super::super::{Command, PoseFile, Session};
use super::{Look, WIDTH, Wish, free, show, style};
use crate::asset::mannequin;
use crate::ik::Method;
use crate::rig;

mod drawing;
mod said;
mod timeline;

use drawing::Shown;

const SIZE: Vec2 = Vec2::new(700.0, 860.0);
/// Points that a panel with everything in it is high.
const TALL: f32 = 1180.0;

struct State {
    session: Session,
    look: Look,
    asked: Vec<Command>,
    height: f32,
}

/// The mannequin beside an untouched panel.
fn state() -> State {
    let character = mannequin().unwrap();
    let rig = rig::load(&character, None).unwrap();
    let look = Look { adapter: "an adapter, vulkan".into(), ..Look::default() };
    let session = Session::new(character, Some(rig), SIZE - Vec2::X * WIDTH);
    State { session, look, asked: Vec::new(), height: SIZE.y }
}

/// The mannequin's left hand held where it can be; measured times are made to be the same ones everywhere.
fn dragging() -> State {
    let mut state = state();
    pull(&mut state.session, "leftHand", Vec2::new(-20.0, -40.0));
    assert_eq!(state.session.reports.len(), 1, "{:?}", state.session.error);
    timeless(&mut state.session);
    state
}

/// Takes hold of a joint and pulls it by some pixels.
fn pull(session: &mut Session, name: &str, by: Vec2) {
    let node = session.puppet.character().skeleton.find(name).unwrap();
    let at = crate::picking::pixel(&session.camera(), session.place(node).unwrap(), session.size()).unwrap();
    session.apply(Command::Grab(at));
    session.apply(Command::Drag(at + by));
}

/// Measured times, made to be the same ones everywhere.
fn timeless(session: &mut Session) {
    session.reports.iter_mut().for_each(|r| r.seconds = 4.2e-6);
    session.comparison.took(7.1e-5);
    session.costs = (0..60_u8).map(|i| 20.0 + f32::from(i % 7)).collect();
}

/// A panel that lays itself out, draws, and takes clicks; and what it shows.
fn panel(mut state: State, theme: Theme) -> (Shown, Rc<RefCell<State>>) {
    let height = state.height;
    let area = free(Vec2::new(SIZE.x, height), 1.0, &state.look, &state.session);
    // A taller picture of the panel shows the same scene.
    if area.y < state.session.size().y {
        state.session.apply(Command::Resize(area));
    }
    let state = Rc::new(RefCell::new(state));
    let shown = Rc::clone(&state);
    let show = move |ui: &mut egui::Ui| {
        let State { session, look, asked, .. } = &mut *shown.borrow_mut();
        asked.extend(show(ui, session, look));
    };
    let builder = Harness::builder().with_size([SIZE.x, height]).with_theme(theme);
    (Shown::new(builder, show), state)
}

fn check(name: &str, state: State, theme: Theme) {
    let (mut harness, _) = panel(state, theme);
    harness.run();
    harness.looks_like(name);
}

#[test]
fn nothing_done_yet() {
    check("idle", state(), Theme::Dark);
}

#[test]
fn nothing_done_yet_by_daylight() {
    check("idle-light", state(), Theme::Light);
}

#[test]
fn a_drag_and_its_report() {
    check("dragging", dragging(), Theme::Dark);
}

#[test]
fn a_file_that_is_read_and_one_that_could_not_be() {
    let mut state = state();
    state.look.notice = Some("models/hero.glb: skins[0].joints[3]: node 99 does not exist (12 do)".into());
    state.look.open.reading = Some(PathBuf::from("models/other.glb"));
    state.look.saved = Some("saved sinew-0001.png".into());
    check("error", state, Theme::Dark);
}

#[test]
fn a_clip_that_plays() {
    let mut state = state();
    state.session.apply(Command::Clip(Some(0)));
    state.session.apply(Command::Tick(Duration::from_millis(250)));
    state.session.costs.clear();
    check("clip", state, Theme::Dark);
}

#[test]
fn a_shape_that_a_clip_moves_is_shown_and_not_pulled() {
    use egui::accesskit::Role;
    use egui_kittest::kittest::NodeT;
    let character = crate::asset::load("assets/awkward.glb".as_ref()).unwrap();
    let session = Session::new(character, None, SIZE - Vec2::X * WIDTH);
    let before = State { session, height: TALL, ..state() };
    let (mut harness, state) = panel(before, Theme::Dark);
    let shape = |harness: &Harness<'_>, name: &str| {
        let sliders = harness.query_all_by_role(Role::Slider).map(|s| s.accesskit_node());
        let slider = sliders.into_iter().find(|s| s.label().is_some_and(|l| l.ends_with(name))).unwrap();
        (slider.numeric_value(), slider.is_disabled())
    };
    harness.run();
    assert!(!shape(&harness, "smile").1);
    state.borrow_mut().session.apply(Command::Clip(Some(0)));
    state.borrow_mut().session.apply(Command::Tick(Duration::from_millis(400)));
    harness.run();
    let (seen, disabled) = shape(&harness, "smile");
    let weights = state.borrow().session.puppet.pose().weights.clone();
    assert!(disabled && weights[0] != state.borrow().session.state.held.weights[0], "{weights:?}");
    assert!((seen.unwrap() - f64::from(weights[0])).abs() < 1e-6);
}

#[test]
fn clips_that_are_blended() {
    let mut state = state();
    let clips = [0.7, 0.3].into_iter().enumerate().map(|(clip, weight)| Share { clip, weight });
    let bar = Bar { clips: clips.collect(), ..Bar::new(0) };
    let motion = Motion { bars: vec![bar], plant: true, ..Motion::default() };
    state.session.apply(Command::Motion(Box::new(motion)));
    state.session.costs.clear();
    check("blend", state, Theme::Dark);
}

#[test]
fn methods_that_are_compared() {
    let mut state = state();
    let methods = vec![Method::Ccd, Method::Fabrik, Method::JacobianTranspose, Method::TwoBone];
    state.session.apply(Command::Compare(methods));
    pull(&mut state.session, "leftHand", Vec2::new(-25.0, -55.0));
    timeless(&mut state.session);
    check("compare", state, Theme::Dark);
}

#[test]
fn goals_and_what_they_count() {
    let mut state = state();
    let session = &mut state.session;
    session.apply(Command::Keep(true));
    for (hand, by) in [("leftHand", Vec2::new(60.0, -60.0)), ("rightHand", Vec2::new(-30.0, -20.0))] {
        pull(session, hand, by);
        session.apply(Command::Release);
    }
    let hand = session.state.goals[0].node;
    session.apply(Command::Weight(hand, 4.0));
    session.apply(Command::Hover(Vec2::NEG_ONE));
    timeless(session);
    check("goals", state, Theme::Light);
}

/// A joint that is selected, and all of the panel.
fn selected(joint: &str) -> State {
    let mut state = state();
    state.height = TALL;
    let node = state.session.puppet.character().skeleton.find(joint);
    state.session.apply(Command::Select(node));
    state
}

#[test]
fn a_joint_that_is_selected_and_its_hinge() {
    check("joint", selected("leftLowerArm"), Theme::Dark);
}

#[test]
fn a_joint_that_is_selected_and_its_cone() {
    check("cone", selected("leftUpperArm"), Theme::Light);
}

#[test]
fn sliders_and_buttons_of_goals_ask_for_what_they_say() {
    let mut state = state();
    state.session.apply(Command::Keep(true));
    pull(&mut state.session, "leftHand", Vec2::new(-20.0, -40.0));
    state.session.apply(Command::Release);
    let hand = state.session.state.goals[0].node;
    let (mut harness, state) = panel(state, Theme::Dark);
    harness.run();
    harness.get_by_label("forget").click();
    harness.run();
    assert_eq!(std::mem::take(&mut state.borrow_mut().asked), [Command::Forget(hand)]);
    let name = state.borrow().session.puppet.character().skeleton.label(hand);
    harness.get_by_role_and_label(egui::accesskit::Role::Slider, &name).focus();
    harness.run();
    harness.key_press(egui::Key::ArrowRight);
    harness.run();
    let asked = std::mem::take(&mut state.borrow_mut().asked);
    let [Command::Weight(node, weight), Command::Release] = asked[..] else { panic!("{asked:?}") };
    assert!(node == hand && weight > 1.0, "{weight}");
}

#[test]
fn the_window_of_keys() {
    let mut state = state();
    state.look.keys = true;
    check("keys", state, Theme::Dark);
}

#[test]
fn keys_that_do_not_fit_are_scrolled_to() {
    let mut state = state();
    (state.look.keys, state.height) = (true, 450.0);
    let (mut harness, _) = panel(state, Theme::Dark);
    harness.run();
    let last = |harness: &Harness<'_>| harness.get_by_label("Ctrl + Q").rect();
    assert!(last(&harness).top() > 450.0);
    harness.hover_at(harness.get_by_label("Click").rect().center());
    harness.run();
    let delta = egui::vec2(0.0, -2000.0);
    let (unit, phase, source) =
        (egui::MouseWheelUnit::Point, egui::TouchPhase::Move, egui::MouseWheelSource::Unknown);
    let modifiers = egui::Modifiers::default();
    harness.event(egui::Event::MouseWheel { unit, delta, phase, modifiers, source });
    harness.run_steps(40);
    assert!(last(&harness).bottom() < 450.0, "{}", last(&harness));
    harness.looks_like("keys-low");
}

#[test]
fn buttons_ask_for_what_they_say() {
    let (mut harness, state) = panel(state(), Theme::Dark);
    for (button, asked) in [("Rest", Command::RestAll), ("Let go", Command::LetGo)] {
        harness.get_by_label(button).click();
        harness.run();
        assert_eq!(std::mem::take(&mut state.borrow_mut().asked), [asked]);
    }
    let wishes =
        [("Open…", Wish::Open), ("Picture", Wish::Picture), ("Posed .glb", Wish::Pose(PoseFile::Glb))];
    for (button, wish) in wishes {
        harness.get_by_label(button).click();
        harness.run();
        assert_eq!(state.borrow_mut().look.wish.take(), Some(wish));
    }
}

#[test]
fn a_file_of_late_and_a_typed_path_are_opened() {
    let mut before = state();
    before.look.open.recent = vec!["/models/a.glb".into(), "/models/b.glb".into()];
    let (mut harness, state) = panel(before, Theme::Dark);
    harness.get_by_label("Recent").click();
    harness.run();
    harness.get_by_label("b.glb").click();
    harness.run();
    assert_eq!(state.borrow_mut().look.wish.take(), Some(Wish::Read("/models/b.glb".into())));
    harness.get_by_label("Path").click();
    harness.run();
    // The other field looks for joints.
    let fields: Vec<_> = harness.get_all_by_role(egui::accesskit::Role::TextInput).collect();
    fields.first().unwrap().type_text(" \"/models/c d.glb\" ");
    harness.run();
    harness.key_press(egui::Key::Enter);
    harness.run();
    assert_eq!(state.borrow_mut().look.wish.take(), Some(Wish::Read("/models/c d.glb".into())));
}
