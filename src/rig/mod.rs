//! Which joints a goal may move: from an effector and a base of a character to an [`ik::Body`](crate::ik::Body), and the answer back
//! into the pose.

mod error;
mod lease;

pub use error::RigError;
pub use lease::{Lease, default_base};
