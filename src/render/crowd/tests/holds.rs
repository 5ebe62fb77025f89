//! Tests goals that move along with a character, goals that fade, and contacts, on the GPU and on the CPU.

use glam::{Affine3A, Quat, Vec3};

use super::Actor;
use crate::crowd::terrain::Terrain;
use crate::crowd::{CharacterId, CpuCrowd, Crowd, CrowdError, CrowdGoal, GoalFrame, PlayedClip, Spawn};
use crate::{Gpu, Renderer};

pub(super) const FRAME: f32 = 1.0 / 60.0;

/// The same character in a crowd on the GPU and in a crowd on the CPU.
pub(super) struct Pair {
    renderer: Renderer,
    pub(super) crowd: Crowd,
    pub(super) cpu: CpuCrowd,
    pub(super) id: CharacterId,
    /// The identifier in the crowd on the CPU.
    pub(super) other: CharacterId,
    /// The joint that both crowds are compared by, such as the end of the first arm, and its node.
    pub(super) hand: (usize, usize),
}

impl Pair {
    pub(super) fn new(actor: &Actor, clip: &str, terrain: &Terrain) -> Self {
        let hand = actor.body.limbs()[actor.body.parts.legs as usize].end as usize;
        Self::of(actor, clip, terrain, hand)
    }

    /// Returns a pair that is compared by a joint.
    pub(super) fn of(actor: &Actor, clip: &str, terrain: &Terrain, joint: usize) -> Self {
        let mut renderer = Renderer::new(Gpu::of_tests());
        let (surface, mut crowd) = actor.crowd(&renderer, Some(terrain.clone()));
        let mut cpu = CpuCrowd::new(crowd.model().clone(), Some(terrain.clone()));
        let clips = vec![PlayedClip::new(actor.clip(clip), 0.3)];
        let spawn = Spawn { clips, heading: 0.7, ..Spawn::default() };
        let id = crowd.spawn(&mut renderer, &surface, &spawn).unwrap();
        let other = cpu.spawn(&spawn).unwrap();
        let hand = (joint, actor.model.nodes[joint]);
        Self { renderer, crowd, cpu, id, other, hand }
    }

    fn set_goal(&mut self, goal: Option<&CrowdGoal>) {
        self.set_goal_at(0, goal);
    }

    pub(super) fn set_goal_at(&mut self, index: usize, goal: Option<&CrowdGoal>) {
        self.crowd.set_goal(self.id, index, goal).unwrap();
        self.cpu.set_goal(self.other, index, goal).unwrap();
    }

    pub(super) fn fade_goal(&mut self, index: usize, rate: f32) {
        self.crowd.fade_goal(self.id, index, rate).unwrap();
        self.cpu.fade_goal(self.other, index, rate).unwrap();
    }

    pub(super) fn set_place(&mut self, position: Vec3, heading: f32) {
        self.crowd.set_place(self.id, position, heading).unwrap();
        self.cpu.set_place(self.other, position, heading).unwrap();
    }

    pub(super) fn set_pace(&mut self, pace: f32, turn: f32) {
        self.crowd.set_pace(self.id, pace, turn).unwrap();
        self.cpu.set_pace(self.other, pace, turn).unwrap();
    }

    /// Advances both crowds, compares the hands, and returns the pose: `world_from_model` and `model_from_joint`.
    pub(super) fn step(&mut self) -> (Affine3A, Vec<Affine3A>) {
        let mut encoder = self.renderer.gpu().device.create_command_encoder(&Default::default());
        self.crowd.step(&mut encoder, FRAME, Vec3::ZERO).unwrap();
        self.renderer.gpu().queue.submit([encoder.finish()]);
        self.cpu.step(FRAME, Vec3::ZERO);
        let (place, joints) = self.crowd.read_pose(self.id).unwrap();
        let (expected, others) = self.cpu.pose(self.other).unwrap();
        let [a, b] = [place * joints[self.hand.0], expected * others[self.hand.0]];
        assert!(a.translation.distance(b.translation) < 5e-3, "{a} {b}");
        (place, joints)
    }

    /// Returns a point in model space that the hand can reach, in front of its shoulder.
    pub(super) fn reachable(&self, actor: &Actor, joints: &[Affine3A]) -> Vec3 {
        let shoulder = actor.body.limbs()[actor.body.parts.legs as usize].first as usize;
        let at = Vec3::from(joints[shoulder].translation);
        at + Vec3::new(0.2 * at.x.signum(), -0.1, 0.25)
    }

    /// Advances both crowds, and returns the position of the hand in model space.
    pub(super) fn hand(&mut self) -> Vec3 {
        let (_, joints) = self.step();
        joints[self.hand.0].translation.into()
    }
}

#[test]
fn a_hand_moves_along_with_a_node_or_with_the_character() {
    let actor = Actor::mannequin();
    let chest = actor.body.parts.chest as usize;
    let mut pair = Pair::new(&actor, "walk", &Terrain::hills(3, 20.0));
    let (_, joints) = pair.step();
    let at = pair.reachable(&actor, &joints);
    let in_chest = joints[chest].inverse().transform_point3(at);
    let node = GoalFrame::Node(actor.model.nodes[chest]);
    for (frame, position) in [(node, in_chest), (GoalFrame::Character, at)] {
        pair.set_goal(Some(&CrowdGoal::reach(pair.hand.1, position).relative_to(frame)));
        for _ in 0..40 {
            let (place, joints) = pair.step();
            let frame = if frame == node { joints[chest] } else { Affine3A::IDENTITY };
            let hand = Vec3::from(joints[pair.hand.0].translation);
            let missed = hand.distance(frame.transform_point3(position));
            assert!(missed < 5e-3, "{missed} m from the goal");
            assert!(place.is_finite());
        }
    }
    // A goal in the frame of a node also has its rotation.
    let turn = Quat::from_rotation_x(0.4);
    let goal =
        CrowdGoal { rotation: Some(turn), ..CrowdGoal::reach(pair.hand.1, in_chest).relative_to(node) };
    pair.set_goal(Some(&goal));
    let (_, joints) = pair.step();
    let [hand, chest] = [pair.hand.0, chest].map(|joint| joints[joint].to_scale_rotation_translation().1);
    assert!(hand.angle_between(chest * turn) < 0.01);
    let other = GoalFrame::Node(usize::MAX);
    let refused = pair.cpu.set_goal(pair.other, 1, Some(&goal.relative_to(other)));
    assert!(matches!(refused, Err(CrowdError::NoJoint { .. })));
}

#[test]
fn a_goal_begins_moves_and_ends_without_a_jump() {
    let actor = Actor::mannequin();
    let mut pair = Pair::new(&actor, "idle", &Terrain::flat(20.0));
    let (_, joints) = pair.step();
    let at = pair.reachable(&actor, &joints);
    let mut last = pair.hand();
    let before = last;
    let goal = CrowdGoal::reach(pair.hand.1, at).relative_to(GoalFrame::Character).fade_in(0.5);
    pair.set_goal(Some(&goal));
    let mut walk = |pair: &mut Pair, frames: usize| {
        for _ in 0..frames {
            let hand = pair.hand();
            assert!(hand.distance(last) < 0.06, "{} m in a frame", hand.distance(last));
            last = hand;
        }
        last
    };
    assert!(walk(&mut pair, 40).distance(at) < 2e-3);
    let moved = at + Vec3::Y * 0.05;
    pair.crowd.move_goal(pair.id, 0, moved, None).unwrap();
    pair.cpu.move_goal(pair.other, 0, moved, None).unwrap();
    assert!(walk(&mut pair, 1).distance(moved) < 2e-3);
    pair.fade_goal(0, -2.0);
    // The clip itself moves the hand by a few centimetres.
    assert!(walk(&mut pair, 40).distance(before) < 0.1);
    // A goal that was never set has no effect.
    pair.fade_goal(2, 5.0);
    let foot = actor.body.legs()[0].end as usize;
    let mut feet: Vec<Vec3> = Vec::new();
    for _ in 0..30 {
        let (_, joints) = pair.step();
        feet.push(joints[foot].translation.into());
    }
    assert!(feet[29].distance(feet[0]) < 0.02, "{feet:?}");
    assert!(pair.crowd.move_goal(pair.id, 4, at, None).is_err());
    assert!(pair.cpu.move_goal(pair.other, 0, Vec3::NAN, None).is_err());
    assert!(pair.crowd.fade_goal(pair.id, 0, f32::NAN).is_err());
}

#[test]
fn a_hand_and_a_foot_stay_in_place_while_the_body_moves() {
    let actor = Actor::mannequin();
    let mut pair = Pair::new(&actor, "idle", &Terrain::flat(20.0));
    let (place, joints) = pair.step();
    let foot = actor.body.legs()[0].end as usize;
    // A hand at a wall, and a foot on a step.
    let step = Vec3::from(joints[foot].translation) + Vec3::new(0.0, 0.15, 0.1);
    let ends = [(pair.hand.0, pair.reachable(&actor, &joints)), (foot, step)];
    let points = ends.map(|(joint, at)| (joint, place.transform_point3(at)));
    for (index, (joint, at)) in points.into_iter().enumerate() {
        let goal = CrowdGoal::reach(actor.model.nodes[joint], at);
        pair.set_goal_at(index, Some(&goal));
    }
    for _ in 0..60 {
        let (place, joints) = pair.step();
        for (joint, at) in points {
            let missed = place.transform_point3(joints[joint].translation.into()).distance(at);
            assert!(missed < 5e-3, "joint {joint} is {missed} m from its contact");
        }
    }
}

#[test]
fn clips_places_and_paces_change_on_the_gpu_and_on_the_cpu() {
    let actor = Actor::mannequin();
    let mut pair = Pair::new(&actor, "idle", &Terrain::flat(20.0));
    let at = Vec3::new(2.0, 0.0, -3.0);
    let walk = PlayedClip::new(actor.clip("walk"), 0.2);
    let Pair { crowd, cpu, id, other, .. } = &mut pair;
    crowd.set_clip(*id, 0, Some(&walk)).unwrap();
    cpu.set_clip(*other, 0, Some(&walk)).unwrap();
    pair.set_place(at, 1.2);
    pair.set_pace(1.5, 0.3);
    let (place, _) = pair.step();
    assert!(Vec3::from(place.translation).distance(at) < 0.1);
    (0..10).for_each(|_| drop(pair.step()));
    let (place, _) = pair.step();
    let walked = Vec3::from(place.translation).distance(at);
    // Twelve frames at one and a half times the speed of the clip.
    assert!(walked > 0.25 * actor.model.stride(walk.clip).length(), "{walked} m");
    let Pair { cpu, other, .. } = &mut pair;
    assert!(matches!(cpu.set_clip(*other, 4, None), Err(CrowdError::Layers { count: 5 })));
    assert!(cpu.set_clip(*other, 0, Some(&PlayedClip::new(usize::MAX, 0.0))).is_err());
    assert!(cpu.set_place(*other, Vec3::ZERO, f32::NAN).is_err());
    assert!(cpu.set_pace(*other, f32::INFINITY, 0.0).is_err());
}
