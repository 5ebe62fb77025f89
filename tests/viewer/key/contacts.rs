//! Contacts between key poses.

use sinew::asset;
use sinew::motion::{Contact, Motion};
use sinew::viewer::{DragScope, NodePoint};

use super::super::{pixel, pose};
use super::*;

/// Returns a character with keys at 0 s and at 1 s. In the second one, a foot is forward and a hand is up.
fn keyed(character: sinew::asset::Character) -> (Session, [usize; 2]) {
    let rig = rig::load(&character, None).unwrap();
    let mut session = Session::new(character, Some(rig), SIZE);
    let limbs = ["leftFoot", "rightHand"].map(|bone| session.rig().bones[bone]);
    session.apply(Command::DragScope(DragScope::Limb));
    // A straight arm could not keep its hand in place.
    let [foot, hand] = limbs.map(|node| place(&session, node));
    let bent = hand.lerp(place(&session, session.rig().bones["chest"]), 0.4) + 0.15 * Vec3::Z;
    pull(&mut session, limbs[1], bent);
    session.apply(Command::Key);
    session.apply(Command::Seek(1.0));
    pull(&mut session, limbs[0], foot + Vec3::new(0.0, 0.03, 0.1));
    pull(&mut session, limbs[1], bent + 0.15 * Vec3::Y);
    session.apply(Command::Key);
    session.apply(Command::Seek(0.0));
    (session, limbs)
}

/// Drags a joint to a position.
pub(super) fn pull(session: &mut Session, node: usize, to: Vec3) {
    session.apply(Command::GrabNode(NodePoint { node, offset: glam::DVec3::ZERO }));
    session.apply(Command::DragTo(to.as_dvec3()));
    session.apply(Command::Release);
}

/// Returns the position of a joint, in metres.
pub(super) fn place(session: &Session, node: usize) -> Vec3 {
    session.puppet().world_from_node()[node].translation.into()
}

fn motion(session: &Session) -> Motion {
    session.puppet().motion.clone()
}

/// Checks that contacts added for a foot and a hand hold both between the keys, and are undone one by one.
#[track_caller]
fn check(character: sinew::asset::Character) {
    let (mut session, limbs) = keyed(character);
    let before = motion(&session);
    let start = limbs.map(|node| place(&session, node));
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
    assert!(place(&session, limbs[1]).distance(start[1]) < 2e-3);
    // A limb with a contact does not get a second one.
    session.apply(Command::AddContact(limbs[0]));
    assert_eq!(motion(&session), added);
    for _ in limbs {
        session.apply(Command::Undo);
    }
    assert_eq!(motion(&session), before);
    session.apply(Command::Seek(0.6));
    assert!(place(&session, limbs[1]).distance(start[1]) > 0.05);
}

#[test]
fn added_contacts_hold_a_foot_and_a_hand() {
    check(mannequin().unwrap());
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
    let mut session = super::super::session();
    let [hand, thigh, hips] = ["leftHand", "leftUpperLeg", "hips"].map(|bone| session.rig().bones[bone]);
    let seen = |session: &Session, at: Vec3| pixel(&session.camera(), at, SIZE).unwrap();
    let knee = place(&session, session.rig().bones["leftLowerLeg"]);
    let (from, to) = (seen(&session, place(&session, hand)), place(&session, thigh).lerp(knee, 0.4));
    let to = seen(&session, to);
    session.apply(Command::Grab(from));
    session.apply(Command::Drag(to));
    session.apply(Command::Release);
    session.apply(Command::Key);
    session.apply(Command::Seek(1.0));
    let lower = place(&session, hips) - 0.2 * Vec3::Y;
    pull(&mut session, hips, lower);
    session.apply(Command::Key);
    session.apply(Command::Seek(0.0));
    session.apply(Command::AddContact(hand));
    assert_eq!(
        motion(&session).contacts.iter().map(|c| (c.node, c.on)).collect::<Vec<_>>(),
        [(hand, Some(thigh))]
    );
    let on_thigh = |session: &Session| {
        session.puppet().world_from_node()[thigh].inverse().transform_point3(place(session, hand))
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
    let (mut session, [_, hand]) = keyed(mannequin().unwrap());
    session.apply(Command::Seek(0.5));
    let keyed = pose(&session);
    let to = place(&session, hand) + Vec3::new(0.0, -0.05, 0.05);
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
    let held = place(&session, hand);
    session.apply(Command::Motion(Box::new(Motion { contacts: Vec::new(), ..shorter })));
    assert!(place(&session, hand).distance(held) > 5e-3);
}

#[test]
fn contacts_are_recorded_and_saved() {
    let (mut session, [foot, hand]) = keyed(mannequin().unwrap());
    let folder = folder("contacts");
    let path = folder.join("a.session");
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    session.apply(Command::PlantKeys);
    session.apply(Command::AddContact(hand));
    let mut dragged = motion(&session);
    dragged.contacts[0].from = 0.25;
    session.apply(Command::Motion(Box::new(dragged)));
    session.apply(Command::Release);
    session.apply(Command::Seek(0.5));
    session.stop_recording().unwrap().unwrap();
    let contacts = motion(&session).contacts;
    // The right foot stands in both keys.
    assert_eq!(contacts.len(), 2);
    assert!(contacts.iter().all(|contact| contact.node != foot));
    let replayed = |path: &std::path::Path| {
        let recording = Recording::open(path).unwrap();
        let character = mannequin().unwrap();
        let rig = rig::load(&character, None).unwrap();
        let mut replay = Replay::new(&recording, character, rig).unwrap();
        replay.advance(recording.length()).unwrap();
        (motion(replay.session()), pose(replay.session()))
    };
    assert_eq!(replayed(&path), (motion(&session), pose(&session)));
    let project = folder.join("a.sinew");
    session.save_project(&project, true).unwrap();
    assert_eq!(replayed(&project), (motion(&session), pose(&session)));
}

#[test]
fn invalid_contacts_are_refused() {
    let (mut session, [foot, _]) = keyed(mannequin().unwrap());
    let before = motion(&session);
    let contact = Contact { node: foot, point: Vec3::ZERO, from: 0.0, to: 1.0, slides: false, on: None };
    for invalid in [
        Contact { node: usize::MAX, ..contact },
        Contact { on: Some(usize::MAX), ..contact },
        Contact { on: Some(foot), ..contact },
        Contact { node: session.rig().bones["hips"], on: Some(foot), ..contact },
        Contact { to: f32::NAN, ..contact },
        Contact { from: 2.0, ..contact },
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
