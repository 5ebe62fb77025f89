//! Strict priorities, solved in the small space of the tasks.
//!
//! With A = J W Jᵀ, a level computes y = (S + λ²I)⁻¹ r. Here S = A₂₂ − A₂₁ A₁₁⁺ A₁₂ is the Schur complement of A with respect to all rows
//! of the levels before it, and r is the error that these levels leave. The turns are W J₂ᵀ y minus the part that would affect earlier
//! rows, W J₁ᵀ A₁₁⁺ A₁₂ y. The result of all levels is again W Jᵀ y with one vector y (Siciliano & Slotine 1991, with the weighted
//! projector of Whitney 1969 in the space of the tasks).

use glam::{DMat3, DVec3};

use crate::damping::{FLOOR, LEVEL_SHARE};
use crate::linear::dot;
use crate::tree::Tree;

use super::{Columns, GOALS, Inverse, Jacobian, LEVELS, dot_entries};

impl Jacobian {
    /// Computes the turns without regard to limits, except for the locked directions.
    pub(super) fn solve_open(&mut self, tree: &Tree, inverse: Inverse) {
        let n = self.level_starts[LEVELS];
        self.compute_residual(tree);
        let pulls = self.project_pull(tree);
        self.dependent = 0;
        self.y.clear();
        self.y.resize(n, 0.0);
        if n > 0 {
            self.assemble(n);
            self.solve_levels(n, inverse, pulls);
        }
        self.compute_turns(tree);
    }

    /// Solves the levels in order. `pulls` indicates whether there is a posture.
    fn solve_levels(&mut self, n: usize, inverse: Inverse, pulls: bool) {
        let used = |l: &usize| self.level_starts[*l] < self.level_starts[l + 1];
        let last = (0..LEVELS).rev().find(used).unwrap_or(0);
        self.rest.clone_from(&self.residual);
        if !pulls && self.level_starts[last] == 0 {
            self.elimination.start(&[], 0);
            std::mem::swap(&mut self.matrix, &mut self.small);
            return self.solve_level(last, inverse);
        }
        self.elimination.start(&self.matrix, n);
        self.sums.clear();
        for level in 0..=last {
            let (start, end) = (self.level_starts[level], self.level_starts[level + 1]);
            if start == end {
                continue;
            }
            self.small.clear();
            for row in self.matrix[start * n..end * n].chunks_exact(n) {
                self.small.extend_from_slice(&row[start..end]);
            }
            self.solve_level(level, inverse);
            let y = &self.y[start..end];
            self.elimination.add_transposed(start..end, y, &mut self.sums);
            for row in end..n {
                self.rest[row] -= dot(&self.matrix[row * n + start..row * n + end], y);
            }
            if level < last || pulls {
                self.dependent += self.elimination.eliminate(&mut self.matrix, start..end);
                self.sums.resize(self.elimination.rank(), 0.0);
            }
        }
        if pulls {
            self.elimination.add_forward(&mut self.drift, &mut self.sums);
        }
        self.elimination.subtract_backward(&mut self.sums, &mut self.y);
    }

    /// Solves one level, whose matrix is in `small`, and stores its part of y.
    fn solve_level(&mut self, level: usize, inverse: Inverse) {
        let (start, end) = (self.level_starts[level], self.level_starts[level + 1]);
        self.y[start..end].copy_from_slice(&self.rest[start..end]);
        let inverse = if level == GOALS {
            inverse
        } else {
            let share = self.boost * LEVEL_SHARE * self.error2(level);
            let floor = self.boost.max(1.0) * (FLOOR * self.length * self.length);
            Inverse::Damped(self.freedom * (share + floor))
        };
        self.invert(start..end, inverse);
    }

    /// Computes the errors that the fixed rotations leave.
    fn compute_residual(&mut self, tree: &Tree) {
        let mut residual = std::mem::take(&mut self.residual);
        residual.clear();
        residual.extend(self.rows.iter().flat_map(|row| row.error.to_array()));
        for (index, &turn) in self.fixed.iter().enumerate().filter(|(_, turn)| **turn != DVec3::ZERO) {
            self.responses(tree, index, turn, |block, change| add(&mut residual, block, -change));
        }
        self.residual = residual;
    }

    /// Removes the locked directions from the rotations of the posture, and stores the resulting changes of the tasks
    /// in `drift`. Returns whether the posture has any rotations.
    fn project_pull(&mut self, tree: &Tree) -> bool {
        if self.pull.iter().all(|turn| *turn == DVec3::ZERO) {
            return false;
        }
        let mut drift = std::mem::take(&mut self.drift);
        drift.clear();
        drift.resize(self.level_starts[LEVELS], 0.0);
        for (index, &turn) in self.pull.iter().enumerate() {
            let turn = self.open_part(index, turn);
            self.responses(tree, index, turn, |block, change| add(&mut drift, block, change));
        }
        self.drift = drift;
        true
    }

    /// Stores A = J W Jᵀ in `matrix`.
    fn assemble(&mut self, n: usize) {
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        let mut rest = &self.columns[..];
        while let Some(first) = rest.first() {
            // Most neighbouring joints, such as the joints of a chain, move the same blocks.
            let below = &self.below[first.blocks.0..first.blocks.1];
            let same = |c: &&Columns| self.below[c.blocks.0..c.blocks.1] == *below;
            let (run, others) = rest.split_at(rest.iter().take_while(same).count());
            match below.len() {
                0 => {}
                1 => add_columns::<3>(&mut self.matrix, n, run, &self.entries, below),
                2 => add_columns::<6>(&mut self.matrix, n, run, &self.entries, below),
                _ => add_many_columns(&mut self.matrix, n, run, &self.entries, below),
            }
            rest = others;
        }
        for i in 0..n {
            for j in 0..i {
                self.matrix[j * n + i] = self.matrix[i * n + j];
            }
        }
    }

    /// Computes the turns: the sum of ω = W Jᵀ y, the fixed rotations and the posture.
    fn compute_turns(&mut self, tree: &Tree) {
        for index in 0..tree.joints.len() {
            let pull = self.pull[index];
            let pull = if pull == DVec3::ZERO { pull } else { self.open_part(index, pull) };
            self.turns[index] = self.fixed[index] + pull + self.column_step(index);
        }
        self.root_step = self.column_step(tree.joints.len());
    }

    /// Returns W Jᵀ y for the columns of a joint or of the base.
    #[inline]
    pub(super) fn column_step(&self, index: usize) -> DVec3 {
        let columns = &self.columns[index];
        let below = &self.below[columns.blocks.0..columns.blocks.1];
        if columns.weight == 0.0 || below.is_empty() {
            return DVec3::ZERO;
        }
        let axes = &self.axes[columns.axes..columns.axes + columns.count];
        let entries = self.entries[columns.entries..].chunks_exact(below.len());
        let steps = axes.iter().zip(entries).map(|(axis, e)| *axis * dot_entries(e, below, &self.y));
        steps.sum::<DVec3>() * columns.weight
    }
}

/// Adds a vector to the rows of a block.
#[inline]
fn add(rows: &mut [f64], block: usize, change: DVec3) {
    rows[3 * block..3 * block + 3].iter_mut().zip(change.to_array()).for_each(|(r, c)| *r += c);
}

/// Adds the columns of joints that move the same `N / 3` blocks to the lower triangle of a matrix of n columns.
fn add_columns<const N: usize>(
    matrix: &mut [f64],
    n: usize,
    run: &[Columns],
    entries: &[DVec3],
    below: &[usize],
) {
    let mut sum = [[0.0; N]; N];
    for columns in run.iter().filter(|c| c.weight > 0.0) {
        let entries = &entries[columns.entries..columns.entries + columns.count * below.len()];
        for column in entries.chunks_exact(below.len()) {
            let mut values = [0.0; N];
            for (values, entry) in values.chunks_exact_mut(3).zip(column) {
                values.copy_from_slice(&entry.to_array());
            }
            for i in 0..N {
                let weighted = columns.weight * values[i];
                for j in 0..=i {
                    sum[i][j] += weighted * values[j];
                }
            }
        }
    }
    for (i, row) in sum.iter().enumerate() {
        let start = (3 * below[i / 3] + i % 3) * n;
        for (&block, values) in below.iter().zip(row.chunks_exact(3)).take(i / 3 + 1) {
            let target = &mut matrix[start + 3 * block..start + 3 * block + 3];
            target.iter_mut().zip(values).for_each(|(m, v)| *m += v);
        }
    }
}

/// Adds the columns of joints that move the same blocks to the lower triangle of a matrix of n columns.
fn add_many_columns(matrix: &mut [f64], n: usize, run: &[Columns], entries: &[DVec3], below: &[usize]) {
    for columns in run.iter().filter(|c| c.weight > 0.0) {
        let entries = &entries[columns.entries..columns.entries + columns.count * below.len()];
        for column in entries.chunks_exact(below.len()) {
            for (place, (&a, entry)) in below.iter().zip(column).enumerate() {
                let weighted = *entry * columns.weight;
                for (&b, other) in below[..=place].iter().zip(column) {
                    add_outer(matrix, 3 * a * n + 3 * b, n, weighted, *other);
                }
            }
        }
    }
}

/// Adds a bᵀ to the block that begins at an index in a matrix of n columns.
fn add_outer(matrix: &mut [f64], at: usize, n: usize, a: DVec3, b: DVec3) {
    let outer = DMat3::from_cols(b * a.x, b * a.y, b * a.z);
    for (row, values) in [outer.x_axis, outer.y_axis, outer.z_axis].into_iter().enumerate() {
        let start = at + row * n;
        matrix[start..start + 3].iter_mut().zip(values.to_array()).for_each(|(m, v)| *m += v);
    }
}
