//! What the public interfaces of all modules share.

mod builder;
mod edit_distance;
mod parse;

pub use crate::with_methods;
pub use edit_distance::edit_distance;
pub use parse::ParseError;
pub use parse::named;
