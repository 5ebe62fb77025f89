//! Symmetric pairs of chains, and the plane between left and right.

use std::collections::BTreeSet;

use glam::Vec3;

use super::anatomy::Anatomy;

/// Maximum number of children of a node that are compared with each other. The longest are chosen.
const MAX_CHILDREN: usize = 12;
/// Maximum number of pairs that vote for the plane. The longest are chosen.
const MAX_VOTES: usize = 64;
/// Maximum number of joints of a chain that are compared.
const MAX_JOINTS: usize = 24;

/// Maximum number of nodes that are compared with a plane.
const MAX_SCORED: usize = 4096;

/// The vertical plane between left and right. Up is +Y.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    /// Unit normal, horizontal. Whether it points left or right is unknown.
    pub(super) normal: Vec3,
    /// Distance from the origin along the normal.
    pub(super) offset: f32,
}

impl Plane {
    pub(super) fn distance(&self, point: Vec3) -> f32 {
        self.normal.dot(point) - self.offset
    }

    fn is_near(&self, other: &Self, size: f32) -> bool {
        self.normal.dot(other.normal) > 0.9999 && (self.offset - other.offset).abs() < 0.001 * size
    }

    fn mirrored(&self, point: Vec3) -> Vec3 {
        point - 2.0 * self.distance(point) * self.normal
    }
}

/// Two chains of the same shape that start below the same node.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// The node that carries both chains.
    pub(super) attach: Option<usize>,
    /// The joints of both chains from the top to the end. The first chain is on the side to which the normal of the plane points.
    pub(super) joints: [Vec<usize>; 2],
    /// Mean length of the chains, in metres.
    pub(super) length: f32,
    /// Mean distance of one chain from the mirror image of the other, as a fraction of `length`.
    pub(super) residual: f32,
    /// Weighted means of the differences and of the midpoints of corresponding positions.
    across: Vec3,
    middle: Vec3,
}

impl Pair {
    /// Compares the chains below two nodes. Returns `None` if their bones have different lengths.
    fn new(anatomy: &Anatomy<'_>, attach: Option<usize>, tops: [usize; 2]) -> Option<Self> {
        let similar = |a: f32, b: f32| (a - b).abs() < 0.3 * a.max(b) + 0.01 * anatomy.size;
        let mut joints = tops.map(|top| vec![top]);
        let mut length = 0.0;
        let mut ends = tops;
        while joints[0].len() < MAX_JOINTS {
            let children = ends.map(|end| anatomy.main_children(end, 5));
            let mut best: Option<(f32, [usize; 2], f32)> = None;
            for &a in &children[0] {
                for &b in &children[1] {
                    let bones = [anatomy.length(ends[0], a), anatomy.length(ends[1], b)];
                    let reach = (bones[0] + anatomy.reach[a]).min(bones[1] + anatomy.reach[b]);
                    if similar(bones[0], bones[1]) && best.is_none_or(|(known, ..)| reach > known) {
                        best = Some((reach, [a, b], 0.5 * (bones[0] + bones[1])));
                    }
                }
            }
            let Some((_, next, bone)) = best else { break };
            joints[0].push(next[0]);
            joints[1].push(next[1]);
            length += bone;
            ends = next;
        }
        let reach = anatomy.reach[tops[0]].min(anatomy.reach[tops[1]]);
        if joints[0].len() < 2 && reach > 0.0 || length < 0.6 * reach {
            return None;
        }
        // The upper joints count most, because limbs swing in a walk while hips and shoulders stay side by side.
        let (mut across, mut middle, mut weight, mut total) = (Vec3::ZERO, Vec3::ZERO, 1.0, 0.0);
        for (&a, &b) in joints[0].iter().zip(&joints[1]) {
            let (a, b) = (anatomy.at[a], anatomy.at[b]);
            across += weight * (a - b);
            middle += weight * 0.5 * (a + b);
            total += weight;
            weight *= 0.5;
        }
        let (across, middle) = (across / total, middle / total);
        // The length of a chain of one joint is its distance from the node above.
        let stub = attach.map_or(0.0, |p| anatomy.length(p, tops[0]).min(anatomy.length(p, tops[1])));
        let length = if length > 0.0 { length } else { stub };
        Some(Self { attach, joints, length, residual: 0.0, across, middle })
    }

    /// Returns the normal of the plane between the chains, or `None` if they are not beside each other.
    fn normal(&self) -> Option<Vec3> {
        let flat = self.across.with_y(0.0);
        if flat.length() < 0.6 * self.across.length() {
            return None;
        }
        let normal = flat.try_normalize()?;
        // Opposite normals describe the same plane.
        let flip = normal.x < -1e-3 || (normal.x.abs() <= 1e-3 && normal.z < 0.0);
        Some(if flip { -normal } else { normal })
    }

    /// Returns the distance of the second chain from the mirror image of the first, as a fraction of their length.
    fn residual(&self, anatomy: &Anatomy<'_>, plane: &Plane) -> f32 {
        let gaps = self.joints[0].iter().zip(&self.joints[1]);
        let sum: f32 = gaps.map(|(&a, &b)| plane.mirrored(anatomy.at[a]).distance(anatomy.at[b])).sum();
        #[expect(clippy::cast_precision_loss, reason = "chains have few joints")]
        let count = self.joints[0].len() as f32;
        sum / count / self.length.max(f32::MIN_POSITIVE)
    }

    /// Returns whether the chains are on different sides of a plane.
    fn agrees(&self, anatomy: &Anatomy<'_>, plane: &Plane) -> bool {
        self.normal().is_some_and(|n| n.dot(plane.normal).abs() > 0.85)
            && plane.distance(self.middle).abs() < 0.06 * anatomy.size
    }
}

/// Finds the plane between left and right. Returns `None` if no pair of chains is symmetric.
pub(super) fn plane(anatomy: &Anatomy<'_>) -> Option<Plane> {
    let mut votes = Vec::new();
    for &node in &anatomy.order {
        add_pairs(anatomy, Some(node), &anatomy.main_children(node, MAX_CHILDREN), &mut votes);
        // Keep the list short, so that large files do not need much memory.
        if votes.len() > 64 * MAX_VOTES {
            keep_longest(&mut votes);
        }
    }
    keep_longest(&mut votes);
    let total: f32 = votes.iter().map(|v| v.length).sum();
    let mut best: Option<(f32, Plane)> = None;
    let mut judged: Vec<Plane> = Vec::new();
    for vote in &votes {
        let Some(normal) = vote.normal() else { continue };
        let plane = refined(anatomy, &votes, Plane { normal, offset: normal.dot(vote.middle) });
        if judged.iter().any(|other| plane.is_near(other, anatomy.size)) {
            continue;
        }
        judged.push(plane);
        let score = score(anatomy, &votes, &plane);
        if best.is_none_or(|(known, _)| score > known + 1e-6 * total) {
            best = Some((score, plane));
        }
    }
    best.map(|(_, plane)| plane)
}

/// Returns the mean of the planes of the pairs that agree with a plane.
fn refined(anatomy: &Anatomy<'_>, votes: &[Pair], plane: Plane) -> Plane {
    let (mut normal, mut offset, mut weight) = (Vec3::ZERO, 0.0, 0.0);
    for vote in votes.iter().filter(|v| v.agrees(anatomy, &plane)) {
        let own = vote.normal().unwrap_or(plane.normal);
        normal += vote.length * if own.dot(plane.normal) < 0.0 { -own } else { own };
        offset += vote.length * plane.normal.dot(vote.middle);
        weight += vote.length;
    }
    match normal.try_normalize().filter(|_| weight > 0.0) {
        Some(normal) => Plane { normal, offset: offset / weight },
        None => plane,
    }
}

/// Returns the total length of the pairs that a plane mirrors, minus the total length of the single bones beside the plane.
fn score(anatomy: &Anatomy<'_>, votes: &[Pair], plane: &Plane) -> f32 {
    let mut is_paired = BTreeSet::new();
    let mut score = 0.0;
    for vote in votes.iter().filter(|v| v.agrees(anatomy, plane)) {
        score += vote.length * (1.0 - 2.0 * vote.residual(anatomy, plane)).clamp(0.1, 1.0);
        vote.joints.iter().for_each(|joints| {
            is_paired.insert(joints[0]);
        });
    }
    let mut below_pair = vec![false; anatomy.at.len()];
    for &node in anatomy.order.iter().take(MAX_SCORED) {
        let parent = anatomy.parent[node];
        below_pair[node] = is_paired.contains(&node) || parent.is_some_and(|p| below_pair[p]);
        let Some(parent) = parent.filter(|p| !below_pair[node] && anatomy.moves_skin(*p)) else { continue };
        let beside = plane.distance(anatomy.at[node]).abs() / (0.1 * anatomy.size);
        score -= 0.5 * anatomy.length(parent, node) * beside.min(1.0);
    }
    score
}

fn keep_longest(votes: &mut Vec<Pair>) {
    votes.sort_by(|a, b| b.length.total_cmp(&a.length));
    votes.truncate(MAX_VOTES);
}

/// Adds all pairs among the children of a node.
fn add_pairs(anatomy: &Anatomy<'_>, attach: Option<usize>, children: &[usize], pairs: &mut Vec<Pair>) {
    for (i, &a) in children.iter().enumerate() {
        for &b in &children[i + 1..] {
            let [ra, rb] = [a, b].map(|n| anatomy.reach[n]);
            if ra.min(rb) >= 0.3 * ra.max(rb) - 0.01 * anatomy.size {
                pairs.extend(Pair::new(anatomy, attach, [a, b]).filter(|p| p.normal().is_some()));
            }
        }
    }
}

/// The trunk of a body and the pairs of chains that it carries.
pub(super) struct Division {
    pub(super) pairs: Vec<Pair>,
    /// Whether a node is part of the trunk, a tail, or anything else without a partner.
    pub(super) is_trunk: Vec<bool>,
}

/// Divides the nodes into pairs that a plane mirrors, and the trunk.
pub(super) fn divide(anatomy: &Anatomy<'_>, plane: &Plane) -> Division {
    let mut is_trunk = vec![false; anatomy.at.len()];
    let mut found = Vec::new();
    let roots: Vec<usize> = anatomy.order.iter().copied().filter(|&n| anatomy.parent[n].is_none()).collect();
    let mut next = vec![(None, roots)];
    while let Some((node, children)) = next.pop() {
        let main = match node {
            Some(node) => anatomy.main_children(node, 2 * MAX_CHILDREN),
            None => children.iter().copied().take(MAX_CHILDREN).collect(),
        };
        let mut pairs = Vec::new();
        add_pairs(anatomy, node, &main, &mut pairs);
        pairs.retain(|p| p.agrees(anatomy, plane));
        for pair in &mut pairs {
            pair.residual = pair.residual(anatomy, plane);
        }
        pairs.retain(|p| p.residual < 0.8);
        // Well-matched long chains come first.
        let rank = |p: &Pair| (p.residual - 0.5).min(0.0) * p.length;
        pairs.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        let mut taken = Vec::new();
        for mut pair in pairs {
            let tops = [pair.joints[0][0], pair.joints[1][0]];
            if tops.iter().any(|t| taken.contains(t)) {
                continue;
            }
            taken.extend(tops);
            if pair.across.dot(plane.normal) < 0.0 {
                pair.joints.swap(0, 1);
            }
            found.push(pair);
        }
        for child in children.into_iter().filter(|c| !taken.contains(c)) {
            is_trunk[child] = true;
            next.push((Some(child), anatomy.children[child].clone()));
        }
    }
    Division { pairs: found, is_trunk }
}
