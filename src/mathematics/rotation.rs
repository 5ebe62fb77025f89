//! Rotations that line vectors up.

use glam::{DMat3, DQuat, DVec3, DVec4};

use super::eigen;

/// Some unit vector at right angles to another, the same for the same input.
pub(crate) fn any_perpendicular(v: DVec3) -> DVec3 {
    // Away from the axis that the vector is nearest to: the cross product is then well conditioned.
    let away = if v.x.abs() < 0.7 * v.length() { DVec3::X } else { DVec3::Y };
    v.cross(away).try_normalize().unwrap_or(DVec3::X)
}

/// The smallest rotation that turns `from` into the direction of `to` (any lengths).
///
/// Half-angle form, w = |a||b| + a·b and xyz = a × b, which needs no trigonometry. Opposite vectors have no smallest
/// rotation: they turn about `hint` as far as that is perpendicular, else about some fixed perpendicular. A zero
/// vector is left alone.
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

/// How much the best fit prefers not to turn, as a share of all weight: it decides only what the vectors leave open.
const INERTIA: f64 = 1e-9;

/// The rotation R that makes Σ wᵢ |toᵢ − R fromᵢ|² least: Wahba's problem (1965), as the eigenvector of the largest
/// eigenvalue of Davenport's symmetric 4×4 matrix (1968). Where the vectors leave a turn open (all along one line),
/// the smallest turn is taken. Triples are (from, to, weight).
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

/// The eigenvector of the largest eigenvalue of a symmetric matrix.
fn principal_eigenvector(columns: [DVec4; 4]) -> DVec4 {
    let (mut a, mut vectors) = ([0.0; 16], [0.0; 16]);
    columns.iter().zip(a.chunks_exact_mut(4)).for_each(|(column, out)| column.write_to_slice(out));
    eigen(&mut a, &mut vectors, 4);
    let largest = (0..4).max_by(|&i, &j| a[5 * i].total_cmp(&a[5 * j])).unwrap_or(3);
    DVec4::from_slice(&vectors[4 * largest..]).normalize()
}
