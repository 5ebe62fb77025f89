//! The factor of the damped Hessian of a step.

use super::super::factor::TreeMatrix;
use super::super::model::Model;
use super::super::rows::Kind;
use super::{AUGMENTATION, Newton};

/// Springs ½ σ (c + C x)² along active rows, which make an indefinite Hessian definite.
#[derive(Clone, Debug, Default)]
pub(super) struct Augmented {
    matrix: TreeMatrix,
    pub(super) gradient: Vec<f64>,
    /// Whether these springs were computed for the current step.
    pub(super) is_set: bool,
}

impl Newton {
    /// Factorises the damped Hessian. Includes the second derivatives of the forces if the Hessian remains positive definite for steps that
    /// satisfy the active rows.
    pub(super) fn factorise(&mut self, model: &Model, full: &mut bool) -> bool {
        if *full {
            self.augment(model);
            if self.damped(model, true) {
                return true;
            }
            *full = false;
        }
        self.damped(model, false)
    }

    fn damped(&mut self, model: &Model, curved: bool) -> bool {
        let factor = &mut self.factor;
        factor.copy_from(&self.system.hessian);
        if curved {
            factor.add(&self.curvature);
            factor.add(&self.augmented.matrix);
        }
        for d in 0..model.count {
            // The step of the hips is in metres, and the steps of the joints are in radians.
            let end = model.row(d).end - 1;
            factor.entries[end] += self.warm.damping.value() * if d < 3 { 10.0 } else { 1.0 } + 1e-9;
        }
        factor.factorise(model)
    }

    /// Adds a stiff spring along each active row that involves only one limb, so that the factor has no fill-in. A step that satisfies
    /// the rows does not stretch these springs.
    fn augment(&mut self, model: &Model) {
        let Augmented { matrix, gradient, is_set } = &mut self.augmented;
        if std::mem::replace(is_set, true) {
            return;
        }
        matrix.begin(model);
        gradient.clear();
        gradient.resize(model.count, 0.0);
        for (&index, row) in self.rows.near.iter().zip(self.rows.jacobian.chunks_exact(model.count)) {
            let own = &self.rows.all[index];
            if matches!(own.kind, Kind::Balance(_) | Kind::Body(_) | Kind::Comfort) {
                continue;
            }
            if own.is_equality || self.warm.forces[index] > 0.0 {
                for (i, &x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                    gradient[i] += AUGMENTATION * x * own.value;
                    let out = &mut matrix.entries[model.row(i)];
                    let path = model.above(i).iter().chain(std::iter::once(&i));
                    out.iter_mut().zip(path).for_each(|(a, &j)| *a += AUGMENTATION * x * row[j]);
                }
            }
        }
    }
}
