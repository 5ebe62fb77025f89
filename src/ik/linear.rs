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

/// Eigenvalues and eigenvectors of a symmetric matrix by cyclic Jacobi rotations (Golub & Van Loan, algorithm 8.5.3).
/// Both have `n` rows of `n`. Afterwards the diagonal of `a` has the eigenvalues, and row i of `v` the eigenvector of
/// the i-th.
pub(super) fn eigen(a: &mut [f64], v: &mut [f64], n: usize) {
    v.fill(0.0);
    (0..n).for_each(|i| v[i * n + i] = 1.0);
    let size: f64 = a.iter().map(|x| x * x).sum();
    // Convergence is quadratic: ten sweeps are more than these take.
    for _ in 0..10 {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| i * n + j)).map(|k| a[k] * a[k]).sum();
        if off <= 1e-30 * size {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(a, v, n, p, q);
            }
        }
    }
}

/// Turns in the plane of two axes so that their off-diagonal element vanishes.
fn rotate(a: &mut [f64], v: &mut [f64], n: usize, p: usize, q: usize) {
    let off = a[p * n + q];
    if off == 0.0 {
        return;
    }
    let tau = (a[q * n + q] - a[p * n + p]) / (2.0 * off);
    let t = if tau >= 0.0 { 1.0 } else { -1.0 } / (tau.abs() + (1.0 + tau * tau).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = t * c;
    for i in 0..n {
        let (x, y) = (a[i * n + p], a[i * n + q]);
        (a[i * n + p], a[i * n + q]) = (c * x - s * y, s * x + c * y);
    }
    for i in 0..n {
        let (x, y) = (a[p * n + i], a[q * n + i]);
        (a[p * n + i], a[q * n + i]) = (c * x - s * y, s * x + c * y);
        let (x, y) = (v[p * n + i], v[q * n + i]);
        (v[p * n + i], v[q * n + i]) = (c * x - s * y, s * x + c * y);
    }
}
