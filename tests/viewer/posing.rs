//! Tests of posing operations: mirroring, symmetric drags, several selected joints, resetting, copied poses, and rings beside pins.

use glam::{DVec3, Vec3};
use sinew::asset::load;
use sinew::pose::Pose;
use sinew::rig::Mirror;
use sinew::viewer::{Button, Command, Event, Input, NodePoint, RingMode, Session};
use sinew_testkit::asset_path;

use super::gizmo::{metres, select};
use crate::support::{SIZE, mannequin_session, node, pose, pull_by};

mod copied;
mod rings;

/// Returns a session of a character from the test data.
fn character(path: &str) -> Option<Session> {
    let path = sinew_testkit::external(path)?;
    Some(Session::new(load(&path).unwrap(), None, SIZE))
}

fn places(session: &Session) -> Vec<DVec3> {
    session.puppet().world_from_node().iter().map(|m| m.translation.as_dvec3()).collect()
}

fn mirror(session: &Session) -> Mirror {
    Mirror::new(&session.puppet().character().skeleton, session.rig().body.as_ref().unwrap())
}

/// Returns the largest difference between two poses, in rotation (radians) or in translation (metres).
fn difference(a: &Pose, b: &Pose) -> f32 {
    let pairs = a.locals.iter().zip(&b.locals);
    let gap = |(a, b): (&sinew::asset::Transform, &sinew::asset::Transform)| {
        let turn = 2.0 * (a.rotation.conjugate() * b.rotation).xyz().length();
        turn.max(a.translation.distance(b.translation))
    };
    pairs.map(gap).fold(0.0, f32::max)
}

#[test]
fn mirroring_exchanges_the_sides_and_twice_gives_the_pose() {
    let mut session = mannequin_session();
    let (hand, foot) = (node(&session, "leftHand"), node(&session, "rightFoot"));
    pull_by(&mut session, hand, Vec3::new(0.1, 0.35, 0.2));
    pull_by(&mut session, foot, Vec3::new(-0.1, 0.15, 0.1));
    session.apply(Command::PinNode(foot));
    let (before, at, mirror) = (pose(&session), places(&session), mirror(&session));
    session.apply(Command::MirrorPose);
    assert!(session.error().is_none(), "{:?}", session.error());
    for (node, now) in places(&session).iter().enumerate() {
        let other = mirror.partner(node).unwrap();
        assert!(mirror.point(at[other]).distance(*now) < 2e-3, "node {node}");
    }
    // The pin is now on the other foot, and keeps it in place.
    let other = node(&session, "leftFoot");
    let held = places(&session)[other];
    pull_by(&mut session, hand, Vec3::new(0.0, 0.05, 0.0));
    assert!(places(&session)[other].distance(held) < 1e-3);
    session.apply(Command::Undo);
    let mirrored = pose(&session);
    session.apply(Command::MirrorPose);
    assert!(difference(&pose(&session), &before) < 1e-5, "{}", difference(&pose(&session), &before));
    session.apply(Command::Undo);
    assert_eq!(pose(&session), mirrored);
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before, "mirroring must be one undo step");
}

/// Characters from many creators, whose joints have all kinds of axes, names and helpers.
#[test]
fn poses_of_many_characters_are_mirrored() {
    let models = [
        "models/quaternius/modular_men/Adventurer/Adventurer.glb",
        "models/quaternius/modular_women/Witch/Witch.glb",
        "models/quaternius/single_knight_pack/KnightCharacter/KnightCharacter.glb",
        "models/quaternius/platformer_game_pack/Character/Character.glb",
        "models/quaternius/mech_pack/Leela/Leela.glb",
        "models/ozz-animation/converted/arnaud/arnaud.glb",
        "models/vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb",
        "models/khronos-sample-models/Fox/glTF-Binary/Fox.glb",
        "models/quaternius/animals_pack/Wolf/Wolf.glb",
        "models/quaternius/animals_pack/Horse/Horse.glb",
        "models/vrm/VRMC_materials_mtoon_UV_Animation_Test.vrm",
    ];
    let mut count = 0;
    for path in models {
        let Some(mut session) = character(path) else { return };
        let Some(body) = session.rig().body.clone() else { continue };
        let (mirror, size) = (mirror(&session), f64::from(body.size) * 1.75);
        let rest = places(&session);
        // Turn every joint of the left limbs by a few different angles.
        let left = body.limbs.iter().filter(|l| l.side == sinew::rig::LimbSide::Left);
        let mut nodes = Vec::new();
        for (index, &node) in left.flat_map(|l| &l.joints).enumerate() {
            let mut local = session.puppet().pose().locals[node];
            let turn = Vec3::new(0.3, -0.2, 0.25) * if index % 2 == 0 { 1.0 } else { -0.7 };
            local.rotation = (local.rotation * glam::Quat::from_scaled_axis(turn)).normalize();
            nodes.push((node, local));
        }
        session.apply(Command::SetPose(nodes, Vec::new()));
        let (before, at) = (pose(&session), places(&session));
        session.apply(Command::MirrorPose);
        let now = places(&session);
        for limb in &body.limbs {
            let (end, top) = (limb.end(), limb.joints[0]);
            let other = mirror.partner(end).unwrap_or_else(|| panic!("{path}: no counterpart"));
            assert_ne!(end, other, "{path}");
            // The sides are as nearly mirror images as in the rest pose.
            let asymmetry =
                |node: usize| mirror.point(rest[node]).distance(rest[mirror.partner(node).unwrap()]);
            let tolerance = 2.0 * (asymmetry(end) + asymmetry(top)) + 2e-3 * size;
            let gap = mirror.point(at[end]).distance(now[other]);
            assert!(gap < tolerance, "{path}: {gap} of {size}, tolerance {tolerance}");
        }
        session.apply(Command::MirrorPose);
        let gap = difference(&pose(&session), &before);
        assert!(f64::from(gap) < 2e-5 * size.max(1.0), "{path}: {gap}");
        count += 1;
    }
    assert!(count >= 8, "only {count} bodies are recognised");
}

#[test]
fn the_selected_limb_is_copied_to_the_other_side() {
    let mut session = mannequin_session();
    let (left, right) = (node(&session, "leftHand"), node(&session, "rightHand"));
    session.apply(Command::DragScope(sinew::viewer::DragScope::Limb));
    pull_by(&mut session, left, Vec3::new(-0.1, 0.3, 0.25));
    let (before, at, mirror) = (pose(&session), places(&session), mirror(&session));
    select(&mut session, "leftLowerArm");
    session.apply(Command::MirrorLimb);
    assert!(mirror.point(at[left]).distance(places(&session)[right]) < 2e-3);
    assert!(at[left].distance(places(&session)[left]) < 1e-6, "the own limb must stay");
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before);
    // A joint of the trunk has no counterpart.
    select(&mut session, "spine");
    session.apply(Command::Hover(glam::Vec2::NEG_ONE));
    session.apply(Command::MirrorLimb);
    assert!(session.error().is_some() && pose(&session) == before);
}

#[test]
fn mirroring_needs_a_body() {
    let mut session = Session::new(load(&asset_path("arm.glb")).unwrap(), None, SIZE);
    let before = pose(&session);
    for command in [Command::MirrorPose, Command::MirrorLimb] {
        session.apply(command);
        assert!(session.error().is_some_and(|e| e.contains("recognised")) && pose(&session) == before);
    }
}

#[test]
fn symmetric_drags_pull_both_hands() {
    let mut session = mannequin_session();
    let (left, right) = (node(&session, "leftHand"), node(&session, "rightHand"));
    let (before, mirror) = (pose(&session), mirror(&session));
    session.apply(Command::Symmetry(true));
    let target = places(&session)[left] + DVec3::new(-0.08, 0.3, 0.2);
    session.apply(Command::GrabNode(NodePoint { node: left, offset: DVec3::ZERO }));
    session.apply(Command::DragTo(target));
    assert!(places(&session)[left].distance(target) < 2e-3, "{:?}", session.reports());
    assert!(places(&session)[right].distance(mirror.point(target)) < 2e-3, "{:?}", session.reports());
    session.apply(Command::Release);
    let held = pose(&session);
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before, "a symmetric drag must be one undo step");
    session.apply(Command::Redo);
    assert_eq!(pose(&session), held);
    // A pinned hand does not follow, and neither does the other hand without the setting.
    session.apply(Command::RestAll);
    session.apply(Command::PinNode(right));
    let pinned = places(&session)[right];
    pull_by(&mut session, left, Vec3::new(0.0, 0.1, 0.1));
    assert!(places(&session)[right].distance(pinned) < 1e-3);
    session.apply(Command::PinNode(right));
    session.apply(Command::Symmetry(false));
    session.apply(Command::DragScope(sinew::viewer::DragScope::Limb));
    let other = places(&session)[right];
    pull_by(&mut session, left, Vec3::new(0.0, 0.1, 0.1));
    assert!(places(&session)[right].distance(other) < 1e-6);
}

/// The plane of a symmetric drag follows the position of the body and the direction in which it faces.
#[test]
fn symmetric_drags_follow_a_turned_body() {
    let mut session = mannequin_session();
    let (left, right) = (node(&session, "leftHand"), node(&session, "rightHand"));
    let (hips, rest) = (node(&session, "hips"), places(&session));
    let mut local = session.puppet().pose().locals[hips];
    let turn = glam::DQuat::from_rotation_y(1.1);
    local.rotation = turn.as_quat() * local.rotation;
    local.translation += Vec3::new(0.7, 0.0, -0.4);
    session.apply(Command::SetPose(vec![(hips, local)], Vec::new()));
    let (mirror, now) = (mirror(&session), places(&session));
    let there = |p: DVec3| now[hips] + turn * (p - rest[hips]);
    let wanted = rest[left] + DVec3::new(-0.05, 0.2, 0.2);
    session.apply(Command::Symmetry(true));
    session.apply(Command::GrabNode(NodePoint { node: left, offset: DVec3::ZERO }));
    session.apply(Command::DragTo(there(wanted)));
    session.apply(Command::Release);
    assert!(places(&session)[right].distance(there(mirror.point(wanted))) < 3e-3, "{:?}", session.error());
}

#[test]
fn joints_are_added_to_the_selection_and_removed_from_it() {
    let mut session = mannequin_session();
    let [hand, other, foot] = ["leftHand", "rightHand", "leftFoot"].map(|n| node(&session, n));
    session.apply(Command::SelectAdd(hand));
    session.apply(Command::SelectAdd(other));
    session.apply(Command::SelectAdd(foot));
    session.apply(Command::SelectAdd(foot));
    session.apply(Command::SelectAdd(usize::MAX));
    assert_eq!((session.selected(), session.selection()), (Some(foot), vec![foot, other, hand]));
    session.apply(Command::SelectRemove(foot));
    assert_eq!((session.selected(), session.selection()), (Some(other), vec![other, hand]));
    // Pins and resets apply to all selected joints.
    let count = |session: &mut Session| {
        pull_by(session, foot, Vec3::new(0.0, 0.02, 0.0));
        let pins = session.reports().iter().filter(|r| r.kind == sinew::puppet::GoalKind::Pin).count();
        session.apply(Command::Undo);
        pins
    };
    session.apply(Command::Pin);
    assert_eq!(count(&mut session), 2);
    session.apply(Command::Pin);
    assert_eq!(count(&mut session), 0);
    session.apply(Command::Select(None));
    assert!(session.selection().is_empty());
}

#[test]
fn limbs_and_joints_are_reset() {
    let mut session = mannequin_session();
    let rest = pose(&session);
    let [hand, other, hips] = ["leftHand", "rightHand", "hips"].map(|n| node(&session, n));
    pull_by(&mut session, hips, Vec3::new(0.05, -0.15, 0.0));
    pull_by(&mut session, hand, Vec3::new(0.0, 0.2, 0.2));
    pull_by(&mut session, other, Vec3::new(0.1, 0.25, 0.1));
    let before = pose(&session);
    let limb = |session: &Session, side: &str| {
        ["UpperArm", "LowerArm", "Hand"].map(|n| node(session, &format!("{side}{n}")))
    };
    let (left, right) = (limb(&session, "left"), limb(&session, "right"));
    let is_rest = |session: &Session, n: usize| session.puppet().pose().locals[n] == rest.locals[n];
    select(&mut session, "leftHand");
    session.apply(Command::ResetJoint);
    assert!(is_rest(&session, hand) && !is_rest(&session, left[0]) && !is_rest(&session, left[1]));
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before);
    session.apply(Command::ResetLimb);
    assert!(left.iter().all(|&n| is_rest(&session, n)));
    let kept: Vec<usize> = [hips, right[0], right[1]].into();
    assert!(
        kept.iter().all(|&n| session.puppet().pose().locals[n] == before.locals[n] && !is_rest(&session, n))
    );
    session.apply(Command::Undo);
    session.apply(Command::SelectAdd(right[1]));
    session.apply(Command::ResetLimb);
    assert!(left.iter().chain(&right).all(|&n| is_rest(&session, n)) && !is_rest(&session, hips));
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before);
}
