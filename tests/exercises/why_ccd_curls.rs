//! Exercise 3: why cyclic coordinate descent curls a long chain.

use std::f64::consts::PI;

use glam::{DAffine3, DVec3};
use sinew::asset;
use sinew::ik::{Body, Goal, Limit, Link, LinkIndex, Method, Options, Solver};

use crate::page::{Page, assert_printed};

const PAGE: &str = include_str!("../../docs/exercises/03-why-ccd-curls.md");

/// Values that the page lists for each chain.
struct Curl {
    /// Sum of the angles between consecutive links, in degrees.
    total: f64,
    /// The largest of these angles, in degrees.
    largest: f64,
    /// Percentage of the sum that the last ten angles contribute.
    near_tip: f64,
}

fn curl(joints: &[DVec3]) -> Curl {
    let bones: Vec<DVec3> = joints.windows(2).map(|w| w[1] - w[0]).collect();
    let bends: Vec<f64> = bones.windows(2).map(|w| w[0].angle_between(w[1]).to_degrees()).collect();
    let sum = |bends: &[f64]| bends.iter().sum::<f64>();
    let (total, last) = (sum(&bends), &bends[bends.len() - 10..]);
    let largest = bends.iter().copied().fold(0.0, f64::max);
    Curl { total, largest, near_tip: 100.0 * sum(last) / total }
}

/// Returns the turns of the first pass on a chain of `n` links of length 1, to first order. The target is at the distance
/// `beside` from the line of the chain, and `ahead` of the tip. The turn of the last joint comes first.
fn first_turns(n: usize, ahead: f64, beside: f64) -> Vec<f64> {
    let place = |k: f64| beside * k / (k + ahead);
    (1..=n).map(|k| (place(k as f64) - place(k as f64 - 1.0)) / k as f64).collect()
}

fn first_turns_of_sinew(n: usize, ahead: f64, beside: f64) -> Vec<f64> {
    let limit = Limit::Hinge { axis: DVec3::Z, min: -PI, max: PI };
    let mut links = vec![Link::base().with_limit(limit)];
    links.extend((0..n).map(|parent| Link::child(LinkIndex(parent), DVec3::X).with_limit(limit)));
    let mut chain = Body::new(links, DAffine3::IDENTITY).unwrap();
    let mut options = Options::default();
    options.method = Method::Ccd;
    options.iterations = 1;
    options.trace = true;
    // A solve with a budget does not bend a straight chain first. This budget is never used up.
    options.ccd.budget = 1000.0;
    let goal = Goal::position(LinkIndex(n), DVec3::new(n as f64 + ahead, beside, 0.0));
    let report = Solver::default().solve(&mut chain, &[goal], &options).unwrap().clone();
    report.trace.iter().map(|step| step.axis.z * step.angle).collect()
}

/// Returns the tentacle as a body, without limits.
fn tentacle() -> Body {
    let character =
        asset::load(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/tentacle.glb").as_ref()).unwrap();
    let skeleton = &character.skeleton;
    let nodes = (0..40).map(|i| skeleton.find(&format!("segment_{i:02}")).unwrap());
    let rests = nodes.map(|node| skeleton.nodes[node].rest);
    let link = |(index, rest): (usize, asset::Transform)| {
        let offset = rest.translation.as_dvec3();
        let own = Link::base().with_rest(rest.rotation.as_dquat()).with_offset(offset);
        own.with_parent(index.checked_sub(1).map(LinkIndex))
    };
    Body::new(rests.enumerate().map(link).collect(), DAffine3::IDENTITY).unwrap()
}

fn solve(options: &Options) -> (usize, Curl) {
    let mut body = tentacle();
    let goal = Goal::position(LinkIndex(39), DVec3::new(0.4, 1.2, 0.3));
    let report = Solver::default().solve(&mut body, &[goal], options).unwrap().clone();
    assert!(report.reached(), "{report:?}");
    let joints: Vec<DVec3> =
        (0..40).map(|link| body.world_from_link(LinkIndex(link)).unwrap().translation).collect();
    (report.iterations, curl(&joints))
}

#[test]
fn the_first_pass_follows_the_law() {
    let page = Page::new("why_ccd_curls", PAGE);
    page.assert_blocks_are_in(include_str!("why_ccd_curls.rs"));
    for (column, ahead) in [(1, 100.0), (2, 10.0), (3, 1.0)] {
        let (law, sinew) = (first_turns(10, ahead, 1e-6), first_turns_of_sinew(10, ahead, 1e-6));
        for row in page.table("Turns of the first pass:") {
            let k: usize = row[0].parse().unwrap();
            assert_printed(row[column], law[k - 1] / law[0]);
            assert!(
                (sinew[k - 1] - law[k - 1]).abs() < 1e-4 * law[0],
                "{k}: {}, {}",
                sinew[k - 1],
                law[k - 1]
            );
        }
    }
}

#[test]
fn the_methods_curl_as_the_page_says() {
    let page = Page::new("why_ccd_curls_methods", PAGE);
    let method = |method| {
        let mut options = Options::default();
        options.method = method;
        options
    };
    let ccd = |set: &dyn Fn(&mut Options)| {
        let mut options = method(Method::Ccd);
        set(&mut options);
        options
    };
    let cases = [
        ccd(&|_| ()),
        ccd(&|o| o.ccd.base_first = true),
        ccd(&|o| o.ccd.relaxation = 0.5),
        ccd(&|o| o.ccd.step = 2_f64.to_radians()),
        ccd(&|o| o.ccd.linear = true),
        ccd(&|o| (o.ccd.extrapolate, o.ccd.base_first) = (true, true)),
        method(Method::Particle),
        method(Method::Fabrik),
        method(Method::Fused),
        method(Method::Dls),
    ];
    let rows = page.table("Bends of the tentacle:");
    assert_eq!(rows.len(), cases.len());
    for (options, row) in cases.iter().zip(rows) {
        let (passes, curl) = solve(options);
        assert_eq!(row[1], passes.to_string(), "{}", row[0]);
        assert_printed(row[2], curl.total);
        assert_printed(row[3], curl.largest);
        assert_printed(row[4], curl.near_tip);
    }
}

#[test]
fn the_program_finds_the_same_poses() {
    let page = Page::new("why_ccd_curls_program", PAGE);
    let pose: serde_json::Value = serde_json::from_str(&page.run("--method ccd --no-limits -q")).unwrap();
    let nodes = pose["nodes"].as_array().unwrap();
    let named = |i: usize| nodes.iter().find(|n| n["name"] == format!("segment_{i:02}")).unwrap();
    let number = |i: usize, axis: usize| named(i)["world"][12 + axis].as_f64().unwrap();
    let joints: Vec<DVec3> = (0..40).map(|i| DVec3::new(number(i, 0), number(i, 1), number(i, 2))).collect();
    let mut options = Options::default();
    options.method = Method::Ccd;
    let (of_program, of_library) = (curl(&joints), solve(&options).1);
    assert!((of_program.total - of_library.total).abs() < 0.01 * of_library.total);
    assert!((of_program.near_tip - of_library.near_tip).abs() < 0.5);
}
