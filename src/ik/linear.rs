//! Small dense symmetric matrices, row by row in buffers that are kept.

/// Solves `a x = b` for a symmetric positive definite matrix by Cholesky's factors (Golub & Van Loan, algorithm 4.2.1).
/// Overwrites `a` with the factor and `b` with x. Rows that have no positive pivot left get zero.
pub(super) fn solve_cholesky(a: &mut [f64], b: &mut [f64]) {
    let n = b.len();
    if n == 3 {
        return solve_three(a, b);
    }
    for j in 0..n {
        let (above, below) = a.split_at_mut((j + 1) * n);
        let row = &mut above[j * n..];
        let pivot = row[j] - row[..j].iter().map(|x| x * x).sum::<f64>();
        let inverse =
            if pivot > f64::EPSILON * row[j].abs() && pivot > 0.0 { 1.0 / pivot.sqrt() } else { 0.0 };
        // The inverse of the pivot is what both substitutions need.
        row[j] = inverse;
        let row = &row[..j];
        for other in below.chunks_exact_mut(n) {
            let dot: f64 = row.iter().zip(&other[..j]).map(|(x, y)| x * y).sum();
            other[j] = (other[j] - dot) * inverse;
        }
    }
    for i in 0..n {
        let dot: f64 = a[i * n..i * n + i].iter().zip(&b[..i]).map(|(x, y)| x * y).sum();
        b[i] = (b[i] - dot) * a[i * n + i];
    }
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|k| a[k * n + i] * b[k]).sum();
        b[i] = (b[i] - dot) * a[i * n + i];
    }
}

/// The same for three unknowns, by cofactors.
fn solve_three(a: &[f64], b: &mut [f64]) {
    let m = glam::DMat3::from_cols_slice(a);
    let x = m.inverse() * glam::DVec3::from_slice(b);
    if x.is_finite() { x } else { glam::DVec3::ZERO }.write_to_slice(b);
}
