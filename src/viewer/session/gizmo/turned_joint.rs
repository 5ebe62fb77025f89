//! A joint that a ring turns.

use glam::{DQuat, DVec3};

use crate::document::Document;
use crate::puppet::Puppet;
use crate::rig::orientation;

use super::dial::Dial;

/// A joint that a ring turns alone. `parent` and `own` are world orientations at the start of the drag, without the look-at rotation.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnedJoint {
    pub(super) node: usize,
    parent: DQuat,
    own: DQuat,
    /// The axis in world space, a unit vector.
    axis: DVec3,
}

impl TurnedJoint {
    /// Returns the joints that a dial of the selected joint turns: the topmost selected joints. In local mode, each joint turns about its
    /// own axis.
    pub(super) fn selected(puppet: &Puppet, document: &Document, active: usize, dial: &Dial) -> Vec<Self> {
        let (skeleton, pose) = (&puppet.character().skeleton, puppet.primary_pose());
        let is_world = document.settings.ring_mode.world;
        let axis = turned_axis(puppet, is_world, active, dial);
        let local_axis = orientation(skeleton, pose, active).conjugate() * axis;
        let joint = |node: usize| {
            let own = orientation(skeleton, pose, node);
            let parent = skeleton.nodes.get(node)?.parent;
            let parent = parent.map_or(DQuat::IDENTITY, |p| orientation(skeleton, pose, p));
            let axis = if is_world { axis } else { own * local_axis };
            Some(Self { node, parent, own, axis })
        };
        document.selection.topmost(skeleton).into_iter().filter_map(joint).collect()
    }

    /// Returns the local rotation after a turn by an angle in radians.
    pub(super) fn turned(&self, angle: f64) -> DQuat {
        self.parent.conjugate() * (DQuat::from_axis_angle(self.axis, angle) * self.own)
    }
}

/// Returns the unit axis, in world space, about which a dial turns a joint. In local mode, the dial has the axes of the displayed joint,
/// which may include a look-at rotation. The dial turns the joint in the pose without this rotation.
pub(super) fn turned_axis(puppet: &Puppet, is_world: bool, node: usize, dial: &Dial) -> DVec3 {
    let axis = dial.axis.as_dvec3().normalize();
    if is_world {
        return axis;
    }
    let skeleton = &puppet.character().skeleton;
    let local_axis = orientation(skeleton, puppet.pose(), node).conjugate() * axis;
    (orientation(skeleton, puppet.primary_pose(), node) * local_axis).normalize()
}
