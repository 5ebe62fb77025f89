//! Joints that turn by a large angle within one frame, as after a wrong choice between two equivalent rotations.
//!
//! A fast movement turns a joint by large angles in several frames. A flip has slow frames on both sides.

use super::finding::{Curve, Finding, Measured};
use super::kind::Check;
use super::sampled::{Sampled, degrees_between};

/// A flip turns a joint by at least this many times the angle in the frames before and after it.
const RATIO: f64 = 4.0;

/// Returns the frames after which a joint flips, with the angles in degrees.
pub(super) fn flips(sampled: &Sampled, node: usize, limit: f64) -> Vec<(usize, f64)> {
    let turns = turns(sampled, node);
    let at = |i: Option<usize>| i.and_then(|i| turns.get(i)).copied().unwrap_or(0.0);
    let is_flip = |i: usize| {
        // A flip there and back within two frames is next to another flip, so the frames beyond both flips count as
        // well.
        let before = at(i.checked_sub(1)).min(at(i.checked_sub(2)));
        let after = at(Some(i + 1)).min(at(Some(i + 2)));
        turns[i] > limit && turns[i] > RATIO * before.max(after)
    };
    (0..turns.len()).filter(|i| is_flip(*i)).map(|i| (i, turns[i])).collect()
}

/// Returns the angle in degrees by which a joint turns from each frame to the next.
fn turns(sampled: &Sampled, node: usize) -> Vec<f64> {
    let turn =
        |i: usize| degrees_between(sampled.local(i - 1, node).rotation, sampled.local(i, node).rotation);
    (1..sampled.len()).map(turn).collect()
}

pub(super) fn check(sampled: &Sampled, nodes: &[usize], limit: f64) -> Measured {
    let mut measured = Measured::default();
    let mut worst: Option<(f64, usize)> = None;
    for &node in nodes {
        for (frame, angle) in flips(sampled, node, limit) {
            let text = format!("turns by {angle:.0} degrees within one frame");
            let span = sampled.span(frame, frame + 1);
            measured.findings.push(Finding::new(Check::Flip, Some(node), span, angle, limit, text));
        }
        let largest = turns(sampled, node).into_iter().fold(0.0, f64::max);
        if worst.is_none_or(|(angle, _)| largest > angle) {
            worst = Some((largest, node));
        }
    }
    if let Some((_, node)) = worst {
        measured.curves.push(Curve {
            check: Check::Flip,
            node: Some(node),
            limit: Some(limit),
            times: sampled.times.iter().skip(1).copied().collect(),
            values: turns(sampled, node),
        });
    }
    measured
}
