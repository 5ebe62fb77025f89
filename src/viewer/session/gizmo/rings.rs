//! Rings that rotate the selected joint, either alone or so that its limb follows.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3, Vec3, Vec4};

use crate::document::Document;
use crate::ik::Limit;
use crate::puppet::Puppet;
use crate::rig::orientation;
use crate::session::picking::{Picture, Viewport};

use super::dial::Dial;
use super::{AXES, FREE};

/// Radius of the rings in points.
const RADIUS: f32 = 84.0;

/// A ring that rotates about an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    pub(super) dial: Dial,
    pub(super) color: Vec4,
}

impl Ring {
    /// Returns the half of the ring that faces the camera as one polyline, or the whole ring if it is seen along its axis.
    pub(super) fn front(&self, viewport: &Viewport) -> Vec<Vec3> {
        let direction = viewport.camera.direction_to(self.dial.center);
        if self.dial.axis.dot(direction).abs() > 0.97 {
            return self.dial.arc(0.0, TAU);
        }
        // This half extends a quarter turn to either side of the point closest to the camera.
        let side = self.dial.axis.cross(self.dial.zero);
        let middle = f64::from((-direction).dot(side).atan2((-direction).dot(self.dial.zero)));
        self.dial.arc(middle - TAU / 4.0, middle + TAU / 4.0)
    }
}

/// Returns whether rings rotate a joint alone, because of the ring mode, because several joints are selected, or because no chain can
/// follow.
pub(super) fn turns_alone(puppet: &Puppet, document: &Document, node: usize) -> bool {
    document.settings.ring_mode.alone
        || document.selection.nodes().len() > 1
        || puppet.rig.chain(node).is_none_or(|c| c.base == node)
}

/// Returns a ring for each axis about which a joint may rotate.
pub(super) fn for_joint(picture: &Picture<'_>, node: usize) -> Vec<Ring> {
    let (puppet, settings) = (picture.puppet, &picture.document.settings);
    let Some(world) = puppet.world_from_node().get(node) else { return Vec::new() };
    let center = Vec3::from(world.translation);
    let radius = picture.viewport.metres(center, RADIUS);
    let ring = |axis: DVec3, color: Vec4| {
        let axis = axis.as_vec3().normalize_or(Vec3::Y);
        Ring { dial: Dial { center, axis, zero: axis.any_orthonormal_vector(), radius }, color }
    };
    let own = orientation(&puppet.character().skeleton, puppet.pose(), node);
    let limit = if settings.solver.limits { puppet.rig.joint(node).limit } else { Limit::Free };
    if turns_alone(puppet, picture.document, node) {
        match limit {
            Limit::Locked | Limit::Prismatic { .. } => return Vec::new(),
            // Rotating a hinge does not move its axis.
            Limit::Hinge { axis, .. } => return vec![ring(own * axis, FREE)],
            _ => {}
        }
    }
    let frame = if settings.ring_mode.world { DQuat::IDENTITY } else { own };
    DVec3::AXES.into_iter().zip(AXES).map(|(axis, color)| ring(frame * axis, color)).collect()
}
