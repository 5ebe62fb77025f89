//! Rigid clusters of markers.

use glam::{DQuat, DVec3, Vec3};

use crate::capture::Frames;
use crate::mathematics::best_fit;

use super::MAX_FRAMES;

/// Number of iterations for estimating a cluster. Each iteration fits all frames to the cluster, and the cluster to all frames.
const ITERATIONS: usize = 10;
/// Points count as collinear if their distance from a line is at most this fraction of their largest distance along the line.
const LINE: f64 = 0.05;

/// A rigid motion of a segment: from the space of its cluster to the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct RigidMotion {
    pub(super) rotation: DQuat,
    pub(super) translation: DVec3,
    /// Whether the markers that were seen determine the rotation.
    pub(super) is_certain: bool,
}

impl Default for RigidMotion {
    fn default() -> Self {
        Self { rotation: DQuat::IDENTITY, translation: DVec3::ZERO, is_certain: false }
    }
}

impl RigidMotion {
    pub(super) fn apply(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }
}

/// The markers of a segment as a rigid cluster.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    /// The columns of the markers in the take.
    pub(super) columns: Vec<usize>,
    /// The position of each marker in the space of the cluster, whose origin is their mean. `None` if the marker could not be related to
    /// the others.
    pub(super) points: Vec<Option<DVec3>>,
    /// The weight of each marker, from 0 to 1. Markers that move on the skin count less.
    weights: Vec<f64>,
    /// Root mean square distance between the markers and the cluster.
    pub(super) residual: f64,
}

impl Cluster {
    /// Estimates the shape of a cluster from frames in which markers may be missing. Alternates between fitting each frame's motion
    /// to the cluster and taking the mean of the markers in cluster space as the cluster (alternating least squares).
    pub(super) fn estimate(frames: &Frames<Option<Vec3>>, columns: Vec<usize>) -> Self {
        let step = frames.len().div_ceil(MAX_FRAMES).max(1);
        let marker = |frame: &[Option<Vec3>], column: usize| {
            frame.get(column).copied().flatten().map(Vec3::as_dvec3).filter(|p| p.is_finite())
        };
        let rows: Vec<Vec<Option<DVec3>>> = frames
            .iter()
            .step_by(step)
            .map(|frame| columns.iter().map(|&column| marker(frame, column)).collect())
            .collect();
        let seen = |row: &Vec<Option<DVec3>>| row.iter().flatten().count();
        let first = rows.iter().rev().max_by_key(|row| seen(row)).cloned().unwrap_or_default();
        let mut cluster = Self { points: first, weights: vec![1.0; columns.len()], residual: 0.0, columns };
        cluster.points.resize(cluster.columns.len(), None);
        cluster.center();
        for _ in 0..ITERATIONS {
            cluster.improve(&rows);
        }
        cluster
    }

    /// Moves the origin to the mean of the markers.
    fn center(&mut self) {
        let (sum, count) =
            self.points.iter().flatten().fold((DVec3::ZERO, 0.0), |(sum, count), p| (sum + *p, count + 1.0));
        if count > 0.0 {
            self.points.iter_mut().flatten().for_each(|p| *p -= sum / count);
        }
    }

    fn improve(&mut self, rows: &[Vec<Option<DVec3>>]) {
        let count = self.columns.len();
        let (mut sums, mut squares, mut counts) =
            (vec![DVec3::ZERO; count], vec![0.0; count], vec![0.0; count]);
        let mut previous = RigidMotion::default();
        for row in rows {
            let Some(motion) = self.fit(row, &previous) else { continue };
            previous = motion;
            // A frame in which the rotation is uncertain does not determine where a marker is on the segment.
            if !motion.is_certain && count > 2 {
                continue;
            }
            for (marker, position) in row.iter().enumerate().filter_map(|(m, p)| Some((m, (*p)?))) {
                let local = motion.rotation.conjugate() * (position - motion.translation);
                sums[marker] += local;
                squares[marker] += self.points[marker].map_or(0.0, |p| p.distance_squared(local));
                counts[marker] += 1.0;
            }
        }
        for (marker, point) in self.points.iter_mut().enumerate().filter(|(m, _)| counts[*m] > 0.0) {
            *point = Some(sums[marker] / counts[marker]);
        }
        self.center();
        let total: f64 = counts.iter().sum();
        let mean = squares.iter().sum::<f64>() / total.max(1.0);
        self.residual = mean.sqrt();
        for marker in 0..count {
            let own = squares[marker] / counts[marker].max(1.0);
            // A marker with the mean residual has half the weight of a marker without a residual. Without noise, all weights are equal.
            self.weights[marker] = if mean > 0.0 { mean / (mean + own) } else { 1.0 };
        }
    }

    /// Returns the number of markers, and their mean square distance from their mean.
    pub(super) fn size(&self) -> (f64, f64) {
        let known = self.points.iter().flatten();
        let (count, sum) = known.fold((0.0, 0.0), |(count, sum), p| (count + 1.0, sum + p.length_squared()));
        (count, sum / f64::max(count, 1.0))
    }

    /// Returns whether the cluster has an orientation, which requires at least three markers that are not collinear.
    pub(super) fn is_oriented(&self) -> bool {
        is_plane(self.points.iter().flatten().copied())
    }

    /// Returns the motion in a frame of the take, or `None` if no marker was seen. The part that the markers do not determine is taken from
    /// the previous motion.
    pub(super) fn motion(&self, frame: &[Option<Vec3>], previous: &RigidMotion) -> Option<RigidMotion> {
        let at = |&column: &usize| frame.get(column).copied().flatten().map(Vec3::as_dvec3);
        let row: Vec<Option<DVec3>> = self.columns.iter().map(at).collect();
        self.fit(&row, previous)
    }

    /// Returns the motion that best fits the markers of a frame (Davenport 1968; Horn 1987). `row` is in the order of the columns.
    fn fit(&self, row: &[Option<DVec3>], previous: &RigidMotion) -> Option<RigidMotion> {
        let pairs = || {
            let known = self.points.iter().zip(row).zip(&self.weights);
            known
                .filter_map(|((from, to), weight)| Some(((*from)?, (*to)?, *weight)))
                .filter(|(_, to, _)| to.is_finite())
        };
        let (mut from_sum, mut to_sum, mut total) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for (from, to, weight) in pairs() {
            (from_sum, to_sum, total) = (from_sum + from * weight, to_sum + to * weight, total + weight);
        }
        if total <= 0.0 {
            return None;
        }
        let (from_mean, to_mean) = (from_sum / total, to_sum / total);
        let current = previous.rotation;
        let turn =
            best_fit(pairs().map(|(from, to, weight)| (current * (from - from_mean), to - to_mean, weight)));
        let rotation = (turn * current).normalize();
        let is_certain = is_plane(pairs().map(|(from, ..)| from));
        Some(RigidMotion { rotation, translation: to_mean - rotation * from_mean, is_certain })
    }
}

/// Returns whether points are not all near a single line.
fn is_plane(points: impl Iterator<Item = DVec3> + Clone) -> bool {
    let Some(first) = points.clone().next() else { return false };
    let far =
        points.clone().map(|p| p - first).max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    let far = far.unwrap_or_default();
    let Some(along) = far.try_normalize() else { return false };
    points
        .map(|p| (p - first).reject_from_normalized(along).length())
        .any(|aside| aside > LINE * far.length())
}
