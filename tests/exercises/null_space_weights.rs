//! Exercise 2: the weighted pseudo-inverse and the null space, by hand and by sinew.

use std::f64::consts::PI;

use glam::{DAffine3, DMat2, DMat3, DQuat, DVec2, DVec3};
use sinew::ik::{Body, Goal, Limit, Link, LinkIndex, Method, Options, Secondary, Solver};

use crate::page::{Page, assert_printed, planar_turns};

const PAGE: &str = include_str!("../../docs/exercises/02-null-space-weights.md");

/// The Jacobian of the page's arm, one column for each joint: z × (tip − joint).
const JACOBIAN: [DVec2; 3] = [DVec2::new(-5.0, 4.0), DVec2::new(-5.0, 0.0), DVec2::new(-2.0, 0.0)];
const STEP: DVec2 = DVec2::new(0.5, -0.5);

/// Returns Δθ = J⁺Δp + (I − J⁺J)k with J⁺ = W⁻¹Jᵀ(JW⁻¹Jᵀ)⁻¹. `w` is the diagonal of W.
fn step(w: DVec3, k: DVec3) -> DVec3 {
    let columns = || JACOBIAN.into_iter().zip(w.to_array());
    // J W⁻¹ Jᵀ, a matrix of the size of the task.
    let outer = |j: DVec2| DMat2::from_cols(j * j.x, j * j.y);
    let small: DMat2 = columns().map(|(j, w)| outer(j) * (1.0 / w)).sum();
    let left = STEP - JACOBIAN[0] * k.x - JACOBIAN[1] * k.y - JACOBIAN[2] * k.z;
    let y = small.inverse() * left;
    let turns: Vec<f64> = columns().map(|(j, w)| j.dot(y) / w).collect();
    k + DVec3::from_slice(&turns)
}

/// Returns the first step of sinew, whose weights are the inverses of the lecture's.
fn step_of_sinew(w: DVec3, secondary: Secondary) -> DVec3 {
    let hinge = Limit::Hinge { axis: DVec3::Z, min: -PI, max: PI };
    let bones = [DVec3::ZERO, DVec3::X * 4.0, DVec3::X * 3.0, DVec3::X * 2.0];
    let mut links: Vec<Link> = Vec::new();
    for (index, bone) in bones.into_iter().enumerate() {
        let weight = 1.0 / w.to_array().get(index).unwrap_or(&1.0);
        links.push(
            Link::child(LinkIndex(0), bone)
                .with_limit(hinge)
                .with_weight(weight)
                .with_parent(index.checked_sub(1).map(LinkIndex)),
        );
    }
    let mut arm = Body::new(links, DAffine3::IDENTITY).unwrap();
    arm.set_rotation(LinkIndex(1), DQuat::from_rotation_z(PI / 2.0));
    let mut options = Options::default();
    options.method = Method::PseudoInverse;
    options.jacobian.secondary = secondary;
    options.iterations = 1;
    let before = arm.rotations().to_vec();
    let goal = Goal::position(LinkIndex(3), DVec3::new(4.5, 4.5, 0.0));
    Solver::default().solve(&mut arm, &[goal], &options).unwrap();
    let turn = |i: usize| (arm.rotations()[i] * before[i].conjugate()).to_scaled_axis().z;
    DVec3::new(turn(0), turn(1), turn(2))
}

/// The secondary task of the page: a fifth of the way to rest, where the elbow is straight.
const TO_REST: DVec3 = DVec3::new(0.0, -0.2 * PI / 2.0, 0.0);
const STIFF_ELBOW: DVec3 = DVec3::new(1.0, 10.0, 1.0);

#[test]
fn the_page_has_the_numbers_of_both() {
    let page = Page::new("null_space_weights", PAGE);
    page.assert_blocks_are_in(include_str!("null_space_weights.rs"));
    let rest = "jacobian.secondary=rest";
    let cases = [
        (DVec3::ONE, DVec3::ZERO, Secondary::None, page.run("-o plain.json")),
        (STIFF_ELBOW, DVec3::ZERO, Secondary::None, page.run("--rig stiff.rig.toml --reach")),
        (DVec3::ONE, TO_REST, Secondary::Rest, page.run(rest)),
        (
            STIFF_ELBOW,
            TO_REST,
            Secondary::Rest,
            page.run_with(rest, "planar.gltf", "planar.gltf --rig stiff.rig.toml"),
        ),
    ];
    let rows = page.table("The first step:");
    for ((w, k, secondary, trace), row) in cases.into_iter().zip(rows) {
        let by_hand = step(w, k);
        let of_sinew = step_of_sinew(w, secondary);
        assert!(by_hand.distance(of_sinew) < 1e-9, "{by_hand} by hand, {of_sinew} by sinew");
        let turns = planar_turns(&trace);
        for (joint, cell) in row[1..4].iter().enumerate() {
            let angle = by_hand[joint].to_degrees();
            assert_printed(cell, angle);
            assert!((turns[joint].1 - angle).abs() < 1e-6, "{turns:?}");
        }
        assert_printed(row[4], turns[2].2);
    }
}

#[test]
fn the_null_space_does_not_move_the_tip() {
    // J n = 0, and the projection of any k is a multiple of n.
    let n = DVec3::new(0.0, 2.0, -5.0);
    assert_eq!(JACOBIAN[0] * n.x + JACOBIAN[1] * n.y + JACOBIAN[2] * n.z, DVec2::ZERO);
    let projected = step(DVec3::ONE, TO_REST) - step(DVec3::ONE, DVec3::ZERO);
    assert!(projected.distance(n * n.dot(TO_REST) / n.length_squared()) < 1e-12);
    let projector = DMat3::from_cols(n * n.x, n * n.y, n * n.z) * (1.0 / n.length_squared());
    assert!((projector * projector).abs_diff_eq(projector, 1e-12));
}
