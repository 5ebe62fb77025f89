//! Rotations in the frames of parents: the CPU twin of `shaders/crowd/frames.wgsl`.

use glam::{Quat, Vec3, Vec4};

use crate::mathematics::single::normalize;

use super::types::Rows;

pub fn normalize_or(v: Vec3, otherwise: Vec3) -> Vec3 {
    let square = v.dot(v);
    if square > 0.0 { v / square.sqrt() } else { otherwise }
}

/// Returns the cofactors of the linear part of a matrix, row by row, up to a positive factor. They transform rotation
/// axes, even in mirrored frames.
fn cofactors(m: &Rows) -> [Vec3; 3] {
    let [x, y, z] = [m.x, m.y, m.z].map(glam::Vec4::truncate);
    let unit = x.abs().max(y.abs()).max(z.abs()).max_element().max(1e-30);
    let [x, y, z] = [x / unit, y / unit, z / unit];
    [y.cross(z), z.cross(x), x.cross(y)]
}

fn sum(v: Vec3, c: &[Vec3; 3]) -> Vec3 {
    v.x * c[0] + v.y * c[1] + v.z * c[2]
}

/// Converts an axis of a joint's frame to a direction in model space.
pub fn axis_in_model(m: &Rows, axis: Vec3) -> Vec3 {
    let c = cofactors(m);
    Vec3::new(c[0].dot(axis), c[1].dot(axis), c[2].dot(axis))
}

/// Returns a rotation about another axis by the same angle. A zero axis gives the identity.
fn with_axis(q: Quat, axis: Vec3) -> Quat {
    let square = axis.dot(axis);
    if square > 0.0 {
        let xyz = q.xyz();
        return normalize((axis * (xyz.dot(xyz) / square).sqrt()).extend(q.w));
    }
    Quat::IDENTITY
}

/// Converts a rotation from model space to a parent's frame. The result is exact if the parent is scaled uniformly.
pub fn to_parent(m: &Rows, q: Quat) -> Quat {
    if q.xyz() == Vec3::ZERO { Quat::IDENTITY } else { with_axis(q, sum(q.xyz(), &cofactors(m))) }
}

/// Converts a rotation from a parent's frame to model space.
pub fn from_parent(m: &Rows, q: Quat) -> Quat {
    if q.xyz() == Vec3::ZERO { Quat::IDENTITY } else { with_axis(q, axis_in_model(m, q.xyz())) }
}

/// Converts a vector from model space to a parent's frame. The result is zero if the frame is flat.
pub fn vector_in_frame(m: &Rows, v: Vec3) -> Vec3 {
    let c = cofactors(m);
    let square = m.x.truncate().dot(c[0]);
    if square.abs() > 1e-30 { sum(v, &c) / square } else { Vec3::ZERO }
}

/// Interpolates from the identity to `q`, but not at constant angular speed.
pub fn part_of(q: Quat, t: f32) -> Quat {
    let nearer = if q.w < 0.0 { -q } else { q };
    normalize((nearer.xyz() * t).extend(1.0 - t + nearer.w * t))
}

/// Normalises a quaternion. Returns `None` if it is not finite.
pub fn unit(q: Quat) -> Option<Quat> {
    Some(normalize(Vec4::from(q))).filter(|q| q.is_finite())
}
