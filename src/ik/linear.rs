//! Solvers for small dense symmetric matrices. Matrices are row-major slices, so that callers can reuse their
//! buffers.

/// Solves `a x = b` for a symmetric positive definite matrix by Cholesky factorisation (Golub & Van Loan, algorithm
/// 4.2.1). Overwrites `a` with the factor and `b` with x. Unknowns without a positive pivot become zero. Three unknowns
/// are solved by cofactors instead: `a` is then unchanged, and all unknowns become zero if `a` is singular.
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
        // Store the inverse of the pivot, because both substitutions need it.
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

/// Inverts a symmetric positive definite matrix of `n` rows into `inverse` and returns the logarithm of its
/// determinant. The lower triangle of `a` then contains the Cholesky factor. Returns `None` if the matrix is not
/// positive definite.
pub(super) fn invert(a: &mut [f64], inverse: &mut [f64], n: usize) -> Option<f64> {
    let mut log = 0.0;
    for j in 0..n {
        let (above, below) = a.split_at_mut((j + 1) * n);
        let row = &mut above[j * n..];
        let pivot = row[j] - row[..j].iter().map(|x| x * x).sum::<f64>();
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
        log += pivot.ln();
        row[j] = pivot.sqrt();
        let (row, diagonal) = (&row[..j], row[j]);
        for other in below.chunks_exact_mut(n) {
            let dot: f64 = row.iter().zip(&other[..j]).map(|(x, y)| x * y).sum();
            other[j] = (other[j] - dot) / diagonal;
        }
    }
    // Row c of `lower` is column c of L⁻¹, starting at the diagonal. Then A⁻¹ = L⁻ᵀ L⁻¹.
    let mut lower = vec![0.0; n * n];
    for (c, column) in lower.chunks_exact_mut(n).enumerate() {
        column[c] = 1.0 / a[c * n + c];
        for i in c + 1..n {
            let dot: f64 = a[i * n + c..i * n + i].iter().zip(&column[c..i]).map(|(x, y)| x * y).sum();
            column[i] = -dot / a[i * n + i];
        }
    }
    for i in 0..n {
        for j in 0..=i {
            let (one, other) = (&lower[i * n + i..(i + 1) * n], &lower[j * n + i..(j + 1) * n]);
            let dot: f64 = one.iter().zip(other).map(|(x, y)| x * y).sum();
            (inverse[i * n + j], inverse[j * n + i]) = (dot, dot);
        }
    }
    Some(log)
}

/// Solves a system of three unknowns by cofactors.
fn solve_three(a: &[f64], b: &mut [f64]) {
    let m = glam::DMat3::from_cols_slice(a);
    let x = m.inverse() * glam::DVec3::from_slice(b);
    if x.is_finite() { x } else { glam::DVec3::ZERO }.write_to_slice(b);
}

#[cfg(test)]
mod tests {
    use super::invert;

    #[test]
    fn inverse_times_matrix_is_identity() {
        let matrix = [4.0, 1.0, -0.5, 0.2, 1.0, 3.0, 0.7, 0.1, -0.5, 0.7, 2.0, 0.3, 0.2, 0.1, 0.3, 1.0];
        let (mut a, mut inverse) = (matrix, [0.0; 16]);
        let log = invert(&mut a, &mut inverse, 4).unwrap_or(f64::NAN);
        assert!((log.exp() - glam::DMat4::from_cols_array(&matrix).determinant()).abs() < 1e-12);
        for i in 0..4 {
            for j in 0..4 {
                let sum: f64 = (0..4).map(|k| inverse[4 * i + k] * matrix[4 * k + j]).sum();
                assert!((sum - f64::from(u8::from(i == j))).abs() < 1e-12);
            }
        }
        assert_eq!(invert(&mut [1.0, 2.0, 2.0, 1.0], &mut [0.0; 4], 2), None);
    }
}
