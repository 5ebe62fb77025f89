//! Simplifies the triangles of a character. Every level uses only vertices of the original, so that all levels share its vertex buffers,
//! with weights, texture coordinates and morph targets.

mod collapse;
mod cost;
mod looks;
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
use measure::{Samples, Snapshot};

/// The number of values that describe the look of a vertex.
pub(super) const LOOKS: usize = 8;

/// What is visible of a vertex besides its position, scaled to lengths: a difference from the original look counts as much as this distance
/// from the original surface.
pub(super) type Look = [f32; LOOKS];

/// The triangles to simplify, in several poses.
pub(super) struct Shape<'a> {
    /// The positions of all vertices in metres in each pose. There is at least one pose.
    pub(super) poses: &'a [Vec<Vec3>],
    /// Indices of vertices.
    pub(super) triangles: &'a [[u32; 3]],
    /// The looks of all vertices.
    pub(super) looks: &'a [Look],
    /// Returns the error of a collapse of one vertex onto another one because they move differently, as a fraction of their distance.
    pub(super) difference: &'a dyn Fn(u32, u32) -> f32,
    /// Returns how visible it is if a triangle uses the second vertex in place of the first although no edge connects them, from 0 to 1.
    /// `None` if a triangle of the first cannot use the second, because they are in different parts.
    pub(super) jump: &'a dyn Fn(u32, u32) -> Option<f32>,
    /// Returns how different the surface is on the two sides of a seam, from 0 to 1. The two vertices are in the same place.
    pub(super) contrast: &'a dyn Fn(u32, u32) -> f32,
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
    /// The mean difference between the shape and the level in all poses, in metres. Distances and looks are summed like the coordinates of a
    /// vector, and few large differences count more than many small ones.
    pub(super) error: f32,
}

/// Returns a level for each of `counts`, which are numbers of triangles in decreasing order. A level has more triangles if a shape cannot
/// be simplified further, and may have a few less.
///
/// The shape is simplified by collapsing edges in the order of their errors (Garland & Heckbert 1997, "Surface Simplification Using Quadric
/// Error Metrics"). The error of a collapse is the largest in any pose (DeCoro & Rusinkiewicz 2005, "Pose-Independent Simplification of
/// Articulated Meshes"), plus the error of the looks. Small separate pieces are removed as a whole.
pub(super) fn simplify(shape: &Shape<'_>, counts: &[usize]) -> Vec<Level> {
    let mut collapses = Collapses::new(shape);
    let of_count = |&count: &usize| {
        collapses.reduce(count);
        Snapshot::new(&collapses.surface)
    };
    let snapshots: Vec<_> = counts.iter().map(of_count).collect();
    // Measuring takes about as long as the collapses, and the levels do not depend on each other.
    let samples = Samples::new(shape);
    let measured =
        |snapshot: Snapshot| Level { error: samples.error(&snapshot), triangles: snapshot.triangles };
    snapshots.into_par_iter().map(measured).collect()
}
