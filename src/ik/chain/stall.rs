//! Detection of a stall of the iterations on a free chain.

/// A chain counts as stuck after this number of iterations without a gain. The driver uses the same number.
const STALL_ITERATIONS: usize = 16;
/// An iteration counts as a gain if the error falls below this fraction of its value at the last gain.
const GAIN: f64 = 0.99;

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
        if error < GAIN * self.mark {
            (self.mark, self.iterations) = (error, 0);
        }
        self.iterations += 1;
        self.iterations > STALL_ITERATIONS
    }
}
