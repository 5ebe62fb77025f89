//! The twin of `shaders/ik_limb.wgsl`.

use glam::{Quat, Vec3, Vec4, Vec4Swizzles};

use crate::gpu_ik::gpu_types::LimbProblem;
use crate::mathematics::single::normalize;

const TINY: f32 = 1e-10;

fn half_angle_turn(axis: Vec3, cosine: f32, sine: f32, whole: f32) -> Quat {
    Quat::from_vec4(if cosine > 0.0 {
        (axis * sine).extend(whole + cosine)
    } else if whole > 0.0 {
        (axis * (whole - cosine)).extend(sine)
    } else {
        Vec4::W
    })
}

/// Returns the rotations of the two bones.
pub(super) fn solve_limb(limb: &LimbProblem) -> [Quat; 2] {
    let [upper, lower, bend, goal, pole] =
        [limb.upper, limb.lower, limb.bend, limb.goal, limb.pole].map(|v| Vec4::from(v).xyz());
    let end = upper + lower;
    let (a2, b2, e2) = (upper.length_squared(), lower.length_squared(), end.length_squared());
    let d2 = goal.length_squared();
    let is_open = e2 > TINY * a2;
    let (line, line2) = if is_open { (end, e2) } else { (upper, a2) };
    let area = upper.cross(lower);
    let is_bent = area.length_squared() > TINY * a2 * b2;
    let normal = if is_bent { area } else { bend * line2 - line * bend.dot(line) };
    let normal2 = normal.length_squared();
    let normal = if normal2 > 1e-24 { normal / normal2.max(1e-30).sqrt() } else { Vec3::X };
    let twice_ab = 2.0 * (a2 * b2).sqrt();
    let (least, most) = (a2 + b2 - twice_ab, a2 + b2 + twice_ab);
    let out2 = d2.min(most).max(least);
    let is_folded = out2 <= TINY * most;
    let far2 = if is_folded { 1.0 } else { out2 };
    let (along, rest) = (out2 + a2 - b2, out2 + b2 - a2);
    let heron = if is_folded { 4.0 * a2 } else { (most - out2) * (out2 - least) };
    let aside = heron.max(0.0).sqrt();
    let height = normal.dot(area);
    let (ux, uy) = (upper.dot(line), if is_open { height } else { 0.0 });
    let (lx, ly) = (lower.dot(line), -height);
    let both = 2.0 * (far2 * line2).sqrt();
    let first = half_angle_turn(-normal, along * ux + aside * uy, aside * ux - along * uy, a2 * both);
    let second = half_angle_turn(-normal, rest * lx - aside * ly, -(aside * lx) - rest * ly, b2 * both);
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
        carry = half_angle_turn(way / length, now.dot(wanted), sine, (line2 * wanted2).sqrt()) * carry;
    }
    [first, second].map(|turn| normalize(Vec4::from(carry * turn)))
}
