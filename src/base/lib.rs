//! Code shared by the crates of sinew: API helpers, mathematics that is independent of bodies and files, and (with the feature `files`)
//! text formats, files and cameras. Crates outside sinew should not depend on this crate, because it may change in any version.

pub mod api;
#[cfg(feature = "files")]
pub mod files;
pub mod mathematics;
#[cfg(feature = "files")]
pub mod platform;
mod random;
#[cfg(feature = "files")]
pub mod text;
#[cfg(feature = "files")]
pub mod view;

pub use random::Random;

/// The clock. It is also available on the web.
#[cfg(not(target_arch = "wasm32"))]
pub use std::time::Instant;
#[cfg(target_arch = "wasm32")]
pub use web_time::Instant;
