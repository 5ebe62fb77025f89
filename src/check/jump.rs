//! Joints that move impossibly far within one frame, as where a part of a clip starts over without its root motion.
//!
//! The root is measured in the world, and all other joints relative to it. A fast movement covers large distances in several frames.
//! A jump has slow frames on both sides.

use super::anatomy::Anatomy;
use super::finding::{Curve, Finding, Measured, length};
use super::kind::Check;
use super::sampled::Sampled;

/// A jump is at least this many times as far as the way in the frames before and after it.
const RATIO: f64 = 4.0;

/// Returns the distance in metres that a joint moves from each frame to the next.
fn distances(anatomy: &Anatomy, sampled: &Sampled, node: usize) -> Vec<f64> {
    let place = |frame: usize| match sampled.position(frame, node) {
        root if node == anatomy.hips => root,
        joint => joint - sampled.position(frame, anatomy.hips),
    };
    (1..sampled.len()).map(|frame| f64::from(place(frame).distance(place(frame - 1)))).collect()
}

/// Returns whether a joint jumps after a frame.
fn is_jump(distances: &[f64], frame: usize, limit: f64) -> bool {
    let at = |i: Option<usize>| i.and_then(|i| distances.get(i)).copied().unwrap_or(0.0);
    // A jump there and back within two frames has another one beside it, so the frames beyond them count as well.
    let before = at(frame.checked_sub(1)).min(at(frame.checked_sub(2)));
    let after = at(Some(frame + 1)).min(at(Some(frame + 2)));
    let own = at(Some(frame));
    own > limit && own > RATIO * before.max(after)
}

/// Reports the joint that jumps farthest in each frame, or the root if it jumps.
pub(super) fn check(anatomy: &Anatomy, sampled: &Sampled, limit: f64) -> Measured {
    let mut measured = Measured::default();
    // Nodes above the root may jump as long as it does not, as where a cycle starts over.
    let is_other = |node: &usize| *node != anatomy.hips && !anatomy.above_hips.contains(node);
    let others = anatomy.joints.iter().copied().filter(is_other);
    let nodes: Vec<usize> = std::iter::once(anatomy.hips).chain(others).collect();
    let all: Vec<Vec<f64>> = nodes.iter().map(|n| distances(anatomy, sampled, *n)).collect();
    for frame in 0..sampled.len().saturating_sub(1) {
        let jumps = nodes.iter().zip(&all).filter(|(_, d)| is_jump(d, frame, limit));
        let jumps = jumps.filter_map(|(node, d)| Some((*node, *d.get(frame)?)));
        let rank = |(node, distance): &(usize, f64)| (*node == anatomy.hips, *distance);
        let farthest = jumps.max_by(|a, b| {
            let ((root, far), (other_root, other_far)) = (rank(a), rank(b));
            root.cmp(&other_root).then(far.total_cmp(&other_far))
        });
        if let Some((node, distance)) = farthest {
            let text = format!("jumps by {} within one frame", length(distance));
            let span = sampled.span(frame, frame + 1);
            measured.findings.push(Finding::new(Check::Jump, Some(node), span, (distance, limit), text));
        }
    }
    let largest = |d: &Vec<f64>| d.iter().copied().fold(0.0, f64::max);
    let worst = nodes.iter().zip(all).max_by(|a, b| largest(&a.1).total_cmp(&largest(&b.1)));
    if let Some((&node, values)) = worst {
        let times = sampled.times.iter().skip(1).copied().collect();
        measured.curves.push(Curve {
            check: Check::Jump,
            node: Some(node),
            limit: Some(limit),
            times,
            values,
        });
    }
    measured
}
