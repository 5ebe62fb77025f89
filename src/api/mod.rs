//! What the public interfaces of all modules share.

mod builder;
mod parse;

pub(crate) use builder::with_methods;
pub use parse::ParseError;
pub(crate) use parse::named;
