//! Errors of motion capture.

use crate::api::Missing;

/// An error that occurs when a skeleton is fitted to a take or to live capture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// A node does not exist in the skeleton.
    #[error("joint {index}: node {node} does not exist; the skeleton has {count} nodes")]
    Node {
        /// The index in the list of joints.
        index: usize,
        /// The requested node.
        node: usize,
        /// The number of nodes.
        count: usize,
    },
    /// A joint is listed twice.
    #[error("joints {first} and {second} are the same node, \"{node}\"")]
    Duplicate {
        /// The first index in the list.
        first: usize,
        /// The second index in the list.
        second: usize,
        /// The node's name, or `#INDEX`.
        node: String,
    },
    /// The joints have different roots.
    #[error("nodes \"{node}\" and \"{other}\" have no common ancestor")]
    NoCommonAncestor {
        /// The name of one node, or `#INDEX`.
        node: String,
        /// The name of the other node, or `#INDEX`.
        other: String,
    },
    /// A joint name matches no node and no bone of the humanoid.
    #[error(transparent)]
    UnknownJoint(#[from] Missing),
    /// A take has too many joints to estimate their hierarchy.
    #[error("the hierarchy of {count} joints cannot be estimated; at most {most} are possible")]
    TooManyJoints {
        /// The number of joints.
        count: usize,
        /// The maximum number of joints.
        most: usize,
    },
    /// The parents of the joints do not form a hierarchy.
    #[error("the joints are not a hierarchy: {cause}")]
    Hierarchy {
        /// The first problem.
        cause: String,
    },
    /// The list has no joints, or the take has no frames.
    #[error("the capture has no joints or no frames")]
    Empty,
    /// The time of a frame is missing, not finite, or not after the time of the previous frame.
    #[error("frame {frame}: the time {time} s is not after the time of the previous frame")]
    Time {
        /// The index of the frame, from zero.
        frame: usize,
        /// The time as text, or `NaN` if it is missing.
        time: String,
    },
    /// The take has more frames than a clip can contain.
    #[error("the take is too long: a clip cannot contain frame {frame}")]
    TooLong {
        /// The index of the first frame that does not fit, from zero.
        frame: usize,
    },
}
