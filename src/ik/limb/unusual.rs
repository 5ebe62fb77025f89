//! The closed form for every limb and every goal: straight, folded up, out of reach, the pole on the line to the target.

use glam::{DQuat, DVec3};

use super::{Limb, LimbGoal};

/// Below this share of what it could be, a squared length is none.
const TINY: f64 = 1e-12;

/// In three turns: each bone within the limb's plane, until its end is on the line that it is on now, as far out as it must
/// be; the plane about the target's line; the line onto the target. None is of unit length before the end.
pub(super) fn solve(limb: &Limb, goal: &LimbGoal) -> [DQuat; 2] {
    let (upper, lower, target) = (limb.upper, limb.lower, goal.target);
    let end = upper + lower;
    let (a2, b2, e2) = (upper.length_squared(), lower.length_squared(), end.length_squared());
    let d2 = target.length_squared();
    // The line of the end; with the end on the base, that of the upper bone.
    let open = e2 > TINY * a2;
    let (line, line2) = if open { (end, e2) } else { (upper, a2) };
    let area = upper.cross(lower);
    let bent = area.length_squared() > TINY * a2 * b2;
    let normal = if bent { area } else { limb.bend * line2 - line * limb.bend.dot(line) };
    // Without any bend to go by, some axis.
    let normal = normal.try_normalize().unwrap_or(DVec3::X);
    // As far out as the target, within what the limb can do: |a − b| to a + b.
    let twice_ab = 2.0 * (a2 * b2).sqrt();
    let (least, most) = (a2 + b2 - twice_ab, a2 + b2 + twice_ab);
    let out2 = d2.min(most).max(least);
    // The middle joint by the law of cosines, along the line and aside (Heron's formula), in lengths of twice the way
    // out; with the end on the base, straight aside.
    let folded = out2 <= 1e-300;
    let far2 = if folded { 1.0 } else { out2 };
    let (along, rest) = (out2 + a2 - b2, out2 + b2 - a2);
    let heron = if folded { 4.0 * a2 } else { (most - out2) * (out2 - least) };
    let aside = heron.max(0.0).sqrt();
    // Where the bones are now, in lengths of the line.
    let height = normal.dot(area);
    let (ux, uy) = (upper.dot(line), if open { height } else { 0.0 });
    let (lx, ly) = (lower.dot(line), -height);
    let both = 2.0 * (far2 * line2).sqrt();
    let first = about(-normal, along * ux + aside * uy, aside * ux - along * uy, a2 * both);
    let second = about(-normal, rest * lx - aside * ly, -(aside * lx) - rest * ly, b2 * both);
    // The line onto the target by the shortest arc; opposite ones turn within the limb's plane. A target on the first
    // joint leaves the line where it is.
    let (way, way2) = if d2 > 0.0 { (target, d2) } else { (line, line2) };
    let whole = (way2 * line2).sqrt();
    let w = whole + line.dot(way);
    let mut carry = if w > TINY * TINY * whole { quat(line.cross(way), w) } else { quat(normal, 0.0) };
    let wanted = goal.pole * way2 - way * goal.pole.dot(way);
    let wanted2 = wanted.length_squared();
    if (wanted2 - TINY * goal.pole.length_squared() * way2 * way2) * line2 > 0.0 {
        // The carry's square is still in it; the sine is in lengths of the way.
        let now = rotate(carry, line.cross(normal));
        let (cos, sin) = (now.dot(wanted), way.dot(now.cross(wanted)));
        let whole = (line2 * wanted2).sqrt() * carry.length_squared();
        let swivel =
            if cos > 0.0 { quat(way * sin, (whole + cos) * way2) } else { quat(way * (whole - cos), sin) };
        carry = swivel * carry;
    }
    [first, second].map(|turn| (carry * turn).normalize())
}

fn quat(v: DVec3, w: f64) -> DQuat {
    DQuat::from_vec4(v.extend(w))
}

/// The turn about `axis` whose cosine and sine are as `cos` to `whole` and `sin` to `whole`; none where `whole` is zero.
///
/// (1 + cos, sin) and (sin, 1 − cos) are both twice a multiple of the half-angle's cosine and sine: the one that does not
/// cancel is taken.
fn about(axis: DVec3, cos: f64, sin: f64, whole: f64) -> DQuat {
    if cos > 0.0 {
        quat(axis * sin, whole + cos)
    } else if whole > 0.0 {
        quat(axis * (whole - cos), sin)
    } else {
        DQuat::IDENTITY
    }
}

/// A vector turned, and longer by the quaternion's squared length.
fn rotate(q: DQuat, v: DVec3) -> DVec3 {
    let u = q.xyz();
    let t = u.cross(v) + v * q.w;
    t * q.w + u.cross(t) + u * u.dot(v)
}
