//! Clips and retargeting.

mod clips;
mod figures;
mod retarget;
mod strips;
