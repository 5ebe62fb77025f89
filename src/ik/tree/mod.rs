//! A body in the form that the methods use: the joints that turn, and the effectors that they move.

mod build;
mod coupling;
mod effector;
mod hinge;
mod measure;
mod moves;
mod pose;
mod prismatic;
mod spaces;
mod term;

use glam::{DAffine3, DMat3, DQuat, DVec3};

use sinew_base::mathematics::ReducedTree;

use super::link::{nearest, own};
use super::{Body, Limit, LinkIndex};

use coupling::Coupling;
pub(super) use coupling::Role;
pub(super) use effector::EffectorTask;
pub(super) use hinge::Hinge;
pub(super) use measure::{Measure, PIN_WEIGHT};
pub(super) use pose::TreePose;
#[cfg(test)]
pub(super) use pose::moving_base;
pub(super) use prismatic::{JointState, Prismatic};

/// A joint that turns or slides, and moves at least one effector. The leader of a mimic joint need not move an effector
/// itself.
///
/// ```text
/// base space ──fixed──▶ ──displacement──▶ frame ──rotation──▶ ──scale──▶ turned ──fixed──▶ frame of the next joint
/// ```
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeJoint {
    /// Index of the joint's link in the body.
    pub(super) link: usize,
    pub(super) parent: Option<usize>,
    /// Transform from the joint's frame, before it turns, to the parent's turned frame. If the joint has no parent, this is the transform
    /// to base space. The links in between, which never turn, are included.
    fixed: DAffine3,
    /// Whether `fixed` is only a translation, as for a joint directly below another joint.
    fixed_is_translation: bool,
    /// The product of the rotations in `fixed`.
    fixed_rotation: DQuat,
    pub(super) rotation: DQuat,
    /// Displacement of a prismatic joint, in metres in its frame. Zero for other joints.
    pub(super) displacement: f64,
    pub(super) rest: DQuat,
    /// Rotation in the posture that the secondary task pulls towards.
    pub(super) posture: DQuat,
    scale: DVec3,
    pub(super) limit: Limit,
    /// The hinge, if the limit is a hinge.
    pub(super) hinge: Option<Hinge>,
    /// The axis and the range, if the limit is prismatic.
    pub(super) prismatic: Option<Prismatic>,
    /// Whether the joint follows another joint, or other joints follow it.
    pub(super) role: Role,
    reversed: bool,
    pub(super) weight: f64,
    /// Maximum rotation in one solve by cyclic coordinate descent, in radians.
    pub(super) ccd_budget: f64,
    /// Position in base space.
    pub(super) position: DVec3,
    /// Linear part of `base_from_frame`, for the frame before the joint turns.
    frame: DMat3,
    /// Inverse of `frame`. Computed only if the body has scale.
    frame_from_base: DMat3,
    /// Product of the rotations from base space to the frame. Computed only if the body has scale, because otherwise
    /// `frame` is this rotation.
    frame_rotation: DQuat,
    /// Linear part of `base_from_turned`.
    turned: DMat3,
    /// Range in [`Tree::below`] of the effectors below this joint.
    below: (usize, usize),
    /// Position of the first child joint or effector, in the turned frame.
    child: Option<DVec3>,
}

impl TreeJoint {
    /// Transforms a point from the turned frame to the frame before turning.
    #[inline]
    pub(super) fn turn(&self, local: DVec3) -> DVec3 {
        self.rotation * (self.scale * local)
    }

    /// Returns the nearest rotation that the limit allows.
    #[inline]
    pub(super) fn allowed(&self, rotation: DQuat) -> DQuat {
        nearest(&self.limit, self.rest, self.reversed, rotation)
    }

    /// Returns the rotation in the middle of the limit.
    pub(super) fn centre(&self) -> DQuat {
        self.link_rotation(self.limit.centre())
    }

    /// Returns the joint's own rotation from rest for a rotation of its link.
    #[inline]
    pub(super) fn own_rotation(&self, rotation: DQuat) -> DQuat {
        own(self.rest, self.reversed, rotation)
    }

    /// Converts the joint's own rotation from rest to the rotation of its link.
    #[inline]
    pub(super) fn link_rotation(&self, own: DQuat) -> DQuat {
        if self.reversed { own.conjugate() * self.rest } else { self.rest * own }
    }

    /// Returns whether the link leads from the joint to its parent.
    pub(super) fn reversed(&self) -> bool {
        self.reversed
    }

    /// Returns whether the rotation is within `margin` radians of the limit's border.
    fn is_turned_to_border(&self, margin: f64) -> bool {
        self.limit.is_at_border(own(self.rest, self.reversed, self.rotation), margin)
    }

    /// Returns the linear part of the transform to the parent's turned frame.
    pub(super) fn fixed_linear(&self) -> DMat3 {
        self.fixed.matrix3
    }

    /// Returns the product of the rotations from the frame before turning to the parent's turned frame.
    pub(super) fn fixed_rotation(&self) -> DQuat {
        self.fixed_rotation
    }

    /// Returns the axis of a hinge, in the frame before turning.
    #[inline]
    pub(super) fn hinge_axis(&self) -> Option<DVec3> {
        self.hinge.map(|hinge| hinge.axis)
    }

    /// Returns the rotation, within the limit, after a turn of at most one radian. `turn` is a rotation vector in the
    /// frame before turning.
    #[inline(always)]
    pub(super) fn turned_by(&self, turn: DVec3) -> DQuat {
        match &self.hinge {
            Some(hinge) => hinge.turned(self.rotation, turn.dot(hinge.axis)),
            None => self.allowed((retract(turn) * self.rotation).normalize()),
        }
    }
}

/// The joints, parents first, and one effector task per goal. Buffers are reused by later solves.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub(super) joints: Vec<TreeJoint>,
    pub(super) tasks: Vec<EffectorTask>,
    /// Indices of effectors, grouped by the joint above them.
    below: Vec<usize>,
    /// A pair (joint, effector) for every joint above an effector.
    above: Vec<(usize, usize)>,
    /// The links of the body. Links that turn and move an effector become the joints.
    reduced: ReducedTree,
    /// For each link, a transform from its frame and the rotation of this transform. The transform leads to the
    /// turned frame of the link's own joint or of the nearest joint above it, or to base space if there is no such
    /// joint.
    joint_from_link: Vec<(DAffine3, DQuat)>,
    /// Links with a locked limit, and their rest rotations.
    locked: Vec<(usize, DQuat)>,
    has_prismatic: bool,
    /// The joints that follow other joints.
    couplings: Vec<Coupling>,
    /// Leaders of mimic joints that move no effector themselves.
    leaders: Vec<usize>,
    world_from_base: DMat3,
    base_from_world: DAffine3,
    /// Whether the scale of `world_from_base` is uniform.
    is_placed_evenly: bool,
    /// Translation of the base, in base space.
    pub(super) root: DVec3,
    /// Rotation from the space of the figure (+Y up, +Z to its front) to base space.
    pub(super) facing: DQuat,
    /// Whether no joint or link between joints has scale.
    pub(super) rigid: bool,
    /// Whether every scale is uniform. Lengths then never change.
    has_uniform_scale: bool,
    /// Length of the longest chain in the loaded pose, in base space.
    length: f64,
    /// Whether the base moves. If it does, no target is out of reach.
    pub(super) root_moves: bool,
    /// Tolerance of orientations and aims in radians.
    pub(super) angle_tolerance: f64,
    /// See [`Options::characteristic_length`](super::Options::characteristic_length).
    characteristic_length: f64,
}

impl Tree {
    /// Computes forward kinematics of all joints and effectors.
    pub(super) fn forward(&mut self) {
        if self.is_coupled() {
            self.follow_leaders();
        }
        if self.has_prismatic {
            (0..self.joints.len()).for_each(|index| self.forward_joint(index));
        } else {
            (0..self.joints.len()).for_each(|index| self.forward_undisplaced(index));
        }
        self.forward_tips();
    }

    /// Computes forward kinematics of one joint. Its parent must be up to date.
    #[inline]
    pub(super) fn forward_joint(&mut self, index: usize) {
        self.forward_undisplaced(index);
        if let Some(joint) = self.joints.get_mut(index).filter(|joint| joint.prismatic.is_some()) {
            joint.displace();
        }
    }

    /// Computes forward kinematics of one joint without its displacement.
    fn forward_undisplaced(&mut self, index: usize) {
        let (rigid, root) = (self.rigid, self.root);
        let (before, rest) = self.joints.split_at_mut(index);
        let Some(joint) = rest.first_mut() else { return };
        match joint.parent.map(|p| &before[p]) {
            Some(parent) => {
                joint.position = parent.position + parent.turned * joint.fixed.translation;
                joint.frame = if joint.fixed_is_translation {
                    parent.turned
                } else {
                    parent.turned * joint.fixed.matrix3
                };
                if !rigid {
                    joint.frame_rotation = parent.frame_rotation * parent.rotation * joint.fixed_rotation;
                }
            }
            None => {
                joint.position = joint.fixed.translation + root;
                joint.frame = joint.fixed.matrix3;
                joint.frame_rotation = joint.fixed_rotation;
            }
        }
        joint.turned = joint.frame * DMat3::from_quat(joint.rotation);
        if !rigid {
            joint.turned *= DMat3::from_diagonal(joint.scale);
            joint.frame_from_base = joint.frame.inverse();
        }
    }

    /// Computes the positions, the orientations and the orientation errors of the effectors.
    pub(super) fn forward_tips(&mut self) {
        let rigid = self.rigid;
        for task in &mut self.tasks {
            let turns = task.stated.1.is_some() || task.aim.is_some();
            match task.joint.map(|j| &self.joints[j]) {
                Some(joint) => {
                    task.position = joint.position + joint.turned * task.local;
                    if turns {
                        let turned = if rigid {
                            DQuat::from_mat3(&joint.turned)
                        } else {
                            joint.frame_rotation * joint.rotation
                        };
                        task.rotation = turned * task.local_rotation;
                    }
                }
                None => (task.position, task.rotation) = (task.local + self.root, task.local_rotation),
            }
            if turns {
                (task.turn, task.turn_map) = match task.orientation {
                    Some(target) => task.rotation_error(target, task.rotation),
                    None => (DVec3::ZERO, None),
                };
                task.aim_turn = task.aim_error().unwrap_or(DVec3::ZERO);
            }
        }
    }

    /// Returns the joints above an effector, nearest first.
    pub(super) fn above(&self, task: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.tasks[task].joint, |&j| self.joints[j].parent)
    }

    /// Returns a range of indices for [`Tree::task_at`], one for each effector below a joint.
    #[inline]
    pub(super) fn tasks_below(&self, joint: usize) -> std::ops::Range<usize> {
        let (start, end) = self.joints[joint].below;
        start..end
    }

    /// Returns the effector at an index from [`Tree::tasks_below`].
    #[inline]
    pub(super) fn task_at(&self, place: usize) -> usize {
        self.below[place]
    }

    /// Returns the position of a joint in its parent's turned frame.
    pub(super) fn local(&self, joint: usize) -> DVec3 {
        self.joints[joint].fixed.translation
    }

    /// Writes the rotations and displacements of the joints and the translation of the base to the body.
    pub(super) fn write(&self, body: &mut Body) {
        for joint in &self.joints {
            body.set_rotation(LinkIndex(joint.link), joint.rotation);
            if joint.prismatic.is_some() {
                body.set_displacement(LinkIndex(joint.link), joint.displacement);
            }
        }
        self.locked.iter().for_each(|&(link, rotation)| body.set_rotation(LinkIndex(link), rotation));
        body.set_root(self.root);
    }
}

/// Converts a rotation vector to a unit quaternion. The conversion is exact to first order, and the angle never
/// exceeds π.
#[inline]
pub(super) fn retract(v: DVec3) -> DQuat {
    let half = v * 0.5;
    let scale = 1.0 / (1.0 + half.length_squared()).sqrt();
    DQuat::from_vec4((half * scale).extend(scale))
}
