//! Simplifies the triangles of a character. Every level uses only vertices of the original, so that all levels share its vertex buffers,
//! with weights, texture coordinates and morph targets.

mod collapse;
mod cost;
mod measure;
mod pieces;
mod quadric;
mod seams;
mod surface;
#[cfg(test)]
mod tests;

use glam::Vec3;
use rayon::prelude::*;

use collapse::Collapses;
use measure::Snapshot;

/// The triangles to simplify, in several poses.
pub(super) struct Shape<'a> {
    /// The positions of all vertices in metres in each pose. There is at least one pose.
    pub(super) poses: &'a [Vec<Vec3>],
    /// Indices of vertices.
    pub(super) triangles: &'a [[u32; 3]],
    /// Returns the error of a collapse of one vertex onto another one because they move or look differently, as a fraction of their distance.
    pub(super) difference: &'a dyn Fn(u32, u32) -> f32,
    /// Returns how visible it is if a triangle uses the second vertex in place of the first although no edge connects them, from 0 to 1.
    /// `None` if a triangle of the first cannot use the second, because they are in different parts.
    pub(super) jump: &'a dyn Fn(u32, u32) -> Option<f32>,
}

impl Shape<'_> {
    fn vertices(&self) -> usize {
        self.poses.first().map_or(0, Vec::len)
    }
}

/// Triangles that approximate a shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Level {
    /// The remaining triangles in their original order, each with the index of the original triangle.
    pub(super) triangles: Vec<(usize, [u32; 3])>,
    /// The largest distance between the shape and the level in any pose, and between equal colours, in metres.
    pub(super) error: f32,
}

/// Returns a level for each of `counts`, which are numbers of triangles in decreasing order. A level has more triangles if a shape cannot
/// be simplified further, and may have a few less.
///
/// The shape is simplified by collapsing edges in the order of their errors (Garland & Heckbert 1997, "Surface Simplification Using Quadric
/// Error Metrics"). The error of a collapse is the largest in any pose (DeCoro & Rusinkiewicz 2005, "Pose-Independent Simplification of
/// Articulated Meshes"). Small separate pieces are removed as a whole.
#[expect(clippy::cast_possible_truncation, reason = "a length in single precision")]
pub(super) fn simplify(shape: &Shape<'_>, counts: &[usize]) -> Vec<Level> {
    let mut collapses = Collapses::new(shape);
    let of_count = |&count: &usize| {
        collapses.reduce(count);
        (Snapshot::new(&collapses.surface), collapses.largest)
    };
    let snapshots: Vec<_> = counts.iter().map(of_count).collect();
    // Measuring takes about as long as the collapses, and the levels do not depend on each other.
    let Shape { poses, triangles, .. } = *shape;
    let measured = |(snapshot, largest): (Snapshot, f64)| {
        let error = snapshot.error(poses, triangles, largest as f32).sqrt();
        Level { triangles: snapshot.triangles, error }
    };
    snapshots.into_par_iter().map(measured).collect()
}
