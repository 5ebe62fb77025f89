//! Compares the methods that move points on a tree with their fast versions for free chains.

use glam::{DAffine3, DQuat, DVec3};

use crate::chain::{ChainOutcome, FreeChain};
use crate::limit::angle_between;
use crate::methods::fabrik::Fabrik;
use crate::tree::Tree;
use crate::{Body, FabrikOptions, Goal, Limit, Link, LinkIndex, Options, round_cone};

use super::Particles;

const ITERATIONS: usize = 400;

/// Returns a bent chain of six links of different lengths.
fn body(limit: Limit) -> Body {
    let mut links = vec![Link { limit, ..Link::base() }];
    links.extend(
        (0..6)
            .map(|i| Link { limit, ..Link::child(LinkIndex(i), DVec3::new(0.1, 0.4 + 0.1 * i as f64, 0.0)) }),
    );
    let mut body = Body::new(links, DAffine3::IDENTITY).unwrap_or_else(|e| panic!("{e}"));
    (0..6).for_each(|i| {
        body.set_rotation(LinkIndex(i), DQuat::from_rotation_z(0.3) * DQuat::from_rotation_x(-0.2));
    });
    body
}

/// Iterates on the tree until the goal is reached. Returns the number of iterations.
fn solve_tree(
    body: &mut Body,
    goal: Goal,
    tolerance: f64,
    mut pass: impl FnMut(&mut Particles, &mut Tree),
) -> usize {
    let (mut tree, mut particles) = (Tree::default(), Particles::default());
    tree.set(body, &[goal], &Options::default());
    particles.set(&tree);
    for iteration in 0..ITERATIONS {
        if tree.error(0).is_some_and(|e| e <= tolerance) {
            tree.write(body);
            return iteration;
        }
        pass(&mut particles, &mut tree);
    }
    panic!("the tree does not reach {:?}", goal.position)
}

#[test]
fn tree_and_free_chain_find_the_same_pose() {
    type OnChain = fn(&mut FreeChain, DVec3, f64, usize) -> ChainOutcome;
    type OnTree = fn(&mut Fabrik, &mut Particles, &mut Tree, &Options);
    let fabrik: OnTree = |fabrik, particles, tree, options| fabrik.pass(particles, tree, &options.fabrik);
    let particle: OnTree = |_, particles, tree, options| particles.pass(tree, &options.particle);
    let chain_fabrik: OnChain = |chain, target, tolerance, iterations| {
        chain.reach_both_ways(target, tolerance, iterations, &FabrikOptions::default())
    };
    let methods: [(&str, OnChain, OnTree); 2] =
        [("fabrik", chain_fabrik, fabrik), ("particle", FreeChain::relax, particle)];
    let targets = [[1.5, 0.8, 0.9], [-0.5, -1.0, 0.4], [0.2, 2.5, -0.3], [2.0, -1.5, 1.0], [0.3, 0.2, -0.6]];
    for (name, on_chain, on_tree) in methods {
        for (target, tolerance) in
            targets.iter().flat_map(|t| [1e-6, 1e-2].map(|e| (DVec3::from_array(*t), e)))
        {
            let (mut chain, mut fast) = (FreeChain::default(), body(Limit::Free));
            let goal = Goal::position(LinkIndex(6), target);
            assert!(chain.supports(&fast, &[goal], true));
            chain.load(&fast, false);
            let outcome = on_chain(&mut chain, target, tolerance, ITERATIONS);
            chain.write(&mut fast);
            let (mut general, mut state) = (body(Limit::Free), Fabrik::default());
            let iterations = solve_tree(&mut general, goal, tolerance, |particles, tree| {
                on_tree(&mut state, particles, tree, &Options::default());
            });
            assert_eq!(outcome, ChainOutcome::Reached(iterations), "{name}, {target}");
            for (joint, (a, b)) in fast.rotations().iter().zip(general.rotations()).enumerate() {
                let apart = angle_between(*a, *b);
                assert!(apart < 1e-6, "{name}, {target}: joint {joint} differs by {apart} rad");
            }
        }
    }
}

/// If no pose reaches the limits, rigid segments move through the same points as bare points do.
#[test]
fn fabrik_within_wide_limits_moves_the_same_points() {
    let wide = round_cone(DVec3::Y, std::f64::consts::PI, [-4.0, 4.0]);
    let goal = Goal::position(LinkIndex(6), DVec3::new(1.5, 0.8, 0.9));
    let points = [Limit::Free, wide].map(|limit| {
        let (mut body, mut state) = (body(limit), Fabrik::default());
        let iterations = solve_tree(&mut body, goal, 1e-6, |particles, tree| {
            assert_eq!(particles.segments().is_some(), limit != Limit::Free);
            state.pass(particles, tree, &Options::default().fabrik);
        });
        let place = |link| body.world_from_link(LinkIndex(link)).unwrap_or_default().translation;
        (iterations, [0, 1, 2, 3, 4, 5, 6].map(place))
    });
    assert_eq!(points[0].0, points[1].0);
    for (a, b) in points[0].1.iter().zip(&points[1].1) {
        assert!(a.distance(*b) < 1e-9, "{a} {b}");
    }
}
