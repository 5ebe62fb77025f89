//! Rotations that align vectors.

use glam::{DMat3, DQuat, DVec3, DVec4};

use super::eigen;

/// Returns a unit vector perpendicular to `v`. The result is deterministic.
#[inline]
pub fn any_perpendicular(v: DVec3) -> DVec3 {
    // An axis far from the direction of `v` keeps the cross product well conditioned.
    let away = if v.x.abs() < 0.7 * v.length() { DVec3::X } else { DVec3::Y };
    v.cross(away).try_normalize().unwrap_or(DVec3::X)
}

/// Returns the smallest rotation from the direction of `from` to the direction of `to`. The vectors may have any
/// length.
///
/// Uses the half-angle form w = |a||b| + a·b and xyz = a × b, which needs no trigonometry. For opposite vectors, the rotation axis is
/// the component of `hint` that is perpendicular to `from`, or a fixed perpendicular vector if that component is zero. For a zero
/// vector, the result is the identity.
///
/// ```
/// use glam::DVec3;
/// # use sinew_base::mathematics::shortest_arc;
///
/// let turn = shortest_arc(DVec3::X, DVec3::Y * 3.0, DVec3::ZERO);
/// assert!((turn * DVec3::X).abs_diff_eq(DVec3::Y, 1e-12));
/// // The hint is the axis of a half turn.
/// let half = shortest_arc(DVec3::X, DVec3::NEG_X, DVec3::Z);
/// assert!((half * DVec3::Y).abs_diff_eq(DVec3::NEG_Y, 1e-12));
/// ```
#[inline]
pub fn shortest_arc(from: DVec3, to: DVec3, hint: DVec3) -> DQuat {
    let lengths = (from.length_squared() * to.length_squared()).sqrt();
    if lengths == 0.0 || !lengths.is_finite() {
        return DQuat::IDENTITY;
    }
    let dot = from.dot(to);
    let cross = from.cross(to);
    let w = lengths + dot;
    if w > 1e-9 * lengths {
        return DQuat::from_vec4(cross.extend(w).normalize());
    }
    let direction = from / from.length();
    let across = hint - direction * hint.dot(direction);
    let axis = if across.length() > 1e-6 * hint.length() { across.try_normalize() } else { None };
    DQuat::from_vec4(axis.unwrap_or_else(|| any_perpendicular(from)).extend(0.0))
}

/// Weight of the identity rotation in the best fit, as a fraction of the total weight. It only affects rotations that
/// the vectors do not determine.
const INERTIA: f64 = 1e-9;

/// Three vectors count as coplanar if the triple product of their directions is smaller than this.
const FLAT: f64 = 1e-6;

/// Returns the rotation R that minimises Σ wᵢ |toᵢ − R fromᵢ|² (Wahba 1965). As a quaternion, R is the eigenvector of the largest
/// eigenvalue of Davenport's symmetric 4×4 matrix (1968). If all vectors are on one line, they do not determine the rotation, and the
/// smallest rotation is returned. Each triple is (from, to, weight).
///
/// ```
/// use glam::{DQuat, DVec3};
/// # use sinew_base::mathematics::best_fit;
///
/// let turn = DQuat::from_rotation_y(0.7);
/// let pairs = [DVec3::X, DVec3::Y, DVec3::new(1.0, 2.0, 3.0)].map(|from| (from, turn * from, 1.0));
/// assert!(best_fit(pairs).angle_between(turn) < 1e-6);
/// ```
pub fn best_fit(triples: impl IntoIterator<Item = (DVec3, DVec3, f64)>) -> DQuat {
    let mut b = DMat3::ZERO;
    let mut total = 0.0;
    for (from, to, weight) in triples {
        // Column c of B is Σ w · from_c · to.
        b += DMat3::from_cols(to * (weight * from.x), to * (weight * from.y), to * (weight * from.z));
        total += weight * from.length() * to.length();
    }
    if total == 0.0 || !total.is_finite() {
        return DQuat::IDENTITY;
    }
    let trace = b.x_axis.x + b.y_axis.y + b.z_axis.z;
    let z = DVec3::new(b.y_axis.z - b.z_axis.y, b.z_axis.x - b.x_axis.z, b.x_axis.y - b.y_axis.x);
    let s = b + b.transpose();
    let k = [
        (s.x_axis - DVec3::X * trace).extend(z.x),
        (s.y_axis - DVec3::Y * trace).extend(z.y),
        (s.z_axis - DVec3::Z * trace).extend(z.z),
        z.extend(trace + INERTIA * total),
    ];
    let q = DQuat::from_vec4(principal_eigenvector(k));
    if q.w < 0.0 { -q } else { q }
}

/// Returns the rotation that maps three vectors to three other vectors, computed with the inverse of a matrix (Oshita 2021, "Inverse
/// kinematics", particle method): R = (l₁ l₂ l₃)(l₁₀ l₂₀ l₃₀)⁻¹. The result is exact if a rotation maps `from` to `to`. Otherwise R is
/// not a rotation and is orthonormalised by Gram-Schmidt: the x axis keeps its direction, and the y axis stays in the plane of the x
/// and y axes. [`best_fit`] has smaller errors, and needs no inverse.
///
/// Returns `None` if the vectors in `from` are almost coplanar, so that their matrix has no inverse, or if the columns of R are almost
/// coplanar.
///
/// ```
/// use glam::{DQuat, DVec3};
/// # use sinew_base::mathematics::inverse_fit;
///
/// let turn = DQuat::from_rotation_y(0.7);
/// let from = [DVec3::X, DVec3::Y, DVec3::new(1.0, 2.0, 3.0)];
/// assert!(inverse_fit(from, from.map(|v| turn * v)).is_some_and(|found| found.angle_between(turn) < 1e-6));
/// let plane = [DVec3::X, DVec3::Y, DVec3::X + DVec3::Y];
/// assert_eq!(inverse_fit(plane, plane), None);
/// ```
pub fn inverse_fit(from: [DVec3; 3], to: [DVec3; 3]) -> Option<DQuat> {
    let columns = |v: [DVec3; 3]| DMat3::from_cols(v[0], v[1], v[2]);
    let is_flat = |m: DMat3| {
        let largest = m.x_axis.length() * m.y_axis.length() * m.z_axis.length();
        m.determinant().abs().partial_cmp(&(FLAT * largest)) != Some(std::cmp::Ordering::Greater)
    };
    let start = columns(from);
    if is_flat(start) {
        return None;
    }
    let matrix = columns(to) * start.inverse();
    let x = matrix.x_axis.try_normalize()?;
    let across = matrix.y_axis.reject_from_normalized(x);
    let y = across.try_normalize().filter(|_| across.length() > FLAT * matrix.y_axis.length())?;
    let rotation = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)));
    rotation.is_finite().then(|| rotation.normalize())
}

/// Returns the unit eigenvector of the largest eigenvalue of a symmetric matrix.
fn principal_eigenvector(columns: [DVec4; 4]) -> DVec4 {
    let (mut a, mut vectors) = ([0.0; 16], [0.0; 16]);
    columns.iter().zip(a.chunks_exact_mut(4)).for_each(|(column, out)| column.write_to_slice(out));
    eigen(&mut a, &mut vectors, 4);
    let largest = (0..4).max_by(|&i, &j| a[5 * i].total_cmp(&a[5 * j])).unwrap_or(3);
    DVec4::from_slice(&vectors[4 * largest..]).normalize()
}
