//! The Jacobian methods: five ways to invert the derivative of the effectors with respect to the joints.
//!
//! A hinge and a prismatic joint have one column of the Jacobian J, and every other joint has three. A column belongs to a unit axis in base
//! space, and contains a vector for each task that the joint moves. Everything is solved in the small space of the
//! tasks: y = (J W Jᵀ + λ²I)⁻¹ e, then ω = W Jᵀ y. No matrix is as large as the chain.
//!
//! Tasks have levels, in this order: pins, goals, the balance of a secondary task, and the posture. Each level is
//! solved in the null space of the levels before it, so no level disturbs them to first order (Nakamura, Hanafusa &
//! Yoshikawa 1987; Siciliano & Slotine 1991). The five ways differ in how they invert the level of the goals. All other
//! levels are damped.
//!
//! - transpose: y = α e with the step size that is optimal to first order (Wolovich & Elliott 1984; Buss 2004, eq. 8)
//! - pseudo-inverse: λ = 0, and singular directions are dropped (Whitney 1969)
//! - damped least squares: Wampler 1986; Nakamura & Hanafusa 1986. λ falls with the error, as in Chan & Lawrence 1988
//!   and Sugihara 2011, eq. 19
//! - selectively damped least squares: Buss & Kim 2005, section 4
//! - joint weights: W⁻¹Jᵀ(JW⁻¹Jᵀ)⁻¹ (Whitney 1972). Our W is Whitney's W⁻¹

mod apply;
mod balance;
mod bounded;
mod columns;
mod damped;
mod inverse;
#[cfg(test)]
mod joint_tests;
mod levels;
mod limits;
mod pins;
mod settle;
mod step;
#[cfg(test)]
mod tests;

use glam::{DMat3, DVec3};

use crate::JointParameters;
use crate::linear::Elimination;
use crate::methods::damped::Damped;
use crate::tree::{JointState, PIN_WEIGHT, Tree, TreePose};
pub(crate) use apply::{LARGEST_TURN, euler_axes};
use balance::Masses;
pub(crate) use bounded::{Bounded, GapRow};
pub(crate) use damped::is_free_chain;
use damped::{TreeSteps, freedom};
use limits::Lock;
pub(crate) use step::{secondary_state, towards};

/// Number of levels, and the level of each kind of task. The posture has no rows.
const LEVELS: usize = 3;
const PINS: usize = 0;
const GOALS: usize = 1;
const SECONDARY: usize = 2;

/// Weight of moving the base relative to turning joints, as a fraction of the longest chain's squared length.
const ROOT_WEIGHT: f64 = 0.05;

/// A way to compute y from the errors of the goals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Inverse {
    /// The step size α, or `None` for the size that is optimal to first order.
    Transpose(Option<f64>),
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
    /// The horizontal position of the centre of mass. It does not belong to an effector.
    Balance,
}

/// Three rows of the Jacobian.
#[derive(Clone, Copy, Debug)]
struct Block {
    task: usize,
    kind: TaskKind,
    level: usize,
    /// Factor by which the rows are multiplied: the square root of the task's weight.
    scale: f64,
    /// Metres per radian of orientation error, in base space.
    radian: f64,
    /// The map from base space to the axes of the goal, multiplied by the square roots of the axis weights, if these
    /// weights differ.
    axes: Option<DMat3>,
    error: DVec3,
    /// Position of the effector in base space.
    position: DVec3,
    /// For aims, the desired direction. For the balance, the normal of the ground.
    direction: DVec3,
    /// For aims, the reciprocal of the distance to the target point.
    nearness: f64,
}

impl Block {
    fn new(task: usize, kind: TaskKind, level: usize, scale: f64, radian: f64) -> Self {
        let zero = DVec3::ZERO;
        Self {
            task,
            kind,
            level,
            scale,
            radian,
            axes: None,
            error: zero,
            position: zero,
            direction: zero,
            nearness: 0.0,
        }
    }

    /// Returns the components of a base-space vector along the rows' axes.
    #[inline]
    fn along_axes(&self, vector: DVec3) -> DVec3 {
        self.axes.map_or(vector, |axes| axes * vector)
    }

    /// Returns the rows of a column that turns the effector by `turn` and moves it by `moved`.
    #[inline]
    fn response(&self, turn: DVec3, moved: DVec3) -> DVec3 {
        match self.kind {
            TaskKind::Position => self.along_axes(moved) * self.scale,
            TaskKind::Orientation => self.along_axes(turn) * (self.radian * self.scale),
            // The aiming axis turns, and the desired direction changes because the effector moves.
            TaskKind::Aim => {
                let across = turn - self.direction * self.direction.dot(turn);
                (across + self.direction.cross(moved) * self.nearness) * (self.radian * self.scale)
            }
            TaskKind::Balance => (moved - self.direction * self.direction.dot(moved)) * self.scale,
        }
    }
}

/// The columns of a joint.
#[derive(Clone, Copy, Debug, Default)]
struct Columns {
    /// Range in [`Jacobian::below`] of the blocks that the joint moves.
    blocks: (usize, usize),
    /// Index of the first axis.
    axes: usize,
    /// Number of axes.
    count: usize,
    /// Index of the first entry. Each axis has one entry per block.
    entries: usize,
    /// Weight W of the columns. Zero if the columns are not used.
    weight: f64,
}

/// The system of a Jacobian method. Buffers are reused by later iterations.
///
/// An iteration calls [`evaluate`](Jacobian::evaluate), [`set_freedom`](Jacobian::set_freedom),
/// [`solve`](Jacobian::solve) and [`apply`](Jacobian::apply). If `set_freedom` is not called, the iteration reuses the
/// Jacobian of the last one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jacobian {
    /// The tasks, in the order of their levels.
    rows: Vec<Block>,
    /// The first row of each level, in rows of the matrix, and the number of rows.
    level_starts: [usize; LEVELS + 1],
    /// The index of the first block of each task, and the number of its blocks.
    blocks_of: Vec<(usize, usize)>,
    /// The blocks that the joints move, in ascending order for each joint.
    below: Vec<usize>,
    /// The columns of each joint and of the base.
    columns: Vec<Columns>,
    /// Unit axes in base space. Directions that a limit has locked are removed from these axes.
    axes: Vec<DVec3>,
    entries: Vec<DVec3>,
    /// Buffer for one column.
    column: Vec<DVec3>,
    parameters: JointParameters,
    /// Length of the longest chain, in base space.
    length: f64,
    /// Factor for the damping of all levels except the goals. A rejected step increases it.
    pub(crate) boost: f64,
    /// Factor for the weights of all columns.
    freedom: f64,
    /// Rotations of the posture. These rotations must not affect the tasks.
    pub(crate) pull: Vec<DVec3>,
    /// Rotations for which the tasks compensate only as far as their damping allows.
    pub(crate) offset: Vec<DVec3>,
    /// Rotations that are already decided: `offset`, and rotations that move locked joints to their limits.
    fixed: Vec<DVec3>,
    locks: Vec<Lock>,
    /// Joints with a lock released in this iteration.
    released: Vec<usize>,
    /// Weight of moving the base. Zero keeps the base fixed.
    root_weight: f64,
    /// The solution: rotation vectors in base space.
    pub(crate) turns: Vec<DVec3>,
    pub(crate) root_step: DVec3,
    matrix: Vec<f64>,
    elimination: Elimination,
    /// The system of one level, and its eigenvectors row by row.
    small: Vec<f64>,
    vectors: Vec<f64>,
    right: Vec<f64>,
    along: Vec<f64>,
    lift: Vec<f64>,
    /// For each eliminated row, the part of the later levels and of the posture that must not affect this row.
    sums: Vec<f64>,
    /// Changes of the tasks that the posture alone would cause.
    drift: Vec<f64>,
    /// Errors that `fixed` leaves.
    residual: Vec<f64>,
    /// Errors that the levels solved so far leave to the following levels.
    rest: Vec<f64>,
    y: Vec<f64>,
    /// Number of rows of the last solve that depend linearly on rows of the same or an earlier level. Rows of the last
    /// level do not count.
    dependent: usize,
    /// Position of the balance task's support in base space, and the weight of the task. The task has the same level as
    /// the goals.
    pub(crate) balance: Option<(DVec3, f64)>,
    /// If the balance is a secondary task, the fraction of its error that one iteration corrects.
    secondary_balance: Option<f64>,
    masses: Masses,
    before: TreePose,
    start: Vec<JointState>,
    steps: TreeSteps,
}

impl Jacobian {
    /// Loads the tasks of a tree.
    pub(crate) fn set(&mut self, tree: &Tree) {
        self.secondary_balance = None;
        self.set_tasks(tree, LEVELS);
        self.boost = 1.0;
        self.steps.damped = Damped::default();
    }

    /// Loads the tasks of the first levels of a tree.
    fn set_tasks(&mut self, tree: &Tree, levels: usize) {
        self.rows.clear();
        self.blocks_of.clear();
        self.blocks_of.resize(tree.tasks.len(), (0, 0));
        for level in 0..LEVELS {
            self.level_starts[level] = 3 * self.rows.len();
            if level >= levels {
                continue;
            }
            for (index, task) in tree.tasks.iter().enumerate().filter(|(_, t)| t.weight > 0.0) {
                if level != if task.pinned { PINS } else { GOALS } {
                    continue;
                }
                let first = self.rows.len();
                let kinds = [
                    (TaskKind::Position, task.target.is_some()),
                    (TaskKind::Orientation, task.orientation.is_some()),
                    (TaskKind::Aim, task.aim.is_some()),
                ];
                let weight = |kind| match kind {
                    TaskKind::Position => task.position_weight(),
                    TaskKind::Orientation => task.orientation_weight(),
                    TaskKind::Aim | TaskKind::Balance => task.weight,
                };
                let wanted = kinds.into_iter().filter(|(_, wanted)| *wanted);
                self.rows.extend(
                    wanted.map(|(kind, _)| Block::new(index, kind, level, weight(kind).sqrt(), task.radian)),
                );
                self.blocks_of[index] = (first, self.rows.len() - first);
            }
            if level == GOALS
                && let Some((_, weight)) = self.balance
            {
                self.rows.push(Block::new(usize::MAX, TaskKind::Balance, level, weight.sqrt(), 0.0));
            }
            if level == SECONDARY && self.secondary_balance.is_some() {
                self.rows.push(Block::new(usize::MAX, TaskKind::Balance, level, 1.0, 0.0));
            }
        }
        self.level_starts[LEVELS] = 3 * self.rows.len();
        self.set_layout(tree);
        self.pull.clear();
        self.pull.resize(tree.joints.len(), DVec3::ZERO);
        self.offset.clone_from(&self.pull);
        self.fixed.clone_from(&self.pull);
        self.turns.clone_from(&self.pull);
        self.locks.clear();
        (self.length, self.freedom) = (tree.length(), 1.0);
        self.root_weight = if tree.root_moves { ROOT_WEIGHT * self.length * self.length } else { 0.0 };
    }

    /// Stores the pose in which a solve starts.
    pub(crate) fn set_start(&mut self, tree: &Tree) {
        tree.store_joints(&mut self.start);
    }

    /// Computes the errors of the current pose. Each error is clamped to `clamp` base-space metres.
    pub(crate) fn evaluate(&mut self, tree: &Tree, clamp: f64) {
        for row in &mut self.rows {
            let Some(task) = tree.tasks.get(row.task) else { continue };
            let error = match row.kind {
                TaskKind::Position => {
                    row.axes = task.position_term.axes.map(|axes| axes.weighted_from_base);
                    row.along_axes(task.target.map_or(DVec3::ZERO, |target| target - task.position))
                }
                TaskKind::Orientation => {
                    row.axes = task.turn_map;
                    task.orientation_term.weighted_rotation(task.turn) * row.radian
                }
                TaskKind::Aim => task.aim_turn * row.radian,
                TaskKind::Balance => DVec3::ZERO,
            };
            row.error = error.clamp_length_max(clamp) * row.scale;
            row.position = task.position;
            if row.kind == TaskKind::Aim {
                let wanted = task.aim_directions().zip(task.aim);
                (row.direction, row.nearness) = wanted
                    .map_or((DVec3::ZERO, 0.0), |((_, wanted), (_, at))| {
                        (wanted, 1.0 / (at - task.position).length())
                    });
            }
        }
        self.evaluate_balance(tree);
    }

    /// Returns the weighted sum of squared task errors. Pins have [`PIN_WEIGHT`].
    pub(crate) fn cost(&self) -> f64 {
        self.rows.iter().map(|row| merit_weight(row.level) * row.error.length_squared()).sum()
    }

    /// Returns the sum of squared errors of a level without weights, in base-space metres squared.
    fn error2(&self, level: usize) -> f64 {
        let rows = self.rows.iter().filter(|row| row.level == level && row.scale > 0.0);
        rows.map(|row| row.error.length_squared() / (row.scale * row.scale)).sum()
    }

    /// Multiplies the weights of all columns by a factor.
    pub(crate) fn scale_freedom(&mut self, by: f64) {
        self.freedom = by;
        self.columns.iter_mut().for_each(|c| c.weight *= by);
    }

    /// Returns the amount by which the solution reduces the cost, to first order.
    pub(crate) fn predicted_gain(&mut self) -> f64 {
        self.right.clone_from(&self.residual);
        for columns in &self.columns {
            let below = &self.below[columns.blocks.0..columns.blocks.1];
            for axis in 0..columns.count {
                let entries = &self.entries[columns.entries + axis * below.len()..][..below.len()];
                let angle = columns.weight * dot_entries(entries, below, &self.y);
                for (entry, &block) in entries.iter().zip(below) {
                    let left = &mut self.right[3 * block..3 * block + 3];
                    left.iter_mut().zip(entry.to_array()).for_each(|(r, d)| *r -= d * angle);
                }
            }
        }
        let rest = self.rows.iter().zip(self.right.chunks_exact(3));
        let rest = rest.map(|(row, r)| merit_weight(row.level) * DVec3::from_slice(r).length_squared());
        self.cost() - rest.sum::<f64>()
    }
}

/// Returns the weight of a level's squared errors in the cost of a step.
fn merit_weight(level: usize) -> f64 {
    match level {
        PINS => PIN_WEIGHT,
        GOALS => 1.0,
        _ => 0.0,
    }
}

/// Returns the product of a column and a vector of all rows.
#[inline]
fn dot_entries(entries: &[DVec3], below: &[usize], y: &[f64]) -> f64 {
    entries.iter().zip(below).map(|(entry, &block)| entry.dot(DVec3::from_slice(&y[3 * block..]))).sum()
}
