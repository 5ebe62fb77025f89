//! Pins that yield: springs that keep a point near its place, but not against what keeps the parts of the body apart.
//!
//! A pin is stronger than the rows of the body. A leg whose ankle is pinned therefore passes the other leg only by turning about the line
//! from its hip to its ankle, and jumps from one side to the other one. A foot in the air has no such need to be in its place.

use glam::{DMat3, DVec3};

use super::constant;
use super::pose::Kinematics;
use super::problem::Problem;
use super::system::System;

/// The position of a pin that yields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Yielding {
    pub(super) link: usize,
    /// The point, in the axes of the figure at the link.
    pub(super) offset: DVec3,
    /// Where it is in the stance, and where it should be.
    pub(super) start: DVec3,
    pub(super) end: DVec3,
}

impl Yielding {
    /// Returns how far the point should move from the stance, metres of a person.
    pub(super) fn distance(&self) -> f64 {
        self.start.distance(self.end)
    }
}

impl Problem {
    /// Returns the energy of the pins that yield, in joules. With a system, also adds its derivatives.
    pub(super) fn yielding(
        &self,
        now: &Kinematics,
        columns: &mut Vec<DVec3>,
        mut system: Option<&mut System>,
    ) -> f64 {
        let mut energy = 0.0;
        for pin in &self.yielding {
            let at = now.point(pin.link, pin.offset);
            let r = at - pin.end;
            energy += 0.5 * constant::YIELDING * r.length_squared();
            if let Some(s) = &mut system {
                now.point_columns(&self.model, pin.link, at, columns);
                let weight = DMat3::from_diagonal(DVec3::splat(constant::YIELDING));
                s.add(&self.model, pin.link, columns, &weight, r * constant::YIELDING);
                s.forces.on_point(pin.link, at, r * -constant::YIELDING);
            }
        }
        energy
    }
}
