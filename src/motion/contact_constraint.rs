//! The contact constraint, which keeps a foot or a hand in place.

use glam::{Quat, Vec3};

/// A position that a foot or a hand must keep. The code that owns the solver converts it to a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactConstraint {
    /// The node's index.
    pub node: usize,
    /// The point that must keep the position, in the node's frame. Zero is the node's origin.
    pub offset: Vec3,
    /// World position of the point, in metres.
    pub position: Vec3,
    /// World orientation, as the product of the local rotations. `None` keeps the orientation in the pose.
    pub orientation: Option<Quat>,
    /// Weight of the constraint, from 0 (the position in the pose) to 1 (the constrained position).
    pub weight: f32,
}
