//! Tests of key poses on the timeline: the dope sheet, frames, the looping part, and ghosts.

use egui::{Key, Vec2 as Points, vec2};

use super::timeline::{drag_part, timeline_harness};
use super::*;

/// Returns a session with three key poses, in which an arm and the head move.
fn keyed() -> TestPanel {
    let mut state = state();
    for (time, name, by) in [(0.0, "head", 0.0), (1.0, "leftHand", -40.0), (2.0, "head", 20.0)] {
        state.session.apply(Command::Seek(time));
        drag(&mut state.session, name, Vec2::new(-0.5 * by, by));
        state.session.apply(Command::Release);
        state.session.apply(Command::Key);
    }
    state
}

#[test]
fn the_dope_sheet_has_a_row_for_each_part_and_joint() {
    let (mut harness, state) = timeline_harness(keyed(), Theme::Dark);
    assert!(harness.query_by_label("Joints of left arm").is_none());
    harness.get_by_label("Joints").click();
    harness.run();
    harness.get_by_label("Joints of left arm").click();
    harness.run();
    harness.get_by_label("Row of leftLowerArm").click();
    harness.run();
    let elbow = state.borrow().session.puppet.character().skeleton.find("leftLowerArm").unwrap();
    assert_eq!(state.borrow().session.selected(), Some(elbow));
    harness.assert_snapshot("dope-sheet");
    // A drag in a joint's row moves only the key of that joint.
    drag_part(&mut harness, "Key of leftLowerArm at frame 30", vec2(80.0, 0.0), false);
    let holders = |time: std::ops::Range<f32>| {
        let state = state.borrow();
        let keys = state.session.puppet.motion.keys.clone();
        keys.into_iter().filter(|key| time.contains(&key.time)).collect::<Vec<_>>()
    };
    let moved = holders(1.02..1.9);
    assert!(moved.len() == 1 && moved[0].joints.len() == 1 && moved[0].joints[0].0 == elbow, "{moved:?}");
    assert!(holders(0.99..1.01)[0].joints.iter().all(|(node, _)| *node != elbow));
    // The remaining pose key now lists all other joints. Joints that no key changes have no rows.
    assert!(harness.query_by_label("Row of leftMiddleDistal").is_none());
    // After Undo, the moved key no longer exists, so it is not selected either.
    state.borrow_mut().session.apply(Command::Undo);
    harness.run();
    assert!(harness.query_by_label("Copy here").is_none());
    drag_part(&mut harness, "Key of leftLowerArm at frame 30", vec2(80.0, 0.0), false);
    // The moved key is selected, and Delete removes it.
    harness.key_press(Key::Delete);
    harness.run();
    assert!(holders(1.02..1.9).is_empty());
    // Show only the selected joint.
    harness.get_by_label("Selected").click();
    harness.run();
    assert!(harness.query_by_label("Joints of left arm").is_none());
    harness.get_by_label("Row of leftLowerArm");
}

/// Arrow keys once opened other files, and times were shown in seconds without frames.
#[test]
fn the_playhead_and_keys_snap_to_frames_of_the_chosen_rate() {
    let (mut harness, state) = timeline_harness(keyed(), Theme::Dark);
    harness.get_by_label("30 fps").click();
    harness.run();
    harness.get_by_label("24 frames per second").click();
    harness.run();
    assert_eq!(state.borrow().session.document.settings.timeline.frame_rate, 24.0);
    harness.key_press(Key::Escape);
    harness.run();
    drag_part(&mut harness, "Playhead", vec2(61.0, 0.0), false);
    let frame = |time: f32| (time * 24.0 - (time * 24.0).round()).abs();
    let time = state.borrow().session.puppet.time;
    assert!(time > 0.0 && frame(time) < 1e-4, "{time}");
    drag_part(&mut harness, "Key pose at frame 24", vec2(33.0, 0.0), false);
    let moved = state.borrow().session.puppet.motion.keys[1].time;
    assert!(moved > 1.0 && frame(moved) < 1e-4, "{moved}");
    // Without snapping, the pointer determines the time.
    let timeline = crate::Timeline { snap: false, frames: false, ..Default::default() };
    state.borrow_mut().session.apply(Command::Timeline(timeline));
    harness.run();
    drag_part(&mut harness, &format!("Key pose at {moved:.2} s"), vec2(7.3, 0.0), false);
    let free = state.borrow().session.puppet.motion.keys[1].time;
    assert!(free > moved && frame(free) > 1e-3, "{free}");
}

#[test]
fn shift_and_a_drag_on_the_ruler_select_the_part_that_loops() {
    let (mut harness, state) = timeline_harness(keyed(), Theme::Dark);
    let ruler = harness.get_by_label("Playhead").rect();
    let at = |share: f32| egui::pos2(ruler.left() + share * ruler.width(), ruler.center().y);
    let modifiers = egui::Modifiers { shift: true, ..Default::default() };
    harness.event(egui::Event::ModifiersChanged(modifiers));
    harness.hover_at(at(0.25));
    harness.run();
    harness.drag_at(at(0.25));
    harness.run();
    for share in [0.4, 0.55, 0.7] {
        harness.hover_at(at(share));
        harness.run();
    }
    harness.drop_at(at(0.7));
    harness.event(egui::Event::ModifiersChanged(Default::default()));
    harness.run();
    let range =
        |state: &Rc<RefCell<TestPanel>>| state.borrow().session.document.settings.timeline.range.unwrap();
    let [from, to] = range(&state);
    assert!((0.3..0.8).contains(&from) && (1.2..1.7).contains(&to), "{from} to {to}");
    harness.assert_snapshot("loop-range");
    drag_part(&mut harness, "End of the loop", vec2(60.0, 0.0), false);
    assert!(range(&state)[0] == from && range(&state)[1] > to);
}

#[test]
fn a_box_selects_keys_of_several_rows_that_move_scale_and_change_together() {
    let (mut harness, state) = timeline_harness(keyed(), Theme::Dark);
    harness.get_by_label("Joints").click();
    harness.run();
    let (first, last) = ("Key of neck at frame 0", "Key of left arm at frame 30");
    let corner =
        |harness: &Harness<'_>, label: &str, by: Points| harness.get_by_label(label).rect().center() + by;
    let above = corner(&harness, first, vec2(0.0, -9.0)).y.min(corner(&harness, last, vec2(0.0, -9.0)).y);
    let below = corner(&harness, first, vec2(0.0, 9.0)).y.max(corner(&harness, last, vec2(0.0, 9.0)).y);
    let start = egui::pos2(corner(&harness, first, vec2(16.0, 0.0)).x, above);
    let end = egui::pos2(corner(&harness, last, vec2(12.0, 0.0)).x, below);
    harness.hover_at(start);
    harness.run();
    harness.drag_at(start);
    harness.run();
    harness.hover_at(start.lerp(end, 0.5));
    harness.run();
    harness.hover_at(end);
    harness.run();
    harness.drop_at(end);
    harness.run();
    let count = state.borrow().panel.timeline.sheet_selection();
    assert!(count >= 2, "{count} keys");
    harness.get_by_label(&format!("{count} keys"));
    let before = state.borrow().session.puppet.motion.clone();
    drag_part(&mut harness, last, vec2(60.0, 0.0), false);
    let moved = state.borrow().session.puppet.motion.clone();
    assert!(moved.keys.len() > before.keys.len() && state.borrow().panel.timeline.sheet_selection() == count);
    harness.get_by_label("stepped").click();
    harness.run();
    let eased = state.borrow().session.puppet.motion.clone();
    assert!(eased.keys.iter().any(|key| !key.easings.is_empty()), "{eased:?}");
    harness.key_press(Key::Delete);
    harness.run();
    assert_eq!(state.borrow().panel.timeline.sheet_selection(), 0);
    for wanted in [&eased, &moved, &before] {
        state.borrow_mut().session.apply(Command::Undo);
        assert_eq!(&state.borrow().session.puppet.motion, wanted);
    }
}

#[test]
fn ghosts_are_switched_on_the_timeline() {
    let (mut harness, state) = timeline_harness(keyed(), Theme::Dark);
    harness.get_by_label("Ghosts").click();
    harness.run();
    assert!(state.borrow().session.document.settings.onion_skin.shown);
}
