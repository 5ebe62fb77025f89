//! How far a joint may turn.
//!
//! A limit belongs to the joint, not to the way a chain is walked: it is asked about the joint's own q = rest⁻¹ · local,
//! with its axes in the joint's rest frame. One [`Limit::nearest`] serves every method.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec2, DVec3, EulerRot};
use serde::{Deserialize, Serialize};

use super::euler_order;
use super::rotation::{any_perpendicular, rotation_vector, wrapped};

/// How far a joint may turn from rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Limit {
    /// As far as it likes, about any axis.
    #[default]
    Free,
    /// Not at all.
    Locked,
    /// About one axis.
    Hinge {
        /// Unit axis, rest frame.
        axis: DVec3,
        /// Least angle, radians.
        min: f64,
        /// Greatest angle, radians.
        max: f64,
    },
    /// Away from an axis within an ellipse, and about it within a range. q = swing · twist; the swing's rotation vector
    /// is at right angles to the axis.
    Cone {
        /// Unit axis of the twist, rest frame: along the bone.
        axis: DVec3,
        /// Unit axis of the first swing, at right angles to it; the second is `axis × side`.
        side: DVec3,
        /// Greatest swing about the first and the second axis, radians, 0 to π.
        swing: [f64; 2],
        /// Least and greatest twist, radians.
        twist: [f64; 2],
    },
    /// Each of three Euler angles within a range. The middle one should stay within ±90°, by choice of the order.
    Euler {
        /// Order of the axes.
        #[serde(with = "euler_order")]
        order: EulerRot,
        /// Least angles, radians, in that order.
        min: [f64; 3],
        /// Greatest angles.
        max: [f64; 3],
    },
}

impl Limit {
    /// The allowed rotation next to one: itself if it is allowed.
    ///
    /// A hinge takes the rotation about its axis that is nearest of all. A cone takes the nearest point of the swing's
    /// ellipse, not the one along the ray, and the nearest end of the twist's range. An Euler box clamps the angles,
    /// of both ways to write the rotation the one that has to move less.
    pub fn nearest(&self, q: DQuat) -> DQuat {
        match *self {
            Self::Free => q,
            Self::Locked => DQuat::IDENTITY,
            Self::Hinge { axis, min, max } => hinge(q, axis, min, max),
            Self::Cone { axis, side, swing, twist } => cone(q, axis, side, swing, twist),
            Self::Euler { order, min, max } => euler(q, order, min, max),
        }
    }

    /// Radians from a rotation to the nearest allowed one.
    pub fn excess(&self, q: DQuat) -> f64 {
        if *self == Self::Free { 0.0 } else { angle_between(q, self.nearest(q)) }
    }

    /// The axis, rest frame, that a joint of this limit turns about; `None` if it has more than one or none.
    pub(super) fn hinge_axis(&self) -> Option<DVec3> {
        if let Self::Hinge { axis, .. } = self { Some(*axis) } else { None }
    }

    /// The rotation in the middle of what is allowed; rest for what has no limit.
    pub(super) fn centre(&self) -> DQuat {
        match *self {
            Self::Free | Self::Locked => DQuat::IDENTITY,
            Self::Hinge { axis, min, max } | Self::Cone { axis, twist: [min, max], .. } => {
                DQuat::from_axis_angle(axis, 0.5 * (min + max))
            }
            Self::Euler { order, min, max } => {
                let [a, b, c] = std::array::from_fn(|i| 0.5 * (min[i] + max[i]));
                DQuat::from_euler(order, a, b, c)
            }
        }
    }

    /// Whether a rotation stands at the border of what is allowed, within some radians.
    pub(super) fn is_at_border(&self, q: DQuat, margin: f64) -> bool {
        let at_end = |angle: f64, min: f64, max: f64| {
            let near = |end: f64| wrapped(angle - end).abs() <= margin;
            max - min < TAU && (near(min) || near(max))
        };
        match *self {
            Self::Free => false,
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

    /// What is wrong with its numbers.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let unit = |v: DVec3| v.is_finite() && (v.length() - 1.0).abs() < 1e-6;
        let range = |min: f64, max: f64| min.is_finite() && max.is_finite() && min <= max;
        match *self {
            Self::Free | Self::Locked => None,
            Self::Hinge { axis, .. } | Self::Cone { axis, .. } if !unit(axis) => Some("limit axis"),
            Self::Hinge { min, max, .. } if !range(min, max) => Some("limit range"),
            Self::Cone { axis, side, .. } if !unit(side) || axis.dot(side).abs() > 1e-6 => Some("limit side"),
            Self::Cone { swing, .. } if !swing.iter().all(|s| (0.0..=PI).contains(s)) => Some("limit swing"),
            Self::Cone { twist: [min, max], .. } if !range(min, max) => Some("limit twist"),
            Self::Euler { min, max, .. } if !(0..3).all(|i| range(min[i], max[i])) => Some("limit range"),
            _ => None,
        }
    }
}

/// Radians of the turn between two rotations.
pub(super) fn angle_between(a: DQuat, b: DQuat) -> f64 {
    let d = a.inverse() * b;
    2.0 * d.xyz().length().atan2(d.w.abs())
}

/// q = swing · twist about a unit axis: (swing, twist angle within ±π). At a swing of π the twist is taken as zero.
pub fn swing_twist(q: DQuat, axis: DVec3) -> (DQuat, f64) {
    let along = q.xyz().dot(axis);
    if along.hypot(q.w) < 1e-12 {
        return (q, 0.0);
    }
    let angle = wrapped(2.0 * along.atan2(q.w));
    (q * DQuat::from_axis_angle(axis, -angle), angle)
}

/// The angle of a range that is nearest on the circle.
fn clamp_angle(angle: f64, min: f64, max: f64) -> f64 {
    // The same direction, counted from the middle of the range.
    let middle = 0.5 * (min + max);
    let away = angle - middle;
    let away = away - TAU * (away / TAU).round();
    let half = 0.5 * (max - min);
    if away.abs() <= half {
        // The given digits where nothing has to change.
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
    if clamped == angle && swing.xyz().length() < 1e-15 {
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

/// The point of a filled ellipse (semi-axes `size`, zero allowed) next to a point.
///
/// Eberly 2011, "Distance from a point to an ellipse": the nearest point is (a²x/(t + a²), b²y/(t + b²)) for the
/// root t of a falling, convex function, found by bisection, which needs no care about where it starts.
fn nearest_in_ellipse(p: DVec2, size: DVec2) -> DVec2 {
    if size.x <= 0.0 || size.y <= 0.0 {
        return p.clamp(-size, size);
    }
    if (p / size).length_squared() <= 1.0 {
        return p;
    }
    let (a2, b2) = (size.x * size.x, size.y * size.y);
    let at = |t: f64| DVec2::new(p.x * a2 / (t + a2), p.y * b2 / (t + b2));
    // Outside, the root is positive, and not beyond where even the circle of the longer axis would hold the point.
    let (mut low, mut high) = (0.0, size.max_element() * p.length());
    for _ in 0..96 {
        let t = 0.5 * (low + high);
        if t <= low || t >= high {
            break;
        }
        if (at(t) / size).length_squared() > 1.0 {
            low = t;
        } else {
            high = t;
        }
    }
    at(high)
}

fn euler(q: DQuat, order: EulerRot, min: [f64; 3], max: [f64; 3]) -> DQuat {
    let (a, b, c) = q.to_euler(order);
    // The same rotation written the other way.
    let ways = [[a, b, c], [wrapped(a + PI), wrapped(PI - b), wrapped(c + PI)]];
    let clamp = |way: [f64; 3]| std::array::from_fn::<f64, 3, _>(|i| clamp_angle(way[i], min[i], max[i]));
    let [first, second] = ways.map(clamp);
    #[expect(clippy::float_cmp, reason = "unchanged to the last bit")]
    if first == ways[0] || second == ways[1] {
        return q;
    }
    let [first, second] = [first, second].map(|[a, b, c]| DQuat::from_euler(order, a, b, c));
    if angle_between(q, first) <= angle_between(q, second) { first } else { second }
}

/// A cone about an axis with the same swing to all sides.
pub fn round_cone(axis: DVec3, swing: f64, twist: [f64; 2]) -> Limit {
    Limit::Cone { axis, side: any_perpendicular(axis), swing: [swing; 2], twist }
}
