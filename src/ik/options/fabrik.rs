//! Options of forward and backward reaching.

use serde::{Deserialize, Serialize};

/// Options of forward and backward reaching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FabrikOptions {
    /// Number of sweeps in one iteration, at least 1. A sweep goes from the tips to the base and back. The error is
    /// measured once per iteration. The default is 2. With 1, iterations are those of the published algorithm.
    pub sweeps: usize,
}

impl Default for FabrikOptions {
    fn default() -> Self {
        Self { sweeps: 2 }
    }
}
