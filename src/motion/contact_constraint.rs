//! Contact constraints.

use glam::{Quat, Vec3};

/// A contact constraint: the position that a foot or a hand must keep. The owner of a solver turns it into a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactConstraint {
    /// The node's index.
    pub node: usize,
    /// World position of the node's origin, in metres.
    pub position: Vec3,
    /// World orientation, as the product of the local rotations. `None` keeps the orientation that the pose has.
    pub orientation: Option<Quat>,
    /// From 0 (the position in the pose) to 1 (the constrained position).
    pub weight: f32,
}
