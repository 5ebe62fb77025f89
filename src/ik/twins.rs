//! Checks that every method that can run on both a free chain and a tree gives the same pose on both. The chain is only
//! a faster representation. The solution of a problem must not change because a joint gets a limit that never takes effect, or because
//! another code path runs.

use glam::{DAffine3, DQuat, DVec3};

use super::chain::tests::without_chains;
use super::{Body, Goal, Link, LinkIndex, Method, Options, Report, Solver};
use sinew_base::Random;

/// Maximum angle between the two solutions of a joint, in radians.
const AGREEMENT: f64 = 1e-6;
/// Tolerance as a fraction of the reach. In its last step, each iterative method converges to an error far below this
/// tolerance or not at all, so that rounding errors seldom decide on which side of the tolerance a step ends.
const TOLERANCE: f64 = 1e-5;
const CASES: usize = 150;

/// A family of problems. Distances are fractions of the reach.
#[derive(Clone, Copy, Debug)]
struct Family {
    name: &'static str,
    /// Range of the distances of targets from the base.
    distances: (f64, f64),
    /// Maximum rotation of each joint in the start pose, in radians.
    bend: f64,
}

const FAMILIES: [Family; 5] = [
    Family { name: "bent", distances: (0.2, 0.95), bend: 0.3 },
    Family { name: "crumpled", distances: (0.2, 0.95), bend: 2.0 },
    Family { name: "near full stretch", distances: (0.98, 0.9999), bend: 0.3 },
    Family { name: "out of reach", distances: (1.05, 1.5), bend: 0.3 },
    Family { name: "straight", distances: (0.2, 0.95), bend: 0.0 },
];

/// The two solutions of a problem.
struct Twins {
    chain: Report,
    tree: Report,
    /// The largest angle between the two rotations of a joint, in radians.
    difference: f64,
}

fn solve_both(body: &Body, goal: Goal, options: &Options) -> Twins {
    let (mut by_chain, mut by_tree) = (body.clone(), body.clone());
    let solve = |body: &mut Body| {
        Solver::default().solve(body, &[goal], options).unwrap_or_else(|e| panic!("{e}")).clone()
    };
    let chain = solve(&mut by_chain);
    let tree = without_chains(|| solve(&mut by_tree));
    let pairs = by_chain.rotations().iter().zip(by_tree.rotations());
    let difference = pairs.map(|(a, b)| 2.0 * (a.conjugate() * *b).xyz().length().min(1.0).asin());
    Twins { chain, tree, difference: difference.fold(0.0, f64::max) }
}

/// Returns a chain of `n` free joints with links of different lengths and a bent rest pose.
fn chain(n: usize, random: &mut Random) -> Body {
    let mut links = vec![Link { offset: random.turn(0.3), ..Link::base() }];
    links.extend((0..n).map(|i| {
        let offset = (DVec3::Y + random.turn(0.2)) * random.range(0.5, 1.5) / n as f64;
        Link { rest: DQuat::from_scaled_axis(random.turn(0.2)), ..Link::child(LinkIndex(i), offset) }
    }));
    Body::new(links, DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"))
}

/// Bends each joint of a chain by a random rotation of at most `bend` radians from the straight pose.
fn pose(body: &mut Body, bend: f64, random: &mut Random) {
    let links = body.links().to_vec();
    let mut way = DVec3::Y;
    for (joint, below) in links.iter().skip(1).enumerate() {
        let turn = DQuat::from_scaled_axis(random.turn(bend));
        let rotation = super::shortest_arc(below.offset, way, DVec3::X);
        body.set_rotation(LinkIndex(joint), turn * rotation);
        way = below.offset;
    }
}

/// Solves the problems of a family with a method, and checks that the chain and the tree agree.
fn check(method: Method, n: usize, family: Family) {
    let random = &mut Random(n as u64);
    let (mut worst, mut sum) = (0.0_f64, 0.0);
    for case in 0..CASES {
        let mut body = chain(n, random);
        pose(&mut body, family.bend, random);
        let reach: f64 = body.links().iter().skip(1).map(|l| l.offset.length()).sum();
        let (nearest, farthest) = family.distances;
        let target = random.direction() * (random.range(nearest, farthest) * reach);
        // A straight limb can fold onto itself in any plane, so the solution is ambiguous.
        let longest = body.links().iter().skip(1).map(|l| l.offset.length()).fold(0.0, f64::max);
        if family.bend == 0.0 && target.length() < 2.0 * longest - reach {
            continue;
        }
        let goal = Goal::position(LinkIndex(n), body.links()[0].offset + target);
        let options =
            Options { method, tolerance: Some(TOLERANCE * reach), iterations: 500, ..Options::default() };
        let Twins { chain, tree, difference } = solve_both(&body, goal, &options);
        let name = format!("{method}, {n} joints, {}, case {case}", family.name);
        println!("{name}: {difference:.1e}, {} and {} iterations", chain.iterations, tree.iterations);
        (worst, sum) = (worst.max(difference), sum + difference);
        assert_eq!(chain.method, tree.method, "{name}");
        assert_eq!(chain.goals[0].outcome, tree.goals[0].outcome, "{name}");
    }
    let mean = sum / CASES as f64;
    println!("{method}, {n} joints, {}: mean {mean:.1e} rad, worst {worst:.1e} rad", family.name);
    assert!(worst <= AGREEMENT, "{method}, {n} joints, {}: {worst} rad apart", family.name);
}

#[test]
fn damped_least_squares_is_the_same_on_chains_and_trees() {
    for family in FAMILIES {
        [2, 3, 6, 10, 20].into_iter().for_each(|n| check(Method::Dls, n, family));
    }
}

#[test]
fn two_bone_is_the_same_on_chains_and_trees() {
    FAMILIES.into_iter().for_each(|family| check(Method::TwoBone, 2, family));
}
