//! Tests of the onion skin, of the pull of limbs, and of turns of several joints.

use glam::{DVec3, Quat, Vec3};
use sinew::viewer::{Command, NodePoint, OnionSkin, Session};

use crate::support::{mannequin_session, node, pose, position};

fn ghosts(session: &Session) -> usize {
    session.frame(1.0).ghosts.len()
}

#[test]
fn ghosts_show_the_neighbouring_key_poses() {
    let mut session = mannequin_session();
    let arm = node(&session, "leftUpperArm");
    session.apply(Command::Key);
    for (time, angle) in [(0.5, 0.2), (1.0, 0.4), (1.5, 0.6), (2.0, 0.8)] {
        session.apply(Command::Seek(time));
        let rest = session.puppet().character().skeleton.nodes[arm].rest.rotation;
        session.apply(Command::Turn(arm, rest * Quat::from_rotation_z(angle)));
        session.apply(Command::Release);
        session.apply(Command::Key);
    }
    session.apply(Command::Seek(1.0));
    assert_eq!(ghosts(&session), 0);
    let before = pose(&session);
    session.apply(Command::OnionSkin(OnionSkin { shown: true, count: 1, step: 0.2 }));
    assert_eq!(ghosts(&session), 2);
    let colors = session.frame(1.0).ghosts.iter().map(|ghost| ghost.tint.truncate()).collect::<Vec<_>>();
    assert!(colors[0].x > colors[0].z && colors[1].x < colors[1].z, "the past is warm, the future cool");
    // Counts are limited, and only existing keys have ghosts.
    session.apply(Command::OnionSkin(OnionSkin { shown: true, count: 200, step: f32::NAN }));
    assert_eq!((session.settings().onion_skin.count, ghosts(&session)), (3, 4));
    session.apply(Command::Seek(0.0));
    assert_eq!(ghosts(&session), 3);
    session.apply(Command::KeyDelete(0.5));
    session.apply(Command::KeyDelete(1.0));
    assert_eq!(ghosts(&session), 2);
    session.apply(Command::Play(true));
    assert_eq!(ghosts(&session), 0, "playback shows no ghosts");
    session.apply(Command::Play(false));
    session.apply(Command::Undo);
    session.apply(Command::Undo);
    session.apply(Command::Seek(1.0));
    assert_eq!(pose(&session), before, "ghosts must not change the pose");
}

#[test]
fn ghosts_of_a_clip_are_some_time_apart() {
    let mut session = mannequin_session();
    session.apply(Command::Clip(Some(2)));
    session.apply(Command::Play(false));
    session.apply(Command::OnionSkin(OnionSkin { shown: true, count: 2, step: 0.1 }));
    assert_eq!(ghosts(&session), 2, "there is nothing before the start");
    session.apply(Command::Seek(0.4));
    assert_eq!(ghosts(&session), 4);
    session.apply(Command::Clip(None));
    assert_eq!(ghosts(&session), 0);
}

#[test]
fn a_limb_that_pulls_less_takes_the_body_along_less() {
    let moved = |pull: Option<f64>| {
        let mut session = mannequin_session();
        let (hand, hips) = (node(&session, "leftHand"), node(&session, "hips"));
        if let Some(pull) = pull {
            session.apply(Command::Pull(hand, pull));
            session.apply(Command::Release);
        }
        let (start, to) = (position(&session, hips), position(&session, hand) + Vec3::new(0.3, -0.5, 0.3));
        session.apply(Command::GrabNode(NodePoint { node: hand, offset: DVec3::ZERO }));
        session.apply(Command::DragTo(to.as_dvec3()));
        position(&session, hips).distance(start)
    };
    let (full, weak) = (moved(None), moved(Some(0.0)));
    assert!(full > 0.03 && weak < 0.3 * full, "{full} m and {weak} m");
    assert!(moved(Some(1.0)) == full);
    // Invalid values have no effect, and a change can be undone.
    let mut session = mannequin_session();
    let hand = node(&session, "leftHand");
    session.apply(Command::Pull(hand, 0.5));
    session.apply(Command::Pull(hand, 0.25));
    session.apply(Command::Release);
    for (node, pull) in [(hand, 2.0), (hand, f64::NAN), (usize::MAX, 0.1), (node(&session, "head"), 0.1)] {
        session.apply(Command::Pull(node, pull));
    }
    assert_eq!(session.rig().chain(hand).unwrap().pull, Some(0.25));
    assert!(session.is_rig_changed());
    session.apply(Command::Undo);
    assert_eq!(session.rig().chain(hand).unwrap().pull, None);
}

#[test]
fn several_joints_turn_as_one_undo_step() {
    let mut session = mannequin_session();
    let before = pose(&session);
    let joints = [node(&session, "head"), node(&session, "leftUpperArm")];
    for angle in [0.1, 0.2, 0.3] {
        let turn = |joint: usize| (joint, before.locals[joint].rotation * Quat::from_rotation_y(angle));
        let turns = joints.map(turn).into_iter().chain([(usize::MAX, Quat::IDENTITY)]).collect();
        session.apply(Command::TurnJoints(turns));
    }
    session.apply(Command::Release);
    for joint in joints {
        let angle = before.locals[joint].rotation.angle_between(pose(&session).locals[joint].rotation);
        assert!((angle - 0.3).abs() < 1e-3, "{angle}");
    }
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before);
}

/// The path of a pulled joint is drawn during a drag, even on a timeline of key poses.
#[test]
fn the_trail_of_a_pull_is_drawn_on_key_poses() {
    let mut session = mannequin_session();
    session.apply(Command::Key);
    session.apply(Command::Seek(1.0));
    let hand = node(&session, "leftHand");
    let start = session.puppet().world_from_node()[hand].translation;
    session.apply(Command::GrabNode(NodePoint { node: hand, offset: DVec3::ZERO }));
    let lines = [1_u8, 2, 3, 4].map(|step| {
        let to = start + glam::Vec3A::new(0.0, 0.02, 0.02) * f32::from(step);
        session.apply(Command::DragTo(to.as_dvec3()));
        session.frame(1.0).lines.len()
    });
    assert!(lines.is_sorted_by(|a, b| a < b), "{lines:?}");
}
