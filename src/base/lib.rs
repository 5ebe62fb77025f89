//! What the crates of sinew share: their style of interfaces, and mathematics that knows neither bodies nor files. It makes no
//! promises to other crates.

pub mod api;
pub mod mathematics;
mod random;

pub use random::Random;

/// The clock, also of a web page.
#[cfg(not(target_arch = "wasm32"))]
pub use std::time::Instant;
#[cfg(target_arch = "wasm32")]
pub use web_time::Instant;
