//! Detects a stall of the iterations. The driver uses the same thresholds, so that a free chain stops at the same iteration in both.

/// The iterations stall if this many of them do not reduce the error below [`STALL_RATIO`] times its previous value. This gives the
/// slowest methods, which gain a fraction of a per cent per iteration, time to show progress.
pub(crate) const STALL_ITERATIONS: usize = 16;
/// The iterations stall if the error does not fall below this fraction of its previous value within [`STALL_ITERATIONS`] iterations.
pub(crate) const STALL_RATIO: f64 = 0.99;

/// Detects when iterations no longer reduce the error.
pub(super) struct StallDetector {
    mark: f64,
    iterations: usize,
}

impl StallDetector {
    #[inline]
    pub(super) fn new() -> Self {
        Self { mark: f64::INFINITY, iterations: 0 }
    }

    #[inline]
    pub(super) fn is_stalled(&mut self, error: f64) -> bool {
        if error < STALL_RATIO * self.mark {
            (self.mark, self.iterations) = (error, 0);
        }
        self.iterations += 1;
        self.iterations > STALL_ITERATIONS
    }
}
