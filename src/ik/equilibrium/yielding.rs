//! Pins that yield: springs that keep a point near its place, but not against what keeps the parts of the body apart.
//!
//! A pin is stronger than the rows of the body. A leg whose ankle is pinned therefore passes the other leg only by turning about the line
//! from its hip to its ankle, and jumps from one side to the other one. A foot in the air has no such need to be in its place.

use glam::{DMat3, DVec3};

use super::constant;
use super::model::Model;
use super::pose::Kinematics;
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

    /// Returns the energy of the spring in joules. With a system, also adds its derivatives.
    pub(super) fn energy(
        &self,
        model: &Model,
        now: &Kinematics,
        columns: &mut Vec<DVec3>,
        system: Option<&mut System>,
    ) -> f64 {
        let at = now.point(self.link, self.offset);
        let r = at - self.end;
        if let Some(s) = system {
            now.point_columns(model, self.link, at, columns);
            let weight = DMat3::from_diagonal(DVec3::splat(constant::YIELDING));
            s.add(model, self.link, columns, &weight, r * constant::YIELDING);
            s.forces.on_point(self.link, at, r * -constant::YIELDING);
        }
        0.5 * constant::YIELDING * r.length_squared()
    }
}
