//! The closed form for every limb and every goal, including straight and folded limbs, targets out of reach, and
//! poles on the line to the target.

use glam::{DQuat, DVec3};
use sinew_base::mathematics::limb::turns_in_plane;

use super::{Limb, LimbGoal};

/// A squared length below this fraction of its maximum counts as zero.
const TINY: f64 = 1e-12;
/// Squared distance, in metres squared, up to which a target counts as being at the first joint. A smaller squared
/// distance has no finite reciprocal.
const FOLDED: f64 = 1e-300;

/// Composes three rotations. First, each bone turns within the limb's plane. This keeps the end on its line from the
/// first joint, at the target's distance from the first joint. Then the shortest arc turns that line onto the target.
/// Finally, the limb turns about the line to the target, towards the pole. Quaternions are normalised only at the end.
pub(super) fn solve(limb: &Limb, goal: &LimbGoal) -> [DQuat; 2] {
    let (bones, target) = ([limb.upper, limb.lower], goal.target);
    let d2 = target.length_squared();
    // If there is no bend axis, any axis is valid.
    let unit = |normal: DVec3| normal.try_normalize().unwrap_or(DVec3::X);
    let (turns, line, normal) = turns_in_plane(bones, limb.bend, d2, [TINY, FOLDED], unit);
    let line2 = line.length_squared();
    // The shortest arc from the line to the target. If their directions are opposite, the arc is in the limb's plane.
    // A target at the first joint leaves the line unchanged.
    let (way, way2) = if d2 > 0.0 { (target, d2) } else { (line, line2) };
    let whole = (way2 * line2).sqrt();
    let w = whole + line.dot(way);
    let mut carry =
        if w > TINY * TINY * whole { quaternion(line.cross(way), w) } else { quaternion(normal, 0.0) };
    let wanted = goal.pole * way2 - way * goal.pole.dot(way);
    let wanted2 = wanted.length_squared();
    if (wanted2 - TINY * goal.pole.length_squared() * way2 * way2) * line2 > 0.0 {
        // Both `cos` and `sin` contain the squared length of `carry` as a factor, and `sin` also contains the length of `way`.
        let now = rotate(carry, line.cross(normal));
        let (cos, sin) = (now.dot(wanted), way.dot(now.cross(wanted)));
        let whole = (line2 * wanted2).sqrt() * carry.length_squared();
        let swivel = if cos > 0.0 {
            quaternion(way * sin, (whole + cos) * way2)
        } else {
            quaternion(way * (whole - cos), sin)
        };
        carry = swivel * carry;
    }
    turns.map(|turn| (carry * turn).normalize())
}

fn quaternion(v: DVec3, w: f64) -> DQuat {
    DQuat::from_vec4(v.extend(w))
}

/// Rotates a vector and scales it by the quaternion's squared length.
fn rotate(q: DQuat, v: DVec3) -> DVec3 {
    let u = q.xyz();
    let t = u.cross(v) + v * q.w;
    t * q.w + u.cross(t) + u * u.dot(v)
}
