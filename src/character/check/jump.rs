//! Joints that move impossibly far within one frame, for example where part of a clip starts over without its root motion.
//!
//! The root is measured in the world, and the other joints relative to their parents. The flip check covers rotations that
//! move a hand or a foot far. A fast movement covers large distances in several frames. A jump has slow frames on both sides.

use crate::asset::{Clip, Interpolation, Skeleton, Values};

use super::anatomy::Anatomy;
use super::finding::{Curve, Finding, Measured, length};
use super::kind::Check;
use super::sampled::Sampled;

/// A jump is at least this many times as long as the movement in the frames before and after it.
const RATIO: f64 = 10.0;

/// Returns the nodes that can jump: the root, followed by its descendants. Nodes that the clip moves in steps jump on purpose.
fn nodes(anatomy: &Anatomy, skeleton: &Skeleton, clip: &Clip) -> Vec<usize> {
    let is_below = |node: &usize| skeleton.ancestors(*node).skip(1).any(|above| above == anatomy.hips);
    let is_stepped = |node: &usize| {
        let moves = |values: &Values| matches!(values, Values::Translation(_));
        clip.channels
            .iter()
            .any(|c| c.node == *node && c.interpolation == Interpolation::Step && moves(&c.values))
    };
    let below = anatomy.joints.iter().copied().filter(is_below);
    std::iter::once(anatomy.hips).chain(below).filter(|node| !is_stepped(node)).collect()
}

/// Returns the distance in metres that a joint moves from each frame to the next.
fn distances(anatomy: &Anatomy, skeleton: &Skeleton, sampled: &Sampled, node: usize) -> Vec<f64> {
    let parent = skeleton.nodes.get(node).and_then(|n| n.parent).filter(|_| node != anatomy.hips);
    let distance = |frame: usize| match parent {
        Some(parent) => {
            let place = |frame: usize| sampled.local(frame, node).translation;
            let scale = sampled.matrix(frame, parent).matrix3.x_axis.length();
            scale * place(frame).distance(place(frame - 1))
        }
        None => sampled.position(frame, node).distance(sampled.position(frame - 1, node)),
    };
    (1..sampled.len()).map(|frame| f64::from(distance(frame))).collect()
}

fn is_jump(distances: &[f64], frame: usize, limit: f64) -> bool {
    let at = |i: Option<usize>| i.and_then(|i| distances.get(i)).copied().unwrap_or(0.0);
    // A joint that jumps away and back within two frames makes two successive jumps, so the frames beyond the neighbours count as well.
    let before = at(frame.checked_sub(1)).min(at(frame.checked_sub(2)));
    let after = at(Some(frame + 1)).min(at(Some(frame + 2)));
    let own = at(Some(frame));
    own > limit && own > RATIO * before.max(after)
}

/// Reports the joint that jumps farthest in each frame, or the root if it jumps.
pub(super) fn check(
    anatomy: &Anatomy,
    skeleton: &Skeleton,
    sampled: &Sampled,
    clip: &Clip,
    limit: f64,
) -> Measured {
    let mut measured = Measured::default();
    let nodes = nodes(anatomy, skeleton, clip);
    let all: Vec<Vec<f64>> = nodes.iter().map(|n| distances(anatomy, skeleton, sampled, *n)).collect();
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
            measured.findings.push(Finding::new(Check::Jump, Some(node), span, distance, limit, text));
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
