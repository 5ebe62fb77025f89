//! Reading and writing files safely: reading is bounded in size, writing is atomic.

pub mod atomic;
pub mod bounded;
