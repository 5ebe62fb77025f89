//! `sinew render --follow`: a camera that moves with the figure.

use glam::Vec3;

use crate::motion::locomotion_root;
use crate::puppet::Puppet;
use crate::scene::ViewSettings;

/// A camera that follows a figure.
pub(super) struct Follow {
    /// The hips, or the node that defines the character's position. `None` keeps the camera in place.
    root: Option<usize>,
    /// The position of the root in the first pose.
    first: Option<Vec3>,
}

impl Follow {
    pub(super) fn new(follows: bool, puppet: &Puppet) -> Self {
        let hips = || puppet.rig.bones.get("hips").copied();
        let root = || hips().unwrap_or_else(|| locomotion_root(puppet.character()));
        Self { root: follows.then(root), first: None }
    }

    /// Returns the horizontal displacement of the root since the first call, in metres.
    pub(super) fn shift(&mut self, puppet: &Puppet) -> Vec3 {
        let matrix = self.root.and_then(|root| puppet.world_from_node().get(root));
        let Some(position) = matrix.map(|m| Vec3::from(m.translation)) else { return Vec3::ZERO };
        (position - *self.first.get_or_insert(position)).with_y(0.0)
    }
}

/// Returns the settings with the camera, the floor and the lights moved by a vector in metres.
pub(super) fn moved(settings: &ViewSettings, by: Vec3) -> ViewSettings {
    let mut moved = settings.clone();
    moved.camera.position += by;
    moved.camera.target += by;
    if !moved.bounds.is_empty() {
        moved.bounds.lo += by;
        moved.bounds.hi += by;
    }
    moved
}
