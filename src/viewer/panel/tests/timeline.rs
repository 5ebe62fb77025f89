//! Snapshots of the timeline, and tests of drags on it.

use egui::{Key, Pos2, Vec2 as Points, vec2};

use crate::arrange::Item;
use crate::motion::{Edit, RootMotion};
use crate::panel::timeline::show;

use super::*;

/// Height of the timeline in points, and height of the space for a menu below the timeline.
const HEIGHT: f32 = 150.0;
const MENU_SPACE: f32 = 190.0;

/// Returns a looping blend with a crossfade into a second strip, a third strip after a gap, and a key of the left arm.
fn motion(state: &TestPanel) -> Motion {
    let arm = state.session.puppet.character().skeleton.find("leftUpperArm").unwrap();
    let weighted_clips = [(2, 0.7), (3, 0.3)].map(|(clip, weight)| WeightedClip { clip, weight });
    let walk = Strip { clips: weighted_clips.into(), seconds: Some(2.2), looping: true, ..Strip::new(2) };
    let wave = Strip { start: 1.7, root_motion: RootMotion::InPlace, ..Strip::new(1) };
    let idle = Strip { start: 4.2, seconds: Some(1.0), ..Strip::new(0) };
    let key = Edit { time: 1.2, before: 0.4, after: 0.6, turns: vec![(arm, glam::Vec3::X)], shifts: vec![] };
    Motion { strips: vec![walk, wave, idle], edits: vec![key], ..Motion::default() }
}

fn playing() -> TestPanel {
    let mut state = state();
    let motion = motion(&state);
    state.session.apply(Command::Motion(Box::new(motion)));
    state.session.apply(Command::Release);
    state.session.apply(Command::Seek(0.8));
    state
}

/// Creates a harness for the timeline alone, in which issued commands are applied at once.
pub(super) fn timeline_harness(state: TestPanel, theme: Theme) -> (SnapshotHarness, Rc<RefCell<TestPanel>>) {
    let state = Rc::new(RefCell::new(state));
    let shared = Rc::clone(&state);
    let show = move |ui: &mut egui::Ui| {
        let TestPanel { session, panel, commands, .. } = &mut *shared.borrow_mut();
        let before = commands.len();
        show(ui, session, panel, commands);
        commands[before..].iter().cloned().for_each(|command| session.apply(command));
    };
    let builder = Harness::builder().with_size([760.0, HEIGHT + MENU_SPACE]).with_theme(theme);
    let mut harness = SnapshotHarness::new(builder, show);
    harness.run();
    (harness, state)
}

/// Drags a part of the timeline by a distance in points. If `ctrl` is set, the control key is held, which turns snapping on.
pub(super) fn drag_part(harness: &mut Harness<'_>, part: &str, by: Points, ctrl: bool) {
    let from: Pos2 = harness.get_by_label(part).rect().center();
    let modifiers = egui::Modifiers { ctrl, ..Default::default() };
    harness.event(egui::Event::ModifiersChanged(modifiers));
    harness.hover_at(from);
    harness.run();
    harness.drag_at(from);
    harness.run();
    for step in 1..=4_u8 {
        harness.hover_at(from + by * (f32::from(step) / 4.0));
        harness.run();
    }
    harness.drop_at(from + by);
    harness.event(egui::Event::ModifiersChanged(Default::default()));
    harness.run();
}

/// Compares the timeline with a snapshot.
fn snapshot(name: &str, state: TestPanel, theme: Theme) {
    let (harness, _) = timeline_harness(state, theme);
    harness.assert_snapshot(name);
}

#[test]
fn timeline_with_a_crossfade_matches_its_snapshot() {
    let mut state = playing();
    state.panel.timeline.selected = Some(Item::Strip(1));
    snapshot("timeline", state, Theme::Dark);
}

#[test]
fn light_timeline_with_a_selected_key_matches_its_snapshot() {
    let mut state = playing();
    state.panel.timeline.selected = Some(Item::Edit(0));
    snapshot("timeline-light", state, Theme::Light);
}

#[test]
fn drag_of_a_strip_is_one_undo_step() {
    let (mut harness, state) = timeline_harness(playing(), Theme::Dark);
    let before = motion(&state.borrow());
    drag_part(&mut harness, "idle\n4.20 – 5.20 s", vec2(40.0, 3.0), false);
    let moved = state.borrow().session.puppet.motion.clone();
    assert!(moved.strips[2].start > 4.4, "{}", moved.strips[2].start);
    assert_eq!((&moved.strips[..2], &moved.edits), (&before.strips[..2], &before.edits));
    assert_eq!(state.borrow().panel.timeline.selected, Some(Item::Strip(2)));
    drag_part(&mut harness, "End of wave", vec2(30.0, 0.0), false);
    let longer = state.borrow().session.puppet.motion.clone();
    assert!(longer.strips[1].seconds > Some(2.1));
    state.borrow_mut().session.apply(Command::Undo);
    assert_eq!(state.borrow().session.puppet.motion, moved);
    state.borrow_mut().session.apply(Command::Undo);
    assert_eq!(state.borrow().session.puppet.motion, before);
}

#[test]
fn escape_cancels_a_drag() {
    let (mut harness, state) = timeline_harness(playing(), Theme::Dark);
    let from = harness.get_by_label("idle\n4.20 – 5.20 s").rect().center();
    harness.hover_at(from);
    harness.run();
    harness.drag_at(from);
    harness.run();
    harness.hover_at(from + vec2(-60.0, 0.0));
    harness.run();
    assert!(state.borrow().session.puppet.motion.strips[2].start < 4.0);
    harness.key_press(Key::Escape);
    harness.run();
    harness.hover_at(from + vec2(-80.0, 0.0));
    harness.drop_at(from + vec2(-80.0, 0.0));
    harness.run();
    assert_eq!(state.borrow().session.puppet.motion, motion(&state.borrow()));
}

#[test]
fn strip_snaps_to_the_playhead_with_control() {
    let (mut harness, state) = timeline_harness(playing(), Theme::Dark);
    let clip = state.borrow().session.puppet.motion.strips[1].clone();
    // Drag from 1.7 s to near the playhead at 0.8 s. The distance between the starts of two strips gives the scale in points per second.
    let left = |harness: &Harness<'_>, part: &str| harness.get_by_label(part).rect().left();
    let second = (left(&harness, "Start of idle") - left(&harness, "Start of wave")) / 2.5;
    drag_part(&mut harness, "wave\n1.70 – 3.70 s", vec2(-0.9 * second + 4.0, 0.0), true);
    let strips = state.borrow().session.puppet.motion.strips.clone();
    assert_eq!(strips[1], Strip { start: strips[1].start, ..clip });
    assert!((strips[1].start - 0.8).abs() < 1e-5, "{}", strips[1].start);
}

#[test]
fn keys_are_dragged_and_removed() {
    let (mut harness, state) = timeline_harness(playing(), Theme::Dark);
    let before = motion(&state.borrow());
    drag_part(&mut harness, "Key at 1.20 s\nleftUpperArm", vec2(50.0, 0.0), false);
    let edit = state.borrow().session.puppet.motion.edits[0].clone();
    assert!(edit.time > 1.5 && (edit.before, edit.after) == (0.4, 0.6), "{edit:?}");
    let window = format!("End of key window at {:.2} s", edit.time);
    drag_part(&mut harness, &window, vec2(-20.0, 0.0), false);
    assert!(state.borrow().session.puppet.motion.edits[0].after < 0.5);
    harness.key_press(Key::Delete);
    harness.run();
    assert_eq!(state.borrow().session.puppet.motion, Motion { edits: Vec::new(), ..before });
    // The selection is empty now.
    harness.key_press(Key::Backspace);
    harness.run();
    assert_eq!(state.borrow().session.puppet.motion.strips.len(), 3);
    state.borrow_mut().session.apply(Command::Undo);
    assert_eq!(state.borrow().session.puppet.motion.edits.len(), 1);
}

#[test]
fn playhead_fields_and_buttons_issue_commands() {
    let (mut harness, state) = timeline_harness(playing(), Theme::Dark);
    drag_part(&mut harness, "Playhead", vec2(100.0, 0.0), false);
    assert!(state.borrow().session.puppet.time > 3.0);
    assert!(state.borrow().commands.iter().all(|c| matches!(c, Command::Seek(_))));
    harness.get_by_label("idle\n4.20 – 5.20 s").click();
    harness.run();
    harness.get_by_label("Loop").click();
    harness.run();
    assert!(state.borrow().session.puppet.motion.strips[2].looping);
    harness.get_by_label("Remove").click();
    harness.run();
    assert_eq!(state.borrow().session.puppet.motion.strips.len(), 2);
    harness.get_by_label("+ Clip").click();
    harness.run();
    harness.get_by_label("crouch").click();
    harness.run();
    let strips = state.borrow().session.puppet.motion.strips.clone();
    assert!(strips.len() == 3 && strips[2].clips[0].clip == 4 && (strips[2].start - 2.9).abs() < 1e-3);
    for count in [2, 3] {
        state.borrow_mut().session.apply(Command::Undo);
        assert_eq!(state.borrow().session.puppet.motion.strips.len(), count);
    }
    harness.get_by_label("Play the motion").click();
    harness.step();
    assert!(state.borrow().session.is_playing());
}

#[test]
fn drag_of_the_blend_pad_is_one_undo_step() {
    let mut blended = state();
    let clips = (0..4).map(|clip| WeightedClip { clip, weight: 0.25 }).collect();
    let before = Motion { strips: vec![Strip { clips, ..Strip::new(0) }], ..Motion::default() };
    blended.session.apply(Command::Motion(Box::new(before.clone())));
    let (mut harness, state) = panel(blended.showing(Face::Pose, Pane::Clips), Theme::Dark);
    harness.run();
    drag_part(&mut harness, "Blend of idle, wave, walk, run", vec2(60.0, 30.0), false);
    let commands = std::mem::take(&mut state.borrow_mut().commands);
    assert!(
        matches!(commands.first(), Some(Command::Release))
            && matches!(commands.last(), Some(Command::Release))
    );
    let session = &mut state.borrow_mut().session;
    commands.into_iter().for_each(|command| session.apply(command));
    let weights: Vec<f32> = session.puppet.motion.strips[0].clips.iter().map(|s| s.weight).collect();
    // The drag was towards the lower right corner.
    assert!(weights[3] > 0.4 && weights[0] < 0.2 && (weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    session.apply(Command::Undo);
    assert_eq!(session.puppet.motion, before);
}

#[test]
fn blend_pads_match_their_snapshot() {
    let names = ["idle", "wave", "walk", "run"].map(str::to_owned);
    let show = move |ui: &mut egui::Ui| {
        crate::panel::blend_pad::show(ui, &names[..3], &[0.2, 0.5, 0.3]);
        crate::panel::blend_pad::show(ui, &names, &[0.1, 0.2, 0.2, 0.5]);
    };
    let builder = Harness::builder().with_size([280.0, 260.0]).with_theme(Theme::Light);
    let mut harness = SnapshotHarness::new(builder, show);
    harness.run();
    harness.assert_snapshot("fields");
}

#[test]
fn wheel_zooms_and_fit_button_shows_the_whole_timeline() {
    let (mut harness, _) = timeline_harness(playing(), Theme::Dark);
    let left = |harness: &Harness<'_>| harness.get_by_label("Start of idle").rect().left();
    let initial = left(&harness);
    harness.hover_at(egui::pos2(300.0, 90.0));
    harness.run();
    assert!(harness.query_by_label("Fit").is_none(), "moving the pointer must not zoom");
    harness.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: vec2(0.0, 1.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: Default::default(),
    });
    harness.run();
    assert!(left(&harness) > initial + 20.0);
    harness.get_by_label("Fit").click();
    harness.run();
    assert!((left(&harness) - initial).abs() < 0.5 && harness.query_by_label("Fit").is_none());
}

/// Key poses were once stored without being shown on the timeline.
#[test]
fn key_poses_are_shown_moved_copied_and_removed() {
    let mut state = state();
    state.session.apply(Command::Key);
    state.session.apply(Command::Seek(1.0));
    drag(&mut state.session, "leftHand", Vec2::new(-20.0, -40.0));
    state.session.apply(Command::Release);
    state.session.apply(Command::Key);
    let (mut harness, state) = timeline_harness(state, Theme::Dark);
    let times = |state: &Rc<RefCell<TestPanel>>| -> Vec<i32> {
        let state = state.borrow();
        #[expect(clippy::cast_possible_truncation, reason = "hundredths of a few seconds")]
        let hundredth = |key: &crate::motion::PoseKey| (key.time * 100.0).round() as i32;
        state.session.puppet.motion.keys.iter().map(hundredth).collect()
    };
    assert_eq!(times(&state), [0, 100]);
    harness.get_by_label("Key pose at frame 30").click();
    harness.run();
    harness.assert_snapshot("key-poses");
    harness.get_by_label("stepped").click();
    harness.run();
    assert_eq!(state.borrow().session.puppet.motion.keys[1].easing, crate::motion::Easing::Stepped);
    drag_part(&mut harness, "Key pose at frame 30", vec2(100.0, 0.0), false);
    let moved = times(&state);
    assert!(moved[0] == 0 && moved[1] > 120, "{moved:?}");
    drag_part(&mut harness, "Key pose at frame 0", vec2(150.0, 0.0), true);
    assert!(times(&state).len() == 3, "{:?}", times(&state));
    harness.key_press(Key::Delete);
    harness.run();
    assert_eq!(times(&state), moved);
    harness.get_by_label("Auto").click();
    harness.run();
    assert!(state.borrow().session.document.settings.auto_key);
}

/// The clip menu was once empty for characters without clips.
#[test]
fn the_menu_of_clips_offers_files_for_every_character() {
    let (mut harness, state) = timeline_harness(playing(), Theme::Dark);
    state.borrow_mut().panel.open.motions = vec!["a/dance.bvh".into()];
    harness.get_by_label("+ Clip").click();
    harness.run();
    harness.get_by_label("dance.bvh").click();
    harness.run();
    let request = state.borrow_mut().panel.request.take();
    assert!(
        matches!(request, Some(crate::panel::AppRequest::AddClips(file, None)) if file.ends_with("dance.bvh"))
    );
    harness.get_by_label("+ Clip").click();
    harness.run();
    harness.get_by_label("From a file…").click();
    harness.run();
    assert_eq!(state.borrow().panel.action, Some(crate::Action::AddClips));
}
