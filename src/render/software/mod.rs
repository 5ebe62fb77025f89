//! Optimisations for software drivers, whose adapters [draw on the CPU](super::capabilities::Capabilities::is_software). Measurements are
//! in `docs/decisions/software-drivers.md`.

pub(super) mod few_bones;
pub(super) mod mip_levels;
mod patch;

pub(super) use patch::Patch;
