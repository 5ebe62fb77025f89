//! A body as the solvers see it: the joints that turn, and the effectors that they move.

mod measure;
mod moves;

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::body::{nearest, own, unit};
use super::rotation::{any_perpendicular, rotation_vector, shortest_arc};
use super::{Body, Goal, Limit};

pub(super) use measure::Measure;
use measure::{RADIAN, nonzero_length};

/// A joint that turns and moves at least one effector.
///
/// ```text
/// base space ──fixed──▶ frame ──rotation──▶ ──scale──▶ turned ──fixed──▶ frame of the next joint
/// ```
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    /// Index of the joint's link in the body.
    pub(super) link: usize,
    pub(super) parent: Option<usize>,
    /// Transform from the joint's frame, before it turns, to the parent's turned frame. Without a parent it leads to
    /// base space. It includes the links in between that never turn.
    fixed: DAffine3,
    /// The product of the rotations in `fixed`.
    fixed_spin: DQuat,
    pub(super) rotation: DQuat,
    pub(super) rest: DQuat,
    /// Rotation in the posture that the secondary task pulls towards.
    pub(super) posture: DQuat,
    scale: DVec3,
    pub(super) limit: Limit,
    reversed: bool,
    pub(super) weight: f64,
    /// Position in base space.
    pub(super) position: DVec3,
    /// Linear part of `base_from_frame`, for the frame before the joint turns.
    frame: DMat3,
    /// Inverse of `frame`. Computed only if the body has scale.
    frame_from_base: DMat3,
    /// Product of the rotations from base space to the frame. Computed only if orientations are needed.
    spin: DQuat,
    /// Linear part of `base_from_turned`.
    turned: DMat3,
    /// Range in [`Tree::below`] of the effectors below this joint.
    below: (usize, usize),
    /// Position of the first child joint or effector, in the turned frame.
    child: Option<DVec3>,
}

impl Joint {
    /// Transforms a point from the turned frame to the frame before turning.
    pub(super) fn turn(&self, local: DVec3) -> DVec3 {
        self.rotation * (self.scale * local)
    }

    /// Returns the nearest rotation that the limit allows.
    pub(super) fn allowed(&self, rotation: DQuat) -> DQuat {
        nearest(&self.limit, self.rest, self.reversed, rotation)
    }

    /// Returns the rotation in the middle of the limit.
    pub(super) fn centre(&self) -> DQuat {
        let own = self.limit.centre();
        if self.reversed { own.conjugate() * self.rest } else { self.rest * own }
    }

    /// Returns whether the rotation is within `margin` radians of the limit's border.
    pub(super) fn is_at_border(&self, margin: f64) -> bool {
        self.limit.is_at_border(own(self.rest, self.reversed, self.rotation), margin)
    }

    /// Returns the linear part of the transform to the parent's turned frame.
    pub(super) fn fixed_linear(&self) -> DMat3 {
        self.fixed.matrix3
    }

    /// Returns the axis of a hinge, in the frame before turning.
    pub(super) fn hinge_axis(&self) -> Option<DVec3> {
        self.limit.hinge_axis().map(|axis| if self.reversed { axis } else { self.rest * axis })
    }
}

/// An effector task: a point with a target position, and a frame with a target orientation.
#[derive(Clone, Copy, Debug)]
pub(super) struct EffectorTask {
    /// The nearest joint above the effector, or `None` if no joint moves it.
    pub(super) joint: Option<usize>,
    /// The topmost joint that moves no other effector.
    pub(super) limb: Option<usize>,
    /// Position in the turned frame of `joint`, or in base space without a joint.
    pub(super) local: DVec3,
    /// Orientation of the link in the same frame.
    local_spin: DQuat,
    /// Position in base space.
    pub(super) position: DVec3,
    /// Orientation of the link in base space.
    pub(super) spin: DQuat,
    /// Target position in base space.
    pub(super) target: Option<DVec3>,
    /// Target orientation in base space.
    pub(super) orientation: Option<DQuat>,
    /// An axis in the link's frame, and the point in base space at which it aims.
    pub(super) aim: Option<(DVec3, DVec3)>,
    /// Point in base space towards which the limb bends.
    pub(super) pole: Option<DVec3>,
    pub(super) weight: f64,
    pub(super) pinned: bool,
    /// Tolerance of the position, world metres.
    pub(super) tolerance: f64,
    /// Length of the chain above the effector, world metres.
    pub(super) length: f64,
    /// Metres per radian of orientation error, base space.
    pub(super) radian: f64,
}

impl EffectorTask {
    /// Returns the rotation from the current to the target orientation, a rotation vector in base space.
    pub(super) fn orientation_error(&self) -> Option<DVec3> {
        self.orientation.map(|target| rotation_vector(target * self.spin.conjugate()))
    }

    /// Returns the current and the wanted direction of the aiming axis, unit vectors in base space.
    pub(super) fn aim_directions(&self) -> Option<(DVec3, DVec3)> {
        let (axis, at) = self.aim?;
        Some((self.spin * axis, (at - self.position).try_normalize()?))
    }

    /// Returns the rotation from the current to the wanted direction of the aiming axis, a rotation vector in base
    /// space.
    pub(super) fn aim_error(&self) -> Option<DVec3> {
        let (now, wanted) = self.aim_directions()?;
        Some(rotation_vector(shortest_arc(now, wanted, any_perpendicular(now))))
    }
}

/// The joints, parents first, and one effector task per goal. Buffers are reused by later solves.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub(super) joints: Vec<Joint>,
    pub(super) tasks: Vec<EffectorTask>,
    /// Indices of effectors, grouped by the joint above them.
    below: Vec<usize>,
    /// A pair (joint, effector) for every joint above an effector.
    above: Vec<(usize, usize)>,
    /// For each link: its own joint or the nearest one above, the transform from the link to the turned frame of that
    /// joint, and the rotation of this transform.
    joints_of_links: Vec<(Option<usize>, DAffine3, DQuat)>,
    involved: Vec<bool>,
    /// Links with a locked limit, and their rest rotations.
    locked: Vec<(usize, DQuat)>,
    world_from_base: DMat3,
    base_from_world: DAffine3,
    /// Translation of the base, base space.
    pub(super) root: DVec3,
    /// Whether no joint or link between joints has scale.
    pub(super) rigid: bool,
    /// Whether every scale is uniform. Lengths then never change.
    has_uniform_scale: bool,
    /// Whether orientations are computed.
    has_orientations: bool,
    /// Whether the base moves. No target is then out of reach.
    pub(super) root_moves: bool,
    /// Tolerance of orientations and aims in radians.
    pub(super) angle_tolerance: f64,
}

impl Tree {
    /// Loads the pose of a body and its goals, which must be valid.
    pub(super) fn set(&mut self, body: &Body, goals: &[Goal], limits: bool) {
        self.world_from_base = body.world_from_base().matrix3;
        self.base_from_world = body.base_from_world();
        self.root = body.root();
        self.mark_involved(body, goals);
        self.joints.clear();
        self.joints_of_links.clear();
        self.locked.clear();
        (self.rigid, self.has_uniform_scale) = (true, true);
        for (index, (link, &rotation)) in body.links().iter().zip(body.rotations()).enumerate() {
            let (joint, post, spin) =
                link.parent.map_or((None, DAffine3::IDENTITY, DQuat::IDENTITY), |p| self.joints_of_links[p]);
            let pre = DAffine3 { translation: post.transform_point3(link.offset), ..post };
            if self.involved[index] {
                self.rigid &= link.scale == DVec3::ONE;
                let sizes = link.scale.abs();
                self.has_uniform_scale &=
                    sizes.max_element() - sizes.min_element() <= 1e-6 * sizes.max_element();
            }
            let limit = if limits { link.limit } else { Limit::Free };
            if self.involved[index] && link.weight > 0.0 && limit != Limit::Locked {
                self.joints_of_links.push((Some(self.joints.len()), DAffine3::IDENTITY, DQuat::IDENTITY));
                self.joints.push(Joint {
                    link: index,
                    parent: joint,
                    fixed: pre,
                    fixed_spin: spin,
                    rotation: nearest(&limit, link.rest, link.reversed, rotation),
                    rest: link.rest,
                    posture: body.posture().and_then(|p| p.get(index)).copied().unwrap_or(link.rest),
                    scale: link.scale,
                    limit,
                    reversed: link.reversed,
                    weight: link.weight,
                    position: DVec3::ZERO,
                    frame: DMat3::IDENTITY,
                    frame_from_base: DMat3::IDENTITY,
                    spin: DQuat::IDENTITY,
                    turned: DMat3::IDENTITY,
                    below: (0, 0),
                    child: None,
                });
                if let Some(parent) = joint.and_then(|j| self.joints.get_mut(j)) {
                    parent.child = parent.child.or(Some(pre.translation));
                }
            } else {
                // A locked link is at rest. A link without weight keeps its rotation.
                let rotation = if limit == Limit::Locked { link.rest } else { rotation };
                if limit == Limit::Locked {
                    self.locked.push((index, rotation));
                }
                let linear = DMat3::from_quat(rotation) * DMat3::from_diagonal(link.scale);
                let post = DAffine3 { matrix3: pre.matrix3 * linear, translation: pre.translation };
                self.joints_of_links.push((joint, post, spin * rotation));
            }
        }
        let turned = |g: &Goal| g.orientation.is_some() || g.aim.is_some();
        self.has_orientations = !self.rigid || goals.iter().any(turned);
        self.set_tasks(body, goals);
        self.forward();
        for task in 0..self.tasks.len() {
            let lengths = self.lengths(task);
            (self.tasks[task].length, self.tasks[task].radian) =
                (nonzero_length(lengths.world), RADIAN * nonzero_length(lengths.sum));
        }
    }

    /// Marks the links whose rotation or scale moves an effector.
    fn mark_involved(&mut self, body: &Body, goals: &[Goal]) {
        let links = body.links();
        self.involved.clear();
        self.involved.resize(links.len(), false);
        for goal in goals {
            // Turning a link moves its other points but not its own joint.
            let mut next = if goal.turns_own() { Some(goal.link) } else { links[goal.link].parent };
            while let Some(link) = next.filter(|&l| !self.involved[l]) {
                self.involved[link] = true;
                next = links[link].parent;
            }
        }
    }

    fn set_tasks(&mut self, body: &Body, goals: &[Goal]) {
        self.tasks.clear();
        self.above.clear();
        let base_from_world = body.base_from_world();
        let unspin = body.world_from_base_rotation().conjugate();
        // Only the ratios of the weights matter.
        let weights = goals.iter().filter(|g| !g.pinned).map(|g| g.weight);
        let largest = weights.fold(0.0, f64::max);
        for goal in goals {
            let (joint, local, local_spin) = if goal.turns_own() {
                let (joint, post, spin) = self.joints_of_links[goal.link];
                (joint, post.transform_point3(goal.offset), spin)
            } else {
                let link = &body.links()[goal.link];
                let none = (None, DAffine3::IDENTITY, DQuat::IDENTITY);
                let (joint, post, spin) = link.parent.map_or(none, |p| self.joints_of_links[p]);
                (joint, post.transform_point3(link.offset), spin * body.rotations()[goal.link])
            };
            let mut next = joint;
            while let Some(j) = next {
                self.above.push((j, self.tasks.len()));
                next = self.joints[j].parent;
            }
            if let Some(joint) = joint.and_then(|j| self.joints.get_mut(j)) {
                joint.child = joint.child.or(Some(local));
            }
            let inside = |place: DVec3| base_from_world.transform_point3(place);
            self.tasks.push(EffectorTask {
                joint,
                limb: None,
                local,
                local_spin,
                position: local,
                spin: local_spin,
                target: goal.position.map(inside),
                orientation: goal.orientation.map(|q| unspin * unit(q)),
                aim: goal.aim.map(|aim| (aim.axis.normalize(), inside(aim.at))),
                pole: goal.pole.map(inside),
                weight: match goal.pinned {
                    true => 1.0,
                    false if largest > 0.0 => goal.weight / largest,
                    false => 0.0,
                },
                pinned: goal.pinned,
                tolerance: 0.0,
                length: 0.0,
                radian: 0.0,
            });
        }
        self.above.sort_unstable();
        self.below.clear();
        self.below.extend(self.above.iter().map(|&(_, task)| task));
        let mut start = 0;
        for (index, joint) in self.joints.iter_mut().enumerate() {
            let end = start + self.above[start..].iter().take_while(|(j, _)| *j == index).count();
            joint.below = (start, end);
            if let [only] = self.below[start..end] {
                let limb = &mut self.tasks[only].limb;
                *limb = limb.or(Some(index));
            }
            start = end;
        }
    }

    /// Computes forward kinematics of all joints and effectors.
    pub(super) fn forward(&mut self) {
        for index in 0..self.joints.len() {
            self.forward_joint(index);
        }
        self.forward_tips();
    }

    /// Computes forward kinematics of one joint. Its parent must be up to date.
    pub(super) fn forward_joint(&mut self, index: usize) {
        let (rigid, spins, root) = (self.rigid, self.has_orientations, self.root);
        let (before, rest) = self.joints.split_at_mut(index);
        let Some(joint) = rest.first_mut() else { return };
        match joint.parent.map(|p| &before[p]) {
            Some(parent) => {
                joint.position = parent.position + parent.turned * joint.fixed.translation;
                joint.frame = parent.turned * joint.fixed.matrix3;
                if spins {
                    joint.spin = parent.spin * parent.rotation * joint.fixed_spin;
                }
            }
            None => {
                joint.position = joint.fixed.translation + root;
                joint.frame = joint.fixed.matrix3;
                joint.spin = joint.fixed_spin;
            }
        }
        joint.turned = joint.frame * DMat3::from_quat(joint.rotation);
        if !rigid {
            joint.turned *= DMat3::from_diagonal(joint.scale);
            joint.frame_from_base = joint.frame.inverse();
        }
    }

    pub(super) fn forward_tips(&mut self) {
        for task in &mut self.tasks {
            match task.joint.map(|j| &self.joints[j]) {
                Some(joint) => {
                    task.position = joint.position + joint.turned * task.local;
                    task.spin = joint.spin * joint.rotation * task.local_spin;
                }
                None => (task.position, task.spin) = (task.local + self.root, task.local_spin),
            }
        }
    }

    /// Returns the orientation of an effector's link for the current rotation of its joint.
    pub(super) fn spin_of(&self, joint: &Joint, task: &EffectorTask) -> DQuat {
        joint.spin * joint.rotation * task.local_spin
    }

    /// Transforms a world position to base space.
    pub(super) fn to_base(&self, place: DVec3) -> DVec3 {
        self.base_from_world.transform_point3(place)
    }

    /// Returns the normal of the world's ground plane in base space.
    pub(super) fn up(&self) -> DVec3 {
        (self.world_from_base.transpose() * DVec3::Y).normalize_or_zero()
    }

    /// Transforms a vector from base space to a joint's frame before it turns.
    pub(super) fn to_frame(&self, joint: &Joint, vector: DVec3) -> DVec3 {
        if self.rigid { joint.frame.transpose_mul_vec3(vector) } else { joint.frame_from_base * vector }
    }

    /// Transforms a vector from a joint's frame before it turns to base space.
    pub(super) fn from_frame(joint: &Joint, vector: DVec3) -> DVec3 {
        joint.frame * vector
    }

    /// Transforms a rotation axis from base space to a joint's frame.
    pub(super) fn axis_to_frame(&self, joint: &Joint, axis: DVec3) -> DVec3 {
        if self.rigid { joint.frame.transpose_mul_vec3(axis) } else { joint.spin.conjugate() * axis }
    }

    /// Returns the matrix that transforms rotation axes from a joint's frame to base space.
    pub(super) fn base_from_axes(&self, joint: &Joint) -> DMat3 {
        if self.rigid { joint.frame } else { DMat3::from_quat(joint.spin) }
    }

    /// Returns the rotation in a joint's frame that turns everything below the joint about a direction of base space.
    /// In a mirrored frame the angle changes its sign.
    pub(super) fn turn_about(&self, joint: &Joint, direction: DVec3, angle: f64) -> DQuat {
        let Some(axis) = self.to_frame(joint, direction).try_normalize() else { return DQuat::IDENTITY };
        DQuat::from_axis_angle(axis, if joint.frame.determinant() < 0.0 { -angle } else { angle })
    }

    /// Returns ∂point/∂(rotation vector of the joint) in base space. `arm` is the vector from the joint to the point.
    pub(super) fn lever(&self, joint: &Joint, arm: DVec3) -> DMat3 {
        if self.rigid {
            return skew(-arm);
        }
        // The joint's frame may be scaled unevenly, so the cross product is taken in that frame.
        joint.frame * skew(-(joint.frame_from_base * arm)) * DMat3::from_quat(joint.spin.conjugate())
    }

    /// Returns the joints above an effector, nearest first.
    pub(super) fn above(&self, task: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.tasks[task].joint, |&j| self.joints[j].parent)
    }

    /// Returns a range of indices for [`Tree::task_at`], one for each effector below a joint.
    pub(super) fn tasks_below(&self, joint: usize) -> std::ops::Range<usize> {
        let (start, end) = self.joints[joint].below;
        start..end
    }

    /// Returns the effector at an index from [`Tree::tasks_below`].
    pub(super) fn task_at(&self, place: usize) -> usize {
        self.below[place]
    }

    /// Returns the position of a joint in its parent's turned frame.
    pub(super) fn local(&self, joint: usize) -> DVec3 {
        self.joints[joint].fixed.translation
    }

    /// Writes the rotations of the joints and the translation of the base to the body.
    pub(super) fn write(&self, body: &mut Body) {
        for joint in &self.joints {
            body.set_rotation(joint.link, joint.rotation);
        }
        self.locked.iter().for_each(|&(link, rotation)| body.set_rotation(link, rotation));
        body.set_root(self.root);
    }
}

/// Returns the matrix of a cross product: `skew(a) b = a × b`.
pub(super) fn skew(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}
