//! Drags a person made of plain links, as a character is dragged. These properties hold wherever the hand is dragged.

use std::f64::consts::PI;

use crate::position;
use glam::{DAffine3, DQuat, DVec3};
use proptest::prelude::*;
use sinew_ik::{
    Body, FigureParts, FullBodyOptions, Goal, LimbParts, Limit, Link, LinkIndex, Method, Options, Outcome,
    SolveError, Solver, Start, round_cone,
};

pub(crate) const CHEST: usize = 2;
const HEAD: usize = 4;
const SHOULDER: usize = 6;
pub(crate) const HAND: usize = 8;
const LEGS: [usize; 2] = [13, 17];
pub(crate) const FEET: [usize; 2] = [15, 19];
const LEG: f64 = 0.9;
const ARM: f64 = 0.55;

/// Returns a person at rest, 1.75 m × `size` tall, with the feet on the ground. The links are hips, back, chest, neck and head; collar,
/// upper arm, forearm and hand of each side; and thigh, shin, foot and toes of each side, left before right.
pub(crate) fn person(size: f64) -> Body {
    let mut links = Vec::new();
    let mut add = |parent: Option<usize>, offset: [f64; 3], limit: Limit| {
        links.push(
            Link::base()
                .with_parent(parent.map(LinkIndex))
                .with_offset(size * DVec3::from_array(offset))
                .with_limit(limit),
        );
        links.len() - 1
    };
    let degrees = |angle: f64| angle * PI / 180.0;
    let cone = |axis: DVec3, swing: f64| round_cone(axis, degrees(swing), [-degrees(70.0), degrees(70.0)]);
    let knee = Limit::Hinge { axis: DVec3::X, min: degrees(-3.0), max: degrees(150.0) };
    let hips = add(None, [0.0, 1.0, 0.0], Limit::Free);
    let back = add(Some(hips), [0.0, 0.12, 0.0], cone(DVec3::Y, 40.0));
    let chest = add(Some(back), [0.0, 0.2, 0.0], cone(DVec3::Y, 40.0));
    let neck = add(Some(chest), [0.0, 0.2, 0.0], cone(DVec3::Y, 50.0));
    add(Some(neck), [0.0, 0.1, 0.0], cone(DVec3::Y, 50.0));
    for side in [1.0, -1.0] {
        let out = side * DVec3::X;
        let elbow = Limit::Hinge { axis: DVec3::NEG_Y * side, min: degrees(-3.0), max: degrees(145.0) };
        let collar = add(Some(chest), [0.03 * side, 0.16, 0.0], cone(out, 25.0));
        let upper = add(Some(collar), [0.14 * side, 0.0, 0.0], cone(out, 115.0));
        let lower = add(Some(upper), [0.28 * side, 0.0, 0.0], elbow);
        add(Some(lower), [0.27 * side, 0.0, 0.0], cone(out, 80.0));
    }
    for side in [1.0, -1.0] {
        let thigh = add(Some(hips), [0.1 * side, -0.02, 0.0], cone(DVec3::NEG_Y, 125.0));
        let shin = add(Some(thigh), [0.0, -0.46, 0.0], knee);
        let foot = add(Some(shin), [0.0, -0.44, 0.0], cone(DVec3::Z, 70.0));
        add(Some(foot), [0.0, -0.06, 0.14], Limit::Hinge { axis: DVec3::X, min: -1.0, max: 0.5 });
    }
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
    body.set_figure(parts(size)).unwrap();
    body
}

pub(crate) fn parts(size: f64) -> FigureParts {
    let arm = |first: usize| LimbParts {
        collar: vec![LinkIndex(first)],
        joints: vec![LinkIndex(first + 1), LinkIndex(first + 2), LinkIndex(first + 3)],
        is_arm: true,
        digits: Vec::new(),
        bend: DVec3::NEG_Z,
        pull: 1.0,
        stands: false,
        sole: None,
    };
    let leg = |first: usize| LimbParts {
        collar: Vec::new(),
        joints: vec![LinkIndex(first), LinkIndex(first + 1), LinkIndex(first + 2)],
        is_arm: false,
        digits: vec![LinkIndex(first + 3)],
        bend: DVec3::Z,
        pull: 1.0,
        stands: true,
        sole: None,
    };
    FigureParts {
        hips: None,
        spine: vec![LinkIndex(1), LinkIndex(CHEST)],
        neck: vec![LinkIndex(3), LinkIndex(HEAD)],
        limbs: vec![arm(5), arm(9), leg(13), leg(17)],
        floor: Some(0.0),
        size,
        capsules: Vec::new(),
        skin: Vec::new(),
    }
}

/// A drag with both feet on the ground.
struct Drag {
    body: Body,
    solver: Solver,
    options: Options,
    size: f64,
    /// The goals of the feet, and then the goal of the dragged link.
    goals: Vec<Goal>,
}

impl Drag {
    fn new(size: f64, link: usize) -> Self {
        let mut body = person(size);
        body.set_stance(|_| DQuat::IDENTITY, DVec3::ZERO);
        let options = Options::default()
            .with_method(Method::FullBody)
            .with_start(Start::Continue)
            .with_root_motion(true);
        let feet = FEET.map(|foot| {
            Goal::pin(LinkIndex(foot), position(&body, foot), body.orientation(LinkIndex(foot)).unwrap())
        });
        let mut goals = feet.to_vec();
        goals.push(Goal::position(LinkIndex(link), position(&body, link)));
        Self { body, solver: Solver::default(), options, size, goals }
    }

    fn target(&self) -> DVec3 {
        self.goals.last().unwrap().position.unwrap()
    }

    /// Drags along a line in steps of 5 mm, and calls `check` with the rotations before and the body after each step.
    fn to(&mut self, to: DVec3, mut check: impl FnMut(&[DQuat], &Body)) -> Outcome {
        let from = self.target();
        let steps = (from.distance(to) / (0.005 * self.size)).ceil().max(1.0);
        let (mut step, mut outcome) = (0.0, Outcome::Reached);
        while step < steps {
            step += 1.0;
            self.goals.last_mut().unwrap().position = Some(from.lerp(to, step / steps));
            let before = self.body.rotations().to_vec();
            let report = self.solver.solve(&mut self.body, &self.goals, &self.options).unwrap();
            outcome = report.goals.last().unwrap().outcome;
            check(&before, &self.body);
        }
        outcome
    }

    /// Returns the distance between the dragged link and its target, in metres at human size.
    fn error(&self) -> f64 {
        position(&self.body, self.goals.last().unwrap().link.0).distance(self.target()) / self.size
    }

    /// Returns the mean rotation of the joints relative to the start pose, in radians.
    fn mean_turn(&self) -> f64 {
        let rotations = self.body.rotations();
        rotations.iter().map(|q| angle(*q, DQuat::IDENTITY)).sum::<f64>() / rotations.len() as f64
    }

    /// Returns the largest slide of the feet in metres at human size, and their largest rotation in radians.
    fn feet(&self) -> (f64, f64) {
        let slide =
            |goal: &Goal| position(&self.body, goal.link.0).distance(goal.position.unwrap()) / self.size;
        let turn = |goal: &Goal| angle(self.body.orientation(goal.link).unwrap(), goal.orientation.unwrap());
        let feet = &self.goals[..2];
        (feet.iter().map(slide).fold(0.0, f64::max), feet.iter().map(turn).fold(0.0, f64::max))
    }
}

fn angle(a: DQuat, b: DQuat) -> f64 {
    2.0 * (a.conjugate() * b).xyz().length().min(1.0).asin()
}

#[test]
fn straight_legs_bend_forwards_when_the_hips_go_down() {
    let mut drag = Drag::new(1.0, 0);
    let to = drag.target() - 0.3 * LEG * DVec3::Y;
    assert_eq!(drag.to(to, |_, _| {}), Outcome::Reached);
    assert!(drag.error() < 1e-4 && drag.feet().0 < 1e-6, "{} {:?}", drag.error(), drag.feet());
    for leg in LEGS {
        assert!(position(&drag.body, leg + 1).z > 0.1, "the knee is at {}", position(&drag.body, leg + 1));
    }
    let lean = position(&drag.body, HEAD) - position(&drag.body, 0);
    // The target is straight down, so the hips cannot move back as they would in a person's squat.
    assert!(lean.angle_between(DVec3::Y) < 0.2, "{lean}");
}

/// In a retargeted walk, the feet can be above the floor and the body can be off balance. Without a pull, the solver must not correct
/// either.
#[test]
fn without_a_pull_the_body_moves_only_as_far_as_its_feet_need() {
    let solve = |up: f64| {
        let mut body = person(1.0);
        // The body leans beyond its feet.
        body.set_rotation(LinkIndex(CHEST), DQuat::from_rotation_x(0.6));
        let pin = |foot| {
            let at = position(&body, foot) + up * DVec3::Y;
            Goal::pin(LinkIndex(foot), at, body.orientation(LinkIndex(foot)).unwrap())
        };
        let goals = FEET.map(pin);
        let before = body.clone();
        let options = Options::default().with_method(Method::FullBody).with_root_motion(true);
        let report = Solver::default().solve(&mut body, &goals, &options).unwrap().clone();
        assert!(report.goals.iter().all(|g| g.outcome == Outcome::Reached), "{report:?}");
        (before, body)
    };
    let (before, body) = solve(0.06);
    assert!(position(&body, 0).distance(position(&before, 0)) < 2e-3, "{}", position(&body, 0));
    assert!(
        angle(body.orientation(LinkIndex(CHEST)).unwrap(), before.orientation(LinkIndex(CHEST)).unwrap())
            < 1e-2
    );
    let (before, body) = solve(-0.05);
    let moved = position(&body, 0) - position(&before, 0);
    assert!((moved.y + 0.05).abs() < 5e-3 && moved.with_y(0.0).length() < 5e-3, "{moved}");
    assert!(
        angle(body.orientation(LinkIndex(CHEST)).unwrap(), before.orientation(LinkIndex(CHEST)).unwrap())
            < 0.02
    );
}

#[test]
fn a_hand_within_reach_moves_the_arm_alone() {
    let mut drag = Drag::new(1.0, HAND);
    let to = position(&drag.body, SHOULDER) + 0.7 * ARM * DVec3::Z;
    let (hips, chest) = (position(&drag.body, 0), position(&drag.body, CHEST));
    assert_eq!(drag.to(to, |_, _| {}), Outcome::Reached);
    assert!(position(&drag.body, 0).distance(hips) < 1e-2, "{}", position(&drag.body, 0) - hips);
    assert!(position(&drag.body, CHEST).distance(chest) < 1e-2, "{}", position(&drag.body, CHEST) - chest);
}

#[test]
fn a_foot_in_the_air_stays_while_its_leg_reaches_and_never_holds_the_trunk() {
    let mut drag = Drag::new(1.0, 0);
    let [_, foot] = FEET;
    drag.goals[1].weight = 0.0;
    // With balance, the hips would stay over the standing foot.
    drag.options.full_body = FullBodyOptions::default().with_balance(false);
    let from = drag.target();
    let mut largest = 0.0_f64;
    let mut watch = |before: &[DQuat], body: &Body| {
        let turns = before.iter().zip(body.rotations()).map(|(a, b)| angle(*a, *b));
        largest = turns.fold(largest, f64::max);
    };
    drag.to(from - 0.2 * DVec3::Y, &mut watch);
    let place = drag.goals[1].position.unwrap();
    assert!(position(&drag.body, foot).distance(place) < 1e-6);
    // Only the other leg is long enough for this.
    drag.to(from + DVec3::new(0.35, -0.03, 0.0), &mut watch);
    assert!(largest < 0.32, "a joint turns by {largest} rad in a step");
    assert!(drag.error() < 0.04, "{}", drag.error());
}

#[test]
fn a_shoulder_that_begins_beyond_its_limit_comes_back_and_reaches() {
    let mut drag = Drag::new(1.0, HAND);
    // Raise the arm by 130 degrees, although the limit allows only 115.
    drag.body.set_rotation(LinkIndex(SHOULDER), DQuat::from_rotation_z(130_f64.to_radians()));
    let hand = position(&drag.body, HAND);
    drag.goals[2].position = Some(hand);
    drag.to(position(&drag.body, SHOULDER) + 0.8 * ARM * DVec3::Z, |_, _| {});
    assert!(drag.error() < 5e-3, "{}", drag.error());
    let links = drag.body.links();
    assert!(links[SHOULDER].limit_violation(drag.body.rotations()[SHOULDER]) < 1e-3);
}

#[test]
fn numbers_of_parts_that_are_invalid_are_errors() {
    let mut body = person(1.0);
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(body.set_figure(FigureParts { size, ..parts(1.0) }).is_err(), "{size}");
    }
    let floor = Some(f64::NEG_INFINITY);
    assert!(body.set_figure(FigureParts { floor, ..parts(1.0) }).is_err());
    let mut wrong = parts(1.0);
    wrong.limbs[3].pull = 1.5;
    assert!(matches!(body.set_figure(wrong), Err(SolveError::Figure { link: LinkIndex(17), .. })));
}

#[test]
fn parts_that_do_not_fit_the_body_are_errors() {
    let mut body = person(1.0);
    let mut wrong = parts(1.0);
    wrong.neck.push(LinkIndex(99));
    let count = body.links().len();
    let cause = format!("link 99 does not exist; the body has {count}, counted from 0");
    assert_eq!(body.set_figure(wrong).unwrap_err().to_string(), cause);
    let mut wrong = parts(1.0);
    wrong.limbs[0].joints.swap(0, 2);
    assert!(matches!(body.set_figure(wrong), Err(SolveError::Figure { .. })));
}

/// Regression: a resting drag returned its last pose even if the stance, the facing or the parts of the body had changed.
#[test]
fn a_resting_drag_is_solved_again_when_the_body_changes() {
    let changes: [fn(&mut Body); 3] = [
        |body| {
            body.set_stance(
                |link| if link == LinkIndex(10) { DQuat::from_rotation_z(1.0) } else { DQuat::IDENTITY },
                DVec3::ZERO,
            );
        },
        |body| body.set_stance(|_| DQuat::IDENTITY, DVec3::NEG_Y * 0.2),
        |body| {
            let other = parts(1.0);
            body.set_figure(FigureParts {
                limbs: other.limbs[2..].to_vec(),
                spine: vec![LinkIndex(CHEST)],
                ..other
            })
            .unwrap();
        },
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let mut drag = Drag::new(1.0, HAND);
        drag.to(DVec3::new(0.4, 1.2, 0.4), |_, _| {});
        let rest = |drag: &mut Drag| {
            drag.solver.solve(&mut drag.body, &drag.goals, &drag.options).unwrap();
            drag.body.rotations().to_vec()
        };
        let before = rest(&mut drag);
        assert_eq!(rest(&mut drag), before);
        change(&mut drag.body);
        let after = rest(&mut drag);
        let turned = before.iter().zip(&after).map(|(a, b)| a.angle_between(*b)).fold(0.0, f64::max);
        assert!(turned > 1e-5, "change {index}: {turned}");
    }
    // The swivel of a limb depends on the facing.
    let links = vec![
        Link::base(),
        Link::child(LinkIndex(0), DVec3::NEG_Y * 0.3),
        Link::child(LinkIndex(1), DVec3::new(0.0, -0.3, 0.01)),
    ];
    let mut leg = Body::new(links, DAffine3::IDENTITY).unwrap();
    let limb = sinew_ik::LimbOptions::default().with_swivel(sinew_ik::Swivel::Leg);
    let options = Options::default().with_method(Method::TwoBone).with_start(Start::Continue).with_limb(limb);
    let goal = [Goal::position(LinkIndex(2), DVec3::new(0.05, -0.45, 0.1))];
    let mut solver = Solver::default();
    solver.solve(&mut leg, &goal, &options).unwrap();
    let before = position(&leg, 1);
    leg.set_facing(DQuat::from_rotation_y(PI));
    solver.solve(&mut leg, &goal, &options).unwrap();
    assert!(position(&leg, 1).distance(before) > 0.05);
}

/// Regression: for a hand target behind the body and out of reach, no step of the trunk reduced the error, but each step turned the feet by
/// another degree.
#[test]
fn feet_do_not_creep_while_a_hand_is_out_of_reach() {
    let mut drag = Drag::new(1.0, HAND);
    drag.to(
        DVec3::new(-0.944_351_754_272_376_8, 0.135_380_718_825_626_66, -0.939_979_487_626_692_3),
        |_, _| {},
    );
    let (slide, turn) = drag.feet();
    assert!(slide < 2e-3 && turn < 0.021, "the feet slide by {slide} m and turn by {turn} rad");
}

/// A chest that is scaled unevenly has no fixed lengths. Regression: the differential method tilted the head to one side.
#[test]
fn the_head_stays_level_where_lengths_depend_on_the_pose() {
    let even = person(1.0);
    let mut links = even.links().to_vec();
    links[CHEST].scale = DVec3::new(1.0, 1.25, 0.9);
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
    body.set_figure(parts(1.0)).unwrap();
    body.set_stance(|_| DQuat::IDENTITY, DVec3::ZERO);
    let mut drag = Drag { body, ..Drag::new(1.0, HAND) };
    let from = position(&drag.body, HAND);
    drag.goals.last_mut().unwrap().position = Some(from);
    drag.to(DVec3::new(0.3, 0.4, 0.5), |_, _| {});
    assert!(drag.error() < 0.05, "{}", drag.error());
    let up = drag.body.orientation(LinkIndex(HEAD)).unwrap() * DVec3::Y;
    assert!(up.angle_between(DVec3::Y) < PI / 6.0, "the head tilts: {up}");
}

/// Regression: after the first pull, the straight legs let the hips move by only a fraction of a millimetre in each step, so the back
/// stayed bent. The second pull ends in a crouch at the limits of the legs, and the body never rose from it.
#[test]
fn pulls_to_the_limits_of_the_legs_lead_back() {
    for to in [DVec3::new(1.185, 1.595, -0.531), DVec3::new(-1.074, 0.19, 1.069)] {
        let mut drag = Drag::new(1.0, HAND);
        let from = drag.target();
        drag.to(to, |_, _| {});
        drag.to(from, |_, _| {});
        assert!(drag.error() < 5e-3, "{}", drag.error());
        let mean = drag.mean_turn();
        assert!(mean < PI / 60.0, "{mean} rad");
    }
}

/// A target for a hand: in reach, on the floor, overhead, behind, or far away.
fn place() -> impl Strategy<Value = DVec3> {
    (-1.2..1.2, -0.2..2.4, -1.0..1.4).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Wherever a hand is pulled, the feet stay in place, no limit is exceeded and no joint jumps.
    #[test]
    fn a_body_that_is_pulled_stays_whole(first in place(), second in place()) {
        let mut drag = Drag::new(1.0, HAND);
        let links = drag.body.links().to_vec();
        for to in [first, second] {
            let mut worst = [0.0_f64; 2];
            drag.to(to, |before, body| {
                for (link, (before, now)) in links.iter().zip(before.iter().zip(body.rotations())) {
                    worst[0] = worst[0].max(angle(*before, *now));
                    worst[1] = worst[1].max(link.limit_violation(*now));
                }
            });
            // A straight knee turns far for a small step.
            prop_assert!(worst[0] < 0.32, "a joint turns by {} rad in a step", worst[0]);
            prop_assert!(worst[1] < 1.7e-3, "a joint is {} rad beyond its limit", worst[1]);
            let (slide, turn) = drag.feet();
            prop_assert!(slide < 2e-3 && turn < 0.04, "the feet slide by {slide} m and turn by {turn} rad");
            // Neck and head can each bend back by 50 degrees, which is not enough to keep the head upright if the hand pulls the trunk to
            // the floor.
            let tilt = |link| (drag.body.orientation(link).unwrap() * DVec3::Y).angle_between(DVec3::Y).to_degrees();
            let (head, chest) = (tilt(LinkIndex(HEAD)), tilt(LinkIndex(CHEST)));
            prop_assert!(head < (chest - 100.0 + 8.0).max(30.0), "the head tilts by {head} and the chest by {chest} degrees");
        }
    }

    /// A drag out and back along the same path ends in the initial pose.
    #[test]
    fn a_pull_that_is_undone_leads_back(to in place()) {
        let mut drag = Drag::new(1.0, HAND);
        let from = drag.target();
        drag.to(to, |_, _| {});
        drag.to(from, |_, _| {});
        prop_assert!(drag.error() < 5e-3, "{}", drag.error());
        let mean = drag.mean_turn();
        prop_assert!(mean < PI / 60.0, "{mean} rad");
    }

    /// A mouse and a giant move alike. The sizes are powers of two, so that their lengths round alike.
    #[test]
    fn size_does_not_matter(
        (x, y, z) in (0.0..0.5, 0.4..1.6, 0.2..0.7),
        size in prop::sample::select(vec![0.0625, 32.0])) {
        let to = DVec3::new(x, y, z);
        let mut drags = [Drag::new(1.0, HAND), Drag::new(size, HAND)];
        for drag in &mut drags {
            drag.to(to * drag.size, |_, _| {});
        }
        let [a, b] = drags;
        for (a, b) in a.body.rotations().iter().zip(b.body.rotations()) {
            prop_assert!(angle(*a, *b) < 1e-4, "{a} {b}");
        }
    }
}
