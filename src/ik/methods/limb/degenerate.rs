//! The closed form for every limb and every goal, including straight and folded limbs, targets out of reach, and
//! poles on the line to the target.

use glam::{DQuat, DVec3};

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
    let (upper, lower, target) = (limb.upper, limb.lower, goal.target);
    let end = upper + lower;
    let (a2, b2, e2) = (upper.length_squared(), lower.length_squared(), end.length_squared());
    let d2 = target.length_squared();
    // The line from the first joint to the end, or along the upper bone if the two coincide.
    let open = e2 > TINY * a2;
    let (line, line2) = if open { (end, e2) } else { (upper, a2) };
    let area = upper.cross(lower);
    let bent = area.length_squared() > TINY * a2 * b2;
    let normal = if bent { area } else { limb.bend * line2 - line * limb.bend.dot(line) };
    // If there is no bend axis, any axis is valid.
    let normal = normal.try_normalize().unwrap_or(DVec3::X);
    // The squared distance of the target, clamped to the reach of the limb, which is from (a − b)² to (a + b)².
    let twice_ab = 2.0 * (a2 * b2).sqrt();
    let (least, most) = (a2 + b2 - twice_ab, a2 + b2 + twice_ab);
    let out2 = d2.min(most).max(least);
    // Coordinates of the middle joint along the line (law of cosines) and across it (Heron's formula), both multiplied
    // by twice the distance. If the target is at the first joint, the upper bone is turned perpendicular to the line.
    let folded = out2 <= FOLDED;
    let far2 = if folded { 1.0 } else { out2 };
    let (along, rest) = (out2 + a2 - b2, out2 + b2 - a2);
    let heron = if folded { 4.0 * a2 } else { (most - out2) * (out2 - least) };
    let aside = heron.max(0.0).sqrt();
    // Coordinates of the current bones along the line and across it, multiplied by the length of the line.
    let height = normal.dot(area);
    let (ux, uy) = (upper.dot(line), if open { height } else { 0.0 });
    let (lx, ly) = (lower.dot(line), -height);
    let both = 2.0 * (far2 * line2).sqrt();
    let first = half_angle_turn(-normal, along * ux + aside * uy, aside * ux - along * uy, a2 * both);
    let second = half_angle_turn(-normal, rest * lx - aside * ly, -(aside * lx) - rest * ly, b2 * both);
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
    [first, second].map(|turn| (carry * turn).normalize())
}

fn quaternion(v: DVec3, w: f64) -> DQuat {
    DQuat::from_vec4(v.extend(w))
}

/// Returns an unnormalised rotation about `axis` by the angle with cosine `cos / whole` and sine `sin / whole`.
/// Returns the identity if `whole` is zero.
///
/// (1 + cos, sin) and (sin, 1 − cos) are both multiples of the cosine and sine of the half angle. The pair without
/// cancellation is used.
fn half_angle_turn(axis: DVec3, cos: f64, sin: f64, whole: f64) -> DQuat {
    if cos > 0.0 {
        quaternion(axis * sin, whole + cos)
    } else if whole > 0.0 {
        quaternion(axis * (whole - cos), sin)
    } else {
        DQuat::IDENTITY
    }
}

/// Rotates a vector and scales it by the quaternion's squared length.
fn rotate(q: DQuat, v: DVec3) -> DVec3 {
    let u = q.xyz();
    let t = u.cross(v) + v * q.w;
    t * q.w + u.cross(t) + u * u.dot(v)
}
