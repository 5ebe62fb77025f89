//! Measures how far a simplified surface is from the original.

use glam::Vec3;

use crate::mathematics::triangle::{mix, nearest_weights};

use super::pieces::area_of;
use super::surface::Surface;
use super::{Look, Shape};

/// Maximum number of points of the original surface that are measured.
const SAMPLES: usize = 8192;
/// The exponent of the mean of all differences: 1 for the arithmetic mean, and 2 for the root mean square. The larger it is, the closer the
/// mean is to the largest difference.
const EXPONENT: f64 = 2.0;

/// A surface as it was at a certain number of triangles.
pub(super) struct Snapshot {
    /// The remaining triangles with their indices.
    pub(super) triangles: Vec<(usize, [u32; 3])>,
    /// For each vertex, the class that replaced it. If this class has no triangles, the nearest class that has some.
    starts: Vec<u32>,
    /// The indices in `triangles` of the triangles around all classes, one class after another.
    around: Vec<u32>,
    /// For each class, the number of entries in `around` before its own. The last element is the number of all entries.
    first: Vec<u32>,
}

/// Points of the original surface.
pub(super) struct Samples<'a> {
    points: Vec<Sample<'a>>,
    looks: &'a [Look],
}

/// The centre of an original triangle.
struct Sample<'a> {
    pose: &'a [Vec3],
    point: Vec3,
    look: Look,
    /// A corner of the triangle.
    vertex: u32,
    /// The area of the triangle in the first pose.
    area: f64,
}

/// The corners of a triangle, and their weights at a point of it.
type Found = ([u32; 3], [f32; 3]);

/// The search for the point of a surface that is nearest to a sample.
struct Search<'a> {
    sample: &'a Sample<'a>,
    /// The smallest squared distance so far, and the nearest triangle with the weights of its corners.
    nearest: f32,
    found: Option<Found>,
}

impl<'a> Samples<'a> {
    /// Takes evenly distributed triangles of a shape, each in one pose.
    pub(super) fn new(shape: &Shape<'a>) -> Self {
        let Shape { poses, triangles, looks, .. } = *shape;
        let step = triangles.len().div_ceil(SAMPLES).max(1);
        let sample = |(index, corners): (usize, &[u32; 3])| {
            // The golden ratio distributes the poses evenly, even if the triangles alternate between two kinds.
            let pose = &poses[(index + index * 618 / 1000) % poses.len()];
            let third = [1.0 / 3.0; 3];
            Sample {
                point: mix(corners.map(|corner| pose[corner as usize]), third),
                look: mix_looks(corners.map(|corner| &looks[corner as usize]), third),
                pose,
                vertex: corners[0],
                area: area_of(corners.map(|corner| poses[0][corner as usize])),
            }
        };
        Self { points: triangles.iter().step_by(step).enumerate().map(sample).collect(), looks }
    }

    /// Returns the mean difference between a surface and the original, as a length.
    #[expect(clippy::cast_possible_truncation, reason = "a length in single precision")]
    pub(super) fn error(&self, surface: &Snapshot) -> f32 {
        let (mut sum, mut area) = (0.0, 0.0);
        for sample in &self.points {
            let squared = self.difference_squared(sample, surface);
            sum += sample.area * f64::from(squared).powf(0.5 * EXPONENT);
            area += sample.area;
        }
        if area > 0.0 { (sum / area).powf(1.0 / EXPONENT) as f32 } else { 0.0 }
    }

    /// Returns the squared difference between a sample and the nearest point of a surface.
    fn difference_squared(&self, sample: &Sample<'_>, surface: &Snapshot) -> f32 {
        let (distance, found) = surface.nearest(sample);
        let Some((corners, weights)) = found else { return distance };
        let look = mix_looks(corners.map(|corner| &self.looks[corner as usize]), weights);
        let differences = look.iter().zip(&sample.look).map(|(found, own)| (found - own).powi(2));
        distance + differences.sum::<f32>()
    }
}

impl Search<'_> {
    /// Returns whether a triangle is nearer than all previous ones.
    fn visit(&mut self, corners: [u32; 3]) -> bool {
        let positions = corners.map(|corner| self.sample.pose[corner as usize]);
        let weights = nearest_weights(self.sample.point, positions);
        let distance = self.sample.point.distance_squared(mix(positions, weights));
        let is_nearer = distance < self.nearest;
        if is_nearer {
            (self.nearest, self.found) = (distance, Some((corners, weights)));
        }
        is_nearer
    }
}

impl Snapshot {
    #[expect(clippy::cast_possible_truncation, reason = "indices of triangles are numbered with 32 bits")]
    pub(super) fn new(surface: &Surface) -> Self {
        let triangles: Vec<_> = surface.triangles().collect();
        let classes =
            || triangles.iter().map(move |(_, corners)| corners.map(|corner| surface.class_of(corner)));
        let mut first = vec![0_u32; surface.classes().len() + 1];
        classes().flatten().for_each(|class| first[class as usize + 1] += 1);
        for class in 1..first.len() {
            first[class] += first[class - 1];
        }
        let mut end = first.clone();
        let mut around = vec![0; 3 * triangles.len()];
        for (index, corners) in classes().enumerate() {
            for class in corners.map(|class| class as usize) {
                around[end[class] as usize] = index as u32;
                end[class] += 1;
            }
        }
        let has_triangles = |class: u32| first[class as usize] < first[class as usize + 1];
        let live: Vec<u32> =
            (0..).take(surface.classes().len()).filter(|class| has_triangles(*class)).collect();
        let nearest_to = |class: u32| {
            let distance =
                |other: &u32| surface.position(0, class).distance_squared(surface.position(0, *other));
            live.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(class)
        };
        // The piece with such a class was removed.
        let mut nearest: Vec<Option<u32>> = vec![None; surface.classes().len()];
        let start = |vertex: u32| match surface.survivor(vertex) {
            class if has_triangles(class) => class,
            class => *nearest[class as usize].get_or_insert_with(|| nearest_to(class)),
        };
        let starts = (0..).take(surface.classes().len()).map(start).collect();
        Self { triangles, starts, around, first }
    }

    /// Returns an upper bound of the squared distance of a sample from the surface, and the nearest triangle with the weights of its corners.
    /// The search begins around the class that replaced a corner of the sample's triangle. It ends when no triangle around the nearest one is
    /// nearer.
    fn nearest(&self, sample: &Sample<'_>) -> (f32, Option<Found>) {
        let mut search = Search { sample, nearest: f32::INFINITY, found: None };
        let mut is_nearer = self.visit_around(&mut search, sample.vertex);
        while is_nearer && let Some((corners, _)) = search.found {
            is_nearer = false;
            for corner in corners {
                is_nearer |= self.visit_around(&mut search, corner);
            }
        }
        (search.nearest, search.found)
    }

    /// Visits the triangles around the class that replaced a vertex. Returns whether one is nearer than all previous ones.
    fn visit_around(&self, search: &mut Search<'_>, vertex: u32) -> bool {
        let class = self.starts[vertex as usize] as usize;
        let mut is_nearer = false;
        for &triangle in &self.around[self.first[class] as usize..self.first[class + 1] as usize] {
            is_nearer |= search.visit(self.triangles[triangle as usize].1);
        }
        is_nearer
    }
}

fn mix_looks(looks: [&Look; 3], weights: [f32; 3]) -> Look {
    std::array::from_fn(|index| looks.iter().zip(weights).map(|(look, weight)| look[index] * weight).sum())
}
