//! Closed-form two-bone IK without a body, for thousands of limbs. Limbs are solved one at a time or side by side in
//! SIMD lanes.
//!
//! Tolani, Goswami & Badler 2000, "Real-time inverse kinematics techniques for anthropomorphic limbs", section 3, with
//! square roots instead of trigonometry. [`generic::solve`] has no branches, so that it compiles for scalars and for
//! SIMD lanes. It uses no fused multiply-add, so that the results for both are bit-identical. [`degenerate::solve`]
//! handles all other limbs.

mod degenerate;
mod generic;
#[cfg(test)]
mod tests;

use glam::{DQuat, DVec3};

use crate::lanes::{Lanes, Vec3};

/// A SIMD register of the target machine, with one limb in each lane.
#[cfg(not(target_feature = "avx"))]
type Register = wide::f64x2;
#[cfg(target_feature = "avx")]
type Register = wide::f64x4;
const LANE_COUNT: usize = if cfg!(target_feature = "avx") { 4 } else { 2 };

/// The current pose of a limb: its two bones as vectors in a common space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limb {
    /// Vector from the first joint to the middle joint.
    pub upper: DVec3,
    /// Vector from the middle joint to the end.
    pub lower: DVec3,
    /// The axis about which a straight limb bends. Its length and its component along the limb are ignored.
    pub bend: DVec3,
}

/// A goal for one limb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbGoal {
    /// Target of the end, relative to the first joint.
    pub target: DVec3,
    /// Point towards which the middle joint bends, relative to the first joint. Zero keeps the current bend direction,
    /// rotated by the shortest arc.
    pub pole: DVec3,
}

impl LimbGoal {
    fn has_pole(&self) -> bool {
        self.pole != DVec3::ZERO
    }
}

/// Returns the rotations of the upper and the lower bone, as unit quaternions in the limb's space.
///
/// A target that is out of reach or too near is approached as closely as possible. Degenerate input, such as a bone or
/// a target of zero length or a pole on the line to the target, gives a finite and deterministic result.
///
/// ```
/// use sinew_ik::glam::DVec3;
/// use sinew_ik::{Limb, LimbGoal, solve_limb};
///
/// // A straight leg of two bones, each 0.45 m long, whose foot is lifted by 0.2 m. The knee points to the front.
/// let bone = DVec3::NEG_Y * 0.45;
/// let leg = Limb { upper: bone, lower: bone, bend: DVec3::X };
/// let goal = LimbGoal { target: DVec3::NEG_Y * 0.7, pole: DVec3::Z };
/// let [upper, lower] = solve_limb(&leg, &goal);
/// let knee = upper * leg.upper;
/// let foot = knee + lower * leg.lower;
/// assert!(foot.abs_diff_eq(goal.target, 1e-12));
/// assert!(knee.z > 0.25);
/// ```
pub fn solve_limb(limb: &Limb, goal: &LimbGoal) -> [DQuat; 2] {
    match solve_lanes::<f64, 1>(&[*limb], &[*goal]) {
        Some([turns]) => turns,
        None => degenerate::solve(limb, goal),
    }
}

/// Solves many limbs in SIMD lanes. The results are bit-identical to the results of [`solve_limb`]. Surplus entries of
/// the longer slices are ignored.
///
/// ```
/// use sinew_ik::glam::{DQuat, DVec3};
/// use sinew_ik::{Limb, LimbGoal, solve_limb, solve_limbs};
///
/// let limbs = [Limb { upper: DVec3::Y, lower: DVec3::Y, bend: DVec3::Z }; 5];
/// let goals = [0.2, 0.6, 1.0, 1.4, 1.8].map(|x| LimbGoal { target: DVec3::X * x, pole: DVec3::ZERO });
/// let mut turns = [[DQuat::IDENTITY; 2]; 5];
/// solve_limbs(&limbs, &goals, &mut turns);
/// assert_eq!(turns[3], solve_limb(&limbs[3], &goals[3]));
/// ```
pub fn solve_limbs(limbs: &[Limb], goals: &[LimbGoal], turns: &mut [[DQuat; 2]]) {
    let count = limbs.len().min(goals.len()).min(turns.len());
    let in_lanes = count - count % LANE_COUNT;
    let (limbs, goals, turns) = (&limbs[..count], &goals[..count], &mut turns[..count]);
    let blocks = limbs.as_chunks::<LANE_COUNT>().0.iter().zip(goals.as_chunks::<LANE_COUNT>().0);
    for ((limbs, goals), turns) in blocks.zip(turns.as_chunks_mut::<LANE_COUNT>().0) {
        match solve_lanes::<Register, LANE_COUNT>(limbs, goals) {
            Some(found) => *turns = found,
            None => solve_one_by_one(limbs, goals, turns),
        }
    }
    solve_one_by_one(&limbs[in_lanes..], &goals[in_lanes..], &mut turns[in_lanes..]);
}

fn solve_one_by_one(limbs: &[Limb], goals: &[LimbGoal], turns: &mut [[DQuat; 2]]) {
    for ((limb, goal), turns) in limbs.iter().zip(goals).zip(turns) {
        *turns = solve_limb(limb, goal);
    }
}

/// Solves one limb per lane. Returns `None` if the limbs need different code paths.
#[inline(always)]
fn solve_lanes<L: Lanes<N>, const N: usize>(
    limbs: &[Limb; N],
    goals: &[LimbGoal; N],
) -> Option<[[DQuat; 2]; N]> {
    let poles = goals.iter().filter(|g| g.has_pole()).count();
    if poles != 0 && poles != N {
        return None;
    }
    let pole = (poles > 0).then(|| Vec3::<L>::gather(goals, |g| g.pole));
    let (upper, lower) = (Vec3::gather(limbs, |l| l.upper), Vec3::gather(limbs, |l| l.lower));
    let [first, second] = generic::solve(upper, lower, Vec3::gather(goals, |g| g.target), pole)?;
    let (first, second) = (first.each::<N>(), second.each::<N>());
    Some(std::array::from_fn(|i| [first[i], second[i]]))
}
