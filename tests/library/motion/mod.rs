//! Clips and retargeting.

mod clips;
mod figures;
mod foot_placer;
mod hills;
mod retarget;
