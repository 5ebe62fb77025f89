//! Prints solved poses as JSON, one per line, to compare with a browser's: `web/test/test.mjs`.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "an example")]

use sinew_base::Random;
use sinew_ik::glam::{DAffine3, DVec3};
use sinew_ik::{Body, Goal, Limit, Link, LinkIndex, Method, Options, Solver};

const METHODS: [&str; 9] = [
    "two-bone",
    "ccd",
    "fabrik",
    "particle",
    "dls",
    "sdls",
    "pseudo-inverse",
    "jacobian-transpose",
    "optimize",
];

fn main() {
    let mut random = Random(7);
    for case in 0..90 {
        let method = METHODS[case % METHODS.len()];
        // A limb has two joints and a tip.
        let links = if method == "two-bone" { 3 } else { 5 + case / METHODS.len() % 4 };
        let parents: Vec<i32> = (-1..).take(links).collect();
        let offsets: Vec<f64> =
            (0..links).flat_map(|link| [0.0, if link == 0 { 0.0 } else { 0.3 }, 0.0]).collect();
        let mut chain = vec![Link::base()];
        chain.extend((1..links).map(|link| Link::child(LinkIndex(link - 1), DVec3::new(0.0, 0.3, 0.0))));
        if method != "two-bone" && case % 2 == 1 {
            chain[2] = chain[2].with_limit(Limit::hinge(DVec3::X, 0.0..=2.4));
        }
        let is_limited = method != "two-bone" && case % 2 == 1;
        let reach = 0.3 * f64::from(u32::try_from(links - 1).unwrap());
        let target = random.turn(0.5 * reach) + DVec3::Y * 0.3;
        let mut body = Body::new(chain, DAffine3::IDENTITY).unwrap();
        let options = Options::default().with_method(method.parse::<Method>().unwrap());
        Solver::default()
            .solve(&mut body, &[Goal::position(LinkIndex(links - 1), target)], &options)
            .unwrap();
        let rotations: Vec<f64> = body.rotations().iter().flat_map(|rotation| rotation.to_array()).collect();
        println!(
            "{{\"method\":{method:?},\"parents\":{parents:?},\"offsets\":{offsets:?},\"limited\":{is_limited},\"target\":{:?},\"rotations\":{rotations:?}}}",
            target.to_array()
        );
    }
}
