//! Isotropic remeshing (Botsch and Kobbelt 2004). Each pass splits, collapses and flips edges, then relaxes the points
//! and projects them back onto the surface.

use crate::mesh::{Edge, Mesh, cross, edge, edges_of};
use crate::sdf::{gradient, project};
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// An edge longer than this multiple of its target length is split.
const LONG: f64 = 4.0 / 3.0;
/// An edge shorter than this multiple of its target length is collapsed.
const SHORT: f64 = 4.0 / 5.0;

/// Remeshes the left half of the zero level of `field`. `target_length` returns the target edge length at a point.
pub(crate) fn remesh(
    mesh: &mut Mesh,
    field: impl Fn(DVec3) -> f64,
    target_length: impl Fn(DVec3) -> f64,
    passes: usize,
) {
    for _ in 0..passes {
        split(mesh, &field, &target_length);
        collapse(mesh, &field, &target_length);
        flip(mesh);
        for _ in 0..3 {
            relax(mesh, &field);
        }
    }
}

/// Splits long edges in the middle.
fn split(mesh: &mut Mesh, field: impl Fn(DVec3) -> f64, target_length: impl Fn(DVec3) -> f64) {
    let mut middles = BTreeMap::new();
    for &(a, b) in mesh.edges().keys() {
        let (pa, pb) = (mesh.points[a], mesh.points[b]);
        let middle = (pa + pb) * 0.5;
        if (pa - pb).length() > LONG * target_length(middle) {
            middles.insert((a, b), mesh.points.len());
            mesh.points.push(project(&field, middle));
        }
    }
    insert(mesh, &middles);
}

/// Inserts points into edges and retriangulates. `middles` maps each edge to the index of its new point.
pub(crate) fn insert(mesh: &mut Mesh, middles: &BTreeMap<Edge, usize>) {
    let mut triangles = Vec::with_capacity(mesh.triangles.len() * 2);
    for &triangle in &mesh.triangles {
        let on = edges_of(triangle).map(|edge| middles.get(&edge).copied());
        // Rotate the corners so that the first edge is split and the last one is not, unless all three are split.
        let shift = (0..3).find(|&i| on[i].is_some() && on[(i + 2) % 3].is_none()).unwrap_or(0);
        let [a, b, c] = [0, 1, 2].map(|i| triangle[(i + shift) % 3]);
        match [0, 1, 2].map(|i| on[(i + shift) % 3]) {
            [Some(ab), Some(bc), Some(ca)] => {
                triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
            }
            [Some(ab), Some(bc), None] => {
                let length = |i: usize, j: usize| (mesh.points[i] - mesh.points[j]).length_squared();
                triangles.push([ab, b, bc]);
                if length(ab, c) <= length(a, bc) {
                    triangles.extend([[a, ab, c], [ab, bc, c]]);
                } else {
                    triangles.extend([[a, ab, bc], [a, bc, c]]);
                }
            }
            [Some(ab), None, _] => triangles.extend([[a, ab, c], [ab, b, c]]),
            _ => triangles.push(triangle),
        }
    }
    mesh.triangles = triangles;
}

/// Collapses short edges.
fn collapse(mesh: &mut Mesh, field: impl Fn(DVec3) -> f64, target_length: impl Fn(DVec3) -> f64) {
    let mut fans = vec![Vec::new(); mesh.points.len()];
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        for &point in triangle {
            fans[point].push(index);
        }
    }
    let mut is_collapsed = vec![false; mesh.triangles.len()];
    let mut is_removed = vec![false; mesh.points.len()];
    let edges: Vec<Edge> = mesh.edges().into_keys().collect();
    for (a, b) in edges {
        if is_removed[a] || is_removed[b] {
            continue;
        }
        let (pa, pb) = (mesh.points[a], mesh.points[b]);
        if (pa - pb).length() > SHORT * target_length((pa + pb) * 0.5) {
            continue;
        }
        let shared: Vec<usize> = fans[a].iter().copied().filter(|t| fans[b].contains(t)).collect();
        let merged = match (pa.x == 0.0, pb.x == 0.0) {
            (true, true) if shared.len() != 1 => continue,
            (true, false) => pa,
            (false, true) => pb,
            _ => project(&field, (pa + pb) * 0.5),
        };
        if shared.is_empty() || !may_merge(mesh, &fans, (a, b), &shared, merged, &target_length) {
            continue;
        }
        mesh.points[a] = merged;
        is_removed[b] = true;
        for &triangle in &shared {
            is_collapsed[triangle] = true;
            for point in mesh.triangles[triangle] {
                fans[point].retain(|&t| t != triangle);
            }
        }
        for triangle in std::mem::take(&mut fans[b]) {
            for point in &mut mesh.triangles[triangle] {
                if *point == b {
                    *point = a;
                }
            }
            fans[a].push(triangle);
        }
    }
    let mut index = 0;
    mesh.triangles.retain(|_| {
        index += 1;
        !is_collapsed[index - 1]
    });
    mesh.compact();
}

/// Returns whether merging `a` and `b` into `merged` keeps the mesh a manifold, folds no triangle and creates no long
/// edge.
fn may_merge(
    mesh: &Mesh,
    fans: &[Vec<usize>],
    (a, b): Edge,
    shared: &[usize],
    merged: DVec3,
    target_length: impl Fn(DVec3) -> f64,
) -> bool {
    let ring = |point: usize| -> BTreeSet<usize> {
        fans[point].iter().flat_map(|&t| mesh.triangles[t]).filter(|&p| p != a && p != b).collect()
    };
    let (ring_a, ring_b) = (ring(a), ring(b));
    // The link condition (Dey et al. 1999).
    if ring_a.intersection(&ring_b).count() != shared.len() {
        return false;
    }
    let limit = LONG * target_length(merged);
    if ring_a.union(&ring_b).any(|&p| (mesh.points[p] - merged).length() > limit) {
        return false;
    }
    fans[a].iter().chain(&fans[b]).filter(|t| !shared.contains(t)).all(|&t| {
        let old = mesh.triangles[t].map(|p| mesh.points[p]);
        let new = mesh.triangles[t].map(|p| if p == a || p == b { merged } else { mesh.points[p] });
        let (before, after) = (cross(old[0], old[1], old[2]), cross(new[0], new[1], new[2]));
        before.dot(after) > 0.5 * before.length() * after.length()
    })
}

/// Flips the common edge of two triangles if this brings the neighbour counts of their four corners closer to six in the least-squares
/// sense. The target is four for corners in the mirror plane.
fn flip(mesh: &mut Mesh) {
    let edges = mesh.edges();
    let mut present: BTreeSet<Edge> = edges.keys().copied().collect();
    let mut surplus: Vec<i64> = mesh.points.iter().map(|p| if p.x == 0.0 { -4 } else { -6 }).collect();
    for &(a, b) in edges.keys() {
        surplus[a] += 1;
        surplus[b] += 1;
    }
    let mut touched = vec![false; mesh.triangles.len()];
    for (&(a, b), triangles) in &edges {
        let &[first, second] = triangles.as_slice() else { continue };
        if touched[first] || touched[second] {
            continue;
        }
        let opposite = |t: usize| mesh.triangles[t].into_iter().find(|&p| p != a && p != b);
        let (Some(c), Some(d)) = (opposite(first), opposite(second)) else { continue };
        // The triangle that traverses the edge from a to b must come first.
        let forward = directed_edges(mesh.triangles[first]).contains(&(a, b));
        let (c, d) = if forward { (c, d) } else { (d, c) };
        let cost = |change: i64| {
            let square = |p: usize, by: i64| (surplus[p] + by) * (surplus[p] + by);
            square(a, -change) + square(b, -change) + square(c, change) + square(d, change)
        };
        let flipped = [[c, d, b], [d, c, a]];
        if cost(1) >= cost(0) || present.contains(&edge(c, d)) || folds(mesh, [first, second], flipped) {
            continue;
        }
        present.remove(&(a, b));
        present.insert(edge(c, d));
        for (point, change) in [(a, -1), (b, -1), (c, 1), (d, 1)] {
            surplus[point] += change;
        }
        for (triangle, corners) in [first, second].into_iter().zip(flipped) {
            mesh.triangles[triangle] = corners;
            touched[triangle] = true;
        }
    }
}

fn directed_edges([a, b, c]: [usize; 3]) -> [Edge; 3] {
    [(a, b), (b, c), (c, a)]
}

/// Returns whether the new triangles face a different direction than the old ones.
fn folds(mesh: &Mesh, old: [usize; 2], new: [[usize; 3]; 2]) -> bool {
    let facing = old.map(|t| mesh.cross(mesh.triangles[t])).iter().sum::<DVec3>().normalize_or_zero();
    new.iter().any(|&t| mesh.cross(t).normalize_or_zero().dot(facing) < 0.8)
}

/// Moves each point along the surface towards the mean of its neighbours.
fn relax(mesh: &mut Mesh, field: impl Fn(DVec3) -> f64) {
    let neighbours = mesh.neighbours();
    let mut moved = mesh.points.clone();
    for (index, around) in neighbours.iter().enumerate() {
        let here = mesh.points[index];
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        for &other in around {
            // If a point is in the mirror plane, the mirror images of its neighbours are also its neighbours.
            let weight = if here.x == 0.0 && mesh.points[other].x > 0.0 { 2.0 } else { 1.0 };
            sum += mesh.points[other] * weight;
            count += weight;
        }
        let normal = gradient(&field, here).normalize_or_zero();
        let offset = sum / count - here;
        let mut target = here + (offset - normal * offset.dot(normal)) * 0.6;
        if here.x == 0.0 {
            target.x = 0.0;
        }
        let target = project(&field, target);
        moved[index] = if here.x == 0.0 { target } else { target.with_x(target.x.max(1e-4)) };
    }
    mesh.points = moved;
}
