//! Live motion by the VMC protocol (Virtual Motion Capture, version 3.1): OSC over UDP, from a performer's program to whoever shows the figure.
//!
//! ```text
//! UDP ─▶ Receiver ─▶ decode ─▶ Event ─▶ Performer (what was said last) ─▶ Live ─▶ Pose ─▶ Recorder ─▶ Clip
//!        └──────────────────────────────── Source ────────────────────────────────┘
//! ```
//!
//! Rotations in it are local ones of a figure whose joints are all aligned with the world in the T-pose; [`Live`] says what they are on a
//! character whose joints stand as they like. Nothing that arrives is trusted: what is no packet of the protocol is counted and
//! dropped as a whole.

mod bones;
mod event;
mod faces;
mod live;
mod osc;
mod packets;
mod performer;
mod receiver;
mod source;

pub use bones::{BONES, Bone};
pub use event::{Event, decode};
pub use live::Live;
pub use osc::LONGEST_PACKET;
pub use packets::{PacketFile, PacketWriter, replay};
pub use performer::Performer;
pub use receiver::{DEFAULT_ADDRESS, Receiver, State};
pub use source::Source;

/// Why a packet was dropped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PacketError {
    /// More bytes than a datagram holds.
    #[error("{bytes} bytes are more than a datagram holds")]
    Long {
        /// As many.
        bytes: usize,
    },
    /// No OSC.
    #[error("the packet is no OSC message or bundle")]
    Broken,
    /// Bundles in bundles.
    #[error("bundles are nested deeper than 8")]
    Deep,
    /// A message of the protocol that does not hold what it should.
    #[error("{address}: the arguments are not those of the protocol")]
    Arguments {
        /// The message's address.
        address: String,
    },
}

#[cfg(test)]
mod tests;
