//! What the crates of sinew share: their style of interfaces, and mathematics that knows neither bodies nor files. Other crates
//! should not depend on it, because it may change in any version.

pub mod api;
pub mod mathematics;
mod random;

pub use random::Random;

/// The clock, also of a web page.
#[cfg(not(target_arch = "wasm32"))]
pub use std::time::Instant;
#[cfg(target_arch = "wasm32")]
pub use web_time::Instant;
