//! Small dense linear algebra for solvers with bounds: a Cholesky factorisation that fails if the matrix is indefinite, and a quadratic
//! program with bounds.

/// Factorises the lower triangle of a row-major matrix of `n` rows in place. Returns whether it is positive definite.
pub(crate) fn cholesky(a: &mut [f64], n: usize) -> bool {
    for i in 0..n {
        let (above, rest) = a.split_at_mut(i * n);
        let row = &mut rest[..n];
        for j in 0..i {
            let other = &above[j * n..j * n + j + 1];
            row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
        }
        let pivot = row[i] - dot(&row[..i], &row[..i]);
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        row[i] = pivot.sqrt();
    }
    true
}

/// Returns the inner product of two slices of equal length.
#[inline]
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (xs, x_rest) = x.as_chunks::<4>();
    let (ys, y_rest) = y.as_chunks::<4>();
    for (a, b) in xs.iter().zip(ys) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let mut rest = 0.0;
    for (a, b) in x_rest.iter().zip(y_rest) {
        rest += a * b;
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

/// Solves L x = b in place.
pub(crate) fn forward(l: &[f64], n: usize, b: &mut [f64]) {
    for i in 0..n {
        b[i] = (b[i] - dot(&l[i * n..i * n + i], &b[..i])) / l[i * n + i];
    }
}

/// Solves Lᵀ x = b in place.
pub(crate) fn backward(l: &[f64], n: usize, b: &mut [f64]) {
    for i in (0..n).rev() {
        b[i] /= l[i * n + i];
        let (x, row) = (b[i], &l[i * n..i * n + i]);
        b[..i].iter_mut().zip(row).for_each(|(b, l)| *b -= l * x);
    }
}

/// A quadratic program with bounds: minimise ½ yᵀ A y + bᵀ y with lower ≤ y ≤ upper.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoxQp {
    /// A, row-major and symmetric.
    pub(crate) a: Vec<f64>,
    pub(crate) b: Vec<f64>,
    pub(crate) bounds: Vec<[f64; 2]>,
    pub(crate) y: Vec<f64>,
    /// Whether each unknown is between its bounds.
    pub(crate) free: Vec<bool>,
    index: Vec<usize>,
    factor: Vec<f64>,
    solution: Vec<f64>,
}

/// Tolerance for an unknown beyond its bound, and minimum slope with which an unknown leaves its bound.
const BOUND: f64 = 1e-12;
const SLOPE: f64 = 1e-10;
/// This fraction of the mean diagonal is added to the diagonal, so that dependent rows do not make the matrix singular.
const RIDGE: f64 = 1e-13;

impl BoxQp {
    /// Clears the program and prepares it for `m` unknowns.
    pub(crate) fn begin(&mut self, m: usize) {
        self.a.clear();
        self.a.resize(m * m, 0.0);
        self.b.clear();
        self.bounds.clear();
        self.y.clear();
        self.free.clear();
    }

    /// Adds an unknown. `guess` is an estimate of its value, and `free` indicates whether this value is expected to be between its bounds.
    #[inline]
    pub(crate) fn push(&mut self, b: f64, bounds: [f64; 2], guess: f64, free: bool) {
        self.b.push(b);
        self.bounds.push(bounds);
        self.y.push(guess);
        self.free.push(free);
    }

    /// Solves the program by a primal active-set method (Nocedal & Wright 2006, section 16.5) from the guesses.
    pub(crate) fn solve(&mut self) {
        let m = self.b.len();
        #[expect(clippy::cast_precision_loss, reason = "a mean needs no exact count")]
        let ridge = RIDGE * (0..m).map(|i| self.a[i * m + i]).sum::<f64>().max(1e-300) / m.max(1) as f64;
        for i in 0..m {
            let [lower, upper] = self.bounds[i];
            self.y[i] = self.y[i].clamp(lower, upper);
            if lower < 0.0 {
                self.free[i] = self.y[i].abs() < upper;
            } else if !self.free[i] && self.y[i] < upper {
                self.y[i] = 0.0;
            }
        }
        // Each change moves one unknown to or from a bound.
        for _ in 0..4 * m + 8 {
            if !self.solve_free(ridge) {
                return;
            }
            if self.step_to_bound() {
                continue;
            }
            let Some(leaving) = self.steepest() else { return };
            self.free[leaving] = true;
        }
    }

    /// Solves for the free unknowns. Returns false if the free unknowns depend on each other.
    fn solve_free(&mut self, ridge: f64) -> bool {
        let m = self.b.len();
        let Self { a, b, y, free, index, factor, solution, .. } = self;
        index.clear();
        index.extend((0..m).filter(|&i| free[i]));
        let k = index.len();
        factor.clear();
        factor.resize(k * k, 0.0);
        solution.clear();
        for (row, &i) in index.iter().enumerate() {
            for (column, &j) in index[..=row].iter().enumerate() {
                factor[row * k + column] = a[i * m + j];
            }
            factor[row * k + row] += ridge;
            let held: f64 = (0..m).filter(|&j| !free[j]).map(|j| a[i * m + j] * y[j]).sum();
            solution.push(-b[i] - held);
        }
        let solved = cholesky(factor, k);
        if solved {
            forward(factor, k, solution);
            backward(factor, k, solution);
        }
        solved
    }

    /// Moves the free unknowns to their solution, or to the first bound on the way. Returns whether a bound is in the way.
    fn step_to_bound(&mut self) -> bool {
        let Self { bounds, y, free, index, solution, .. } = self;
        let mut first: Option<(f64, usize, f64)> = None;
        for (&i, &wanted) in index.iter().zip(&*solution) {
            let [lower, upper] = bounds[i];
            let bound = if wanted < lower - BOUND {
                lower
            } else if wanted > upper + BOUND {
                upper
            } else {
                continue;
            };
            let share = (bound - y[i]) / (wanted - y[i]);
            if first.is_none_or(|(least, ..)| share < least) {
                first = Some((share, i, bound));
            }
        }
        let share = first.map_or(1.0, |(share, ..)| share.min(1.0));
        index.iter().zip(&*solution).for_each(|(&i, wanted)| y[i] += share * (wanted - y[i]));
        let Some((_, hit, bound)) = first else { return false };
        (y[hit], free[hit]) = (bound, false);
        true
    }

    /// Returns the unknown that gains most by leaving its bound.
    fn steepest(&self) -> Option<usize> {
        let m = self.b.len();
        let mut best = (SLOPE, None);
        for i in (0..m).filter(|&i| !self.free[i]) {
            let slope = dot(&self.a[i * m..(i + 1) * m], &self.y) + self.b[i];
            let gain = if self.y[i] <= self.bounds[i][0] { -slope } else { slope };
            if gain > best.0 {
                best = (gain, Some(i));
            }
        }
        best.1
    }
}
