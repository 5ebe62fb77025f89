//! Forward and backward reaching on a free chain. For the algorithm, see [`crate::methods::fabrik`].

use glam::DVec3;

use crate::FabrikOptions;

use super::{ChainOutcome, FreeChain};

impl FreeChain {
    /// Runs forward and backward reaching.
    pub(crate) fn reach_both_ways(
        &mut self,
        target: DVec3,
        tolerance: f64,
        iterations: usize,
        options: &FabrikOptions,
    ) -> ChainOutcome {
        let sweeps = options.sweeps;
        let error = |chain: &Self| chain.points.last().map_or(f64::NAN, |end| end.distance(target));
        self.move_points(tolerance, iterations, error, |chain| {
            for _ in 0..sweeps {
                chain.backward(target);
                chain.forward();
            }
        })
    }

    fn backward(&mut self, target: DVec3) {
        let mut end = target;
        let (points, lengths) = (&mut self.points, &self.lengths);
        let Some(last) = points.last_mut() else { return };
        *last = target;
        for (point, length) in points[..lengths.len()].iter_mut().zip(lengths).rev() {
            let way = *point - end;
            end += way * (length / way.length());
            *point = end;
        }
    }

    fn forward(&mut self) {
        let mut start = DVec3::ZERO;
        let (points, lengths) = (&mut self.points, &self.lengths);
        if let Some(first) = points.first_mut() {
            *first = start;
        }
        for (point, length) in points[1..].iter_mut().zip(lengths) {
            let way = *point - start;
            start += way * (length / way.length());
            *point = start;
        }
    }
}
