//! Angles that are seen as arcs, and read from the pointer.

use std::f64::consts::{PI, TAU};

use glam::{Quat, Vec2, Vec3};

use crate::camera::Camera;
use crate::picking::{Ray, pixel};

/// Below this cosine between its axis and the sight, an arc's plane is too steep to be pointed at.
const STEEP: f32 = 0.2;
/// Steps of a whole turn in which a steep arc is searched.
const STEPS: u16 = 360;

/// From where a gizmo is seen, and how large its points are.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct View {
    pub(in super::super) camera: Camera,
    /// Pixels across and down.
    pub(in super::super) size: Vec2,
    /// Pixels a point.
    pub(in super::super) scale: f32,
}

impl View {
    pub(super) fn pixel(&self, place: Vec3) -> Option<Vec2> {
        pixel(&self.camera, place, self.size)
    }

    pub(super) fn ray(&self, at: Vec2) -> Option<Ray> {
        Ray::through(&self.camera, at, self.size)
    }

    /// The direction of the sight, a unit vector.
    pub(super) fn sight(&self) -> Vec3 {
        (self.camera.target - self.camera.position).normalize_or_zero()
    }

    /// World metres that so many points take at a place.
    pub(super) fn metres(&self, place: Vec3, points: f32) -> f32 {
        let depth = (place - self.camera.position).dot(self.sight()).max(self.camera.near);
        2.0 * depth * (self.camera.fov_y * 0.5).tan() * points * self.scale / self.size.y
    }
}

/// An angle about an axis, seen as an arc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct Dial {
    /// World metres.
    pub(super) center: Vec3,
    /// Unit vector, world.
    pub(super) axis: Vec3,
    /// Unit vector across the axis: where the angle is zero.
    pub(super) zero: Vec3,
    /// World metres.
    pub(super) radius: f32,
}

impl Dial {
    /// The direction of an angle.
    pub(super) fn direction(&self, angle: f64) -> Vec3 {
        Quat::from_axis_angle(self.axis, narrow(angle)) * self.zero
    }

    /// The place of an angle on the arc.
    pub(super) fn place(&self, angle: f64) -> Vec3 {
        self.center + self.direction(angle) * self.radius
    }

    /// Places from one angle to another, at most five degrees apart; no more than a whole turn.
    pub(super) fn arc(&self, from: f64, to: f64) -> Vec<Vec3> {
        let sweep = (to - from).clamp(-TAU, TAU);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a whole turn")]
        let steps = ((sweep.abs().to_degrees() / 5.0).ceil() as u16).max(1);
        let at = |i: u16| self.place(from + sweep * f64::from(i) / f64::from(steps));
        (0..=steps).map(at).collect()
    }

    /// The angle that the pointer is at, of all turns the one nearest to another angle. Where the arc is seen from its
    /// edge, that of the point next to the pointer.
    pub(super) fn angle(&self, at: Vec2, view: &View, near: f64) -> Option<f64> {
        let ray = view.ray(at)?;
        let angle = if self.axis.dot(ray.direction).abs() > STEEP {
            let away = ray.meet_plane(self.center, self.axis)? - self.center;
            f64::from(away.dot(self.axis.cross(self.zero)).atan2(away.dot(self.zero)))
        } else {
            self.along_edge(at, view, near)?
        };
        let turns = ((near - angle) / TAU).round();
        Some(angle + TAU * turns).filter(|a| a.is_finite())
    }

    /// Within half a turn of `near`; of a point before and one behind, the one nearer to it.
    fn along_edge(&self, at: Vec2, view: &View, near: f64) -> Option<f64> {
        let away = |angle: f64| view.pixel(self.place(angle)).map(|p| p.distance(at));
        let cost = |angle: f64| away(angle).map(|d| f64::from(d) + (angle - near).abs());
        let all = (0..=STEPS).map(|i| near + PI * (f64::from(i) / f64::from(STEPS) * 2.0 - 1.0));
        let best = all.filter_map(|a| Some((cost(a)?, a))).min_by(|a, b| a.0.total_cmp(&b.0))?.1;
        // Finer than the steps, by thirds.
        let (mut low, mut high) = (best - TAU / f64::from(STEPS), best + TAU / f64::from(STEPS));
        for _ in 0..24 {
            let third = (high - low) / 3.0;
            if cost(low + third)? < cost(high - third)? { high -= third } else { low += third }
        }
        Some(0.5 * (low + high))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "angles that are drawn")]
pub(super) fn narrow(angle: f64) -> f32 {
    angle as f32
}
