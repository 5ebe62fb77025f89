//! Linear blend skinning on the CPU, in the steps of `shaders/skinning.wgsl`: morph, blend, transform.

use glam::{Mat4, Vec3, Vec3A, Vec4, Vec4Swizzles};

use crate::asset::{Influences, Primitive};

/// Posed vertices in world space.
#[derive(Clone, Debug, Default)]
pub struct Skinned {
    /// Metres, one a vertex.
    pub positions: Vec<Vec3>,
    /// Unit vectors (zero where the pose flattens the surface away), one a vertex; empty where the primitive has none.
    pub normals: Vec<Vec3>,
}

/// What moves the vertices of a part.
#[derive(Clone, Copy, Debug)]
pub enum Movers<'a> {
    /// One `world_from_mesh` for all of them; influences, if there are any, do not count.
    Node(&'a Mat4),
    /// `world_from_mesh` for each joint of the part's skin.
    Joints(&'a [Mat4]),
}

/// Skins one primitive.
///
/// `morph_weights`: one a morph target; missing ones count as zero.
/// `out` is overwritten; nothing is allocated when it is large enough.
///
/// The blend is that of Li & Peng 2013, listing 1 (linear blend skinning), with up to eight influences. Normals go
/// through the cofactor matrix of the blended upper 3×3, times the sign of its determinant: its inverse transpose
/// up to a positive factor, and defined where it is singular.
pub fn skin(primitive: &Primitive, movers: Movers<'_>, morph_weights: &[f32], out: &mut Skinned) {
    out.positions.clear();
    out.normals.clear();
    out.positions.extend_from_slice(&primitive.positions);
    out.normals.extend_from_slice(&primitive.normals);
    morph(primitive, morph_weights, out);
    match (movers, &primitive.influences[..]) {
        (Movers::Node(matrix), _) => transform_all(out, |_| *matrix),
        (Movers::Joints(_), []) => {}
        (Movers::Joints(joints), [one]) => transform_all(out, |v| blend(one, v, joints)),
        (Movers::Joints(joints), sets) => {
            let sum = |v| sets.iter().map(|s| blend(s, v, joints)).fold(Mat4::ZERO, |a, m| a + m);
            transform_all(out, sum);
        }
    }
}

/// Adds the weighted displacements. Normals stay unnormalised until they are skinned.
fn morph(primitive: &Primitive, weights: &[f32], out: &mut Skinned) {
    for (target, &weight) in primitive.morph_targets.iter().zip(weights) {
        if weight == 0.0 {
            continue;
        }
        for (p, delta) in out.positions.iter_mut().zip(&target.positions) {
            *p += weight * *delta;
        }
        for (n, delta) in out.normals.iter_mut().zip(&target.normals) {
            *n += weight * *delta;
        }
    }
}

/// Four weighted matrices of one vertex, summed.
#[inline]
fn blend(set: &Influences, vertex: usize, matrices: &[Mat4]) -> Mat4 {
    let joints = set.joints[vertex].map(|j| &matrices[usize::from(j)]);
    let w = set.weights[vertex];
    let column = |c: fn(&Mat4) -> Vec4| {
        c(joints[0]) * w.xxxx() + c(joints[1]) * w.yyyy() + c(joints[2]) * w.zzzz() + c(joints[3]) * w.wwww()
    };
    Mat4::from_cols(column(|m| m.x_axis), column(|m| m.y_axis), column(|m| m.z_axis), column(|m| m.w_axis))
}

/// Moves every vertex by its own matrix.
#[inline]
fn transform_all(out: &mut Skinned, world_from_mesh: impl Fn(usize) -> Mat4) {
    if out.normals.is_empty() {
        for (vertex, p) in out.positions.iter_mut().enumerate() {
            *p = world_from_mesh(vertex).transform_point3a(Vec3A::from(*p)).into();
        }
    } else {
        for (vertex, (p, n)) in out.positions.iter_mut().zip(&mut out.normals).enumerate() {
            let m = world_from_mesh(vertex);
            *p = m.transform_point3a(Vec3A::from(*p)).into();
            *n = transform_normal(m, Vec3A::from(*n)).into();
        }
    }
}

/// A normal through the inverse transpose of a matrix's upper 3×3.
#[inline]
fn transform_normal(m: Mat4, normal: Vec3A) -> Vec3A {
    let (x, y, z) = (Vec3A::from_vec4(m.x_axis), Vec3A::from_vec4(m.y_axis), Vec3A::from_vec4(m.z_axis));
    let yz = y.cross(z);
    let turned = yz * normal.x + z.cross(x) * normal.y + x.cross(y) * normal.z;
    let sign = if x.dot(yz) < 0.0 { -1.0 } else { 1.0 };
    (turned * sign).normalize_or_zero()
}
