//! The closed form without special cases, for a limb that is neither straight nor folded and a target that is not
//! behind it.

use crate::lanes::{Lane, Quaternion, Vec3};

// If a value is below its bound, [`super::degenerate`] solves the limb. The bounds are fractions of the value without
// cancellation. Each bound keeps at least eight of the sixteen digits of a double in the result.

/// Squared sine of the bend of the middle joint. Below this bound the limb has no definite plane.
const STRAIGHT2: f64 = 1e-12;
/// Squared distance from the first joint to the end, relative to the upper bone. Below this bound the limb is folded.
const FOLDED2: f64 = 1e-4;
/// Squared distance of the target from the first joint, relative to the upper bone.
const AT_BASE2: f64 = 1e-8;
/// 1 + cos of the angle between the limb's line and the target. Below this bound the target is behind the limb.
const BEHIND: f64 = 1e-3;
/// 1 + cos of the turn of a bone within the limb's plane. Below this bound the bone turns by half a turn.
const HALF_TURN: f64 = 1e-8;
/// Squared sine of the angle between the pole and the line to the target. Below this bound the pole has no definite
/// direction.
const ON_LINE2: f64 = 1e-10;
/// Products of lengths outside this range lose digits to underflow or overflow.
const SMALLEST: f64 = 1e-250;
const LARGEST: f64 = 1e250;

/// Returns the rotations of both bones as unit quaternions, or `None` if a lane needs [`super::degenerate`].
///
/// Each rotation has two parts. The first part turns the bone within the limb's plane. This part keeps the end on its
/// line from the first joint, at the target's distance from the first joint. The second part turns the line, and the
/// plane with it, towards the target. Angles are represented as quotients of complex numbers. Let (x, y) be a bone's
/// coordinates along its line and across it before the turn, and (x′, y′) the coordinates after it. The turn is then
/// (x′ + iy′)(x − iy), whose absolute value r is known. For an angle with cosine c/r and sine s/r, the half angle is
/// the argument of (r + c) + is. A positive factor does not change a rotation, so vectors and quaternions are
/// normalised only at the end.
///
/// If n is the normal of the plane and Q is the rotation of the plane, a bone's rotation (w + fn) becomes wQ + f(Qn).
/// Both bones share Q and Qn.
#[inline(always)]
pub(super) fn solve<L: Lane>(
    upper: Vec3<L>,
    lower: Vec3<L>,
    target: Vec3<L>,
    pole: Option<Vec3<L>>,
) -> Option<[Quaternion<L>; 2]> {
    let c = L::splat;
    let line = upper.plus(lower);
    let (a2, b2, e2, d2) = (upper.dot(upper), lower.dot(lower), line.dot(line), target.dot(target));
    // The normal of the limb's plane. Its length is the distance of the middle joint from the line times the length
    // of the line.
    let normal = upper.cross(lower);
    let n2 = normal.dot(normal);
    let (ux, lx) = (upper.dot(line), lower.dot(line));
    // The squared distance of the target, clamped to the range from (a − b)² to (a + b)². Coordinates of the middle
    // joint along the line (law of cosines) and across it (Heron's formula), both multiplied by twice the distance.
    let twice_ab = c(2.0) * (a2 * b2).sqrt();
    let (least, most) = (a2 + b2 - twice_ab, a2 + b2 + twice_ab);
    let out2 = d2.min(most).max(least);
    let beyond = a2 - b2;
    let (along, rest) = (out2 + beyond, out2 - beyond);
    let heron = ((most - out2) * (out2 - least)).max(c(0.0));
    // The rotations within the plane. Values across the line are multiplied by the length of the normal, which saves
    // a square root.
    let aside = (heron * n2).sqrt();
    let both = c(2.0) * (out2 * e2).sqrt();
    let (whole1, whole2) = (a2 * both, b2 * both);
    let (w1, w2) = (whole1 + (along * ux + aside), whole2 + (rest * lx + aside));
    let (f1, f2) = (along * n2 - aside * ux, aside * lx - rest * n2);
    // The shortest arc from the line to the target.
    let across = line.cross(target);
    let ed = (e2 * d2).sqrt();
    let w = ed + line.dot(target);
    let mut length2 = c(2.0) * ed * w;
    let is_generic = L::all_above([
        (n2, c(STRAIGHT2) * a2 * b2),
        (e2, c(FOLDED2) * a2),
        (out2, c(AT_BASE2) * a2),
        (w, c(BEHIND) * ed),
        (w1, c(HALF_TURN) * whole1),
        (w2, c(HALF_TURN) * whole2),
    ]);
    if !is_generic {
        return None;
    }
    let (tn, cn) = (target.dot(normal), across.dot(normal));
    let (carry, carry_n) = if let Some(pole) = pole {
        // The limb then turns about the target's line until the middle joint is on the pole's side. Cosine and sine are
        // the components along the pole of two rotated vectors: the offset of the middle joint from the line, and the
        // normal. The arc rotates a vector v to v − (e + t)·v / (1 + e·t) (e + t) + 2 (e·v) t, with unit vectors e and
        // t. The sine is divided by the length of the line.
        let (up, lp) = (upper.dot(pole), lower.dot(pole));
        let (edw, middle) = (ed * w, ed * (up + lp) + e2 * target.dot(pole));
        let cos = edw * (lx * up - ux * lp) + cn * middle;
        let sin = tn * middle - edw * normal.dot(pole);
        let sin2 = e2 * sin * sin;
        let square = cos * cos + sin2;
        let whole = square.sqrt();
        let ws = whole + cos;
        if !L::all_above([
            (square, c(ON_LINE2) * pole.dot(pole) * e2 * n2 * edw * edw),
            (ws, c(HALF_TURN) * whole),
        ]) {
            return None;
        }
        length2 = length2 * (ws * ws + sin2);
        let aside = target.times(e2).plus(line.times(ed)).times(sin);
        let carry = Quaternion::new(across.times(ws).plus(aside), ws * w);
        (carry, carry.after(normal))
    } else {
        // The normal is perpendicular to the line.
        (Quaternion::new(across, w), Quaternion::new(normal.times(w).minus(line.times(tn)), c(0.0) - cn))
    };
    let (g1, g2) = (w1 * n2, w2 * n2);
    let (first2, second2) = (length2 * (f1 * f1 * n2 + g1 * g1), length2 * (f2 * f2 * n2 + g2 * g2));
    let (first, second) = (first2.sqrt(), second2.sqrt());
    // Both lengths share one division.
    let product = first * second;
    if !L::all_above([(product, c(SMALLEST)), (c(LARGEST), product)]) {
        return None;
    }
    let inverse = product.inverse();
    let (s1, s2) = (second * inverse, first * inverse);
    Some([
        carry_n.times(f1 * s1).plus(carry.times(g1 * s1)),
        carry_n.times(f2 * s2).plus(carry.times(g2 * s2)),
    ])
}
