//! Determines which effectors are held back by limits.
//!
//! At the nearest pose within limits, the gradient of the squared error points out of the limits (Karush 1939; Kuhn &
//! Tucker 1951): no allowed direction reduces the error, but a forbidden direction does. Both conditions are checked with the linear least
//! squares problem of the pose. The problem is solved with and without limits, and the error reductions of the two steps are compared.

use glam::DVec3;

use crate::Outcome;
use crate::damping::{BOUNDED_FLOOR, OUTCOME_SHARE};
use crate::linear::{dot, solve_damped};
use crate::tree::{Role, Tree};

use super::Evidence;
use super::border::{Coordinate, coordinates};
use super::rows::{Rows, errors, responses};

/// An error counts as stationary if the allowed step reduces its square by at most this fraction.
const AT_REST: f64 = 1e-2;
/// Limits hold an effector back if more than this fraction of its squared error would vanish without them.
const HELD: f64 = 1e-2;
/// Exceeding a limit by less than this angle (in radians) counts as a rounding error.
const ROUNDING: f64 = 1e-12;
/// Number of rounds that move all unknowns to or from their bounds at once, and maximum number of rounds. The later
/// rounds move only one unknown each, because moving many at once may cycle (Júdice & Pires 1994, section 3).
const BLOCK_ROUNDS: usize = 8;
const ROUNDS: usize = 64;
/// Movement of the base in metres that counts as much as one radian of a joint, as a fraction of the length of the chain.
const ROOT: f64 = 0.5;

/// The evidence about an effector.
#[derive(Clone, Copy, Debug, Default)]
struct Verdict {
    /// Whether no allowed direction reduces the effector's error.
    at_rest: bool,
    /// Whether the effector's error would fall without limits.
    is_held: bool,
    /// The squared error, and the squared error that remains after the allowed step.
    square: f64,
    left: f64,
}

/// A coordinate of a joint, or of the base, as an unknown.
#[derive(Clone, Copy, Debug)]
struct Unknown {
    coordinate: Coordinate,
    room: [f64; 2],
    damping: f64,
    value: f64,
    /// Whether the value is at an end of the coordinate's range.
    is_bound: bool,
}

/// The least squares problem of a pose. Buffers are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Multipliers {
    unknowns: Vec<Unknown>,
    /// The rows of each unknown, one unknown after the other.
    columns: Vec<f64>,
    /// The first row of each effector, and the number of rows.
    starts: Vec<usize>,
    errors: Vec<f64>,
    /// The errors that remain after the step.
    rest: Vec<f64>,
    matrix: Vec<f64>,
    verdicts: Vec<Verdict>,
}

impl Multipliers {
    /// Evaluates the effectors of a tree in its current pose.
    pub(crate) fn judge(&mut self, tree: &Tree) {
        self.set_rows(tree);
        self.set_unknowns(tree);
        self.verdicts.clear();
        self.verdicts.resize(tree.tasks.len(), Verdict::default());
        if !self.is_limited() {
            return;
        }
        self.solve(|_| true);
        for (task, verdict) in self.verdicts.iter_mut().enumerate() {
            let rows = self.starts[task]..self.starts[task + 1];
            verdict.square = square(&self.errors[rows.clone()]);
            verdict.left = square(&self.rest[rows]);
            verdict.at_rest = verdict.square - verdict.left <= AT_REST * verdict.square;
        }
        // The lengths of a tree include the ranges of prismatic joints. These ranges therefore do not count as blocking
        // if a target is beyond the lengths.
        let has_strokes = self.unknowns.iter().any(|unknown| unknown.coordinate.is_stroke);
        for keeps_strokes in [false, true] {
            if keeps_strokes && !has_strokes {
                break;
            }
            self.solve(|coordinate| keeps_strokes && coordinate.is_stroke);
            for (task, verdict) in self.verdicts.iter_mut().enumerate() {
                if !keeps_strokes || tree.is_beyond_bones(task) {
                    let free = square(&self.rest[self.starts[task]..self.starts[task + 1]]);
                    verdict.is_held = verdict.left - free > HELD * verdict.square;
                }
            }
        }
    }

    /// Returns the evidence about an effector that misses its goal.
    pub(crate) fn evidence(&self, tree: &Tree, effector: usize) -> Evidence {
        let Verdict { at_rest, is_held, .. } = self.verdicts.get(effector).copied().unwrap_or_default();
        let held = is_held.then_some(Outcome::BlockedByLimits);
        let (beyond_bones, limited) = (tree.is_beyond_bones(effector), self.is_limited());
        Evidence { held, at_rest, beyond_bones, limited, ..Evidence::default() }
    }

    /// Returns whether a joint has a limit.
    fn is_limited(&self) -> bool {
        self.unknowns.iter().any(|unknown| !unknown.coordinate.is_free())
    }

    /// Sets the errors of all effectors.
    fn set_rows(&mut self, tree: &Tree) {
        self.starts.clear();
        self.errors.clear();
        for task in &tree.tasks {
            self.starts.push(self.errors.len());
            self.errors
                .extend(errors(task, tree.length()).into_iter().flatten().flat_map(|row| row.to_array()));
        }
        self.starts.push(self.errors.len());
    }

    /// Sets the unknowns: the coordinates of all joints, and the translation of the base if it moves.
    fn set_unknowns(&mut self, tree: &Tree) {
        self.unknowns.clear();
        self.columns.clear();
        let length = tree.length();
        let damping =
            (OUTCOME_SHARE * square(&self.errors).sqrt() * length).max(BOUNDED_FLOOR * length * length);
        for (index, joint) in tree.joints.iter().enumerate().filter(|(_, j)| j.role != Role::Follower) {
            let motion = |turn: DVec3, task: usize| {
                let is_below = || tree.tasks_below(index).any(|place| tree.task_at(place) == task);
                (joint.role != Role::Single || is_below()).then(|| tree.effector_motion(index, turn, task))
            };
            let push = |turn: DVec3| {
                let rows = self.errors.iter();
                rows.zip(rows_of(tree, |task| motion(turn, task)))
                    .map(|(error, row)| error * row)
                    .sum::<f64>()
            };
            let mut outward = 0.0;
            for coordinate in coordinates(tree, joint, push).into_iter().flatten() {
                let bend = coordinate.curvature * f64::max(outward, 0.0);
                outward = push(coordinate.turn);
                self.columns.extend(rows_of(tree, |task| motion(coordinate.turn, task)));
                self.unknowns.push(Unknown::new(coordinate, damping + bend));
            }
        }
        for axis in DVec3::AXES.into_iter().filter(|_| tree.root_moves) {
            self.columns.extend(rows_of(tree, |_| Some((DVec3::ZERO, axis * (ROOT * length)))));
            self.unknowns.push(Unknown::new(Coordinate::free(axis), damping));
        }
    }

    /// Computes the errors that remain after the best step, by block principal pivoting. Only the coordinates that
    /// `bounds` selects are limited.
    fn solve(&mut self, bounds: impl Fn(&Coordinate) -> bool) {
        for unknown in &mut self.unknowns {
            unknown.room = unknown.coordinate.room_if(bounds(&unknown.coordinate));
            unknown.value = 0.0;
            unknown.is_bound = unknown.room[1] - unknown.room[0] < ROUNDING;
        }
        for round in 0..ROUNDS {
            self.solve_open();
            if !self.pivot(round >= BLOCK_ROUNDS) {
                break;
            }
        }
    }

    /// Solves for the unknowns that are not at their bounds. The others keep their values.
    fn solve_open(&mut self) {
        let n = self.errors.len();
        self.rest.clone_from(&self.errors);
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        for (unknown, column) in self.unknowns.iter().zip(self.columns.chunks_exact(n.max(1))) {
            if unknown.is_bound {
                self.rest.iter_mut().zip(column).for_each(|(r, c)| *r -= c * unknown.value);
                continue;
            }
            for (row, entry) in self.matrix.chunks_exact_mut(n).zip(column) {
                let factor = entry / unknown.damping;
                row.iter_mut().zip(column).for_each(|(m, c)| *m += factor * c);
            }
        }
        // If W is the inverse of the damping, the step W Jᵀ (J W Jᵀ + 1)⁻¹ e leaves the error (J W Jᵀ + 1)⁻¹ e.
        solve_damped(&mut self.matrix, &mut self.rest, 1.0);
        for (unknown, column) in self.unknowns.iter_mut().zip(self.columns.chunks_exact(n.max(1))) {
            if !unknown.is_bound {
                unknown.value = dot(column, &self.rest) / unknown.damping;
            }
        }
    }

    /// Moves unknowns beyond their bounds to the bounds, and releases unknowns that the error pulls away from their bounds. Returns whether
    /// any unknown was moved or released.
    fn pivot(&mut self, single: bool) -> bool {
        let n = self.errors.len();
        let mut changed = false;
        for (unknown, column) in self.unknowns.iter_mut().zip(self.columns.chunks_exact(n.max(1))).rev() {
            let [least, most] = unknown.room;
            if unknown.is_bound {
                let wanted = dot(column, &self.rest) / unknown.damping;
                let inward = if unknown.value >= most { wanted < most } else { wanted > least };
                if !inward || most - least < ROUNDING {
                    continue;
                }
                unknown.is_bound = false;
            } else if unknown.value < least - ROUNDING || unknown.value > most + ROUNDING {
                (unknown.value, unknown.is_bound) = (unknown.value.clamp(least, most), true);
            } else {
                continue;
            }
            changed = true;
            if single {
                break;
            }
        }
        changed
    }
}

impl Unknown {
    fn new(coordinate: Coordinate, damping: f64) -> Self {
        Self { coordinate, room: coordinate.room, damping, value: 0.0, is_bound: false }
    }
}

/// Returns the rows of an unknown that turns and moves the effectors.
fn rows_of(tree: &Tree, motion: impl Fn(usize) -> Option<(DVec3, DVec3)>) -> impl Iterator<Item = f64> {
    tree.tasks.iter().enumerate().flat_map(move |(index, task)| {
        let (turned, moved) = motion(index).unwrap_or_default();
        let rows: Rows = responses(task, turned, moved);
        rows.into_iter().flatten().flat_map(|row| row.to_array())
    })
}

/// Returns the squared length of a vector.
fn square(rows: &[f64]) -> f64 {
    dot(rows, rows)
}
