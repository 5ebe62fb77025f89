//! Why something cannot be captured.

/// Why the joints of a skeleton cannot follow what is captured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaptureError {
    /// An index beyond the skeleton.
    #[error("joint {index}: node {node} does not exist (the skeleton has {count})")]
    Node {
        /// Its place in the list of joints.
        index: usize,
        /// The node that was asked for.
        node: usize,
        /// How many there are.
        count: usize,
    },
    /// A joint that is listed twice.
    #[error("joints {first} and {second} are both node \"{node}\"")]
    Twice {
        /// Its first place in the list.
        first: usize,
        /// Its second.
        second: usize,
        /// The node's name, or `#INDEX`.
        node: String,
    },
    /// Joints that hang on different roots.
    #[error("node \"{node}\" has no ancestor in common with \"{other}\"")]
    Apart {
        /// One of them.
        node: String,
        /// Another.
        other: String,
    },
    /// A name that no node and no bone has.
    #[error("joint \"{name}\": no node and no bone of the humanoid has this name")]
    Name {
        /// As the take has it.
        name: String,
    },
    /// No joints, or no frames.
    #[error("there is nothing to follow")]
    Empty,
    /// A frame whose time is no number or is before the one of the frame that precedes it.
    #[error("frame {frame}: its time, {time} s, is not after the frame before")]
    Time {
        /// From zero.
        frame: usize,
        /// What it says.
        time: String,
    },
    /// More frames than a clip can hold.
    #[error("frame {frame}: the take is too long for a clip")]
    Long {
        /// The first frame that has no room, from zero.
        frame: usize,
    },
}
