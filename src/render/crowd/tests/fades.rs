//! Tests that hands move without jumps when their goals change, on the GPU and on the CPU.

use glam::{Affine3A, Quat, Vec3};

use super::Actor;
use super::holds::FRAME;
use super::smooth::{CHANGE, FADE, Limb, WHOLE};
use crate::crowd::terrain::Terrain;
use crate::crowd::{CrowdGoal, GoalFrame};

/// The hand of a standing character.
struct Hand {
    limb: Limb,
    /// Two points that the hand can reach.
    a: Vec3,
    b: Vec3,
}

impl Hand {
    fn new() -> Self {
        let actor = Actor::mannequin();
        let limb = Limb::new(&actor, "idle", &Terrain::flat(20.0), actor.body.parts.legs as usize);
        let a = limb.pair.reachable(&actor, &limb.joints);
        Self { limb, a, b: a + Vec3::new(0.0, 0.25, 0.05) }
    }
}

#[test]
fn a_hand_moves_from_each_goal_to_the_next_without_a_jump() {
    let Hand { limb: mut hand, a, b } = Hand::new();
    let at_rest = hand.last;
    hand.reach(0, a);
    let half = hand.walk(15);
    assert!(half.distance(at_rest) > 0.1 && half.distance(a) > 0.1, "{half}");
    // The goal changes in the middle of its fade, and once more.
    hand.reach(0, b);
    hand.walk(10);
    hand.reach(0, a);
    assert!(hand.walk(WHOLE).distance(a) < 2e-3);
    // It ends, and begins again before it has ended.
    hand.pair.fade_goal(0, -1.0 / FADE);
    hand.walk(10);
    hand.reach(0, b);
    assert!(hand.walk(WHOLE).distance(b) < 2e-3);
    // It ends in the middle of a fade.
    hand.reach(0, a);
    hand.walk(10);
    hand.pair.fade_goal(0, -1.0 / FADE);
    assert!(hand.walk(WHOLE).distance(at_rest) <= hand.range);
}

#[test]
fn a_goal_that_is_cancelled_or_paused_before_its_first_step_takes_over() {
    let Hand { limb: mut hand, a, b } = Hand::new();
    let at_rest = hand.last;
    hand.reach(0, a);
    hand.walk(WHOLE);
    // The second goal begins to end before it has any weight, so that the displacement by the first one fades out.
    hand.reach(0, b);
    hand.pair.fade_goal(0, -1.0 / FADE);
    assert!(hand.walk(WHOLE).distance(at_rest) <= hand.range);
    hand.reach(0, a);
    hand.walk(WHOLE);
    // A paused goal keeps the displacement by the first one, to which the clip is added.
    hand.reach(0, b);
    hand.pair.fade_goal(0, 0.0);
    for _ in 0..20 {
        assert!(hand.walk(1).distance(a) <= hand.range + 2e-3);
    }
    hand.pair.fade_goal(0, 1.0 / FADE);
    assert!(hand.walk(WHOLE).distance(b) < 2e-3);
}

#[test]
fn a_fade_continues_where_its_character_is_placed() {
    let Hand { limb: mut hand, a, b } = Hand::new();
    hand.reach(0, a);
    hand.walk(WHOLE);
    hand.reach(0, b);
    hand.walk(10);
    hand.pair.set_place(Vec3::new(3.0, 0.0, -2.0), 2.0);
    assert!(hand.walk(WHOLE - 10).distance(b) < 2e-3);
    assert!(Vec3::from(hand.place.translation).distance(Vec3::new(3.0, 0.0, -2.0)) < 0.1);
}

#[test]
fn a_hand_moves_straight_from_one_goal_to_the_next() {
    let Hand { limb: mut hand, a, b } = Hand::new();
    // The same character without goals.
    let (mut alone, id, joint) = (hand.pair.cpu.clone(), hand.pair.other, hand.pair.hand.0);
    let mut in_clip = || {
        alone.step(FRAME, Vec3::ZERO);
        Vec3::from(alone.pose(id).unwrap().1[joint].translation)
    };
    hand.reach(0, a);
    hand.walk(WHOLE);
    let before = (0..WHOLE).fold(Vec3::ZERO, |_, _| in_clip());
    hand.reach(0, b);
    for frame in 1..=30_u8 {
        // The displacement by the first goal fades out, so that its end moves along with the clip.
        let from = a + in_clip() - before;
        let missed = hand.walk(1).distance(from.lerp(b, f32::from(frame) * CHANGE));
        assert!(missed < 5e-3, "{missed} m from the straight line in frame {frame}");
    }
    assert!(hand.walk(2).distance(b) < 2e-3);
}

#[test]
fn a_removed_goal_leaves_nothing_for_the_next_one() {
    let Hand { limb: mut hand, a, b } = Hand::new();
    let at_rest = hand.last;
    hand.reach(0, a);
    hand.walk(WHOLE);
    // A goal is removed at once. This is the only jump.
    hand.pair.set_goal_at(0, None);
    assert!(hand.jump().distance(at_rest) <= hand.range);
    hand.reach(0, b);
    let first = hand.walk(1);
    assert!(first.distance(at_rest) <= hand.range + CHANGE * (hand.range + b.distance(at_rest)));
    assert!(hand.walk(WHOLE).distance(b) < 2e-3);
    // Without a fade, a goal has its whole effect at once.
    let goal = hand.goal(a);
    hand.pair.set_goal_at(0, Some(&goal));
    assert!(hand.jump().distance(a) < 2e-3);
    // A goal for the other hand does not begin at the displacement of this one.
    let actor = Actor::mannequin();
    let legs = actor.body.parts.legs as usize;
    let other = actor.body.limbs()[legs + 1].end as usize;
    let (_, before) = hand.pair.step();
    let mirrored = a * Vec3::new(-1.0, 1.0, 1.0);
    let goal = CrowdGoal::reach(actor.model.nodes[other], mirrored).relative_to(GoalFrame::Character);
    hand.pair.set_goal_at(0, Some(&goal.fade_in(FADE)));
    let (_, after) = hand.pair.step();
    // The arms are mirrored, so that they have the same reach.
    let step = after[other].translation.distance(before[other].translation);
    assert!(step <= hand.largest, "{step} m, at most {}", hand.largest);
}

#[test]
fn later_goals_are_blended_over_earlier_goals() {
    let Hand { limb: mut hand, a, b } = Hand::new();
    hand.reach(0, a);
    hand.walk(WHOLE);
    hand.reach(1, b);
    let half = hand.walk(15);
    assert!(half.distance(0.5 * (a + b)) < 0.02, "{half}");
    assert!(hand.walk(17).distance(b) < 2e-3);
    // The first goal has no effect now, so that nothing moves when it ends.
    hand.pair.set_goal_at(0, None);
    assert!(hand.walk(5).distance(b) < 2e-3);
    hand.reach(0, a);
    assert!(hand.walk(WHOLE).distance(b) < 2e-3);
    hand.pair.fade_goal(1, -1.0 / FADE);
    assert!(hand.walk(WHOLE).distance(a) < 2e-3);
}

#[test]
fn goals_beyond_the_reach_of_a_hand_change_without_a_jump() {
    let Hand { limb: mut hand, a: near, .. } = Hand::new();
    let (far, other) = (near + Vec3::new(20.0, 60.0, 90.0), near + Vec3::new(40.0, -20.0, 90.0));
    for at in [far, near, far, other, near] {
        hand.reach(0, at);
        hand.walk(12);
    }
    assert!(hand.walk(20).distance(near) < 2e-3);
}

#[test]
fn the_rotation_of_a_hand_changes_without_a_jump() {
    let Hand { limb: mut hand, a, .. } = Hand::new();
    let turns = [Some(0.9_f32), None, Some(-0.7), Some(0.9)].map(|turn| turn.map(Quat::from_rotation_x));
    let joint = hand.pair.hand.0;
    let rotation = |joints: &[Affine3A]| joints[joint].to_scale_rotation_translation().1;
    // The largest angle by which the clip turns the hand in a frame.
    let (mut alone, mut turned_by_clip) = (hand.pair.cpu.clone(), 0.0_f32);
    let mut last = rotation(&hand.joints);
    for _ in 0..hand.cycle {
        alone.step(FRAME, Vec3::ZERO);
        let next = rotation(&alone.pose(hand.pair.other).unwrap().1);
        turned_by_clip = turned_by_clip.max(next.angle_between(last));
        last = next;
    }
    // A rotation of which `part_of` takes a part changes by at most 4 rad per unit of the part, which is the case for half a turn. A fade
    // changes the parts of two rotations by `CHANGE` each. The clip turns the hand, and changes one of these rotations, whose part changes
    // by at most twice as much. `angle_between` is exact to about 1e-3.
    let largest = 8.0 * CHANGE + 3.0 * turned_by_clip + 1e-3;
    let mut last = rotation(&hand.joints);
    let mut turned = 0.0_f32;
    for turn in turns {
        let goal = CrowdGoal { rotation: turn, ..hand.goal(a) }.fade_in(FADE);
        hand.pair.set_goal_at(0, Some(&goal));
        for _ in 0..15 {
            hand.walk(1);
            let next = rotation(&hand.joints);
            let step = next.angle_between(last);
            assert!(step <= largest, "{step} rad in a frame, at most {largest}");
            (last, turned) = (next, turned + step);
        }
    }
    assert!(turned > 0.5, "{turned} rad");
    hand.walk(20);
    assert!(rotation(&hand.joints).angle_between(Quat::from_rotation_x(0.9)) < 0.01);
}
