//! Weights and tolerances of a goal's position and orientation along each axis.
//!
//! The weights per axis form the diagonal task-space weight matrix of weighted least squares (Whitney 1972; KDL's
//! `setWeightTS`; the costs of Pink's frame tasks). Axes with weight zero are free, as with the selection matrix of a
//! task frame (Mason 1981, "Compliance and force control for computer controlled manipulators"). Tolerances per axis
//! form a box around the target, as in TRAC-IK (Beeson & Ames 2015).

use glam::{DMat3, DQuat, DVec3};

use super::rotation_error::RotationError;

/// Weights and tolerances of a goal along the axes of a frame. By default, all axes count equally.
///
/// ```
/// use sinew_ik::{AxisTerm, Goal, GoalAxes, LinkIndex, Tolerance};
/// use sinew_ik::glam::{DQuat, DVec3};
///
/// // A hand that slides on a table 0.9 m high, to within 5 mm, and stays level but turns about the vertical.
/// let on_table = AxisTerm { weights: DVec3::Y, tolerance: Some(Tolerance::Norm(0.005)) };
/// let level = AxisTerm { weights: DVec3::new(1.0, 0.0, 1.0), ..AxisTerm::default() };
/// let axes = GoalAxes { position: on_table, orientation: level, ..GoalAxes::default() };
/// let goal = Goal::pose(LinkIndex(2), DVec3::Y * 0.9, DQuat::IDENTITY).with_axes(axes);
/// assert!(goal.axes.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct GoalAxes {
    /// The frame that the axes belong to.
    pub frame: AxesFrame,
    /// Weights and tolerance of the position. Tolerances are in world metres.
    pub position: AxisTerm,
    /// Weights and tolerance of the orientation. Tolerances are in radians. The weights do not apply to an
    /// [`Aim`](super::Aim), but a [`Tolerance::Norm`] does.
    pub orientation: AxisTerm,
}

/// The frame of a goal's axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum AxesFrame {
    /// The axes of the world.
    #[default]
    World,
    /// The axes of the target orientation. The goal must have a target orientation, but the weights of the orientation
    /// may be zero.
    Target,
}

/// Weights and tolerance of one part of a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct AxisTerm {
    /// Factors for the squared errors along x, y and z, in addition to the goal's weight. Must not be negative. Zero frees an axis.
    pub weights: DVec3,
    /// Tolerance of this part of the goal. `None` means the tolerance of the [`Options`](super::Options).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub tolerance: Option<Tolerance>,
}

impl Default for AxisTerm {
    fn default() -> Self {
        Self { weights: DVec3::ONE, tolerance: None }
    }
}

/// The largest error at which a goal counts as reached.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(from = "serialised::ToleranceValue", into = "serialised::ToleranceValue")
)]
pub enum Tolerance {
    /// Maximum length of the error vector, without its components along free axes. Finite and positive.
    Norm(f64),
    /// Maximum absolute value of the error along each axis. An infinite component frees its axis.
    Axes(DVec3),
}

#[cfg(feature = "serde")]
mod serialised {
    use super::Tolerance;

    /// A tolerance in a file: a number, or three numbers in which `null` stands for infinity.
    #[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(untagged)]
    pub(super) enum ToleranceValue {
        Norm(f64),
        Axes([Option<f64>; 3]),
    }

    impl From<ToleranceValue> for Tolerance {
        fn from(value: ToleranceValue) -> Self {
            match value {
                ToleranceValue::Norm(norm) => Self::Norm(norm),
                ToleranceValue::Axes(axes) => Self::Axes(axes.map(|t| t.unwrap_or(f64::INFINITY)).into()),
            }
        }
    }

    impl From<Tolerance> for ToleranceValue {
        fn from(tolerance: Tolerance) -> Self {
            match tolerance {
                Tolerance::Norm(norm) => Self::Norm(norm),
                Tolerance::Axes(axes) => Self::Axes(axes.to_array().map(|t| t.is_finite().then_some(t))),
            }
        }
    }
}

impl AxisTerm {
    /// Returns a term with one weight for all axes.
    pub fn weighted(weight: f64) -> Self {
        Self { weights: DVec3::splat(weight), tolerance: None }
    }

    /// Returns the weights, which are zero for axes that an infinite tolerance frees.
    #[inline]
    pub(super) fn effective_weights(&self) -> DVec3 {
        match self.tolerance {
            Some(Tolerance::Axes(most)) => {
                DVec3::select(most.cmpeq(DVec3::INFINITY), DVec3::ZERO, self.weights)
            }
            _ => self.weights,
        }
    }

    /// Returns whether all axes have weight one and the tolerance does not depend on the direction of the error.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.weights == DVec3::ONE && !matches!(self.tolerance, Some(Tolerance::Axes(_)))
    }

    /// Returns the name of the first field with an invalid number, and its value. `weights` and `tolerance` are the names.
    fn invalid(&self, weights: &'static str, tolerance: &'static str) -> Option<(&'static str, String)> {
        if !(self.weights.is_finite() && self.weights.min_element() >= 0.0) {
            return Some((weights, self.weights.to_string()));
        }
        match self.tolerance {
            Some(Tolerance::Norm(t)) if !(t.is_finite() && t > 0.0) => Some((tolerance, t.to_string())),
            // `cmpgt` is false for NaN.
            Some(Tolerance::Axes(t)) if !t.cmpgt(DVec3::ZERO).all() => Some((tolerance, t.to_string())),
            _ => None,
        }
    }
}

impl GoalAxes {
    /// Checks the weights and the tolerances.
    ///
    /// # Errors
    /// Returns the name of the first invalid field and its value. Weights must be finite and not negative, and
    /// tolerances must be positive.
    pub fn validate(&self) -> Result<(), (&'static str, String)> {
        let position = self.position.invalid("position weights", "position tolerance");
        let orientation = || self.orientation.invalid("orientation weights", "orientation tolerance");
        position.or_else(orientation).map_or(Ok(()), Err)
    }

    /// Returns the length of a position error without its components along free axes, or `None` if all axes are free.
    /// `error` is in world space, and `target` is the target orientation of the goal.
    ///
    /// ```
    /// use sinew_ik::glam::DVec3;
    /// use sinew_ik::{AxisTerm, GoalAxes};
    ///
    /// // Only the height counts.
    /// let height = AxisTerm { weights: DVec3::Y, ..AxisTerm::default() };
    /// let axes = GoalAxes { position: height, ..GoalAxes::default() };
    /// assert_eq!(axes.position_error(DVec3::new(3.0, 0.02, 4.0), None), Some(0.02));
    /// ```
    pub fn position_error(&self, error: DVec3, target: Option<DQuat>) -> Option<f64> {
        let weights = self.position.effective_weights();
        if weights.cmpgt(DVec3::ZERO).all() {
            return Some(error.length());
        }
        let along = self.world_from_axes(target).transpose() * error;
        let counted = DVec3::select(weights.cmpgt(DVec3::ZERO), along, DVec3::ZERO);
        (weights != DVec3::ZERO).then(|| counted.length())
    }

    /// Returns the angle in radians between the current and the target orientation in the world, excluding turns about free axes, or `None`
    /// if all axes are free.
    pub fn orientation_error(&self, target: DQuat, current: DQuat) -> Option<f64> {
        let free = self.orientation.effective_weights().cmpeq(DVec3::ZERO);
        if free.all() {
            return None;
        }
        let q = target.normalize() * current.conjugate();
        let along = self.world_from_axes(Some(target)).transpose() * q.xyz();
        let q = DQuat::from_vec4(along.extend(q.w)).normalize();
        Some(RotationError::new(q, free).error.length())
    }

    pub(super) fn is_world(&self) -> bool {
        self.frame == AxesFrame::World
    }

    /// Returns the rotation from the axes to the world. `target` is the target orientation.
    pub(super) fn world_from_axes(&self, target: Option<DQuat>) -> DMat3 {
        match (self.frame, target) {
            (AxesFrame::Target, Some(target)) => DMat3::from_quat(target.normalize()),
            _ => DMat3::IDENTITY,
        }
    }
}
