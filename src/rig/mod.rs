//! Rigs: which joints can be dragged and how they bend. A [`Rig`] is found in a character or read from a file. A [`Lease`]
//! binds the joints of a pose to an [`ik::Body`](crate::ik::Body) for a solver and writes the result back.

mod beside;
mod binding;
mod carry;
mod error;
pub mod file;
mod find;
mod limits;
mod model;

pub use crate::pose::orientation;
pub use beside::{RigLoadCause, RigLoadError, load, updated};
pub use binding::{Binding, default_base};
pub use carry::Reparented;
pub use error::RigError;
pub use find::find;
pub use model::{Chain, ChainKind, JointRig, Rig};
