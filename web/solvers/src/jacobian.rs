//! The Jacobian of a link, and the velocities that it allows.

use sinew_ik::LinkIndex;
use sinew_ik::glam::DVec3;
use wasm_bindgen::prelude::*;

use crate::{Body, missing};

/// Pairs of rows whose cosine is below this count as orthogonal.
const ORTHOGONAL: f64 = 1e-14;
/// One-sided Jacobi converges quadratically, so three rows need about six sweeps.
const SWEEPS: usize = 30;

/// The velocities of a link when the squares of the joint rates add up to one. They form an ellipsoid (Yoshikawa 1985, "Manipulability of
/// robotic mechanisms").
#[wasm_bindgen]
#[derive(Clone, Debug)]
pub struct Ellipsoid {
    values: [f64; 3],
    axes: [DVec3; 3],
}

#[wasm_bindgen]
impl Ellipsoid {
    /// The half axes: the three singular values of the upper half of the Jacobian, the largest first, in lengths per radian.
    #[wasm_bindgen(getter)]
    pub fn values(&self) -> Vec<f64> {
        self.values.to_vec()
    }

    /// The directions of the half axes, unit vectors in world space, three numbers each.
    #[wasm_bindgen(getter)]
    pub fn axes(&self) -> Vec<f64> {
        self.axes.iter().flat_map(DVec3::to_array).collect()
    }
}

#[wasm_bindgen]
impl Body {
    /// Returns the Jacobian of a link's position and orientation, row by row, with a column for each degree of freedom. The first three
    /// rows are the velocity along x, y and z (in lengths per radian), and the other three are the angular velocity about x, y and z. A
    /// hinge has one column, a free link has three, and a locked link has none (Whitney 1969, see [`sinew_ik::Jacobian`]).
    ///
    /// # Errors
    /// If there is no such link.
    pub fn jacobian(&self, link: usize) -> Result<Vec<f64>, JsError> {
        let link = LinkIndex(link);
        let jacobian = self.body.jacobian(link, DVec3::ZERO).ok_or_else(|| missing(link))?;
        Ok(jacobian.rows().concat())
    }

    /// Returns the ellipsoid of the velocities of a link, with the singular values of the velocity rows of [`Body::jacobian`].
    ///
    /// # Errors
    /// If there is no such link.
    pub fn ellipsoid(&self, link: usize) -> Result<Ellipsoid, JsError> {
        let link = LinkIndex(link);
        let jacobian = self.body.jacobian(link, DVec3::ZERO).ok_or_else(|| missing(link))?;
        let [x, y, z, ..] = jacobian.rows();
        Ok(ellipsoid([x, y, z]))
    }
}

/// Returns the singular values and the left singular vectors of three rows, by one-sided Jacobi rotations of pairs of rows until all
/// are orthogonal (Hestenes 1958, "Inversion of matrices by biorthogonalization and related results").
fn ellipsoid(mut rows: [Vec<f64>; 3]) -> Ellipsoid {
    let mut axes = DVec3::AXES;
    for _ in 0..SWEEPS {
        let mut is_done = true;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (a, b, c) = (dot(&rows[p], &rows[p]), dot(&rows[q], &rows[q]), dot(&rows[p], &rows[q]));
            if c.abs() <= ORTHOGONAL * (a * b).sqrt() || a == 0.0 || b == 0.0 {
                continue;
            }
            is_done = false;
            let zeta = (b - a) / (2.0 * c);
            let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
            let cosine = 1.0 / tangent.hypot(1.0);
            let sine = tangent * cosine;
            for column in 0..rows[p].len() {
                let (x, y) = (rows[p][column], rows[q][column]);
                (rows[p][column], rows[q][column]) = (cosine * x - sine * y, sine * x + cosine * y);
            }
            (axes[p], axes[q]) = (axes[p] * cosine - axes[q] * sine, axes[p] * sine + axes[q] * cosine);
        }
        if is_done {
            break;
        }
    }
    let mut pairs = [0, 1, 2].map(|row| (dot(&rows[row], &rows[row]).sqrt(), axes[row]));
    pairs.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    Ellipsoid { values: pairs.map(|(value, _)| value), axes: pairs.map(|(_, axis)| axis) }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
