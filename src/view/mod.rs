//! Cameras, bounding boxes, and the rule that frames a character.

mod camera;

pub use camera::{AUTO_FOV_Y, Bounds, Camera};
