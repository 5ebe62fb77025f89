//! The step of the quadratic model: forces on the rows, goals that switch between holding and pulling, and the predicted decrease.

use glam::DVec3;

use super::super::constant;
use super::super::model::Model;
use super::super::problem::Problem;
use super::super::rows::{Kind, Row};
use super::super::system::System;
use super::Newton;
use crate::qp::dot;

/// Row errors below this value count as rounding errors.
const ROUNDING: f64 = 1e-8;

impl Newton {
    /// Solves for the forces on the near rows, and for the resulting step.
    pub(super) fn solve_qp(&mut self, model: &Model, full: bool) {
        let n = model.count;
        let Self { rows, factor, z, half, qp, warm, step, system, augmented, .. } = self;
        let m = rows.near.len();
        half.clone_from(&system.gradient);
        if full {
            half.iter_mut().zip(&augmented.gradient).for_each(|(h, g)| *h += g);
        }
        factor.forward(model, half);
        z.clone_from(&rows.jacobian);
        z.chunks_exact_mut(n).for_each(|row| factor.forward(model, row));
        qp.begin(m);
        for (i, (&index, zi)) in rows.near.iter().zip(z.chunks_exact(n)).enumerate() {
            for (j, zj) in z.chunks_exact(n).take(i + 1).enumerate() {
                let product = dot(zi, zj);
                (qp.a[i * m + j], qp.a[j * m + i]) = (product, product);
            }
            let row = &rows.all[index];
            if row.kind == Kind::Comfort {
                qp.a[i * m + i] += 1.0 / constant::COMFORT;
            }
            let lower = if row.is_equality { -row.force } else { 0.0 };
            let free = row.is_equality || warm.free[index];
            qp.push(row.value - dot(zi, half), [lower, row.force], warm.forces[index], free);
        }
        qp.solve();
        step.clear();
        step.extend(half.iter().map(|x| -x));
        for (&y, zi) in qp.y.iter().zip(z.chunks_exact(n)).filter(|(y, _)| **y != 0.0) {
            step.iter_mut().zip(zi).for_each(|(s, z)| *s += y * z);
        }
        factor.backward(model, step);
    }

    /// Switches goals that need more than their maximum force to pulling, and goals that arrive at their targets to holding. Returns
    /// whether a goal has switched.
    pub(super) fn switch(&mut self, problem: &mut Problem, share: &mut f64, switches: usize) -> bool {
        let mut changed = false;
        for index in 0..problem.pulls.len() {
            let pull = &problem.pulls[index];
            if pull.is_pin {
                continue;
            }
            if pull.holds {
                let rows = self.rows.near.iter().zip(&self.qp.y);
                let own = rows.filter(|(row, _)| self.rows.all[**row].kind == Kind::Pull(index));
                let force = own.map(|(_, y)| y * y).sum::<f64>().sqrt();
                if force > pull.force * 1.000_001 {
                    problem.pulls[index].holds = false;
                    changed = true;
                    if switches > 0 {
                        *share = 1.0;
                    }
                }
                continue;
            }
            let r = pull.residual(&self.now);
            let [columns, other] = &mut self.buffers.columns;
            pull.columns(&problem.model, &self.now, columns, other);
            let path = problem.model.path(pull.link);
            let moved: DVec3 = path.iter().zip(&*columns).map(|(&d, c)| *c * self.step[d]).sum();
            let after = r + moved;
            if *share < 1.0 {
                if r != DVec3::ZERO && after.dot(r) <= 0.0 {
                    if switches == 0 {
                        problem.pulls[index].holds = true;
                    } else {
                        *share = 1.0;
                    }
                    changed = true;
                }
            } else if switches == 0 && after.length_squared() < 0.04 * r.length_squared() {
                problem.pulls[index].holds = true;
                changed = true;
            }
        }
        changed
    }

    /// Returns the decrease of the merit that the quadratic model predicts.
    pub(super) fn prediction(&mut self, problem: &Problem, full: bool) -> f64 {
        let System { hessian, gradient, .. } = &self.system;
        let (model, step) = (&problem.model, &self.step);
        let n = model.count;
        let mut quadratic = hessian.half_form(model, step);
        if full {
            quadratic += self.curvature.half_form(model, step);
        }
        let (mut left, mut comfort) = (0.0, 0.0);
        let lengths = &mut self.lengths;
        lengths.clear();
        lengths.resize(problem.pulls.len(), 0.0);
        for (&index, row) in self.rows.near.iter().zip(self.rows.jacobian.chunks_exact(n)) {
            let own = &self.rows.all[index];
            let value = own.value + dot(row, step);
            match own.kind {
                Kind::Pull(pull) if !problem.pulls[pull].is_pin => lengths[pull] += value * value,
                Kind::Comfort => comfort += 0.5 * constant::COMFORT * (own.value * own.value - value * value),
                _ if value.abs() < ROUNDING => {}
                _ => left += own.force * Row { value, ..*own }.violation(),
            }
        }
        let mut gain = self.rows.penalty(problem) - left - dot(gradient, step) - quadratic + comfort;
        for (pull, &mut after) in problem.pulls.iter().zip(lengths).filter(|(p, _)| p.holds && !p.is_pin) {
            let after = if after < ROUNDING * ROUNDING * 1e-2 { 0.0 } else { after.sqrt() };
            gain += pull.force * (pull.residual(&self.now).length() - after);
        }
        gain
    }
}
