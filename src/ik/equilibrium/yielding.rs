//! Pins that yield: springs that keep a point near its target, but give way to the rows that keep the parts of the body apart.
//!
//! A pin is stronger than the rows that keep the parts of the body apart. A leg whose ankle is pinned can therefore pass the other leg only
//! by turning about the line from its hip to its ankle, and jumps from one side to the other. A foot in the air does not have to meet its
//! target that exactly.

use glam::{DMat3, DVec3};

use super::constant;
use super::model::Model;
use super::pose::Kinematics;
use super::system::System;

/// The position of a pin that yields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Yielding {
    pub(super) link: usize,
    /// The point relative to the link, along the axes of the figure.
    pub(super) offset: DVec3,
    /// The position of the point in the stance, and its target.
    pub(super) start: DVec3,
    pub(super) end: DVec3,
}

impl Yielding {
    /// Returns the distance from the point in the stance to its target, in metres at human size.
    pub(super) fn distance(&self) -> f64 {
        self.start.distance(self.end)
    }

    /// Returns the energy of the spring in joules. If `system` is given, also adds the derivatives of the energy to it.
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
