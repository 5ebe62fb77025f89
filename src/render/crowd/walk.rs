//! The walks of characters.

use super::targets::DestinationFields;

/// A walk of a character: from the time when it was added, was moved or got a destination, until the next such time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Walk {
    /// Increases with each walk in a slot, and is not 0.
    pub(super) number: u64,
    /// The number of steps before the character was added or moved.
    pub(super) placed: u64,
    pub(super) target: DestinationFields,
}
