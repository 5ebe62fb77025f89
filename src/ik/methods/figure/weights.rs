//! The weights of a whole-body solve.

use glam::DVec3;

use crate::ik::FullBodyOptions;
use crate::ik::figure::Part;

/// How much stiffer the trunk is when it bends to the side than when it bends forwards.
const SIDEWAYS: f64 = 2.0;

/// The weights of what the trunk of a figure is asked for. Lengths are divided by the size of the figure, so that a
/// weight means the same for a mouse and a horse.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    /// Size of the figure relative to a person of 1.75 m.
    pub(super) size: f64,
    /// Pulled points and limbs.
    pub(super) pull: f64,
    /// Pins and contacts.
    pub(super) fixed: f64,
    /// Largest distance by which a target pulls, metres of a person.
    pub(super) max_pull: f64,
    /// Fraction of its length over which a limb begins to pull.
    pub(super) softness: f64,
    /// Nearness of the hips to their place in the stance.
    pub(super) hips_sideways: f64,
    pub(super) hips_height: f64,
    /// Turns about the axes to the left, upwards and to the front.
    pub(super) hips_turn: DVec3,
    pub(super) spine: f64,
    /// How much stiffer the trunk is when it bends to the side than when it bends forwards.
    pub(super) sideways: f64,
    pub(super) neck: f64,
    pub(super) collar: f64,
    pub(super) chest_turn: DVec3,
    /// The middle of the trunk over the ground on which the figure stands.
    pub(super) balance: f64,
    /// Distance of guarded joints from their limits.
    pub(super) near_limit: f64,
    /// Damping of every unknown in one step.
    pub(super) motion: f64,
    /// How far the head turns towards what a hand reaches for, from 0 to 1.
    pub(super) look: f64,
}

impl Weights {
    /// Returns the weights of a figure that is pulled, or of one in a motion that only has pins.
    pub(super) fn new(size: f64, options: &FullBodyOptions, is_pulled: bool) -> Self {
        let balance = if options.balance && is_pulled { 8.0 } else { 0.0 };
        Self {
            size,
            pull: 300.0,
            fixed: 1e4,
            max_pull: 0.1,
            softness: 0.012,
            hips_sideways: 0.5,
            hips_height: 1.3,
            hips_turn: DVec3::new(0.5, 1.0, 0.5 * SIDEWAYS),
            sideways: SIDEWAYS,
            spine: options.spine_stiffness * 0.2,
            neck: 0.5,
            collar: 1.0,
            chest_turn: DVec3::new(0.2, 0.2, 0.2 * SIDEWAYS),
            balance,
            near_limit: 0.5,
            motion: 2.0,
            look: options.look,
        }
    }
}

impl Weights {
    /// Returns the weights of a joint's nearness to the stance, for turns about the axes to the left, upwards and to the
    /// front.
    pub(super) fn of(&self, part: Part) -> DVec3 {
        match part {
            Part::Spine => DVec3::new(1.0, 1.0, self.sideways) * self.spine,
            Part::Neck => DVec3::splat(self.neck),
            _ => DVec3::splat(self.collar),
        }
    }
}
