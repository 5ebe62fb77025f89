//! Exercise 6: the first iteration of the fused method, by hand and by sinew.

use std::f64::consts::PI;

use glam::{DAffine3, DQuat, DVec2, DVec3};
use sinew::ik::{Body, Correction, Goal, Limit, Link, LinkIndex, Method, Options, Solver};

use crate::page::{Page, assert_printed, planar_turns};

const PAGE: &str = include_str!("../../docs/exercises/06-fused-midpoint.md");
const TARGET: DVec2 = DVec2::new(3.0, 4.0);

/// Returns θ₁ and θ₂ of eqs. 3 and 4, for bones of lengths l₁ and l₂.
fn closed_form(l1: f64, l2: f64, target: DVec2) -> (f64, f64) {
    let DVec2 { x, y } = target;
    let bend = ((x * x + y * y - l1 * l1 - l2 * l2) / (2.0 * l1 * l2)).acos();
    let (sin, cos) = bend.sin_cos();
    let swing = (-l2 * sin * x + (l1 + l2 * cos) * y).atan2(l2 * sin * y + (l1 + l2 * cos) * x);
    (swing, bend)
}

/// Returns (I − J⁺J)ΔH for the page's arm after the closed form. Elbow, wrist and tip are on one line there, so that the
/// columns of the elbow and the wrist are parallel, and n = (0, 2, −5) spans the null space.
fn projected(additional: DVec3) -> DVec3 {
    let n = DVec3::new(0.0, 2.0, -5.0);
    n * n.dot(additional) / n.length_squared()
}

/// Returns the three turns of the first iteration: the closed form, and the projected additional task.
fn first_iteration(correction: Correction, alpha: f64, weight: f64) -> DVec3 {
    let (swing, bend) = closed_form(4.0, 5.0, TARGET);
    let closed = DVec3::new(swing, bend - PI / 2.0, 0.0);
    let additional = match correction {
        // Eqs. 15 and 16: α_i (θ_i − θ_i^m) = α_i (1 − α)(θ_i − θ_{i−1}).
        Correction::Midpoint => closed * weight * (1.0 - alpha),
        // Eq. 14, with the middle of the limits at zero.
        _ => DVec3::new(swing, bend, 0.0) * -2.0,
    };
    // No joint turns by more than one radian in a step.
    let step = projected(additional);
    closed + step * (1.0 / step.abs().max_element()).min(1.0)
}

fn first_iteration_of_sinew(correction: Correction, alpha: f64, weight: f64) -> (DVec3, f64) {
    let hinge = Limit::Hinge { axis: DVec3::Z, min: -PI, max: PI };
    let joint = |parent, length| Link::child(LinkIndex(parent), DVec3::X * length).with_limit(hinge);
    let base = Link::base().with_limit(hinge);
    let links = vec![base, joint(0, 4.0), joint(1, 3.0), Link::child(LinkIndex(2), DVec3::X * 2.0)];
    let mut arm = Body::new(links, DAffine3::IDENTITY).unwrap();
    arm.set_rotation(LinkIndex(1), DQuat::from_rotation_z(PI / 2.0));
    let before = arm.rotations().to_vec();
    let mut options = Options::default();
    options.method = Method::Fused;
    options.iterations = 1;
    options.fused.correction = correction;
    options.fused.alpha = alpha;
    (options.fused.first_weight, options.fused.last_weight) = (weight, weight);
    let goal = Goal::position(LinkIndex(3), TARGET.extend(0.0));
    let error = Solver::default().solve(&mut arm, &[goal], &options).unwrap().position_error();
    let turn = |i: usize| (arm.rotations()[i] * before[i].conjugate()).to_scaled_axis().z;
    (DVec3::new(turn(0), turn(1), turn(2)), error)
}

#[test]
fn the_page_has_the_numbers_of_both() {
    let page = Page::new("fused_midpoint", PAGE);
    page.assert_blocks_are_in(include_str!("fused_midpoint.rs"));
    let command = "--method fused";
    let program = [
        page.run_with(command, "--method fused", "--method fused --option fused.alpha=1"),
        page.run_with(command, "--method fused", "--method fused --option fused.alpha=0.75"),
        page.run_with(command, "--method fused", "--method fused"),
        page.run_with(
            command,
            "--method fused",
            "--method fused --option fused.first_weight=-0.5 --option fused.last_weight=-0.5",
        ),
        page.run_with(command, "--method fused", "--method fused --option fused.correction=mid-angle"),
    ];
    let cases = [
        (Correction::Midpoint, 1.0, 0.5),
        (Correction::Midpoint, 0.75, 0.5),
        (Correction::Midpoint, 0.5, 0.5),
        (Correction::Midpoint, 0.5, -0.5),
        (Correction::MidAngle, 0.5, 0.5),
    ];
    let rows = page.table("The first iteration:");
    assert_eq!(rows.len(), cases.len());
    for (((correction, alpha, weight), row), trace) in cases.into_iter().zip(rows).zip(program) {
        let by_hand = first_iteration(correction, alpha, weight);
        let (of_sinew, error) = first_iteration_of_sinew(correction, alpha, weight);
        assert!(by_hand.distance(of_sinew) < 1e-6, "{by_hand} by hand, {of_sinew} by sinew");
        let turns = planar_turns(&trace);
        for (joint, cell) in row[1..4].iter().enumerate() {
            let angle = by_hand[joint].to_degrees();
            let of_program = turns.get(joint).map_or(0.0, |t| t.1);
            assert_printed(cell, angle);
            assert!((of_program - angle).abs() < 1e-4, "{turns:?}");
        }
        assert_printed(row[4], error);
    }
}

#[test]
fn the_error_of_the_midpoint_is_of_second_order() {
    let error = |alpha| first_iteration_of_sinew(Correction::Midpoint, alpha, 0.5).1;
    let ratio = error(0.5) / error(0.75);
    assert!((ratio - 4.0).abs() < 0.1, "{ratio}");
}
