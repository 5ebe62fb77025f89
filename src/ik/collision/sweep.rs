//! Collisions on the way from one pose to another.

use crate::{Body, LinkIndex};

use super::{Clearance, CollisionModel};

/// Largest turn in radians, and largest displacement in metres, between two poses that are tested.
const STEP: f64 = 0.05;
/// Maximum number of poses that are tested.
const MOST_STEPS: f64 = 200.0;

impl CollisionModel {
    /// Returns the smallest distance on the way from one pose of a body to another: the joints move at constant rates, and poses are tested
    /// at most 0.05 rad or 0.05 m apart. The end is tested, and the start is not. Returns `None` if there are no pairs.
    pub fn clearance_between(&self, from: &Body, to: &Body) -> Option<Clearance> {
        let turns = from.rotations().iter().zip(to.rotations());
        let slides = from.displacements().iter().zip(to.displacements());
        let turn = turns.map(|(a, b)| a.angle_between(*b)).fold(0.0, f64::max);
        let largest = slides.map(|(a, b)| (a - b).abs()).fold(turn, f64::max);
        let steps = (largest / STEP).ceil().clamp(1.0, MOST_STEPS);
        let mut between = to.clone();
        let mut least: Option<Clearance> = None;
        let mut step = 1.0;
        while step <= steps {
            let share = step / steps;
            for (link, (a, b)) in from.rotations().iter().zip(to.rotations()).enumerate() {
                between.set_rotation(LinkIndex(link), if share < 1.0 { a.slerp(*b, share) } else { *b });
            }
            for (link, (a, b)) in from.displacements().iter().zip(to.displacements()).enumerate() {
                between.set_displacement(LinkIndex(link), a + (b - a) * share);
            }
            let here = self.clearance(&between)?;
            if least.is_none_or(|least| here.distance < least.distance) {
                least = Some(here);
            }
            step += 1.0;
        }
        least
    }
}
