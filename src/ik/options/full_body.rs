//! Options of the whole-body method for figures.

use sinew_base::api::with_methods;

/// Options of [`Method::FullBody`](crate::Method::FullBody) for a body that is a [figure](crate::FigureParts).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct FullBodyOptions {
    /// Whether the figure keeps its balance. If false, the figure may lose its balance to reach a goal.
    pub balance: bool,
    /// Stiffness of the back relative to the default of 1. A stiff back leads to a squat, and a soft back to a bow.
    pub spine_stiffness: f64,
    /// How far the head turns towards the target of a hand, from 0 (not at all) to 1 (it faces the target as far as the
    /// neck allows).
    pub look: f64,
    /// Whether parts of the body that pass through each other or the floor at the start are moved apart. If false, these parts may continue
    /// to overlap, but the overlap does not increase.
    pub clear: bool,
}

with_methods!(FullBodyOptions {
    with_balance(balance: bool),
    with_spine_stiffness(spine_stiffness: f64),
    with_look(look: f64),
    with_clear(clear: bool),
});

impl Default for FullBodyOptions {
    fn default() -> Self {
        Self { balance: true, spine_stiffness: 1.0, look: 0.0, clear: false }
    }
}
