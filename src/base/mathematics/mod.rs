//! Mathematics and hierarchies, independent of characters.

mod eigen;
mod hierarchy;
mod lbfgs;
pub mod limb;
mod quantile;
mod reduced_tree;
mod rotation;
mod segment;
pub mod single;
pub mod single_slerp;
pub mod single_trigonometry;
pub mod spans;
pub mod triangle;

pub use eigen::eigen;
pub use hierarchy::{accumulate, accumulate_below, propagate};
pub use lbfgs::{Minimum, minimise};
pub use quantile::quantile;
pub use reduced_tree::ReducedTree;
pub use rotation::any_perpendicular;
pub use rotation::{best_fit, inverse_fit, shortest_arc};
pub use segment::nearest_points;
