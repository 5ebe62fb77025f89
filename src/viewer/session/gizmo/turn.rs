//! The effect of a ring: the rotations of the joints that it turns, and targets for the pinned descendants of these joints.

use glam::{DVec3, Quat};

use crate::document::Scene;
use crate::puppet::{Pin, Puppet, Target};
use crate::scene::picking::Hit;
use crate::session::drag_goal::chain_base;
use crate::session::place::{allowed, pin_here};
use crate::session::symmetry::Reflection;

use super::GizmoDrag;
use super::turned_joint::TurnedJoint;

/// Limits beyond which a pin is unreachable after a turn and moves with its node: the distance from the node as a fraction of the scene's
/// radius, and the angle between their orientations in radians.
const UNMET_DISTANCE: f32 = 1e-3;
const UNMET_ANGLE: f64 = 1e-2;

impl GizmoDrag {
    /// Returns the local rotations of the joints that the ring turns individually, and of their counterparts in a symmetric drag.
    pub(in crate::session) fn rotations(
        &self,
        puppet: &Puppet,
        limits: bool,
        reflection: Option<&Reflection>,
    ) -> Vec<(usize, Quat)> {
        let Some(angle) = self.turned().filter(|_| self.has_moved) else { return Vec::new() };
        let turned = |joint: &TurnedJoint| {
            let rotation = allowed(puppet, limits, joint.node, joint.turned(angle));
            (joint.node, rotation.as_quat().normalize())
        };
        let mut rotations: Vec<(usize, Quat)> = self.joints.iter().map(turned).collect();
        let Some(reflection) = reflection else { return rotations };
        let skeleton = &puppet.character().skeleton;
        let mut pose = puppet.primary_pose().clone();
        for (node, rotation) in rotations.clone() {
            let Some(other) = reflection.partner(node) else { continue };
            if rotations.iter().any(|(n, _)| *n == other) {
                continue;
            }
            if let Some(local) = pose.locals.get_mut(node) {
                local.rotation = rotation;
            }
            reflection.copy(skeleton, &mut pose, node);
            rotations.extend(pose.locals.get(other).map(|local| (other, local.rotation)));
        }
        rotations
    }

    /// Returns the joints whose descendants all move during the drag.
    fn moved_joints(&self, reflection: Option<&Reflection>) -> Vec<usize> {
        let base = self.target().and_then(|t| Some((t.node, t.base?)));
        let mut moved: Vec<usize> = self.joints.iter().map(|j| j.node).chain(base.map(|b| b.1)).collect();
        if let Some(reflection) = reflection {
            moved.extend(moved.clone().into_iter().filter_map(|n| reflection.partner(n)));
        }
        moved
    }

    /// Returns targets for the pinned descendants of the joints that the drag moves. Each limb reaches its own targets, so the rest of the
    /// body stays in place.
    pub(in crate::session) fn pinned_targets(
        &self,
        puppet: &Puppet,
        scene: &Scene,
        reflection: Option<&Reflection>,
    ) -> Vec<Target> {
        let moved = self.moved_joints(reflection);
        let target = |pin: &Pin| {
            let (position, orientation) = pin.target?;
            let skeleton = &puppet.character().skeleton;
            let path: Vec<usize> = skeleton.ancestors(pin.node).collect();
            let turned = path.iter().position(|n| moved.contains(n)).filter(|&steps| steps > 0)?;
            let at = Hit { node: pin.node, point: glam::Vec3::ZERO, offset: DVec3::ZERO, handle: true };
            let limb = chain_base(puppet.character(), &puppet.rig, &at);
            let limb = limb.filter(|base| *base != pin.node && path.contains(base));
            // If the pin is not at the end of a limb, the chain that reaches for it starts at a child of the turned joint.
            let base = limb.or_else(|| path.get(turned - 1).copied().filter(|&n| n != pin.node));
            let position = base.map(|_| position);
            Some(Target { base, position, orientation: Some(orientation), ..Target::new(pin.node) })
        };
        scene.pins.iter().filter_map(target).collect()
    }
}

/// Returns the pins of a scene, of which those that are unreachable after a turn are moved to the current positions of their nodes. `radius`
/// is the radius of the scene in metres.
pub(in crate::session) fn settled_pins(puppet: &Puppet, scene: &Scene, radius: f32) -> Vec<Pin> {
    let tolerance = f64::from(UNMET_DISTANCE * radius);
    let settled = |pin: &Pin| {
        let now = pin_here(puppet, pin.node);
        let pair = pin.target.zip(now.target);
        let is_met = pair.is_some_and(|(wanted, now)| {
            wanted.0.distance(now.0) < tolerance && wanted.1.angle_between(now.1) < UNMET_ANGLE
        });
        if is_met { *pin } else { now }
    };
    scene.pins.iter().map(settled).collect()
}
