//! Cameras, rays, bounding boxes, and automatic framing of a character.

mod camera;
mod fit;
mod ray;

pub use camera::{AUTO_DIRECTION, AUTO_FOV_Y, Bounds, Camera, Projection};
pub use fit::{Fit, FittedView, Framing};
pub use ray::Ray;
