//! Particle inverse kinematics on a free chain. For the algorithm, see [`crate::methods::particle`].

use glam::DVec3;

use crate::ParticleOptions;

use super::{ChainOutcome, FreeChain};

impl FreeChain {
    /// Runs particle inverse kinematics. The square root in a spring's length is approximated to first order (Jakobsen
    /// 2001). The approximation becomes exact as the springs relax to their rest lengths.
    pub(crate) fn relax(&mut self, target: DVec3, tolerance: f64, iterations: usize) -> ChainOutcome {
        let error = |chain: &Self| chain.straight_ends().distance(target);
        let sweeps = ParticleOptions::default().sweeps;
        self.move_points(tolerance, iterations, error, |chain| {
            for _ in 0..sweeps {
                if let Some(end) = chain.points.last_mut() {
                    *end = target;
                }
                let springs = chain.lengths.len();
                (0..springs).rev().for_each(|i| chain.relax_spring(i));
                (0..springs).for_each(|i| chain.relax_spring(i));
            }
        })
    }

    fn relax_spring(&mut self, i: usize) {
        let spring = self.points[i + 1] - self.points[i];
        let length2 = self.lengths[i] * self.lengths[i];
        // This is ½ (l / |d| − 1) to first order about |d| = l.
        let half = spring * (length2 / (spring.length_squared() + length2) - 0.5);
        if i == 0 {
            self.points[1] += half * 2.0;
        } else {
            self.points[i] -= half;
            self.points[i + 1] += half;
        }
    }

    /// Returns the position of the end for a chain whose links keep their lengths and have the directions between
    /// successive points. The result is NaN if two points coincide.
    fn straight_ends(&self) -> DVec3 {
        let ways = self.points.windows(2).zip(&self.lengths);
        ways.map(|(p, length)| (p[1] - p[0]) * (length / (p[1] - p[0]).length())).sum()
    }
}
