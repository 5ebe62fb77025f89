//! Mathematics and hierarchies, independent of characters.

mod eigen;
mod lbfgs;
mod reduced_tree;
mod rotation;
#[cfg(feature = "render")]
pub(crate) mod single;

pub(crate) use eigen::eigen;
pub(crate) use lbfgs::{Minimum, minimise};
pub(crate) use reduced_tree::ReducedTree;
pub(crate) use rotation::any_perpendicular;
pub use rotation::{best_fit, shortest_arc};
