//! Access to files: reading is bounded in size, and writing is atomic.
//!
//! All user files are read with [`bounded`] and written with [`atomic`]. A hostile path or file therefore cannot block
//! the program or fill its memory, and a crash never leaves an incomplete file. `docs/files.md` describes these
//! guarantees for users.

#[cfg(not(target_arch = "wasm32"))]
pub mod atomic;
#[cfg(target_arch = "wasm32")]
#[path = "atomic_in_memory.rs"]
pub mod atomic;
pub mod bounded;
mod progress;
mod relative;

pub use progress::{Progress, Stopped};
pub use relative::{beside, relative_to};
