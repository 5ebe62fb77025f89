//! Tests of joints that are rotated to a given orientation, and of methods that are changed during a drag.

use glam::{Quat, Vec2};
use sinew::ik::{Limit, Method, Options};
use sinew::viewer::{Command, Input, Session};

use crate::support::{at, drag, mannequin_session, node, pose};

#[test]
fn turns_of_a_joint_obey_its_limit_and_are_one_undo_step() {
    let mut session = mannequin_session();
    let before = pose(&session);
    let elbow = node(&session, "leftLowerArm");
    let rest = session.puppet().character().skeleton.nodes[elbow].rest.rotation;
    let Limit::Hinge { axis, max, .. } = session.rig().joint(elbow).limit else { panic!("not a hinge") };
    let turned = |angle: f32| rest * Quat::from_axis_angle(axis.as_vec3().normalize(), angle);
    for angle in [0.2, 0.5, 0.9] {
        session.apply(Command::Turn(elbow, turned(angle)));
        assert!(pose(&session).locals[elbow].rotation.angle_between(turned(angle)) < 1e-3);
    }
    #[expect(clippy::cast_possible_truncation, reason = "an angle")]
    let most = max as f32;
    session.apply(Command::Turn(elbow, turned(3.0)));
    assert!(pose(&session).locals[elbow].rotation.angle_between(turned(most)) < 1e-3);
    session.apply(Command::Release);
    session.apply(Command::Undo);
    assert_eq!(pose(&session), before);
    // A rotation without a direction has no effect, and neither does an unknown joint.
    session.apply(Command::Turn(elbow, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)));
    session.apply(Command::Turn(9999, Quat::IDENTITY));
    assert_eq!(pose(&session), before);
}

/// Regression test: each method started from the pose of the previous one, so all of them showed the same picture.
#[test]
fn a_method_that_is_chosen_during_a_drag_solves_from_its_start() {
    let chosen = |methods: &[Method]| {
        let (mut session, mut input) = (mannequin_session(), Input::default());
        let hand = at(&session, "leftHand");
        let choose = |session: &mut Session, method: Method| {
            session.apply(Command::Solver(Box::new(Options::default().with_method(method))));
        };
        choose(&mut session, methods[0]);
        drag(&mut session, &mut input, hand, Vec2::new(-40.0, -70.0));
        methods[1..].iter().for_each(|method| choose(&mut session, *method));
        pose(&session)
    };
    let wanted = chosen(&[Method::TwoBone, Method::Ccd]);
    assert_eq!(chosen(&[Method::Dls, Method::FullBody, Method::Ccd]), wanted);
    assert_ne!(chosen(&[Method::Ccd, Method::Fabrik]), wanted);
}
