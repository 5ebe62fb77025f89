//! Problems that the founding documents do not cover are errors.

use glam::{DQuat, DVec3};
use sinew_ik::{Goal, JacobianOptions, LinkIndex, Method, Options, Secondary, SolveError};

use super::{TARGET, spatial};

#[test]
fn only_methods_with_a_founding_document_have_a_textbook() {
    let own = JacobianOptions::default().with_step(0.1).with_damping(0.1);
    let documented = [
        Method::Ccd,
        Method::Particle,
        Method::JacobianTranspose,
        Method::PseudoInverse,
        Method::Dls,
        Method::Fused,
    ];
    for method in Method::ALL.into_iter().chain([Method::Auto]).filter(|m| *m != Method::TwoBone) {
        let options = Options::default().with_method(method).with_textbook(true).with_jacobian(own);
        let refusal = options.refusal(&spatial(|_, _| {}), &[Goal::position(LinkIndex(3), TARGET)]);
        assert_eq!(refusal.is_none(), documented.contains(&method), "{method}: {refusal:?}");
        let plain = options
            .with_textbook(false)
            .refusal(&spatial(|_, _| {}), &[Goal::position(LinkIndex(3), TARGET)]);
        assert_eq!(plain, None, "{method}");
    }
}

#[test]
fn other_problems_and_missing_numbers_are_refused() {
    let position = Goal::position(LinkIndex(3), TARGET);
    let turned = Goal::pose(LinkIndex(3), TARGET, DQuat::IDENTITY);
    let balance = JacobianOptions::default().with_secondary(Secondary::Balance);
    let cases = [
        (Method::Ccd, vec![position, Goal::position(LinkIndex(2), DVec3::Y)], JacobianOptions::default()),
        (Method::Ccd, vec![], JacobianOptions::default()),
        (Method::Particle, vec![turned], JacobianOptions::default()),
        (Method::Fused, vec![position.with_pole(DVec3::Z)], JacobianOptions::default()),
        (Method::JacobianTranspose, vec![position], JacobianOptions::default()),
        (Method::Dls, vec![position], JacobianOptions::default()),
        (Method::PseudoInverse, vec![position], balance),
    ];
    for (method, goals, own) in cases {
        let options = Options::default().with_method(method).with_textbook(true).with_jacobian(own);
        let refusal = options.refusal(&spatial(|_, _| {}), &goals);
        assert!(matches!(refusal, Some(SolveError::Unsuited { .. })), "{method}: {refusal:?}");
    }
}
