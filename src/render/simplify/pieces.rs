//! Finds the separate pieces of a surface.

use std::collections::BTreeMap;

use glam::Vec3;

use super::Shape;
use super::seams::Classes;
use super::surface::Surface;

/// Triangles that are not connected to others.
pub(super) struct Piece {
    pub(super) triangles: Vec<usize>,
    /// The error that results if the piece is not drawn, as the square of a length: half its size, weighted by its importance.
    pub(super) error: f64,
}

/// Returns all pieces in decreasing order of their errors. `importance` is the factor of errors that affect a given area.
pub(super) fn pieces(shape: &Shape<'_>, surface: &Surface, importance: impl Fn(f64) -> f64) -> Vec<Piece> {
    let mut classes = Classes(surface.classes().to_vec());
    for (_, [a, b, c]) in surface.triangles() {
        classes.join(a, b);
        classes.join(b, c);
    }
    // With the area, and the corners of a box.
    let mut pieces: BTreeMap<u32, (Piece, f64, [Vec3; 2])> = BTreeMap::new();
    for (index, corners) in surface.triangles() {
        let create = || (Piece { triangles: Vec::new(), error: 0.0 }, 0.0, [Vec3::MAX, Vec3::MIN]);
        let (piece, area, [low, high]) = pieces.entry(classes.find(corners[0])).or_insert_with(create);
        piece.triangles.push(index);
        let positions = corners.map(|corner| shape.poses[0][corner as usize]);
        *area += area_of(positions);
        for position in positions {
            (*low, *high) = (low.min(position), high.max(position));
        }
    }
    let measured = |(piece, area, [low, high]): (Piece, f64, [Vec3; 2])| Piece {
        error: 0.25 * f64::from(low.distance_squared(high)) * importance(area),
        ..piece
    };
    let mut pieces: Vec<Piece> = pieces.into_values().map(measured).collect();
    pieces.sort_by(|a, b| b.error.total_cmp(&a.error));
    pieces
}

/// Returns the area of a triangle.
pub(super) fn area_of([a, b, c]: [Vec3; 3]) -> f64 {
    0.5 * (b - a).as_dvec3().cross((c - a).as_dvec3()).length()
}
