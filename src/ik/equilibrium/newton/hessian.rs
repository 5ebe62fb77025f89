//! The factor of the damped Hessian of a step.

use super::super::model::Model;
use super::super::rows::Kind;
use super::{AUGMENTATION, Newton};

impl Newton {
    /// Factorises the damped Hessian: with all second derivatives if they are convex on the active rows, else without them.
    pub(super) fn factorise(&mut self, model: &Model, full: &mut bool) -> bool {
        if *full {
            if self.damped(model, true, false) {
                return true;
            }
            self.augment(model);
            if self.damped(model, true, true) {
                return true;
            }
            *full = false;
        }
        self.damped(model, false, false)
    }

    fn damped(&mut self, model: &Model, curved: bool, augmented: bool) -> bool {
        let factor = &mut self.factor;
        factor.copy_from(&self.system.hessian);
        if curved {
            factor.add(&self.curvature);
        }
        if augmented {
            factor.add(&self.augmented);
        }
        for d in 0..model.count {
            // The hips move by metres, the joints by radians.
            let end = model.row(d).end - 1;
            factor.entries[end] += self.warm.damping * if d < 3 { 10.0 } else { 1.0 } + 1e-9;
        }
        factor.factorise(model)
    }

    /// Sets the products with themselves of the active rows that touch one limb only, so that the factor has no fill.
    fn augment(&mut self, model: &Model) {
        if !self.augmented.entries.is_empty() {
            return;
        }
        self.augmented.begin(model);
        for (&index, row) in self.rows.near.iter().zip(self.rows.jacobian.chunks_exact(model.count)) {
            let own = &self.rows.all[index];
            if matches!(own.kind, Kind::Balance(_) | Kind::Body(_) | Kind::Comfort) {
                continue;
            }
            if own.is_equality || self.warm.forces[index] > 0.0 {
                for (i, &x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                    let out = &mut self.augmented.entries[model.row(i)];
                    let path = model.above(i).iter().chain(std::iter::once(&i));
                    out.iter_mut().zip(path).for_each(|(a, &j)| *a += AUGMENTATION * x * row[j]);
                }
            }
        }
    }
}
