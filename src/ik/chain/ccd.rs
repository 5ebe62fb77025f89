//! Cyclic coordinate descent on a free chain. The algorithm is that of [`crate::ik::methods::ccd`].

use glam::{DQuat, DVec3};

use crate::ik::rotation::{any_perpendicular, shortest_arc};

use super::stall::StallDetector;
use super::{Chain, ChainOutcome};

impl Chain {
    /// Runs cyclic coordinate descent. The sweep from the end to the base updates only the position of the end. The
    /// sweep back from the base applies the turns of the joints above to each joint. `target` is relative to the
    /// base.
    pub(in crate::ik) fn descend(
        &mut self,
        target: DVec3,
        tolerance: f64,
        iterations: usize,
    ) -> ChainOutcome {
        let mut stall = StallDetector::new();
        for iteration in 0..=iterations {
            let end = self.measure_arms();
            let error = end.distance(target);
            self.record_error(error);
            if error <= tolerance {
                return ChainOutcome::Reached(iteration);
            }
            if stall.is_stalled(error) {
                return ChainOutcome::Stuck;
            }
            let mut effector = end;
            for (arm, arc) in self.arms.iter().zip(&mut self.arcs).rev() {
                let joint = end - *arm;
                let (from, to) = (effector - joint, target - joint);
                let (from2, to2) = (from.length_squared(), to.length_squared());
                let lengths = (from2 * to2).sqrt();
                let w = lengths + from.dot(to);
                if w > 1e-9 * lengths {
                    // |(w, from × to)|² = 2 w |from| |to|.
                    let scale = 1.0 / (2.0 * w * lengths).sqrt();
                    *arc = DQuat::from_vec4((from.cross(to) * scale).extend(w * scale));
                    effector = joint + to * (from2 / to2).sqrt();
                } else {
                    *arc = shortest_arc(from, to, any_perpendicular(from));
                    effector = joint + *arc * from;
                }
            }
            let mut carried = DQuat::IDENTITY;
            for ((vector, spin), arc) in self.vectors.iter_mut().zip(&mut self.spins).zip(&self.arcs) {
                carried *= *arc;
                *vector = carried * *vector;
                *spin = carried * *spin;
            }
        }
        ChainOutcome::Stuck
    }
}
