//! A Bevy plugin for inverse kinematics: a joint reaches for a point, and its ancestor joints rotate.
//!
//! ```ignore
//! app.add_plugins(ReachPlugin);
//! commands.entity(elbow).insert(JointLimit::hinge(rest, axis, -0.1..=2.4));
//! commands.entity(hand).insert(Reach::new(2, target));
//! ```

use std::ops::RangeInclusive;

use bevy::app::AnimationSystems;
use bevy::prelude::*;
use sinew::glam::{DAffine3, DQuat};
use sinew::ik::{Body, Goal, Limit, Link, LinkIndex, Method, Options, Outcome, Solver, Start};

use crate::convert::{bevy_quat, solver_affine, solver_quat, solver_vec3};

/// Solves every [`Reach`] in every frame, after animation and before the transforms are propagated.
pub struct ReachPlugin;

/// The systems of the plugin, in [`PostUpdate`].
#[derive(SystemSet, Clone, Debug, Hash, PartialEq, Eq)]
pub struct ReachSystems;

impl Plugin for ReachPlugin {
    fn build(&self, app: &mut App) {
        let order = ReachSystems.after(AnimationSystems).before(TransformSystems::Propagate);
        app.configure_sets(PostUpdate, order).add_systems(PostUpdate, reach.in_set(ReachSystems));
    }
}

/// Moves the origin of its entity to a target by rotating the ancestor joints.
///
/// Chains that share joints are solved in an unspecified order.
#[derive(Component, Clone, Debug)]
#[require(ReachReport, ReachSolver)]
pub struct Reach {
    /// Number of joints that turn: the parent, its parent, and so on.
    pub joints: usize,
    /// Target position, in world space.
    pub target: Vec3,
    /// Position in world space towards which the limb bends.
    pub pole: Option<Vec3>,
    /// The method. [`Method::Auto`] uses the closed form for two joints.
    pub method: Method,
}

impl Reach {
    /// Returns a goal that rotates the nearest `joints` ancestors of the entity.
    pub fn new(joints: usize, target: Vec3) -> Self {
        Self { joints, target, pole: None, method: Method::Auto }
    }
}

/// The limit of a joint. A joint without this component turns freely.
#[derive(Component, Clone, Copy, Debug)]
pub struct JointLimit {
    /// Local rest rotation of the joint, from which the limit is measured.
    pub rest: Quat,
    /// The allowed rotations relative to `rest`.
    pub limit: Limit,
}

impl JointLimit {
    /// Returns the limit of a joint that turns about one axis of its rest frame within a range of angles in radians.
    pub fn hinge(rest: Quat, axis: Dir3, angles: RangeInclusive<f32>) -> Self {
        // The axis has unit length only in single precision.
        let axis = solver_vec3(*axis).normalize();
        Self { rest, limit: Limit::hinge(axis, f64::from(*angles.start())..=f64::from(*angles.end())) }
    }
}

/// The result of a [`Reach`] in the last frame.
#[derive(Component, Clone, Debug, Default, PartialEq)]
pub enum ReachReport {
    /// Not solved yet.
    #[default]
    Pending,
    /// The joints have turned. `error` is the distance from the entity to its target in world units.
    Solved { outcome: Outcome, error: f64 },
    /// The problem is invalid, and no joint has turned.
    Failed(String),
}

/// Solver state. The state keeps a limb still while the target does not move.
#[derive(Component, Default)]
struct ReachSolver(Solver);

fn reach(
    mut reaches: Query<(Entity, &Reach, &mut ReachSolver, &mut ReachReport)>,
    parents: Query<&ChildOf>,
    limits: Query<&JointLimit>,
    mut transforms: Query<&mut Transform>,
) {
    for (tip, reach, mut solver, mut report) in &mut reaches {
        let solved = solve(tip, reach, &mut solver.0, &parents, &limits, &mut transforms);
        report.set_if_neq(solved.unwrap_or_else(ReachReport::Failed));
    }
}

/// Solves for one entity and writes the rotations of its ancestor joints.
///
/// The body is built again in every frame. Changes to the hierarchy, to lengths and to limits therefore need no bookkeeping.
fn solve(
    tip: Entity,
    reach: &Reach,
    solver: &mut Solver,
    parents: &Query<&ChildOf>,
    limits: &Query<&JointLimit>,
    transforms: &mut Query<&mut Transform>,
) -> Result<ReachReport, String> {
    // The tip, the joints that rotate, and the ancestors of these joints.
    let mut chain: Vec<Entity> = std::iter::once(tip).chain(parents.iter_ancestors(tip)).collect();
    if chain.len() <= reach.joints {
        return Err(format!("{tip} has {} ancestors and needs {}", chain.len() - 1, reach.joints));
    }
    let above = chain.split_off(reach.joints + 1);
    chain.reverse();
    let local = |entity: Entity| transforms.get(entity).map_err(|error| error.to_string());

    // GlobalTransform still has the values of the last frame. The transforms of this frame are multiplied instead.
    let (mut world_from_base, mut rotation) = (DAffine3::IDENTITY, DQuat::IDENTITY);
    for entity in above {
        let transform = local(entity)?;
        world_from_base = solver_affine(transform) * world_from_base;
        rotation = solver_quat(transform.rotation) * rotation;
    }

    let mut links = Vec::with_capacity(chain.len());
    for (index, &entity) in chain.iter().enumerate() {
        let (transform, limit) = (local(entity)?, limits.get(entity).ok());
        // Only limits depend on the rest rotation. The rest rotation must stay constant, so that the solver recognises this
        // problem as a continuation of the last one.
        let rest = limit.map_or(Quat::IDENTITY, |limit| limit.rest);
        let link = Link::base()
            .with_parent(index.checked_sub(1).map(LinkIndex))
            .with_offset(solver_vec3(transform.translation))
            .with_scale(solver_vec3(transform.scale))
            .with_rest(solver_quat(rest))
            .with_limit(limit.map_or(Limit::Free, |limit| limit.limit));
        links.push(link);
    }
    let mut body = Body::new(links, world_from_base).map_err(|error| error.to_string())?;
    body.place(world_from_base, rotation).map_err(|error| error.to_string())?;
    for (index, &entity) in chain.iter().enumerate() {
        body.set_rotation(LinkIndex(index), solver_quat(local(entity)?.rotation));
    }

    let goal = Goal::position(LinkIndex(reach.joints), solver_vec3(reach.target));
    let goal = goal.with_pole(reach.pole.map(solver_vec3));
    let options = Options::default().with_method(reach.method).with_start(Start::Continue);
    let report = solver.solve(&mut body, &[goal], &options).map_err(|error| error.to_string())?;
    let outcome = report.goals.first().map(|goal| goal.outcome).unwrap_or_default();

    for (&entity, &rotation) in chain.iter().zip(body.rotations()) {
        let mut transform = transforms.get_mut(entity).map_err(|error| error.to_string())?;
        let rotation = bevy_quat(rotation);
        // An equal rotation must not mark the transform as changed.
        if transform.rotation != rotation {
            transform.rotation = rotation;
        }
    }
    Ok(ReachReport::Solved { outcome, error: report.position_error() })
}

#[cfg(test)]
mod tests;
