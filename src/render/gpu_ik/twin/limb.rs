//! The twin of `shaders/ik_limb.wgsl`. Its function `solve_limb` contains `turns_in_plane_single`.

use glam::{Quat, Vec3, Vec4, Vec4Swizzles};

use crate::gpu_ik::gpu_types::LimbProblem;
use crate::mathematics::limb::{half_angle_turn_single, turns_in_plane_single};
use crate::mathematics::single::normalize;

const TINY: f32 = 1e-10;

/// Returns the rotations of the two bones.
pub(super) fn solve_limb(limb: &LimbProblem) -> [Quat; 2] {
    let [upper, lower, bend, goal, pole] =
        [limb.upper, limb.lower, limb.bend, limb.goal, limb.pole].map(|v| Vec4::from(v).xyz());
    let [a2, b2, d2] = [upper, lower, goal].map(Vec3::length_squared);
    let most = a2 + b2 + 2.0 * (a2 * b2).sqrt();
    let unit = |v: Vec3| if v.length_squared() > 1e-24 { v / v.length() } else { Vec3::X };
    let bones = [upper, lower];
    let (turns, line, normal) = turns_in_plane_single(bones, bend, d2, [TINY, TINY * most], unit);
    let line2 = line.length_squared();
    let (way, way2) = if d2 > TINY * most { (goal, d2) } else { (line, line2) };
    let whole = (way2 * line2).sqrt();
    let w = whole + line.dot(way);
    let mut carry = normalize(if w > 1e-6 * whole { line.cross(way).extend(w) } else { normal.extend(0.0) });
    let wanted = pole * way2 - way * pole.dot(way);
    let wanted2 = wanted.length_squared();
    if (wanted2 - TINY * pole.length_squared() * way2 * way2) * line2 > 0.0 {
        let now = carry * line.cross(normal);
        let length = way2.sqrt();
        let sine = way.dot(now.cross(wanted)) / length;
        let whole = (line2 * wanted2).sqrt();
        carry = half_angle_turn_single(way / length, now.dot(wanted), sine, whole) * carry;
    }
    turns.map(|turn| normalize(Vec4::from(carry * turn)))
}
