//! Cameras in a file.

/// A camera on a node of the file. It looks along the node's −Z axis, and its up direction is the node's +Y axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Name in the file: that of the camera, or otherwise that of the node.
    pub name: Option<String>,
    /// Node index.
    pub node: usize,
    /// What the camera shows.
    pub kind: CameraKind,
}

/// How a camera of a file shows depth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CameraKind {
    /// Distant things are smaller.
    Perspective {
        /// Vertical field of view in radians.
        fov_y: f32,
    },
    /// The size of things does not depend on their distance.
    Orthographic {
        /// Height of the visible part of the world in metres.
        height: f32,
    },
}
