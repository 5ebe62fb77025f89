//! Checks that the derivatives of the energy and of the rows agree with finite differences.

use glam::{DAffine3, DQuat, DVec3};

use super::buffers::Buffers;
use super::factor::TreeMatrix;
use super::pose::{FigurePose, Kinematics};
use super::problem::Problem;
use super::rows::{Kind, Rows};
use super::system::System;
use crate::{
    Body, FigureParts, Goal, LimbParts, Limit, Link, LinkIndex, Method, Options, Solver, Start, round_cone,
};

/// Returns a person of 1.75 m with bent limbs.
pub(super) fn person() -> Body {
    person_with_hands(0.02)
}

/// Like [`person`], but with the hands at a distance `ahead` in front of the line of the upper arms in the rest pose.
fn person_with_hands(ahead: f64) -> Body {
    let mut links: Vec<Link> = Vec::new();
    let mut add = |parent: Option<usize>, offset: [f64; 3], limit: Limit| {
        links.push(
            Link::base()
                .with_parent(parent.map(LinkIndex))
                .with_offset(DVec3::from(offset))
                .with_limit(limit),
        );
        links.len() - 1
    };
    let cone = |axis: DVec3, swing: f64| round_cone(axis, swing, [-1.2, 1.2]);
    let hips = add(None, [0.0, 0.95, 0.0], Limit::Free);
    let back = add(Some(hips), [0.0, 0.12, 0.0], cone(DVec3::Y, 0.7));
    let chest = add(Some(back), [0.0, 0.2, 0.0], cone(DVec3::Y, 0.7));
    let neck = add(Some(chest), [0.0, 0.2, 0.0], cone(DVec3::Y, 0.8));
    add(Some(neck), [0.0, 0.1, 0.0], cone(DVec3::Y, 0.8));
    for side in [1.0, -1.0] {
        let out = side * DVec3::X;
        let elbow = Limit::hinge(DVec3::NEG_Y * side, -0.05..=2.5);
        let collar = add(Some(chest), [0.03 * side, 0.16, 0.0], cone(out, 0.4));
        let upper = add(Some(collar), [0.14 * side, 0.0, 0.0], cone(out, 2.0));
        let lower = add(Some(upper), [0.28 * side, 0.0, 0.0], elbow);
        add(Some(lower), [0.27 * side, 0.0, ahead], cone(out, 1.4));
    }
    for side in [1.0, -1.0] {
        let thigh = add(Some(hips), [0.1 * side, -0.02, 0.0], cone(DVec3::NEG_Y, 2.2));
        let shin = add(Some(thigh), [0.0, -0.44, 0.05], Limit::hinge(DVec3::X, -0.4..=2.6));
        let foot = add(Some(shin), [0.0, -0.42, -0.05], cone(DVec3::Z, 1.2));
        add(Some(foot), [0.0, -0.06, 0.14], Limit::hinge(DVec3::X, -1.0..=0.5));
    }
    let limb = |first: usize, is_arm: bool| LimbParts {
        collar: if is_arm { vec![LinkIndex(first)] } else { Vec::new() },
        joints: (first + usize::from(is_arm)..).take(3).map(LinkIndex).collect(),
        is_arm,
        digits: if is_arm { Vec::new() } else { vec![LinkIndex(first + 3)] },
        bend: if is_arm { DVec3::NEG_Z } else { DVec3::Z },
        pull: 1.0,
        stands: !is_arm,
        sole: None,
    };
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap();
    let limbs = vec![limb(5, true), limb(9, true), limb(13, false), limb(17, false)];
    let parts = FigureParts {
        hips: None,
        spine: vec![LinkIndex(1), LinkIndex(2)],
        neck: vec![LinkIndex(3), LinkIndex(4)],
        limbs,
        floor: Some(0.0),
        size: 1.0,
        capsules: Vec::new(),
        skin: Vec::new(),
    };
    body.set_figure(parts).unwrap();
    body
}

/// Returns a problem and a pose that differs from its stance.
fn problem(goals: &[Goal]) -> (Problem, FigurePose) {
    let body = person();
    let options = Options::default().with_full_body(crate::FullBodyOptions::default().with_look(0.5));
    let mut problem = Problem::default();
    problem.set(&body, body.figure().unwrap(), goals, &options);
    let step: Vec<f64> = (0..problem.model.count).map(|i| 0.2 * f64::from(7 * i as u32 + 3).sin()).collect();
    let mut pose = FigurePose::default();
    problem.stance.stepped(&problem.model, &step, &mut pose);
    (problem, pose)
}

/// Evaluates a function after a forward and a backward step along each degree of freedom.
fn differences<T>(
    problem: &Problem,
    pose: &FigurePose,
    mut of: impl FnMut(&FigurePose, &Kinematics) -> T,
) -> Vec<[T; 2]> {
    let n = problem.model.count;
    let mut at = |d: usize, h: f64| {
        let mut step = vec![0.0; n];
        step[d] = h;
        let (mut moved, mut now) = (FigurePose::default(), Kinematics::default());
        pose.stepped(&problem.model, &step, &mut moved);
        now.update(&problem.model, &moved);
        of(&moved, &now)
    };
    (0..n).map(|d| [at(d, STEP), at(d, -STEP)]).collect()
}

const STEP: f64 = 1e-6;

fn all_goals() -> Vec<Goal> {
    let sight = Goal::aim(LinkIndex(4), DVec3::Z, DVec3::new(1.0, 1.5, 2.0));
    let place = Goal::pose(LinkIndex(8), DVec3::new(0.4, 1.2, 0.5), DQuat::from_rotation_y(0.3));
    let pole =
        Goal::position(LinkIndex(12), DVec3::new(-0.4, 1.2, 0.5)).with_pole(DVec3::new(-1.0, 0.0, 0.0));
    let foot = Goal::position(LinkIndex(15), DVec3::new(0.3, 0.4, 0.5));
    vec![sight, place, pole, foot]
}

/// Returns a yielding pin on the left foot, near the foot's position.
fn yielding_pin() -> Goal {
    Goal::pin(LinkIndex(15), DVec3::new(0.05, 0.1, 0.02), DQuat::IDENTITY).with_yields(true)
}

#[test]
fn the_gradient_of_the_energy_agrees_with_differences() {
    let yielding = vec![Goal::position(LinkIndex(8), DVec3::ONE), yielding_pin()];
    for goals in [vec![Goal::position(LinkIndex(8), DVec3::ONE)], all_goals(), yielding] {
        let (mut problem, pose) = problem(&goals);
        problem.pulls.iter_mut().for_each(|pull| pull.holds = false);
        let (mut now, mut buffers, mut system) =
            (Kinematics::default(), Buffers::default(), System::default());
        now.update(&problem.model, &pose);
        system.begin(&problem.model);
        problem.energy(&pose, &now, &mut buffers, Some(&mut system));
        for pull in &problem.pulls {
            pull.add(&mut system, &problem.model, &now, 1.0, &mut buffers.columns);
        }
        // The balance spring is a row.
        let mut rows = Rows::default();
        problem.rows(&pose, &now, &mut buffers, true, &mut rows);
        for (&row, jacobian) in rows.near.iter().zip(rows.jacobian.chunks_exact(problem.model.count)) {
            if rows.all[row].kind == Kind::Comfort {
                let force = super::constant::COMFORT * rows.all[row].value;
                system.gradient.iter_mut().zip(jacobian).for_each(|(g, j)| *g += force * j);
            }
        }
        let energy = |pose: &FigurePose, now: &Kinematics| {
            let pulls: f64 = problem.pulls.iter().map(|p| p.force * p.residual(now).length()).sum();
            problem.energy(pose, now, &mut Buffers::default(), None) + pulls
        };
        for (d, [after, before]) in differences(&problem, &pose, energy).into_iter().enumerate() {
            let slope = (after - before) / (2.0 * STEP);
            assert!((slope - system.gradient[d]).abs() < 2e-4, "{d}: {slope} {}", system.gradient[d]);
        }
    }
}

#[test]
fn the_rows_agree_with_differences() {
    let (problem, pose) = problem(&all_goals()[..3]);
    let (mut now, mut buffers, mut rows) = (Kinematics::default(), Buffers::default(), Rows::default());
    now.update(&problem.model, &pose);
    problem.rows(&pose, &now, &mut buffers, true, &mut rows);
    problem.pull_rows(&now, true, &mut buffers, &mut rows);
    let values = |pose: &FigurePose, now: &Kinematics| {
        let mut rows = Rows::default();
        problem.rows(pose, now, &mut Buffers::default(), false, &mut rows);
        problem.pull_rows(now, false, &mut Buffers::default(), &mut rows);
        rows.all.iter().map(|row| row.value).collect::<Vec<f64>>()
    };
    let n = problem.model.count;
    assert!(rows.near.len() > 20);
    for (d, [after, before]) in differences(&problem, &pose, values).into_iter().enumerate() {
        for (&row, jacobian) in rows.near.iter().zip(rows.jacobian.chunks_exact(n)) {
            let slope = (after[row] - before[row]) / (2.0 * STEP);
            let kind = rows.all[row].kind;
            assert!((slope - jacobian[d]).abs() < 1e-6, "{kind:?} {d}: {slope} {}", jacobian[d]);
        }
    }
}

/// Checks a quadratic model, whose Hessian comes from the system and its forces, against finite differences of its gradient.
fn check_hessian(
    problem: &Problem,
    pose: &FigurePose,
    model_at: impl Fn(&FigurePose, &Kinematics) -> System,
) {
    let mut now = Kinematics::default();
    now.update(&problem.model, pose);
    let mut system = model_at(pose, &now);
    let mut bent = TreeMatrix::default();
    bent.begin(&problem.model);
    system.forces.bend(&problem.model, &now, &mut bent);
    system.hessian.add(&bent);
    let slopes = differences(problem, pose, |pose, now| model_at(pose, now).gradient);
    let second = |a: usize, b: usize| (slopes[a][0][b] - slopes[a][1][b]) / (2.0 * STEP);
    for a in 0..problem.model.count {
        let row = system.hessian.row(&problem.model, a).to_vec();
        for (&b, &exact) in problem.model.above(a).iter().chain([&a]).zip(&row) {
            // The second derivatives of a joint's turns depend on their order, so compare with the mean of both orders.
            let numeric = 0.5 * (second(a, b) + second(b, a));
            assert!((numeric - exact).abs() < 1e-3 * (1.0 + exact.abs()), "{a} {b}: {numeric} {exact}");
        }
    }
}

#[test]
fn the_hessian_of_pulls_agrees_with_differences_of_the_gradient() {
    let goals = [Goal::position(LinkIndex(8), DVec3::ONE)];
    let (mut problem, pose) = problem(&goals);
    problem.pulls.iter_mut().for_each(|pull| pull.holds = false);
    check_hessian(&problem, &pose, |_, now| {
        let (mut system, mut columns) = (System::default(), [Vec::new(), Vec::new()]);
        system.begin(&problem.model);
        problem.pulls[0].add(&mut system, &problem.model, now, 0.0, &mut columns);
        system
    });
}

#[test]
fn the_hessian_of_the_energy_agrees_with_differences_of_the_gradient() {
    // Regression test: the weight of heels had no second derivatives, but the floor that carries the heels did. The Hessian was then
    // indefinite in every pose, so Newton's method omitted the second derivatives and took three times as many iterations.
    let mut goal = Goal::position(LinkIndex(8), DVec3::ONE);
    goal.axes.position.weights.z = 0.0;
    let (mut problem, pose) = problem(&[goal, yielding_pin()]);
    // Springs of ball joints omit their second-order terms, and the balance spring is a row.
    problem.stiffness.fill(DVec3::ZERO);
    problem.preload.fill(0.0);
    problem.has_balance = false;
    check_hessian(&problem, &pose, |pose, now| {
        let mut system = System::default();
        system.begin(&problem.model);
        problem.energy(pose, now, &mut Buffers::default(), Some(&mut system));
        system
    });
}

#[test]
fn elbows_and_knees_end_where_they_are_straight() {
    // Regression test: a foot that was pulled up pushed a knee past straight. The knee stayed there, so the whole body rose on its
    // toes.
    let (problem, _) = problem(&[]);
    let Problem { model, stance, stance_now: now, .. } = &problem;
    for [above, link, end] in [[6, 7, 8], [10, 11, 12], [13, 14, 15], [17, 18, 19]] {
        let (straight, side) = now.straight(model, stance, [above, link, end]).unwrap();
        let [low, high] = model.joints[link].range;
        let past = if side > 0.0 { straight.min(0.0) - low } else { high - straight.max(0.0) };
        assert!(past <= 1e-12 && high - low > 1.0, "{link}: {past} radians past straight");
        // The stance itself is within the range.
        assert!((low..=high).contains(&0.0), "{link}: {low} to {high}");
    }
}

#[test]
fn an_elbow_that_the_stance_overstretches_bends_the_right_way() {
    // Regression test: a robot's elbows were overstretched by 5 degrees in the rest pose. A push along the arm bent them further in
    // the wrong direction, against their limit, so the whole body turned away from the hand.
    let mut body = person_with_hands(-0.026);
    let place = |body: &Body, link: usize| body.world_from_link(LinkIndex(link)).unwrap().translation;
    let (hand, chest) = (place(&body, 8), place(&body, 2));
    let mut solver = Solver::default();
    let options = Options::default().with_root_motion(true).with_start(Start::Continue);
    let mut drag = |body: &mut Body, from: i32, to: i32| {
        let steps: Vec<i32> = if from < to { (from + 1..=to).collect() } else { (to..from).rev().collect() };
        for step in steps {
            let target = hand - DVec3::X * 0.005 * f64::from(step);
            solver.solve(body, &[Goal::position(LinkIndex(8), target)], &options).unwrap();
        }
    };
    let rest: Vec<DVec3> = (0..body.links().len()).map(|link| place(&body, link)).collect();
    drag(&mut body, 0, 60);
    let error = place(&body, 8).distance(hand - DVec3::X * 0.3);
    let moved = place(&body, 2).distance(chest);
    assert!(error < 1e-3 && moved < 1e-2, "the hand misses by {error} m, the chest moves by {moved} m");
    // The hand was pulled along the straight arm towards the shoulder, so the elbow must move back.
    assert!(place(&body, 7).z < chest.z - 0.05, "{}", place(&body, 7));
    // On the way back, the elbow is straightened, although the hand could also reach its target with a bent elbow.
    drag(&mut body, 60, 0);
    (0..30).for_each(|_| drag(&mut body, 1, 0));
    for (link, at) in rest.iter().enumerate() {
        assert!(place(&body, link).distance(*at) < 2e-3, "link {link} ends at {}", place(&body, link) - *at);
    }
}

/// Regression test: skin outside the capsules stayed in the floor, and shins stayed in the trunk.
#[test]
fn skin_is_kept_above_the_floor_and_shins_out_of_the_trunk() {
    let mut body = person();
    let mut parts = body.figure().unwrap().parts.clone();
    let below = DVec3::new(0.0, -0.3, 0.0);
    parts.skin = vec![(LinkIndex(0), below)];
    assert!(
        body.set_figure(FigureParts { skin: vec![(LinkIndex(0), DVec3::NAN)], ..parts.clone() }).is_err()
    );
    assert!(body.set_figure(FigureParts { skin: vec![(LinkIndex(99), below)], ..parts.clone() }).is_err());
    body.set_figure(parts).unwrap();
    let options = Options::default().with_full_body(crate::FullBodyOptions::default().with_clear(true));
    let mut problem = Problem::default();
    problem.set(&body, body.figure().unwrap(), &[], &options);
    let points: Vec<_> = problem.floor_points.iter().map(|p| (p.link, p.offset.y, p.height)).collect();
    assert_eq!(points, [(0, below.y, 0.0)]);
    let [hips, thigh, shin] = [0, 13, 14];
    let meets = |a: usize, b: usize| {
        problem.capsules.pairs.iter().any(|&pair| {
            let links = problem.capsules.links(pair);
            links == [a, b] || links == [b, a]
        })
    };
    assert!(meets(hips, shin) && !meets(hips, thigh));
}

/// Regression test: if a node above the hips leant with the motion, the rest pose leant too. Skin could then sink as deep into the
/// floor as in that rest pose.
#[test]
fn the_floor_is_that_of_the_upright_rest_pose_if_a_node_above_the_hips_leans() {
    let mut body = person();
    let mut parts = body.figure().unwrap().parts.clone();
    parts.hips = Some(DVec3::Y * 0.95);
    parts.skin = vec![(LinkIndex(4), DVec3::Y)];
    body.set_figure(parts).unwrap();
    let options = Options::default().with_full_body(crate::FullBodyOptions::default().with_clear(true));
    for lean in [0.0, 2.5] {
        let world =
            DAffine3::from_rotation_translation(DQuat::from_rotation_x(lean), DVec3::Y * (0.3 * lean));
        body.place(world, DQuat::from_rotation_x(lean)).unwrap();
        let mut problem = Problem::default();
        problem.set(&body, body.figure().unwrap(), &[], &options);
        let heights: Vec<f64> = problem.floor_points.iter().map(|point| point.height).collect();
        assert_eq!(heights, [0.0], "lean {lean}");
    }
}

/// A pin is stronger than the rows that keep the legs apart. The position of a pin that yields is only a spring, but the pin still
/// keeps the orientation of its foot.
#[test]
fn a_pin_that_yields_gives_way_to_the_other_leg() {
    let options = Options::default().with_full_body(crate::FullBodyOptions::default().with_clear(true));
    let options = options.with_method(Method::FullBody).with_root_motion(true);
    let through = DVec3::new(-0.06, 0.15, 0.0);
    let solved = |yields: bool| {
        let mut body = person();
        let right = body.world_from_link(LinkIndex(19)).unwrap().translation;
        let pins = [
            Goal::pin(LinkIndex(19), right, DQuat::IDENTITY),
            Goal::pin(LinkIndex(15), through, DQuat::IDENTITY).with_yields(yields),
        ];
        Solver::default().solve(&mut body, &pins, &options).unwrap();
        let moved =
            |link: usize, from: DVec3| body.world_from_link(LinkIndex(link)).unwrap().translation - from;
        (
            moved(15, through),
            moved(19, right).length(),
            body.orientation(LinkIndex(15)).unwrap().to_axis_angle().1,
        )
    };
    let ((firm, ..), (moved, other, turned)) = (solved(false), solved(true));
    assert!(firm.length() < 1e-3, "{firm}");
    assert!(moved.x > 0.03 && other < 1e-3 && turned < 1e-2, "{moved}, {other} m, {turned} radians");
}
