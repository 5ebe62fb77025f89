//! Keys of single joints.

use glam::Quat;
use sinew::motion::Motion;

use super::*;

/// Returns the mannequin with three key poses, in which the head and an arm turn at 1 s. Also returns both joints.
fn keyed() -> (Session, [usize; 2]) {
    let mut session = mannequin_session();
    let joints = ["head", "leftUpperArm"].map(|name| node(&session, name));
    session.apply(Command::Key);
    for (time, angle) in [(1.0, 0.3), (2.0, 0.0)] {
        session.apply(Command::Seek(time));
        let turns = joints.map(|joint| {
            let rest = session.puppet().character().skeleton.nodes[joint].rest.rotation;
            (joint, rest * Quat::from_rotation_x(angle))
        });
        session.apply(Command::TurnJoints(turns.into()));
        session.apply(Command::Release);
        session.apply(Command::Key);
    }
    (session, joints)
}

/// Returns the angle of a joint from rest at a time.
fn angle(session: &mut Session, joint: usize, time: f32) -> f32 {
    session.apply(Command::Seek(time));
    let rest = session.puppet().character().skeleton.nodes[joint].rest.rotation;
    rest.angle_between(pose(session).locals[joint].rotation)
}

fn motion(session: &Session) -> Motion {
    session.puppet().motion.clone()
}

#[test]
fn keys_of_one_joint_are_moved_copied_and_removed() {
    let (mut session, [head, arm]) = keyed();
    let before = motion(&session);
    session.apply(Command::KeyJointsMove(vec![arm], 1.0, 1.5));
    session.apply(Command::Release);
    assert!((angle(&mut session, arm, 1.5) - 0.3).abs() < 1e-3 && angle(&mut session, arm, 1.0) < 0.29);
    assert!((angle(&mut session, head, 1.0) - 0.3).abs() < 1e-3);
    session.apply(Command::Undo);
    assert_eq!(motion(&session), before);
    session.apply(Command::KeyJointsCopy(vec![arm], 1.0, 2.0));
    assert!((angle(&mut session, arm, 2.0) - 0.3).abs() < 1e-3 && angle(&mut session, head, 2.0) < 1e-3);
    session.apply(Command::Undo);
    session.apply(Command::KeyJointsDelete(vec![arm], 1.0));
    assert!(angle(&mut session, arm, 1.0) < 1e-3 && (angle(&mut session, head, 1.0) - 0.3).abs() < 1e-3);
    // Unknown joints and times have no effect.
    let before = motion(&session);
    session.apply(Command::KeyJointsDelete(vec![usize::MAX], 1.0));
    session.apply(Command::KeyJointsMove(vec![arm], 0.5, 1.5));
    session.apply(Command::KeyJointsMove(vec![arm], 0.0, f32::NAN));
    assert_eq!(motion(&session), before);
}

#[test]
fn keys_of_single_joints_are_recorded_and_saved() {
    let (mut session, [_, arm]) = keyed();
    let folder = folder("joint-keys");
    session.apply(Command::KeyJointsMove(vec![arm], 1.0, 1.5));
    session.apply(Command::Release);
    let path = folder.join("a.session");
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    session.apply(Command::KeyJointsCopy(vec![arm], 1.5, 0.5));
    session.stop_recording().unwrap().unwrap();
    assert_eq!(motion(replayed(&path).session()), motion(&session));
    assert_eq!(motion(&session).keys.len(), 5);
    let project = folder.join("a.sinew");
    session.save_project(&project, true).unwrap();
    assert_eq!(motion(replayed(&project).session()), motion(&session));
}
