//! A prismatic joint in the viewer: its rail, whose stops can be dragged, and drags that slide the joint.

use sinew::ik::Method;
use sinew::rig::Slide;
use sinew_testkit::mannequin;

use super::*;

const JOINT: &str = "leftLowerArm";

/// Returns the mannequin with a forearm that slides along its own bone.
fn sliding() -> Session {
    let mut session = mannequin_session();
    let skeleton = &session.puppet().character().skeleton;
    let axis = skeleton.nodes[node(&session, "leftHand")].rest.translation.as_dvec3().normalize();
    let joint = node(&session, JOINT);
    session.apply(Command::Limit(joint, Limit::Prismatic { axis, min: -0.02, max: 0.1 }));
    session.apply(Command::Release);
    select(&mut session, JOINT);
    session
}

fn slide(session: &Session) -> Slide {
    let joint = node(session, JOINT);
    Slide::new(&session.puppet().character().skeleton, joint, &session.rig().joint(joint).limit).unwrap()
}

/// Returns the displacement of the forearm, and its distance from the axis.
fn displacement(session: &Session) -> (f64, f64) {
    let slide = slide(session);
    let translation = session.puppet().pose().locals[node(session, JOINT)].translation;
    let (displacement, offset) = slide.split(translation);
    (displacement, offset.distance(slide.rest))
}

/// Returns the pixel position of a displacement on the rail.
fn on_rail(session: &Session, displacement: f64) -> Vec2 {
    let joint = node(session, JOINT);
    let parent = session.puppet().character().skeleton.nodes[joint].parent.unwrap();
    let slide = slide(session);
    let place = (slide.rest + slide.axis * displacement).as_vec3();
    let place = session.puppet().world_from_node()[parent].transform_point3(place);
    pixel(&session.camera(), place, SIZE).unwrap()
}

#[test]
fn dragging_a_stop_changes_the_range_and_moves_the_joint_into_it() {
    let (mut session, mut input) = (sliding(), Input::default());
    let before = slide(&session).range;
    let (from, to) = (on_rail(&session, 0.1), on_rail(&session, 0.15));
    drag(&mut session, &mut input, from, to - from);
    release(&mut session, &mut input);
    let [min, max] = slide(&session).range;
    assert!((max - 0.15).abs() < 2e-3 && min == before[0], "{min} {max}");
    assert!(displacement(&session).0.abs() < 1e-6);
    // The other stop pushes the joint along.
    let (from, to) = (on_rail(&session, -0.02), on_rail(&session, 0.05));
    drag(&mut session, &mut input, from, to - from);
    release(&mut session, &mut input);
    let [min, _] = slide(&session).range;
    let (moved, beside) = displacement(&session);
    assert!((min - 0.05).abs() < 2e-3 && (moved - min).abs() < 1e-6 && beside < 1e-6, "{min} {moved}");
    // A stop cannot pass the other one.
    let (from, to) = (on_rail(&session, min), on_rail(&session, 0.3));
    drag(&mut session, &mut input, from, to - from);
    release(&mut session, &mut input);
    let [min, max] = slide(&session).range;
    assert_eq!(min, max);
    for _ in 0..3 {
        undo(&mut session, &mut input);
    }
    assert_eq!(slide(&session).range, before);
    assert!(displacement(&session).0.abs() < 1e-6);
}

#[test]
fn dragging_the_hand_slides_the_forearm() {
    let (mut session, mut input) = (sliding(), Input::default());
    session.apply(Command::Select(None));
    let hand = at(&session, "leftHand");
    let base = at(&session, "leftUpperArm");
    drag(&mut session, &mut input, hand, (hand - base) * 0.15);
    let (moved, beside) = displacement(&session);
    assert!(
        moved > 0.01 && moved < 0.1 + 1e-6 && beside < 1e-6,
        "{moved} m along, {beside} m beside the axis"
    );
    let refusals = session.refusals();
    for method in [Method::Fabrik, Method::Particle, Method::TwoBone] {
        let why = refusals.iter().find(|(refused, _)| *refused == method).map(|(_, why)| why.as_str());
        assert!(why.is_some_and(|why| why.contains("prismatic")), "{method}: {why:?}");
    }
    assert_eq!(refusals.len(), 3, "{refusals:?}");
    release(&mut session, &mut input);
    undo(&mut session, &mut input);
    assert_eq!(displacement(&session).0, 0.0);
}

#[test]
fn a_mimic_joint_whose_leader_gets_another_type_becomes_independent() {
    let mut session = sliding();
    let (left, right) = (node(&session, JOINT), node(&session, "rightLowerArm"));
    let mut rig = session.rig().clone();
    let limit = rig.joint(left).limit;
    let joint = rig.joints.entry(right).or_default();
    joint.limit = limit;
    joint.mimic = Some(rig::MimicRig { joint: left, ratio: 1.0, offset: 0.0 });
    session = Session::new(mannequin(), Some(rig), SIZE);
    session.apply(Command::Limit(left, Limit::Prismatic { axis: DVec3::X, min: 0.0, max: 0.2 }));
    assert!(session.rig().joint(right).mimic.is_some());
    session.apply(Command::Limit(left, Limit::Locked));
    assert!(session.rig().joint(right).mimic.is_none());
    assert_eq!(session.rig().check_mimic(right), Ok(()));
}
