//! A damped step with inequality rows: joints stay within their ranges, and gaps between shapes stay open.
//!
//! ```text
//! minimise   |x − p|² + |J x − e|² / λ²        p is the secondary task
//! subject to C x ≥ c
//! ```
//!
//! The rows of C are the ranges of the joints and the gaps. A gap may shrink only by a fraction of what is left of it, so that it never
//! closes (velocity damper: Faverjon & Tournassoud 1987, "A local based approach for path planning of manipulators with a high number of
//! degrees of freedom"; Kanoun, Lamiraux & Wieber 2011, "Kinematic control of redundant manipulators: generalizing the task-priority
//! framework to inequality tasks"). The unknowns of the quadratic program are the multipliers of the rows: those of J are free, and those
//! of C are not negative. With no active inequality, the step is that of damped least squares.

use glam::DVec3;

use crate::damping::{BOUNDED_FLOOR, lambda2};
use crate::qp::{BoxQp, dot};
use crate::tree::Tree;
use crate::{Body, JacobianOptions, JointParameters};

use super::{Columns, GOALS, Jacobian, LARGEST_TURN, PINS, freedom, merit_weight};

/// λ² of the inequality rows, in square metres or square radians. It keeps the program solvable if the rows contradict each other.
const SOFT: f64 = 1e-9;

/// A gap between two shapes, and the least change of it that a step may make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GapRow {
    /// For each shape, the index of its link and its nearest point in base space. `None` for an obstacle.
    pub(crate) sides: [Option<(usize, DVec3)>; 2],
    /// Vector in base space. The gap changes by its product with the motion of the first point relative to the second.
    pub(crate) normal: DVec3,
    /// In metres. Positive if the gap must grow.
    pub(crate) least: f64,
}

/// The buffers of a bounded step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounded {
    /// For each degree of freedom, the index of its joint and its axis in base space.
    freedoms: Vec<(usize, DVec3)>,
    weights: Vec<f64>,
    /// The rows of J and C, one after the other, each with one entry for each degree of freedom.
    rows: Vec<f64>,
    /// For each row, its right side and its λ².
    sides: Vec<(f64, f64)>,
    /// Number of rows of J.
    tasks: usize,
    pull: Vec<f64>,
    moved: Vec<bool>,
    qp: BoxQp,
}

impl Jacobian {
    /// Takes a bounded step from the current pose. `boost` multiplies λ². The tree must belong to the body.
    pub(crate) fn bounded_step(
        &mut self,
        tree: &mut Tree,
        body: &Body,
        gaps: &[GapRow],
        bounded: &mut Bounded,
        boost: f64,
        options: &JacobianOptions,
    ) {
        self.evaluate(tree, options.clamp * self.length);
        self.set_freedom(tree, JointParameters::RotationVector);
        self.secondary(tree, options);
        bounded.set_freedoms(self, tree);
        let least = BOUNDED_FLOOR * self.length * self.length;
        let damping = lambda2(freedom(tree), self.error2(GOALS), self.length).max(least);
        bounded.add_tasks(self, boost * damping);
        bounded.add_ranges(tree);
        for gap in gaps {
            bounded.add_gap(tree, body, gap);
        }
        bounded.solve();
        self.turns.fill(DVec3::ZERO);
        for (place, (joint, axis)) in bounded.freedoms.iter().enumerate() {
            self.turns[*joint] += *axis * bounded.step(place);
        }
        self.apply(tree, JointParameters::RotationVector);
    }
}

impl Bounded {
    /// Lists the degrees of freedom of the tree. The base does not move.
    fn set_freedoms(&mut self, jacobian: &Jacobian, tree: &Tree) {
        self.freedoms.clear();
        self.weights.clear();
        self.pull.clear();
        self.rows.clear();
        self.sides.clear();
        for (index, columns) in jacobian.columns.iter().enumerate().take(tree.joints.len()) {
            if columns.weight <= 0.0 {
                continue;
            }
            for axis in &jacobian.axes[columns.axes..columns.axes + columns.count] {
                self.freedoms.push((index, *axis));
                self.weights.push(columns.weight);
                self.pull.push(jacobian.pull[index].dot(*axis));
            }
        }
    }

    /// Adds three rows for each block of the tasks.
    fn add_tasks(&mut self, jacobian: &Jacobian, damping: f64) {
        let count = self.freedoms.len();
        self.rows.resize(3 * jacobian.rows.len() * count, 0.0);
        let mut place = 0;
        for columns in jacobian.columns.iter().filter(|columns| columns.weight > 0.0) {
            let Columns { blocks, entries, .. } = *columns;
            let below = &jacobian.below[blocks.0..blocks.1];
            for number in 0..columns.count {
                // The columns of the base come last, and do not count.
                if place == count {
                    break;
                }
                let own = &jacobian.entries[entries + number * below.len()..][..below.len()];
                for (entry, &block) in own.iter().zip(below) {
                    for (row, value) in entry.to_array().into_iter().enumerate() {
                        self.rows[(3 * block + row) * count + place] = value;
                    }
                }
                place += 1;
            }
        }
        for block in &jacobian.rows {
            // Pins and goals are met together, and pins have more weight.
            let damping = if block.level == PINS { damping / merit_weight(PINS) } else { damping };
            self.sides.extend(block.error.to_array().map(|error| (error, damping)));
        }
        self.tasks = self.sides.len();
    }

    /// Adds the ends of the ranges that a joint could reach in one step.
    fn add_ranges(&mut self, tree: &Tree) {
        let count = self.freedoms.len();
        for place in 0..count {
            let joint = &tree.joints[self.freedoms[place].0];
            for sign in [1.0, -1.0] {
                let Some(room) = joint.room(sign * LARGEST_TURN, 0.0) else { continue };
                let start = self.rows.len();
                self.rows.resize(start + count, 0.0);
                self.rows[start + place] = -sign;
                self.sides.push((-room, SOFT));
            }
        }
    }

    fn add_gap(&mut self, tree: &Tree, body: &Body, gap: &GapRow) {
        let start = self.rows.len();
        self.rows.resize(start + self.freedoms.len(), 0.0);
        for (side, sign) in gap.sides.iter().zip([1.0, -1.0]) {
            let Some((link, point)) = *side else { continue };
            self.moved.clear();
            self.moved.resize(tree.joints.len(), false);
            let up = std::iter::successors(Some(link), |link| body.links().get(*link)?.parent_index());
            for joint in up.filter_map(|link| tree.joints.binary_search_by_key(&link, |j| j.link).ok()) {
                self.moved[joint] = true;
            }
            for (place, &(index, axis)) in self.freedoms.iter().enumerate() {
                for (member, turn) in
                    tree.coupled_turns(index, axis).filter(|(member, _)| self.moved[*member])
                {
                    let joint = &tree.joints[member];
                    let (_, velocity) = tree.motion(joint, turn, point - joint.position);
                    self.rows[start + place] += sign * gap.normal.dot(velocity);
                }
            }
        }
        self.sides.push((gap.least, SOFT));
    }

    /// Solves the program. Afterwards, `pull` contains the step.
    fn solve(&mut self) {
        let (count, m) = (self.freedoms.len(), self.sides.len());
        let Self { weights, rows, sides, tasks, pull, qp, .. } = self;
        let row = |i: usize| &rows[i * count..(i + 1) * count];
        qp.begin(m);
        for (i, &(side, damping)) in sides.iter().enumerate() {
            for j in 0..=i {
                let sum: f64 = row(i).iter().zip(row(j)).zip(&*weights).map(|((a, b), w)| a * b * w).sum();
                (qp.a[i * m + j], qp.a[j * m + i]) = (sum, sum);
            }
            qp.a[i * m + i] += damping;
            let is_task = i < *tasks;
            let least = if is_task { f64::NEG_INFINITY } else { 0.0 };
            qp.push(dot(row(i), pull) - side, [least, f64::INFINITY], 0.0, is_task);
        }
        qp.solve();
        for (i, force) in qp.y.iter().enumerate().filter(|(_, force)| force.is_finite()) {
            for ((step, entry), weight) in pull.iter_mut().zip(row(i)).zip(&*weights) {
                *step += weight * entry * force;
            }
        }
    }

    fn step(&self, place: usize) -> f64 {
        self.pull.get(place).copied().filter(|step| step.is_finite()).unwrap_or(0.0)
    }
}
