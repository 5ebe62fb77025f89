//! Differences between a native program and a web page: the clock, threads, waiting, and files.
//!
//! A web page has one thread, which must never wait, and its files are in its memory. Everything else is the same, so the
//! rest of the crate does not distinguish them.

#[cfg(feature = "character")]
pub(crate) mod fs;
#[cfg(any(test, all(target_arch = "wasm32", feature = "character")))]
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "its tests run everywhere"))]
mod memory;
#[cfg(feature = "render")]
mod tasks;

pub(crate) use sinew_base::Instant;

#[cfg(feature = "window")]
pub(crate) use tasks::{HAS_THREADS, Task, spawn};
#[cfg(feature = "render")]
pub(crate) use tasks::{block_on, receive};
