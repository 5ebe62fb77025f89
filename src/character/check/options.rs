//! Which checks run, and their limits.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::with_methods;

use super::kind::Check;

/// Whether clips are checked as loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Looping {
    /// A clip is a loop if most of the joints that move in it end where they began.
    #[default]
    Detect,
    /// Every clip is a loop.
    Always,
    /// No clip is a loop.
    Never,
}

/// Which checks run, and their limits.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CheckOptions {
    /// The checks to run. Empty for all.
    pub only: BTreeSet<Check>,
    /// The checks to skip.
    pub skip: BTreeSet<Check>,
    /// Limits that replace [`Check::default_limit`]. Lengths are for a person of 1.75 m.
    pub limits: BTreeMap<Check, f64>,
    /// Whether clips are checked as loops.
    pub looping: Looping,
    /// Height of the floor in metres. `None` uses the height at which the feet stand.
    pub floor: Option<f32>,
    /// Speed in metres per second at which the program that plays the clip moves the character. `None` if unknown.
    pub speed: Option<f32>,
}

with_methods!(CheckOptions {
    with_only(only: BTreeSet<Check>),
    with_skip(skip: BTreeSet<Check>),
    with_limits(limits: BTreeMap<Check, f64>),
    with_looping(looping: Looping),
    with_floor(floor: impl Into<Option<f32>>),
    with_speed(speed: impl Into<Option<f32>>),
});

impl CheckOptions {
    /// Returns whether a check runs.
    pub fn runs(&self, check: Check) -> bool {
        (self.only.is_empty() || self.only.contains(&check)) && !self.skip.contains(&check)
    }

    /// Returns the limit of a check for a character. `size` is its size relative to a person of 1.75 m.
    pub(super) fn limit(&self, check: Check, size: f32) -> f64 {
        let limit = self.limits.get(&check).copied().unwrap_or_else(|| check.default_limit());
        if check.is_scaled() { limit * f64::from(size) } else { limit }
    }
}
