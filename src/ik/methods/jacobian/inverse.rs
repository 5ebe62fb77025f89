//! The inverses of the Jacobian methods, each for the rows of one level.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4};
use std::ops::Range;

use glam::DVec3;

use crate::linear::{dot, solve_damped};
use sinew_base::mathematics::eigen;

use super::{Inverse, Jacobian, dot_entries};

/// A direction whose eigenvalue is at most this fraction of the largest one counts as singular for the pseudo-inverse:
/// its singular value is a thousandth of the largest.
const SINGULAR: f64 = 1e-6;
/// Eigenvalues at or below this fraction of the largest one are rounding errors.
const ZERO: f64 = 1e-12;
/// γ_max of selectively damped least squares: the largest turn of a joint (Buss & Kim 2005, section 4).
const LARGEST_TURN: f64 = FRAC_PI_4;

impl Jacobian {
    /// Replaces the errors in the rows of `y` with the inverse of `small` times these errors. Overwrites `small`.
    pub(super) fn invert(&mut self, rows: Range<usize>, inverse: Inverse) {
        let n = rows.len();
        let y = &mut self.y[rows.clone()];
        match inverse {
            Inverse::Damped(lambda2) => solve_damped(&mut self.small, y, lambda2),
            Inverse::Transpose(Some(step)) => y.iter_mut().for_each(|e| *e *= step),
            Inverse::Transpose(None) => {
                // ⟨e, M e⟩ and ⟨M e, M e⟩.
                let (top, bottom) = self.small.chunks_exact(n).zip(&*y).fold((0.0, 0.0), |sums, (row, e)| {
                    let row = dot(row, y);
                    (sums.0 + row * e, sums.1 + row * row)
                });
                let step = if bottom > 0.0 { top / bottom } else { 0.0 };
                y.iter_mut().for_each(|e| *e *= step);
            }
            Inverse::Pseudo => {
                self.vectors.resize(n * n, 0.0);
                eigen(&mut self.small, &mut self.vectors, n);
                let largest = largest_eigenvalue(&self.small, n);
                self.right.clear();
                self.right.extend_from_slice(y);
                y.fill(0.0);
                for (i, vector) in self.vectors.chunks_exact(n).enumerate() {
                    let value = self.small[i * n + i];
                    if value > SINGULAR * largest {
                        let coefficient = dot(vector, &self.right) / value;
                        y.iter_mut().zip(vector).for_each(|(y, v)| *y += coefficient * v);
                    }
                }
            }
            Inverse::Selective => self.invert_selectively(rows),
        }
    }

    /// Solves by selectively damped least squares (Buss & Kim 2005). The maximum angle along a singular vector is
    /// reduced if the distances by which the individual joints would move the effectors add up to more than the
    /// effectors move in total.
    fn invert_selectively(&mut self, rows: Range<usize>) {
        let n = rows.len();
        self.vectors.resize(n * n, 0.0);
        eigen(&mut self.small, &mut self.vectors, n);
        let largest = largest_eigenvalue(&self.small, n);
        self.right.clear();
        self.right.extend_from_slice(&self.y[rows.clone()]);
        self.y[rows.clone()].fill(0.0);
        for i in 0..n {
            let value = self.small[i * n + i];
            if value <= ZERO * largest {
                continue;
            }
            let u = &self.vectors[i * n..(i + 1) * n];
            let alpha = dot(u, &self.right);
            let gained: f64 = u.chunks_exact(3).map(|u| DVec3::from_slice(u).length()).sum();
            self.along.clear();
            self.along.resize(self.y.len(), 0.0);
            self.along[rows.clone()].copy_from_slice(u);
            // Both values apply to the turns W Jᵀ u. The right singular vector is 1/σ times these turns, and is applied
            // with the factor α/σ.
            let (turn, spread) = self.turn_and_spread(rows.clone());
            let (turn, spread) = (turn * (alpha / value).abs(), spread / value);
            let allowed = LARGEST_TURN * if spread > gained { gained / spread } else { 1.0 };
            let scale = alpha / value * if turn > allowed { allowed / turn } else { 1.0 };
            let u = &self.vectors[i * n..(i + 1) * n];
            self.y[rows.clone()].iter_mut().zip(u).for_each(|(y, u)| *y += scale * u);
        }
        self.along.clone_from(&self.y);
        self.along[..rows.start].fill(0.0);
        let (largest, _) = self.turn_and_spread(rows.clone());
        if largest > LARGEST_TURN {
            self.y[rows].iter_mut().for_each(|y| *y *= LARGEST_TURN / largest);
        }
    }

    /// Returns the largest turn of a joint that `along` causes, and the sum of the distances by which the individual
    /// joints move the effectors. On input, `along` is zero except for the rows of one level. The function adds the
    /// part that keeps the earlier levels undisturbed.
    fn turn_and_spread(&mut self, rows: Range<usize>) -> (f64, f64) {
        if self.elimination.rank() > 0 {
            self.lift.clear();
            self.lift.resize(self.elimination.rank(), 0.0);
            self.elimination.add_transposed(rows.clone(), &self.along[rows], &mut self.lift);
            self.elimination.subtract_backward(&mut self.lift, &mut self.along);
        }
        let (mut largest, mut spread) = (0.0, 0.0);
        for columns in self.columns.iter().filter(|c| c.weight > 0.0) {
            let below = &self.below[columns.blocks.0..columns.blocks.1];
            let entries = &self.entries[columns.entries..columns.entries + columns.count * below.len()];
            let mut turn = DVec3::ZERO;
            for (axis, column) in
                self.axes[columns.axes..].iter().zip(entries.chunks_exact(below.len().max(1)))
            {
                turn += *axis * (columns.weight * dot_entries(column, below, &self.along));
            }
            // Three columns form a cross-product matrix, whose Frobenius norm is √2 times the length of the arm.
            let factor = if columns.count == 3 { FRAC_1_SQRT_2 } else { 1.0 };
            let reach = |place| {
                let column = entries.iter().skip(place).step_by(below.len());
                factor * column.map(|entry| entry.length_squared()).sum::<f64>().sqrt()
            };
            spread += turn.length() * (0..below.len()).map(reach).sum::<f64>();
            largest = f64::max(largest, turn.length());
        }
        (largest, spread)
    }
}

/// Returns the largest entry on the diagonal of a matrix of n rows.
fn largest_eigenvalue(diagonal: &[f64], n: usize) -> f64 {
    diagonal.iter().step_by(n + 1).copied().fold(0.0, f64::max)
}
