//! Small matrices.

/// A pivot below this fraction of the largest entry counts as zero. Rounding errors leave about 1e-16.
const SINGULAR: f64 = 1e-12;

/// A square matrix of at most three rows.
pub(super) type Matrix = [[f64; 3]; 3];

/// Solves `matrix · x = right` for the first `size` rows by Gaussian elimination with pivoting. Returns `None` if the matrix
/// is singular.
pub(super) fn solve(mut matrix: Matrix, mut right: [f64; 3], size: usize) -> Option<[f64; 3]> {
    let size = size.min(3);
    let largest = matrix.iter().flatten().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    for column in 0..size {
        let pivot =
            (column..size).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let head = matrix[column][column];
        // NaN is rejected too.
        if head.abs().partial_cmp(&(SINGULAR * largest)) != Some(std::cmp::Ordering::Greater) {
            return None;
        }
        for row in column + 1..size {
            let factor = matrix[row][column] / head;
            let upper = matrix[column];
            matrix[row].iter_mut().zip(upper).skip(column).for_each(|(x, above)| *x -= factor * above);
            right[row] -= factor * right[column];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    Some(right)
}
