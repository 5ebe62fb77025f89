//! Values of solver options.

use crate::options::{Balance, Swivel};

/// The value of a solver option, in radians and metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum OptionValue {
    /// No value: there is no maximum, or the method chooses the value.
    None,
    /// A switch.
    Flag(bool),
    /// A number of things.
    Count(usize),
    /// A number, an angle in radians or a length in metres.
    Number(f64),
    /// One of several names.
    Name(&'static str),
    /// The swivel of a limb.
    Swivel(Swivel),
    /// A balance task.
    Balance(Balance),
}
