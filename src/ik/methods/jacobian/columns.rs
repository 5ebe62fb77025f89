//! The columns of the Jacobian.

use glam::{DMat3, DVec3};

use crate::JointParameters;
use crate::tree::{Role, Tree, TreeJoint};

use super::apply::euler_axes;
use super::{Columns, Jacobian, TaskKind};

impl Jacobian {
    /// Assigns axes and entries to the joints and to the base.
    pub(super) fn set_layout(&mut self, tree: &Tree) {
        self.below.clear();
        self.columns.clear();
        let (mut axes, mut entries) = (0, 0);
        for index in 0..=tree.joints.len() {
            let first = self.below.len();
            match tree.joints.get(index) {
                // The columns of the leader include its followers.
                Some(joint) if joint.role == Role::Follower => {}
                Some(joint) => {
                    self.add_blocks_below(tree, index);
                    if joint.role == Role::Leader {
                        tree.followers(index).for_each(|follower| self.add_blocks_below(tree, follower));
                        self.below[first..].sort_unstable();
                        let mut kept = first;
                        for place in first..self.below.len() {
                            if place == first || self.below[place] != self.below[kept - 1] {
                                self.below[kept] = self.below[place];
                                kept += 1;
                            }
                        }
                        self.below.truncate(kept);
                    }
                    if self.rows.last().is_some_and(|row| row.kind == TaskKind::Balance) {
                        self.below.push(self.rows.len() - 1);
                    }
                }
                // A translation of the base does not turn any effector.
                None => {
                    let moved = self.rows.iter().enumerate().filter(|(_, r)| r.kind != TaskKind::Orientation);
                    self.below.extend(moved.map(|(block, _)| block));
                }
            }
            let count = if tree.joints.get(index).is_some_and(|j| j.only_axis().is_some()) { 1 } else { 3 };
            let blocks = (first, self.below.len());
            self.columns.push(Columns { blocks, axes, count, entries, weight: 0.0 });
            axes += count;
            entries += count * (blocks.1 - blocks.0);
        }
        self.axes.clear();
        self.axes.resize(axes, DVec3::ZERO);
        self.entries.clear();
        self.entries.resize(entries, DVec3::ZERO);
    }

    /// Adds to `below` the blocks of the tasks that a joint moves, in ascending order: pins come before goals.
    fn add_blocks_below(&mut self, tree: &Tree, index: usize) {
        for pinned in [true, false] {
            for task in tree.tasks_below(index).map(|place| tree.task_at(place)) {
                if tree.tasks[task].pinned == pinned {
                    let (start, count) = self.blocks_of[task];
                    self.below.extend(start..start + count);
                }
            }
        }
    }

    /// Computes the Jacobian at the pose of the last [`Jacobian::evaluate`].
    pub(crate) fn set_freedom(&mut self, tree: &Tree, parameters: JointParameters) {
        (self.parameters, self.freedom) = (parameters, 1.0);
        self.locks.clear();
        for (index, joint) in tree.joints.iter().enumerate() {
            self.columns[index].weight = if joint.role == Role::Follower { 0.0 } else { joint.weight };
            self.set_axes(tree, index);
        }
        self.set_base(tree.joints.len());
    }

    /// Computes the axes and entries of a joint. Locked directions are removed from the axes.
    pub(super) fn set_axes(&mut self, tree: &Tree, index: usize) {
        let (joint, first) = (&tree.joints[index], self.columns[index].axes);
        match (joint.only_axis(), self.parameters) {
            (Some(axis), _) => self.axes[first] = tree.axis_from_frame(joint, axis),
            (None, JointParameters::RotationVector) => {
                self.axes[first..first + 3].copy_from_slice(&[DVec3::X, DVec3::Y, DVec3::Z]);
            }
            (None, JointParameters::Euler) => {
                let axes: DMat3 = tree.base_from_axes(joint) * euler_axes(joint.rotation);
                self.axes[first..first + 3].copy_from_slice(&[axes.x_axis, axes.y_axis, axes.z_axis]);
            }
        }
        for lock in self.locks.iter().filter(|lock| lock.joint == index) {
            for axis in &mut self.axes[first..first + self.columns[index].count] {
                *axis -= lock.direction * axis.dot(lock.direction);
            }
        }
        self.set_entries(tree, index);
    }

    fn set_entries(&mut self, tree: &Tree, index: usize) {
        let (columns, joint) = (self.columns[index], &tree.joints[index]);
        if joint.role != Role::Single || joint.prismatic.is_some() {
            return self.set_entries_of_motion(tree, index);
        }
        let below = &self.below[columns.blocks.0..columns.blocks.1];
        let axes = &self.axes[columns.axes..columns.axes + columns.count];
        let entries = &mut self.entries[columns.entries..columns.entries + columns.count * below.len()];
        for (place, &block) in below.iter().enumerate() {
            let row = &self.rows[block];
            let (arm, share) = match row.kind {
                TaskKind::Balance => self.masses.arm(index, joint),
                _ => (row.position - joint.position, 1.0),
            };
            for (axis, entries) in axes.iter().zip(entries.chunks_exact_mut(below.len())) {
                entries[place] = row.response(*axis, tree.velocity(joint, *axis, arm) * share);
            }
        }
    }

    /// Computes the entries of a prismatic joint or of coupled joints.
    #[cold]
    fn set_entries_of_motion(&mut self, tree: &Tree, index: usize) {
        let Columns { blocks, axes, count, entries, .. } = self.columns[index];
        let blocks = blocks.0..blocks.1;
        for number in 0..if blocks.is_empty() { 0 } else { count } {
            let start = entries + number * blocks.len();
            let mut column = std::mem::take(&mut self.column);
            column.clear();
            column.resize(blocks.len(), DVec3::ZERO);
            self.responses(tree, index, self.axes[axes + number], |block, change| {
                if let Ok(place) = self.below[blocks.clone()].binary_search(&block) {
                    column[place] += change;
                }
            });
            self.entries[start..start + blocks.len()].copy_from_slice(&column);
            self.column = column;
        }
    }

    /// Computes the columns of the base, which moves along three axes.
    fn set_base(&mut self, index: usize) {
        self.columns[index].weight = self.root_weight;
        let columns = self.columns[index];
        if self.root_weight == 0.0 || columns.blocks.0 == columns.blocks.1 {
            return;
        }
        let below = &self.below[columns.blocks.0..columns.blocks.1];
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        self.axes[columns.axes..columns.axes + 3].copy_from_slice(&axes);
        for (axis, start) in axes.into_iter().zip((columns.entries..).step_by(below.len())) {
            for (entry, &block) in self.entries[start..start + below.len()].iter_mut().zip(below) {
                *entry = self.rows[block].response(DVec3::ZERO, axis);
            }
        }
    }

    /// Calls `each` with the index of each block that a joint moves, and the change of the block if the joint turns by
    /// `turn`, a rotation vector in base space. A block that several coupled joints move is passed once for each of
    /// them.
    pub(super) fn responses(
        &self,
        tree: &Tree,
        index: usize,
        turn: DVec3,
        mut each: impl FnMut(usize, DVec3),
    ) {
        let (columns, joint): (_, &TreeJoint) = (self.columns[index], &tree.joints[index]);
        let below = &self.below[columns.blocks.0..columns.blocks.1];
        if joint.role != Role::Single || joint.prismatic.is_some() {
            return self.responses_of_motion(tree, index, turn, &mut each);
        }
        for &block in below {
            let row = &self.rows[block];
            let (arm, share) = match row.kind {
                TaskKind::Balance => self.masses.arm(index, joint),
                _ => (row.position - joint.position, 1.0),
            };
            each(block, row.response(turn, tree.velocity(joint, turn, arm) * share));
        }
    }

    /// Like [`Jacobian::responses`], for a prismatic joint or for coupled joints.
    #[cold]
    fn responses_of_motion(
        &self,
        tree: &Tree,
        index: usize,
        turn: DVec3,
        each: &mut dyn FnMut(usize, DVec3),
    ) {
        let (start, end) = self.columns[index].blocks;
        for (member, turn) in tree.coupled_turns(index, turn) {
            let joint = &tree.joints[member];
            let moves = |task: usize| tree.tasks_below(member).any(|place| tree.task_at(place) == task);
            for &block in &self.below[start..end] {
                let row = &self.rows[block];
                let (arm, share) = match row.kind {
                    TaskKind::Balance => self.masses.arm(member, joint),
                    _ if !moves(row.task) => continue,
                    _ => (row.position - joint.position, 1.0),
                };
                let (turned, moved) = tree.motion(joint, turn, arm);
                each(block, row.response(turned, moved * share));
            }
        }
    }
}
