//! The Jacobian methods: five ways to invert the derivative of the effectors with respect to the joint rotations.
//!
//! With ball joints, the Jacobian J consists of 3×3 blocks, one per joint and task. These blocks are called levers.
//! Everything is solved in the small space of the tasks: y = (J W Jᵀ + λ²I)⁻¹ (e − J h), then ω = h + W Jᵀ y. No
//! matrix is as large as the chain. The secondary task h (Liégeois 1977) is projected onto the null space of J by the
//! same two equations.
//!
//! - transpose: y = α e with the step size that is optimal to first order (Wolovich & Elliott 1984; Buss 2004, eq. 8)
//! - pseudo-inverse: λ = 0, and singular directions are dropped (Whitney 1969)
//! - damped least squares: Wampler 1986; Nakamura & Hanafusa 1986. λ falls with the error after Chan & Lawrence 1988
//!   and Sugihara 2011, eq. 19
//! - selectively damped least squares: Buss & Kim 2005, section 4
//! - joint weights: W⁻¹Jᵀ(JW⁻¹Jᵀ)⁻¹ (Whitney 1972). Our W is Whitney's W⁻¹

mod damped;
mod step;
mod system;
#[cfg(test)]
mod tests;

use glam::{DMat3, DQuat, DVec3};

use crate::ik::methods::damped::Damped;
use crate::ik::tree::{EffectorTask, Tree, skew};
use crate::ik::{JointParameters, Limit};
use damped::TreeSteps;
pub(in crate::ik) use damped::is_free_chain;
use step::euler_axes;
pub(in crate::ik) use step::towards;
use system::dot;

/// Factor for the weight of pinned goals.
const PINNED: f64 = 1e8;

/// A way to compute y from the task errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::ik) enum Inverse {
    Transpose,
    Pseudo,
    /// λ² in base-space metres squared.
    Damped(f64),
    Selective,
}

/// The quantity that the three rows of a task control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TaskKind {
    Position,
    Orientation,
    Aim,
    /// The horizontal position of the centre of mass. It belongs to no effector.
    Balance,
}

#[derive(Clone, Copy, Debug)]
struct TaskRow {
    task: usize,
    kind: TaskKind,
    /// Factor by which the rows are multiplied: the square root of the task's weight.
    scale: f64,
    /// Metres per radian of orientation error, base space.
    radian: f64,
    error: DVec3,
}

/// A 3×3 block of the Jacobian: ∂task/∂ω for one joint.
#[derive(Clone, Copy, Debug)]
struct Lever {
    row: usize,
    matrix: DMat3,
}

/// The system of a Jacobian method. Buffers are reused by later iterations.
#[derive(Clone, Debug, Default)]
pub(in crate::ik) struct Jacobian {
    rows: Vec<TaskRow>,
    levers: Vec<Lever>,
    /// Range of each joint's levers.
    spans: Vec<(usize, usize)>,
    /// The directions in which each joint may turn, times its weight: a symmetric matrix in base space.
    freedom: Vec<DMat3>,
    /// Rotations that the tasks do not cause: those of the secondary task, and those that move locked joints to their
    /// limits.
    pub(in crate::ik) pull: Vec<DVec3>,
    /// Weight of moving the base. Zero keeps the base fixed.
    pub(in crate::ik) root_weight: f64,
    /// Translation of the base that the tasks do not cause.
    pub(in crate::ik) root_pull: DVec3,
    /// The solution: rotation vectors in base space.
    pub(in crate::ik) turns: Vec<DVec3>,
    pub(in crate::ik) root_step: DVec3,
    matrix: Vec<f64>,
    /// Eigenvectors of `matrix`, row by row.
    vectors: Vec<f64>,
    right: Vec<f64>,
    /// Position of the balance task's support in base space, and the weight of the task.
    pub(in crate::ik) balance: Option<(DVec3, f64)>,
    /// For each joint, the total mass of the segments below it, and the sum of their masses times their centres.
    masses: Vec<(f64, DVec3)>,
    y: Vec<f64>,
    total: Vec<DVec3>,
    start: Vec<DQuat>,
    steps: TreeSteps,
}

impl Jacobian {
    /// Loads the tasks of a tree.
    pub(in crate::ik) fn set(&mut self, tree: &Tree) {
        self.rows.clear();
        for (index, task) in tree.tasks.iter().enumerate().filter(|(_, t)| t.weight > 0.0) {
            let scale = (task.weight * if task.pinned { PINNED } else { 1.0 }).sqrt();
            let kinds = [
                (TaskKind::Position, task.target.is_some()),
                (TaskKind::Orientation, task.orientation.is_some()),
                (TaskKind::Aim, task.aim.is_some()),
            ];
            let radian = task.radian;
            for (kind, _) in kinds.into_iter().filter(|(_, wanted)| *wanted) {
                self.rows.push(TaskRow { task: index, kind, scale, radian, error: DVec3::ZERO });
            }
        }
        if let Some((_, weight)) = self.balance {
            let scale = weight.sqrt();
            self.rows.push(TaskRow {
                task: usize::MAX,
                kind: TaskKind::Balance,
                scale,
                radian: 0.0,
                error: DVec3::ZERO,
            });
        }
        self.spans.clear();
        self.levers.clear();
        for joint in 0..tree.joints.len() {
            let first = self.levers.len();
            for task in tree.tasks_below(joint).map(|place| tree.task_at(place)) {
                let of_task = self.rows.iter().enumerate().filter(|(_, t)| t.task == task);
                self.levers.extend(of_task.map(|(row, _)| Lever { row, matrix: DMat3::ZERO }));
            }
            if self.balance.is_some() {
                self.levers.push(Lever { row: self.rows.len() - 1, matrix: DMat3::ZERO });
            }
            self.spans.push((first, self.levers.len()));
        }
        self.pull.clear();
        self.pull.resize(tree.joints.len(), DVec3::ZERO);
        self.turns.clone_from(&self.pull);
        (self.root_pull, self.root_weight) = (DVec3::ZERO, 0.0);
        self.steps.damped = Damped::default();
    }

    /// Stores the pose in which a solve starts.
    pub(in crate::ik) fn set_start(&mut self, tree: &Tree) {
        self.start.clear();
        self.start.extend(tree.joints.iter().map(|j| j.rotation));
    }

    /// Computes the errors at the current pose. Each error is clamped to `clamp` base-space metres.
    fn evaluate_errors(&mut self, tree: &Tree, clamp: f64) {
        for row in &mut self.rows {
            let Some(task) = tree.tasks.get(row.task) else { continue };
            let error = match row.kind {
                TaskKind::Position => task.target.map(|target| target - task.position),
                TaskKind::Orientation => task.orientation_error().map(|e| e * row.radian),
                TaskKind::Aim => task.aim_error().map(|e| e * row.radian),
                TaskKind::Balance => None,
            };
            row.error = error.unwrap_or(DVec3::ZERO).clamp_length_max(clamp) * row.scale;
        }
    }

    /// Computes errors and levers at the current pose. Each error is clamped to `clamp` base-space metres.
    pub(in crate::ik) fn evaluate(&mut self, tree: &Tree, clamp: f64) {
        self.evaluate_errors(tree, clamp);
        for (joint, &(first, last)) in tree.joints.iter().zip(&self.spans) {
            for lever in &mut self.levers[first..last] {
                let row = &self.rows[lever.row];
                let Some(task) = tree.tasks.get(row.task) else { continue };
                let arm = task.position - joint.position;
                let matrix = match row.kind {
                    TaskKind::Position => tree.lever(joint, arm),
                    TaskKind::Orientation => DMat3::from_diagonal(DVec3::splat(row.radian)),
                    TaskKind::Aim => row.radian * aim_lever(task, tree.lever(joint, arm)),
                    TaskKind::Balance => DMat3::ZERO,
                };
                lever.matrix = row.scale * matrix;
            }
        }
        self.evaluate_balance(tree);
    }

    /// Computes the error and the levers of the balance task. A joint moves only the segments below it, so its lever
    /// is that of their centre of mass, times their mass as a fraction of the total.
    fn evaluate_balance(&mut self, tree: &Tree) {
        let Some(((support, _), row)) = self.balance.zip(self.rows.last_mut()) else { return };
        self.masses.clear();
        self.masses.resize(tree.joints.len(), (0.0, DVec3::ZERO));
        let mut total_mass = (0.0, DVec3::ZERO);
        let stretch = |from: DVec3, to: DVec3| (from.distance(to), (from + to) * (0.5 * from.distance(to)));
        for task in &tree.tasks {
            if let Some(joint) = task.joint {
                let (mass, moment) = stretch(tree.joints[joint].position, task.position);
                self.masses[joint] = (self.masses[joint].0 + mass, self.masses[joint].1 + moment);
            }
        }
        for (index, joint) in tree.joints.iter().enumerate().rev() {
            let (mass, moment) = self.masses[index];
            match joint.parent {
                Some(parent) => {
                    let own = stretch(tree.joints[parent].position, joint.position);
                    let above = &mut self.masses[parent];
                    *above = (above.0 + mass + own.0, above.1 + moment + own.1);
                }
                None => total_mass = (total_mass.0 + mass, total_mass.1 + moment),
            }
        }
        if total_mass.0 <= 0.0 {
            return;
        }
        let up = tree.up();
        let level = (DMat3::IDENTITY - outer(up, up)) * row.scale;
        row.error = level * (support - total_mass.1 / total_mass.0);
        for (index, (joint, &(first, last))) in tree.joints.iter().zip(&self.spans).enumerate() {
            let (mass, moment) = self.masses[index];
            if let Some(lever) = self.levers[first..last].last_mut().filter(|_| mass > 0.0) {
                lever.matrix =
                    level * tree.lever(joint, moment / mass - joint.position) * (mass / total_mass.0);
            }
        }
    }

    /// Computes the directions in which joints may turn, from their limits and weights.
    pub(in crate::ik) fn set_freedom(&mut self, tree: &Tree, parameters: JointParameters) {
        self.freedom.clear();
        self.freedom.extend(tree.joints.iter().map(|joint| {
            let base_from_axes = || tree.base_from_axes(joint);
            let freedom = match (&joint.limit, parameters) {
                (Limit::Hinge { .. }, _) => {
                    let axis = base_from_axes() * joint.hinge_axis().unwrap_or(DVec3::X);
                    outer(axis, axis)
                }
                (_, JointParameters::RotationVector) => DMat3::IDENTITY,
                (_, JointParameters::Euler) => {
                    let axes = base_from_axes() * euler_axes(joint.rotation);
                    axes * axes.transpose()
                }
            };
            freedom * joint.weight
        }));
    }

    /// Returns the weighted sum of squared task errors.
    pub(in crate::ik) fn cost(&self) -> f64 {
        self.rows.iter().map(|t| t.error.length_squared()).sum()
    }

    /// Returns the sum of squared task errors without weights, base-space metres squared.
    fn unweighted_error2(&self) -> f64 {
        self.rows.iter().map(|t| t.error.length_squared() / (t.scale * t.scale)).sum()
    }

    /// Multiplies the freedom of a joint by a factor.
    pub(in crate::ik) fn scale_freedom(&mut self, joint: usize, by: f64) {
        self.freedom[joint] *= by;
    }

    /// Returns by how much the solution reduces the cost, to first order.
    pub(in crate::ik) fn predicted_gain(&mut self) -> f64 {
        self.right.clear();
        self.right.extend(self.rows.iter().flat_map(|t| t.error.to_array()));
        for (turn, &(first, last)) in self.turns.iter().zip(&self.spans) {
            for lever in &self.levers[first..last] {
                let done = (lever.matrix * *turn).to_array();
                self.right[3 * lever.row..].iter_mut().zip(done).for_each(|(r, d)| *r -= d);
            }
        }
        self.cost() - dot(&self.right, &self.right)
    }
}

/// Returns the lever of an aim. It combines the rotation of the aiming axis with the change of the wanted direction.
/// That direction changes because the effector moves, which the lever `from` describes.
fn aim_lever(task: &EffectorTask, from: DMat3) -> DMat3 {
    let Some(((_, wanted), (_, at))) = task.aim_directions().zip(task.aim) else { return DMat3::ZERO };
    let distance = (at - task.position).length();
    DMat3::IDENTITY - outer(wanted, wanted) + skew(wanted) * from * (1.0 / distance)
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
