//! Clips and retargeting.

mod clips;
mod cycles;
mod figures;
mod foot_placer;
mod hills;
mod keys;
mod landing;
mod retarget;
mod strips;
