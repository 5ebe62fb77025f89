//! Differences between a native program and a web page: the clock, threads, waiting, and files.
//!
//! A web page has one thread, which must never wait, and its files are in memory. This module hides the differences, so
//! the rest of the crate does not distinguish a program from a page.

pub mod fs;
#[cfg(any(test, target_arch = "wasm32"))]
#[cfg_attr(
    target_arch = "wasm32",
    expect(missing_docs, reason = "the names and the behaviour are those of `std::fs`")
)]
#[cfg_attr(
    not(target_arch = "wasm32"),
    allow(dead_code, unreachable_pub, reason = "its tests run everywhere")
)]
mod memory;
mod tasks;

pub use crate::Instant;

pub use tasks::{HAS_THREADS, Task, block_on, receive, spawn};
