//! Which joints may be dragged and how they bend: a [`Rig`], found in a character or read from a file; and a pose's
//! joints lent to a solver as an [`ik::Body`](crate::ik::Body), and the answer written back.

mod beside;
mod carry;
mod error;
pub mod file;
mod find;
mod lease;
mod limits;
mod model;

pub use beside::{RigLoadCause, RigLoadError, load, updated};
pub use carry::Carried;
pub use error::RigError;
pub use find::find;
pub use lease::{Lease, default_base, orientation};
pub use model::{Chain, ChainKind, JointRig, Rig};
