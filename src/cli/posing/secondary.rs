//! The options for eyes and spring bones.

use glam::DVec3;

use crate::puppet::{MAX_SETTLE, Puppet, PuppetError, SpringClock};

use super::PosingArgs;

/// Parses `X,Y,Z`, a position in metres.
pub(super) fn position(text: &str) -> Result<[f64; 3], String> {
    let position = super::numbers::<3>(text)?;
    let is_single = DVec3::from_array(position).as_vec3().is_finite();
    if is_single { Ok(position) } else { Err("position is outside the range of single precision".into()) }
}

/// Parses the duration of `--settle`.
pub(super) fn settle(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|s| (0.0..=MAX_SETTLE).contains(s));
    seconds.ok_or_else(|| format!("must be a number of seconds from 0 to {MAX_SETTLE}"))
}

impl PosingArgs {
    /// Sets up the eyes and springs of a puppet. For a single pose, springs are on only if `--settle` gives them time.
    pub(super) fn apply_secondary(&self, puppet: &mut Puppet) {
        puppet.look_at = self.look_at.map(DVec3::from_array);
        puppet.options.settle_seconds = self.settle.unwrap_or(0.0);
        puppet.set_springs(!self.no_springs && puppet.options.settle_seconds > 0.0);
    }

    /// Turns on the springs of a puppet for a motion with several poses.
    pub(in crate::cli) fn turn_on_springs(&self, puppet: &mut Puppet) {
        puppet.set_springs(!self.no_springs);
    }
}

/// Poses a puppet and lets its springs settle.
pub(in crate::cli) fn pose(puppet: &mut Puppet) -> Result<(), PuppetError> {
    if !puppet.has_springs() {
        return puppet.update().map(|_| ());
    }
    let start = puppet.time;
    puppet.start_springs(start).map(|_: SpringClock| ())
}
