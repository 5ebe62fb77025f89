//! Cameras that show a character as large as possible.

use std::fmt;
use std::str::FromStr;

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

use crate::api::{ParseError, named};

use super::Camera;

/// Fraction of the image's height or width that a character fills, whichever is reached first.
const FILL: f32 = 0.78;

/// How a camera is placed to show a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Framing {
    /// The bounding sphere of the character's bounding box fits into the image (see [`Camera::framing`]).
    #[default]
    Auto,
    /// The character's vertices fill 78 % of the height or the width of the image (see [`Fit`]).
    Tight,
}

impl Framing {
    /// All kinds of framing.
    pub const ALL: [Self; 2] = [Self::Auto, Self::Tight];

    /// Returns the name in files and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Tight => "tight",
        }
    }
}

impl fmt::Display for Framing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Framing {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        named("framing", name, Self::ALL.map(|framing| (framing.name(), framing)))
    }
}

/// Finds the position from which a camera with a given direction shows points as large as possible, up to a margin. Points
/// can be added in steps, for example frame by frame.
///
/// Moves the side planes of the view frustum, without rotating them, until they touch the points. The camera is placed where
/// these planes meet.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    right: Vec3,
    up: Vec3,
    back: Vec3,
    /// Tangents of half the horizontal and half the vertical field of view that the points fill.
    tangents: Vec2,
    /// Increase of half the width and half the height of the filled part of the view frustum, per metre of depth. Zero for an orthographic
    /// camera.
    slopes: Vec2,
    /// Distances by which the points extend to the right of the right frustum plane through the origin, and above the upper plane.
    positive: Vec2,
    /// Like `positive`, but for the left and the lower plane.
    negative: Vec2,
    /// The smallest and the largest coordinate along `back`.
    depth: [f32; 2],
}

/// The target of a camera, and the distance of the camera from the target, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FittedView {
    /// The point at the centre of the image, in the middle of the points' depth range.
    pub target: Vec3,
    /// Distance of the camera from the target.
    pub distance: f32,
}

impl Fit {
    /// Fits a perspective camera. `back` is the direction from the target to the camera, and `up` must not be parallel to
    /// `back`. `fov_y` is the vertical field of view in radians, and `aspect` is width / height.
    pub fn perspective(back: Vec3, up: Vec3, fov_y: f32, aspect: f32) -> Self {
        let back = back.normalize();
        let right = up.cross(back).normalize();
        let tangent = (fov_y * 0.5).tan() * FILL;
        let tangents = Vec2::new(tangent * aspect, tangent);
        Self {
            right,
            up: back.cross(right),
            back,
            tangents,
            slopes: tangents,
            positive: Vec2::NEG_INFINITY,
            negative: Vec2::NEG_INFINITY,
            depth: [f32::INFINITY, f32::NEG_INFINITY],
        }
    }

    /// Fits an orthographic camera that shows as much of the plane through the target as [`Self::perspective`] does.
    pub fn orthographic(back: Vec3, up: Vec3, fov_y: f32, aspect: f32) -> Self {
        Self { slopes: Vec2::ZERO, ..Self::perspective(back, up, fov_y, aspect) }
    }

    /// Adds points. Points that are not finite are ignored.
    pub fn extend(&mut self, points: impl IntoIterator<Item = Vec3>) {
        for point in points.into_iter().filter(|point| point.is_finite()) {
            let across = Vec2::new(point.dot(self.right), point.dot(self.up));
            let back = point.dot(self.back);
            self.positive = self.positive.max(across + self.slopes * back);
            self.negative = self.negative.max(-across + self.slopes * back);
            self.depth = [self.depth[0].min(back), self.depth[1].max(back)];
        }
    }

    /// Returns the view, or `None` if there are no points or all points are at the same position.
    ///
    /// ```
    /// use glam::Vec3;
    /// use sinew_base::view::Fit;
    ///
    /// let mut fit = Fit::perspective(Vec3::Z, Vec3::Y, 90_f32.to_radians(), 1.0);
    /// fit.extend([Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, 1.0, 0.0)]);
    /// let view = fit.view().ok_or("there are no points")?;
    /// assert!(view.target.abs_diff_eq(Vec3::ZERO, 1e-6));
    /// // With a field of view of 90 degrees, one metre away shows two metres. The points fill 78 % of the image.
    /// assert!((view.distance - 1.0 / 0.78).abs() < 1e-5);
    /// # Ok::<(), &str>(())
    /// ```
    pub fn view(&self) -> Option<FittedView> {
        let [far, near] = self.depth;
        let middle = (far + near) * 0.5;
        let center = (self.positive - self.negative) * 0.5;
        let half = (self.positive + self.negative) * 0.5;
        let distance = if self.slopes == Vec2::ZERO { half } else { half - self.slopes * middle };
        let distance = (distance / self.tangents).max_element();
        let target = self.right * center.x + self.up * center.y + self.back * middle;
        let size = near - far + half.max_element();
        (distance.is_finite() && target.is_finite() && size > 0.0 && distance > 0.0)
            .then_some(FittedView { target, distance })
    }

    /// Returns a perspective camera that shows the points, or `camera` if [`Self::view`] is `None`.
    pub fn camera(&self, camera: Camera, radius: f32) -> Camera {
        let Some(FittedView { target, distance }) = self.view() else { return camera };
        let position = target + self.back * distance;
        // The depth of the character may exceed its distance from the camera.
        Camera {
            position,
            target,
            near: distance.max(radius) / 100.0,
            far: distance + 10.0 * radius,
            ..camera
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::view::{AUTO_FOV_Y, Bounds, Projection};

    /// Returns the lowest and the highest coordinates of the projected points. The image extends from −1 to 1.
    fn extent(camera: &Camera, points: &[Vec3], aspect: f32) -> (Vec2, Vec2) {
        let clip = camera.clip_from_world(aspect);
        let projected: Vec<Vec2> = points.iter().map(|p| clip.project_point3(*p).truncate()).collect();
        let low = projected.iter().copied().fold(Vec2::INFINITY, Vec2::min);
        let high = projected.iter().copied().fold(Vec2::NEG_INFINITY, Vec2::max);
        (low, high)
    }

    fn points() -> impl Strategy<Value = Vec<Vec3>> {
        let point = (-1.0..1.0_f32, -2.0..2.0_f32, -0.5..0.5_f32).prop_map(|(x, y, z)| Vec3::new(x, y, z));
        prop::collection::vec(point, 3..40)
    }

    proptest! {
        #[test]
        fn points_fill_the_image_up_to_the_margin(
            points in points(),
            (aspect, size, turn) in (0.3..3.0_f32, -3.0..3.0_f32, 0.0..6.2_f32),
            is_orthographic in any::<bool>(),
        ) {
            let scale = 10.0_f32.powf(size);
            let points: Vec<Vec3> = points.into_iter().map(|p| p * scale + Vec3::X * scale * 3.0).collect();
            let back = Vec3::new(turn.sin(), 0.3, turn.cos());
            let create = if is_orthographic { Fit::orthographic } else { Fit::perspective };
            let mut fit = create(back, Vec3::Y, AUTO_FOV_Y, aspect);
            fit.extend(points.iter().copied());
            let bounds = Bounds::around(points.iter().copied());
            let (_, radius) = bounds.sphere();
            // A single point cannot touch opposite borders.
            prop_assume!(radius > 0.01 * scale);
            let mut camera = fit.camera(Camera::framing(&bounds, AUTO_FOV_Y, aspect), radius);
            if is_orthographic {
                camera.projection = Projection::Orthographic { height: camera.height_at(camera.target) };
            }
            let (low, high) = extent(&camera, &points, aspect);
            prop_assert!(low.min(-high).min_element() > -FILL - 1e-3, "{low} to {high}");
            // The points touch both the left and the right border, or both the top and the bottom border.
            let touches = low.max(-high) + FILL;
            prop_assert!(touches.min_element() < 1e-3, "{low} to {high}");
        }
    }

    #[test]
    fn nothing_to_show_has_no_view() {
        let mut fit = Fit::perspective(Vec3::Z, Vec3::Y, AUTO_FOV_Y, 1.0);
        assert_eq!(fit.view(), None);
        fit.extend([Vec3::NAN]);
        assert_eq!(fit.view(), None);
        fit.extend([Vec3::ONE]);
        assert_eq!(fit.view(), None);
        fit.extend([Vec3::ZERO]);
        assert!(fit.view().is_some());
    }

    #[test]
    fn names_are_parsed() {
        assert!(Framing::ALL.into_iter().all(|kind| kind.to_string().parse() == Ok(kind)));
        assert_eq!(
            "wide".parse::<Framing>().unwrap_err().to_string(),
            "unknown framing \"wide\"; use one of auto, tight"
        );
    }
}
