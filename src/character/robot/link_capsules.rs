//! Fits capsules to the meshes of a robot's links.
//!
//! All triangles of a link are inside its capsules. A link whose shape is far from a capsule is cut into up to four parts.

use std::collections::BTreeMap;

use glam::{Affine3A, DVec3, Vec3};

use crate::asset::Character;
use crate::ik::{BodyCapsule, LinkIndex};
use crate::mathematics::eigen;
use crate::rig::Capsule;

/// A part is cut in two if the volume of the two capsules is less than this fraction of the volume of one.
const WORTH_CUTTING: f64 = 0.8;
/// Maximum number of successive cuts.
const CUTS: usize = 2;
/// A capsule is larger than its points by this fraction, because meshes are single precision.
const ROUNDING: f64 = 1e-5;

/// A triangle in the frame of its link.
type Triangle = [DVec3; 3];

/// Returns the capsules of links, in the order of the links. `nodes` contains the node of each link. Links without meshes have none.
pub(super) fn fit(character: &Character, nodes: &[usize]) -> Vec<BodyCapsule> {
    let mut meshes: BTreeMap<usize, Vec<Triangle>> = BTreeMap::new();
    for part in character.parts(character.default_scene).into_iter().filter(|part| part.skin.is_none()) {
        let primitive = character.primitive(part);
        let corner = |index: u32| primitive.positions.get(index as usize).map(|at| at.as_dvec3());
        let triangles = primitive.triangles.iter().filter_map(|&[a, b, c]| {
            let corners = [corner(a)?, corner(b)?, corner(c)?];
            corners.iter().all(|at| at.is_finite()).then_some(corners)
        });
        meshes.entry(part.node).or_default().extend(triangles);
    }
    let mut capsules = Vec::new();
    for (link, node) in nodes.iter().enumerate() {
        if let Some(triangles) = meshes.get(node) {
            add(LinkIndex(link), triangles, CUTS, &mut capsules);
        }
    }
    capsules
}

/// Adds the capsules of triangles.
fn add(link: LinkIndex, triangles: &[Triangle], cuts: usize, capsules: &mut Vec<BodyCapsule>) {
    let axes = principal_axes(triangles);
    let fitted = axes.iter().filter_map(|axis| capsule(link, triangles, *axis));
    let Some(whole) = fitted.min_by(|a, b| volume(a).total_cmp(&volume(b))) else { return };
    if cuts > 0 {
        let halves = axes.iter().filter_map(|axis| halves(triangles, *axis));
        let cut = |[first, second]: [Vec<Triangle>; 2]| {
            let mut parts = Vec::new();
            add(link, &first, cuts - 1, &mut parts);
            add(link, &second, cuts - 1, &mut parts);
            let total: f64 = parts.iter().map(volume).sum();
            (total, parts)
        };
        let best = halves.map(cut).min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((total, parts)) = best.filter(|(_, parts)| parts.len() > 1)
            && total < WORTH_CUTTING * volume(&whole)
        {
            capsules.extend(parts);
            return;
        }
    }
    capsules.push(whole);
}

fn volume(capsule: &BodyCapsule) -> f64 {
    let [a, b] = capsule.ends;
    let square = capsule.radius * capsule.radius;
    square * (a.distance(b) + 4.0 / 3.0 * capsule.radius)
}

/// Returns the eigenvectors of the covariance of the corners, weighted by the areas of their triangles.
fn principal_axes(triangles: &[Triangle]) -> [DVec3; 3] {
    let area = |[a, b, c]: &Triangle| 0.5 * (b - a).cross(c - a).length();
    let total: f64 = triangles.iter().map(area).sum();
    let middle = |t: &Triangle| (t[0] + t[1] + t[2]) / 3.0;
    let centre = triangles.iter().map(|t| middle(t) * area(t)).sum::<DVec3>() / total.max(f64::MIN_POSITIVE);
    let (mut matrix, mut vectors) = ([0.0; 9], [0.0; 9]);
    for triangle in triangles {
        for at in triangle.iter().map(|corner| *corner - centre) {
            for i in 0..9 {
                matrix[i] += area(triangle) * at[i / 3] * at[i % 3];
            }
        }
    }
    eigen(&mut matrix, &mut vectors, 3);
    let axes = [0, 1, 2].map(|i| DVec3::from_slice(&vectors[3 * i..3 * i + 3]).normalize_or_zero());
    if axes.iter().all(|axis| axis.is_normalized()) { axes } else { DVec3::AXES }
}

/// Cuts triangles in the middle of their extent along an axis, or returns `None` if one half is empty.
fn halves(triangles: &[Triangle], axis: DVec3) -> Option<[Vec<Triangle>; 2]> {
    let [low, high] = extent(triangles, axis);
    let is_low = |t: &Triangle| (t[0] + t[1] + t[2]).dot(axis) / 3.0 < 0.5 * (low + high);
    let (first, second): (Vec<Triangle>, Vec<Triangle>) = triangles.iter().copied().partition(is_low);
    (!first.is_empty() && !second.is_empty()).then_some([first, second])
}

fn single([a, b]: [DVec3; 2]) -> [Vec3; 2] {
    [a.as_vec3(), b.as_vec3()]
}

/// Returns the smallest and the largest coordinate along an axis.
fn extent(triangles: &[Triangle], axis: DVec3) -> [f64; 2] {
    let along = triangles.iter().flatten().map(|at| at.dot(axis));
    along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], at| [low.min(at), high.max(at)])
}

/// Returns the capsule along an axis that contains all triangles.
fn capsule(link: LinkIndex, triangles: &[Triangle], axis: DVec3) -> Option<BodyCapsule> {
    let (u, v) = axis.any_orthonormal_pair();
    let [middle_u, middle_v] = [u, v].map(|across| extent(triangles, across).iter().sum::<f64>() * 0.5);
    let beside = u * middle_u + v * middle_v;
    let [low, high] = extent(triangles, axis);
    let points: Vec<Vec3> = triangles.iter().flatten().map(|at| at.as_vec3()).collect();
    let ends = [beside + axis * low, beside + axis * high];
    // Only the radius is used, so the node does not matter.
    let whole = Capsule::fit(0, &points, single(ends), &Affine3A::IDENTITY, 1.0)?;
    let radius = f64::from(whole.radius) * (1.0 + ROUNDING) + ROUNDING * (high - low);
    // The round ends may begin before the ends of the points.
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for at in triangles.iter().flatten() {
        let along = at.dot(axis);
        let aside = (*at - axis * along - beside).length();
        let cap = (radius * radius - aside * aside).max(0.0).sqrt();
        range = [range[0].min(along + cap), range[1].max(along - cap)];
    }
    let [start, end] = range;
    // In a flat part, the round ends overlap, and one point between them is enough.
    let middle = 0.5 * (start + end);
    let [start, end] = if start <= end { [start, end] } else { [middle, middle] };
    let ends = [beside + axis * start, beside + axis * end];
    let farthest = |at: &DVec3| {
        let along = (at.dot(axis)).clamp(start, end);
        at.distance(beside + axis * along)
    };
    let radius = triangles.iter().flatten().map(farthest).fold(radius, f64::max);
    (radius.is_finite() && radius > 0.0).then_some(BodyCapsule { link, ends, radius })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a tube along an axis, made of quads.
    fn tube(from: DVec3, to: DVec3, radius: f64) -> Vec<Triangle> {
        let axis = (to - from).normalize();
        let (u, v) = axis.any_orthonormal_pair();
        let ring = |i: u32, j: u32| {
            let angle = std::f64::consts::TAU * f64::from(i % 24) / 24.0;
            from.lerp(to, f64::from(j) / 20.0) + (u * angle.cos() + v * angle.sin()) * radius
        };
        let quads = (0..24).flat_map(|i| (0..20).map(move |j| (i, j)));
        quads
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [ring(i, j), ring(i + 1, j), ring(i + 1, j + 1), ring(i, j + 1)];
                [[a, b, c], [a, c, d]]
            })
            .collect()
    }

    fn contains(capsules: &[BodyCapsule], at: DVec3) -> bool {
        capsules.iter().any(|c| {
            let [a, b] = c.ends;
            let t = ((at - a).dot(b - a) / (b - a).length_squared().max(1e-300)).clamp(0.0, 1.0);
            at.distance(a.lerp(b, t)) <= c.radius + 1e-9
        })
    }

    #[test]
    fn a_tube_has_one_capsule() {
        let triangles = tube(DVec3::new(0.1, 0.2, -0.3), DVec3::new(0.1, 0.6, 0.1), 0.05);
        let mut capsules = Vec::new();
        add(LinkIndex(3), &triangles, CUTS, &mut capsules);
        assert_eq!(capsules.len(), 1);
        assert!((capsules[0].radius - 0.05).abs() < 1e-3 && capsules[0].link == LinkIndex(3), "{capsules:?}");
        assert!(triangles.iter().flatten().all(|at| contains(&capsules, *at)));
    }

    #[test]
    fn an_elbow_is_cut_in_two() {
        let mut triangles = tube(DVec3::ZERO, DVec3::X * 0.5, 0.05);
        triangles.extend(tube(DVec3::X * 0.5, DVec3::new(0.5, 0.5, 0.0), 0.05));
        let mut capsules = Vec::new();
        add(LinkIndex(0), &triangles, CUTS, &mut capsules);
        assert!((2..=4).contains(&capsules.len()), "{capsules:?}");
        assert!(capsules.iter().all(|capsule| capsule.radius < 0.13), "{capsules:?}");
        assert!(triangles.iter().flatten().all(|at| contains(&capsules, *at)));
    }

    #[test]
    fn degenerate_meshes_have_no_capsule_or_a_finite_one() {
        for triangles in [vec![], vec![[DVec3::ZERO; 3]; 2], vec![[DVec3::ZERO, DVec3::X, DVec3::X * 2.0]; 2]]
        {
            let mut capsules = Vec::new();
            add(LinkIndex(0), &triangles, CUTS, &mut capsules);
            assert!(capsules.iter().all(|c| c.radius > 0.0 && c.ends.iter().all(|end| end.is_finite())));
        }
    }
}
