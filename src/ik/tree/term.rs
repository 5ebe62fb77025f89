//! The position or the orientation of an effector task: its weights and tolerances along axes.

use glam::{BVec3, DMat3, DQuat, DVec3};

use crate::rotation_error::RotationError;
use crate::{AxisTerm, Tolerance};

/// One part of an effector task's error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    /// Weight relative to the weight of the task. It is the largest weight of the axes.
    pub(crate) weight: f64,
    /// The axes, unless all of them have the same weight.
    pub(crate) axes: Option<TermAxes>,
    /// The goal's own tolerance, if it has one.
    tolerance: Option<Tolerance>,
    /// Rotation from the space in which the error is measured to the axes.
    axes_from_error: DMat3,
}

/// Axes with different weights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TermAxes {
    /// The square roots of the weights relative to [`Term::weight`]. Zero for free axes.
    roots: DVec3,
    /// Linear map from base space to the axes. Each axis is multiplied by the square root of its weight. For the
    /// position, the map preserves lengths in base space, except for the weights. For the orientation, the map depends on
    /// the pose.
    pub(crate) weighted_from_base: DMat3,
    /// 1 for each axis that counts, and 0 for free axes.
    counted: DVec3,
}

impl Term {
    /// Creates a term. `axes_from_error` is a rotation. `error_from_base` maps base space to the space of the error, and `scale` is the
    /// length of a base-space unit vector in that space.
    pub(super) fn new(term: &AxisTerm, axes_from_error: DMat3, error_from_base: DMat3, scale: f64) -> Self {
        let weights = term.effective_weights();
        let largest = weights.max_element();
        let is_even = weights == DVec3::splat(largest);
        let axes = (largest > 0.0 && !is_even).then(|| {
            let roots = (weights / largest).map(f64::sqrt);
            let axes_from_base = axes_from_error * error_from_base * (1.0 / scale);
            TermAxes {
                roots,
                weighted_from_base: DMat3::from_diagonal(roots) * axes_from_base,
                counted: DVec3::select(weights.cmpgt(DVec3::ZERO), DVec3::ONE, DVec3::ZERO),
            }
        });
        Self { weight: largest, axes, tolerance: term.tolerance, axes_from_error }
    }

    /// Returns the largest weight of a goal's axes.
    pub(super) fn largest_weight(term: &AxisTerm) -> f64 {
        term.effective_weights().max_element()
    }

    /// Returns whether at least one axis counts.
    pub(super) fn counts(&self) -> bool {
        self.weight > 0.0
    }

    /// Returns whether axes that are not free have different weights.
    pub(crate) fn is_uneven(&self) -> bool {
        self.axes.is_some_and(|axes| axes.roots != axes.counted)
    }

    #[inline]
    pub(crate) fn has_free_axes(&self) -> bool {
        self.axes.is_some_and(|axes| axes.counted != DVec3::ONE)
    }

    /// Returns the length of an error vector without its components along free axes.
    #[inline]
    pub(super) fn length(&self, error: DVec3) -> f64 {
        match self.axes {
            None => error.length(),
            Some(axes) => (axes.counted * (self.axes_from_error * error)).length(),
        }
    }

    /// Returns the length of an error vector whose components are multiplied by the square roots of their weights.
    #[inline]
    pub(super) fn weighted_length(&self, error: DVec3) -> f64 {
        match self.axes {
            None => error.length(),
            Some(axes) => (axes.roots * (self.axes_from_error * error)).length(),
        }
    }

    /// Returns whether an error vector is within tolerance. `default` is used if the goal has no tolerance of its own.
    #[inline]
    pub(super) fn is_within(&self, error: DVec3, default: f64) -> bool {
        match self.tolerance {
            None => self.length(error) <= default,
            Some(Tolerance::Norm(norm)) => self.length(error) <= norm,
            Some(Tolerance::Axes(most)) => {
                let counted = self.axes.map_or(DVec3::ONE, |axes| axes.counted);
                (counted * (self.axes_from_error * error)).abs().cmple(most).all()
            }
        }
    }

    /// Returns the goal's own tolerance if it is the same in all directions.
    #[inline]
    pub(super) fn norm_tolerance(&self) -> Option<f64> {
        match self.tolerance {
            Some(Tolerance::Norm(norm)) => Some(norm),
            _ => None,
        }
    }

    /// Returns the error vector without its components along free axes, in the space of the error.
    #[inline]
    pub(super) fn counted_part(&self, error: DVec3) -> DVec3 {
        match self.axes {
            None => error,
            Some(axes) => self.axes_from_error.transpose() * (axes.counted * (self.axes_from_error * error)),
        }
    }

    /// Returns the orientation error from a current to a target orientation, and the map of [`TermAxes::weighted_from_base`] in this pose.
    /// The orientations are in base space. The error is a rotation vector in base space without components along free axes.
    pub(super) fn rotation_error(&self, target: DQuat, current: DQuat) -> Option<(DVec3, DMat3)> {
        let axes = self.axes?;
        let q = target * current.conjugate();
        let along = self.axes_from_error * q.xyz();
        let free: BVec3 = axes.counted.cmpeq(DVec3::ZERO);
        let RotationError { error, reduction } =
            RotationError::new(DQuat::from_vec4(along.extend(q.w)).normalize(), free);
        let base_from_axes = self.axes_from_error.transpose();
        let map = DMat3::from_diagonal(axes.roots) * reduction * self.axes_from_error;
        Some((base_from_axes * error, map))
    }

    /// Converts an error in base space to the axes, and multiplies each component by the square root of its weight. This
    /// is only valid for orientations, because lengths in base space differ from world lengths.
    #[inline]
    pub(crate) fn weighted_rotation(&self, error: DVec3) -> DVec3 {
        self.axes.map_or(error, |axes| axes.roots * (self.axes_from_error * error))
    }
}
