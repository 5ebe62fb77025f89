//! Eigenvalues and eigenvectors of small symmetric matrices.

/// Computes the eigenvalues and eigenvectors of a symmetric matrix by cyclic Jacobi rotations (Golub & Van Loan,
/// algorithm 8.5.3). `a` and `v` are `n` × `n` matrices. On return, the diagonal of `a` contains the eigenvalues, and
/// row i of `v` contains the eigenvector of eigenvalue i.
pub fn eigen(a: &mut [f64], v: &mut [f64], n: usize) {
    v.fill(0.0);
    (0..n).for_each(|i| v[i * n + i] = 1.0);
    let size: f64 = a.iter().map(|x| x * x).sum();
    // Convergence is quadratic, so small matrices need fewer than ten sweeps.
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

/// Rotates in the plane of axes `p` and `q` so that their off-diagonal element becomes zero.
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
