//! Helpers shared by all public interfaces.

mod builder;
mod edit_distance;
mod missing;
mod parse;

pub use crate::with_methods;
pub use edit_distance::edit_distance;
pub use missing::Missing;
pub use parse::ParseError;
pub use parse::named;
