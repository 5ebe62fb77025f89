//! A body that hovers above the floor without jumping, and a standing foot that does not reach the floor.

use super::anatomy::Anatomy;
use super::contacts::{Contacts, flat};
use super::finding::{Curve, Finding, Measured, length};
use super::kind::Check;
use super::sampled::Sampled;
use crate::mathematics::spans::{peak, runs};

/// Height up to which a hovering body counts as a fault, in metres at human size. A higher body jumps, swims or flies.
const MAX_HOVER: f64 = 0.1;
/// Height up to which a hovering foot counts as a fault, in metres at human size. A higher foot is raised on purpose.
const MAX_FOOT_HOVER: f64 = 0.06;
/// Minimum duration of a fault in seconds. A running body leaves the floor for a shorter time.
const MIN_BODY: f32 = 0.3;
const MIN_FOOT: f32 = 0.4;
/// Minimum vertical speed of the lowest point of a jumping body, in metres per second at human size.
const JUMP_SPEED: f64 = 0.25;
/// Maximum speed of a standing foot, in metres per second at human size.
const STILL: f32 = 0.04;

pub(super) fn check(
    anatomy: &Anatomy,
    sampled: &Sampled,
    contacts: &Contacts,
    floor: f32,
    limit: f64,
) -> Measured {
    let size = f64::from(anatomy.size);
    let lowest = lowest_points(anatomy, sampled, floor);
    let speed = |i: usize| {
        let (before, after) = (i.saturating_sub(1), (i + 1).min(lowest.len() - 1));
        let (from, to) = sampled.span(before, after);
        (lowest[after] - lowest[before]).abs() / f64::from((to - from).max(sampled.step * 0.5))
    };
    let hovers = |i: usize| lowest[i] > limit && lowest[i] < MAX_HOVER * size && speed(i) < JUMP_SPEED * size;
    let mut measured = Measured::default();
    // A jump begins and ends on the ground, and passes through low heights quickly. A clip that never comes near the floor is in the air.
    for run in runs(lowest.len(), 1, hovers) {
        let span = sampled.span(*run.start(), *run.end());
        let (_, height) = peak(&lowest, run.clone());
        if span.1 - span.0 < MIN_BODY || is_top_of_jump(&lowest, run.clone(), size) {
            continue;
        }
        let text = format!("the body hovers {} above the floor", length(height));
        measured.findings.push(Finding::new(Check::Floating, None, span, height, limit, text));
    }
    measured.curves.push(Curve {
        check: Check::Floating,
        node: None,
        limit: Some(limit),
        times: sampled.times.clone(),
        values: lowest.iter().map(|h| h.max(0.0)).collect(),
    });
    if measured.findings.is_empty() {
        measured.findings.extend(floating_feet(anatomy, sampled, contacts, limit));
    }
    measured
}

/// Returns the height of the body's lowest point above the floor in each frame, in metres.
pub(super) fn lowest_points(anatomy: &Anatomy, sampled: &Sampled, floor: f32) -> Vec<f64> {
    let points = || anatomy.feet.iter().flat_map(|f| &f.points).chain(&anatomy.skin);
    let height = |frame: usize| {
        let heights = points().map(|(node, at)| sampled.matrix(frame, *node).transform_point3(*at).y);
        f64::from(heights.fold(f32::INFINITY, f32::min) - floor)
    };
    (0..sampled.len()).map(height).collect()
}

/// Returns whether the body is higher immediately before or after a run of frames. The run is then part of a jump, not a hover.
fn is_top_of_jump(lowest: &[f64], run: std::ops::RangeInclusive<usize>, size: f64) -> bool {
    let before = run.start().checked_sub(1).and_then(|i| lowest.get(i)).copied();
    let after = lowest.get(run.end() + 1).copied();
    [before, after].into_iter().flatten().any(|height| height >= MAX_HOVER * size)
}

/// Finds feet that stay still just above the floor while another foot stands.
fn floating_feet(anatomy: &Anatomy, sampled: &Sampled, contacts: &Contacts, limit: f64) -> Vec<Finding> {
    let size = anatomy.size;
    let mut findings = Vec::new();
    for foot in &contacts.feet {
        let heights: Vec<f64> = foot.heights.iter().map(|h| f64::from(*h)).collect();
        let is_still = |i: usize| {
            let step = |a: usize, b: usize| {
                let moved = sampled.position(b, foot.node) - sampled.position(a, foot.node);
                (flat(moved).length() + moved.y.abs()) / sampled.step
            };
            let after = (i + 1).min(heights.len() - 1);
            step(i.saturating_sub(1), i) < STILL * size && step(i, after) < STILL * size
        };
        let hovers =
            |i: usize| heights[i] > limit && heights[i] < MAX_FOOT_HOVER * f64::from(size) && is_still(i);
        for run in runs(heights.len(), 1, hovers) {
            let span = sampled.span(*run.start(), *run.end());
            if span.1 - span.0 < MIN_FOOT {
                continue;
            }
            let (_, height) = peak(&heights, run);
            let text = format!("hovers {} above the floor while it keeps still", length(height));
            findings.push(Finding::new(Check::Floating, Some(foot.node), span, height, limit, text));
        }
    }
    findings
}
