//! Errors of motion capture.

/// Why a take or live capture cannot be fitted to a skeleton.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaptureError {
    /// A node index that the skeleton does not have.
    #[error("joint {index}: node {node} does not exist; the skeleton has {count} nodes")]
    Node {
        /// The index in the list of joints.
        index: usize,
        /// The requested node.
        node: usize,
        /// The number of nodes.
        count: usize,
    },
    /// A joint that is listed twice.
    #[error("joints {first} and {second} are the same node, \"{node}\"")]
    Duplicate {
        /// The first index in the list.
        first: usize,
        /// The second index in the list.
        second: usize,
        /// The node's name, or `#INDEX`.
        node: String,
    },
    /// Joints that have different roots.
    #[error("nodes \"{node}\" and \"{other}\" have no common ancestor")]
    NoCommonAncestor {
        /// The name of one node, or `#INDEX`.
        node: String,
        /// The name of the other node, or `#INDEX`.
        other: String,
    },
    /// A joint name that matches no node and no bone of the humanoid.
    #[error("joint \"{name}\" does not exist: it matches no node and no bone of the humanoid")]
    Name {
        /// The name in the take.
        name: String,
    },
    /// A list without joints, or a take without frames.
    #[error("the capture has no joints or no frames")]
    Empty,
    /// A frame whose time is missing, not finite, or not after the time of the previous frame.
    #[error("frame {frame}: the time {time} s is not after the time of the previous frame")]
    Time {
        /// The index of the frame, from zero.
        frame: usize,
        /// The time as text, `NaN` if it is missing.
        time: String,
    },
    /// A take with more frames than a clip can contain.
    #[error("the take is too long: a clip cannot contain frame {frame}")]
    Long {
        /// The index of the first frame that does not fit, from zero.
        frame: usize,
    },
}
