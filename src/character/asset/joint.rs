//! The joints of machines, with their types and ranges.

use glam::{DQuat, DVec3};

/// A joint of a machine, which moves its child node.
#[derive(Clone, Debug, PartialEq)]
pub struct MechanicalJoint {
    /// Name in the file. Empty for the root, which is fixed and has no joint in the file.
    pub name: String,
    /// Position in the file's list of joints.
    pub order: usize,
    /// The type of the joint and its range.
    pub kind: JointKind,
    /// The joint's frame in the parent node's frame when the joint value is 0: the position in metres and the rotation. Both have double
    /// precision, as in the file.
    pub origin: (DVec3, DQuat),
    /// Joint value in the rest pose of the character, in radians or metres. It is 0 if the range contains 0.
    pub rest_value: f64,
    /// Maximum speed in radians or metres per second, if the file has one.
    pub velocity: Option<f64>,
    /// If the joint mimics another joint: the node index of that joint, the factor and the offset. The value of this joint is `factor ·
    /// value + offset`, in radians or metres.
    pub mimic: Option<(usize, f64, f64)>,
}

impl JointKind {
    /// Returns the smallest and the largest value of a hinge or a slide that has a range, in radians or metres.
    pub fn range(&self) -> Option<[f64; 2]> {
        match *self {
            Self::Hinge { range, .. } => range,
            Self::Slide { range, .. } => Some(range),
            Self::Fixed | Self::Ball => None,
        }
    }
}

impl MechanicalJoint {
    /// Returns a joint that does not move.
    #[cfg(feature = "urdf")]
    pub(super) fn fixed(origin: (DVec3, DQuat)) -> Self {
        Self {
            name: String::new(),
            order: 0,
            kind: JointKind::Fixed,
            origin,
            rest_value: 0.0,
            velocity: None,
            mimic: None,
        }
    }
}

/// The type of a joint. Axes are unit vectors in the frame of the joint's node. Ranges are as in the file, relative to
/// [`MechanicalJoint::origin`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointKind {
    /// A joint that does not move.
    Fixed,
    /// A joint that rotates about an axis.
    Hinge {
        /// The axis.
        axis: DVec3,
        /// The smallest and the largest angle in radians. `None` if unlimited.
        range: Option<[f64; 2]>,
    },
    /// A joint that slides along an axis.
    Slide {
        /// The axis.
        axis: DVec3,
        /// The smallest and the largest displacement in metres.
        range: [f64; 2],
    },
    /// A joint that rotates about all axes.
    Ball,
}
