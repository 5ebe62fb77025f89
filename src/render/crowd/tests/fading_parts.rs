//! Tests that goals of moving characters, of feet, of chains and of heads change without jumps, on the GPU and on the CPU.

use std::path::Path;

use glam::Vec3;

use super::Actor;
use super::holds::{FRAME, Pair};
use super::smooth::{CHANGE, FADE, Limb, Swing, WHOLE};
use crate::body::stance::Stance;
use crate::crowd::terrain::Terrain;
use crate::crowd::{CrowdGoal, GoalFrame};

/// Returns the state that a character keeps on the GPU.
fn stance(pair: &Pair) -> Stance {
    pair.crowd.read_state(pair.id).unwrap().1
}

#[test]
fn a_hand_changes_between_frames_while_its_character_walks_and_turns() {
    let actor = Actor::mannequin();
    let chest = actor.body.parts.chest as usize;
    let mut hand = Limb::new(&actor, "walk", &Terrain::flat(20.0), actor.body.parts.legs as usize);
    hand.pair.set_pace(1.0, 0.8);
    let a = hand.pair.reachable(&actor, &hand.joints);
    let b = a + Vec3::new(0.0, 0.25, 0.05);
    // Goals in the world are behind the character after a short time, so that they are soon replaced.
    let (short, mut step) = (12, 0.0_f32);
    for at in [a, b] {
        let (in_world, in_chest) =
            (hand.place.transform_point3(at), hand.joints[chest].inverse().transform_point3(at));
        let world = Swing::new(&hand.pair, short + 1, |place, _| place.inverse().transform_point3(in_world));
        let node = Swing::new(&hand.pair, hand.cycle, |_, joints| joints[chest].transform_point3(in_chest));
        step = step.max(world.step).max(node.step);
    }
    hand.measure(step);
    for (at, next) in [(a, b), (b, a)] {
        let goal = CrowdGoal::reach(hand.pair.hand.1, hand.place.transform_point3(at));
        hand.pair.set_goal_at(0, Some(&goal.fade_in(FADE)));
        hand.walk(short);
        let in_chest = hand.joints[chest].inverse().transform_point3(next);
        let node = GoalFrame::Node(actor.model.nodes[chest]);
        let goal = CrowdGoal::reach(hand.pair.hand.1, in_chest).relative_to(node);
        hand.pair.set_goal_at(0, Some(&goal.fade_in(FADE)));
        let missed = hand.walk(WHOLE).distance(hand.joints[chest].transform_point3(in_chest));
        assert!(missed < 5e-3, "{missed} m from the goal in the frame of the chest");
        hand.reach(0, at);
        let missed = hand.walk(WHOLE).distance(at);
        assert!(missed < 5e-3, "{missed} m from the goal in model space");
    }
}

#[test]
fn a_foot_on_hills_changes_between_goals_without_a_jump() {
    let actor = Actor::mannequin();
    let mut foot = Limb::new(&actor, "idle", &Terrain::hills(3, 20.0), 0);
    let at_rest = foot.last;
    let (a, b) = (at_rest + Vec3::new(0.0, 0.3, 0.15), at_rest + Vec3::new(0.0, 0.15, -0.15));
    foot.reach(0, a);
    foot.walk(12);
    foot.reach(0, b);
    foot.walk(12);
    foot.reach(0, a);
    assert!(foot.walk(WHOLE).distance(a) < 5e-3);
    // The foot returns to the ground.
    foot.pair.fade_goal(0, -1.0 / FADE);
    assert!(foot.walk(WHOLE).distance(at_rest) <= foot.range);
}

#[test]
fn a_chain_changes_between_distant_goals_without_a_jump() {
    let actor = Actor::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/tentacle.glb"));
    let chain = actor.body.chains()[0];
    let links = chain.links as usize;
    let [top, tip] = [0, links].map(|index| chain.joints[index] as usize);
    let mut pair = Pair::of(&actor, "sway", &Terrain::flat(20.0), tip);
    let (_, joints) = pair.step();
    let at = |joint: u32| Vec3::from(joints[joint as usize].translation);
    let reach: f32 = chain.joints[..=links].windows(2).map(|pair| at(pair[0]).distance(at(pair[1]))).sum();
    // The goals are in the frame of the first joint, in which the reach of the chain does not change.
    let far = [Vec3::new(30.0, 40.0, 50.0), Vec3::new(-30.0, 40.0, 50.0)];
    let near = 0.8 * joints[top].inverse().transform_point3(joints[tip].translation.into());
    let frames = (actor.model.clips.infos[actor.clip("sway")].seconds / FRAME) as usize + 2;
    let swing =
        |joint: usize, at: Vec3| Swing::new(&pair, frames, |_, joints| joints[joint].transform_point3(at));
    let [of_top, of_tip] = [swing(top, Vec3::ZERO), swing(tip, Vec3::ZERO)];
    let goals = [far[0].normalize() * reach, far[1].normalize() * reach, near];
    let step = goals.map(|goal| swing(top, goal).step).into_iter().fold(of_tip.step, f32::max);
    // The same bound as that of a limb (see `Limb::measure`), for the point to which the tip is to move.
    let largest = CHANGE * (2.0 * reach + of_top.range + of_tip.range) + step + 1e-4;
    // Without goals, the tip is where the goals begin to displace it.
    let (mut alone, mut last) = (pair.cpu.clone(), Vec3::from(joints[tip].translation));
    let node = GoalFrame::Node(actor.model.nodes[top]);
    for (position, frames) in [(far[0], 12), (far[1], 12), (near, WHOLE)] {
        let goal = CrowdGoal::reach(pair.hand.1, position).relative_to(node);
        pair.set_goal_at(0, Some(&goal.fade_in(FADE)));
        for frame in 0..frames {
            pair.step();
            alone.step(FRAME, Vec3::ZERO);
            let (_, joints) = alone.pose(pair.other).unwrap();
            let next = Vec3::from(joints[tip].translation) + stance(&pair).fades[0].last;
            let step = next.distance(last);
            assert!(step <= largest, "{step} m in frame {frame}, at most {largest}");
            last = next;
        }
    }
    let (_, joints) = alone.pose(pair.other).unwrap();
    let missed = last.distance(joints[top].transform_point3(near));
    assert!(missed < 1e-3, "{missed} m from the goal");
}

#[test]
fn a_head_turns_from_one_goal_to_the_next_and_keeps_its_weight() {
    let actor = Actor::mannequin();
    let parts = &actor.body.parts;
    let head = parts.neck[parts.necks as usize - 1] as usize;
    let mut pair = Pair::of(&actor, "idle", &Terrain::flat(20.0), head);
    let points = [1.5, -1.5].map(|x| Vec3::new(x, 1.7, 2.5));
    let look = |at: Vec3| CrowdGoal::look(at).relative_to(GoalFrame::Character).fade_in(FADE);
    pair.set_goal_at(0, Some(&look(points[0])));
    (0..120).for_each(|_| drop(pair.step()));
    let mut last = stance(&pair);
    assert!(last.aim_weight > 0.99, "{}", last.aim_weight);
    pair.set_goal_at(0, Some(&look(points[1])));
    for frame in 0..90 {
        pair.step();
        let next = stance(&pair);
        // Both goals have the weight 1. The weights of a fade add up to 1, apart from rounding.
        assert!(next.aim_weight > 0.99, "{} in frame {frame}", next.aim_weight);
        // In a frame, the aim moves towards the goal by the part FRAME / (FRAME + 0.12) of their distance (see `aim.rs`). They are less than
        // a right angle apart, so that the tangent of the angle is at most FRAME / 0.12, and the angle is smaller.
        let turned = next.aim.angle_between(last.aim);
        assert!(turned < FRAME / 0.12, "{turned} rad in frame {frame}");
        last = next;
    }
    let (_, joints) = pair.step();
    let missed = last.aim.angle_between(points[1] - Vec3::from(joints[head].translation));
    assert!(missed < 0.03, "{missed} rad");
    // The weight ends after the goal, with a time constant of 0.12 s.
    pair.fade_goal(0, -1.0 / FADE);
    (0..90).for_each(|_| drop(pair.step()));
    assert!(stance(&pair).aim_weight < 0.01);
}
