//! Code shared by the crates of sinew: API helpers, and mathematics that is independent of bodies and files. Other crates
//! should not depend on it, because it may change in any version.

pub mod api;
pub mod mathematics;
mod random;

pub use random::Random;

/// The clock, also on the web.
#[cfg(not(target_arch = "wasm32"))]
pub use std::time::Instant;
#[cfg(target_arch = "wasm32")]
pub use web_time::Instant;
