//! A camera that orbits a target.

use std::f32::consts::FRAC_PI_2;

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

use crate::view::{AUTO_FOV_Y, Bounds, Camera, Fit, FittedView, Projection};

/// Angle in radians by which the camera orbits per pixel of pointer movement.
const RADIANS_PER_PIXEL: f32 = 0.006;
/// Fraction of the distance by which one wheel step moves the camera closer.
const ZOOM_STEP: f32 = 0.12;
/// Fraction of the camera distance by which one wheel step pushes the dragged object.
const PUSH_STEP: f32 = 0.04;

/// Distance of an orthographic camera from the scene, as a multiple of the scene's radius. Anything behind the camera is invisible.
const ORTHOGRAPHIC_RADII: f32 = 4.0;

/// The projection of an orbiting camera.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OrbitProjection {
    /// Perspective.
    #[default]
    Perspective,
    /// Orthographic.
    Orthographic,
    /// Orthographic along an axis. Orbiting returns to perspective.
    AxisView,
}

/// Position of a camera relative to its target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Orbit {
    /// The point that the camera looks at, in world metres.
    pub target: Vec3,
    /// Distance from the target in metres.
    pub distance: f32,
    /// Angle around +Y in radians. At 0 the camera is on the +Z side of the target.
    pub yaw: f32,
    /// Angle above the horizon in radians.
    pub pitch: f32,
    /// Radius of the subject in metres. It limits the distance of the camera.
    pub radius: f32,
    /// The projection. An orthographic camera shows as much of the plane through the target as a perspective camera does.
    #[serde(default, skip_serializing_if = "is_perspective")]
    pub projection: OrbitProjection,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference to the field")]
fn is_perspective(projection: &OrbitProjection) -> bool {
    *projection == OrbitProjection::Perspective
}

impl Orbit {
    /// Maximum pitch in radians while orbiting. Only the top and bottom views are steeper.
    const MAX_PITCH: f32 = 1.54;

    /// Shows a box completely, from the front and slightly above.
    pub fn framing(bounds: &Bounds, aspect: f32) -> Self {
        let (target, radius) = bounds.sphere();
        let mut orbit =
            Self { target, distance: 1.0, yaw: 0.42, pitch: 0.16, radius, projection: Default::default() };
        orbit.frame(bounds, aspect);
        orbit
    }

    /// Returns the orbit of a camera whose up direction is +Y. `radius` is the radius of the subject in metres.
    pub fn of_camera(camera: &Camera, radius: f32) -> Self {
        let back = camera.position - camera.target;
        let direction = back.normalize_or(Vec3::Z);
        Self {
            target: camera.target,
            distance: back.length().max(1e-3),
            yaw: direction.x.atan2(direction.z),
            pitch: direction.y.clamp(-1.0, 1.0).asin().clamp(-Self::MAX_PITCH, Self::MAX_PITCH),
            radius,
            projection: OrbitProjection::Perspective,
        }
    }

    /// Shows a box completely, from the current direction.
    pub fn frame(&mut self, bounds: &Bounds, aspect: f32) {
        let (target, radius) = bounds.sphere();
        (self.target, self.radius) = (target, radius);
        self.distance = radius / half_fov_sine(aspect);
    }

    /// Shows points as large as possible, from the current direction. `bounds` is the box of the points.
    pub fn fit(&mut self, points: impl IntoIterator<Item = Vec3>, bounds: &Bounds, aspect: f32) {
        self.frame(bounds, aspect);
        let create = if self.is_orthographic() { Fit::orthographic } else { Fit::perspective };
        let mut fit = create(self.back(), self.up(), AUTO_FOV_Y, aspect);
        fit.extend(points);
        if let Some(FittedView { target, distance }) = fit.view() {
            (self.target, self.distance) = (target, distance);
        }
    }

    /// Shows a sphere around the subject or a part of it, from the current direction.
    pub fn focus(&mut self, center: Vec3, radius: f32, aspect: f32) {
        (self.target, self.distance) = (center, radius / half_fov_sine(aspect));
    }

    /// Keeps the subject in view when the aspect ratio changes.
    pub fn reshape(&mut self, from: f32, to: f32) {
        self.distance *= half_fov_sine(from) / half_fov_sine(to);
    }

    /// Orbits by a pointer movement in pixels.
    pub fn turn(&mut self, by: Vec2) {
        if self.projection == OrbitProjection::AxisView && by != Vec2::ZERO {
            self.projection = OrbitProjection::Perspective;
        }
        self.yaw = (self.yaw - by.x * RADIANS_PER_PIXEL) % std::f32::consts::TAU;
        self.pitch = (self.pitch + by.y * RADIANS_PER_PIXEL).clamp(-Self::MAX_PITCH, Self::MAX_PITCH);
    }

    /// Pans by a number of pixels in a view of the given height in pixels. The target follows the pointer exactly.
    pub fn pan(&mut self, by: Vec2, height: f32) {
        let metres = self.visible_height() / height.max(1.0);
        self.target += (self.up() * by.y - self.right() * by.x) * metres;
        self.limit_target();
    }

    /// Zooms in by `steps` of the wheel and keeps `pivot` at the same position on screen.
    pub fn zoom(&mut self, steps: f32, pivot: Vec3) {
        let wanted = self.distance * (1.0 - ZOOM_STEP).powf(steps.clamp(-20.0, 20.0));
        let distance = wanted.clamp(self.radius * 0.02, self.radius * 60.0);
        self.target = pivot + (self.target - pivot) * (distance / self.distance);
        self.distance = distance;
        self.limit_target();
    }

    /// Returns whether all values are finite and in range.
    pub(crate) fn is_valid(&self) -> bool {
        let lengths = [self.distance, self.radius];
        self.target.is_finite()
            && lengths.into_iter().all(|l| l.is_finite() && l > 0.0)
            && self.yaw.is_finite()
            && self.pitch.abs() <= FRAC_PI_2 + 1e-4
    }

    /// Returns the unit vector from the target to the camera.
    pub fn back(&self) -> Vec3 {
        let (sin, cos) = self.yaw.sin_cos();
        Vec3::new(sin * self.pitch.cos(), self.pitch.sin(), cos * self.pitch.cos())
    }

    /// Returns the unit vector that points to the right in the image.
    pub fn right(&self) -> Vec3 {
        let (sin, cos) = self.yaw.sin_cos();
        Vec3::new(cos, 0.0, -sin)
    }

    /// Returns the unit vector that points up in the image.
    pub fn up(&self) -> Vec3 {
        self.back().cross(self.right())
    }

    /// Returns the visible height, in metres, of the plane through the target.
    fn visible_height(&self) -> f32 {
        2.0 * self.distance * (AUTO_FOV_Y * 0.5).tan()
    }

    /// Whether the projection is orthographic.
    pub fn is_orthographic(&self) -> bool {
        self.projection != OrbitProjection::Perspective
    }

    /// Returns the same view in the other projection.
    #[must_use]
    pub fn with_other_projection(self) -> Self {
        let is_orthographic = self.is_orthographic();
        let other =
            if is_orthographic { OrbitProjection::Perspective } else { OrbitProjection::Orthographic };
        Self { projection: other, ..self }
    }

    /// Returns the orthographic view of the target from the direction `side`, a unit vector along a world axis.
    #[must_use]
    pub fn from_side(self, side: Vec3) -> Self {
        // Seen from above, the character's front is at the bottom of the image. Seen from below, it is at the top.
        let pitch = side.y.clamp(-1.0, 1.0).asin();
        let projection = match self.projection {
            OrbitProjection::Perspective => OrbitProjection::AxisView,
            chosen => chosen,
        };
        Self { yaw: side.x.atan2(side.z), pitch, projection, ..self }
    }

    /// Returns the camera. Its depth range covers `bounds`.
    pub fn camera(&self, bounds: &Bounds) -> Camera {
        if self.is_orthographic() {
            return self.orthographic_camera(bounds);
        }
        let position = self.target + self.back() * self.distance;
        let projection = Projection::Perspective { fov_y: AUTO_FOV_Y };
        let up = self.camera_up();
        let mut camera = Camera { position, target: self.target, up, projection, near: 0.01, far: 100.0 };
        camera.set_depth_range(bounds);
        camera.near = camera.near.min(self.distance * 0.1);
        camera
    }

    fn orthographic_camera(&self, bounds: &Bounds) -> Camera {
        let (center, radius) = bounds.sphere();
        // The distance is arbitrary, but everything must be in front of the camera, however near the target is.
        let distance = self.target.distance(center) + ORTHOGRAPHIC_RADII * radius;
        let position = self.target + self.back() * distance;
        let projection = Projection::Orthographic { height: self.visible_height() };
        let (near, far) = (0.0, 2.0 * distance + radius);
        Camera { position, target: self.target, up: self.camera_up(), projection, near, far }
    }

    /// Returns the camera's up direction. World up is degenerate when the camera looks straight up or down.
    fn camera_up(&self) -> Vec3 {
        if self.pitch.abs() > Self::MAX_PITCH { self.up() } else { Vec3::Y }
    }

    /// Moves the target.
    pub(crate) fn set_target(&mut self, target: Vec3) {
        self.target = target;
        self.limit_target();
    }

    /// Limits the target's distance from the origin, because single precision is too coarse for a view far from the origin.
    fn limit_target(&mut self) {
        self.target = self.target.clamp_length_max(self.radius * 1e3 + 1e3);
    }
}

/// Returns a point pushed away from the camera by a number of wheel steps.
pub(crate) fn pushed(point: Vec3, steps: f32, camera: &Camera) -> Vec3 {
    let by = PUSH_STEP * steps.clamp(-10.0, 10.0);
    match camera.projection {
        Projection::Perspective { .. } => camera.position + (point - camera.position) * (1.0 + by),
        // The distance of an orthographic camera is arbitrary.
        Projection::Orthographic { height } => point + camera.direction() * (height * by),
    }
}

/// Returns the sine of half the smaller field of view. `aspect` is width divided by height.
fn half_fov_sine(aspect: f32) -> f32 {
    let tangent = (AUTO_FOV_Y * 0.5).tan() * aspect.clamp(0.05, 1.0);
    tangent.atan().sin()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orbit() -> Orbit {
        Orbit::framing(&Bounds::around([Vec3::NEG_ONE, Vec3::ONE]), 1.6)
    }

    #[test]
    fn axis_views_become_perspective_when_the_camera_orbits() {
        let mut view = orbit().from_side(Vec3::X);
        assert!(view.is_orthographic());
        view.turn(Vec2::ZERO);
        view.pan(Vec2::new(9.0, 3.0), 800.0);
        assert_eq!(view.projection, OrbitProjection::AxisView);
        view.turn(Vec2::new(4.0, 0.0));
        assert_eq!(view.projection, OrbitProjection::Perspective);
        // An explicitly chosen projection is kept.
        let mut view = orbit().with_other_projection().from_side(Vec3::X);
        view.turn(Vec2::new(4.0, 0.0));
        assert_eq!(view.projection, OrbitProjection::Orthographic);
        assert_eq!(view.with_other_projection().projection, OrbitProjection::Perspective);
    }

    #[test]
    fn every_side_has_a_camera_that_looks_straight_at_it() {
        let bounds = Bounds::around([Vec3::NEG_ONE, Vec3::ONE]);
        for side in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]) {
            let view = orbit().from_side(side);
            assert!(view.is_valid());
            let camera = view.camera(&bounds);
            assert!(camera.direction().dot(-side) > 0.999_999, "{side}");
            let clip = camera.clip_from_world(1.6);
            assert!(clip.is_finite(), "{side}");
            let center = clip.project_point3(view.target);
            assert!(center.truncate().length() < 1e-4 && (0.0..=1.0).contains(&center.z), "{side}: {center}");
            // The image axes match the camera's axes.
            let right = clip.project_point3(view.target + view.right() * 0.1).truncate();
            let up = clip.project_point3(view.target + view.up() * 0.1).truncate();
            assert!(right.x > 0.01 && right.y.abs() < 1e-4, "{side}: {right}");
            assert!(up.y > 0.01 && up.x.abs() < 1e-4, "{side}: {up}");
        }
    }

    #[test]
    fn a_camera_without_a_projection_is_perspective() {
        let text = r#"{"target":[0.0,1.0,0.0],"distance":3.0,"yaw":0.1,"pitch":0.2,"radius":1.0}"#;
        let read: Orbit = serde_json::from_str(text).unwrap();
        assert_eq!(read.projection, OrbitProjection::Perspective);
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        let side = read.from_side(Vec3::X);
        let written = serde_json::to_string(&side).unwrap();
        assert!(written.contains(r#""projection":"axis-view""#), "{written}");
        assert_eq!(serde_json::from_str::<Orbit>(&written).unwrap(), side);
    }
}
