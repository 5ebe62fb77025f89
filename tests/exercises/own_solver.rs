//! Exercise 10: your own solver, measured like sinew's solvers.

use std::time::Instant;

use glam::{DAffine3, DQuat, DVec3};
use sinew::ik::{Body, Goal, GoalOutcome, Limit, Link, LinkIndex, Method, Options, Outcome, Report, Solver};

use crate::page::{Page, assert_printed};

const PAGE: &str = include_str!("../../docs/exercises/10-own-solver.md");
const LINKS: usize = 10;
const TOLERANCE: f64 = 1e-4;

/// Why the solver does not accept a problem.
#[derive(Debug, PartialEq)]
enum Refusal {
    /// The goal has no position, or its link does not exist.
    Goal,
    /// A link is not a free joint whose parent is the previous link.
    Chain,
}

/// Triangulation (Müller-Cajar and Mukundan 2007): from the base outwards, each link and the straightened rest of the chain
/// become two sides of a triangle whose third side ends at the target.
fn triangulate(body: &mut Body, goal: &Goal) -> Result<Report, Refusal> {
    let target = goal.position.filter(|_| goal.link.0 < body.links().len()).ok_or(Refusal::Goal)?;
    let is_chain = |(index, link): (usize, &Link)| {
        link.parent == index.checked_sub(1).map(LinkIndex) && link.limit == Limit::Free
    };
    let end = goal.link.0;
    if !body.links().iter().take(end).enumerate().all(is_chain) {
        return Err(Refusal::Chain);
    }
    let position =
        |body: &Body, link| body.world_from_link(LinkIndex(link)).map_or(DVec3::ZERO, |m| m.translation);
    let joints: Vec<DVec3> = (0..=end).map(|link| position(body, link)).collect();
    let lengths: Vec<f64> = joints.windows(2).map(|w| w[0].distance(w[1])).collect();
    for link in 0..end {
        let (own, rest) = (lengths[link], lengths[link + 1..].iter().sum::<f64>());
        let here = position(body, link);
        let bone = (position(body, link + 1) - here).normalize_or_zero();
        let (line, distance) = ((target - here).normalize_or_zero(), here.distance(target));
        // The law of cosines. Beyond the reach the chain is straight. If the rest is too long, the link turns away from
        // the target.
        let cos = (own * own + distance * distance - rest * rest) / (2.0 * own * distance);
        let angle = if cos.is_nan() { 0.0 } else { cos.clamp(-1.0, 1.0).acos() };
        let axis = line.cross(bone).try_normalize().unwrap_or_else(|| line.any_orthonormal_vector());
        let wanted = DQuat::from_axis_angle(axis, angle) * line;
        let orientation = |link| body.orientation(LinkIndex(link));
        let turned = DQuat::from_rotation_arc(bone, wanted) * orientation(link).unwrap_or_default();
        let above = link.checked_sub(1).and_then(orientation).unwrap_or_default();
        body.set_rotation(LinkIndex(link), above.conjugate() * turned);
    }
    let error = position(body, end).distance(target);
    let reach: f64 = lengths.iter().sum();
    let outcome = match error {
        e if e <= TOLERANCE * reach => Outcome::Reached,
        _ if joints[0].distance(target) > reach => Outcome::OutOfReach,
        _ => Outcome::Stalled,
    };
    Ok(report(1, outcome, error))
}

/// Builds a report like those of sinew's solvers.
fn report(iterations: usize, outcome: Outcome, error: f64) -> Report {
    let mut goal = GoalOutcome::default();
    (goal.outcome, goal.position_error) = (outcome, Some(error));
    let mut report = Report::default();
    report.iterations = iterations;
    report.goals.push(goal);
    report
}

/// A pseudo-random sequence of numbers from −1 to 1: the linear congruential generator of Knuth's MMIX.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::new(self.next(), self.next(), self.next());
            if (0.1..1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }
}

/// A chain of ten links with a reach of 1 m. Each joint is bent by 5°.
fn chain() -> Body {
    let mut links = vec![Link::base()];
    links.extend((0..LINKS).map(|parent| Link::child(LinkIndex(parent), DVec3::Y / LINKS as f64)));
    let mut chain = Body::new(links, DAffine3::IDENTITY).unwrap();
    (0..LINKS)
        .for_each(|link| chain.set_rotation(LinkIndex(link), DQuat::from_rotation_x(5_f64.to_radians())));
    chain
}

/// Targets at 0.1 to 0.95 of the reach.
fn targets(count: usize) -> Vec<DVec3> {
    let mut numbers = Numbers(1);
    (0..count).map(|_| numbers.direction() * (0.525 + 0.425 * numbers.next())).collect()
}

/// Values that the page lists for each method.
struct Measured {
    reached: usize,
    iterations: f64,
    /// Largest angle between consecutive links in degrees, as a mean over the targets.
    bend: f64,
    /// Sum of the turns of all joints in degrees, as a mean over the targets.
    turns: f64,
    microseconds: f64,
}

fn measure(targets: &[DVec3], mut solve: impl FnMut(&mut Body, &Goal) -> Report) -> Measured {
    let mut sums = Measured { reached: 0, iterations: 0.0, bend: 0.0, turns: 0.0, microseconds: 0.0 };
    for &target in targets {
        let (mut body, before) = (chain(), chain());
        let start = Instant::now();
        let report = solve(&mut body, &Goal::position(LinkIndex(LINKS), target));
        sums.microseconds += start.elapsed().as_secs_f64() * 1e6;
        sums.reached += usize::from(report.reached());
        sums.iterations += report.iterations as f64;
        let joints: Vec<DVec3> =
            (0..=LINKS).map(|l| body.world_from_link(LinkIndex(l)).unwrap().translation).collect();
        assert!((joints[LINKS].distance(target) - report.position_error()).abs() < 1e-9);
        let bones: Vec<DVec3> = joints.windows(2).map(|w| w[1] - w[0]).collect();
        let bends = bones.windows(2).map(|w| w[0].angle_between(w[1]).to_degrees());
        sums.bend += bends.fold(0.0, f64::max);
        let turns = body.rotations().iter().zip(before.rotations());
        sums.turns += turns.map(|(a, b)| a.angle_between(*b).to_degrees()).sum::<f64>();
    }
    let count = targets.len() as f64;
    let Measured { reached, iterations, bend, turns, microseconds } = sums;
    Measured {
        reached,
        iterations: iterations / count,
        bend: bend / count,
        turns: turns / count,
        microseconds: microseconds / count,
    }
}

fn measure_sinew(targets: &[DVec3], method: Method) -> Measured {
    let mut options = Options::default();
    options.method = method;
    options.tolerance = Some(TOLERANCE);
    let mut solver = Solver::default();
    measure(targets, |body, goal| solver.solve(body, &[*goal], &options).unwrap().clone())
}

#[test]
fn the_page_has_the_numbers_of_all_methods() {
    let page = Page::new("own_solver", PAGE);
    page.assert_blocks_are_in(include_str!("own_solver.rs"));
    let targets = targets(200);
    let rows = page.table("On 200 targets:");
    let mut solvers = vec![("own", measure(&targets, |body, goal| triangulate(body, goal).unwrap()))];
    for name in ["ccd", "particle", "fabrik", "jacobian-transpose", "dls", "fused"] {
        solvers.push((name, measure_sinew(&targets, name.parse().unwrap())));
    }
    assert_eq!(rows.len(), solvers.len());
    for ((name, measured), row) in solvers.iter().zip(rows) {
        println!("{name}: {:.1} us", measured.microseconds);
        assert_eq!(row[0].trim_matches('`'), *name);
        assert_eq!(row[1], measured.reached.to_string());
        assert_printed(row[2], measured.iterations);
        assert_printed(row[3], measured.bend);
        assert_printed(row[4], measured.turns);
    }
}

#[test]
fn the_own_solver_is_exact_within_the_reach_and_straight_beyond_it() {
    for target in targets(200) {
        let report = triangulate(&mut chain(), &Goal::position(LinkIndex(LINKS), target)).unwrap();
        assert!(report.position_error() < 1e-8);
    }
    let (mut body, target) = (chain(), DVec3::new(0.0, 0.0, 1.5));
    let report = triangulate(&mut body, &Goal::position(LinkIndex(LINKS), target)).unwrap();
    assert_eq!(report.goals[0].outcome, Outcome::OutOfReach);
    assert!((report.position_error() - 0.5).abs() < 1e-9);
}

#[test]
fn the_own_solver_refuses_what_it_cannot_solve() {
    let mut links = chain().links().to_vec();
    links[3].limit = Limit::Locked;
    let mut limited = Body::new(links, DAffine3::IDENTITY).unwrap();
    let goal = Goal::position(LinkIndex(LINKS), DVec3::X);
    assert_eq!(triangulate(&mut limited, &goal), Err(Refusal::Chain));
    assert_eq!(triangulate(&mut chain(), &Goal::position(LinkIndex(99), DVec3::X)), Err(Refusal::Goal));
    assert_eq!(
        triangulate(&mut chain(), &Goal::orientation(LinkIndex(1), DQuat::IDENTITY)),
        Err(Refusal::Goal)
    );
}

#[test]
fn the_bench_has_the_methods_of_the_page() {
    let page = Page::new("own_solver_bench", PAGE);
    let table = page.run("sinew bench");
    assert!(["ccd", "fabrik", "dls"].iter().all(|method| table.contains(method)), "{table}");
}
