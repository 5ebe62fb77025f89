//! Clips and retargeting.

mod clips;
mod cycles;
mod figures;
mod keys;
mod landing;
mod retarget;
mod strips;
