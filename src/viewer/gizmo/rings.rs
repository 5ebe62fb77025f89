//! Rings that turn the selected joint: as an end, its limb following, or alone.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3, Vec3, Vec4};
use serde::{Deserialize, Serialize};

use crate::ik::Limit;
use crate::rig::orientation;

use super::super::Session;
use super::dial::{Dial, View};
use super::{AXES, FREE};

/// Points from the joint to its rings.
const RADIUS: f32 = 84.0;

/// What rings turn, and about what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turning {
    /// The joint alone, also where a chain ends at it that could follow.
    pub alone: bool,
    /// Rings about the world's axes instead of the joint's own.
    pub world: bool,
}

/// A ring about an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    pub(super) dial: Dial,
    pub(super) color: Vec4,
    pub(super) name: &'static str,
}

impl Ring {
    /// The half that is towards the camera, as one stretch; all of it where it is seen from above.
    pub(super) fn front(&self, view: &View) -> Vec<Vec3> {
        let sight = (self.dial.center - view.camera.position).normalize_or_zero();
        if self.dial.axis.dot(sight).abs() > 0.97 {
            return self.dial.arc(0.0, TAU);
        }
        // The point next to the camera, and a quarter to either side.
        let side = self.dial.axis.cross(self.dial.zero);
        let middle = f64::from((-sight).dot(side).atan2((-sight).dot(self.dial.zero)));
        self.dial.arc(middle - TAU / 4.0, middle + TAU / 4.0)
    }
}

impl Session {
    /// Whether rings turn a joint alone: nothing above it would follow, or so it is wanted.
    pub(in super::super) fn turns_alone(&self, node: usize) -> bool {
        self.turning.alone || self.puppet.rig.chain(node).is_none_or(|c| c.base == node)
    }
}

/// A ring for each axis about which a joint may be turned.
pub(super) fn of(session: &Session, node: usize, view: &View) -> Vec<Ring> {
    let puppet = &session.puppet;
    let Some(world) = puppet.world_from_node().get(node) else { return Vec::new() };
    let center = Vec3::from(world.translation);
    let radius = view.metres(center, RADIUS);
    let ring = |axis: DVec3, color: Vec4, name| {
        let axis = axis.as_vec3().normalize_or(Vec3::Y);
        Ring { dial: Dial { center, axis, zero: axis.any_orthonormal_vector(), radius }, color, name }
    };
    let own = orientation(&puppet.character().skeleton, puppet.pose(), node);
    let limit = if session.options.limits { puppet.rig.joint(node).limit } else { Limit::Free };
    if session.turns_alone(node) {
        match limit {
            Limit::Locked => return Vec::new(),
            // A hinge's axis stays where it is whatever its angle.
            Limit::Hinge { axis, .. } => return vec![ring(own * axis, FREE, "turn ")],
            _ => {}
        }
    }
    let frame = if session.turning.world { DQuat::IDENTITY } else { own };
    let names = ["turn x ", "turn y ", "turn z "];
    let axes = DVec3::AXES.into_iter().zip(AXES).zip(names);
    axes.map(|((axis, color), name)| ring(frame * axis, color, name)).collect()
}
