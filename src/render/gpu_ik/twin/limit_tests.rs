//! Checks the bounds of errors for limits whose ends are hard to decide in single precision.

use glam::{DAffine3, DVec3, EulerRot};

use crate::ik::{Body, Limit, Link, LinkIndex, Options};

use super::measure_tests::{check_bounds, compare_precisions};
use super::tests::{blocks, one_step, only_group, problems};

/// Number of joints. Every second one is limited.
const JOINTS: usize = 6;
/// Size of the largest buffer in bytes.
const BYTES: u64 = 1 << 15;
/// The weights of the limited joints. They are so small that steps turn these joints by about the angle that the shader cannot distinguish
/// from the end of a narrow range.
const WEIGHTS: [f64; 3] = [3e-4, 1e-4, 1e-3];

fn hinge(min: f64, max: f64) -> Limit {
    Limit::Hinge { axis: DVec3::X, min, max }
}

fn flat_cone(twist: [f64; 2]) -> Limit {
    Limit::Cone { axis: DVec3::Y, side: DVec3::X, swing: [0.8, 0.0], twist }
}

fn euler(middle: [f64; 2]) -> Limit {
    let [min, max] = middle;
    Limit::Euler { order: EulerRot::XYZ, min: [-0.4, min, 0.3], max: [-0.4, max, 0.3001] }
}

/// Returns a chain in which free joints follow limited ones. The free joints move the effector, and the limited ones hardly turn.
fn chain(limits: [Limit; 3]) -> Body {
    let link = |index: usize| {
        let link = Link::base()
            .with_parent(index.checked_sub(1).map(LinkIndex))
            .with_offset(DVec3::new(0.05, 0.3, -0.02));
        if !index.is_multiple_of(2) {
            return link;
        }
        link.with_limit(limits[index / 2]).with_weight(WEIGHTS[index / 2])
    };
    Body::new((0..JOINTS).map(link).collect(), DAffine3::IDENTITY).unwrap()
}

/// Checks that the bounds hold, and that they would not hold without the errors of limits.
fn check(limits: [Limit; 3]) {
    let options = Options::default();
    let (bodies, goals) = problems(&chain(limits), &[JOINTS - 1]);
    check_bounds(&bodies, &goals, options, BYTES);
    let mut group = only_group(&bodies, &goals, &options);
    for joint in &mut group.structure.packed {
        joint.limit_error = 0.0;
    }
    let blocks = blocks(&group, &bodies, &goals, &one_step(options), BYTES);
    let widest = compare_precisions(&group, &blocks, &bodies, &goals, options);
    let shares = widest.map(|widest| widest.share);
    println!("without the errors of limits, the largest differences are {shares:?} of their bounds");
    assert!(shares.iter().all(|share| *share > 1.0), "{shares:?}");
}

#[test]
fn bounds_hold_for_narrow_hinges() {
    check([hinge(0.3, 0.3), hinge(-0.2, -0.1998), hinge(1.0, 1.0)]);
}

#[test]
fn bounds_hold_for_flat_cones_with_narrow_twists() {
    check([flat_cone([0.2, 0.2]), flat_cone([-0.3, -0.2999]), flat_cone([0.4, 0.4])]);
}

#[test]
fn bounds_hold_for_euler_angles_near_the_singularity() {
    check([euler([1.2, 1.4]), euler([-1.45, -1.3]), euler([1.5, 1.5])]);
}
