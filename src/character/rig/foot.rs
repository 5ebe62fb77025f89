//! Feet that touch the floor: a joint with the points of its sole.

use glam::{Affine3A, Vec3};

/// The number of points around a sole.
pub(super) const POINTS: usize = 6;

/// A foot, and the points that can touch the floor. Each point is fixed to a node, and is in the frame of that node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foot {
    /// The node of the foot, at the ankle.
    pub node: usize,
    /// The heel, in the frame of the foot.
    pub heel: Vec3,
    /// The ball about which the heel rises, in the frame of the foot: the first toe joint, or the tip of a foot without toes.
    pub ball: Vec3,
    /// The outermost points of the sole in the rest pose, each with the node that moves it. Toes may rotate by themselves.
    pub sole: [(usize, Vec3); POINTS],
    /// Height of the floor in metres, if it is known.
    pub floor: Option<f32>,
    /// Size of the body relative to a person 1.75 m tall, or 1 if it is unknown.
    pub size: f32,
}

impl Foot {
    /// Returns a foot whose sole is unknown. All points of the sole are at its joint.
    pub fn joint(node: usize) -> Self {
        let sole = [(node, Vec3::ZERO); POINTS];
        Self { node, heel: Vec3::ZERO, ball: Vec3::ZERO, sole, floor: None, size: 1.0 }
    }

    /// Returns the height of the sole's lowest point relative to the floor, in metres. The result is never positive. `world` contains the
    /// world matrices of a pose. The nodes of the foot must exist.
    pub(crate) fn sunk(&self, world: &[Affine3A]) -> f32 {
        let heights = self.sole.iter().map(|&(node, point)| world[node].transform_point3(point).y);
        self.floor.map_or(0.0, |floor| heights.fold(floor, f32::min) - floor)
    }
}
