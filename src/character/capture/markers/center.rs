//! Centres of rotation between two segments.

use glam::DVec3;

use super::RigidMotion;

/// Fraction of the number of frames that is added to the diagonal of the normal equations. It only matters where the motion does not
/// determine the centre: along the axis of a hinge, the centre is then as near to the markers of both segments as possible.
const REGULARIZATION: f64 = 1e-5;

/// The centre of the rotation between a segment and its parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Center {
    /// The centre's position in the space of the parent's cluster.
    pub(super) in_parent: DVec3,
    /// The centre's position in the space of the segment's cluster.
    pub(super) in_child: DVec3,
    /// Root mean square distance between the two positions in the world.
    pub(super) residual: f64,
}

/// Estimates the centre from pairs of motions of the parent and the segment in the same frame. It minimises
/// Σ |Rₚ cₚ + tₚ − R c − t|² over the two points cₚ and c (Ehrig, Taylor, Duda & Heller 2006, "A survey of formal methods for
/// determining the centre of rotation of ball joints", the symmetrical centre of rotation estimation). Returns `None` without frames.
pub(super) fn estimate(pairs: &[(RigidMotion, RigidMotion)]) -> Option<Center> {
    // The normal equations of the six unknowns (cₚ, c). With A = [Rₚ, −R] and b = t − tₚ, they are AᵀA x = Aᵀb.
    let mut matrix = [[0.0; 6]; 6];
    let mut right = [0.0; 6];
    let mut count = 0.0;
    for (parent, child) in pairs {
        // Rₚᵀ Rₚ and Rᵀ R are the identity, so only the corner −Rₚᵀ R needs to be added up.
        let corner = glam::DMat3::from_quat(parent.rotation.conjugate() * child.rotation);
        let apart = child.translation - parent.translation;
        let (b, c) = (parent.rotation.conjugate() * apart, -(child.rotation.conjugate() * apart));
        for i in 0..3 {
            (right[i], right[3 + i]) = (right[i] + b[i], right[3 + i] + c[i]);
            for j in 0..3 {
                matrix[i][3 + j] -= corner.col(j)[i];
                matrix[3 + j][i] -= corner.col(j)[i];
            }
        }
        count += 1.0;
    }
    if count == 0.0 {
        return None;
    }
    for (i, row) in matrix.iter_mut().enumerate() {
        row[i] += count * (1.0 + REGULARIZATION);
    }
    let x = solve(matrix, right)?;
    let (in_parent, in_child) = (DVec3::new(x[0], x[1], x[2]), DVec3::new(x[3], x[4], x[5]));
    let squares: f64 = pairs
        .iter()
        .map(|(parent, child)| parent.apply(in_parent).distance_squared(child.apply(in_child)))
        .sum();
    let center = Center { in_parent, in_child, residual: (squares / count).sqrt() };
    (in_parent.is_finite() && in_child.is_finite()).then_some(center)
}

/// Solves a symmetric positive definite system (Cholesky).
fn solve(mut a: [[f64; 6]; 6], mut b: [f64; 6]) -> Option<[f64; 6]> {
    for j in 0..6 {
        let square = a[j][j] - (0..j).map(|k| a[j][k] * a[j][k]).sum::<f64>();
        if square.is_nan() || square <= 0.0 {
            return None;
        }
        a[j][j] = square.sqrt();
        for i in j + 1..6 {
            a[i][j] = (a[i][j] - (0..j).map(|k| a[i][k] * a[j][k]).sum::<f64>()) / a[j][j];
        }
    }
    for i in 0..6 {
        b[i] = (b[i] - (0..i).map(|k| a[i][k] * b[k]).sum::<f64>()) / a[i][i];
    }
    for i in (0..6).rev() {
        b[i] = (b[i] - (i + 1..6).map(|k| a[k][i] * b[k]).sum::<f64>()) / a[i][i];
    }
    Some(b)
}
