//! Clips and retargeting.

mod clips;
mod cycles;
mod figures;
mod landing;
mod retarget;
mod strips;
