//! Tests of contacts in the dope sheet: dragging, storing, adding and removing bars.

use egui::{Key, vec2};

use crate::motion::Contact;

use super::timeline::{drag_part, timeline_harness};
use super::*;

const OF_KEYS: &str = "Left foot contact from frame 0 to frame 30, from the keys";

/// Returns a session with two key poses one second apart, in which an arm moves and the feet stand still.
fn keyed() -> TestPanel {
    let mut state = state();
    state.session.apply(Command::Key);
    state.session.apply(Command::Seek(1.0));
    drag(&mut state.session, "leftHand", Vec2::new(20.0, -40.0));
    state.session.apply(Command::Release);
    state.session.apply(Command::Key);
    state
}

fn contacts(state: &Rc<RefCell<TestPanel>>) -> Vec<Contact> {
    state.borrow().session.puppet.motion.contacts.clone()
}

fn is_frame(time: f32) -> bool {
    (time * 30.0 - (time * 30.0).round()).abs() < 1e-3
}

#[test]
fn a_bar_of_the_keys_is_stored_when_it_is_dragged() {
    for theme in [Theme::Dark, Theme::Light] {
        let (mut harness, state) = timeline_harness(keyed(), theme);
        harness.get_by_label("Joints").click();
        harness.run();
        let before = state.borrow().session.puppet.motion.clone();
        drag_part(&mut harness, &format!("End of {OF_KEYS}"), vec2(-70.0, 0.0), false);
        let [stored] = contacts(&state)[..] else { panic!("{:?}", contacts(&state)) };
        assert!(stored.from == 0.0 && stored.to < 0.9 && is_frame(stored.to), "{stored:?}");
        // The keys still imply the rest of the contact, and the stored bar is selected.
        let end = state.borrow().session.document.settings.timeline.text(stored.to);
        harness.get_by_label(&format!("Left foot contact from {end} to frame 30, from the keys"));
        harness.get_by_label("Slides");
        harness.get_by_label("Remove");
        let name = if theme == Theme::Dark { "contacts" } else { "contacts-light" };
        harness.assert_snapshot(name);
        // The drag is one undo step.
        state.borrow_mut().session.apply(Command::Undo);
        harness.run();
        assert_eq!(state.borrow().session.puppet.motion, before);
        harness.get_by_label(OF_KEYS);
        state.borrow_mut().session.apply(Command::Redo);
        harness.run();
        assert_eq!(contacts(&state), [stored]);
    }
}

#[test]
fn bars_are_planted_moved_and_removed() {
    let (mut harness, state) = timeline_harness(keyed(), Theme::Dark);
    harness.get_by_label("Joints").click();
    harness.run();
    harness.get_by_label("Plant feet").click();
    harness.run();
    let planted = contacts(&state);
    assert!(planted.len() == 2 && planted.iter().all(|c| (c.from, c.to) == (0.0, 1.0)), "{planted:?}");
    drag_part(&mut harness, "Right foot contact from frame 0 to frame 30", vec2(60.0, 0.0), false);
    let moved = contacts(&state);
    let changed: Vec<&Contact> = moved.iter().filter(|c| !planted.contains(c)).collect();
    let [right] = changed[..] else { panic!("{moved:?}") };
    assert!(right.from > 0.1 && is_frame(right.from) && (right.to - right.from - 1.0).abs() < 1e-3);
    // Delete removes the selected bar, and the keys imply the whole contact again.
    harness.key_press(Key::Delete);
    harness.run();
    assert_eq!(contacts(&state).len(), 1);
    harness.get_by_label("Right foot contact from frame 0 to frame 30, from the keys");
    // Escape cancels a drag.
    let before = contacts(&state);
    let bar = harness.get_by_label("Left foot contact from frame 0 to frame 30").rect().center();
    harness.hover_at(bar);
    harness.run();
    harness.drag_at(bar);
    harness.run();
    for step in 1..=3_u8 {
        harness.hover_at(bar + vec2(20.0 * f32::from(step), 0.0));
        harness.run();
    }
    assert_ne!(contacts(&state), before);
    harness.key_press(Key::Escape);
    harness.run();
    harness.drop_at(bar);
    harness.run();
    assert_eq!(contacts(&state), before);
}

#[test]
fn a_bar_is_dragged_around_the_end_of_the_loop() {
    let (mut harness, state) = timeline_harness(keyed(), Theme::Dark);
    harness.get_by_label("Joints").click();
    harness.run();
    let left = || {
        let [contact] = contacts(&state)[..] else { panic!("{:?}", contacts(&state)) };
        let [from, to] = {
            let timeline = state.borrow().session.document.settings.timeline;
            [contact.from, contact.to].map(|time| timeline.text(time))
        };
        (contact, format!("Left foot contact from {from} to {to}"))
    };
    drag_part(&mut harness, &format!("Start of {OF_KEYS}"), vec2(120.0, 0.0), false);
    let (before, title) = left();
    assert!(before.from > 0.3 && before.to == 1.0, "{before:?}");
    // The motion lasts for two seconds.
    drag_part(&mut harness, &format!("End of {title}"), vec2(320.0, 0.0), false);
    let (around, title) = left();
    assert!(
        around.wraps() && around.from == before.from && around.to < 0.2 && is_frame(around.to),
        "{around:?}"
    );
    assert_eq!(harness.get_all_by_label(&title).count(), 2);
    // The keys still imply the rest of the contact.
    let timeline = state.borrow().session.document.settings.timeline;
    let [end, start] = [around.to, around.from].map(|time| timeline.text(time));
    harness.get_by_label(&format!("Left foot contact from {end} to {start}, from the keys"));
    // The second bar has only the end of the contact, which can be dragged back.
    let rects = ["Start", "End"].map(|end| harness.get_by_label(&format!("{end} of {title}")).rect());
    assert!(rects[1].right() < rects[0].left(), "{rects:?}");
    drag_part(&mut harness, &format!("End of {title}"), vec2(-60.0, 0.0), false);
    let (back, title) = left();
    assert!(!back.wraps() && back.to > 1.7 && back.to < 2.0, "{back:?}");
    assert_eq!(harness.get_all_by_label(&title).count(), 1);
    // Without a loop, and if only a part loops, the contact reaches past the end of the motion.
    let part = Command::Timeline(crate::Timeline { range: Some([0.0, 1.0]), ..timeline });
    for commands in [vec![Command::Looping(false)], vec![Command::Looping(true), part]] {
        commands.into_iter().for_each(|command| state.borrow_mut().session.apply(command));
        harness.run();
        drag_part(&mut harness, &format!("End of {title}"), vec2(60.0, 0.0), false);
        let (past, _) = left();
        assert!(!past.wraps() && past.to > 2.0, "{past:?}");
        state.borrow_mut().session.apply(Command::Undo);
        harness.run();
        assert_eq!(left().0, back);
    }
}

#[test]
fn a_contact_of_the_selected_hand_is_added() {
    let (mut harness, state) = timeline_harness(keyed(), Theme::Dark);
    harness.get_by_label("Joints").click();
    harness.run();
    let select = |name: &str| {
        let mut state = state.borrow_mut();
        let node = state.session.puppet.character().skeleton.find(name).unwrap();
        state.session.apply(Command::Select(Some(node)));
        node
    };
    select("head");
    harness.run();
    harness.get_by_label("Add contact").click();
    harness.run();
    assert!(contacts(&state).is_empty(), "the head is no limb");
    select("leftLowerArm");
    state.borrow_mut().session.apply(Command::Seek(0.5));
    harness.run();
    harness.get_by_label("Add contact").click();
    harness.run();
    let [added] = contacts(&state)[..] else { panic!("{:?}", contacts(&state)) };
    assert_eq!((added.from, added.to, added.node), (0.5, 1.0, select("leftHand")));
    harness.get_by_label("Left hand contact from frame 15 to frame 30").click();
    harness.run();
    harness.get_by_label("Slides").click();
    harness.run();
    assert!(contacts(&state)[0].slides);
}
