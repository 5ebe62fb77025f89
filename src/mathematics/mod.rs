//! Mathematics shared by the solvers and motion capture, independent of characters.

mod eigen;
mod lbfgs;
mod rotation;

pub(crate) use eigen::eigen;
pub(crate) use lbfgs::{Minimum, minimise};
pub(crate) use rotation::any_perpendicular;
pub use rotation::{best_fit, shortest_arc};
