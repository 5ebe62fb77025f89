//! Live motion capture with the VMC protocol (Virtual Motion Capture, version 3.1). A capture program sends the performer's pose as OSC
//! over UDP to the program that shows the character.
//!
//! ```text
//! UDP ─▶ Receiver ─▶ decode ─▶ VmcEvent ─▶ Performer (latest values) ─▶ LiveCharacter ─▶ Pose, LiveGoals ─▶ Recorder ─▶ Clip
//!        └────────────────────────────────────────────── LiveSource ──────────────────────────────────────────────┘
//! ```
//!
//! The protocol's rotations are local rotations of a character whose joints are all aligned with the world in the
//! T-pose. [`LiveCharacter`] converts them for characters with other joint axes. Received data is not trusted: a packet
//! that is not valid is counted and dropped as a whole.

mod event;
mod expressions;
mod live;
mod osc;
mod packets;
mod performer;
mod receiver;
mod source;
mod trackers;

pub use super::bones::{BONES, Bone};
pub use event::{VmcEvent, decode};
pub use live::LiveCharacter;
pub use osc::LONGEST_PACKET;
pub use packets::{PacketFile, PacketWriter, replay};
pub use performer::Performer;
pub use receiver::{DEFAULT_ADDRESS, Receiver, ReceiverState};
pub use source::LiveSource;
pub use trackers::LiveGoal;

/// The reason why a packet was dropped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PacketError {
    /// The packet has more bytes than a datagram can contain.
    #[error("the packet has {bytes} bytes, but a datagram has at most {LONGEST_PACKET}")]
    TooLong {
        /// The number of bytes.
        bytes: usize,
    },
    /// The packet is not an OSC message or bundle.
    #[error("the packet is not a valid OSC message or bundle")]
    Malformed,
    /// Bundles are nested too deeply.
    #[error("bundles are nested more than 8 levels deep")]
    TooDeep,
    /// A message has missing or invalid arguments.
    #[error("{address}: the arguments are missing or invalid")]
    Arguments {
        /// The message's address.
        address: String,
    },
}

#[cfg(test)]
mod tests;
