//! The documents do not cover degenerate bodies and targets. In these cases, the pose must be finite and the same every time.

use std::f64::consts::PI;

use glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{
    Body, CcdOptions, Correction, FusedOptions, Goal, JacobianOptions, JointParameters, LimbOptions, Limit,
    Link, LinkIndex, Method, Options, Secondary, Solver, Start, Swivel,
};

/// Returns chains of two joints and an end, which all methods accept.
fn bodies() -> Vec<Body> {
    let limits = [
        Limit::Free,
        Limit::hinge(DVec3::Z, -0.5..=2.0),
        Limit::hinge(DVec3::Y, -PI..=PI),
        Limit::Cone { axis: DVec3::Y, side: DVec3::X, swing: [1.0, 0.5], twist: [-0.2, 0.3] },
        Limit::Euler { order: glam::EulerRot::XYZ, min: [-1.0; 3], max: [1.0; 3] },
    ];
    let lengths = [[1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1e-200, 1e200], [3.0, 0.5]];
    let scales = [DVec3::ONE, DVec3::new(1.0, -2.0, 0.5), DVec3::ZERO];
    let mut all = Vec::new();
    for limit in limits {
        for [upper, lower] in lengths {
            for scale in scales {
                let links = vec![
                    Link::base().with_limit(limit).with_scale(scale),
                    Link::child(LinkIndex(0), DVec3::Y * upper).with_limit(limit),
                    Link::child(LinkIndex(1), DVec3::Y * lower),
                ];
                let at = DAffine3::from_rotation_x(0.4);
                let mut body = Body::new(links, at).unwrap();
                all.push(body.clone());
                for link in 0..2 {
                    body.set_rotation(
                        LinkIndex(link),
                        body.links()[link].nearest(DQuat::from_rotation_z(0.4)),
                    );
                }
                all.push(body);
            }
        }
    }
    all
}

fn variants() -> Vec<Options> {
    let of = |method| Options::default().with_method(method).with_textbook(true).with_iterations(5);
    let jacobian = JacobianOptions::default().with_step(0.5).with_damping(0.1);
    let euler = jacobian.with_parameters(JointParameters::Euler).with_secondary(Secondary::LimitCentres);
    vec![
        of(Method::Ccd),
        of(Method::Ccd).with_ccd(CcdOptions::default().with_linear(true)),
        of(Method::Ccd).with_ccd(CcdOptions::mmd(0.1)).with_start(Start::Rest),
        of(Method::Ccd).with_ccd(CcdOptions::default().with_budget(0.3).with_relaxation(1.5)),
        of(Method::Particle),
        of(Method::JacobianTranspose).with_jacobian(jacobian),
        of(Method::PseudoInverse).with_jacobian(jacobian),
        of(Method::PseudoInverse).with_jacobian(euler),
        of(Method::Dls).with_jacobian(euler),
        of(Method::Fused),
        of(Method::Fused).with_fused(FusedOptions::default().with_correction(Correction::MidAngle)),
        of(Method::TwoBone),
        of(Method::TwoBone).with_limb(LimbOptions::default().with_swivel(Swivel::Arm)),
        of(Method::TwoBone).with_limb(LimbOptions::default().with_swivel(Swivel::Angle(1.0))),
    ]
}

#[test]
fn poses_are_finite_and_reproducible() {
    let targets = [
        DVec3::ZERO,
        DVec3::Y,
        DVec3::Y * 2.0,
        DVec3::NEG_Y * 2.0,
        DVec3::new(0.5, 0.5, 0.5),
        DVec3::splat(1e150),
        DVec3::splat(1e-300),
    ];
    let mut solved = 0;
    for body in bodies() {
        for options in variants() {
            for target in targets {
                for limits in [true, false] {
                    let goal = [Goal::position(LinkIndex(2), target)];
                    let options = options.with_limits(limits).with_trace(true);
                    let [mut first, mut second] = [body.clone(), body.clone()];
                    let Ok(report) = Solver::default().solve(&mut first, &goal, &options).cloned() else {
                        continue;
                    };
                    let again = Solver::default().solve(&mut second, &goal, &options).unwrap().clone();
                    // NaN errors differ from themselves.
                    assert_eq!(format!("{report:?}"), format!("{again:?}"));
                    let is_unit = |q: &DQuat| (q.length() - 1.0).abs() < 1e-12;
                    assert!(
                        first == second && first.rotations().iter().all(is_unit),
                        "{options:?}, {target}"
                    );
                    for (link, rotation) in body.links().iter().zip(first.rotations()).filter(|_| limits) {
                        assert!(link.limit_violation(*rotation) < 1e-6, "{options:?}, {target}");
                    }
                    solved += 1;
                }
            }
        }
    }
    assert!(solved > 20_000, "{solved}");
}
