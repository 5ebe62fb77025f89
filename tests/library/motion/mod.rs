//! Clips and retargeting.

mod clips;
mod figures;
mod landing;
mod retarget;
