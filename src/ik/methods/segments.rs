//! The links of a rigid tree as rigid segments, and the fit of the joints to them within their limits. Forward and
//! backward reaching and particle inverse kinematics use them if there are limits or orientation goals.
//!
//! A segment is the part of the body between a joint and its child joints and effectors. Points alone, as in the
//! methods' original papers, do not show how a segment is twisted, so a limit could not act on them (Aristidou,
//! Chrysanthou & Lasenby 2016, "Extending FABRIK with model constraints", section 3).

use glam::{DQuat, DVec3};
use sinew_base::mathematics::propagate;

use crate::Limit;
use crate::rotation::{best_fit, shortest_arc};
use crate::tree::{Tree, TreeJoint};

use super::ccd::best_turn_about;

/// Weight of the orientation of a segment, relative to the positions of its points, where both determine the angle of a
/// hinge. Chosen by measurement: between 0.01 and 1 the success rate on arms of six and seven hinges changes by less
/// than eight percentage points, and it is highest at 0.3.
const FRAME_WEIGHT: f64 = 0.3;
/// A joint within this angle of its limit, in radians, carries the segment below it like a rigid body.
const BORDER: f64 = 1e-3;

/// The position and orientation of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// Position of the joint, in base space.
    pub(crate) position: DVec3,
    /// Rotation from the joint's turned frame to base space.
    pub(crate) rotation: DQuat,
}

impl Segment {
    /// Transforms a point from the turned frame to base space.
    pub(crate) fn point(&self, local: DVec3) -> DVec3 {
        self.position + self.rotation * local
    }
}

/// An item that is attached to a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attached {
    /// The joint with this index.
    Joint(usize),
    /// The effector with this index.
    Effector(usize),
}

/// A current and a desired vector, and their weight.
pub(crate) type Pair = (DVec3, DVec3, f64);

/// The segments of a tree. Buffers are reused by later solves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segments {
    /// One segment per joint.
    pub(crate) all: Vec<Segment>,
    /// Whether each joint carries the segment below it like a rigid body, at least in some directions: a hinge, or a
    /// joint at its limit.
    pub(super) binding: Vec<bool>,
    /// The items that are attached to the segments, grouped by segment, and the range of items of each segment.
    attached: Vec<Attached>,
    ranges: Vec<(usize, usize)>,
    pub(super) pairs: Vec<Pair>,
    /// Segments that move with the current one.
    group: Vec<usize>,
}

/// Returns whether a tree needs segments. A body with scale has no rigid segments. The solver moves points instead, and
/// limits apply when the joints are fitted to the points.
pub(crate) fn needs_segments(tree: &Tree) -> bool {
    let turns = |t: &crate::tree::EffectorTask| t.orientation.is_some() || t.aim.is_some();
    tree.rigid && (tree.joints.iter().any(|j| j.limit != Limit::Free) || tree.tasks.iter().any(turns))
}

impl Segments {
    /// Stores the items that are attached to the joints of a tree.
    pub(crate) fn set(&mut self, tree: &Tree) {
        self.attached.clear();
        self.ranges.clear();
        for index in 0..tree.joints.len() {
            let start = self.attached.len();
            let joints = tree.joints.iter().enumerate().skip(index + 1);
            let joints = joints.filter(|(_, j)| j.parent == Some(index)).map(|(j, _)| Attached::Joint(j));
            let tasks = tree.tasks.iter().enumerate().filter(|(_, t)| t.joint == Some(index));
            self.attached.extend(joints.chain(tasks.map(|(t, _)| Attached::Effector(t))));
            self.ranges.push((start, self.attached.len()));
        }
        self.move_to_pose(tree);
    }

    /// Moves the segments to the pose of the tree.
    pub(crate) fn move_to_pose(&mut self, tree: &Tree) {
        let base = Segment { position: DVec3::ZERO, rotation: DQuat::IDENTITY };
        self.all.resize(tree.joints.len(), base);
        self.binding.clear();
        let parents = tree.joints.iter().map(|joint| joint.parent).enumerate();
        propagate(parents, &mut self.all, |above, index| {
            let joint = &tree.joints[index];
            let at_border = || joint.limit != Limit::Free && joint.is_at_border(BORDER);
            self.binding.push(joint.hinge_axis().is_some() || at_border());
            let rotation =
                (above.unwrap_or(&base).rotation * joint.fixed_rotation() * joint.rotation).normalize();
            Segment { position: joint.position, rotation }
        });
    }

    /// Returns the items that are attached to a segment.
    pub(crate) fn attached(&self, index: usize) -> &[Attached] {
        let (start, end) = self.ranges[index];
        &self.attached[start..end]
    }

    /// Turns the joints from the root to the tips, so that their segments come as near as possible to the stored segments. Then moves the
    /// stored segments to the resulting pose. Every joint stays within its limit.
    ///
    /// A segment turns so that its points come nearest to their stored positions. If the joint at one of these points
    /// is binding, the points of the next segment count too, because that joint cannot turn freely to reach them.
    pub(crate) fn fit(&mut self, tree: &mut Tree) {
        for index in 0..self.all.len() {
            let joint = &tree.joints[index];
            let above = joint.parent.map(|p| self.all[p]);
            let position = above.map_or(tree.local(index) + tree.root, |s| s.point(tree.local(index)));
            let frame = above.map_or(DQuat::IDENTITY, |s| s.rotation) * joint.fixed_rotation();
            let old = self.all[index];
            self.collect_below(tree, index, position);
            let turns = |a: &Attached| matches!(a, Attached::Effector(t) if is_turned(tree, *t));
            let wanted = if self.attached(index).iter().any(turns) {
                // The segment already has the orientation of a goal.
                old.rotation
            } else {
                (fit_pairs(&self.pairs) * old.rotation).normalize()
            };
            let requested = if let Some(axis) = joint.hinge_axis() {
                // Both vectors of a pair are in the frame before the joint turns.
                let (from, to) = (joint.rotation * old.rotation.conjugate(), frame.conjugate());
                self.pairs.iter_mut().for_each(|p| (p.0, p.1) = (from * p.0, to * p.1));
                push_frame(&mut self.pairs, joint.rotation, to * wanted);
                best_turn_about(axis, &self.pairs) * joint.rotation
            } else {
                frame.conjugate() * wanted
            };
            let rotation = allowed(joint, requested);
            tree.joints[index].rotation = rotation;
            self.all[index] = Segment { position, rotation: (frame * rotation).normalize() };
        }
        tree.forward();
    }

    /// Collects the vectors from a segment's joint to the points that move with it. The new position of the joint is
    /// `position`.
    fn collect_below(&mut self, tree: &Tree, index: usize, position: DVec3) {
        self.pairs.clear();
        self.group.clear();
        self.group.push(index);
        let start = self.all[index].position;
        let mut next = 0;
        while let Some(&member) = self.group.get(next) {
            next += 1;
            let segment = self.all[member];
            let (first, last) = self.ranges[member];
            for attached in &self.attached[first..last] {
                match *attached {
                    Attached::Joint(child) => {
                        let from = segment.point(tree.local(child)) - start;
                        self.pairs.push((from, self.all[child].position - position, 1.0));
                        if self.binding[child] {
                            self.group.push(child);
                        }
                    }
                    Attached::Effector(task) => {
                        let own = member == index && is_turned(tree, task);
                        let task = &tree.tasks[task];
                        let here = segment.point(task.local);
                        let target = tree.nearest_target(task, here);
                        if let Some(target) = target.filter(|_| !own && task.weight > 0.0) {
                            let weight = task.position_weight().min(1.0);
                            self.pairs.push((here - start, target - position, weight));
                        }
                    }
                }
            }
        }
        keep_definite(&mut self.pairs);
    }
}

/// Returns whether a goal determines the orientation of its segment.
fn is_turned(tree: &Tree, task: usize) -> bool {
    tree.tasks.get(task).is_some_and(|t| t.weight > 0.0 && (t.orientation.is_some() || t.aim.is_some()))
}

/// Returns the allowed rotation of a joint that is nearest to the requested one. A joint with a weight below one turns
/// only that fraction of the way.
fn allowed(joint: &TreeJoint, requested: DQuat) -> DQuat {
    let rotation = joint.allowed(requested.normalize());
    if joint.weight >= 1.0 {
        return rotation;
    }
    joint.allowed(joint.rotation.slerp(rotation, joint.weight).normalize())
}

/// Adds the axes of a current and a desired orientation to the pairs that determine the angle of a hinge.
pub(super) fn push_frame(pairs: &mut Vec<Pair>, from: DQuat, to: DQuat) {
    let longest = pairs.iter().map(|(_, to, _)| to.length()).fold(0.0, f64::max);
    let size = if longest > 0.0 { longest } else { 1.0 };
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        pairs.push((from * axis * size, to * axis * size, FRAME_WEIGHT));
    }
}

/// Removes pairs with a vector of length zero, which have no direction.
pub(super) fn keep_definite(pairs: &mut Vec<Pair>) {
    pairs.retain(|(from, to, _)| from.length_squared() > 0.0 && to.length_squared() > 0.0);
}

/// Returns the rotation that brings the current vectors nearest to the desired vectors: the shortest arc for a single pair, or the solution
/// of Wahba's problem for several pairs.
pub(super) fn fit_pairs(pairs: &[Pair]) -> DQuat {
    match pairs {
        [] => DQuat::IDENTITY,
        [(from, to, _)] => shortest_arc(*from, *to, DVec3::X),
        several => best_fit(several.iter().copied()),
    }
}
