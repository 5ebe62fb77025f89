//! Measures the motion of a limb, and checks that its end does not jump.

use glam::{Affine3A, Vec3};

use super::Actor;
use super::holds::{FRAME, Pair};
use crate::crowd::terrain::Terrain;
use crate::crowd::{CrowdGoal, GoalFrame};

/// Time in seconds in which goals fade in, and the change of their weights in a frame.
pub(super) const FADE: f32 = 0.5;
pub(super) const CHANGE: f32 = FRAME / FADE;
/// Number of frames after which a goal has its whole weight, in spite of rounding.
pub(super) const WHOLE: usize = 32;

/// The motion of a point in model space through a clip: the largest distance in a frame, and at least the distance between any two positions.
pub(super) struct Swing {
    pub(super) step: f32,
    pub(super) range: f32,
}

impl Swing {
    /// Measures a point from the present pose on, while nothing is changed. `point` returns it for a pose: `world_from_model` and
    /// `model_from_joint`.
    pub(super) fn new(pair: &Pair, frames: usize, point: impl Fn(Affine3A, &[Affine3A]) -> Vec3) -> Self {
        let mut cpu = pair.cpu.clone();
        let mut next = || {
            let (place, joints) = cpu.pose(pair.other).unwrap();
            cpu.step(FRAME, Vec3::ZERO);
            point(place, &joints)
        };
        let points: Vec<Vec3> = (0..=frames).map(|_| next()).collect();
        let step = points.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f32::max);
        let lo = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
        let hi = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
        Self { step, range: lo.distance(hi) }
    }
}

/// A character, and the end of one of its limbs, which has goals.
pub(super) struct Limb {
    pub(super) pair: Pair,
    /// The last pose: `world_from_model` and `model_from_joint`, and the position of the end.
    pub(super) place: Affine3A,
    pub(super) joints: Vec<Affine3A>,
    pub(super) last: Vec3,
    /// The joints of the limb.
    chain: [usize; 3],
    /// Number of frames of a cycle of the clip.
    pub(super) cycle: usize,
    /// Largest distance between positions of the end in the clip.
    pub(super) range: f32,
    /// Largest distance by which the end may move in a frame.
    pub(super) largest: f32,
}

impl Limb {
    pub(super) fn new(actor: &Actor, clip: &str, terrain: &Terrain, limb: usize) -> Self {
        let limb = actor.body.limbs()[limb];
        let chain = [limb.first, limb.middle, limb.end].map(|joint| joint as usize);
        let mut pair = Pair::of(actor, clip, terrain, chain[2]);
        let (place, joints) = pair.step();
        let cycle = (actor.model.clips.infos[actor.clip(clip)].seconds / FRAME) as usize + 2;
        let last = joints[chain[2]].translation.into();
        let mut limb = Self { pair, place, joints, last, chain, cycle, range: 0.0, largest: 0.0 };
        limb.measure(0.0);
        limb
    }

    /// Computes the largest distance by which the end may move in a frame. `step` is the largest distance by which a goal moves in model space.
    ///
    /// In a frame, the weight of a goal grows by `CHANGE`, and the rest of the earlier displacement decreases by as much. This moves the end by
    /// `CHANGE` times the distance between the points to which the two would bring it. Both points are within reach, so they are at most
    /// twice the reach apart. But the earlier point was within reach when its goal was replaced, and has moved with the clip since then. In
    /// addition, the end moves with the clip and with the goal, in proportion to their weights, which are at most 1 together.
    pub(super) fn measure(&mut self, step: f32) {
        let [first, middle, end] = self.chain.map(|joint| Vec3::from(self.joints[joint].translation));
        let reach = first.distance(middle) + middle.distance(end);
        let swing =
            |joint: usize| Swing::new(&self.pair, self.cycle, |_, joints| joints[joint].translation.into());
        let [top, end] = [swing(self.chain[0]), swing(self.chain[2])];
        // The GPU and the CPU round differently.
        let rounding = 1e-4;
        self.largest = CHANGE * (2.0 * reach + top.range + end.range) + end.step.max(step) + rounding;
        self.range = end.range + rounding;
    }

    /// Returns a goal for the end in model space.
    pub(super) fn goal(&self, at: Vec3) -> CrowdGoal {
        CrowdGoal::reach(self.pair.hand.1, at).relative_to(GoalFrame::Character)
    }

    /// Sets a goal in model space that fades in.
    pub(super) fn reach(&mut self, index: usize, at: Vec3) {
        let goal = self.goal(at).fade_in(FADE);
        self.pair.set_goal_at(index, Some(&goal));
    }

    /// Takes a step, in which the end may jump.
    pub(super) fn jump(&mut self) -> Vec3 {
        (self.place, self.joints) = self.pair.step();
        self.last = self.joints[self.chain[2]].translation.into();
        self.last
    }

    /// Takes steps, in none of which the end jumps. Returns its position.
    pub(super) fn walk(&mut self, frames: usize) -> Vec3 {
        for frame in 0..frames {
            let before = self.last;
            let step = self.jump().distance(before);
            assert!(step <= self.largest, "{step} m in frame {frame}, at most {}", self.largest);
        }
        self.last
    }
}
