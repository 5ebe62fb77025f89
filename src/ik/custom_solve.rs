//! The iterations of a [`CustomMethod`](super::CustomMethod).

use glam::DQuat;

use super::custom::registered;
use super::driver::{Driver, Progress};
use super::last_solve::BodyPose;
use super::trace::{Recorder, Stage};
use super::tree::Tree;
use super::{Body, Goal, LinkIndex, Method, Options, SolveError, StepKind};

/// A solve stalls if this many iterations do not reduce the error.
const PATIENCE: usize = 16;
/// The error of a solve without a registered method.
pub(super) const NO_METHOD: &str = "no method is registered";

/// Iterates until the goals are met, the iterations run out, or the error no longer falls. Leaves the best pose in the body and
/// in the tree.
pub(super) fn iterate(
    body: &mut Body,
    goals: &[Goal],
    options: &Options,
    tree: &mut Tree,
    recorder: &mut Recorder,
    history: &mut Vec<f64>,
) -> Result<Progress, SolveError> {
    let unsuited = |why| SolveError::Unsuited { method: Method::Custom, why };
    let method = registered().ok_or(unsuited(NO_METHOD))?;
    history.clear();
    let (mut best, mut before) = (BodyPose::default(), Vec::new());
    best.store(body);
    let (mut least, mut last_gain, mut iterations) = (f64::INFINITY, 0, 0);
    loop {
        tree.set_solved(body, goals, options);
        Driver::set_tolerances(tree, options);
        let measure = tree.measure();
        if options.record {
            history.push(tree.largest_error());
        }
        if measure.sum < least {
            (least, last_gain) = (measure.sum, iterations);
            best.store(body);
        }
        if measure.done || iterations >= options.iterations || iterations - last_gain >= PATIENCE {
            break;
        }
        before.clear();
        before.extend_from_slice(body.rotations());
        method.pass(body, goals, options).map_err(unsuited)?;
        iterations += 1;
        if options.limits {
            limit_turned(body, &before);
        }
        body.follow_leaders();
        recorder.note_body(body, Stage { kind: StepKind::Iteration, start: 0, iteration: iterations });
    }
    best.apply(body);
    tree.set_solved(body, goals, options);
    Driver::set_tolerances(tree, options);
    recorder.note_body(body, Stage { kind: StepKind::Result, start: 0, iteration: iterations });
    Ok(Progress { iterations, method: Method::Custom, spent: iterations >= options.iterations })
}

/// Moves the links that have turned since `before` back to the nearest rotation within their limits. Links that the method did
/// not turn may stay beyond their limits, as can happen in a clip.
fn limit_turned(body: &mut Body, before: &[DQuat]) {
    for (link, &rotation) in before.iter().enumerate() {
        let Some((own, &turned)) = body.links().get(link).zip(body.rotations().get(link)) else { continue };
        if turned != rotation {
            let nearest = own.nearest(turned);
            body.set_rotation(LinkIndex(link), nearest);
        }
    }
}
