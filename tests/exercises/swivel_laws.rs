//! Exercise 4: the swivel of a limb with two bones.

use std::f64::consts::PI;

use glam::{DAffine3, DQuat, DVec3};
use sinew::ik::{Body, Goal, Link, LinkIndex, Method, Options, Solver, Swivel};

use crate::page::{Page, assert_printed};

const PAGE: &str = include_str!("../../docs/exercises/04-swivel-laws.md");
const UPPER: f64 = 0.3;
const LOWER: f64 = 0.4;

/// The limb of the page. Its hand is at (0, −0.3, 0.4) at rest, and its shoulder at the origin.
fn limb() -> Body {
    let upper = Link::child(LinkIndex(0), DVec3::new(0.0, -UPPER, 0.0));
    let lower = Link::child(LinkIndex(1), DVec3::new(0.0, 0.0, LOWER));
    Body::new(vec![Link::base(), upper, lower], DAffine3::IDENTITY).unwrap()
}

/// Returns the elbow for a hand at `target`. `side` is the direction from the line between shoulder and hand to the elbow.
fn elbow(target: DVec3, side: DVec3) -> DVec3 {
    let distance = target.length();
    let along = (distance * distance + UPPER * UPPER - LOWER * LOWER) / (2.0 * distance);
    let radius = (UPPER * UPPER - along * along).sqrt();
    target / distance * along + side * radius
}

/// Turns `side` by the shortest arc from `from` to `to`.
fn carried(from: DVec3, to: DVec3, side: DVec3) -> DVec3 {
    DQuat::from_rotation_arc(from, to) * side
}

/// Returns the direction from the line to the elbow for a law, by hand.
fn side(law: Swivel, target: DVec3) -> DVec3 {
    let line = target.normalize();
    let rest_line = DVec3::new(0.0, -0.6, 0.8);
    let rest_side = DVec3::new(0.0, -0.8, -0.6);
    let standard = carried(rest_line, line, rest_side);
    let turned = |angle: f64| DQuat::from_axis_angle(line, angle) * standard;
    match law {
        // The elbow points straight back while the arm hangs down.
        Swivel::Arm => carried(DVec3::NEG_Y, line, DVec3::NEG_Z),
        Swivel::Leg => carried(DVec3::NEG_Y, line, DVec3::Z),
        Swivel::Angle(angle) => turned(angle),
        Swivel::Follow { at_base, slope } => turned(at_base + slope.dot(target) / (UPPER + LOWER)),
        _ => standard,
    }
}

/// Moves the hand to a target and returns the elbow.
fn elbow_of_sinew(limb: &mut Body, law: Swivel, target: DVec3) -> DVec3 {
    let mut options = Options::default();
    options.method = Method::TwoBone;
    options.limb.swivel = law;
    let report =
        Solver::default().solve(limb, &[Goal::position(LinkIndex(2), target)], &options).unwrap().clone();
    assert!(report.reached());
    limb.world_from_link(LinkIndex(1)).unwrap().translation
}

const TARGETS: [DVec3; 3] = [DVec3::new(0.0, 0.0, 0.5), DVec3::new(0.5, 0.0, 0.0), DVec3::new(0.3, 0.0, 0.4)];
const FOLLOW: Swivel = Swivel::Follow { at_base: 0.0, slope: DVec3::new(-1.0, 0.0, 0.0) };

#[test]
fn the_page_has_the_elbows_of_all_laws() {
    let page = Page::new("swivel_laws", PAGE);
    page.assert_blocks_are_in(include_str!("swivel_laws.rs"));
    let laws = [
        (Swivel::Standard, "standard"),
        (Swivel::Arm, "arm"),
        (Swivel::Leg, "leg"),
        (Swivel::Angle(PI / 3.0), "angle:60deg"),
        (FOLLOW, "follow:0,-1,0,0"),
    ];
    let rows = page.table("Elbows:");
    for ((law, name), row) in laws.into_iter().zip(rows) {
        assert_eq!(row[0].trim_matches('`'), name);
        for (target, cell) in TARGETS.into_iter().zip(&row[1..]) {
            let by_hand = elbow(target, side(law, target));
            let of_sinew = elbow_of_sinew(&mut limb(), law, target);
            assert!(by_hand.distance(of_sinew) < 1e-9, "{name}: {by_hand} by hand, {of_sinew} by sinew");
            let axes = cell.trim_matches(['(', ')']).split(", ");
            axes.zip(by_hand.to_array()).for_each(|(cell, value)| assert_printed(cell, value));
        }
        let json = page.run_with("limb.swivel=", "limb.swivel=arm", &format!("limb.swivel={name}"));
        let pose: serde_json::Value = serde_json::from_str(&json).unwrap();
        let world = &pose["nodes"][1]["world"];
        let of_program = DVec3::from_array([12, 13, 14].map(|i| world[i].as_f64().unwrap()));
        let by_hand = elbow(TARGETS[2], side(law, TARGETS[2]));
        assert!(
            of_program.distance(by_hand) < 1e-6,
            "{name}: {of_program} by the program, {by_hand} by hand"
        );
    }
}

/// Moves the hand around a triangle of three right angles, and returns the elbow after each move.
fn octant(law: Swivel) -> Vec<DVec3> {
    let mut limb = limb();
    let front = DVec3::Z;
    let path = [front, DVec3::X, DVec3::Y, front];
    path.map(|direction| elbow_of_sinew(&mut limb, law, direction * 0.5)).to_vec()
}

#[test]
fn only_keep_depends_on_the_path() {
    let page = Page::new("swivel_laws_octant", PAGE);
    let elbows = octant(Swivel::Keep);
    for (elbow, row) in elbows.iter().zip(page.table("The octant with `keep`:")) {
        let axes = row[1].trim_matches(['(', ')']).split(", ");
        axes.zip(elbow.to_array()).for_each(|(cell, value)| assert_printed(cell, value));
    }
    // The elbow has turned by the solid angle of an octant, π / 2.
    let sides = [elbows[0], elbows[3]].map(|e| e.reject_from(DVec3::Z));
    assert!((sides[0].angle_between(sides[1]) - PI / 2.0).abs() < 1e-9);
    for law in [Swivel::Standard, Swivel::Arm, Swivel::Angle(1.0), FOLLOW] {
        let elbows = octant_without_up(law);
        assert!(elbows[0].distance(elbows[2]) < 1e-9);
    }
}

/// Like `octant`, but without the direction in which the law of arms is not defined.
fn octant_without_up(law: Swivel) -> Vec<DVec3> {
    let mut limb = limb();
    [DVec3::Z, DVec3::X, DVec3::Z].map(|direction| elbow_of_sinew(&mut limb, law, direction * 0.5)).to_vec()
}
