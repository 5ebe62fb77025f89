//! Contacts between key poses.

use std::sync::Arc;

use sinew::asset::{self, Character};
use sinew::motion::{Contact, Motion};
use sinew::scene::picking::pixel;
use sinew::viewer::{DragScope, Timeline};
use sinew_testkit::mannequin;

use super::*;
use crate::support::{SIZE, detected_session, position, pull, session_of};

/// Returns a character with keys at 0 s and at 1 s. In the second one, a foot is forward and a hand is up.
fn keyed(character: impl Into<Arc<Character>>) -> (Session, [usize; 2]) {
    let mut session = session_of(character);
    let limbs = ["leftFoot", "rightHand"].map(|bone| session.rig().bones[bone]);
    session.apply(Command::DragScope(DragScope::Limb));
    // A straight arm could not keep its hand in place.
    let [foot, hand] = limbs.map(|node| position(&session, node));
    let bent = hand.lerp(position(&session, session.rig().bones["chest"]), 0.4) + 0.15 * Vec3::Z;
    pull(&mut session, limbs[1], bent);
    session.apply(Command::Key);
    session.apply(Command::Seek(1.0));
    pull(&mut session, limbs[0], foot + Vec3::new(0.0, 0.03, 0.1));
    pull(&mut session, limbs[1], bent + 0.15 * Vec3::Y);
    session.apply(Command::Key);
    session.apply(Command::Seek(0.0));
    (session, limbs)
}

fn motion(session: &Session) -> Motion {
    session.puppet().motion.clone()
}

/// Checks that contacts added for a foot and a hand hold both between the keys, and are undone one by one.
#[track_caller]
fn check(character: impl Into<Arc<Character>>) {
    let (mut session, limbs) = keyed(character);
    let before = motion(&session);
    let start = limbs.map(|node| position(&session, node));
    limbs.into_iter().for_each(|node| session.apply(Command::AddContact(node)));
    let added = motion(&session);
    assert_eq!(
        added.contacts.iter().map(|c| (c.node, c.from, c.to)).collect::<Vec<_>>(),
        limbs.map(|n| (n, 0.0, 1.0))
    );
    for contact in &added.contacts {
        let world = |session: &Session| {
            session.puppet().world_from_node()[contact.node].transform_point3(contact.point)
        };
        session.apply(Command::Seek(0.0));
        let held = world(&session);
        for time in [0.9, 0.25, 0.6] {
            session.apply(Command::Seek(time));
            let moved = world(&session).distance(held);
            assert!(moved < 2e-3, "{moved} at {time}");
        }
    }
    assert!(position(&session, limbs[1]).distance(start[1]) < 2e-3);
    // A limb with a contact does not get a second one.
    session.apply(Command::AddContact(limbs[0]));
    assert_eq!(motion(&session), added);
    for _ in limbs {
        session.apply(Command::Undo);
    }
    assert_eq!(motion(&session), before);
    session.apply(Command::Seek(0.6));
    assert!(position(&session, limbs[1]).distance(start[1]) > 0.05);
}

#[test]
fn added_contacts_hold_a_foot_and_a_hand() {
    check(mannequin());
}

#[test]
fn added_contacts_hold_a_stranger() {
    let Some(path) =
        sinew_testkit::external_or_skip("models/quaternius/modular_men/Adventurer/Adventurer.glb")
    else {
        return;
    };
    check(asset::load(&path).unwrap());
}

/// A hand on the thigh moves with the thigh.
#[test]
fn an_added_contact_is_on_what_the_hand_touches() {
    let mut session = detected_session();
    let [hand, thigh, hips] = ["leftHand", "leftUpperLeg", "hips"].map(|bone| session.rig().bones[bone]);
    let seen = |session: &Session, at: Vec3| pixel(&session.camera(), at, SIZE).unwrap();
    let knee = position(&session, session.rig().bones["leftLowerLeg"]);
    let (from, to) = (seen(&session, position(&session, hand)), position(&session, thigh).lerp(knee, 0.4));
    let to = seen(&session, to);
    session.apply(Command::Grab(from));
    session.apply(Command::Drag(to));
    session.apply(Command::Release);
    session.apply(Command::Key);
    session.apply(Command::Seek(1.0));
    let lower = position(&session, hips) - 0.2 * Vec3::Y;
    pull(&mut session, hips, lower);
    session.apply(Command::Key);
    session.apply(Command::Seek(0.0));
    session.apply(Command::AddContact(hand));
    assert_eq!(
        motion(&session).contacts.iter().map(|c| (c.node, c.on)).collect::<Vec<_>>(),
        [(hand, Some(thigh))]
    );
    let on_thigh = |session: &Session| {
        session.puppet().world_from_node()[thigh].inverse().transform_point3(position(session, hand))
    };
    let held = on_thigh(&session);
    for time in [0.8, 0.3, 0.5] {
        session.apply(Command::Seek(time));
        let moved = on_thigh(&session).distance(held);
        assert!(moved < 2e-3, "{moved} at {time}");
    }
}

/// Regression test: every change of a contact discarded a pose that was not keyed.
#[test]
fn contacts_keep_a_pose_that_is_not_keyed() {
    let (mut session, [_, hand]) = keyed(mannequin());
    session.apply(Command::Seek(0.5));
    let keyed = pose(&session);
    let to = position(&session, hand) + Vec3::new(0.0, -0.05, 0.05);
    pull(&mut session, hand, to);
    let unkeyed = pose(&session);
    assert_ne!(unkeyed, keyed);
    for command in [Command::AddContact(hand), Command::PlantKeys] {
        let before = motion(&session);
        session.apply(command);
        assert_ne!(motion(&session), before);
        assert_eq!(pose(&session), unkeyed);
    }
    let mut shorter = motion(&session);
    shorter.contacts[0].to = 0.75;
    session.apply(Command::Motion(Box::new(shorter.clone())));
    assert_eq!((pose(&session), motion(&session)), (unkeyed, shorter.clone()));
    // A pose that follows the keys also follows the contacts.
    session.apply(Command::Seek(0.6));
    let held = position(&session, hand);
    session.apply(Command::Motion(Box::new(Motion { contacts: Vec::new(), ..shorter })));
    assert!(position(&session, hand).distance(held) > 5e-3);
}

/// Returns a session whose left foot stands from 0 s to 0.25 s and from 0.75 s to 1 s, and is elsewhere in between.
fn stepping() -> (Session, usize) {
    let mut session = session_of(mannequin());
    let foot = session.rig().bones["leftFoot"];
    session.apply(Command::DragScope(DragScope::Limb));
    session.apply(Command::Key);
    session.apply(Command::Seek(0.5));
    let away = position(&session, foot) + Vec3::new(0.0, 0.03, 0.1);
    pull(&mut session, foot, away);
    session.apply(Command::Key);
    [0.25, 0.75, 1.0].into_iter().for_each(|time| session.apply(Command::KeyCopy(0.0, time)));
    (session, foot)
}

/// Returns the start and the end of each contact of a node.
fn spans(session: &Session, node: usize) -> Vec<(f32, f32)> {
    let contacts = motion(session).contacts.into_iter();
    contacts.filter(|contact| contact.node == node).map(|contact| (contact.from, contact.to)).collect()
}

/// Regression test: feet were also planted around the end of a motion that is played once, and of a motion that ends after its keys.
#[test]
fn feet_are_planted_around_the_end_of_a_loop_only() {
    let (mut session, foot) = stepping();
    let timeline = session.settings().timeline;
    let mut planted = |command: Command| {
        session.apply(command);
        session.apply(Command::PlantKeys);
        let planted = spans(&session, foot);
        session.apply(Command::Undo);
        assert_eq!(motion(&session).contacts, []);
        planted
    };
    let apart = [(0.0, 0.25), (0.75, 1.0)];
    // The motion lasts for two seconds, which is longer than its keys.
    assert_eq!(planted(Command::Looping(true)), apart);
    assert_eq!(planted(Command::Duration(Some(1.0))), [(0.75, 0.25)]);
    assert_eq!(planted(Command::Looping(false)), apart);
    let part = Timeline { range: Some([0.0, 0.5]), ..timeline };
    session.apply(Command::Looping(true));
    session.apply(Command::Timeline(part));
    session.apply(Command::PlantKeys);
    assert_eq!(spans(&session, foot), apart);
}

/// Regression test: a foot that was planted around the end of a loop stayed in place in keys that were added after the end.
#[test]
fn a_key_after_the_end_of_a_loop_moves_a_planted_foot() {
    let (mut session, foot) = stepping();
    session.apply(Command::Duration(Some(1.0)));
    session.apply(Command::PlantKeys);
    assert_eq!(spans(&session, foot), [(0.75, 0.25)]);
    session.apply(Command::Looping(false));
    session.apply(Command::Seek(1.5));
    let standing = position(&session, foot);
    pull(&mut session, foot, standing + Vec3::new(0.0, 0.1, 0.1));
    let lifted = position(&session, foot);
    assert!(lifted.distance(standing) > 0.05);
    session.apply(Command::Key);
    assert_eq!(spans(&session, foot), [(0.75, 1.0), (0.0, 0.25)]);
    session.apply(Command::Seek(0.0));
    session.apply(Command::Seek(1.5));
    let moved = position(&session, foot).distance(lifted);
    assert!(moved < 1e-3, "{moved}");
    // Undo restores the contact together with the end of the motion.
    session.apply(Command::Undo);
    assert_eq!(spans(&session, foot), [(0.75, 0.25)]);
}

#[test]
fn contacts_are_recorded_and_saved() {
    let (mut session, [foot, hand]) = keyed(mannequin());
    let folder = folder("contacts");
    let path = folder.join("a.session");
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    session.apply(Command::PlantKeys);
    session.apply(Command::AddContact(hand));
    let mut dragged = motion(&session);
    dragged.contacts[0].from = 0.25;
    // The hand's contact reaches around the end of the loop.
    (dragged.contacts[1].from, dragged.contacts[1].to) = (0.75, 0.5);
    session.apply(Command::Motion(Box::new(dragged)));
    session.apply(Command::Release);
    session.apply(Command::Seek(0.5));
    session.stop_recording().unwrap().unwrap();
    let contacts = motion(&session).contacts;
    // The right foot stands in both keys.
    assert_eq!(contacts.len(), 2);
    assert!(contacts[1].wraps() && contacts[1].node == hand, "{contacts:?}");
    assert!(contacts.iter().all(|contact| contact.node != foot));
    let project = folder.join("a.sinew");
    session.save_project(&project, true).unwrap();
    for path in [path, project] {
        let replay = replayed(&path);
        assert_eq!(motion(replay.session()), motion(&session));
        assert_eq!(pose(replay.session()), pose(&session));
    }
}

#[test]
fn invalid_contacts_are_refused() {
    let (mut session, [foot, _]) = keyed(mannequin());
    let before = motion(&session);
    let contact = Contact { node: foot, point: Vec3::ZERO, from: 0.0, to: 1.0, slides: false, on: None };
    for invalid in [
        Contact { node: usize::MAX, ..contact },
        Contact { on: Some(usize::MAX), ..contact },
        Contact { on: Some(foot), ..contact },
        Contact { node: session.rig().bones["hips"], on: Some(foot), ..contact },
        Contact { to: f32::NAN, ..contact },
        Contact { from: 1.0, ..contact },
        Contact { slides: true, on: Some(0), ..contact },
    ] {
        session.apply(Command::Motion(Box::new(Motion { contacts: vec![invalid], ..before.clone() })));
        assert_eq!(motion(&session), before, "{invalid:?}");
    }
    for node in [usize::MAX, session.rig().bones["head"]] {
        session.apply(Command::AddContact(node));
        assert_eq!(motion(&session), before);
    }
}
