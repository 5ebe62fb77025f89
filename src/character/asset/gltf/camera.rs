//! Reads cameras.

use std::f32::consts::PI;

use crate::asset::{Camera, CameraKind};

use super::{GltfFile, ObjectError};

impl GltfFile<'_> {
    /// Reads the cameras of all nodes in the order of the file's list of cameras. Several nodes may have the same camera. Cameras
    /// with invalid values are ignored.
    pub(super) fn cameras(&self) -> Result<Vec<Camera>, ObjectError> {
        let mut cameras: Vec<(usize, Camera)> = Vec::new();
        for (node, json) in self.root.nodes.iter().enumerate() {
            let Some(index) = json.camera.map(|camera| camera.value()) else { continue };
            let Some(camera) = self.cameras.get(index) else { continue };
            let Some(kind) = kind(camera) else { continue };
            self.buffers.claim(size_of::<Camera>() as u64, "cameras")?;
            let name = camera.name.clone().or_else(|| json.name.clone());
            cameras.push((index, Camera { name, node, kind }));
        }
        cameras.sort_by_key(|(index, _)| *index);
        Ok(cameras.into_iter().map(|(_, camera)| camera).collect())
    }
}

/// Returns a camera's projection if its numbers are valid. Its depth range is not used.
fn kind(camera: &gltf::json::Camera) -> Option<CameraKind> {
    let perspective = camera.perspective.as_ref().map(|perspective| perspective.yfov);
    let perspective = perspective.filter(|fov_y| *fov_y > 0.0 && *fov_y < PI);
    let orthographic = camera.orthographic.as_ref().map(|orthographic| 2.0 * orthographic.ymag.abs());
    let orthographic = orthographic.filter(|height| *height > 0.0 && height.is_finite());
    perspective
        .map(|fov_y| CameraKind::Perspective { fov_y })
        .or_else(|| orthographic.map(|height| CameraKind::Orthographic { height }))
}
