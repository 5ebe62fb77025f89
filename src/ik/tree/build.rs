//! Builds the tree for a body and its goals.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use crate::body::unit;
use crate::link::{nearest, parents};
use crate::{Body, Goal, Limit, Link, LinkIndex, Options};

use super::measure::nonzero_length;
use super::term::Term;
use super::{EffectorTask, Hinge, Prismatic, Role, Tree, TreeJoint};

impl Tree {
    /// Loads the pose of a body and its goals, which must be valid. The only options that this function uses are the limits, the
    /// orientation tolerance and the characteristic length.
    pub(crate) fn set(&mut self, body: &Body, goals: &[Goal], options: &Options) {
        self.angle_tolerance = options.angle_tolerance;
        self.characteristic_length = options.characteristic_length;
        self.world_from_base = body.world_from_base().matrix3;
        self.base_from_world = body.base_from_world();
        (self.root, self.facing) = (body.root(), body.facing());
        self.is_placed_evenly = body.uniform_scale().is_some();
        self.set_joints(body, goals, options.limits);
        self.set_tasks(body, goals);
        self.connect_tasks();
        self.couplings.clear();
        if options.limits && !body.coupled_limits().is_empty() {
            self.couple(body);
        }
        self.forward();
        self.length = 0.0;
        for task in 0..self.tasks.len() {
            let lengths = self.lengths(task);
            self.length = self.length.max(lengths.sum);
            let radian = self.characteristic_length * nonzero_length(lengths.nominal);
            (self.tasks[task].length, self.tasks[task].radian) = (nonzero_length(lengths.world), radian);
        }
        self.length = nonzero_length(self.length);
        self.scale_displacements();
    }

    /// Loads a solved pose like [`Tree::set`], but leaves joints unchanged even if they are beyond their limits.
    pub(crate) fn set_solved(&mut self, body: &Body, goals: &[Goal], options: &Options) {
        self.set(body, goals, options);
        for joint in &mut self.joints {
            if let Some(rotation) = body.rotations().get(joint.link) {
                joint.rotation = *rotation;
            }
        }
        self.forward();
    }

    /// Creates a joint for each link that moves an effector, and for the leaders of such links. All other links become
    /// parts of these joints.
    fn set_joints(&mut self, body: &Body, goals: &[Goal], limits: bool) {
        let links = body.links();
        let limit = |index: usize| if limits { body.coupled_limit(index) } else { Limit::Free };
        let leader = |index: usize| links[index].mimic.filter(|_| limits).map(|mimic| mimic.of.0);
        self.reduced.set(parents(links), goals.iter().filter_map(|g| moving_link(body, g)));
        if limits && !body.coupled_limits().is_empty() {
            self.leaders.clear();
            let followers = (0..links.len()).filter(|&index| self.reduced.is_involved(index));
            self.leaders.extend(followers.filter_map(leader));
            let ends = goals.iter().filter_map(|g| moving_link(body, g));
            self.reduced.set(parents(links), ends.chain(self.leaders.iter().copied()));
        }
        // A follower moves if its leader does.
        let is_coupled = limits && !body.coupled_limits().is_empty();
        let weight =
            |index: usize| links[if is_coupled { leader(index).unwrap_or(index) } else { index }].weight;
        let can_slide = !body.displacements().is_empty();
        self.has_prismatic = false;
        self.reduced.choose(|index| weight(index) > 0.0 && limit(index) != Limit::Locked);
        self.joints.clear();
        self.joint_from_link.clear();
        self.locked.clear();
        (self.rigid, self.has_uniform_scale) = (true, true);
        for (index, (link, &rotation)) in links.iter().zip(body.rotations()).enumerate() {
            let (post, post_rotation) = self.joint_from(link.parent_index());
            let chosen = self.reduced.get(index).copied();
            let limit = limit(index);
            let prismatic = chosen.filter(|_| can_slide).and_then(|_| prismatic(link, &limit));
            self.has_prismatic |= prismatic.is_some();
            // A constant displacement is added to the offset. If the joint turns before it is displaced, the displacement
            // is added to the transform below the joint instead.
            let is_rigid = can_slide && prismatic.is_none();
            let turns_first = is_rigid && chosen.is_some() && link.reversed;
            let offset = if is_rigid && !turns_first { body.local_position(index) } else { link.offset };
            let pre = DAffine3 { translation: post.transform_point3(offset), ..post };
            if self.reduced.is_involved(index) {
                self.rigid &= link.scale == DVec3::ONE;
                self.has_uniform_scale &= link.is_scaled_evenly();
            }
            if let Some(chosen) = chosen {
                let shift = if turns_first { body.shift_after_turn(index) } else { DVec3::ZERO };
                self.joint_from_link.push((DAffine3::from_translation(shift), DQuat::IDENTITY));
                self.joints.push(TreeJoint {
                    link: index,
                    parent: chosen.parent,
                    fixed: pre,
                    fixed_is_translation: pre.matrix3 == DMat3::IDENTITY,
                    fixed_rotation: post_rotation,
                    rotation: nearest(&limit, link.rest, link.reversed, rotation),
                    displacement: prismatic.map_or(0.0, |p| p.clamped(body.displacement(LinkIndex(index)))),
                    rest: link.rest,
                    posture: body.posture().and_then(|p| p.get(index)).copied().unwrap_or(link.rest),
                    scale: link.scale,
                    limit,
                    hinge: None,
                    prismatic,
                    role: Role::Single,
                    reversed: link.reversed,
                    weight: weight(index),
                    ccd_budget: link.ccd_budget,
                    position: DVec3::ZERO,
                    frame: DMat3::IDENTITY,
                    frame_from_base: DMat3::IDENTITY,
                    frame_rotation: DQuat::IDENTITY,
                    turned: DMat3::IDENTITY,
                    below: (0, 0),
                    child: None,
                });
                if let Some(joint) = self.joints.last_mut() {
                    joint.hinge = hinge(joint).map(|hinge| if is_coupled { hinge.stopping() } else { hinge });
                }
                if let Some(parent) = chosen.parent.and_then(|j| self.joints.get_mut(j)) {
                    parent.child = parent.child.or(Some(pre.translation));
                }
            } else {
                // A locked link has its rest rotation. A link without weight keeps its rotation.
                let rotation = if limit == Limit::Locked { link.rest } else { rotation };
                if limit == Limit::Locked {
                    self.locked.push((index, rotation));
                }
                let linear = DMat3::from_quat(rotation) * DMat3::from_diagonal(link.scale);
                let post = DAffine3 { matrix3: pre.matrix3 * linear, translation: pre.translation };
                self.joint_from_link.push((post, post_rotation * rotation));
            }
        }
    }

    /// Returns the transform from a link to its joint, and the rotation of this transform.
    fn joint_from(&self, link: Option<usize>) -> (DAffine3, DQuat) {
        link.map_or((DAffine3::IDENTITY, DQuat::IDENTITY), |l| self.joint_from_link[l])
    }

    /// Creates a task for each goal.
    fn set_tasks(&mut self, body: &Body, goals: &[Goal]) {
        self.tasks.clear();
        let base_from_world = body.base_from_world();
        let base_from_world_rotation = body.world_from_base_rotation().conjugate();
        let scale = self.world_from_base.determinant().abs().cbrt();
        let base_rotation = DMat3::from_quat(body.world_from_base_rotation());
        // Only ratios of weights matter: among the pins, and among the other goals.
        let largest = |pinned| {
            let weights =
                goals.iter().filter(|g| g.pinned == pinned).map(|g| stated_weight(g) * largest_factor(g));
            weights.fold(0.0, f64::max)
        };
        let largest = [largest(false), largest(true)];
        for goal in goals {
            let moving = moving_link(body, goal);
            let joint = moving.and_then(|l| self.reduced.nearest(l));
            let (post, post_rotation) = self.joint_from(moving);
            let (offset, local_rotation) = if moves_own(body, goal) {
                (goal.offset, post_rotation)
            } else {
                (body.links()[goal.link.0].offset, post_rotation * body.rotations()[goal.link.0])
            };
            let local = post.transform_point3(offset);
            if let Some(joint) = joint.and_then(|j| self.joints.get_mut(j)) {
                joint.child = joint.child.or(Some(local));
            }
            let inside = |place: DVec3| base_from_world.transform_point3(place);
            let axes_from_world = goal.axes.world_from_axes(goal.orientation).transpose();
            let position_term = Term::new(&goal.axes.position, axes_from_world, self.world_from_base, scale);
            let axes_from_base = axes_from_world * base_rotation;
            let orientation_term = Term::new(&goal.axes.orientation, axes_from_base, DMat3::IDENTITY, 1.0);
            let (target, orientation) =
                (goal.position.map(inside), goal.orientation.map(|q| base_from_world_rotation * unit(q)));
            let largest = largest[usize::from(goal.pinned)];
            self.tasks.push(EffectorTask {
                joint,
                limb: None,
                local,
                local_rotation,
                position: local,
                rotation: local_rotation,
                target: target.filter(|_| position_term.counts()),
                orientation: orientation.filter(|_| orientation_term.counts()),
                stated: (target, orientation),
                position_term,
                orientation_term,
                turn_map: None,
                aim: goal.aim.map(|aim| (aim.axis.normalize(), inside(aim.at))),
                pole: goal.pole.map(inside),
                weight: if largest > 0.0 { stated_weight(goal) / largest } else { 0.0 },
                pinned: goal.pinned,
                turn: DVec3::ZERO,
                aim_turn: DVec3::ZERO,
                tolerance: 0.0,
                length: 0.0,
                radian: 0.0,
            });
        }
    }

    /// Finds the tasks below each joint and the limb of each task.
    fn connect_tasks(&mut self) {
        self.above.clear();
        for (index, task) in self.tasks.iter().enumerate() {
            let up = std::iter::successors(task.joint, |&j| self.joints[j].parent);
            self.above.extend(up.map(|joint| (joint, index)));
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
}

/// Returns whether the link of a goal moves the goal's effector. Turning a link moves its other points but not its own
/// joint. A displacement moves all of them.
fn moves_own(body: &Body, goal: &Goal) -> bool {
    goal.turns_own() || matches!(body.links()[goal.link.0].limit, Limit::Prismatic { .. })
}

/// Returns the lowest link that moves the effector of a goal.
fn moving_link(body: &Body, goal: &Goal) -> Option<usize> {
    if moves_own(body, goal) { Some(goal.link.0) } else { body.links()[goal.link.0].parent_index() }
}

/// Returns the axis and the range of a link whose limit is prismatic.
fn prismatic(link: &Link, limit: &Limit) -> Option<Prismatic> {
    let Limit::Prismatic { min, max, .. } = *limit else { return None };
    Some(Prismatic::new(link.slide_axis()?, [min, max]))
}

/// Returns the weight of a goal. For a pin, the weight is 1 unless it is zero, so only the weights of its axes matter.
fn stated_weight(goal: &Goal) -> f64 {
    if goal.pinned && goal.weight > 0.0 { 1.0 } else { goal.weight }
}

/// Returns the largest factor by which a goal's weight is multiplied.
fn largest_factor(goal: &Goal) -> f64 {
    let position = goal.position.map(|_| Term::largest_weight(&goal.axes.position));
    let orientation = goal.orientation.map(|_| Term::largest_weight(&goal.axes.orientation));
    let all = [position, orientation, goal.aim.map(|_| 1.0)];
    all.into_iter().flatten().reduce(f64::max).unwrap_or(1.0)
}

/// Returns the hinge of a joint whose limit is a hinge.
fn hinge(joint: &TreeJoint) -> Option<Hinge> {
    let Limit::Hinge { axis, min, max } = joint.limit else { return None };
    let axis = if joint.reversed { axis } else { joint.rest * axis };
    Some(Hinge::new(axis, joint.centre(), max - min))
}
