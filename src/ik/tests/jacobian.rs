//! The Jacobian of a body equals finite differences, and joint values are set and read back.

use crate::vector;
use glam::{DAffine3, DMat3, DQuat, DVec3};
use proptest::prelude::*;
use sinew_ik::{Body, Limit, Link, LinkIndex, Mimic, SolveError};

const STEP: f64 = 1e-6;

fn rotation() -> impl Strategy<Value = DQuat> {
    (vector(1.0), -3.0..3.0_f64)
        .prop_map(|(axis, angle)| DQuat::from_axis_angle(axis.try_normalize().unwrap_or(DVec3::Y), angle))
}

/// A link of any kind: its branch, offset, rest, scale, type of joint and direction.
fn link() -> impl Strategy<Value = (usize, Link)> {
    let numbers = (0..3_usize, vector(1.0), rotation(), vector(1.0), 0.5..2.0_f64, 0..6_usize, any::<bool>());
    numbers.prop_map(|(branch, offset, rest, axis, scale, kind, reversed)| {
        let axis = axis.try_normalize().unwrap_or(DVec3::Z);
        let side = axis.any_orthonormal_vector();
        let limit = match kind {
            0 => Limit::Free,
            1 => Limit::Locked,
            2 => Limit::hinge(axis, -3.0..=3.0),
            3 => Limit::prismatic(axis, -5.0..=5.0),
            4 => Limit::Cone { axis, side, swing: [3.0; 2], twist: [-3.0, 3.0] },
            _ => Limit::hinge(axis, -3.0..=3.0),
        };
        // Only unscaled links may be reversed.
        let scale = if reversed { DVec3::ONE } else { DVec3::new(scale, 1.0, 1.0 / scale) };
        let link = Link::base().with_offset(offset).with_rest(rest).with_scale(scale);
        (branch, link.with_limit(limit).with_reversed(reversed))
    })
}

/// A tree of up to eight links below a sheared space, with a follower of the first hinge.
fn body() -> impl Strategy<Value = Body> {
    (prop::collection::vec(link(), 2..8), vector(0.6), rotation(), -2.0..2.0_f64).prop_map(
        |(mut links, shear, turn, ratio)| {
            for (index, (branch, link)) in links.iter_mut().enumerate() {
                link.parent = index.checked_sub(1).map(|last| last - last.min(*branch)).map(LinkIndex);
            }
            let hinges: Vec<usize> =
                (0..links.len()).filter(|&i| matches!(links[i].1.limit, Limit::Hinge { .. })).collect();
            if let [leader, .., follower] = hinges[..] {
                links[follower].1.mimic = Some(Mimic { of: LinkIndex(leader), ratio, offset: 0.0 });
            }
            let matrix = DMat3::from_quat(turn) + DMat3::from_diagonal(shear);
            let links = links.into_iter().map(|(_, link)| link).collect();
            let mut body = Body::new(links, DAffine3::from_mat3_translation(matrix, shear)).unwrap();
            body.place(body.world_from_base(), turn).unwrap();
            body
        },
    )
}

proptest! {
    #[test]
    fn jacobian_equals_finite_differences(mut body in body(), point in vector(1.0), pose in prop::collection::vec(-0.7..0.7_f64, 24)) {
        body.move_joints(&pose);
        let link = body.links().len() - 1;
        let jacobian = body.jacobian(LinkIndex(link), point).unwrap();
        for (column, expected) in jacobian.columns().iter().enumerate() {
            let moved = |step: f64| {
                let mut other = body.clone();
                let mut steps = vec![0.0; column + 1];
                steps[column] = step;
                other.move_joints(&steps);
                other
            };
            let (ahead, behind) = (moved(STEP), moved(-STEP));
            let at = |body: &Body| body.world_from_link(LinkIndex(link)).unwrap().transform_point3(point);
            let linear = (at(&ahead) - at(&behind)) / (2.0 * STEP);
            let turn = ahead.orientation(LinkIndex(link)).unwrap() * behind.orientation(LinkIndex(link)).unwrap().conjugate();
            // A joint that follows another joint with a ratio of a thousandth turns by less than `to_scaled_axis` can resolve.
            let angular = turn.xyz() * turn.w.signum() / STEP;
            prop_assert!(linear.distance(expected.linear) < 1e-6 * (1.0 + linear.length()), "{linear} {expected:?}");
            prop_assert!(angular.distance(expected.angular) < 1e-6 * (1.0 + angular.length()), "{angular} {expected:?}");
        }
    }

    #[test]
    fn rows_velocities_and_the_transpose_agree_with_the_columns(body in body(), force in vector(1.0), torque in vector(1.0), rates in prop::collection::vec(-1.0..1.0_f64, 24)) {
        let jacobian = body.jacobian(LinkIndex(body.links().len() - 1), DVec3::ZERO).unwrap();
        let rates = &rates[..jacobian.columns().len()];
        let rows = jacobian.rows().map(|row| row.iter().zip(rates).map(|(a, b)| a * b).sum::<f64>());
        let (linear, angular) = jacobian.velocity(rates);
        for (row, value) in rows.into_iter().zip(linear.to_array().into_iter().chain(angular.to_array())) {
            prop_assert!((row - value).abs() < 1e-9);
        }
        // Power is the same at the point and at the joints.
        let joints: f64 = jacobian.transposed(force, torque).iter().zip(rates).map(|(f, r)| f * r).sum();
        prop_assert!((joints - force.dot(linear) - torque.dot(angular)).abs() < 1e-9);
    }
}

#[test]
fn joint_values_are_set_and_read_back_and_mimic_joints_follow() {
    let finger = Link::child(LinkIndex(0), DVec3::X).with_limit(Limit::prismatic(DVec3::X, 0.0..=0.1));
    let links = vec![
        Link::base().with_limit(Limit::hinge(DVec3::Z, -1.0..=1.0)),
        finger,
        finger.with_mimic(Mimic { of: LinkIndex(1), ratio: -1.0, offset: 0.1 }),
        Link::child(LinkIndex(0), DVec3::Y),
    ];
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
    body.set_joint_value(LinkIndex(0), 0.25).unwrap();
    body.set_joint_value(LinkIndex(1), 0.03).unwrap();
    let values: Vec<Option<f64>> = (0..5).map(|link| body.joint_value(LinkIndex(link))).collect();
    let [Some(angle), Some(finger), Some(follower), None, None] = values[..] else { panic!("{values:?}") };
    assert!((angle - 0.25).abs() < 1e-12, "{angle}");
    assert!(finger == 0.03 && (follower - 0.07).abs() < 1e-12, "{finger} {follower}");
    let refused = |link, value: f64| {
        let error = body.clone().set_joint_value(link, value).unwrap_err();
        assert!(matches!(error, SolveError::JointValue { .. }));
        error.to_string()
    };
    assert_eq!(refused(LinkIndex(2), 0.0), "the value of link 2 cannot be set: it mimics another joint");
    assert_eq!(
        refused(LinkIndex(3), 0.0),
        "the value of link 3 cannot be set: its joint is neither a hinge nor prismatic"
    );
    assert_eq!(refused(LinkIndex(0), f64::NAN), "the value of link 0 cannot be set: the value is not finite");
    let missing = body.clone().set_joint_value(LinkIndex(4), 0.0).unwrap_err().to_string();
    assert_eq!(missing, "link 4 does not exist; the body has 4, counted from 0");
}

#[test]
fn steps_stop_at_limits_and_ignore_bad_numbers() {
    let links = vec![
        Link::base().with_limit(Limit::hinge(DVec3::Z, -0.5..=0.5)),
        Link::child(LinkIndex(0), DVec3::X),
    ];
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
    body.move_joints(&[f64::NAN, f64::INFINITY]);
    assert_eq!(body.joint_value(LinkIndex(0)), Some(0.0));
    body.move_joints(&[2.0]);
    assert!((body.joint_value(LinkIndex(0)).unwrap() - 0.5).abs() < 1e-12);
}
