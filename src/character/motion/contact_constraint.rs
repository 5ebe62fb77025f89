//! The contact constraint, which keeps a foot or a hand in place.

use glam::{Quat, Vec3};

/// A position that a foot or a hand must keep. The code that owns the solver converts it to a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactConstraint {
    /// The node's index.
    pub node: usize,
    /// The point that must stay at the position, in the node's frame. Zero is the node's origin.
    pub offset: Vec3,
    /// Position of the point, in metres: in the world, or in the frame of `on`.
    pub position: Vec3,
    /// Orientation in the world, or relative to `on`, as a product of local rotations. `None` keeps the orientation of the pose,
    /// unless `pulls` is set.
    pub orientation: Option<Quat>,
    /// The node that the point follows. `None` is the world.
    pub on: Option<usize>,
    /// Weight of the constraint, from 0 (the position in the pose) to 1 (the constrained position).
    pub weight: f32,
    /// Whether the position gives way to other parts of a recognised body if `full_body.clear` is set. This is set for a foot in the air,
    /// because its leg passes the other leg.
    pub yields: bool,
    /// Whether the body follows the point as if it were a target, and a node without an `orientation` follows its limb. This is set for
    /// goals.
    pub pulls: bool,
}
