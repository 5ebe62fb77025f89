//! The second-order correction of a step.

use super::super::problem::Problem;
use super::super::rows::{Kind, Rows};
use super::{Newton, Trial};
use crate::qp::{backward, cholesky, forward};

/// The active rows of a step, the Cholesky factor of their products, and their residuals.
#[derive(Clone, Debug, Default)]
pub(super) struct Correction {
    active: Vec<usize>,
    products: Vec<f64>,
    left: Vec<f64>,
}

impl Newton {
    /// Moves a trial pose back onto the active rows, which are curved, using the factors of the step (Maratos 1978;
    /// Fletcher 1982).
    pub(super) fn correct(&mut self, problem: &Problem, size: f64, enough: f64) {
        let n = problem.model.count;
        let m = self.rows.near.len();
        let is_active = |k: &usize| {
            let row = self.rows.near[*k];
            let violated = self.trial_rows.all[row].value < 0.0 || self.qp.y[*k] > 0.0;
            self.rows.all[row].kind != Kind::Comfort
                && self.qp.free[*k]
                && (self.rows.all[row].is_equality || violated)
        };
        let Correction { active, products, left } = &mut self.correction;
        active.clear();
        active.extend((0..m).filter(is_active));
        let k = active.len();
        if k == 0 {
            return;
        }
        products.clear();
        products.resize(k * k, 0.0);
        let mean: f64 = active.iter().map(|&i| self.qp.a[i * m + i]).sum::<f64>()
            / f64::from(u32::try_from(k).unwrap_or(1));
        for (i, &row) in active.iter().enumerate() {
            for (j, &column) in active[..=i].iter().enumerate() {
                products[i * k + j] = self.qp.a[row * m + column];
            }
            products[i * k + i] += 1e-9 * mean;
        }
        if !cholesky(products, k) {
            return;
        }
        let violation = |trial: &Trial, rows: &Rows| rows.penalty(problem) + problem.pull(&trial.now);
        for _ in 0..3 {
            let before = violation(&self.trial, &self.trial_rows);
            if before < enough {
                return;
            }
            left.clear();
            left.extend(active.iter().map(|&i| -self.trial_rows.all[self.rows.near[i]].value));
            forward(products, k, left);
            backward(products, k, left);
            self.half.fill(0.0);
            for (&i, x) in active.iter().zip(&*left) {
                let row = &self.z[i * n..(i + 1) * n];
                self.half.iter_mut().zip(row).for_each(|(h, z)| *h += x * z);
            }
            self.factor.backward(&problem.model, &mut self.half);
            let largest = self.half.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            if largest > 0.25 * size + 1e-3 {
                return;
            }
            self.trial.pose.stepped(&problem.model, &self.half, &mut self.other.pose);
            self.other.settle(problem);
            self.other.rows(problem, &mut self.buffers, &mut self.other_rows);
            if violation(&self.other, &self.other_rows) >= before {
                return;
            }
            std::mem::swap(&mut self.trial, &mut self.other);
            std::mem::swap(&mut self.trial_rows, &mut self.other_rows);
        }
    }
}
