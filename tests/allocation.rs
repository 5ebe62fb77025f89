//! A warm solver allocates no memory. This test has its own binary because allocations are counted per process.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use glam::{DAffine3, DQuat, DVec3};
use peak_alloc::PeakAlloc;
use sinew::ik::{Body, Goal, Limit, Link, LinkIndex, Method, Options, Solver};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Returns a body with a trunk of three links and two arms of `arm` links each, and the ends of the arms.
fn body(arm: usize, limit: Limit) -> (Body, [LinkIndex; 2]) {
    let mut links = vec![Link::base()];
    links.extend((0..3).map(|i| Link::child(LinkIndex(i), DVec3::Y * 0.3).with_limit(limit)));
    let tips = [DVec3::X, DVec3::NEG_X].map(|side| {
        links.push(Link::child(LinkIndex(3), side * 0.2).with_limit(limit));
        for _ in 0..arm {
            links.push(Link::child(LinkIndex(links.len() - 1), side * 0.3).with_limit(limit));
        }
        LinkIndex(links.len() - 1)
    });
    (Body::new(links, DAffine3::IDENTITY).unwrap(), tips)
}

#[test]
fn a_warm_solver_allocates_no_memory() {
    let cone = Limit::Cone { swing: [1.2, 0.8], twist: [-0.5, 0.5], axis: DVec3::Y, side: DVec3::Z };
    for method in Method::ALL {
        for (arm, limit) in [(2, Limit::Free), (2, cone), (6, Limit::Free), (6, cone)] {
            for several in [false, true] {
                let (mut body, tips) = body(arm, limit);
                let mut solver = Solver::default();
                let options = Options::default().with_method(method);
                let goals = |frame: usize| {
                    let t = 0.3 * frame as f64;
                    let near = DVec3::new(0.5 + 0.2 * t.sin(), 1.0 + 0.3 * t.cos(), 0.3 * t.sin());
                    let far = DVec3::new(-near.x * 3.0, near.y, near.z);
                    [Goal::position(tips[0], near), Goal::position(tips[1], far)]
                };
                let frames: Vec<[Goal; 2]> = (0..40).map(goals).collect();
                let mut peak = 0;
                for round in 0..2 {
                    (0..body.links().len())
                        .for_each(|link| body.set_rotation(LinkIndex(link), DQuat::IDENTITY));
                    for goals in &frames {
                        let goals = if several { &goals[..] } else { &goals[..1] };
                        let before = ALLOCATOR.current_usage();
                        ALLOCATOR.reset_peak_usage();
                        if solver.solve(&mut body, goals, &options).is_err() {
                            break;
                        }
                        if round == 1 {
                            peak = peak.max(ALLOCATOR.peak_usage().saturating_sub(before));
                        }
                    }
                }
                assert_eq!(peak, 0, "{method}, {arm} links per arm, {limit:?}, several: {several}");
            }
        }
    }
}
