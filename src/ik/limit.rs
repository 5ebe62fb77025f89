//! Joint limits.
//!
//! A limit describes the type and the range of a joint. It applies to the rotation of the joint from rest, q = rest⁻¹ · local, or to the
//! displacement of the joint. Its axes are in the joint's rest frame. The limit does not depend on the direction in which a chain is
//! traversed. All methods use [`Limit::nearest`] and [`Limit::nearest_displacement`].

use std::f64::consts::{PI, TAU};
use std::ops::RangeInclusive;

use glam::{DQuat, DVec2, DVec3, EulerRot};

#[cfg(feature = "serde")]
use super::euler_order;
use super::rotation::{any_perpendicular, rotation_vector, wrapped};

mod bits;
mod random;

pub use bits::append_bits;
pub use random::{random_angle, random_rotation};

/// Maximum deviation of a unit vector's length from 1, and of the dot product of perpendicular vectors from 0. Files store
/// six digits.
const UNIT: f64 = 1e-6;
/// A swing counts as a half turn, at which the twist is undefined, if the cosine of half its angle is below this value.
const HALF_TURN: f64 = 1e-12;
/// A swing counts as a rounding error if the sine of half its angle is at most this value.
const NO_SWING: f64 = 1e-15;

/// The type of a joint, and the range of its rotation or displacement from rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum Limit {
    // Not `#[non_exhaustive]`: the compiler reports every place that a new variant affects, even in other crates.
    /// Any rotation.
    #[default]
    Free,
    /// No rotation.
    Locked,
    /// A rotation about one axis.
    Hinge {
        /// Unit axis in the rest frame.
        axis: DVec3,
        /// Minimum angle in radians.
        min: f64,
        /// Maximum angle in radians.
        max: f64,
    },
    /// A displacement along one axis without rotation, such as a linear axis of a robot.
    Prismatic {
        /// Unit axis in the rest frame.
        axis: DVec3,
        /// Minimum displacement in metres in the parent's frame.
        min: f64,
        /// Maximum displacement in metres in the parent's frame.
        max: f64,
    },
    /// A swing within an ellipse and a twist within a range. q = swing · twist. The rotation vector of the swing is
    /// perpendicular to the axis.
    Cone {
        /// Unit axis of the twist in the rest frame. It points along the bone.
        axis: DVec3,
        /// Unit axis of the first swing, perpendicular to `axis`. The axis of the second swing is `axis × side`.
        side: DVec3,
        /// Maximum swing about the first and the second swing axis in radians, from 0 to π.
        swing: [f64; 2],
        /// Minimum and maximum twist in radians.
        twist: [f64; 2],
    },
    /// A range for each of three Euler angles. Choose the order so that the middle angle stays within ±90°.
    Euler {
        /// Order of the axes.
        #[cfg_attr(feature = "serde", serde(with = "euler_order"))]
        order: EulerRot,
        /// Minimum angles in radians, in that order.
        min: [f64; 3],
        /// Maximum angles in radians, in that order.
        max: [f64; 3],
    },
}

impl Limit {
    /// Returns the limit of a hinge that turns about a unit axis of its rest frame, within a range of angles in radians.
    ///
    /// ```
    /// use sinew_ik::glam::{DQuat, DVec3};
    /// use sinew_ik::Limit;
    ///
    /// let knee = Limit::hinge(DVec3::X, 0.0..=2.6);
    /// let bent = DQuat::from_rotation_x(3.0);
    /// assert!((knee.limit_violation(bent) - 0.4).abs() < 1e-9);
    /// ```
    pub fn hinge(axis: DVec3, angles: RangeInclusive<f64>) -> Self {
        let (min, max) = angles.into_inner();
        Self::Hinge { axis, min, max }
    }

    /// Returns the limit of a joint that slides along a unit axis of its rest frame, within a range of displacements in
    /// metres.
    pub fn prismatic(axis: DVec3, displacements: RangeInclusive<f64>) -> Self {
        let (min, max) = displacements.into_inner();
        Self::Prismatic { axis, min, max }
    }

    /// Returns the nearest allowed rotation. An allowed rotation is returned unchanged.
    ///
    /// For a hinge, the result is the nearest of all allowed rotations about its axis. For a cone, it combines the nearest
    /// swing in the ellipse, which in general has a different direction, with the nearest twist in the range. For Euler
    /// angles, both triples that describe the rotation are clamped, and the result that is nearer to the rotation is used.
    ///
    /// ```
    /// use sinew_ik::glam::{DQuat, DVec3};
    /// use sinew_ik::{round_cone, swing_twist};
    ///
    /// // A shoulder swings by at most one radian, and twists by half a radian.
    /// let shoulder = round_cone(DVec3::Y, 1.0, [-0.5, 0.5]);
    /// let allowed = shoulder.nearest(DQuat::from_rotation_x(1.7) * DQuat::from_rotation_y(0.9));
    /// let (swing, twist) = swing_twist(allowed, DVec3::Y);
    /// assert!((twist - 0.5).abs() < 1e-9);
    /// assert!(swing.abs_diff_eq(DQuat::from_rotation_x(1.0), 1e-9));
    /// ```
    pub fn nearest(&self, q: DQuat) -> DQuat {
        match *self {
            Self::Free => q,
            Self::Locked | Self::Prismatic { .. } => DQuat::IDENTITY,
            Self::Hinge { axis, min, max } => hinge(q, axis, min, max),
            Self::Cone { axis, side, swing, twist } => cone(q, axis, side, swing, twist),
            Self::Euler { order, min, max } => euler(q, order, min, max),
        }
    }

    /// Returns the limit violation: the angle in radians from a rotation to the nearest allowed rotation.
    pub fn limit_violation(&self, q: DQuat) -> f64 {
        if *self == Self::Free { 0.0 } else { angle_between(q, self.nearest(q)) }
    }

    /// Returns the nearest allowed displacement in metres. The result is 0 for joints that are not prismatic.
    ///
    /// ```
    /// use sinew_ik::glam::DVec3;
    /// use sinew_ik::Limit;
    ///
    /// let rail = Limit::prismatic(DVec3::X, 0.0..=0.5);
    /// assert_eq!([-1.0, 0.2, 3.0].map(|metres| rail.nearest_displacement(metres)), [0.0, 0.2, 0.5]);
    /// ```
    pub fn nearest_displacement(&self, displacement: f64) -> f64 {
        match *self {
            Self::Prismatic { min, max, .. } => displacement.max(min).min(max),
            _ => 0.0,
        }
    }

    /// Returns the nearest rotation whose swing is within a cone that is wider by `margin` radians in every direction. The
    /// twist is unchanged, whatever its range is. For limits other than cones, the rotation is returned unchanged.
    ///
    /// ```
    /// use sinew_ik::glam::{DQuat, DVec3};
    /// use sinew_ik::round_cone;
    ///
    /// let neck = round_cone(DVec3::Y, 0.7, [-0.1, 0.1]);
    /// let twist = DQuat::from_rotation_y(0.5);
    /// let allowed = neck.nearest_swing(DQuat::from_rotation_x(1.3) * twist, 0.2);
    /// assert!(allowed.abs_diff_eq(DQuat::from_rotation_x(0.9) * twist, 1e-9));
    /// ```
    pub fn nearest_swing(&self, q: DQuat, margin: f64) -> DQuat {
        let Self::Cone { axis, side, swing, .. } = *self else { return q };
        let (away, angle) = swing_twist(q, axis);
        let wide = swing.map(|s| (s + margin).min(PI));
        cone(away, axis, side, wide, [-PI, PI]) * DQuat::from_axis_angle(axis, angle)
    }

    /// Returns whether this is the limit of a ball joint: a cone, or ranges of Euler angles. A free joint has no limit.
    pub fn is_limited_ball(&self) -> bool {
        matches!(self, Self::Cone { .. } | Self::Euler { .. })
    }

    /// Returns the minimum and the maximum of a joint with one degree of freedom: the angles of a hinge in radians, or the
    /// displacements of a prismatic joint in metres.
    pub(super) fn range(&self) -> Option<[f64; 2]> {
        let mut own = *self;
        own.range_mut().map(|(min, max)| [*min, *max])
    }

    /// Returns the minimum and the maximum of [`Limit::range`] for writing.
    pub(super) fn range_mut(&mut self) -> Option<(&mut f64, &mut f64)> {
        match self {
            Self::Hinge { min, max, .. } | Self::Prismatic { min, max, .. } => Some((min, max)),
            _ => None,
        }
    }

    /// Returns the rotation in the middle of the allowed range. If there is no limit, this is the identity.
    pub(super) fn centre(&self) -> DQuat {
        match *self {
            Self::Free | Self::Locked | Self::Prismatic { .. } => DQuat::IDENTITY,
            Self::Hinge { axis, min, max } | Self::Cone { axis, twist: [min, max], .. } => {
                DQuat::from_axis_angle(axis, 0.5 * (min + max))
            }
            Self::Euler { order, min, max } => {
                let [a, b, c] = std::array::from_fn(|i| 0.5 * (min[i] + max[i]));
                DQuat::from_euler(order, a, b, c)
            }
        }
    }

    /// Returns whether a rotation is within `margin` radians of the limit's border, or beyond it. The border of a prismatic
    /// joint does not depend on its rotation.
    pub(super) fn is_at_border(&self, q: DQuat, margin: f64) -> bool {
        let at_end = |angle: f64, min: f64, max: f64| {
            let near = |end: f64| wrapped(angle - end).abs() <= margin;
            max - min < TAU && (near(min) || near(max))
        };
        match *self {
            Self::Free | Self::Prismatic { .. } => false,
            Self::Locked => true,
            Self::Hinge { axis, min, max } => at_end(swing_twist(q, axis).1, min, max),
            Self::Cone { axis, side, swing, twist } => {
                let (away, angle) = swing_twist(q, axis);
                let vector = rotation_vector(away);
                let at = DVec2::new(vector.dot(side), vector.dot(axis.cross(side)));
                let inner = DVec2::from(swing) - margin;
                inner.min_element() <= 0.0
                    || (at / inner).length_squared() >= 1.0
                    || at_end(angle, twist[0], twist[1])
            }
            Self::Euler { order, min, max } => {
                let (a, b, c) = q.to_euler(order);
                [a, b, c].into_iter().enumerate().any(|(i, angle)| at_end(angle, min[i], max[i]))
            }
        }
    }

    /// Checks the limit.
    ///
    /// # Errors
    /// Returns the name of the first invalid property.
    pub fn validate(&self) -> Result<(), &'static str> {
        self.invalid_property().map_or(Ok(()), Err)
    }

    fn invalid_property(&self) -> Option<&'static str> {
        let unit = |v: DVec3| v.is_finite() && (v.length() - 1.0).abs() < UNIT;
        let range = |min: f64, max: f64| min.is_finite() && max.is_finite() && min <= max;
        match *self {
            Self::Free | Self::Locked => None,
            Self::Hinge { axis, .. } | Self::Prismatic { axis, .. } | Self::Cone { axis, .. }
                if !unit(axis) =>
            {
                Some("limit axis")
            }
            Self::Hinge { min, max, .. } | Self::Prismatic { min, max, .. } if !range(min, max) => {
                Some("limit range")
            }
            Self::Cone { axis, side, .. } if !unit(side) || axis.dot(side).abs() > UNIT => Some("limit side"),
            Self::Cone { swing, .. } if !swing.iter().all(|s| (0.0..=PI).contains(s)) => Some("limit swing"),
            Self::Cone { twist: [min, max], .. } if !range(min, max) => Some("limit twist"),
            Self::Euler { min, max, .. } if !(0..3).all(|i| range(min[i], max[i])) => Some("limit range"),
            _ => None,
        }
    }
}

/// Returns the angle in radians between two rotations.
pub(super) fn angle_between(a: DQuat, b: DQuat) -> f64 {
    let d = a.inverse() * b;
    2.0 * d.xyz().length().atan2(d.w.abs())
}

/// Splits a rotation into q = swing · twist about a unit axis. Returns the swing and the twist angle within ±π. At a
/// swing of π the twist is zero.
///
/// ```
/// use sinew_ik::glam::{DQuat, DVec3};
/// use sinew_ik::swing_twist;
///
/// let rotation = DQuat::from_rotation_x(0.8) * DQuat::from_rotation_y(0.3);
/// let (swing, twist) = swing_twist(rotation, DVec3::Y);
/// assert!(swing.abs_diff_eq(DQuat::from_rotation_x(0.8), 1e-12));
/// assert!((twist - 0.3).abs() < 1e-12);
/// ```
pub fn swing_twist(q: DQuat, axis: DVec3) -> (DQuat, f64) {
    let along = q.xyz().dot(axis);
    if along.hypot(q.w) < HALF_TURN {
        return (q, 0.0);
    }
    let angle = wrapped(2.0 * along.atan2(q.w));
    (q * DQuat::from_axis_angle(axis, -angle), angle)
}

/// Returns the angle in a range that is nearest to an angle on the circle.
fn clamp_angle(angle: f64, min: f64, max: f64) -> f64 {
    // `away` is the angle relative to the middle of the range, within ±π.
    let middle = 0.5 * (min + max);
    let away = angle - middle;
    let away = away - TAU * (away / TAU).round();
    let half = 0.5 * (max - min);
    if away.abs() <= half {
        // An angle within the range keeps its exact value.
        if (min..=max).contains(&angle) { angle } else { middle + away }
    } else if away > 0.0 {
        max
    } else {
        min
    }
}

fn hinge(q: DQuat, axis: DVec3, min: f64, max: f64) -> DQuat {
    let (swing, angle) = swing_twist(q, axis);
    let clamped = clamp_angle(angle, min, max);
    #[expect(clippy::float_cmp, reason = "unchanged to the last bit")]
    if clamped == angle && swing.xyz().length() < NO_SWING {
        return q;
    }
    DQuat::from_axis_angle(axis, clamped)
}

fn cone(q: DQuat, axis: DVec3, side: DVec3, swing: [f64; 2], twist: [f64; 2]) -> DQuat {
    let (away, angle) = swing_twist(q, axis);
    let other = axis.cross(side);
    let vector = rotation_vector(away);
    let at = DVec2::new(vector.dot(side), vector.dot(other));
    let (nearest, clamped) = (nearest_in_ellipse(at, swing.into()), clamp_angle(angle, twist[0], twist[1]));
    #[expect(clippy::float_cmp, reason = "unchanged to the last bit")]
    if nearest == at && clamped == angle {
        return q;
    }
    DQuat::from_scaled_axis(side * nearest.x + other * nearest.y) * DQuat::from_axis_angle(axis, clamped)
}

/// Returns the point of a filled ellipse that is nearest to `p`. `size` contains the semi-axes, which may be zero.
///
/// Eberly 2011, "Distance from a point to an ellipse": the nearest point is (a²x/(t + a²), b²y/(t + b²)) for the positive
/// root t of F(t) = (ax/(t + a²))² + (by/(t + b²))² − 1. F is convex and decreasing, so Newton's method from t = 0
/// approaches the root from below and never passes it.
fn nearest_in_ellipse(p: DVec2, size: DVec2) -> DVec2 {
    if size.x <= 0.0 || size.y <= 0.0 {
        return p.clamp(-size, size);
    }
    if (p / size).length_squared() <= 1.0 {
        return p;
    }
    let squares = size * size;
    let mut t = 0.0;
    // Far from a flat ellipse, the first steps only double t + b².
    for _ in 0..64 {
        let sum = squares + t;
        let ratio = size * p / sum;
        let value = ratio.length_squared() - 1.0;
        let step = value / (2.0 * (ratio * ratio / sum).element_sum());
        if value <= 4.0 * f64::EPSILON {
            break;
        }
        t += step;
    }
    // Rounding must not leave the point outside the ellipse.
    let nearest = p * squares / (squares + t);
    nearest / (nearest / size).length().max(1.0)
}

/// Returns the two triples of Euler angles that describe a rotation.
pub(super) fn euler_ways(q: DQuat, order: EulerRot) -> [[f64; 3]; 2] {
    let (a, b, c) = q.to_euler(order);
    [[a, b, c], [wrapped(a + PI), wrapped(PI - b), wrapped(c + PI)]]
}

fn euler(q: DQuat, order: EulerRot, min: [f64; 3], max: [f64; 3]) -> DQuat {
    let ways = euler_ways(q, order);
    let clamp = |way: [f64; 3]| std::array::from_fn::<f64, 3, _>(|i| clamp_angle(way[i], min[i], max[i]));
    let [first, second] = ways.map(clamp);
    #[expect(clippy::float_cmp, reason = "unchanged to the last bit")]
    if first == ways[0] || second == ways[1] {
        return q;
    }
    let [first, second] = [first, second].map(|[a, b, c]| DQuat::from_euler(order, a, b, c));
    if angle_between(q, first) <= angle_between(q, second) { first } else { second }
}

/// Returns a cone limit with the same maximum swing in all directions.
///
/// ```
/// use sinew_ik::glam::{DQuat, DVec3};
/// use sinew_ik::round_cone;
///
/// let neck = round_cone(DVec3::Y, 0.7, [-1.2, 1.2]);
/// // A swing of one radian exceeds the cone by 0.3 radians in every direction.
/// for axis in [DVec3::X, DVec3::Z, DVec3::new(0.6, 0.0, -0.8)] {
///     let violation = neck.limit_violation(DQuat::from_axis_angle(axis, 1.0));
///     assert!((violation - 0.3).abs() < 1e-9);
/// }
/// ```
pub fn round_cone(axis: DVec3, swing: f64, twist: [f64; 2]) -> Limit {
    Limit::Cone { axis, side: any_perpendicular(axis), swing: [swing; 2], twist }
}
