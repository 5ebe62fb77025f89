//! Options of a puppet.

use crate::api::with_methods;
use crate::ik::Options;
use crate::skin::Skinning;

/// How a puppet plays its motion, solves for its targets and deforms its vertices.
///
/// ```
/// use sinew_character::{asset, puppet::Puppet, skin::Skinning};
///
/// let mut puppet = Puppet::new(asset::mannequin()?, 0);
/// puppet.options.looping = true;
/// puppet.options.skinning = Skinning::DualQuaternion;
/// puppet.options.solver.limits = false;
/// puppet.update()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct PuppetOptions {
    /// Options of the solver for the targets. A new puppet uses the options of its rig.
    pub solver: Options,
    /// Whether the motion loops: [`Player::looping`](crate::motion::Player::looping).
    pub looping: bool,
    /// Whether the held pose is shown unchanged if the motion consists of key poses only, so that it can be changed before it is keyed.
    pub shows_held: bool,
    /// If set, the solves are traced, and the pose is the state after this number of traced steps instead of the result. Reports and
    /// [`Puppet::limited`](super::Puppet::limited) still describe the result.
    pub shown_steps: Option<usize>,
    /// How joints deform the vertices.
    pub skinning: Skinning,
    /// Time for which springs settle in a pose before they follow a motion, in seconds. See
    /// [`Puppet::start_springs`](super::Puppet::start_springs).
    pub settle_seconds: f64,
}

with_methods!(PuppetOptions {
    with_solver(solver: Options),
    with_looping(looping: bool),
    with_shows_held(shows_held: bool),
    with_shown_steps(shown_steps: impl Into<Option<usize>>),
    with_skinning(skinning: Skinning),
    with_settle_seconds(settle_seconds: f64),
});
