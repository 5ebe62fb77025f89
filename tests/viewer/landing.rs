//! A dragged hand or foot lands on the surface under the pointer.

use glam::{Mat3, Quat};
use sinew::asset::load;
use sinew::pose::Pose;
use sinew::viewer::DragScope;

use super::*;

/// Opens the built-in character, or a file of the test data.
fn open(path: &str) -> Option<Session> {
    if path.is_empty() {
        return Some(detected_session());
    }
    let path = sinew_testkit::external(path)?;
    Some(Session::new(load(&path).unwrap(), None, SIZE))
}

fn bone(session: &Session, name: &str) -> usize {
    session.rig().bones[name]
}

/// Returns the pixel of a point between two bones. `along` is 0 at the first bone and 1 at the second.
fn seen(session: &Session, (from, to, along): (&str, &str, f32)) -> Vec2 {
    let [a, b] = [from, to].map(|name| position(session, bone(session, name)));
    pixel(&session.camera(), a.lerp(b, along), SIZE).unwrap()
}

/// Drags the left hand to a pixel, and returns its positions on the way.
fn drag_hand(session: &mut Session, to: Vec2, steps: u8) -> Vec<Vec3> {
    let hand = bone(session, "leftHand");
    let from = pixel(&session.camera(), position(session, hand), SIZE).unwrap();
    session.apply(Command::Grab(from));
    let step = |session: &mut Session, step: u8| {
        session.apply(Command::Drag(from.lerp(to, f32::from(step) / f32::from(steps))));
        position(session, hand)
    };
    (1..=steps).map(|i| step(session, i)).collect()
}

/// A vertex of the posed skin, and whether the left hand and the left arm move it.
struct Vertex {
    at: Vec3,
    is_hand: bool,
    is_arm: bool,
}

/// Returns all triangles of the posed skin.
fn triangles(session: &Session) -> Vec<[Vertex; 3]> {
    let (puppet, character) = (session.puppet(), session.puppet().character());
    let [hand, arm] = ["leftHand", "leftUpperArm"].map(|name| bone(session, name));
    let mut skinned = Skinned::default();
    let mut found = Vec::new();
    for (index, part) in puppet.parts().iter().enumerate() {
        puppet.skin(index, &mut skinned);
        let primitive = character.primitive(*part);
        let node = |vertex: usize| {
            let (Some(skin), Some(set)) = (part.skin, primitive.influences.first()) else { return part.node };
            let most =
                set.weights[vertex].to_array().into_iter().enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            character.skins[skin].joints[usize::from(set.joints[vertex][most.unwrap().0])]
        };
        let vertex = |vertex: u32| {
            let vertex = vertex as usize;
            let below = |above| character.skeleton.ancestors(node(vertex)).any(|n| n == above);
            Vertex { at: skinned.positions[vertex], is_hand: below(hand), is_arm: below(arm) }
        };
        found.extend(primitive.triangles.iter().map(|triangle| triangle.map(vertex)));
    }
    found
}

/// Returns how far the left hand is in front of the rest of the body along a camera ray, in metres. Negative if a vertex is inside.
fn gap(session: &Session, toward: Vec2) -> f32 {
    let along = Ray::through(&session.camera(), toward, SIZE).unwrap().direction;
    let all = triangles(session);
    let vertices = all.iter().flatten().filter(|vertex| vertex.is_hand).map(|vertex| vertex.at);
    // from + t along = a + u (b − a) + v (c − a)
    let inverse = |[a, b, c]: [Vec3; 3]| (a, Mat3::from_cols(-along, b - a, c - a).inverse());
    let rest: Vec<(Vec3, Mat3)> = all
        .iter()
        .filter(|t| t.iter().all(|v| !v.is_arm))
        .map(|t| inverse([t[0].at, t[1].at, t[2].at]))
        .collect();
    let hit = |from: Vec3, (a, inverse): (Vec3, Mat3)| {
        let solution = inverse * (from - a);
        let is_inside = solution.y >= 0.0 && solution.z >= 0.0 && solution.y + solution.z <= 1.0;
        is_inside.then_some(solution.x).filter(|t| *t > -0.1)
    };
    let nearest = |from: Vec3| rest.iter().filter_map(|t| hit(from, *t)).min_by(f32::total_cmp);
    vertices.filter_map(nearest).min_by(f32::total_cmp).unwrap()
}

const CHARACTERS: [&str; 3] = [
    "",
    "models/quaternius/modular_men/Adventurer/Adventurer.glb",
    "models/quaternius/modular_women/Witch/Witch.glb",
];

#[test]
fn a_hand_lands_on_the_body() {
    let places = [
        ("leftUpperLeg", "leftLowerLeg", 0.3),
        ("leftUpperLeg", "leftLowerLeg", 0.7),
        ("rightUpperLeg", "rightLowerLeg", 0.5),
        ("hips", "chest", 0.2),
        ("hips", "chest", 0.8),
    ];
    for path in CHARACTERS {
        let mut gaps = Vec::new();
        for place in places {
            let Some(mut session) = open(path) else { return };
            let to = seen(&session, place);
            drag_hand(&mut session, to, 30);
            assert!(
                session.error().is_none()
                    && session.reports().iter().all(|r| r.position_error.unwrap() < 5e-3)
            );
            let landed = gap(&session, to);
            gaps.push(landed);
            assert!(landed.abs() < 0.02, "{path} {place:?}: {landed}");
            // Without landing, the hand is far in front of the body.
            session.apply(Command::Cancel);
            session.apply(Command::Landing(false));
            drag_hand(&mut session, to, 30);
            gaps.push(gap(&session, to));
        }
        let (landed, free): (Vec<f32>, Vec<f32>) = gaps.chunks(2).map(|pair| (pair[0], pair[1])).unzip();
        let worst = landed.iter().fold(0.0_f32, |worst, gap| worst.max(gap.abs()));
        assert!(
            free.iter().sum::<f32>() > 10.0 * landed.iter().map(|gap| gap.abs()).sum::<f32>(),
            "{path}: {worst}, {gaps:?}"
        );
    }
}

#[test]
fn the_place_does_not_depend_on_the_way_there() {
    for path in CHARACTERS {
        let Some(mut session) = open(path) else { return };
        let to = seen(&session, ("leftUpperLeg", "leftLowerLeg", 0.4));
        let hand = bone(&session, "leftHand");
        drag_hand(&mut session, to, 30);
        let slow = position(&session, hand);
        session.apply(Command::Drag(to + Vec2::new(220.0, -180.0)));
        session.apply(Command::Drag(to));
        let back = position(&session, hand);
        session.apply(Command::Cancel);
        drag_hand(&mut session, to, 1);
        let fast = position(&session, hand);
        let (back, fast) = (slow.distance(back), slow.distance(fast));
        assert!(back < 8e-3 && fast < 8e-3, "{path}: {back} and {fast}");
    }
}

#[test]
fn a_drag_begins_where_the_hand_is() {
    for path in CHARACTERS {
        let Some(mut session) = open(path) else { return };
        let start = position(&session, bone(&session, "leftHand"));
        let at = seen(&session, ("leftHand", "leftHand", 0.0));
        let first = drag_hand(&mut session, at + Vec2::new(-1.0, 1.0), 1)[0];
        assert!(first.distance(start) < 0.01, "{path}: {}", first.distance(start));
    }
}

#[test]
fn the_wheel_takes_the_hand_off_the_body() {
    let mut session = detected_session();
    let to = seen(&session, ("hips", "chest", 0.5));
    let hand = bone(&session, "leftHand");
    drag_hand(&mut session, to, 10);
    let landed = position(&session, hand);
    session.apply(Command::Push(-3.0));
    session.apply(Command::Drag(to));
    let away = position(&session, hand);
    let camera = session.camera();
    assert!(camera.position.distance(away) < camera.position.distance(landed) - 0.05);
}

#[test]
fn a_foot_stays_on_the_floor_under_the_pointer() {
    for scope in [DragScope::Body, DragScope::Limb] {
        let mut session = detected_session();
        session.apply(Command::DragScope(scope));
        let foot = bone(&session, "leftFoot");
        let start = position(&session, foot);
        let from = pixel(&session.camera(), start, SIZE).unwrap();
        session.apply(Command::Grab(from));
        session.apply(Command::Drag(from + Vec2::new(0.0, 12.0)));
        let (now, seen) =
            (position(&session, foot), pixel(&session.camera(), position(&session, foot), SIZE).unwrap());
        // The heel may rise.
        assert!((now.y - start.y).abs() < 0.03, "{scope:?}: {start} to {now}");
        let soles = session.rig().soles().find(|sole| sole.node == foot).unwrap().sole;
        let heights = soles.map(|(node, at)| session.puppet().world_from_node()[node].transform_point3(at).y);
        let lowest = heights.into_iter().fold(f32::INFINITY, f32::min);
        assert!(lowest.abs() < 2e-3, "{scope:?}: {lowest}");
        let toward = (session.camera().position - start).with_y(0.0).normalize();
        assert!((now - start).dot(toward) > 0.03, "{scope:?}: {start} to {now}");
        assert!(seen.distance(from + Vec2::new(0.0, 12.0)) < 10.0, "{scope:?}: {seen} from {from}");
    }
}

/// Regression test: after Alt was pressed and released in a drag, the hand was pushed away from the thigh.
#[test]
fn a_hand_stays_on_the_body_when_the_scope_changes() {
    let mut session = detected_session();
    let to = seen(&session, ("leftUpperLeg", "leftLowerLeg", 0.4));
    drag_hand(&mut session, to, 10);
    let landed = pose(&session);
    for scope in [DragScope::Joint, DragScope::Limb, DragScope::Body] {
        session.apply(Command::CurrentScope(scope));
    }
    let hand = bone(&session, "leftHand");
    let at = position(&session, hand);
    session.apply(Command::Drag(to));
    assert!(position(&session, hand).distance(at) < 3e-3);
    assert!(gap(&session, to).abs() < 0.02);
    session.apply(Command::Cancel);
    drag_hand(&mut session, to, 10);
    let difference = |a: &Pose, b: &Pose| {
        let pairs = a.locals.iter().zip(&b.locals);
        pairs.map(|(a, b)| 1.0 - a.rotation.dot(b.rotation).abs()).fold(0.0_f32, f32::max)
    };
    assert!(difference(&pose(&session), &landed) < 1e-4);
}

/// Regression test: a foot that stood below the floor of the rest pose was lifted onto that floor by the first pixel of a drag.
#[test]
fn a_foot_that_stands_on_a_lower_step_stays_there() {
    let mut session = detected_session();
    let hips = bone(&session, "hips");
    let mut local = session.puppet().pose().locals[hips];
    local.translation.y -= 0.3;
    session.apply(Command::SetPose(vec![(hips, local)], Vec::new()));
    let foot = bone(&session, "leftFoot");
    let start = position(&session, foot);
    let from = pixel(&session.camera(), start, SIZE).unwrap();
    session.apply(Command::Grab(from));
    session.apply(Command::Drag(from + Vec2::new(0.0, 1.0)));
    let moved = position(&session, foot).distance(start);
    assert!(start.y < 0.0 && moved < 0.03, "{start}: {moved}");
}

/// A hand laid on the other thigh stays there between two keys that contain this position, even while the leg moves.
#[test]
fn keys_keep_a_hand_where_a_drag_has_laid_it() {
    let mut session = detected_session();
    let hand = bone(&session, "leftHand");
    let thigh = seen(&session, ("rightUpperLeg", "rightLowerLeg", 0.4));
    drag_hand(&mut session, thigh, 30);
    session.apply(Command::Release);
    session.apply(Command::Key);
    assert!(session.puppet().motion.contacts.is_empty(), "one key is not a time");
    session.apply(Command::Seek(1.0));
    session.apply(Command::Turn(bone(&session, "head"), Quat::from_rotation_y(0.6)));
    session.apply(Command::Key);
    let [contact] = session.puppet().motion.contacts[..] else {
        panic!("{:?}", session.puppet().motion.contacts)
    };
    assert_eq!((contact.node, contact.from, contact.to), (hand, 0.0, 1.0));
    assert!(
        contact.on.is_some_and(|on| session.puppet().character().skeleton.label(on).contains("UpperLeg")),
        "{contact:?}"
    );
    // The contact is part of the key's undo step.
    session.apply(Command::Undo);
    assert!(session.puppet().motion.contacts.is_empty());
    session.apply(Command::Redo);
    // If the hand is dragged away, the next key adds no contact.
    session.apply(Command::Seek(2.0));
    let away = seen(&session, ("leftShoulder", "leftUpperArm", 3.0));
    drag_hand(&mut session, away, 10);
    session.apply(Command::Release);
    session.apply(Command::Key);
    assert_eq!(session.puppet().motion.contacts.len(), 1);
}
