//! Drags of parts of the gizmo, except for the arrows and the square, which drag the joint itself.

use glam::Vec2;

use crate::EyeTarget;
use crate::document::Document;
use crate::puppet::Puppet;

use super::drags::Drags;
use super::gizmo::{GizmoChange, GizmoDrag, GizmoGrip};
use super::picking::{Picture, Viewport};
use super::rig_edits::{change_rig, limit_joint};

impl Drags {
    /// Starts dragging a part of the gizmo. Returns whether it can be dragged.
    pub(super) fn grab_gizmo(&mut self, picture: &Picture<'_>, grip: GizmoGrip, at: Vec2) -> bool {
        self.gizmo = GizmoDrag::new(picture, grip, at);
        if self.gizmo.is_some() {
            self.begin_reflection(picture.puppet, picture.document.settings.symmetry);
        }
        self.gizmo.is_some()
    }

    /// Moves the dragged part of the gizmo to a pixel, and changes the setting, the limit or the pole that it shows. `snap` turns snapping
    /// on or off. Returns whether the pose must be solved again.
    pub(super) fn pull_gizmo(
        &mut self,
        at: Option<Vec2>,
        snap: Option<bool>,
        viewport: &Viewport,
        puppet: &mut Puppet,
        document: &mut Document,
    ) -> bool {
        let Some(drag) = &mut self.gizmo else { return false };
        match drag.pull(at, snap, viewport) {
            None => return false,
            Some(GizmoChange::LookAt(point)) => {
                // The eyes are turned after the command, without a solve.
                document.settings.look_at = EyeTarget::Point(point.as_dvec3());
                return false;
            }
            Some(GizmoChange::Limit(limit)) => {
                // Apply the limit to the initial pose, so that the joint returns when the limit is widened again.
                document.scene.held.clone_from(&drag.before.held);
                limit_joint(puppet, document, drag.node, limit);
            }
            Some(GizmoChange::Pole(chain, point)) => change_rig(puppet, &mut document.scene, |rig| {
                if let Some(chain) = rig.chains.get_mut(chain) {
                    chain.pole = Some(point);
                }
            }),
            Some(GizmoChange::Pose) => {}
        }
        true
    }
}
