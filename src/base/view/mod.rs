//! Cameras, bounding boxes, and automatic framing of a character.

mod camera;
mod fit;

pub use camera::{AUTO_DIRECTION, AUTO_FOV_Y, Bounds, Camera, Projection};
pub use fit::{Fit, FittedView, Framing};
