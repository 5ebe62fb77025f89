//! Angles drawn as arcs and picked with the pointer.

use std::f64::consts::{PI, TAU};

use glam::{Quat, Vec2, Vec3};

use crate::session::picking::Viewport;

/// Minimum cosine of the angle between a dial's axis and the pointer's ray. Below it, the dial is too close to edge-on for its plane to be
/// intersected with the ray.
const EDGE_ON: f32 = 0.2;
/// Number of samples over a full turn when a dial is seen edge-on.
const SAMPLES: u16 = 360;

/// An angle about an axis, drawn as an arc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dial {
    /// Center in world metres.
    pub(super) center: Vec3,
    /// Axis, a unit vector in world space.
    pub(super) axis: Vec3,
    /// Direction of angle zero, a unit vector perpendicular to the axis.
    pub(super) zero: Vec3,
    /// Radius in world metres.
    pub(super) radius: f32,
}

impl Dial {
    /// Returns the direction from the center at an angle.
    pub(super) fn direction(&self, angle: f64) -> Vec3 {
        Quat::from_axis_angle(self.axis, to_f32(angle)) * self.zero
    }

    /// Returns the arc's point at an angle.
    pub(super) fn point(&self, angle: f64) -> Vec3 {
        self.center + self.direction(angle) * self.radius
    }

    /// Returns points on the arc from one angle to another. They are at most five degrees apart, and the arc is at
    /// most a full turn.
    pub(super) fn arc(&self, from: f64, to: f64) -> Vec<Vec3> {
        let sweep = (to - from).clamp(-TAU, TAU);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a full turn")]
        let steps = ((sweep.abs().to_degrees() / 5.0).ceil() as u16).max(1);
        let at = |i: u16| self.point(from + sweep * f64::from(i) / f64::from(steps));
        (0..=steps).map(at).collect()
    }

    /// Returns the angle at a pixel, with full turns added so that it is closest to `near`. If the dial is seen edge-on, this is the angle
    /// of the point on the arc that is closest to the pixel.
    pub(super) fn angle(&self, at: Vec2, viewport: &Viewport, near: f64) -> Option<f64> {
        let ray = viewport.ray(at)?;
        let angle = if self.axis.dot(ray.direction).abs() > EDGE_ON {
            let away = ray.intersect_plane(self.center, self.axis)? - self.center;
            f64::from(away.dot(self.axis.cross(self.zero)).atan2(away.dot(self.zero)))
        } else {
            self.along_edge(at, viewport, near)?
        };
        let turns = ((near - angle) / TAU).round();
        Some(angle + TAU * turns).filter(|a| a.is_finite())
    }

    /// Returns the angle within half a turn of `near` whose point is closest to a pixel. Of two points that project to
    /// the same pixel, the one closer to `near` wins.
    fn along_edge(&self, at: Vec2, viewport: &Viewport, near: f64) -> Option<f64> {
        let away = |angle: f64| viewport.pixel(self.point(angle)).map(|p| p.distance(at));
        let cost = |angle: f64| away(angle).map(|d| f64::from(d) + (angle - near).abs());
        let all = (0..=SAMPLES).map(|i| near + PI * (f64::from(i) / f64::from(SAMPLES) * 2.0 - 1.0));
        let best = all.filter_map(|a| Some((cost(a)?, a))).min_by(|a, b| a.0.total_cmp(&b.0))?.1;
        // Refine by ternary search.
        let (mut low, mut high) = (best - TAU / f64::from(SAMPLES), best + TAU / f64::from(SAMPLES));
        for _ in 0..24 {
            let third = (high - low) / 3.0;
            if cost(low + third)? < cost(high - third)? { high -= third } else { low += third }
        }
        Some(0.5 * (low + high))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "only used for drawing")]
fn to_f32(angle: f64) -> f32 {
    angle as f32
}
