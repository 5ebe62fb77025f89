//! Two-bone solves of many limbs without a body.

use crate::vector;
use glam::{DQuat, DVec3};
use proptest::prelude::*;
use sinew_ik::{Limb, LimbGoal, solve_limb, solve_limbs};

/// Returns the positions of the middle joint and the end after the turns.
fn joint_and_end(limb: &Limb, [first, second]: [DQuat; 2]) -> (DVec3, DVec3) {
    let middle = first * limb.upper;
    (middle, middle + second * limb.lower)
}

proptest! {
    #[test]
    fn end_is_as_near_as_possible(
        upper in vector(1.0), lower in vector(1.0), bend in vector(1.0), target in vector(2.0), pole in vector(1.0),
    ) {
        prop_assume!(upper.length() > 0.1 && lower.length() > 0.1 && target.length() > 1e-3);
        let limb = Limb { upper, lower, bend };
        for pole in [DVec3::ZERO, pole] {
            let turns = solve_limb(&limb, &LimbGoal { target, pole });
            for turn in turns {
                prop_assert!((turn.length() - 1.0).abs() < 1e-9, "{turn}");
            }
            let (middle, end) = joint_and_end(&limb, turns);
            let (a, b, d) = (upper.length(), lower.length(), target.length());
            let best = (d - a - b).max((a - b).abs() - d).max(0.0);
            prop_assert!((end.distance(target) - best).abs() < 1e-6, "{} away, {best} is possible", end.distance(target));
            let bent = middle.reject_from(target);
            let wanted = pole.reject_from(target);
            if pole != DVec3::ZERO && bent.length() > 1e-3 && wanted.length() > 1e-3 {
                prop_assert!(bent.angle_between(wanted) < 1e-4, "bends {} rad from the pole", bent.angle_between(wanted));
            }
        }
    }

    #[test]
    fn limbs_in_lanes_give_the_bits_of_single_limbs(
        limbs in prop::collection::vec(
            (vector(1.0), vector(1.0), vector(2.0), vector(1.0), prop::bool::weighted(0.8), prop::bool::weighted(0.2)),
            0..11,
        ),
    ) {
        let (limbs, goals): (Vec<Limb>, Vec<LimbGoal>) = limbs
            .into_iter()
            .map(|(upper, lower, target, pole, has_pole, straight)| {
                let lower = if straight { upper * 0.7 } else { lower };
                let limb = Limb { upper, lower, bend: DVec3::X };
                (limb, LimbGoal { target, pole: if has_pole { pole } else { DVec3::ZERO } })
            })
            .unzip();
        let mut together = vec![[DQuat::IDENTITY; 2]; limbs.len()];
        solve_limbs(&limbs, &goals, &mut together);
        for ((limb, goal), together) in limbs.iter().zip(&goals).zip(together) {
            let alone = solve_limb(limb, goal);
            for (a, b) in alone.iter().zip(&together) {
                prop_assert_eq!(a.to_array().map(f64::to_bits), b.to_array().map(f64::to_bits));
            }
        }
    }
}

#[test]
fn degenerate_limbs_give_unit_quaternions() {
    let places = [DVec3::ZERO, DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::X * 2.0, DVec3::X * 1e-9];
    for upper in places {
        for lower in places {
            for target in places {
                for pole in [DVec3::ZERO, DVec3::X, DVec3::Z] {
                    for bend in [DVec3::ZERO, DVec3::Z] {
                        let turns = solve_limb(&Limb { upper, lower, bend }, &LimbGoal { target, pole });
                        assert!(
                            turns.iter().all(|q| (q.length() - 1.0).abs() < 1e-12),
                            "{upper} {lower} {target} {pole}: {turns:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn limb_at_its_target_does_not_turn() {
    let limb = Limb { upper: DVec3::new(0.1, 0.5, 0.0), lower: DVec3::new(0.2, 0.3, 0.3), bend: DVec3::Z };
    let turns = solve_limb(&limb, &LimbGoal { target: limb.upper + limb.lower, pole: DVec3::ZERO });
    assert!(turns.iter().all(|q| q.w > 1.0 - 1e-12), "{turns:?}");
}

#[test]
fn straight_limb_bends_about_the_perpendicular_part_of_its_axis() {
    let limb = Limb { upper: DVec3::Y * 0.6, lower: DVec3::Y * 0.4, bend: DVec3::new(0.0, 0.5, -2.0) };
    for target in [DVec3::Y * 0.7, DVec3::Y * 0.3] {
        let goal = LimbGoal { target, pole: DVec3::ZERO };
        let (middle, end) = joint_and_end(&limb, solve_limb(&limb, &goal));
        assert!(end.distance(target) < 1e-9, "{end}");
        // Bending about -Z moves the middle joint sideways and brings the end back to the line.
        assert!(middle.z.abs() < 1e-9 && middle.x.abs() > 0.1, "{middle}");
        let other = Limb { bend: -limb.bend, ..limb };
        let (mirrored, _) = joint_and_end(&other, solve_limb(&other, &goal));
        assert!(mirrored.distance(DVec3::new(-middle.x, middle.y, middle.z)) < 1e-9, "{middle}, {mirrored}");
    }
}

#[test]
fn bent_limb_keeps_its_plane_if_the_pole_is_on_the_line_to_the_target() {
    let limb = Limb { upper: DVec3::new(0.1, 0.5, 0.0), lower: DVec3::new(0.2, 0.3, 0.3), bend: DVec3::X };
    let target = DVec3::new(0.2, 0.4, 0.5);
    let [wanted, found] = [DVec3::ZERO, target * 2.0]
        .map(|pole| joint_and_end(&limb, solve_limb(&limb, &LimbGoal { target, pole })));
    assert!(wanted.0.distance(found.0) < 1e-6, "{} and {}", wanted.0, found.0);
    assert!(found.1.distance(target) < 1e-9);
}

#[test]
fn straight_limb_bends_towards_its_pole() {
    let limb = Limb { upper: DVec3::Y * 0.6, lower: DVec3::Y * 0.4, bend: DVec3::X };
    let target = DVec3::new(0.3, 0.4, 0.5);
    for pole in [DVec3::X, DVec3::NEG_Z, DVec3::new(-1.0, 0.3, 0.5)] {
        let (middle, end) = joint_and_end(&limb, solve_limb(&limb, &LimbGoal { target, pole }));
        assert!(end.distance(target) < 1e-9, "{end}");
        let away = middle.reject_from(target).angle_between(pole.reject_from(target));
        assert!(away < 1e-6, "{away} rad from the pole {pole}");
    }
}
