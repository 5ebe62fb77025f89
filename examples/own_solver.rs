//! Adds your own solver to the `sinew` program, alongside its methods in images, benchmarks, traces and the window.
//!
//! ```text
//! cargo run --release --example own_solver -- pose assets/tentacle.glb --reach segment_39=0.4,1.2,0.3 --no-limits \
//!     --method triangulation --trace own.csv -o own.json
//! cargo run --release --example own_solver -- render assets/tentacle.glb --reach segment_39=0.4,1.2,0.3 --no-limits \
//!     --compare ccd,triangulation -o own.png
//! cargo run --release --example own_solver -- bench --methods ccd,triangulation --joints 10 --set reach --limits off
//! cargo run --release --features viewer --example own_solver -- view assets/tentacle.glb
//! ```
//!
//! The method is from [exercise 10](../docs/exercises/10-own-solver.md): triangulation, R. Müller-Cajar and R. Mukundan 2007.
#![allow(clippy::print_stderr, reason = "an example")]

use std::process::ExitCode;

use sinew::glam::{DQuat, DVec3};
use sinew::ik::{Body, CustomMethod, Goal, Limit, LinkIndex, Options, register_method};

/// From the base outwards, each link and the straightened rest of the chain become two sides of a triangle whose third side ends at
/// the target.
pub(crate) struct Triangulation;

impl CustomMethod for Triangulation {
    fn name(&self) -> &'static str {
        "triangulation"
    }

    fn pass(&self, body: &mut Body, goals: &[Goal], options: &Options) -> Result<(), &'static str> {
        let [Goal { link: end, position: Some(target), orientation: None, .. }] = *goals else {
            return Err("one position is needed");
        };
        // The links from the base to the end.
        let mut path: Vec<LinkIndex> =
            std::iter::successors(Some(end), |link| body.links()[link.0].parent).collect();
        path.reverse();
        let is_limited = |link: &LinkIndex| body.links()[link.0].limit != Limit::Free;
        if options.limits && path.iter().take(path.len() - 1).any(is_limited) {
            return Err("the joints must be free");
        }
        let place =
            |body: &Body, link: LinkIndex| body.world_from_link(link).map_or(DVec3::ZERO, |m| m.translation);
        let joints: Vec<DVec3> = path.iter().map(|&link| place(body, link)).collect();
        let lengths: Vec<f64> = joints.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
        for (index, pair) in path.windows(2).enumerate() {
            let (own, rest) = (lengths[index], lengths[index + 1..].iter().sum::<f64>());
            let here = place(body, pair[0]);
            let bone = (place(body, pair[1]) - here).normalize_or_zero();
            let (line, distance) = ((target - here).normalize_or_zero(), here.distance(target));
            // The law of cosines. If the target is out of reach, the chain is straight. If the rest of the chain is too long, the link
            // points away from the target.
            let cos = (own * own + distance * distance - rest * rest) / (2.0 * own * distance);
            let angle = if cos.is_nan() { 0.0 } else { cos.clamp(-1.0, 1.0).acos() };
            let axis = line.cross(bone).try_normalize().unwrap_or_else(|| line.any_orthonormal_vector());
            let turn = DQuat::from_rotation_arc(bone, DQuat::from_axis_angle(axis, angle) * line);
            let rotation = body.rotations()[pair[0].0];
            let above = body.orientation(pair[0]).unwrap_or_default() * rotation.conjugate();
            body.set_rotation(pair[0], above.conjugate() * turn * above * rotation);
        }
        Ok(())
    }
}

#[allow(dead_code, reason = "the tests of the exercises use the rest of this file")]
fn main() -> ExitCode {
    match register_method(Triangulation) {
        Ok(()) => sinew::cli::main(),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
