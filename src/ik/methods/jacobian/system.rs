//! The small system of equations of the tasks, and its inverses.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

use glam::{DMat3, DVec3};

use crate::ik::Limit;
use crate::ik::linear::solve_cholesky;
use crate::ik::rotation::rotation_vector;
use crate::ik::tree::Tree;
use crate::mathematics::eigen;

use super::step::retract;
use super::{Inverse, Jacobian, TaskKind, outer};

/// Maximum number of rounds per iteration. A round locks the joints that reach their limits and solves for the
/// others.
const LOCK_ROUNDS: usize = 6;

impl Jacobian {
    /// Computes the rotations that meet the tasks to first order within the limits. A joint that would exceed its
    /// limit goes to the limit and is locked for this iteration. The other joints then solve for the remaining error.
    pub(in crate::ik) fn solve(&mut self, tree: &Tree, inverse: Inverse) {
        for round in 0..LOCK_ROUNDS {
            self.solve_unlimited(inverse);
            let last_round = round + 1 == LOCK_ROUNDS;
            if last_round || !self.lock_at_limits(tree) {
                return;
            }
        }
    }

    /// Locks the joints that the current solution would turn beyond their limits. Returns whether there were any.
    fn lock_at_limits(&mut self, tree: &Tree) -> bool {
        let mut locked = false;
        for (index, joint) in tree.joints.iter().enumerate() {
            if joint.limit == Limit::Free || self.turns[index] == DVec3::ZERO {
                continue;
            }
            let requested =
                (retract(tree.axis_to_frame(joint, self.turns[index])) * joint.rotation).normalize();
            let beyond = rotation_vector(requested * joint.allowed(requested).conjugate());
            let length = beyond.length();
            if length < 1e-9 {
                continue;
            }
            let outward = tree.base_from_axes(joint) * (beyond / length);
            let freedom = &mut self.freedom[index];
            let open = DMat3::IDENTITY - outer(outward, outward);
            // This direction is already locked. The joint is still beyond its limit only because the limit is curved.
            if outward.dot(*freedom * outward) < 1e-9 * joint.weight {
                continue;
            }
            let to_limit = self.turns[index].dot(outward) - length;
            *freedom = open * *freedom * open;
            self.pull[index] = open * self.pull[index] + outward * to_limit;
            locked = true;
        }
        locked
    }

    /// Computes the rotations without limits.
    fn solve_unlimited(&mut self, inverse: Inverse) {
        let n = 3 * self.rows.len();
        self.assemble(n);
        if n == 0 {
            return self.compute_turns();
        }
        match inverse {
            Inverse::Damped(lambda2) => {
                (0..n).for_each(|i| self.matrix[i * n + i] += lambda2);
                solve_cholesky(&mut self.matrix, &mut self.y);
            }
            Inverse::Transpose => {
                // ⟨e, M e⟩ and ⟨M e, M e⟩.
                let (top, bottom) = (0..n).fold((0.0, 0.0), |(top, bottom), i| {
                    let row = dot(&self.matrix[i * n..(i + 1) * n], &self.y);
                    (top + row * self.y[i], bottom + row * row)
                });
                let step = if bottom > 0.0 { top / bottom } else { 0.0 };
                self.y.iter_mut().for_each(|e| *e *= step);
            }
            Inverse::Pseudo => {
                self.vectors.resize(n * n, 0.0);
                eigen(&mut self.matrix, &mut self.vectors, n);
                let largest = (0..n).map(|i| self.matrix[i * n + i]).fold(0.0, f64::max);
                self.right.clone_from(&self.y);
                self.y.fill(0.0);
                for (i, vector) in self.vectors.chunks_exact(n).enumerate() {
                    let value = self.matrix[i * n + i];
                    // A direction below a thousandth of the largest singular value counts as singular.
                    if value > 1e-6 * largest {
                        let coefficient = dot(vector, &self.right) / value;
                        self.y.iter_mut().zip(vector).for_each(|(y, v)| *y += coefficient * v);
                    }
                }
            }
            Inverse::Selective => return self.solve_selective(n),
        }
        self.compute_turns();
    }

    /// Stores M = J W Jᵀ in `matrix` and e − J h in `y`.
    fn assemble(&mut self, n: usize) {
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        self.y.clear();
        self.y.extend(self.rows.iter().flat_map(|t| t.error.to_array()));
        for (joint, &(first, last)) in self.spans.iter().enumerate() {
            let (freedom, pull) = (self.freedom[joint], self.pull[joint]);
            for (place, a) in self.levers[first..last].iter().enumerate() {
                if pull != DVec3::ZERO {
                    let done = (a.matrix * pull).to_array();
                    self.y[3 * a.row..].iter_mut().zip(done).for_each(|(y, d)| *y -= d);
                }
                let moved = a.matrix * freedom;
                for b in &self.levers[first..=first + place] {
                    add_block(&mut self.matrix, n, a.row, b.row, moved * b.matrix.transpose());
                }
            }
        }
        if self.root_weight > 0.0 {
            for (i, a) in self.rows.iter().enumerate().filter(|(_, t)| t.kind == TaskKind::Position) {
                let done = (a.scale * self.root_pull).to_array();
                self.y[3 * i..].iter_mut().zip(done).for_each(|(y, d)| *y -= d);
                for (j, b) in
                    self.rows.iter().enumerate().take(i + 1).filter(|(_, t)| t.kind == TaskKind::Position)
                {
                    let block = DMat3::from_diagonal(DVec3::splat(a.scale * b.scale * self.root_weight));
                    add_block(&mut self.matrix, n, i, j, block);
                }
            }
        }
        for i in 0..n {
            for j in 0..i {
                self.matrix[j * n + i] = self.matrix[i * n + j];
            }
        }
    }

    /// Computes ω = h + W Jᵀ y.
    fn compute_turns(&mut self) {
        for (joint, &(first, last)) in self.spans.iter().enumerate() {
            let levers = self.levers[first..last].iter();
            let sum: DVec3 = levers.map(|l| l.matrix.transpose_mul_vec3(task_rows(&self.y, l.row))).sum();
            self.turns[joint] = self.pull[joint] + self.freedom[joint] * sum;
        }
        let positions = self.rows.iter().enumerate().filter(|(_, t)| t.kind == TaskKind::Position);
        let pulled: DVec3 = positions.map(|(i, t)| t.scale * task_rows(&self.y, i)).sum();
        self.root_step = self.root_pull + self.root_weight * pulled;
    }

    /// Solves by selectively damped least squares (Buss & Kim 2005). The maximum angle along a singular vector is
    /// reduced if the distances by which the single joints would move the effectors add up to more than the effectors
    /// move in total.
    fn solve_selective(&mut self, n: usize) {
        self.vectors.resize(n * n, 0.0);
        eigen(&mut self.matrix, &mut self.vectors, n);
        self.total.clear();
        self.total.extend_from_slice(&self.pull);
        let largest = (0..n).map(|i| self.matrix[i * n + i]).fold(0.0, f64::max);
        for (i, u) in self.vectors.chunks_exact(n).enumerate() {
            let value = self.matrix[i * n + i];
            if value <= 1e-12 * largest {
                continue;
            }
            let (sigma, alpha) = (value.sqrt(), dot(u, &self.y));
            let gained: f64 = u.chunks_exact(3).map(|u| DVec3::from_slice(u).length()).sum();
            let (mut spread, mut largest) = (0.0, 0.0_f64);
            for (joint, &(first, last)) in self.spans.iter().enumerate() {
                let levers = &self.levers[first..last];
                let along: DVec3 =
                    levers.iter().map(|l| l.matrix.transpose_mul_vec3(task_rows(u, l.row))).sum();
                let v = self.freedom[joint] * along / sigma;
                // A lever is the matrix of a cross product, so its Frobenius norm is √2 times the length of the arm.
                let reach: f64 = levers.iter().map(|l| frobenius(l.matrix) * FRAC_1_SQRT_2).sum();
                spread += v.length() * reach / sigma;
                self.turns[joint] = v * (alpha / sigma);
                largest = largest.max(self.turns[joint].length());
            }
            let allowed = FRAC_PI_4 * if spread > gained { gained / spread } else { 1.0 };
            let scale = if largest > allowed { allowed / largest } else { 1.0 };
            self.total.iter_mut().zip(&self.turns).for_each(|(t, v)| *t += *v * scale);
        }
        let largest = self.total.iter().map(|t| t.length()).fold(0.0, f64::max);
        let scale = if largest > FRAC_PI_4 { FRAC_PI_4 / largest } else { 1.0 };
        self.turns.iter_mut().zip(&self.total).for_each(|(turn, sum)| *turn = *sum * scale);
    }
}

fn add_block(matrix: &mut [f64], n: usize, row: usize, column: usize, block: DMat3) {
    // A block above the diagonal is the transpose of the mirrored one below the diagonal.
    let (row, column, block) =
        if row >= column { (row, column, block) } else { (column, row, block.transpose()) };
    for i in 0..3 {
        let at = (3 * row + i) * n + 3 * column;
        matrix[at..at + 3].iter_mut().zip(block.row(i).to_array()).for_each(|(m, b)| *m += b);
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the three rows of a task.
fn task_rows(y: &[f64], row: usize) -> DVec3 {
    DVec3::from_slice(&y[3 * row..3 * row + 3])
}

fn frobenius(m: DMat3) -> f64 {
    (m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()).sqrt()
}
