//! The twin of `shaders/ik_chain.wgsl` and `shaders/ik_body.wgsl`, which perform the same steps. A chain is a tree with one
//! goal.

use glam::{Quat, Vec3, Vec4, Vec4Swizzles};

use crate::body::{FREE, HINGE};
use crate::gpu_ik::gpu_types::{ChainTarget, NO_PARENT, PackedJoint, TreeGoal};
use crate::mathematics::single::normalize;
use crate::mathematics::single_trigonometry::{retract, rotation_vector, step_of};

const LOCK_MARGIN: f32 = 1e-6;
const LOCK_FRACTION: f32 = 0.01;

/// The settings that differ between chains and bodies.
#[derive(Clone, Copy)]
pub(super) struct DescentSettings {
    pub(super) damping: f32,
    pub(super) damping_floor: f32,
    pub(super) rounds: u32,
    pub(super) root_weight: f32,
}

/// Returns the index of an element in a packed lower triangle.
fn packed(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

/// A body in a pose, with its goals.
pub(super) struct TreeTwin<'a> {
    pub(super) joints: &'a [PackedJoint],
    pub(super) goals: &'a [TreeGoal],
    pub(super) targets: &'a [ChainTarget],
    pub(super) settings: DescentSettings,
    pub(super) own: Vec<Quat>,
    pub(super) root: Vec3,
    orientations: Vec<Quat>,
    places: Vec<Vec3>,
    ends: Vec<Vec3>,
    /// Six errors for each goal.
    errors: Vec<f32>,
    pub(super) cost: f32,
    locks: Vec<Vec4>,
    pull: Vec<f32>,
}

impl<'a> TreeTwin<'a> {
    pub(super) fn new(
        joints: &'a [PackedJoint],
        goals: &'a [TreeGoal],
        targets: &'a [ChainTarget],
        settings: DescentSettings,
        starts: &[[f32; 4]],
    ) -> Self {
        let mut tree = Self {
            joints,
            goals,
            targets,
            settings,
            own: starts.iter().map(|start| Quat::from_array(*start)).collect(),
            root: Vec3::ZERO,
            orientations: vec![Quat::IDENTITY; joints.len()],
            places: vec![Vec3::ZERO; joints.len()],
            ends: vec![Vec3::ZERO; goals.len()],
            errors: vec![0.0; 6 * goals.len()],
            cost: 0.0,
            locks: vec![Vec4::ZERO; joints.len()],
            pull: vec![0.0; 6 * goals.len()],
        };
        tree.forward();
        tree
    }

    /// Computes the frames of the joints and the errors of the goals.
    pub(super) fn forward(&mut self) {
        for (j, joint) in self.joints.iter().enumerate() {
            let (mut orientation, mut place) = (Quat::IDENTITY, self.root);
            if joint.parent != NO_PARENT {
                (orientation, place) =
                    (self.orientations[joint.parent as usize], self.places[joint.parent as usize]);
            }
            self.places[j] = place + orientation * Vec4::from(joint.offset).xyz();
            self.orientations[j] = orientation * Quat::from_array(joint.before) * self.own[j];
        }
        for (g, (goal, target)) in self.goals.iter().zip(self.targets).enumerate() {
            let (orientation, end) = (self.orientations[goal.joint as usize], Vec4::from(goal.end));
            self.ends[g] = self.places[goal.joint as usize] + orientation * end.xyz();
            let error = (Vec4::from(target.position).xyz() - self.ends[g]) * end.w;
            let turn = rotation_vector(Quat::from_array(target.orientation) * orientation.conjugate())
                * goal.tolerances[2];
            self.errors[6 * g..6 * g + 3].copy_from_slice(&error.to_array());
            self.errors[6 * g + 3..6 * g + 6].copy_from_slice(&turn.to_array());
        }
        self.cost = self.errors.iter().map(|e| e * e).sum();
    }

    fn is_above(&self, goal: usize, joint: usize) -> bool {
        self.goals[goal].above[joint / 32] >> (joint % 32) & 1 == 1
    }

    fn row_of(&self, row: usize, joint: usize) -> Vec3 {
        let unit = Vec3::AXES[row % 3];
        let goal = &self.goals[row / 6];
        if row % 6 >= 3 {
            return unit * goal.tolerances[2];
        }
        ((self.ends[row / 6] - self.places[joint]) * goal.end[3]).cross(unit)
    }

    /// Returns the product of two rows for a joint, without the joint's locked direction.
    fn product(&self, row: usize, column: usize, j: usize) -> f32 {
        let (a, b) = (self.row_of(row, j), self.row_of(column, j));
        let (joint, lock) = (&self.joints[j], self.locks[j].xyz());
        let weight = joint.offset[3];
        if joint.limit.kind == HINGE {
            let axis = self.orientations[j] * joint.limit.axis;
            return if lock == Vec3::ZERO { weight * axis.dot(a) * axis.dot(b) } else { 0.0 };
        }
        let direction = self.orientations[j] * lock;
        weight * (a.dot(b) - direction.dot(a) * direction.dot(b))
    }

    /// Solves (J W Jᵀ + λ²) y = e by Cholesky decomposition.
    fn solve(&mut self, damping: f32) {
        let rows = self.errors.len();
        let mut matrix = vec![0.0_f32; packed(rows, 0)];
        let mut right = self.errors.clone();
        for row in 0..rows {
            for column in 0..=row {
                let both = |j: &usize| self.is_above(row / 6, *j) && self.is_above(column / 6, *j);
                let mut sum = if row == column { damping } else { 0.0 };
                if row % 6 == column % 6 && row % 6 < 3 {
                    sum += self.settings.root_weight
                        * self.goals[row / 6].end[3]
                        * self.goals[column / 6].end[3];
                }
                sum += (0..self.joints.len()).filter(both).map(|j| self.product(row, column, j)).sum::<f32>();
                matrix[packed(row, column)] = sum;
            }
            for j in (0..self.joints.len()).filter(|j| self.is_above(row / 6, *j)) {
                let known = self.orientations[j] * self.locks[j].xyz() * self.locks[j].w;
                right[row] -= self.row_of(row, j).dot(known);
            }
        }
        for k in 0..rows {
            let inverse = 1.0 / matrix[packed(k, k)].max(self.settings.damping_floor).sqrt();
            matrix[packed(k, k)] = inverse;
            right[k] *= inverse;
            for i in k + 1..rows {
                matrix[packed(i, k)] *= inverse;
            }
            for i in k + 1..rows {
                let factor = matrix[packed(i, k)];
                for c in k + 1..=i {
                    matrix[packed(i, c)] -= factor * matrix[packed(c, k)];
                }
                right[i] -= factor * right[k];
            }
        }
        for k in (0..rows).rev() {
            right[k] *= matrix[packed(k, k)];
            for i in 0..k {
                right[i] -= matrix[packed(k, i)] * right[k];
            }
        }
        self.pull = right;
    }

    fn joint_step(&self, j: usize) -> Vec3 {
        let mut wanted = Vec3::ZERO;
        for g in (0..self.goals.len()).filter(|g| self.is_above(*g, j)) {
            let (y, t) = (Vec3::from_slice(&self.pull[6 * g..]), Vec3::from_slice(&self.pull[6 * g + 3..]));
            let r = (self.ends[g] - self.places[j]) * self.goals[g].end[3];
            wanted += r.cross(y) + self.goals[g].tolerances[2] * t;
        }
        let joint = &self.joints[j];
        let local = self.orientations[j].conjugate() * (joint.offset[3] * wanted);
        let (lock, turn) = (self.locks[j].xyz(), self.locks[j].w);
        if joint.limit.kind == HINGE {
            let axis = joint.limit.axis;
            return if lock == Vec3::ZERO { axis * axis.dot(local) } else { lock * turn };
        }
        local + lock * (turn - local.dot(lock))
    }

    /// Returns the rotation of a joint after its step. Locks the joint if the step would turn it beyond its limit.
    fn turn_joint(&mut self, j: usize) -> (Quat, bool) {
        let (joint, kept) = (&self.joints[j], self.own[j]);
        let wanted = self.joint_step(j);
        let allowed = joint.limit.nearest(normalize(Vec4::from(kept * retract(wanted))));
        let is_hinge = joint.limit.kind == HINGE;
        if joint.limit.kind == FREE || is_hinge && self.locks[j].xyz() != Vec3::ZERO {
            return (allowed, false);
        }
        let most = step_of(kept.conjugate() * allowed);
        let beyond = wanted - most;
        let distance = beyond.length();
        if distance <= LOCK_MARGIN + LOCK_FRACTION * wanted.length() {
            return (allowed, false);
        }
        let direction = if is_hinge { joint.limit.axis } else { beyond / distance };
        self.locks[j] = direction.extend(most.dot(direction));
        (allowed, true)
    }

    /// Takes a step with `boost` times the default damping, and measures the pose after it.
    pub(super) fn take_step(&mut self, boost: f32) {
        self.locks.fill(Vec4::ZERO);
        let damping = boost * (self.settings.damping * self.cost + self.settings.damping_floor);
        let mut next = self.own.clone();
        for _ in 0..self.settings.rounds {
            self.solve(damping);
            let mut changed = false;
            for (j, next) in next.iter_mut().enumerate() {
                let (turned, locked) = self.turn_joint(j);
                *next = turned;
                changed |= locked;
            }
            if !changed {
                break;
            }
        }
        self.own = next;
        for (g, goal) in self.goals.iter().enumerate() {
            self.root += self.settings.root_weight * goal.end[3] * Vec3::from_slice(&self.pull[6 * g..]);
        }
        self.forward();
    }
}
