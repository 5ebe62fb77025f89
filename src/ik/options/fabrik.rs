//! Options of forward and backward reaching.

use sinew_base::api::with_methods;

/// Options of forward and backward reaching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct FabrikOptions {
    /// Number of sweeps in one iteration, at least 1. A sweep goes from the tips to the base and back. The error is
    /// measured once per iteration. The default is 2. With 1, iterations match the published algorithm.
    pub sweeps: usize,
}

with_methods!(FabrikOptions {
    with_sweeps(sweeps: usize),
});

impl Default for FabrikOptions {
    fn default() -> Self {
        Self { sweeps: 2 }
    }
}
