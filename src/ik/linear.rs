//! Solvers for small dense symmetric matrices. Matrices are row-major slices, so that callers can reuse their
//! buffers.

/// Returns the inner product of two slices, summed in their order. [`crate::qp::dot`] is faster for long slices, but rounds differently.
#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves `(a + floor I) x = b` for a symmetric positive semidefinite matrix by Cholesky factorisation (Golub & Van Loan,
/// algorithm 4.2.1). Overwrites `a`, and stores x in `b`. Only the lower triangle of `a` is read. `floor` must be
/// positive.
///
/// In exact arithmetic, no pivot is below `floor`. Pivots that are below it because of rounding errors are set to
/// `floor`, so that every unknown is solved for.
pub(super) fn solve_damped(a: &mut [f64], b: &mut [f64], floor: f64) {
    match b.len() {
        3 => solve_damped_fixed::<3>(a, b, floor),
        6 => solve_damped_fixed::<6>(a, b, floor),
        n => solve_damped_rows(a, b, floor, n),
    }
}

/// Solves a system whose size is known at compile time.
#[expect(clippy::needless_range_loop, reason = "the indices are those of the algorithm")]
fn solve_damped_fixed<const N: usize>(a: &[f64], b: &mut [f64], floor: f64) {
    let (rows, _) = a.as_chunks::<N>();
    let (Ok(mut a), Ok(mut x)) = (<[[f64; N]; N]>::try_from(rows), <[f64; N]>::try_from(&*b)) else { return };
    for j in 0..N {
        let mut pivot = a[j][j] + floor;
        for k in 0..j {
            pivot -= a[j][k] * a[j][k];
        }
        let inverse = 1.0 / pivot.max(floor).sqrt();
        a[j][j] = inverse;
        for i in j + 1..N {
            let mut sum = a[i][j];
            for k in 0..j {
                sum -= a[i][k] * a[j][k];
            }
            a[i][j] = sum * inverse;
        }
    }
    for i in 0..N {
        for k in 0..i {
            x[i] -= a[i][k] * x[k];
        }
        x[i] *= a[i][i];
    }
    for i in (0..N).rev() {
        for k in i + 1..N {
            x[i] -= a[k][i] * x[k];
        }
        x[i] *= a[i][i];
    }
    b.copy_from_slice(&x);
}

/// Solves a system of any size. Each column of the factor is also stored as a row of the upper triangle, so that all
/// inner loops run along rows.
fn solve_damped_rows(a: &mut [f64], b: &mut [f64], floor: f64, n: usize) {
    for j in 0..n {
        let (above, below) = a.split_at_mut((j + 1) * n);
        let row = &mut above[j * n..];
        // Store the inverse of the pivot, because both substitutions need it.
        let inverse = 1.0 / (row[j] + floor).max(floor).sqrt();
        row[j] = inverse;
        let column = &mut row[j + 1..];
        for (entry, other) in column.iter_mut().zip(below.chunks_exact_mut(n)) {
            other[j] *= inverse;
            *entry = other[j];
        }
        for (i, other) in below.chunks_exact_mut(n).enumerate() {
            let by = column[i];
            let rest = &mut other[j + 1..=j + 1 + i];
            rest.iter_mut().zip(&*column).for_each(|(entry, l)| *entry -= by * l);
        }
        let (done, rest) = b.split_at_mut(j + 1);
        done[j] *= inverse;
        rest.iter_mut().zip(&*column).for_each(|(b, l)| *b -= l * done[j]);
    }
    for i in (0..n).rev() {
        let x = b[i] * a[i * n + i];
        b[i] = x;
        let (before, row) = (&mut b[..i], &a[i * n..i * n + i]);
        before.iter_mut().zip(row).for_each(|(b, a)| *b -= a * x);
    }
}

/// A partial Cholesky factorisation with diagonal pivoting (Golub & Van Loan, algorithm 4.2.4; Higham 2002, section
/// 10.3) of a symmetric positive semidefinite matrix. Rows are eliminated group by group. After each group, the matrix
/// contains the Schur complement for the rows that follow.
///
/// A row that depends linearly on previously eliminated rows has no positive pivot, except for rounding errors. Such rows
/// are left out, and their number is returned. Buffers are reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Elimination {
    n: usize,
    /// The columns of the factor, one for each pivot, each stored as a row of n numbers.
    factor: Vec<f64>,
    /// The eliminated rows, in the order of elimination.
    pivots: Vec<usize>,
    /// The diagonal before the first elimination. The entry of each pivot is then replaced by NaN.
    diagonal: Vec<f64>,
}

/// A row counts as dependent if its pivot is at most this fraction of the largest diagonal entry of its group before any
/// elimination. Rounding errors of a factorisation of n rows are about n · 2.2e-16 (Higham 2002, theorem 10.14). For the
/// few dozen rows of a body, this threshold is far above these errors.
const DEPENDENT: f64 = 1e-12;

impl Elimination {
    /// Starts the factorisation of a matrix of n rows.
    pub(super) fn start(&mut self, matrix: &[f64], n: usize) {
        self.n = n;
        self.factor.clear();
        self.pivots.clear();
        self.diagonal.clear();
        self.diagonal.extend(matrix.iter().step_by(n + 1));
    }

    /// Eliminates a group of rows. The groups must be eliminated in the order of their rows. Returns the number of
    /// dependent rows.
    pub(super) fn eliminate(&mut self, matrix: &mut [f64], rows: std::ops::Range<usize>) -> usize {
        let n = self.n;
        let threshold = DEPENDENT * self.diagonal[rows.clone()].iter().copied().fold(0.0, f64::max);
        for eliminated in 0..rows.len() {
            let mut best = (threshold, None);
            for row in rows.clone().filter(|&row| !self.diagonal[row].is_nan()) {
                if matrix[row * n + row] > best.0 {
                    best = (matrix[row * n + row], Some(row));
                }
            }
            let (pivot, Some(row)) = best else { return rows.len() - eliminated };
            let inverse = 1.0 / pivot.sqrt();
            let start = self.factor.len();
            self.factor.extend(matrix[row * n..(row + 1) * n].iter().map(|x| x * inverse));
            let column = &self.factor[start..];
            self.pivots.push(row);
            self.diagonal[row] = f64::NAN;
            for (other, values) in matrix.chunks_exact_mut(n).enumerate().skip(rows.start) {
                if !self.diagonal[other].is_nan() {
                    let by = column[other];
                    values.iter_mut().zip(column).for_each(|(v, c)| *v -= by * c);
                }
            }
        }
        0
    }

    /// Returns the number of eliminated rows.
    pub(super) fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// Adds L_Bᵀ y to `sum`, which has one entry per pivot. L_B is the part of the factor for the rows in `rows`, and `y`
    /// has one entry for each of these rows.
    pub(super) fn add_transposed(&self, rows: std::ops::Range<usize>, y: &[f64], sum: &mut [f64]) {
        for (column, sum) in self.factor.chunks_exact(self.n.max(1)).zip(sum) {
            *sum += column[rows.clone()].iter().zip(y).map(|(l, y)| l * y).sum::<f64>();
        }
    }

    /// Adds L⁻¹ `right` to `sum`, where L is the factor of the eliminated rows. `right` has n entries, and is
    /// overwritten.
    pub(super) fn add_forward(&self, right: &mut [f64], sum: &mut [f64]) {
        for ((column, &pivot), sum) in self.factor.chunks_exact(self.n.max(1)).zip(&self.pivots).zip(sum) {
            let value = right[pivot] / column[pivot];
            *sum += value;
            right.iter_mut().zip(column).for_each(|(r, l)| *r -= value * l);
        }
    }

    /// Subtracts L⁻ᵀ `sum` from the entries of `y` that belong to pivots. Overwrites `sum`.
    pub(super) fn subtract_backward(&self, sum: &mut [f64], y: &mut [f64]) {
        let columns = self.factor.chunks_exact(self.n.max(1));
        for (k, (column, &pivot)) in columns.zip(&self.pivots).enumerate().rev() {
            let below = self.pivots[k + 1..].iter().zip(&sum[k + 1..]);
            let dot: f64 = below.map(|(&row, x)| column[row] * x).sum();
            sum[k] = (sum[k] - dot) / column[pivot];
            y[pivot] -= sum[k];
        }
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
    // Row c of `lower` is column c of L⁻¹, starting at the diagonal. The inverse is A⁻¹ = L⁻ᵀ L⁻¹.
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

#[cfg(test)]
mod tests {
    use super::{Elimination, invert, solve_damped};

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

    /// Returns B Bᵀ for a matrix B of n rows and `columns` columns.
    fn gram(b: &[f64], n: usize, columns: usize) -> Vec<f64> {
        let row = |i: usize| &b[i * columns..(i + 1) * columns];
        let dot = |i, j| row(i).iter().zip(row(j)).map(|(x, y)| x * y).sum::<f64>();
        (0..n * n).map(|k| dot(k / n, k % n)).collect()
    }

    #[test]
    fn damped_systems_of_any_rank_are_solved() {
        for n in [1, 3, 4, 6, 7] {
            for columns in [1, 2, n, n + 2] {
                let b: Vec<f64> = (0..n * columns).map(|i| (i as f64 * 1.7 + 0.3).sin()).collect();
                let matrix = gram(&b, n, columns);
                for damping in [1e-10, 1e-2, 1.0] {
                    let right: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
                    let (mut a, mut x) = (matrix.clone(), right.clone());
                    solve_damped(&mut a, &mut x, damping);
                    for i in 0..n {
                        let row: f64 = (0..n).map(|j| matrix[i * n + j] * x[j]).sum();
                        let residual = row + damping * x[i] - right[i];
                        let size = x.iter().fold(1.0, |max: f64, x| max.max(x.abs()));
                        assert!(residual.abs() < 1e-14 * size, "{n} {columns} {damping}: {residual}");
                    }
                }
            }
        }
    }

    #[test]
    fn dependent_rows_are_counted_and_the_rest_is_projected() {
        // Rows 0 to 2 have rank 2. Row 3 depends on them. Row 4 does not.
        let b = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 2.0, -1.0, 0.0, 1.0, 1.0, 3.0];
        let mut matrix = gram(&b, 5, 3);
        let mut elimination = Elimination::default();
        elimination.start(&matrix, 5);
        assert_eq!(elimination.eliminate(&mut matrix, 0..3), 1);
        assert_eq!(elimination.rank(), 2);
        // In the Schur complement, only the third component of row 4 is left.
        let left = [[matrix[18], matrix[19]], [matrix[23], matrix[24]]];
        for (found, expected) in left.as_flattened().iter().zip([0.0, 0.0, 0.0, 9.0]) {
            assert!((found - expected).abs() < 1e-12, "{left:?}");
        }
        assert_eq!(elimination.eliminate(&mut matrix, 3..5), 1);
        assert_eq!(elimination.rank(), 3);
        // B⁺ᵀ applied to B h gives the part of h in the row space. Here, this is the whole vector h.
        let h = [0.4, -1.0, 2.0];
        let mut right: Vec<f64> = b.chunks(3).map(|r| r.iter().zip(h).map(|(r, h)| r * h).sum()).collect();
        let (mut sum, mut y) = (vec![0.0; 3], vec![0.0; 5]);
        elimination.add_forward(&mut right, &mut sum);
        elimination.subtract_backward(&mut sum, &mut y);
        for (k, h) in h.iter().enumerate() {
            let projected: f64 = b.chunks(3).zip(&y).map(|(r, y)| -r[k] * y).sum();
            assert!((projected - h).abs() < 1e-12, "{k}: {projected}");
        }
    }
}
