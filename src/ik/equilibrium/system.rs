//! The gradient and the Hessian of the energy, and the second derivatives that forces add.

use glam::{DMat3, DVec3};

use super::factor::TreeMatrix;
use super::model::Model;
use super::pose::Kinematics;

/// A quadratic model of the energy, with `n` unknowns.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    /// The positive semidefinite part of the Hessian.
    pub(super) hessian: TreeMatrix,
    /// The forces whose second derivatives are the rest of the Hessian (the geometric stiffness).
    pub(super) forces: Forces,
    pub(super) gradient: Vec<f64>,
}

impl System {
    /// Sets everything to zero.
    pub(super) fn begin(&mut self, model: &Model) {
        self.forces.begin(model.joints.len());
        self.hessian.begin(model);
        self.gradient.clear();
        self.gradient.resize(model.count, 0.0);
    }

    /// Adds a term of a vector with gradient `slope` and Hessian `weight`. `columns` contains the vector's derivatives with respect to the
    /// unknowns above a link.
    pub(super) fn add(
        &mut self,
        model: &Model,
        link: usize,
        columns: &[DVec3],
        weight: &DMat3,
        slope: DVec3,
    ) {
        for (a, (&i, column)) in model.path(link).iter().zip(columns).enumerate() {
            let weighted = *weight * *column;
            self.gradient[i] += column.dot(slope);
            let row = self.hessian.row(model, i);
            row.iter_mut().zip(&columns[..=a]).for_each(|(h, other)| *h += weighted.dot(*other));
        }
    }

    /// Adds a term ½ weight x² + slope x of the component x of a vector along an axis.
    pub(super) fn add_along(
        &mut self,
        model: &Model,
        link: usize,
        columns: &[DVec3],
        axis: DVec3,
        weight: f64,
        slope: f64,
    ) {
        for (a, (&i, column)) in model.path(link).iter().zip(columns).enumerate() {
            let x = column.dot(axis);
            self.gradient[i] += x * slope;
            let row = self.hessian.row(model, i);
            row.iter_mut().zip(&columns[..=a]).for_each(|(h, other)| *h += weight * x * other.dot(axis));
        }
    }
}

/// Forces on points and directions of links. The forces are used only for second derivatives.
///
/// A turn of a joint by ω moves a point by exp(ω) r about the joint. For an axis a above an axis b, ∂²x/∂a∂b is therefore a × (b × r), and
/// for two axes of the same joint, it is the mean of both orders. Then −f · ∂²x = −a · ((b × r) × f) = −a · (r fᵀ − tr(r fᵀ)) b, which is
/// linear in r fᵀ. Each link therefore needs only the sum of this matrix over all forces below it, regardless of their number.
#[derive(Clone, Debug, Default)]
pub(super) struct Forces {
    /// For each link, the sum of p fᵀ over its points p and of u fᵀ over its directions u, and the sum of f over its points.
    sums: Vec<(DMat3, DVec3)>,
    below: Vec<(DMat3, DVec3)>,
}

impl Forces {
    /// Removes all forces.
    pub(super) fn begin(&mut self, links: usize) {
        self.sums.clear();
        self.sums.resize(links, (DMat3::ZERO, DVec3::ZERO));
    }

    /// Adds a force on a point of a link. `at` is the position of the point.
    #[inline]
    pub(super) fn on_point(&mut self, link: usize, at: DVec3, force: DVec3) {
        let (moments, sum) = &mut self.sums[link];
        *moments += outer(at, force);
        *sum += force;
    }

    /// Adds a force on a direction that turns with a link.
    #[inline]
    pub(super) fn on_direction(&mut self, link: usize, of: DVec3, force: DVec3) {
        self.sums[link].0 += outer(of, force);
    }

    /// Adds −f · ∂²x for all forces f to a matrix.
    pub(super) fn bend(&mut self, model: &Model, now: &Kinematics, matrix: &mut TreeMatrix) {
        self.below.clone_from(&self.sums);
        for (link, joint) in model.joints.iter().enumerate().rev() {
            if let Some(parent) = joint.parent {
                let (moments, sum) = self.below[link];
                self.below[parent].0 += moments;
                self.below[parent].1 += sum;
            }
            let count = joint.freedom.count();
            let (moments, sum) = self.below[link];
            if count == 0 || (moments == DMat3::ZERO && sum == DVec3::ZERO) {
                continue;
            }
            let about = moments - outer(now.positions[link], sum);
            let trace = about.x_axis.x + about.y_axis.y + about.z_axis.z;
            let turn = |axis: DVec3| about * axis - axis * trace;
            let path = model.path(link);
            for b in (joint.first..joint.first + count).filter(|&b| now.axes[b].1.is_some()) {
                let axis = now.axes[b].0;
                let moment = turn(axis);
                for (x, &a) in matrix.row(model, b).iter_mut().zip(path) {
                    let (other, Some(_)) = now.axes[a] else { continue };
                    let bent = -other.dot(moment);
                    *x +=
                        if a >= joint.first && a != b { 0.5 * (bent - axis.dot(turn(other))) } else { bent };
                }
            }
        }
    }
}

/// Returns a bᵀ.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
