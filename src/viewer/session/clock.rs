//! The clock of a session, from which the playback time and the steps of the springs follow.

use std::time::Duration;

use crate::Settings;
use crate::asset::NotFinite;
use crate::document::Scene;
use crate::motion::Motion;
use crate::puppet::Puppet;
use crate::secondary::STEPS_PER_SECOND;

use super::timeline::last_time;

/// Settling time of springs after a jump to another time or pose, in seconds.
const SETTLE_SECONDS: f64 = 1.0;

/// Maximum time between frames or commands over which springs are simulated. After a longer gap they settle, so that a month-long recording
/// replays in seconds. A window draws frames more often.
const MAX_GAP: Duration = Duration::from_secs(600);

/// Maximum number of update durations that are kept for the panel's curves.
pub(crate) const MAX_TIMES: u8 = 120;

/// Appends a duration. If there are more than [`MAX_TIMES`] durations, the oldest is dropped.
pub(crate) fn push_time(times: &mut Vec<f32>, time: f32) {
    if times.len() >= usize::from(MAX_TIMES) {
        times.remove(0);
    }
    times.push(time);
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Clock {
    pub(crate) playing: bool,
    /// Time since the start of the session, or of the recording if there is one.
    pub(super) now: Duration,
    /// The value of `now` when the playback time was last set, and that playback time in seconds.
    since: (Duration, f32),
    /// Number of completed spring steps.
    pub(super) spring_steps: u64,
    /// Whether all springs are at rest. This lasts until the next command.
    pub(super) is_asleep: bool,
}

impl Clock {
    /// Records that the playback time was set.
    pub(super) fn set_time(&mut self, time: f32) {
        self.since = (self.now, time);
    }

    /// Returns the playback time of a motion of this length. It is computed from the time since the playback time was last set. The result
    /// is therefore bit-identical, however often the clock was set in between.
    pub(super) fn time(&self, settings: &Settings, seconds: f32) -> f32 {
        let [start, end] = settings.timeline.looped(seconds).map(f64::from);
        let (then, from) = self.since;
        let time = f64::from(from) + self.now.saturating_sub(then).as_secs_f64() * f64::from(settings.speed);
        let time = if settings.looping && end > start {
            start + (time - start).rem_euclid(end - start)
        } else {
            time.clamp(start.min(f64::from(from)), end.max(f64::from(from)))
        };
        #[expect(clippy::cast_possible_truncation, reason = "clips are single precision")]
        let time = time as f32;
        time
    }

    /// Copies the motion of a scene to a puppet, and clamps the playback time to the motion's length.
    pub(super) fn set_motion(&mut self, puppet: &mut Puppet, scene: &mut Scene) {
        if puppet.motion == *scene.motion {
            return;
        }
        puppet.motion = Motion::clone(&scene.motion);
        puppet.time = puppet.time.clamp(0.0, last_time(puppet));
        self.set_time(puppet.time);
        if scene.motion.has_only_keys() {
            scene.time = puppet.time;
        }
        self.playing &= !puppet.motion.is_rest();
        puppet.reset_solver();
    }

    /// Copies another clock, but not whether its springs are at rest.
    pub(super) fn copy(&mut self, from: &Self) {
        *self = Self { is_asleep: self.is_asleep, ..*from };
    }

    /// Lets the springs of a puppet settle after a jump to its current pose, and counts all spring steps up to now as completed. If springs
    /// are off, only updates the displayed pose.
    ///
    /// # Errors
    /// [`NotFinite`] if the pose is not finite.
    pub(super) fn settle_springs(&mut self, puppet: &mut Puppet, springs: bool) -> Result<(), NotFinite> {
        if !springs {
            return puppet.refresh_secondary();
        }
        (self.spring_steps, self.is_asleep) = (steps_at(self.now), false);
        puppet.settle(SETTLE_SECONDS)
    }

    /// Returns whether the springs were last simulated too long ago and must settle at this time.
    pub(super) fn is_gap(&self, now: Duration) -> bool {
        now.saturating_sub(step_end(self.spring_steps)) > MAX_GAP
    }

    /// Returns the elapsed fraction of a spring step at a clock time.
    pub(super) fn spring_fraction(&self, now: Duration) -> f64 {
        let steps = self.spring_steps;
        let (from, to) = (step_end(steps), step_end(steps.saturating_add(1)));
        let passed = now.saturating_sub(from).as_secs_f64();
        if self.is_asleep { 0.0 } else { passed / to.saturating_sub(from).as_secs_f64() }
    }
}

/// Returns the clock time at which a spring step ends. Steps are counted from the clock's start, so their times do not depend on
/// how often the clock is set.
pub(super) fn step_end(step: u64) -> Duration {
    let nanoseconds = (u128::from(step) * 1_000_000_000).div_ceil(u128::from(STEPS_PER_SECOND));
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
}

/// Returns the number of steps completed at a clock time.
pub(super) fn steps_at(now: Duration) -> u64 {
    let steps = now.as_nanos() * u128::from(STEPS_PER_SECOND) / 1_000_000_000;
    u64::try_from(steps).unwrap_or(u64::MAX)
}
