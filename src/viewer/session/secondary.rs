//! Spring bones and eyes in a session.

use std::time::Duration;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::secondary::STEPS_PER_SECOND;

use super::Session;

/// How long springs settle after a jump to another time or pose, in seconds.
const SETTLE_SECONDS: f64 = 1.0;
/// After a longer time without a frame or a command, springs settle instead, so that a recording of a month is replayed in
/// seconds. A window draws frames more often than that.
const MAX_GAP: Duration = Duration::from_secs(600);

/// What a character looks at with its eyes, or with its head if the file says nothing about eyes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EyeTarget {
    /// Nothing: the eyes and the head have the pose of the motion.
    #[default]
    Nothing,
    /// The camera.
    Camera,
    /// A point in the world, in metres.
    Point(DVec3),
}

/// Returns the time on the clock at which a step of the springs ends. Steps begin with the clock, so that they are at the
/// same times however often the clock is set.
fn step_end(step: u64) -> Duration {
    let nanoseconds = (u128::from(step) * 1_000_000_000).div_ceil(u128::from(STEPS_PER_SECOND));
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
}

/// Returns the number of steps that have ended at a time on the clock.
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

    /// Lets the springs settle in the current pose, after a jump to it.
    pub(super) fn settle_springs(&mut self) {
        if self.document.settings.springs {
            self.clock.spring_steps = steps_at(self.clock.now);
            self.is_asleep = false;
            self.note_error(|session| session.puppet.settle(SETTLE_SECONDS));
        } else {
            self.note_error(|session| session.puppet.refresh_secondary());
        }
    }

    /// Simulates the springs up to a time on the clock. Before each step, the session is advanced to the end of that step,
    /// so that its result depends on the commands and their times, but not on the frame rate.
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

    /// Returns the part of a step of the springs that has passed at a time on the clock.
    pub(super) fn spring_fraction(&self, now: Duration) -> f64 {
        let steps = self.clock.spring_steps;
        let (from, to) = (step_end(steps), step_end(steps.saturating_add(1)));
        let passed = now.saturating_sub(from).as_secs_f64();
        if self.is_asleep { 0.0 } else { passed / to.saturating_sub(from).as_secs_f64() }
    }

    /// Returns whether springs are swinging, so that the character moves although nothing plays.
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

    /// Shows the springs at the current time, on the same pose.
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
