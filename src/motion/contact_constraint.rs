//! The contact constraint, which keeps a foot or a hand in place.

use glam::{Quat, Vec3};

/// A position that a foot or a hand must keep. The code that owns the solver converts it to a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactConstraint {
    /// The node's index.
    pub node: usize,
    /// The point that must keep the position, in the node's frame. Zero is the node's origin.
    pub offset: Vec3,
    /// Position of the point, in metres: in the world, or in the frame of the node that it is held on.
    pub position: Vec3,
    /// Orientation in the world, or relative to the node that it is held on. It is a product of local rotations. `None` keeps the
    /// orientation in the pose, unless `pulls` is set.
    pub orientation: Option<Quat>,
    /// The node that the point is held on and goes along with. `None` is the world.
    pub on: Option<usize>,
    /// Weight of the constraint, from 0 (the position in the pose) to 1 (the constrained position).
    pub weight: f32,
    /// Whether the position gives way to other parts of a recognised body, with `full_body.clear`: that of a foot in the air, whose leg
    /// passes the other one.
    pub yields: bool,
    /// Whether the body follows, as it follows a target, and a node without an `orientation` goes along with its limb. That of a goal.
    pub pulls: bool,
}
