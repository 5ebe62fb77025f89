//! Tests that hands move without jumps when their goals change, on the GPU and on the CPU.

use glam::{Quat, Vec3};

use super::Actor;
use super::holds::Pair;
use crate::crowd::terrain::Terrain;
use crate::crowd::{CrowdGoal, GoalFrame};

/// Time in seconds in which goals fade in.
const FADE: f32 = 0.5;
/// Larger than the distance that a hand moves in a frame of a fade over its whole reach, and smaller than the jumps that the tests look for.
const LARGEST_STEP: f32 = 0.04;

/// A standing character, and the last position of its hand in model space.
struct Hand {
    pair: Pair,
    last: Vec3,
    /// Two points that the hand can reach.
    a: Vec3,
    b: Vec3,
}

impl Hand {
    fn new() -> Self {
        let actor = Actor::mannequin();
        let mut pair = Pair::new(&actor, "idle", &Terrain::flat(20.0));
        let (_, joints) = pair.step();
        let a = pair.reachable(&actor, &joints);
        let last = pair.hand();
        Self { pair, last, a, b: a + Vec3::new(0.0, 0.25, 0.05) }
    }

    /// Returns a goal for the hand in model space.
    fn goal(&self, at: Vec3) -> CrowdGoal {
        CrowdGoal::reach(self.pair.hand.1, at).relative_to(GoalFrame::Character)
    }

    /// Sets a goal that fades in.
    fn reach(&mut self, index: usize, at: Vec3) {
        let goal = self.goal(at).fade_in(FADE);
        self.pair.set_goal_at(index, Some(&goal));
    }

    /// Takes steps, in none of which the hand jumps. Returns its position.
    fn walk(&mut self, frames: usize) -> Vec3 {
        for frame in 0..frames {
            let at = self.pair.hand();
            let step = at.distance(self.last);
            assert!(step < LARGEST_STEP, "{step} m in frame {frame}");
            self.last = at;
        }
        self.last
    }
}

#[test]
fn a_hand_moves_from_each_goal_to_the_next_without_a_jump() {
    let mut hand = Hand::new();
    let (a, b, at_rest) = (hand.a, hand.b, hand.last);
    hand.reach(0, a);
    let half = hand.walk(15);
    assert!(half.distance(at_rest) > 0.1 && half.distance(a) > 0.1, "{half}");
    // The goal changes in the middle of its fade, and once more.
    hand.reach(0, b);
    hand.walk(10);
    hand.reach(0, a);
    assert!(hand.walk(32).distance(a) < 2e-3);
    // It ends, and begins again before it has ended.
    hand.pair.fade_goal(0, -1.0 / FADE);
    hand.walk(10);
    hand.reach(0, b);
    assert!(hand.walk(32).distance(b) < 2e-3);
    // It ends in the middle of a fade. The clip itself moves the hand by a few centimetres.
    hand.reach(0, a);
    hand.walk(10);
    hand.pair.fade_goal(0, -1.0 / FADE);
    assert!(hand.walk(40).distance(at_rest) < 0.1);
}

#[test]
fn a_hand_moves_straight_from_one_goal_to_the_next() {
    let mut hand = Hand::new();
    let (a, b, at_rest) = (hand.a, hand.b, hand.last);
    hand.reach(0, a);
    hand.walk(32);
    hand.reach(0, b);
    for _ in 0..30 {
        let at = hand.walk(1);
        // The clip itself moves a little.
        let aside = at.distance(a) + at.distance(b) - a.distance(b);
        assert!(aside < 0.015, "{aside} m longer than the straight line");
        assert!(at.distance(at_rest) > 0.9 * a.distance(at_rest).min(b.distance(at_rest)));
    }
    assert!(hand.walk(2).distance(b) < 2e-3);
}

#[test]
fn a_removed_goal_leaves_nothing_for_the_next_one() {
    let mut hand = Hand::new();
    let (a, b, at_rest) = (hand.a, hand.b, hand.last);
    hand.reach(0, a);
    hand.walk(32);
    // A goal is removed at once. This is the only jump.
    hand.pair.set_goal_at(0, None);
    hand.last = hand.pair.hand();
    assert!(hand.last.distance(at_rest) < 0.1);
    hand.reach(0, b);
    let first = hand.walk(1);
    assert!(first.distance(at_rest) < 0.1, "{first}");
    assert!(hand.walk(32).distance(b) < 2e-3);
    // Without a fade, a goal has its whole effect at once.
    let goal = hand.goal(a);
    hand.pair.set_goal_at(0, Some(&goal));
    assert!(hand.pair.hand().distance(a) < 2e-3);
    // A goal for the other hand does not begin at the displacement of this one.
    let actor = Actor::mannequin();
    let legs = actor.body.parts.legs as usize;
    let other = actor.body.limbs()[legs + 1].end as usize;
    let (_, before) = hand.pair.step();
    let mirrored = a * Vec3::new(-1.0, 1.0, 1.0);
    let goal = CrowdGoal::reach(actor.model.nodes[other], mirrored).relative_to(GoalFrame::Character);
    hand.pair.set_goal_at(0, Some(&goal.fade_in(FADE)));
    let (_, after) = hand.pair.step();
    let step = after[other].translation.distance(before[other].translation);
    assert!(step < LARGEST_STEP, "{step} m");
}

#[test]
fn later_goals_are_blended_over_earlier_goals() {
    let mut hand = Hand::new();
    let (a, b) = (hand.a, hand.b);
    hand.reach(0, a);
    hand.walk(32);
    hand.reach(1, b);
    let half = hand.walk(15);
    assert!(half.distance(0.5 * (a + b)) < 0.02, "{half}");
    assert!(hand.walk(17).distance(b) < 2e-3);
    // The first goal has no effect now, so that nothing moves when it ends.
    hand.pair.set_goal_at(0, None);
    assert!(hand.walk(5).distance(b) < 2e-3);
    hand.reach(0, a);
    assert!(hand.walk(32).distance(b) < 2e-3);
    hand.pair.fade_goal(1, -1.0 / FADE);
    assert!(hand.walk(32).distance(a) < 2e-3);
}

#[test]
fn goals_beyond_the_reach_of_a_hand_change_without_a_jump() {
    let mut hand = Hand::new();
    let near = hand.a;
    let (far, other) = (near + Vec3::new(20.0, 60.0, 90.0), near + Vec3::new(40.0, -20.0, 90.0));
    for at in [far, near, far, other, near] {
        hand.reach(0, at);
        hand.walk(12);
    }
    assert!(hand.walk(20).distance(near) < 2e-3);
}

#[test]
fn the_rotation_of_a_hand_changes_without_a_jump() {
    let mut hand = Hand::new();
    let turns = [Some(0.9_f32), None, Some(-0.7), Some(0.9)].map(|turn| turn.map(Quat::from_rotation_x));
    let joint = hand.pair.hand.0;
    let rotation = |pair: &mut Pair| pair.step().1[joint].to_scale_rotation_translation().1;
    let mut last = rotation(&mut hand.pair);
    let mut turned = 0.0_f32;
    for turn in turns {
        let goal = CrowdGoal { rotation: turn, ..hand.goal(hand.a) }.fade_in(FADE);
        hand.pair.set_goal_at(0, Some(&goal));
        for _ in 0..15 {
            let next = rotation(&mut hand.pair);
            let step = next.angle_between(last);
            assert!(step < 0.35, "{step} rad in a frame");
            (last, turned) = (next, turned + step);
        }
    }
    assert!(turned > 0.5, "{turned} rad");
    (0..20).for_each(|_| last = rotation(&mut hand.pair));
    assert!(last.angle_between(Quat::from_rotation_x(0.9)) < 0.01, "{last}");
}
