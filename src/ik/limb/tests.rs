//! The two closed forms against each other: what takes every limb would hide that the quick one takes none.

use glam::DVec3;

use super::super::random::Random;
use super::{Limb, LimbGoal, solve_abreast, unusual};

#[test]
fn ordinary_limbs_are_solved_the_quick_way_and_alike() {
    let mut random = Random(7);
    for _ in 0..200 {
        let limb =
            Limb { upper: DVec3::Y + random.turn(0.4), lower: random.turn(0.3) + DVec3::Z, bend: DVec3::X };
        let target = (limb.upper + limb.lower).normalize() * random.range(0.6, 1.3) + random.turn(0.5);
        for pole in [DVec3::ZERO, random.turn(2.0)] {
            let goal = LimbGoal { target, pole };
            let slow = unusual::solve(&limb, &goal);
            let Some([quick]) = solve_abreast::<f64, 1>(&[limb], &[goal]) else {
                panic!("{limb:?}, {goal:?} is not ordinary")
            };
            for (quick, slow) in quick.iter().zip(slow) {
                assert!(quick.dot(slow).abs() > 1.0 - 1e-9, "{limb:?}, {goal:?}: {quick}, {slow}");
            }
        }
    }
}
