//! Clips and retargeting.

mod clips;
mod contacts;
mod cycles;
mod figures;
mod foot_placer;
mod goals;
mod hills;
mod keys;
mod landing;
mod parametric;
mod retarget;
mod strips;
