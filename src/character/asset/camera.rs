//! Cameras in a file.

/// A camera on a node of the file. It looks along the node's −Z axis, and its up direction is the node's +Y axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Name of the camera, or of its node if the camera has none.
    pub name: Option<String>,
    /// Node index.
    pub node: usize,
    /// Projection of the camera.
    pub kind: CameraKind,
}

/// The projection of a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CameraKind {
    /// Distant objects appear smaller.
    Perspective {
        /// Vertical field of view in radians.
        fov_y: f32,
    },
    /// The size of objects does not depend on their distance.
    Orthographic {
        /// Height of the view volume in metres.
        height: f32,
    },
}
