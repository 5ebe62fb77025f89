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
    /// At length one; zero stays.
    fn unit(self) -> Self {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let length2 = self.dot(self);
        self.times(one / length2.if_above(zero, length2, one).sqrt())
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

impl<L: Lane> Turn<L> {
    /// Half of a turn of known cosine and sine about a unit axis.
    fn half(cos: L, sin: L, axis: Vec3<L>) -> Self {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        // cos² of the half; a turn by π has no sine to divide by it.
        let half2 = L::splat(0.5) + L::splat(0.5) * cos;
        let open = L::splat(1e-24);
        let w = half2.if_above(open, half2, one).sqrt();
        let v = axis.times(half2.if_above(open, L::splat(0.5) * sin / w, one));
        Self { x: v.x, y: v.y, z: v.z, w: half2.if_above(open, w, zero) }
    }

    /// The shortest arc between unit vectors; opposite ones turn about a unit vector across them.
    fn arc(from: Vec3<L>, to: Vec3<L>, across: Vec3<L>) -> Self {
        let half2 = L::splat(0.5) + L::splat(0.5) * from.dot(to);
        let open = L::splat(1e-24);
        let w = half2.if_above(open, half2, L::splat(1.0)).sqrt();
        let v = Vec3::if_above(half2, open, from.cross(to).times(L::splat(0.5) / w), across);
        Self { x: v.x, y: v.y, z: v.z, w: half2.if_above(open, w, L::splat(0.0)) }
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

    fn rotate(self, v: Vec3<L>) -> Vec3<L> {
        let u = Vec3 { x: self.x, y: self.y, z: self.z };
        let t = u.cross(v).times(L::splat(2.0));
        v.plus(t.times(self.w)).plus(u.cross(t))
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
    // The line of the end, the side to which the limb bends, and the normal of both.
    let line = Vec3::if_above(e2, tiny * a2, end, upper).unit();
    let normal = upper.cross(lower);
    let straight = bend.minus(line.times(bend.dot(line)));
    let normal = Vec3::if_above(normal.dot(normal), tiny * a2 * b2, normal, straight).unit();
    let side = line.cross(normal);
    // As far out as the target, within what the limb can do: |a − b| to a + b.
    let twice_ab = two * (a2 * b2).sqrt();
    let (least, most) = (a2 + b2 - twice_ab, a2 + b2 + twice_ab);
    let out2 = d2.if_above(most, most, d2);
    let out2 = least.if_above(out2, least, out2);
    let out = out2.sqrt();
    // The middle joint by the law of cosines: along the line and aside.
    let along = (out2 + a2 - b2) / (two * out2.if_above(zero, out, one));
    let aside2 = a2 - along * along;
    let aside = aside2.if_above(zero, aside2, zero).sqrt();
    // Each bone's turn in the plane, as the quotient of complex numbers.
    let (ux, uy) = (upper.dot(line), upper.dot(side));
    let (lx, ly) = (lower.dot(line), lower.dot(side));
    let rest = out - along;
    let (inverse_a2, inverse_b2) = (one / a2.if_above(zero, a2, one), one / b2.if_above(zero, b2, one));
    let axis = normal.times(-one);
    let first =
        Turn::half((along * ux + aside * uy) * inverse_a2, (aside * ux - along * uy) * inverse_a2, axis);
    let second =
        Turn::half((rest * lx - aside * ly) * inverse_b2, (-(aside * lx) - rest * ly) * inverse_b2, axis);
    // A target on the first joint leaves the line where it is.
    let way = Vec3::if_above(d2, zero, target, line).unit();
    let mut carry = Turn::arc(line, way, normal);
    if has_poles {
        let now = carry.rotate(side);
        let wanted = pole.minus(way.times(pole.dot(way)));
        let told = wanted.dot(wanted) - tiny * pole.dot(pole);
        let wanted = wanted.unit();
        let swivel = Turn::half(now.dot(wanted), way.dot(now.cross(wanted)), way);
        carry = Turn::if_positive(told, swivel.after(carry), carry);
    }
    [carry.after(first), carry.after(second)]
}
