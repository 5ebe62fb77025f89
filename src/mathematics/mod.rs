//! What solving and capture both need of mathematics. It knows nothing of characters.

mod eigen;
mod lbfgs;
mod rotation;

pub(crate) use eigen::eigen;
pub(crate) use lbfgs::{Minimum, minimise};
pub(crate) use rotation::any_perpendicular;
pub use rotation::{best_fit, shortest_arc};
