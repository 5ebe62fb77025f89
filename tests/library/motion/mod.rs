//! Clips and retargeting.

mod clips;
mod figures;
mod keys;
mod retarget;
