//! Compares the two closed forms. `degenerate` accepts every limb, so it would hide a `generic` that rejects every
//! limb.

use glam::DVec3;

use sinew_base::Random;

use super::{Limb, LimbGoal, degenerate, solve_lanes};

#[test]
fn both_closed_forms_agree_on_generic_limbs() {
    let mut random = Random(7);
    for _ in 0..200 {
        let limb =
            Limb { upper: DVec3::Y + random.turn(0.4), lower: random.turn(0.3) + DVec3::Z, bend: DVec3::X };
        let target = (limb.upper + limb.lower).normalize() * random.range(0.6, 1.3) + random.turn(0.5);
        for pole in [DVec3::ZERO, random.turn(2.0)] {
            let goal = LimbGoal { target, pole };
            let general = degenerate::solve(&limb, &goal);
            let Some([fast]) = solve_lanes::<f64, 1>(&[limb], &[goal]) else {
                panic!("{limb:?}, {goal:?}: the fast closed form rejects this limb")
            };
            for (fast, general) in fast.iter().zip(general) {
                assert!(fast.dot(general).abs() > 1.0 - 1e-9, "{limb:?}, {goal:?}: {fast}, {general}");
            }
        }
    }
}
