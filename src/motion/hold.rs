//! What must stay where it is.

use glam::{Quat, Vec3};

/// A place that a node shall keep whatever the pose says: where a foot stands, where a hand holds on. Motion asks for it;
/// who solves answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// Index of the node.
    pub node: usize,
    /// World position, metres.
    pub position: Vec3,
    /// World orientation, by the product of rotations; `None`: as the pose has it.
    pub orientation: Option<Quat>,
    /// From 0 to 1: how far from where the pose puts the node to here.
    pub weight: f32,
}
