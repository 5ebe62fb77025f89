//! Spring bones and eyes in a session.

use std::time::Duration;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::secondary::STEPS_PER_SECOND;

use super::Session;

/// Settling time of springs after a jump to another time or pose, in seconds.
const SETTLE_SECONDS: f64 = 1.0;
/// Maximum time between frames or commands over which springs are simulated. After a longer gap they settle, so that a month-long recording
/// replays in seconds. A window draws frames more often.
const MAX_GAP: Duration = Duration::from_secs(600);

/// The look-at target of a character's eyes, or of its head if the file does not define eyes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EyeTarget {
    /// Nothing: eyes and head follow the motion.
    #[default]
    Nothing,
    /// The camera.
    Camera,
    /// A point in the world, in metres.
    Point(DVec3),
}

/// Returns the clock time at which a spring step ends. Steps are counted from the clock's start, so their times do not depend on
/// how often the clock is set.
fn step_end(step: u64) -> Duration {
    let nanoseconds = (u128::from(step) * 1_000_000_000).div_ceil(u128::from(STEPS_PER_SECOND));
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
}

/// Returns the number of steps completed at a clock time.
fn steps_at(now: Duration) -> u64 {
    let steps = now.as_nanos() * u128::from(STEPS_PER_SECOND) / 1_000_000_000;
    u64::try_from(steps).unwrap_or(u64::MAX)
}

impl Session {
    /// Turns the springs on or off.
    pub(super) fn set_springs(&mut self, on: bool) {
        if self.document.settings.springs != on {
            self.document.settings.springs = on;
            self.puppet.set_springs(on);
            self.settle_springs();
        }
    }

    /// Lets the springs settle after a jump to the current pose.
    pub(super) fn settle_springs(&mut self) {
        if self.document.settings.springs {
            self.clock.spring_steps = steps_at(self.clock.now);
            self.is_asleep = false;
            self.note_error(|session| session.puppet.settle(SETTLE_SECONDS));
        } else {
            self.note_error(|session| session.puppet.refresh_secondary());
        }
    }

    /// Simulates the springs up to a clock time. Before each step, the session advances to the end of that step, so that the
    /// result depends on commands and their times, but not on the frame rate.
    pub(super) fn advance_springs(&mut self, now: Duration) {
        let end = steps_at(now);
        let is_gap = now.saturating_sub(step_end(self.clock.spring_steps)) > MAX_GAP;
        if is_gap && self.puppet.has_springs() {
            self.advance_once(step_end(end), 0.0);
            self.settle_springs();
        }
        while self.puppet.has_springs() && self.clock.spring_steps < end {
            if self.is_asleep && !self.is_playing() {
                self.clock.spring_steps = end;
                break;
            }
            self.clock.spring_steps += 1;
            self.advance_once(step_end(self.clock.spring_steps), 1.0);
            self.is_asleep = !self.puppet.end_spring_step();
        }
    }

    /// Returns the elapsed fraction of a spring step at a clock time.
    pub(super) fn spring_fraction(&self, now: Duration) -> f64 {
        let steps = self.clock.spring_steps;
        let (from, to) = (step_end(steps), step_end(steps.saturating_add(1)));
        let passed = now.saturating_sub(from).as_secs_f64();
        if self.is_asleep { 0.0 } else { passed / to.saturating_sub(from).as_secs_f64() }
    }

    /// Returns whether springs are swinging. They move the character even if no motion plays.
    pub fn is_swinging(&self) -> bool {
        self.puppet.has_springs() && !self.is_asleep
    }

    /// Turns the eyes to their target, which may have moved.
    pub(super) fn refresh_eyes(&mut self) {
        let target = match self.document.settings.look_at {
            EyeTarget::Nothing => None,
            EyeTarget::Camera => Some(self.camera().position.as_dvec3()),
            EyeTarget::Point(point) => Some(point),
        };
        if self.puppet.look_at != target {
            self.puppet.look_at = target;
            self.note_error(|session| session.puppet.refresh_secondary());
        }
    }

    /// Updates the displayed springs to the current time, without posing the character again.
    pub(super) fn refresh_springs(&mut self) {
        if self.puppet.has_springs() && !self.is_asleep {
            self.note_error(|session| session.puppet.refresh_secondary());
        }
    }

    fn note_error<E: std::fmt::Display>(&mut self, change: impl FnOnce(&mut Self) -> Result<(), E>) {
        if let Err(error) = change(self) {
            self.error = Some(error.to_string());
        }
    }
}
