//! Mathematics and hierarchies, independent of characters.

mod eigen;
mod lbfgs;
#[cfg(feature = "character")]
mod quantile;
mod reduced_tree;
mod rotation;
mod segment;
#[cfg(feature = "character")]
pub(crate) mod single;
#[cfg(feature = "render")]
pub(crate) mod single_slerp;
#[cfg(feature = "character")]
pub(crate) mod spans;

pub(crate) use eigen::eigen;
pub(crate) use lbfgs::{Minimum, minimise};
#[cfg(feature = "character")]
pub(crate) use quantile::quantile;
pub(crate) use reduced_tree::ReducedTree;
pub(crate) use rotation::any_perpendicular;
pub use rotation::{best_fit, inverse_fit, shortest_arc};
pub(crate) use segment::nearest_points;
