//! Limbs by the thousand: the closed form of two bones without a body around it, one limb at a time or several abreast.
//!
//! Tolani, Goswami & Badler 2000, "Real-time inverse kinematics techniques for anthropomorphic limbs", section 3, with
//! square roots in place of trigonometry. [`usual`] has no cases, so that one source serves single numbers and lanes,
//! without fused multiplication, and both give the same bits. What it does not take, [`unusual`] does.

mod unusual;
mod usual;

use glam::{DQuat, DVec3};

use super::lanes::{Several, Turn, Vec3};
use usual::usual;

/// Limbs abreast: what the machine's registers hold.
#[cfg(not(target_feature = "avx"))]
type Lanes = wide::f64x2;
#[cfg(target_feature = "avx")]
type Lanes = wide::f64x4;
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

impl LimbGoal {
    fn has_pole(&self) -> bool {
        self.pole != DVec3::ZERO
    }
}

/// How the upper and the lower bone turn, unit quaternions in the limb's space.
///
/// A target out of reach, or too near, is approached as near as can be. Degenerate input (a bone or a target without
/// length, the pole on the line to the target) gives some answer, finite and always the same.
pub fn solve_limb(limb: &Limb, goal: &LimbGoal) -> [DQuat; 2] {
    match solve_abreast::<f64, 1>(&[*limb], &[*goal]) {
        Some([turns]) => turns,
        None => unusual::solve(limb, goal),
    }
}

/// [`solve_limb`] for many, several abreast: the same bits. Solves as many as the shortest of the three has.
pub fn solve_limbs(limbs: &[Limb], goals: &[LimbGoal], turns: &mut [[DQuat; 2]]) {
    let count = limbs.len().min(goals.len()).min(turns.len());
    let abreast = count - count % ABREAST;
    let (limbs, goals, turns) = (&limbs[..count], &goals[..count], &mut turns[..count]);
    let blocks = limbs.as_chunks::<ABREAST>().0.iter().zip(goals.as_chunks::<ABREAST>().0);
    for ((limbs, goals), turns) in blocks.zip(turns.as_chunks_mut::<ABREAST>().0) {
        match solve_abreast::<Lanes, ABREAST>(limbs, goals) {
            Some(found) => *turns = found,
            None => one_by_one(limbs, goals, turns),
        }
    }
    one_by_one(&limbs[abreast..], &goals[abreast..], &mut turns[abreast..]);
}

fn one_by_one(limbs: &[Limb], goals: &[LimbGoal], turns: &mut [[DQuat; 2]]) {
    for ((limb, goal), turns) in limbs.iter().zip(goals).zip(turns) {
        *turns = solve_limb(limb, goal);
    }
}

/// As many as the lanes are; `None` where they cannot be treated alike.
#[inline(always)]
fn solve_abreast<L: Several<N>, const N: usize>(
    limbs: &[Limb; N],
    goals: &[LimbGoal; N],
) -> Option<[[DQuat; 2]; N]> {
    let poles = goals.iter().filter(|g| g.has_pole()).count();
    if poles != 0 && poles != N {
        return None;
    }
    let pole = (poles > 0).then(|| Vec3::<L>::gather(goals, |g| g.pole));
    let (upper, lower) = (Vec3::gather(limbs, |l| l.upper), Vec3::gather(limbs, |l| l.lower));
    let [first, second] = usual(upper, lower, Vec3::gather(goals, |g| g.target), pole)?.map(Turn::each);
    Some(std::array::from_fn(|i| [first[i], second[i]]))
}

#[cfg(test)]
mod tests;
