//! Clips and retargeting.

mod clips;
mod cycles;
mod figures;
mod retarget;
mod strips;
