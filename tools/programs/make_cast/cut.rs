//! Cuts a mesh along the zero level of a function, so that two colours meet along a clean line.

use crate::mesh::Mesh;
use crate::remesh::insert;
use crate::sdf::project;
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// If the distance from an end of an edge to the cut is less than this fraction of the edge's length, that end is
/// moved onto the cut and the edge is not split.
const SNAP: f64 = 0.3;

/// Indices of mesh points on existing cuts.
pub(crate) type Pinned = BTreeSet<usize>;

/// Cuts `mesh` along `line == 0` and keeps its points on `surface`. Pinned points do not move, and points on the new
/// cut become pinned.
pub(crate) fn cut(
    mesh: &mut Mesh,
    surface: impl Fn(DVec3) -> f64,
    line: impl Fn(DVec3) -> f64,
    pinned: &mut Pinned,
) {
    let mut side: Vec<f64> = mesh.points.iter().map(|&p| line(p)).collect();
    let edges: Vec<_> = mesh.edges().into_keys().collect();
    let mut on_line = Pinned::new();
    for &(a, b) in &edges {
        for (near, far) in [(a, b), (b, a)] {
            let free = !pinned.contains(&near) && (mesh.points[near].x > 0.0 || mesh.points[far].x == 0.0);
            if !free || side[near] * side[far] >= 0.0 {
                continue;
            }
            let (fraction, crossing) = crossing(&line, mesh.points[near], mesh.points[far]);
            if fraction < SNAP {
                mesh.points[near] = project(&surface, crossing);
                side[near] = 0.0;
                on_line.insert(near);
            }
        }
    }
    let mut middles = BTreeMap::new();
    for &(a, b) in &edges {
        if side[a] * side[b] < 0.0 {
            let (_, crossing) = crossing(&line, mesh.points[a], mesh.points[b]);
            middles.insert((a, b), mesh.points.len());
            on_line.insert(mesh.points.len());
            mesh.points.push(project(&surface, crossing));
        }
    }
    insert(mesh, &middles);
    pinned.append(&mut on_line);
}

/// Returns the place where `line` changes sign between `a` and `b`: the fraction of the way from `a` to `b`, and the
/// point.
fn crossing(line: impl Fn(DVec3) -> f64, a: DVec3, b: DVec3) -> (f64, DVec3) {
    let below = line(a) < 0.0;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if (line(a.lerp(b, middle)) < 0.0) == below { low = middle } else { high = middle }
    }
    (low, a.lerp(b, low))
}
