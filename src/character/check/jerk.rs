//! Joints that leave their path for one or a few frames, and joints that tremble.
//!
//! An excursion leaves the path and returns to it within a few frames, while the joint moves slowly before and after. A fast
//! movement does not return, and a recoil returns slowly. A joint trembles if it is alternately on both sides of its path.

use glam::{DQuat, DVec3};

use super::finding::{Curve, Finding, Measured};
use super::kind::Check;
use super::sampled::Sampled;
use crate::mathematics::spans::{peak, runs};

/// Maximum number of successive frames that are off the path.
const MAX_FRAMES: usize = 2;
/// Number of frames on each side of an excursion in which the joint must be slow.
const CALM: usize = 3;
/// Maximum angle as a fraction of the excursion's angle. It applies to each of these frames, to successive frames within the excursion, and
/// to the two frames around it.
const CALM_PART: f64 = 0.35;
/// Number of successive frames that a trembling joint spends on alternate sides of its path.
const TREMBLES: usize = 6;
/// A joint that trembles may leave its path by this fraction of the limit.
const TREMBLE_PART: f64 = 0.4;

/// Returns the deviation of a joint from its path in degrees for each frame in which it is a fault, and zero for all other frames.
pub(super) fn excursions(sampled: &Sampled, node: usize) -> Vec<f64> {
    let rotations: Vec<DQuat> = sampled.rotations(node).iter().map(|q| q.as_dquat()).collect();
    let mut excursions = vec![0.0_f64; rotations.len()];
    for width in 1..=MAX_FRAMES {
        for first in 1..rotations.len().saturating_sub(width) {
            let size = excursion(&rotations, first, width);
            excursions.iter_mut().skip(first).take(width).for_each(|value| *value = value.max(size));
        }
    }
    for (value, tremble) in excursions.iter_mut().zip(trembles(&rotations)) {
        *value = value.max(tremble / TREMBLE_PART);
    }
    excursions
}

/// Returns the smallest angle in degrees by which `width` rotations leave the path between the rotations on both sides of them. Returns
/// zero if the joint does not return to its path, or if it also moves fast before or after.
fn excursion(rotations: &[DQuat], first: usize, width: usize) -> f64 {
    let (i, j) = (first - 1, first + width);
    let (before, after) = (rotations[i], rotations[j]);
    let off = &rotations[first..j];
    let path = before.slerp(after, 0.5);
    let size = off.iter().map(|q| angle(path, *q)).fold(f64::INFINITY, f64::min);
    let within = off.windows(2).map(|w| angle(w[0], w[1])).fold(angle(before, after), f64::max);
    if size < 0.1 || within > CALM_PART * size {
        return 0.0;
    }
    let turn = |k: usize| angle(rotations[k], rotations[k + 1]);
    let (earlier, later) = (i.saturating_sub(CALM)..i, j..(j + CALM).min(rotations.len() - 1));
    if earlier.is_empty() && later.is_empty() {
        return 0.0;
    }
    let fastest = earlier.chain(later).map(turn).fold(0.0, f64::max);
    if fastest > CALM_PART * size { 0.0 } else { size }
}

/// For each frame, returns the joint's smallest distance from its path in degrees while it trembles, and zero otherwise.
fn trembles(rotations: &[DQuat]) -> Vec<f64> {
    let residual = |i: usize| {
        let path = rotations[i - 1].slerp(rotations[i + 1], 0.5);
        scaled_axis(path.conjugate() * rotations[i])
    };
    let count = rotations.len();
    let residuals: Vec<DVec3> =
        (0..count).map(|i| if i == 0 || i + 1 >= count { DVec3::ZERO } else { residual(i) }).collect();
    let mut found = vec![0.0_f64; count];
    for first in 1..count.saturating_sub(TREMBLES) {
        let window = &residuals[first..first + TREMBLES];
        let alternates = window.windows(2).all(|pair| pair[0].dot(pair[1]) < 0.0);
        if alternates {
            let smallest = window.iter().map(|r| r.length().to_degrees()).fold(f64::INFINITY, f64::min);
            for value in found.iter_mut().skip(first).take(TREMBLES) {
                *value = value.max(smallest);
            }
        }
    }
    found
}

fn scaled_axis(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    q.to_scaled_axis()
}

fn angle(a: DQuat, b: DQuat) -> f64 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    (4.0 * (a - b).length().atan2((a + b).length())).to_degrees()
}

/// `nodes` must not contain joints that flip.
pub(super) fn check(sampled: &Sampled, nodes: &[usize], limit: f64) -> Measured {
    let mut measured = Measured::default();
    let mut worst: Option<(f64, usize, Vec<f64>)> = None;
    for &node in nodes {
        let values = excursions(sampled, node);
        for run in runs(values.len(), 2, |i| values[i] > limit) {
            let (_, size) = peak(&values, run.clone());
            let text = format!("leaves its path by {size:.1} degrees and returns");
            let span = sampled.span(*run.start(), *run.end());
            measured.findings.push(Finding::new(Check::Jerk, Some(node), span, size, limit, text));
        }
        let largest = values.iter().copied().fold(0.0, f64::max);
        if worst.as_ref().is_none_or(|(value, ..)| largest > *value) {
            worst = Some((largest, node, values));
        }
    }
    if let Some((_, node, values)) = worst {
        measured.curves.push(Curve {
            check: Check::Jerk,
            node: Some(node),
            limit: Some(limit),
            times: sampled.times.clone(),
            values,
        });
    }
    measured
}
