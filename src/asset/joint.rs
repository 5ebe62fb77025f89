//! How the joints of a machine move.

use glam::DVec3;

/// A joint of a machine, which moves the node below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MechanicalJoint {
    /// The type of the joint and its range.
    pub kind: JointKind,
    /// The joint that this one follows, as the index of its node, with the factor and the offset: `factor · value + offset`, in
    /// radians or metres.
    pub mimic: Option<(usize, f64, f64)>,
}

/// The type of a joint. Axes are unit vectors in the frame of its node at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointKind {
    /// It does not move.
    Fixed,
    /// It turns about an axis.
    Hinge {
        /// The axis.
        axis: DVec3,
        /// The smallest and the largest angle in radians. `None` for a joint that turns without end.
        range: Option<[f64; 2]>,
    },
    /// It slides along an axis.
    Slide {
        /// The axis.
        axis: DVec3,
        /// The smallest and the largest displacement in metres.
        range: [f64; 2],
    },
    /// It turns about all axes.
    Ball,
}
