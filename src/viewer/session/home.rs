//! A character at the start of a session: its pose, and the view that shows it.

use std::sync::{Arc, OnceLock};

use glam::Vec3;

use crate::Orbit;
use crate::motion;
use crate::puppet::Puppet;
use crate::view::{Bounds, Framing};

/// Number of intervals into which a clip is divided for sampling its bounds.
const BOUNDS_SAMPLES: u8 = 24;

/// Maximum distance between the ground plane and the feet of a body that stands on it, in metres at human size.
const GROUND_TOLERANCE: f32 = 0.1;

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

    /// Returns the grid step for snapping in metres: 1/40 of the radius of the bounding sphere of the scene.
    pub(super) fn grid_step(&self) -> f32 {
        self.scene_bounds.sphere().1 / 40.0
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

/// Puts a puppet into its initial pose and returns its bounds.
///
/// A file with clips but no meshes contains only motion, and its rest pose may be far from the poses in its frames. If its body does not
/// stand on the ground plane in the rest pose, the puppet therefore starts at the first frame of the first clip. The bounds then cover all
/// sampled frames, so that the character stays in view.
pub(super) fn start(puppet: &mut Puppet) -> Bounds {
    let seconds = puppet.character().clips.first().map(|c| c.seconds);
    let plays = puppet.parts().is_empty() && !stands_at_rest(puppet);
    let Some(seconds) = seconds.filter(|_| plays) else {
        return puppet.bounds();
    };
    let mut all = Bounds::default();
    // Iterate backwards, so that the puppet ends at the first frame.
    for sample in (0..=BOUNDS_SAMPLES).rev() {
        puppet.play(0, seconds * f32::from(sample) / f32::from(BOUNDS_SAMPLES));
        // The update cannot fail because there are no goals yet.
        drop(puppet.update());
        let now = puppet.bounds();
        all.extend([now.lo, now.hi]);
    }
    all
}

/// Returns whether a recognised body stands on the ground plane in the rest pose.
fn stands_at_rest(puppet: &Puppet) -> bool {
    let Some(plan) = &puppet.rig.body else { return false };
    plan.limbs.iter().any(|limb| limb.stands) && plan.floor.abs() < GROUND_TOLERANCE * plan.size
}
