//! A character at the start of a session, which the initial view shows.

use std::sync::{Arc, OnceLock};

use glam::Vec3;

use crate::Orbit;
use crate::motion;
use crate::puppet::Puppet;
use crate::view::{Bounds, Framing};

/// The bounds and the position of a character at the start.
#[derive(Debug)]
pub(crate) struct Home {
    /// The bounds that the initial view frames.
    bounds: Bounds,
    /// The vertices of the character.
    points: Arc<[Vec3]>,
    /// The body's position.
    pub(super) position: Option<Vec3>,
    /// The bounds, enlarged to leave room for the limbs. Used for ground, shadow and depth range.
    pub(crate) scene_bounds: Bounds,
    /// The joint that moves a character whose body is not recognised. Cached, because finding it takes milliseconds.
    root: OnceLock<usize>,
}

impl Home {
    /// Creates the home of a puppet that is in its initial pose. `bounds` are the bounds to frame.
    pub(super) fn new(puppet: &Puppet, bounds: Bounds) -> Self {
        let (center, radius) = bounds.sphere();
        let mut scene_bounds = Bounds::around([center - radius * 1.15, center + radius * 1.15]);
        scene_bounds.lo.y = if bounds.is_empty() { 0.0 } else { bounds.lo.y };
        let points = puppet.points().into();
        let mut home = Self { bounds, points, position: None, scene_bounds, root: OnceLock::new() };
        home.position = home.body_position(puppet);
        home
    }

    /// Returns the radius of the bounding sphere of the character.
    pub(super) fn radius(&self) -> f32 {
        self.bounds.sphere().1
    }

    /// Returns the front view of the whole character at the start.
    pub(super) fn view(&self, framing: Framing, aspect: f32) -> Orbit {
        let mut view = Orbit::framing(&self.bounds, aspect);
        if framing == Framing::Tight {
            view.fit(self.points.iter().copied(), &self.bounds, aspect);
        }
        view
    }

    /// Returns the node that stands for a puppet's body: its hips, or else the joint that moves the character.
    pub(super) fn body_node(&self, puppet: &Puppet) -> usize {
        let hips = puppet.rig.body.as_ref().map(|body| body.hips);
        hips.unwrap_or_else(|| *self.root.get_or_init(|| motion::locomotion_root(puppet.character())))
    }

    /// Returns the current position of a puppet's body.
    pub(crate) fn body_position(&self, puppet: &Puppet) -> Option<Vec3> {
        let world_from_node = puppet.world_from_node().get(self.body_node(puppet))?;
        Some(Vec3::from(world_from_node.translation)).filter(|position| position.is_finite())
    }

    /// Forgets the joint that moves the character, because it depends on the clips.
    pub(super) fn forget_root(&mut self) {
        self.root = OnceLock::new();
    }
}
