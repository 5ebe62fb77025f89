//! The twin of `shaders/joint_limits.wgsl`.

use glam::{Quat, Vec2, Vec3, Vec4, Vec4Swizzles};

use crate::gpu_ik::gpu_types::{Joint, kinds};
use crate::mathematics::single::normalize;

use super::trigonometry::{from_rotation_vector, rotation_vector};

pub(super) fn unit_pair(pair: Vec2) -> Vec2 {
    let square = pair.length_squared();
    if square > 1e-12 { pair / square.sqrt() } else { Vec2::X }
}

pub(super) fn clamp_pair(pair: Vec2, range: Vec4) -> Vec2 {
    let middle = range.xy();
    let mut away = Vec2::new(pair.dot(middle), pair.y * middle.x - pair.x * middle.y);
    away = if away.x < 0.0 { -away } else { away };
    if away.x < range.z {
        away = Vec2::new(range.z, if away.y < 0.0 { -range.w } else { range.w });
    }
    Vec2::new(away.x * middle.x - away.y * middle.y, away.y * middle.x + away.x * middle.y)
}

fn hinge_nearest(q: Quat, axis: Vec3, range: Vec4) -> Quat {
    let pair = clamp_pair(unit_pair(Vec2::new(q.w, q.xyz().dot(axis))), range);
    Quat::from_vec4((axis * pair.y).extend(pair.x))
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

fn cone_nearest(q: Quat, joint: &Joint) -> Quat {
    let (axis, side) = (Vec4::from(joint.axis), Vec4::from(joint.side));
    let size = Vec2::new(axis.w, side.w);
    let (axis, side) = (axis.xyz(), side.xyz());
    let twist = unit_pair(Vec2::new(q.w, q.xyz().dot(axis)));
    let swing = q * Quat::from_vec4((-axis * twist.y).extend(twist.x));
    let (vector, other) = (rotation_vector(swing), axis.cross(side));
    let at = Vec2::new(vector.dot(side), vector.dot(other));
    let nearest = nearest_in_ellipse(at, size);
    let allowed =
        if nearest == at { swing } else { from_rotation_vector(side * nearest.x + other * nearest.y) };
    let pair = clamp_pair(twist, Vec4::from(joint.ranges[0]));
    allowed * Quat::from_vec4((axis * pair.y).extend(pair.x))
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

fn euler_nearest(rotation: Quat, joint: &Joint) -> Quat {
    let axes = [0, 2, 4].map(|shift| (joint.order >> shift & 3) as usize);
    let parity = if joint.order & 64 == 0 { 1.0 } else { -1.0 };
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
    let clamp = |pair: Vec2, i: usize| flip * clamp_pair(pair, Vec4::from(joint.ranges[i]));
    let first = from_euler(clamp(a, 0), clamp(b, 1), clamp(c, 2));
    let second = from_euler(clamp(a.perp(), 0), clamp(Vec2::new(b.y, b.x), 1), clamp(c.perp(), 2));
    let nearest = if first.dot(q).abs() >= second.dot(q).abs() { first } else { second };
    let mut allowed = [0.0, 0.0, 0.0, nearest.w];
    for (value, axis) in nearest.to_array().into_iter().zip(axes) {
        allowed[axis] = parity * value;
    }
    Quat::from_array(allowed)
}

/// Returns the allowed rotation that is nearest to a unit quaternion.
pub(super) fn nearest_allowed(rotation: Quat, joint: &Joint) -> Quat {
    match joint.kind {
        kinds::FREE => return rotation,
        kinds::HINGE => {
            return hinge_nearest(rotation, Vec4::from(joint.axis).xyz(), Vec4::from(joint.ranges[0]));
        }
        _ => {}
    }
    let is_reversed = joint.order & 128 != 0;
    let q = if is_reversed { rotation.conjugate() } else { rotation };
    let allowed = if joint.kind == kinds::CONE { cone_nearest(q, joint) } else { euler_nearest(q, joint) };
    normalize(Vec4::from(if is_reversed { allowed.conjugate() } else { allowed }))
}
