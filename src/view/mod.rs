//! Cameras, bounding boxes, and automatic framing of a character.

mod camera;

pub use camera::{AUTO_FOV_Y, Bounds, Camera, Projection};
