//! Iterations on the points of a chain: its joints and its end.

use glam::{DQuat, DVec3};

use crate::rotation::shortest_arc;

use super::stall::StallDetector;
use super::{ChainOutcome, FreeChain};

impl FreeChain {
    /// Runs iterations on the points of the joints and the end, and fits the joints to these points once the error is
    /// within tolerance. If two points coincide, the error is NaN and the chain is stuck.
    pub(super) fn move_points(
        &mut self,
        tolerance: f64,
        iterations: usize,
        error: impl Fn(&Self) -> f64,
        iterate: impl Fn(&mut Self),
    ) -> ChainOutcome {
        self.place_points();
        let mut stall = StallDetector::new();
        for iteration in 0..=iterations {
            let error = error(self);
            self.record_error(error);
            if error <= tolerance {
                self.fit_points();
                return ChainOutcome::Reached(iteration);
            }
            if error.is_nan() || stall.is_stalled(error) {
                return ChainOutcome::Stuck;
            }
            iterate(self);
        }
        ChainOutcome::Stuck
    }

    /// Places points at the joints and the end, relative to the base.
    fn place_points(&mut self) {
        self.points.clear();
        let mut here = DVec3::ZERO;
        self.points.push(here);
        for vector in &self.vectors {
            here += *vector;
            self.points.push(here);
        }
    }

    /// Turns each joint, starting at the base, by the shortest arc that aligns its link with the points at the link's
    /// ends.
    fn fit_points(&mut self) {
        let (mut carried, hint) = (DQuat::IDENTITY, self.bend_now());
        let links = self.vectors.iter_mut().zip(&mut self.orientations).zip(self.points.windows(2));
        for (((vector, q), points), length) in links.zip(&self.lengths) {
            let now = carried * *vector;
            let way = points[1] - points[0];
            carried = shortest_arc(now, way, hint) * carried;
            *q = carried * *q;
            *vector = way * (length / way.length().max(f64::MIN_POSITIVE));
        }
    }
}
