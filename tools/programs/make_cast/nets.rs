//! Surface nets (Gibson 1998): one point for each grid cell that the surface crosses, and one quad for each crossed
//! edge of the grid.

use crate::mesh::Mesh;
use glam::{DVec3, dvec3};

/// Edge length of a grid cell in metres.
const CELL: f64 = 0.0115;
/// Minimum corner of the grid. The first cell in x straddles the plane of symmetry.
const ORIGIN: DVec3 = dvec3(-0.5 * CELL, -0.03, -0.2);
/// Number of grid corners along each axis.
const CORNERS: [usize; 3] = [64, 157, 37];

/// Values of a field at the grid corners.
struct Grid {
    values: Vec<f64>,
}

impl Grid {
    fn sample(field: impl Fn(DVec3) -> f64) -> Self {
        let mut values = Vec::with_capacity(CORNERS.iter().product());
        for z in 0..CORNERS[2] {
            for y in 0..CORNERS[1] {
                for x in 0..CORNERS[0] {
                    values.push(field(position([x, y, z])));
                }
            }
        }
        Self { values }
    }

    fn at(&self, corner: [usize; 3]) -> f64 {
        self.values[index(corner)]
    }
}

fn index([x, y, z]: [usize; 3]) -> usize {
    (z * CORNERS[1] + y) * CORNERS[0] + x
}

fn position([x, y, z]: [usize; 3]) -> DVec3 {
    ORIGIN + dvec3(x as f64, y as f64, z as f64) * CELL
}

/// Returns the next corner along `axis`.
fn step(mut corner: [usize; 3], axis: usize) -> [usize; 3] {
    corner[axis] += 1;
    corner
}

/// Triangulates the left half of the zero level of `field`, which must be symmetric about `x = 0`.
pub(crate) fn left_half(field: impl Fn(DVec3) -> f64) -> Mesh {
    let grid = Grid::sample(field);
    let mut mesh = Mesh::default();
    let mut point_of_cell = vec![None; grid.values.len()];
    for z in 0..CORNERS[2] - 1 {
        for y in 0..CORNERS[1] - 1 {
            for x in 0..CORNERS[0] - 1 {
                if let Some(mut point) = cell_point(&grid, [x, y, z]) {
                    if x == 0 {
                        point.x = 0.0;
                    }
                    point_of_cell[index([x, y, z])] = Some(mesh.points.len());
                    mesh.points.push(point);
                }
            }
        }
    }
    for z in 1..CORNERS[2] - 1 {
        for y in 1..CORNERS[1] - 1 {
            for x in 1..CORNERS[0] - 1 {
                for axis in 0..3 {
                    quad(&grid, &point_of_cell, [x, y, z], axis, &mut mesh);
                }
            }
        }
    }
    mesh.compact();
    mesh
}

/// Returns the mean of the points where the surface crosses the edges of a cell, or `None` if it crosses none.
fn cell_point(grid: &Grid, cell: [usize; 3]) -> Option<DVec3> {
    let mut sum = DVec3::ZERO;
    let mut count = 0.0;
    for axis in 0..3 {
        let (right, up) = ((axis + 1) % 3, (axis + 2) % 3);
        for a in [cell, step(cell, right), step(cell, up), step(step(cell, right), up)] {
            let b = step(a, axis);
            let (at_a, at_b) = (grid.at(a), grid.at(b));
            if (at_a < 0.0) != (at_b < 0.0) {
                sum += position(a).lerp(position(b), at_a / (at_a - at_b));
                count += 1.0;
            }
        }
    }
    (count > 0.0).then(|| sum / count)
}

/// Adds a quad between the four cells around the grid edge from `corner` along `axis`, if the surface crosses that
/// edge.
fn quad(grid: &Grid, point_of_cell: &[Option<usize>], corner: [usize; 3], axis: usize, mesh: &mut Mesh) {
    let inside = grid.at(corner) < 0.0;
    if inside == (grid.at(step(corner, axis)) < 0.0) {
        return;
    }
    let back = |mut cell: [usize; 3], axis: usize| {
        cell[axis] -= 1;
        point_of_cell[index(cell)]
    };
    let (right, up) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut diagonal = corner;
    diagonal[right] -= 1;
    let cells = (back(diagonal, up), back(corner, up), point_of_cell[index(corner)], back(corner, right));
    let (Some(a), Some(b), Some(c), Some(d)) = cells else { return };
    let [a, b, c, d] = if inside { [a, b, c, d] } else { [d, c, b, a] };
    let length = |i: usize, j: usize| (mesh.points[i] - mesh.points[j]).length_squared();
    // The shorter diagonal follows the curvature better.
    let pair = if length(a, c) <= length(b, d) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
    mesh.triangles.extend(pair);
}
