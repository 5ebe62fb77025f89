//! Spring bones: a point at the end of each joint moves by Verlet integration, as the specification of
//! `VRMC_springBone` describes, and the joint turns towards it.

use std::sync::Arc;

use glam::{Affine3A, DAffine3, DQuat, DVec3};

use crate::asset::{Character, Skeleton, Spring, SpringJoint, Transform};
use crate::pose::{Pose, update_world_matrices};

use super::colliders::correction;
use super::matrices::{local_matrix, narrow, wide};
use super::plan::Plan;

/// Number of simulation steps per second. The settings of springs depend on this rate, because part of the velocity is lost in each step.
pub const STEPS_PER_SECOND: u32 = 60;

/// Largest motion in one step that counts as rest, relative to half the figure's size.
const REST: f64 = 1e-6;

/// A simulation of the spring bones of a character.
///
/// It advances in steps of a fixed length. [`Springs::apply`] shows the joints at any time after the last step without changing
/// the simulation, so the result depends on the time and not on how often the joints are shown.
#[derive(Clone, Debug)]
pub struct Springs {
    plan: Arc<Plan>,
    /// The tails after the last step, one for each joint. Empty before the first pose.
    tails: Vec<Tail>,
    /// The tails at the time that was shown last.
    shown: Vec<Tail>,
    /// For each root of the plan, its position after the last step.
    roots: Vec<DVec3>,
    shown_roots: Vec<DVec3>,
    world: Vec<DAffine3>,
}

/// The end of a joint, in the space of the spring's center or in world space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tail {
    now: DVec3,
    /// The position one step earlier.
    before: DVec3,
}

/// The spring of a joint with the matrices that are known when the joint is simulated.
struct Scene<'a> {
    plan: &'a Plan,
    spring: &'a Spring,
    world: &'a [DAffine3],
    world_from_center: DAffine3,
    center_from_world: DAffine3,
}

impl<'a> Scene<'a> {
    fn new(plan: &'a Plan, spring: &'a Spring, world: &'a [DAffine3]) -> Self {
        let center = spring.center.and_then(|node| world.get(node)).copied().unwrap_or(DAffine3::IDENTITY);
        let inverse = center.inverse();
        // A space that is scaled to zero has no inverse.
        let is_usable = center.is_finite() && inverse.is_finite();
        let (world_from_center, center_from_world) =
            if is_usable { (center, inverse) } else { (DAffine3::IDENTITY, DAffine3::IDENTITY) };
        Self { plan, spring, world, world_from_center, center_from_world }
    }
}

impl Springs {
    /// Prepares the simulation of a character. Returns `None` if it has no spring bones.
    pub fn new(character: &Character) -> Option<Self> {
        if character.springs.is_empty() {
            return None;
        }
        let plan = Arc::new(Plan::new(character));
        let (tails, shown, roots) = (Vec::new(), Vec::new(), Vec::new());
        Some(Self { plan, tails, shown, roots, shown_roots: Vec::new(), world: Vec::new() })
    }

    /// Resets the simulation. In the next pose, the joints are at rest and have no velocity.
    pub fn reset(&mut self) {
        self.tails.clear();
    }

    /// Returns whether the simulation rotates a node.
    pub fn moves(&self, node: usize) -> bool {
        self.plan.nodes.iter().any(|n| n.node == node && n.joint.is_some())
    }

    /// Rotates the joints of a pose to their state after the last step plus a `fraction` of a step, from 0 to 1. Updates the world matrices
    /// of the pose.
    ///
    /// The rotations of the joints in the given pose do not matter. All joints are reset if a root joint has moved by more than
    /// half the size of the figure since the last step. Allocates nothing after the first call.
    pub fn apply(
        &mut self,
        skeleton: &Skeleton,
        fraction: f64,
        pose: &mut Pose,
        world_from_node: &mut [Affine3A],
    ) {
        self.pass(skeleton, fraction, pose, world_from_node);
        let jump = self.plan.jump;
        let moved = |(now, before): (&DVec3, &DVec3)| now.distance(*before) > jump;
        if !self.tails.is_empty() && self.shown_roots.iter().zip(&self.roots).any(moved) {
            let tails = std::mem::take(&mut self.tails);
            self.pass(skeleton, fraction, pose, world_from_node);
            self.tails = tails;
        }
        update_world_matrices(skeleton, pose, self.plan.first, world_from_node);
    }

    /// Makes the last applied pose the result of a step. The `fraction` of that pose must have been 1. Returns whether a joint has moved in
    /// the step by more than a millionth of half the figure's size.
    pub fn end_step(&mut self) -> bool {
        let smallest = REST * self.plan.jump.min(1.0);
        let moves = |tail: &Tail| tail.now.distance(tail.before) > smallest;
        let is_moving = self.tails.is_empty() || self.shown.iter().any(moves);
        self.tails.clone_from(&self.shown);
        self.roots.clone_from(&self.shown_roots);
        is_moving
    }

    /// Simulates all joints, parents first.
    fn pass(&mut self, skeleton: &Skeleton, fraction: f64, pose: &mut Pose, world_from_node: &[Affine3A]) {
        let Self { plan, tails, shown, shown_roots, world, .. } = self;
        world.clear();
        world.extend(world_from_node.iter().copied().map(wide));
        shown.resize(plan.joints, Tail::default());
        shown_roots.clear();
        for planned in &plan.nodes {
            let parent = planned.parent.and_then(|p| world.get(p)).copied().unwrap_or(DAffine3::IDENTITY);
            let mut local = local_matrix(skeleton, pose, planned.node);
            if let Some((joint, index, spring)) = &planned.joint
                && let Some(spring) = plan.springs.get(*spring)
                && let Some(transform) = pose.locals.get_mut(planned.node)
            {
                let rest = skeleton.nodes[planned.node].rest.rotation.as_dquat().normalize();
                let scene = Scene::new(plan, spring, world);
                let bone = RestBone::new(joint, transform, rest, &parent);
                if planned.is_root {
                    shown_roots.push(scene.center_from_world.transform_point3(bone.head));
                }
                let before = tails.get(*index);
                let moved = before.map(|tail| bone.advance(&scene, joint, *tail, fraction));
                // A joint that is scaled to zero has no direction.
                let turned = moved.and_then(|tail| Some((tail, bone.rotation_to(tail)?)));
                let (tail, rotation) = turned.unwrap_or((bone.tail, rest));
                let now = scene.center_from_world.transform_point3(tail);
                if let Some(shown) = shown.get_mut(*index) {
                    *shown = Tail { now, before: turned.and(before).map_or(now, |tail| tail.now) };
                }
                transform.rotation = narrow(rotation).unwrap_or(transform.rotation);
                let (scale, translation) = (transform.scale.as_dvec3(), transform.translation.as_dvec3());
                local = DAffine3::from_scale_rotation_translation(scale, rotation, translation);
            }
            if let Some(matrix) = world.get_mut(planned.node) {
                *matrix = parent * local;
            }
        }
    }
}

/// A joint in its rest rotation, with its parent in the current pose.
struct RestBone {
    /// Position of the joint in world space.
    head: DVec3,
    /// Position of its tail in world space.
    tail: DVec3,
    /// Unit vector from the joint to its tail, in the joint's space.
    axis: DVec3,
    world_from_joint: DAffine3,
    rest: DQuat,
}

impl RestBone {
    fn new(joint: &SpringJoint, local: &Transform, rest: DQuat, world_from_parent: &DAffine3) -> Self {
        let (scale, translation) = (local.scale.as_dvec3(), local.translation.as_dvec3());
        let world_from_joint =
            *world_from_parent * DAffine3::from_scale_rotation_translation(scale, rest, translation);
        let (head, tail) = (world_from_joint.translation, world_from_joint.transform_point3(joint.tail));
        Self { head, tail, axis: joint.tail.normalize_or_zero(), world_from_joint, rest }
    }

    /// Returns the position of the tail in world space a fraction of a step later. Its distance from the joint does not
    /// change.
    fn advance(&self, scene: &Scene<'_>, joint: &SpringJoint, tail: Tail, fraction: f64) -> DVec3 {
        let Scene { plan, spring, world, world_from_center, .. } = scene;
        let seconds = fraction / f64::from(STEPS_PER_SECOND);
        let kept = (tail.now - tail.before) * ((1.0 - joint.drag) * fraction);
        let length = self.tail.distance(self.head);
        let towards_rest = (self.tail - self.head).normalize_or_zero();
        let force = towards_rest * joint.stiffness + joint.gravity;
        let free = world_from_center.transform_point3(tail.now + kept) + force * seconds;
        let on_sphere =
            |point: DVec3| self.head + (point - self.head).try_normalize().unwrap_or(towards_rest) * length;
        let mut next = on_sphere(free);
        for collider in spring.colliders.iter().filter_map(|&c| plan.colliders.get(c)) {
            let Some(world_from_node) = world.get(collider.node) else { continue };
            if let Some(by) = correction(&collider.shape, world_from_node, next, joint.hit_radius) {
                // Within a step, only the same fraction of the correction applies, so a frame just after a step shows that step's result.
                next = on_sphere(next + by * fraction);
            }
        }
        next
    }

    /// Returns the local rotation that turns the joint towards a point in world space.
    fn rotation_to(&self, point: DVec3) -> Option<DQuat> {
        let direction = self.world_from_joint.inverse().transform_point3(point).try_normalize()?;
        let rotation = self.rest * DQuat::from_rotation_arc(self.axis, direction);
        rotation.is_finite().then_some(rotation)
    }
}
