//! The IK bindings of a puppet, which are kept from frame to frame.

use std::collections::BTreeMap;

use glam::{Affine3A, DQuat, DVec3};

use crate::asset::{Character, Skeleton};
use crate::ik::{Body, SolveError};
use crate::pose::{Pose, update_world_matrices, world_matrices};
use crate::rig::{Binding, BodyPlan, JointRig, Reparented, Rig, RigError, figure_parts};

use super::CharacterPrior;

/// Returns the rotation from the space of a figure (+Y up, +Z to its front) to the world, in the rest pose. VRM 0
/// characters face −Z.
pub(super) fn facing(character: &Character) -> DQuat {
    let faces_back = character.humanoid.as_ref().is_some_and(|h| h.vrm == 0);
    if faces_back { DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0) } else { DQuat::IDENTITY }
}

/// When there are at least this many bindings, unused bindings are dropped before a new one is added.
const CLEANUP_COUNT: usize = 32;
/// Number of frames after which a binding counts as unused and may be dropped.
const UNUSED_FRAMES: u64 = 120;

/// A character in a pose, with everything else that IK problems are built from.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) character: &'a Character,
    pub(super) rig: &'a Rig,
    pub(super) style: Option<&'a CharacterPrior>,
    pub(super) pose: &'a Pose,
    /// The world matrices of the pose.
    pub(super) world_from_node: &'a [Affine3A],
    /// The pose that the whole body stays near. `None` means `pose`.
    pub(super) stance: Option<&'a Pose>,
}

/// The skeleton to solve, which is the character's own or the reparented one, and its pose.
#[derive(Clone, Copy)]
pub(super) struct LogicalPose<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) pose: &'a Pose,
    world_from_node: &'a [Affine3A],
}

impl<'a> LogicalPose<'a> {
    fn new(reparented: Option<&'a Reparented>, subject: &Subject<'a>) -> Self {
        match reparented {
            Some(r) => Self { skeleton: r.skeleton(), pose: r.pose(), world_from_node: r.world_from_node() },
            None => Self {
                skeleton: &subject.character.skeleton,
                pose: subject.pose,
                world_from_node: subject.world_from_node,
            },
        }
    }
}

/// A binding for a base and some nodes, with the body to solve.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    base: usize,
    whole_body: bool,
    nodes: Vec<usize>,
    pub(super) binding: Binding,
    pub(super) body: Body,
    /// The number of the frame in which the binding was last used.
    used: u64,
}

/// The reason why nodes cannot be bound.
pub(super) enum BindError {
    Rig(RigError),
    Solve(SolveError),
}

impl From<RigError> for BindError {
    fn from(error: RigError) -> Self {
        Self::Rig(error)
    }
}

impl From<SolveError> for BindError {
    fn from(error: SolveError) -> Self {
        Self::Solve(error)
    }
}

/// The bindings of one skeleton. A binding depends on the rig's joints, a base and some nodes. If any of these changes,
/// a new binding is created.
#[derive(Clone, Debug, Default)]
pub(super) struct Bindings {
    /// The joints of the rig that the bindings were made for.
    joints: BTreeMap<usize, JointRig>,
    /// The body of the rig that the bindings were made for.
    body: Option<BodyPlan>,
    reparented: Option<Reparented>,
    /// The reparented skeleton in the stance.
    reparented_stance: Option<Reparented>,
    stance_world: Vec<Affine3A>,
    bound: Vec<Bound>,
    frame: u64,
}

impl Bindings {
    /// Drops all bindings, because the skeleton or the rig may have changed.
    pub(super) fn clear(&mut self) {
        self.joints.clear();
        self.body = None;
        (self.reparented, self.reparented_stance) = (None, None);
        self.bound.clear();
    }

    pub(super) fn begin_frame(&mut self) {
        self.frame += 1;
    }

    /// Updates the bindings for the rig and the pose of a subject. Call it before [`Bindings::bind`].
    pub(super) fn refresh(&mut self, subject: &Subject<'_>) -> Result<(), RigError> {
        if self.joints != subject.rig.joints || self.body != subject.rig.body {
            self.clear();
            self.reparented = Reparented::new(&subject.character.skeleton, subject.rig)?;
            self.reparented_stance.clone_from(&self.reparented);
            self.joints.clone_from(&subject.rig.joints);
            self.body.clone_from(&subject.rig.body);
        }
        if let Some(reparented) = &mut self.reparented {
            reparented.refresh(subject.pose, subject.world_from_node);
        }
        if let Some(stance) = subject.stance {
            world_matrices(&subject.character.skeleton, stance, &mut self.stance_world);
            if let Some(reparented) = &mut self.reparented_stance {
                reparented.refresh(stance, &self.stance_world);
            }
        }
        Ok(())
    }

    /// Returns the pose to solve.
    pub(super) fn logical_pose<'a>(&'a self, subject: &Subject<'a>) -> LogicalPose<'a> {
        LogicalPose::new(self.reparented.as_ref(), subject)
    }

    /// Binds all nodes on the paths from a base to the given nodes, and puts the body into the subject's pose. Returns the
    /// index for [`Bindings::get`].
    pub(super) fn bind(
        &mut self,
        subject: &Subject<'_>,
        base: usize,
        whole_body: bool,
        nodes: &[usize],
    ) -> Result<usize, BindError> {
        let LogicalPose { skeleton, pose, world_from_node } =
            LogicalPose::new(self.reparented.as_ref(), subject);
        let stance = self.reparented_stance.as_ref().map(Reparented::pose);
        let stance = subject.stance.map(|own| stance.unwrap_or(own)).filter(|_| whole_body);
        let found = self
            .bound
            .iter_mut()
            .enumerate()
            .find(|(_, b)| b.base == base && b.whole_body == whole_body && b.nodes == nodes);
        if let Some((index, bound)) = found {
            bound.used = self.frame;
            bound.binding.refresh(&mut bound.body, skeleton, pose, world_from_node)?;
            set_stance(bound, skeleton, pose, stance);
            return Ok(index);
        }
        let binding = Binding::new(skeleton, &subject.character.skins, subject.rig, base, nodes)?;
        let mut body = binding.body(skeleton, pose, world_from_node)?;
        binding.set_facing(&mut body, skeleton, facing(subject.character));
        if let Some(plan) = subject.rig.body.as_ref().filter(|_| whole_body) {
            let front = plan.facing.as_dvec3().normalize_or(DVec3::Z);
            binding.set_facing(&mut body, skeleton, DQuat::from_rotation_arc(DVec3::Z, front));
            if let Some(parts) = figure_parts(&binding, skeleton, plan) {
                // If the figure is rejected, the differential method is used instead.
                let _ = body.set_figure(parts);
            }
        }
        if self.bound.len() >= CLEANUP_COUNT {
            self.bound.retain(|b| b.used + UNUSED_FRAMES >= self.frame);
        }
        let mut bound = Bound { base, whole_body, nodes: nodes.to_vec(), binding, body, used: self.frame };
        set_stance(&mut bound, skeleton, pose, stance);
        self.bound.push(bound);
        Ok(self.bound.len() - 1)
    }

    pub(super) fn get(&self, index: usize) -> Option<&Bound> {
        self.bound.get(index)
    }

    /// Returns the binding with the given index, whose body can be solved.
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut Bound> {
        self.bound.get_mut(index)
    }

    /// Copies a solved body into the pose of the character, and updates the world matrices.
    pub(super) fn write_back(
        &mut self,
        index: usize,
        skeleton: &Skeleton,
        pose: &mut Pose,
        world_from_node: &mut [Affine3A],
    ) {
        let Some(Bound { binding, body, .. }) = self.bound.get(index) else { return };
        let first = match &mut self.reparented {
            Some(reparented) => {
                binding.write_back(body, reparented.pose_mut());
                reparented.write_back(skeleton, pose);
                0
            }
            None => {
                binding.write_back(body, pose);
                binding.first()
            }
        };
        update_world_matrices(skeleton, pose, first, world_from_node);
    }
}

/// Sets the pose that the figure of a body stays near, or removes it.
fn set_stance(bound: &mut Bound, skeleton: &Skeleton, pose: &Pose, stance: Option<&Pose>) {
    match stance {
        Some(stance) => bound.binding.set_stance(&mut bound.body, skeleton, pose, stance),
        None => bound.body.clear_stance(),
    }
}
