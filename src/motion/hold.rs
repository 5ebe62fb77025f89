//! A place that a joint shall keep.

use glam::{Quat, Vec3};

/// Where a foot or a hand must stay. Whoever has a solver turns it into a goal: nothing here solves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// The node's index.
    pub node: usize,
    /// World position of its origin, metres.
    pub position: Vec3,
    /// World orientation, by the product of rotations; `None`: the one that the pose gives it.
    pub orientation: Option<Quat>,
    /// From 0, where the pose puts it, to 1, in that place.
    pub weight: f32,
}
