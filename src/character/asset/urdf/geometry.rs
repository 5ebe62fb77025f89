//! Meshes of boxes, cylinders, capsules and spheres.

use std::f32::consts::{FRAC_PI_2, TAU};

use glam::{Affine3A, Vec2, Vec3};

use crate::asset::Primitive;

/// Number of sides of round shapes.
const SIDES: u32 = 32;
/// Number of rings in a hemisphere.
const RINGS: u32 = 8;

#[expect(clippy::cast_possible_truncation, reason = "meshes are single precision")]
fn single<const N: usize>(values: [f64; N]) -> [f32; N] {
    values.map(|value| value as f32)
}

/// Returns a box around the origin with the given edge lengths.
pub(super) fn cuboid(size: [f64; 3]) -> Primitive {
    let half = Vec3::from(single(size)).abs() * 0.5;
    let mut shape = Primitive::default();
    for normal in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]) {
        let across = normal.any_orthonormal_vector();
        let up = normal.cross(across);
        let first = vertices(&shape);
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            shape.positions.push((normal + across * x + up * y) * half);
            shape.normals.push(normal);
        }
        shape.triangles.extend([[0, 1, 2], [0, 2, 3]].map(|t| t.map(|v| first + v)));
    }
    shape
}

/// Returns a cylinder along Z around the origin.
pub(super) fn cylinder(radius: f64, length: f64) -> Primitive {
    let [radius, half] = single([radius, length * 0.5]).map(f32::abs);
    let out = Vec2::X;
    let (inside, side) = (Vec2::ZERO, Vec2::new(radius, half));
    // The caps and the side meet at a sharp edge, so each has its own vertices.
    let mut shape = revolved(&[(inside.with_y(-half), -Vec2::Y), (Vec2::new(radius, -half), -Vec2::Y)]);
    append(&mut shape, revolved(&[(Vec2::new(radius, -half), out), (side, out)]));
    append(&mut shape, revolved(&[(side, Vec2::Y), (inside.with_y(half), Vec2::Y)]));
    shape
}

/// Returns a cylinder along Z with a hemisphere at each end, or a sphere if `length` is zero.
pub(super) fn capsule(radius: f64, length: f64) -> Primitive {
    let [radius, half] = single([radius, length * 0.5]).map(f32::abs);
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let ring = |ring: u32| {
        let (sin, cos) = (FRAC_PI_2 * ring as f32 / RINGS as f32).sin_cos();
        Vec2::new(sin, cos)
    };
    let lower = (0..=RINGS).map(|i| ring(i) * Vec2::new(1.0, -1.0));
    let upper = (0..=RINGS).rev().map(ring);
    let at = |normal: Vec2, height: f32| (normal * radius + Vec2::new(0.0, height), normal);
    let profile: Vec<_> = lower.map(|n| at(n, -half)).chain(upper.map(|n| at(n, half))).collect();
    revolved(&profile)
}

/// Returns the surface of revolution of a profile: points (distance from the axis, height) with normals, from the bottom to the
/// top.
fn revolved(profile: &[(Vec2, Vec2)]) -> Primitive {
    let mut shape = Primitive::default();
    for step in 0..=SIDES {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let (sin, cos) = (TAU * step as f32 / SIDES as f32).sin_cos();
        let around = |v: Vec2| Vec3::new(v.x * cos, v.x * sin, v.y);
        shape.positions.extend(profile.iter().map(|(point, _)| around(*point)));
        shape.normals.extend(profile.iter().map(|(_, normal)| around(*normal)));
    }
    let rows = u32::try_from(profile.len()).unwrap_or(0);
    for (step, row) in (0..SIDES).flat_map(|step| (0..rows.saturating_sub(1)).map(move |row| (step, row))) {
        let [a, b] = [step * rows + row, (step + 1) * rows + row];
        shape.triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
    }
    // Some triangles at the axis have no area.
    let is_thick = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| shape.positions.get(v as usize).copied().unwrap_or_default());
        a != b && b != c && c != a
    };
    shape.triangles.retain(is_thick);
    shape
}

fn append(shape: &mut Primitive, other: Primitive) {
    let first = vertices(shape);
    shape.positions.extend(other.positions);
    shape.normals.extend(other.normals);
    shape.triangles.extend(other.triangles.into_iter().map(|t| t.map(|v| first + v)));
}

fn vertices(shape: &Primitive) -> u32 {
    u32::try_from(shape.vertices()).unwrap_or(u32::MAX)
}

/// Transforms a shape. The triangles of a mirrored shape are flipped so that they keep facing outwards.
pub(super) fn transform(shape: &mut Primitive, by: Affine3A) {
    let normals = by.matrix3.inverse().transpose();
    for position in &mut shape.positions {
        *position = by.transform_point3(*position);
    }
    for normal in &mut shape.normals {
        let turned = Vec3::from(normals * glam::Vec3A::from(*normal)).normalize_or(*normal);
        *normal = if turned.is_finite() { turned } else { *normal };
    }
    for tangent in &mut shape.tangents {
        let turned = by.transform_vector3(tangent.truncate()).normalize_or(tangent.truncate());
        let side = if super::mirrors(&by) { -tangent.w } else { tangent.w };
        *tangent = turned.extend(side);
    }
    if super::mirrors(&by) {
        shape.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
}
