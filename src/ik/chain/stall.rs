//! Detection of a stall of the iterations on a free chain.

/// Number of iterations without a gain of one percent after which a chain counts as stuck.
const STALL_ITERATIONS: usize = 16;

/// Detects when iterations no longer reduce the error.
pub(super) struct StallDetector {
    mark: f64,
    iterations: usize,
}

impl StallDetector {
    pub(super) fn new() -> Self {
        Self { mark: f64::INFINITY, iterations: 0 }
    }

    pub(super) fn is_stalled(&mut self, error: f64) -> bool {
        if error < 0.99 * self.mark {
            (self.mark, self.iterations) = (error, 0);
        }
        self.iterations += 1;
        self.iterations > STALL_ITERATIONS
    }
}
