//! Joint limits in single precision: the CPU twin of `shaders/joint_limits.wgsl`. [`Limit`] defines what they mean.

use std::f64::consts::FRAC_PI_2;

use glam::{DVec2, DVec4, EulerRot, Quat, Vec2, Vec4, Vec4Swizzles};

use crate::ik::Limit;
use crate::ik::shared::euler_axes;
use crate::mathematics::single::normalize;
use crate::mathematics::single_trigonometry::{from_rotation_vector, rotation_vector};

use super::{CONE, EULER, FREE, HINGE, JointLimit, LOCKED};

/// The bit of an odd order of Euler angles.
const ODD: u32 = 64;
/// The bit of a limit on the inverse rotation.
const INVERTED: u32 = 128;

impl JointLimit {
    /// Converts a limit, or returns `None` for Euler angles about fixed axes or with two equal axes.
    pub fn new(limit: &Limit) -> Option<Self> {
        let mut packed = Self::default();
        match *limit {
            Limit::Free => packed.kind = FREE,
            Limit::Locked | Limit::Prismatic { .. } => packed.kind = LOCKED,
            Limit::Hinge { axis, min, max } => {
                packed.kind = HINGE;
                packed.axis = axis.normalize().as_vec3();
                packed.ranges[0] = packed_range(min, max);
            }
            Limit::Cone { axis, side, swing, twist } => {
                packed.kind = CONE;
                (packed.axis, packed.side) = (axis.normalize().as_vec3(), side.normalize().as_vec3());
                [packed.side_swing, packed.other_swing] = DVec2::from(swing).as_vec2().to_array();
                packed.ranges[0] = packed_range(twist[0], twist[1]);
            }
            Limit::Euler { order, min, max } => {
                (packed.kind, packed.order) = (EULER, packed_order(order)?);
                packed.ranges = std::array::from_fn(|i| packed_range(min[i], max[i]));
            }
        }
        Some(packed)
    }

    /// Returns the limit of the inverse rotation.
    #[must_use]
    pub fn inverted(self) -> Self {
        // The inverse of a hinge's turn is the same turn about the opposite axis.
        let axis = if self.kind == HINGE { -self.axis } else { self.axis };
        Self { axis, order: self.order ^ INVERTED, ..self }
    }

    /// Returns the allowed rotation that is nearest to a unit quaternion.
    pub fn nearest(&self, rotation: Quat) -> Quat {
        match self.kind {
            FREE => return rotation,
            LOCKED => return Quat::IDENTITY,
            HINGE => {
                let pair = clamp_pair(unit_pair(self.twist(rotation)), self.ranges[0]);
                return Quat::from_vec4((self.axis * pair.y).extend(pair.x));
            }
            _ => {}
        }
        let is_inverted = self.order & INVERTED != 0;
        let q = if is_inverted { rotation.conjugate() } else { rotation };
        let allowed = if self.kind == CONE { self.cone_nearest(q) } else { self.euler_nearest(q) };
        normalize(Vec4::from(if is_inverted { allowed.conjugate() } else { allowed }))
    }

    /// Limits a turn. All allowed rotations are moved so that they contain `before`, the rotation before the turn, because a pose must not
    /// jump when a solve begins.
    pub fn limited(&self, q: Quat, before: Quat) -> Quat {
        let excess = before * self.nearest(before).conjugate();
        excess * self.nearest(excess.conjugate() * q)
    }

    /// Returns the twist of a rotation about the axis as a pair that is not scaled.
    fn twist(&self, q: Quat) -> Vec2 {
        Vec2::new(q.w, q.xyz().dot(self.axis))
    }

    fn cone_nearest(&self, q: Quat) -> Quat {
        let (axis, side) = (self.axis, self.side);
        let twist = unit_pair(self.twist(q));
        let swing = q * Quat::from_vec4((-axis * twist.y).extend(twist.x));
        let (vector, other) = (rotation_vector(swing), axis.cross(side));
        let at = Vec2::new(vector.dot(side), vector.dot(other));
        let nearest = nearest_in_ellipse(at, Vec2::new(self.side_swing, self.other_swing));
        let allowed =
            if nearest == at { swing } else { from_rotation_vector(side * nearest.x + other * nearest.y) };
        let pair = clamp_pair(twist, self.ranges[0]);
        allowed * Quat::from_vec4((axis * pair.y).extend(pair.x))
    }

    fn euler_nearest(&self, rotation: Quat) -> Quat {
        let axes = [0, 2, 4].map(|shift| (self.order >> shift & 3) as usize);
        let parity = if self.order & ODD == 0 { 1.0 } else { -1.0 };
        let given = rotation.to_array();
        let [x, y, z] = axes.map(|i| parity * given[i]);
        let q = Quat::from_xyzw(x, y, z, rotation.w);
        let (sum, difference) = (Vec2::new(q.w + q.y, q.x + q.z), Vec2::new(q.w - q.y, q.x - q.z));
        let (u, v) = (unit_pair(sum), unit_pair(difference));
        let (p, m) = (sum.length(), difference.length());
        let flip = Vec2::new(1.0, parity);
        let a = flip * half_pair(Vec2::new(u.x * v.x - u.y * v.y, u.y * v.x + u.x * v.y));
        let b = flip * unit_pair(Vec2::new(p + m, p - m));
        let c = flip * half_pair(Vec2::new(u.x * v.x + u.y * v.y, u.y * v.x - u.x * v.y));
        let clamp = |pair: Vec2, i: usize| flip * clamp_pair(pair, self.ranges[i]);
        let first = from_euler(clamp(a, 0), clamp(b, 1), clamp(c, 2));
        let second = from_euler(clamp(a.perp(), 0), clamp(Vec2::new(b.y, b.x), 1), clamp(c.perp(), 2));
        let nearest = if first.dot(q).abs() >= second.dot(q).abs() { first } else { second };
        let mut allowed = [0.0, 0.0, 0.0, nearest.w];
        for (value, axis) in nearest.to_array().into_iter().zip(axes) {
            allowed[axis] = parity * value;
        }
        Quat::from_array(allowed)
    }
}

/// Returns a range of angles as the shader reads it.
fn packed_range(min: f64, max: f64) -> Vec4 {
    let middle = 0.25 * (min + max);
    let half = (0.25 * (max - min)).min(FRAC_PI_2);
    // If half the range is half a turn, every angle is allowed. Rounding must not make the cosine negative.
    DVec4::new(middle.cos(), middle.sin(), half.cos().max(0.0), half.sin()).as_vec4()
}

/// Returns the axes of intrinsic Euler angles and their parity, as `order` stores them.
fn packed_order(order: EulerRot) -> Option<u32> {
    let axes = euler_axes(order)?.map(u32::from);
    let parity = if axes[1] == (axes[0] + 1) % 3 { 0 } else { ODD };
    Some(axes[0] | axes[1] << 2 | axes[2] << 4 | parity)
}

fn unit_pair(pair: Vec2) -> Vec2 {
    let square = pair.length_squared();
    if square > 1e-12 { pair / square.sqrt() } else { Vec2::X }
}

fn clamp_pair(pair: Vec2, range: Vec4) -> Vec2 {
    let middle = range.xy();
    let mut away = Vec2::new(pair.dot(middle), pair.y * middle.x - pair.x * middle.y);
    away = if away.x < 0.0 { -away } else { away };
    if away.x < range.z {
        away = Vec2::new(range.z, if away.y < 0.0 { -range.w } else { range.w });
    }
    Vec2::new(away.x * middle.x - away.y * middle.y, away.y * middle.x + away.x * middle.y)
}

fn nearest_in_ellipse(p: Vec2, size: Vec2) -> Vec2 {
    if size.min_element() <= 0.0 {
        return p.clamp(-size, size);
    }
    if (p / size).length_squared() <= 1.0 {
        return p;
    }
    let squares = size * size;
    let mut t = 0.0;
    for _ in 0..12 {
        let sum = squares + t;
        let ratio = size * p / sum;
        t += (ratio.length_squared() - 1.0).max(0.0) / (2.0 * (ratio * ratio / sum).element_sum());
    }
    let nearest = p * squares / (squares + t);
    nearest / (nearest / size).length().max(1.0)
}

fn half_pair(pair: Vec2) -> Vec2 {
    unit_pair(if pair.x > 0.0 {
        Vec2::new(1.0 + pair.x, pair.y)
    } else {
        Vec2::new(pair.y.abs(), if pair.y >= 0.0 { 1.0 } else { -1.0 } * (1.0 - pair.x))
    })
}

fn from_euler(a: Vec2, b: Vec2, c: Vec2) -> Quat {
    Quat::from_xyzw(
        a.y * b.x * c.x + a.x * b.y * c.y,
        a.x * b.y * c.x - a.y * b.x * c.y,
        a.x * b.x * c.y + a.y * b.y * c.x,
        a.x * b.x * c.x - a.y * b.y * c.y,
    )
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};
    use sinew_base::Random;

    use super::*;

    const LIMITS: [Limit; 8] = [
        Limit::Free,
        Limit::Locked,
        Limit::Hinge { axis: DVec3::X, min: -0.2, max: 2.4 },
        Limit::Cone { axis: DVec3::Y, side: DVec3::X, swing: [1.1, 0.6], twist: [-0.7, 0.4] },
        Limit::Euler { order: EulerRot::ZXY, min: [-0.8, -0.5, -1.0], max: [0.3, 0.9, 1.2] },
        Limit::Euler { order: EulerRot::XZY, min: [-0.4; 3], max: [1.0, 0.7, 0.5] },
        Limit::Cone { axis: DVec3::Y, side: DVec3::X, swing: [0.8, 0.0], twist: [-0.5, 0.5] },
        Limit::Hinge { axis: DVec3::Z, min: -4.0, max: 4.0 },
    ];
    /// Number of rotations out of 1000 for which rounding may decide which of two equally near rotations is the result.
    const DECISIONS: usize = 10;

    fn sine_between(a: DQuat, b: DQuat) -> f64 {
        (a.conjugate() * b).xyz().length()
    }

    #[test]
    fn nearest_rotations_are_those_of_the_definition() {
        let mut random = Random(7);
        for limit in LIMITS {
            let packed = JointLimit::new(&limit).unwrap();
            let mut is_far = |_: &usize| {
                let q = DQuat::from_scaled_axis(random.turn(1.8));
                let [same, inverse] = [q, q.conjugate()].map(|q| limit.nearest(q));
                sine_between(packed.nearest(q.as_quat()).as_dquat(), same) > 1e-4
                    || sine_between(packed.inverted().nearest(q.as_quat()).as_dquat(), inverse.conjugate())
                        > 1e-4
            };
            let far = (0..1000).filter(|index| is_far(index)).count();
            assert!(far <= DECISIONS, "{limit:?}: {far}");
        }
    }

    #[test]
    fn euler_angles_with_two_equal_axes_are_not_supported() {
        let limit = Limit::Euler { order: EulerRot::XYX, min: [-1.0; 3], max: [1.0; 3] };
        assert_eq!(JointLimit::new(&limit), None);
    }

    #[test]
    fn a_solve_starts_at_the_rotation_before_it() {
        let mut random = Random(8);
        for limit in LIMITS {
            let packed = JointLimit::new(&limit).unwrap();
            for _ in 0..1000 {
                let [before, q] = [1.2, 1.8].map(|half| DQuat::from_scaled_axis(random.turn(half)).as_quat());
                let start = packed.limited(before, before);
                assert!(sine_between(start.as_dquat(), before.as_dquat()) < 1e-4, "{limit:?}");
                // A rotation within the limit does not move the allowed rotations.
                let inside = packed.nearest(before);
                let limited = packed.limited(q, inside).as_dquat();
                assert!(sine_between(limited, packed.nearest(q).as_dquat()) < 1e-3, "{limit:?}");
            }
        }
    }
}
