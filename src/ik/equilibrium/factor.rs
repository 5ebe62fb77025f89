//! Symmetric matrices of a tree, stored and factorised without fill-in.
//!
//! Every joint follows its parent, and two unknowns of the tree are coupled only if one is on the other's path to the root. Row k has
//! entries for the unknowns above k, in increasing order, and then for k itself. The row of an unknown above k has entries for a prefix of
//! the unknowns of row k, so all loops run along contiguous memory.

use super::model::Model;

/// The lower triangle of a symmetric matrix: all rows, one after another.
#[derive(Clone, Debug, Default)]
pub(super) struct TreeMatrix {
    pub(super) entries: Vec<f64>,
}

impl TreeMatrix {
    /// Sets all entries to zero.
    pub(super) fn begin(&mut self, model: &Model) {
        self.entries.clear();
        self.entries.resize(model.entries(), 0.0);
    }

    /// Copies another matrix without allocating.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.entries.clone_from(&other.entries);
    }

    #[inline]
    pub(super) fn row(&mut self, model: &Model, k: usize) -> &mut [f64] {
        &mut self.entries[model.row(k)]
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.entries.iter_mut().zip(&other.entries).for_each(|(a, b)| *a += b);
    }

    /// Returns ½ xᵀ A x.
    pub(super) fn half_form(&self, model: &Model, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (k, &own) in x.iter().enumerate() {
            let row = &self.entries[model.row(k)];
            let above = model.above(k);
            let along: f64 = above.iter().zip(row).map(|(&i, a)| a * x[i]).sum();
            sum += own * (along + 0.5 * row[above.len()] * own);
        }
        sum
    }

    /// Factorises the matrix in place as Lᵀ L (Featherstone 2005, "Efficient factorization of the joint-space inertia matrix for branched
    /// kinematic trees"). Returns whether it is positive definite.
    pub(super) fn factorise(&mut self, model: &Model) -> bool {
        for k in (0..model.count).rev() {
            let (others, own) = self.entries.split_at_mut(model.row(k).start);
            let above = model.above(k);
            let count = above.len();
            let pivot = own[count];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return false;
            }
            let root = pivot.sqrt();
            own[count] = root;
            let scale = 1.0 / root;
            own[..count].iter_mut().for_each(|x| *x *= scale);
            for (p, &i) in above.iter().enumerate() {
                let x = own[p];
                if x != 0.0 {
                    let other = &mut others[model.row(i)];
                    other.iter_mut().zip(&own[..=p]).for_each(|(a, b)| *a -= x * b);
                }
            }
        }
        true
    }

    /// Replaces b by L⁻ᵀ b, for a factorised matrix.
    pub(super) fn forward(&self, model: &Model, b: &mut [f64]) {
        for k in (0..model.count).rev() {
            if b[k] == 0.0 {
                continue;
            }
            let row = &self.entries[model.row(k)];
            let above = model.above(k);
            let x = b[k] / row[above.len()];
            b[k] = x;
            above.iter().zip(row).for_each(|(&i, l)| b[i] -= l * x);
        }
    }

    /// Replaces b by L⁻¹ b, for a factorised matrix.
    pub(super) fn backward(&self, model: &Model, b: &mut [f64]) {
        for k in 0..model.count {
            let row = &self.entries[model.row(k)];
            let above = model.above(k);
            let sum: f64 = above.iter().zip(row).map(|(&i, l)| l * b[i]).sum();
            b[k] = (b[k] - sum) / row[above.len()];
        }
    }
}
