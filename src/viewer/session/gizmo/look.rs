//! The look-at point, which can be dragged in the scene.

use glam::{Vec2, Vec3};

use crate::EyeTarget;
use crate::document::Document;
use crate::puppet::Puppet;
use crate::session::picking::Picture;
use crate::session::viewpoint::Viewpoint;

use super::{END, GizmoGrip};

/// Returns the look-at point, if the character looks at a point.
pub(super) fn placed(puppet: &Puppet, document: &Document) -> Option<Vec3> {
    match document.settings.look_at {
        EyeTarget::Point(point) if Viewpoint::of(puppet).is_some() => Some(point.as_vec3()),
        _ => None,
    }
}

/// Returns the grip of the look-at point if the point is at a pixel.
pub(super) fn under(picture: &Picture<'_>, at: Vec2) -> Option<GizmoGrip> {
    let viewport = &picture.viewport;
    let distance = viewport.pixel(placed(picture.puppet, picture.document)?)?.distance(at) / viewport.scale;
    (distance < END).then_some(GizmoGrip::LookAt)
}
