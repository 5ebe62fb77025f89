//! Normal equations of a small weighted least-squares problem.

use crate::ik::linear::solve_damped;

/// Smallest pivot of the factorisation.
const FLOOR: f64 = 1e-9;

/// The normal equations H x = −g of a sum of squares, and equations that are added to them with a large weight.
#[derive(Clone, Debug, Default)]
pub(super) struct Normal {
    n: usize,
    /// The lower triangle of H.
    h: Vec<f64>,
    g: Vec<f64>,
    /// One row of a large equation, while it is built.
    pub(super) row: Vec<f64>,
    factor: Vec<f64>,
    /// H and g without the added equations.
    saved: (Vec<f64>, Vec<f64>),
    /// The solution.
    pub(super) x: Vec<f64>,
}

impl Normal {
    /// Starts with `n` unknowns.
    pub(super) fn start(&mut self, n: usize) {
        self.n = n;
        self.h.clear();
        self.h.resize(n * n, 0.0);
        self.g.clear();
        self.g.resize(n, 0.0);
        self.row.clear();
        self.row.resize(n, 0.0);
    }

    /// Adds weight² (x + residual)² for one unknown.
    pub(super) fn add_unknown(&mut self, unknown: usize, residual: f64, weight: f64) {
        let square = weight * weight;
        self.h[unknown * self.n + unknown] += square;
        self.g[unknown] += square * residual;
    }

    /// Adds weight² (row · x + residual)², and clears the row. `curvature` is the factor of the second derivative, 1 for
    /// a linear residual.
    pub(super) fn add_row(&mut self, residual: f64, weight: f64, curvature: f64) {
        let square = weight * weight;
        for i in 0..self.n {
            let a = self.row[i];
            if a == 0.0 {
                continue;
            }
            self.g[i] += square * residual * a;
            let scaled = square * curvature * a;
            let line = &mut self.h[i * self.n..=i * self.n + i];
            line.iter_mut().zip(&self.row).for_each(|(h, b)| *h += scaled * b);
        }
        self.row.fill(0.0);
    }

    /// Returns the value of the current row for the solution.
    pub(super) fn predicted(&self) -> f64 {
        self.row.iter().zip(&self.x).map(|(row, x)| row * x).sum()
    }

    /// Saves the equations, so that [`Normal::restore`] removes those that follow.
    pub(super) fn save(&mut self) {
        self.saved.0.clone_from(&self.h);
        self.saved.1.clone_from(&self.g);
    }

    /// Removes the equations that were added since [`Normal::save`].
    pub(super) fn restore(&mut self) {
        self.h.clone_from(&self.saved.0);
        self.g.clone_from(&self.saved.1);
    }

    /// Solves for `x`. Every unknown has the weight `damping`.
    pub(super) fn solve(&mut self, damping: f64) {
        self.factor.clone_from(&self.h);
        (0..self.n).for_each(|i| self.factor[i * self.n + i] += damping * damping);
        self.x.clear();
        self.x.extend(self.g.iter().map(|g| -g));
        solve_damped(&mut self.factor, &mut self.x, FLOOR);
    }
}
