//! Displacements of prismatic joints in the poses of characters. A pose stores translations of nodes, whereas a solver stores one
//! displacement along the axis of each prismatic joint.

use glam::{DVec3, Vec3};

use crate::asset::{Node, Skeleton};
use crate::ik::Limit;

/// A translation counts as parallel to the axis of its joint if its distance from the axis is at most this fraction of its length. The
/// difference is a rounding error of single precision.
const ROUNDING: f64 = 16.0 * f32::EPSILON as f64;

/// A prismatic joint of a skeleton. All vectors are in the frame of the joint's parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slide {
    /// The unit vector along which the joint moves.
    pub axis: DVec3,
    /// The translation of the node in the rest pose.
    pub rest: DVec3,
    /// Minimum and maximum displacement from the rest pose.
    pub range: [f64; 2],
}

impl Slide {
    /// Returns the slide of a node with a limit, or `None` if the limit is not prismatic.
    pub fn new(skeleton: &Skeleton, node: usize, limit: &Limit) -> Option<Self> {
        let Limit::Prismatic { axis, min, max } = *limit else { return None };
        let Node { rest, .. } = skeleton.nodes.get(node)?;
        let axis = (rest.rotation.as_dquat().normalize() * axis).try_normalize()?;
        Some(Self { axis, rest: rest.translation.as_dvec3(), range: [min, max] })
    }

    /// Splits a translation of the node into its displacement along the axis and the remaining translation.
    pub fn split(&self, translation: Vec3) -> (f64, DVec3) {
        let translation = translation.as_dvec3();
        let moved = translation - self.rest;
        let displacement = moved.dot(self.axis);
        let beside = moved - self.axis * displacement;
        // Rounding errors must not change the offset of the joint from pose to pose.
        let largest = ROUNDING * (translation.length() + self.rest.length());
        (displacement, if beside.length() <= largest { self.rest } else { self.rest + beside })
    }

    /// Returns a translation of the node with a new displacement.
    pub fn with_displacement(&self, translation: Vec3, displacement: f64) -> Vec3 {
        (self.split(translation).1 + self.axis * displacement).as_vec3()
    }
}
