//! Options of the closed form for limbs.

use glam::{DMat4, DVec3, DVec4};

use sinew_base::api::with_methods;

/// The swivel of a limb, its rotation about the line from its first joint to its end. A target position does not
/// determine the swivel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
#[non_exhaustive]
pub enum Swivel {
    /// The current swivel, unless the goal has a pole.
    #[default]
    Keep,
    /// The swivel of the rest pose.
    Standard,
    /// The swivel of an arm: the elbow points straight back while the arm hangs down. The shortest arc carries the
    /// hanging arm into any other pose, so that the elbow points down if the hand is in front (Oshita 2021, "Inverse
    /// kinematics", analytical solution). This swivel is undefined for an arm that points straight up, and near that
    /// direction the elbow turns fast.
    Arm,
    /// The swivel of a leg: the knee points to the front while the leg hangs down, and turns with the leg in the same
    /// way as the elbow in [`Swivel::Arm`]. [`Body::set_facing`](crate::Body::set_facing) defines the front.
    Leg,
    /// An angle relative to the swivel of the rest pose, in radians.
    Angle(f64),
    /// An angle relative to the swivel of the rest pose that depends on the target: `at_base + slope · (target −
    /// base) / length`, in radians, with the vectors in base space.
    Follow {
        /// Angle for a target at the base, in radians.
        at_base: f64,
        /// Gradient of the angle with respect to the target's position, in radians per limb length.
        slope: DVec3,
    },
}

/// Samples in a plane do not determine a swivel. Samples count as lying in a plane if the determinant of their normal
/// equations is below this fraction of the determinant for evenly spread samples.
const FLAT: f64 = 1e-9;

impl Swivel {
    /// Fits a [`Swivel::Follow`] to measured swivel angles by least squares. This is the swivel that Oshita's lecture derives from data
    /// (2021, analytical solution).
    ///
    /// A sample consists of the vector from the first joint to the target in base space, divided by the length of the limb, and of the
    /// angle relative to the swivel of the rest pose in radians. Returns `None` if there are fewer than four samples, if their targets lie
    /// in a plane, or if a number is not finite.
    ///
    /// ```
    /// use sinew_ik::glam::DVec3;
    /// use sinew_ik::Swivel;
    ///
    /// // The higher the hand, the farther the elbow turns out.
    /// let targets = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(0.5)];
    /// let samples = targets.map(|target| (target, 0.1 + 0.4 * target.y));
    /// let Some(Swivel::Follow { at_base, slope }) = Swivel::measured(&samples) else { panic!() };
    /// assert!((at_base - 0.1).abs() < 1e-9 && slope.distance(DVec3::Y * 0.4) < 1e-9);
    /// assert_eq!(Swivel::measured(&samples[..3]), None);
    /// ```
    pub fn measured(samples: &[(DVec3, f64)]) -> Option<Self> {
        let (mut normal, mut right) = (DMat4::ZERO, DVec4::ZERO);
        for &(target, angle) in samples {
            let row = DVec4::new(1.0, target.x, target.y, target.z);
            normal += DMat4::from_cols(row, row * target.x, row * target.y, row * target.z);
            right += row * angle;
        }
        let evenly = normal.x_axis.x * normal.y_axis.y * normal.z_axis.z * normal.w_axis.w;
        let is_definite = samples.len() >= 4 && normal.determinant() > FLAT * evenly;
        let solution = normal.inverse() * right;
        (is_definite && solution.is_finite()).then(|| Self::Follow {
            at_base: solution.x,
            slope: DVec3::new(solution.y, solution.z, solution.w),
        })
    }
}

/// Options of the closed form for limbs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct LimbOptions {
    /// Swivel of the limb.
    pub swivel: Swivel,
    /// Fraction of the limb's length, just before full stretch, over which the limb slows down. 0 means no softening.
    pub soften: f64,
}

with_methods!(LimbOptions {
    with_swivel(swivel: Swivel),
    with_soften(soften: f64),
});
