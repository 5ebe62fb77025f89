//! Limbs that pass through other parts of the body, measured with capsules fitted to the skin.
//!
//! The radius of a capsule is the median distance of the vertices from the bone, so that about half of the flesh is outside and
//! soft contact is accepted. Depths are relative to the rest pose.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::asset::Skeleton;
use crate::ik::shared::SOFT_PART;
use crate::mathematics::nearest_points;
use crate::rig::{BodyPlan, Capsule};

use super::anatomy::Anatomy;
use super::finding::{Curve, Finding, Measured, length};
use super::kind::Check;
use super::sampled::Sampled;
use crate::mathematics::spans::{peak, runs};

/// Bones that are at most this many joints apart are neighbours, which touch in every pose.
const NEIGHBOURS: usize = 2;
/// Maximum number of pairs of capsules that are compared.
const MAX_PAIRS: usize = 600;

/// Two capsules that may touch, as indices into [`Anatomy::capsules`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// The capsule of the limb.
    pub(super) limb: usize,
    /// The capsule that it may enter.
    pub(super) other: usize,
    /// Depth in the rest pose in metres. Never negative.
    rest: f32,
}

/// Returns the pairs of capsules of a body that may touch: its arms and legs with its trunk, its head and its other limbs.
pub(super) fn pairs(anatomy: &Anatomy, skeleton: &Skeleton, plan: &BodyPlan) -> Vec<Pair> {
    let mut limb_of: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, limb) in plan.limbs.iter().enumerate() {
        limb_of.extend(limb.joints.iter().chain(&limb.collar).map(|n| (*n, index)));
    }
    let is_trunk = |n: usize| plan.trunk().any(|node| node == n);
    let mut pairs = Vec::new();
    for (i, a) in anatomy.capsules.iter().enumerate() {
        for (j, b) in anatomy.capsules.iter().enumerate() {
            let (Some(limb), other) = (limb_of.get(&a.node), limb_of.get(&b.node)) else { continue };
            let is_new = other.is_none_or(|other| limb < other);
            let counts = other.is_some() || is_trunk(b.node);
            let is_first =
                plan.limbs.iter().any(|l| l.joints.first() == Some(&a.node) || l.collar.contains(&a.node));
            // The first bone of a limb starts inside the body.
            if is_first || !is_new || !counts || distance(skeleton, a.node, b.node) <= NEIGHBOURS {
                continue;
            }
            let pair = Pair { limb: i, other: j, rest: 0.0 };
            let rest = depth(anatomy, &pair, |node| anatomy.world.get(node).copied().unwrap_or_default()).0;
            // Parts that overlap deeply in the rest pose, such as skirts, have no meaningful depth.
            if rest < 0.5 * a.radius.min(b.radius) {
                pairs.push(Pair { rest: rest.max(0.0), ..pair });
            }
        }
    }
    pairs.truncate(MAX_PAIRS);
    pairs
}

/// Returns the number of joints on the path between two nodes.
fn distance(skeleton: &Skeleton, a: usize, b: usize) -> usize {
    let up: Vec<usize> = skeleton.ancestors(a).collect();
    let found =
        skeleton.ancestors(b).enumerate().find_map(|(j, n)| Some(j + up.iter().position(|m| *m == n)?));
    found.unwrap_or(usize::MAX)
}

/// Returns the depth in metres by which two capsules overlap beyond their depth in the rest pose (negative if they do not), the direction
/// from the other capsule to the limb, and the nearest points of their axes.
pub(super) fn depth(
    anatomy: &Anatomy,
    pair: &Pair,
    world: impl Fn(usize) -> glam::Affine3A,
) -> (f32, Vec3, [Vec3; 2]) {
    let Some((a, b)) = anatomy.capsules.get(pair.limb).zip(anatomy.capsules.get(pair.other)) else {
        return (f32::NEG_INFINITY, Vec3::Y, [Vec3::ZERO; 2]);
    };
    let axis = |capsule: &Capsule| capsule.axis(&world(capsule.node)).map(Vec3::as_dvec3);
    let (p, q) = nearest_points(axis(a), axis(b));
    let [p, q] = [p.as_vec3(), q.as_vec3()];
    let away = (p - q).normalize_or(Vec3::Y);
    (a.radius + b.radius - p.distance(q) - pair.rest, away, [p, q])
}

/// Returns the part of a pair's depth that counts as a fault, in metres, for each frame.
pub(super) fn depths(anatomy: &Anatomy, sampled: &Sampled, pair: &Pair) -> Vec<f64> {
    let of = |index: usize| anatomy.capsules.get(index).map_or(0.0, |c| c.radius);
    let tolerated = SOFT_PART * f64::from(of(pair.limb).min(of(pair.other)));
    let depth =
        |frame: usize| f64::from(depth(anatomy, pair, |node| sampled.matrix(frame, node)).0) - tolerated;
    (0..sampled.len()).map(|frame| depth(frame).max(0.0)).collect()
}

pub(super) fn check(
    anatomy: &Anatomy,
    skeleton: &Skeleton,
    pairs: &[Pair],
    sampled: &Sampled,
    limit: f64,
) -> Measured {
    if pairs.is_empty() {
        return Measured::not_applied(
            Check::SelfPenetration,
            "the character has no recognised body with skin",
        );
    }
    let mut measured = Measured::default();
    let mut worst = vec![0.0_f64; sampled.len()];
    for pair in pairs {
        let values = depths(anatomy, sampled, pair);
        let node = |index: usize| anatomy.capsules.get(index).map_or(0, |c| c.node);
        for run in runs(values.len(), 2, |i| values[i] > limit) {
            let (_, depth) = peak(&values, run.clone());
            let text = format!("is {} inside {}", length(depth), skeleton.label(node(pair.other)));
            let span = sampled.span(*run.start(), *run.end());
            let node = Some(node(pair.limb));
            measured.findings.push(Finding::new(Check::SelfPenetration, node, span, depth, limit, text));
        }
        worst.iter_mut().zip(&values).for_each(|(w, v)| *w = w.max(*v));
    }
    measured.curves.push(Curve {
        check: Check::SelfPenetration,
        node: None,
        limit: Some(limit),
        times: sampled.times.clone(),
        values: worst,
    });
    measured
}
