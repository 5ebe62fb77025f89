//! The look-at point, which can be dragged in the scene.

use glam::{Vec2, Vec3};

use crate::session::viewpoint::Viewpoint;
use crate::{EyeTarget, Session};

use super::dial::GizmoView;
use super::{END, GizmoGrip};

/// Returns the look-at point, if the character looks at a point.
pub(super) fn placed(session: &Session) -> Option<Vec3> {
    match session.document.settings.look_at {
        EyeTarget::Point(point) if Viewpoint::of(&session.puppet).is_some() => Some(point.as_vec3()),
        _ => None,
    }
}

/// Returns the grip of the look-at point if the point is at a pixel.
pub(super) fn under(session: &Session, at: Vec2, view: &GizmoView) -> Option<GizmoGrip> {
    let distance = view.pixel(placed(session)?)?.distance(at) / view.scale;
    (distance < END).then_some(GizmoGrip::LookAt)
}
