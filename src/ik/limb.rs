//! Limbs by the thousand: the closed form of two bones without a body around it, one limb at a time or several abreast.
//!
//! Tolani, Goswami & Badler 2000, "Real-time inverse kinematics techniques for anthropomorphic limbs", section 3, with
//! square roots in place of trigonometry: the law of cosines gives the middle joint's place in the triangle of base,
//! middle and target, and turns come from half-angle forms. One source serves single numbers and lanes, without
//! fused multiplication, so that both give the same bits.

use std::ops::{Add, Div, Mul, Neg, Sub};

use glam::{DQuat, DVec3};
#[cfg(not(target_feature = "avx"))]
use wide::f64x2 as Lanes;
#[cfg(target_feature = "avx")]
use wide::f64x4 as Lanes;

/// Limbs abreast: what the machine's registers hold.
const ABREAST: usize = if cfg!(target_feature = "avx") { 4 } else { 2 };

/// A limb as it stands: two stretches in any one space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limb {
    /// From the first joint to the middle one.
    pub upper: DVec3,
    /// From the middle joint to the end.
    pub lower: DVec3,
    /// The axis about which a straight limb bends, at right angles to it, any length.
    pub bend: DVec3,
}

/// What a limb shall do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbGoal {
    /// Where the end shall be, from the first joint.
    pub target: DVec3,
    /// Towards where the middle shall be, from the first joint; zero: as the limb bends now, carried along by the least
    /// turn.
    pub pole: DVec3,
}

/// How the upper and the lower bone turn, unit quaternions in the limb's space.
///
/// A target out of reach, or too near, is approached as near as can be. Degenerate input (a bone or a target without
/// length, the pole on the line to the target) gives some answer, finite and always the same.
pub fn solve_limb(limb: &Limb, goal: &LimbGoal) -> [DQuat; 2] {
    let v = |v: DVec3| Vec3 { x: v.x, y: v.y, z: v.z };
    let turns = solve(
        v(limb.upper),
        v(limb.lower),
        v(limb.bend),
        v(goal.target),
        v(goal.pole),
        goal.pole != DVec3::ZERO,
    );
    turns.map(|q| DQuat::from_xyzw(q.x, q.y, q.z, q.w))
}

/// [`solve_limb`] for many, several abreast: the same bits. Solves as many as the shortest of the three has.
pub fn solve_limbs(limbs: &[Limb], goals: &[LimbGoal], turns: &mut [[DQuat; 2]]) {
    let count = limbs.len().min(goals.len()).min(turns.len());
    let (limbs, goals, turns) = (&limbs[..count], &goals[..count], &mut turns[..count]);
    let blocks =
        limbs.chunks_exact(ABREAST).zip(goals.chunks_exact(ABREAST)).zip(turns.chunks_exact_mut(ABREAST));
    for ((limbs, goals), turns) in blocks {
        let of_limb = |get: fn(&Limb) -> DVec3| gather(std::array::from_fn(|i| get(&limbs[i])));
        let of_goal = |get: fn(&LimbGoal) -> DVec3| gather(std::array::from_fn(|i| get(&goals[i])));
        let found = solve(
            of_limb(|l| l.upper),
            of_limb(|l| l.lower),
            of_limb(|l| l.bend),
            of_goal(|g| g.target),
            of_goal(|g| g.pole),
            goals.iter().any(|g| g.pole != DVec3::ZERO),
        );
        let [first, second] = found.map(|q| [q.x.to_array(), q.y.to_array(), q.z.to_array(), q.w.to_array()]);
        for (i, turns) in turns.iter_mut().enumerate() {
            *turns = [first, second].map(|[x, y, z, w]| DQuat::from_xyzw(x[i], y[i], z[i], w[i]));
        }
    }
    let rest = count - count % ABREAST;
    for ((limb, goal), turns) in limbs[rest..].iter().zip(&goals[rest..]).zip(&mut turns[rest..]) {
        *turns = solve_limb(limb, goal);
    }
}

fn gather(v: [DVec3; ABREAST]) -> Vec3<Lanes> {
    Vec3 { x: Lanes::new(v.map(|v| v.x)), y: Lanes::new(v.map(|v| v.y)), z: Lanes::new(v.map(|v| v.z)) }
}

/// A number, or several abreast.
trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    fn splat(x: f64) -> Self;
    fn sqrt(self) -> Self;
    /// `yes` where this is greater than `than`, else `no`.
    fn if_above(self, than: Self, yes: Self, no: Self) -> Self;
}

impl Lane for f64 {
    fn splat(x: f64) -> Self {
        x
    }
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    fn if_above(self, than: Self, yes: Self, no: Self) -> Self {
        if self > than { yes } else { no }
    }
}

impl Lane for Lanes {
    fn splat(x: f64) -> Self {
        Self::splat(x)
    }
    fn sqrt(self) -> Self {
        Self::sqrt(self)
    }
    fn if_above(self, than: Self, yes: Self, no: Self) -> Self {
        self.simd_gt(than).bitselect(yes, no)
    }
}

#[derive(Clone, Copy)]
struct Vec3<L> {
    x: L,
    y: L,
    z: L,
}

#[derive(Clone, Copy)]
struct Turn<L> {
    x: L,
    y: L,
    z: L,
    w: L,
}

impl<L: Lane> Vec3<L> {
    fn dot(self, b: Self) -> L {
        self.x * b.x + self.y * b.y + self.z * b.z
    }
    fn cross(self, b: Self) -> Self {
        Self {
            x: self.y * b.z - self.z * b.y,
            y: self.z * b.x - self.x * b.z,
            z: self.x * b.y - self.y * b.x,
        }
    }
    fn plus(self, b: Self) -> Self {
        Self { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z }
    }
    fn minus(self, b: Self) -> Self {
        Self { x: self.x - b.x, y: self.y - b.y, z: self.z - b.z }
    }
    fn times(self, s: L) -> Self {
        Self { x: self.x * s, y: self.y * s, z: self.z * s }
    }
    /// `yes` where a number is above another.
    fn if_above(what: L, than: L, yes: Self, no: Self) -> Self {
        Self {
            x: what.if_above(than, yes.x, no.x),
            y: what.if_above(than, yes.y, no.y),
            z: what.if_above(than, yes.z, no.z),
        }
    }
}

/// Turns need not be of unit length until they are handed back: a factor turns nothing, and a root saved is time saved.
impl<L: Lane> Turn<L> {
    fn new(v: Vec3<L>, w: L) -> Self {
        Self { x: v.x, y: v.y, z: v.z, w }
    }

    /// The turn about `axis` whose cosine and sine are as `cos` to `whole` and `sin` to `whole`; the sine in lengths of
    /// the axis. None where `whole` is zero.
    ///
    /// (1 + cos, sin) and (sin, 1 − cos) are both twice a multiple of the half-angle's cosine and sine: the one
    /// that does not cancel is taken.
    fn about(axis: Vec3<L>, cos: L, sin: L, whole: L) -> Self {
        let zero = L::splat(0.0);
        let (narrow, wide) = (whole + cos, whole - cos);
        let w = cos.if_above(zero, narrow, whole.if_above(zero, sin, L::splat(1.0)));
        Self::new(axis.times(cos.if_above(zero, sin, wide)), w)
    }

    /// `yes` where a number is above zero.
    fn if_positive(what: L, yes: Self, no: Self) -> Self {
        let zero = L::splat(0.0);
        Self {
            x: what.if_above(zero, yes.x, no.x),
            y: what.if_above(zero, yes.y, no.y),
            z: what.if_above(zero, yes.z, no.z),
            w: what.if_above(zero, yes.w, no.w),
        }
    }

    fn length_squared(self) -> L {
        self.x * self.x + self.y * self.y + self.z * self.z + self.w * self.w
    }

    fn times(self, s: L) -> Self {
        Self { x: self.x * s, y: self.y * s, z: self.z * s, w: self.w * s }
    }

    /// A vector turned, and longer by [`Turn::length_squared`].
    fn rotate(self, v: Vec3<L>) -> Vec3<L> {
        let u = Vec3 { x: self.x, y: self.y, z: self.z };
        let t = u.cross(v).plus(v.times(self.w));
        t.times(self.w).plus(u.cross(t)).plus(u.times(u.dot(v)))
    }

    /// First the other, then this.
    fn after(self, b: Self) -> Self {
        Self {
            x: self.w * b.x + self.x * b.w + self.y * b.z - self.z * b.y,
            y: self.w * b.y - self.x * b.z + self.y * b.w + self.z * b.x,
            z: self.w * b.z + self.x * b.y - self.y * b.x + self.z * b.w,
            w: self.w * b.w - self.x * b.x - self.y * b.y - self.z * b.z,
        }
    }
}

/// The closed form, in three turns: each bone within the limb's plane, until its end is on the line that it is on now, as
/// far out as it must be; the plane about the target's line; the line onto the target.
///
/// Angles are quotients of complex numbers: a bone at (x, y) along and aside of the line that shall be at (x′, y′) turns
/// by (x′ + iy′)(x − iy), whose absolute value is known. So no angle, and no unit vector but the plane's normal, is
/// ever made.
fn solve<L: Lane>(
    upper: Vec3<L>,
    lower: Vec3<L>,
    bend: Vec3<L>,
    target: Vec3<L>,
    pole: Vec3<L>,
    has_poles: bool,
) -> [Turn<L>; 2] {
    let (zero, one, two) = (L::splat(0.0), L::splat(1.0), L::splat(2.0));
    let tiny = L::splat(1e-12);
    let end = upper.plus(lower);
    let (a2, b2, e2, d2) = (upper.dot(upper), lower.dot(lower), end.dot(end), target.dot(target));
    // The line of the end, and the normal of the limb's plane.
    let open = e2 - tiny * a2;
    let line = Vec3::if_above(open, zero, end, upper);
    let line2 = open.if_above(zero, e2, a2);
    let area = upper.cross(lower);
    let area2 = area.dot(area);
    let (bent, a2b2) = (area2 - tiny * a2 * b2, a2 * b2);
    let across = bend.times(line2).minus(line.times(bend.dot(line)));
    let normal = Vec3::if_above(bent, zero, area, across);
    let normal2 = bent.if_above(zero, area2, across.dot(across));
    let normal = normal.times(one / normal2.if_above(zero, normal2, one).sqrt());
    // Without any bend to go by, some axis.
    let normal = Vec3 { x: normal2.if_above(zero, normal.x, one), ..normal };
    // As far out as the target, within what the limb can do: |a − b| to a + b.
    let twice_ab = two * a2b2.sqrt();
    let (least, most) = (a2 + b2 - twice_ab, a2 + b2 + twice_ab);
    let out2 = d2.if_above(most, most, d2);
    let out2 = least.if_above(out2, least, out2);
    // The middle joint by the law of cosines, along the line and aside (Heron's formula), in lengths of twice the way
    // out; with the end on the base, straight aside.
    let folded = L::splat(1e-300);
    let far2 = out2.if_above(folded, out2, one);
    let (along, rest) = (out2 + a2 - b2, out2 + b2 - a2);
    let heron = out2.if_above(folded, (most - out2) * (out2 - least), two * two * a2);
    let aside = heron.if_above(zero, heron, zero).sqrt();
    // Where the bones are now, in lengths of the line.
    let height = normal.dot(area);
    let (ux, uy) = (upper.dot(line), open.if_above(zero, height, zero));
    let (lx, ly) = (lower.dot(line), -height);
    let both = two * (far2 * line2).sqrt();
    let axis = Vec3 { x: -normal.x, y: -normal.y, z: -normal.z };
    let first = Turn::about(axis, along * ux + aside * uy, aside * ux - along * uy, a2 * both);
    let second = Turn::about(axis, rest * lx - aside * ly, -(aside * lx) - rest * ly, b2 * both);
    // The line onto the target by the shortest arc; opposite ones turn within the limb's plane. A target on the first
    // joint leaves the line where it is.
    let (way, way2) = (Vec3::if_above(d2, zero, target, line), d2.if_above(zero, d2, line2));
    let whole = (way2 * line2).sqrt();
    let w = whole + line.dot(way);
    let arc = Turn::new(line.cross(way), w);
    let mut carry = Turn::if_positive(w - tiny * tiny * whole, arc, Turn::new(normal, zero));
    if has_poles {
        let now = carry.rotate(line.cross(normal));
        let wanted = pole.times(way2).minus(way.times(pole.dot(way)));
        let wanted2 = wanted.dot(wanted);
        let told = (wanted2 - tiny * pole.dot(pole) * way2 * way2) * line2;
        // The carry's square is still in it; the sine is in lengths of the way.
        let (cos, sin) = (now.dot(wanted), way.dot(now.cross(wanted)));
        let whole = (line2 * wanted2).sqrt() * carry.length_squared();
        let (narrow, wide) = (whole + cos, whole - cos);
        let w = cos.if_above(zero, narrow * way2, sin);
        let swivel = Turn::new(way.times(cos.if_above(zero, sin, wide)), w);
        carry = Turn::if_positive(told, swivel.after(carry), carry);
    }
    let (first, second) = (carry.after(first), carry.after(second));
    let (first2, second2) = (first.length_squared().sqrt(), second.length_squared().sqrt());
    // One division for both.
    let inverse = one / (first2 * second2);
    [first.times(second2 * inverse), second.times(first2 * inverse)]
}
