//! Playback: the motion, the current time and the springs.

use std::sync::Arc;
use std::time::Duration;

use crate::document::EditRun;
use crate::motion::Motion;
use crate::{Command, EyeTarget};

use super::clock::{step_end, steps_at};
use super::{Session, key_edits, timeline};

/// Settling time of springs after a jump to another time or pose, in seconds.
const SETTLE_SECONDS: f64 = 1.0;

impl Session {
    /// Executes a command that changes the motion, the time or a setting.
    pub(super) fn apply_time(&mut self, command: Command) {
        let (played, before) = (!self.puppet.is_posed_by_hand(), self.puppet.time);
        let jumps = matches!(command, Command::Seek(_) | Command::Clip(_));
        match command {
            Command::Clip(clip) => {
                let clip = clip.filter(|&c| c < self.puppet.character().clips.len());
                self.set_motion(clip.map(Motion::clip).unwrap_or_default());
                self.history.end_run();
                self.puppet.time = 0.0;
                self.clock.playing = clip.is_some();
            }
            Command::Motion(motion) => self.set_motion(*motion),
            Command::Key => self.key(),
            Command::KeyGoal(node) => self.key_goal(node),
            Command::KeyMove(..) | Command::KeyJointsMove(..) | Command::Duration(_) => {
                let edited = key_edits::edited(&command, &self.puppet, &self.document.scene.motion);
                edited.into_iter().for_each(|motion| self.set_motion(motion));
            }
            Command::KeyCopy(..)
            | Command::KeyDelete(_)
            | Command::KeyJointsCopy(..)
            | Command::KeyJointsDelete(..)
            | Command::KeyEasing(..)
            | Command::PlantKeys
            | Command::AddContact(_) => {
                let edited = key_edits::edited(&command, &self.puppet, &self.document.scene.motion);
                // A contact for which there is no room changes nothing, not even the current undo step.
                if edited.is_some() || !matches!(command, Command::AddContact(_)) {
                    self.history.end_run();
                    edited.into_iter().for_each(|motion| self.set_motion(motion));
                    self.history.end_run();
                }
            }
            Command::Play(playing) => self.clock.playing = playing,
            Command::Speed(_) | Command::Looping(_) | Command::Timeline(_) => {
                self.document.settings.set(command);
            }
            Command::Seek(to) if to.is_finite() => self.puppet.time = to.clamp(0.0, self.last_time()),
            other => return self.document.settings.set(other),
        }
        self.clock.set_time(self.puppet.time);
        #[expect(clippy::float_cmp, reason = "whether the time was set")]
        if self.puppet.time != before {
            // The pose depends on the time, so the next edit must start a new undo step.
            self.history.end_run();
            self.follow_keys();
        }
        if played || !self.puppet.is_posed_by_hand() {
            self.puppet.reset_solver();
            self.solve();
        }
        if jumps {
            self.settle_springs();
        }
    }

    /// Replaces the motion if the new one is valid. Consecutive changes to the motion, until the next release, form one undo step.
    fn set_motion(&mut self, motion: Motion) {
        let is_valid = motion.validate().is_ok() && motion.fits(self.puppet.character());
        if !is_valid || motion == *self.document.scene.motion {
            return;
        }
        self.history.remember_run(EditRun::Motion, &self.document.scene);
        let before = std::mem::replace(&mut self.document.scene.motion, Arc::new(motion));
        self.apply_motion();
        if key_edits::must_follow(&self.puppet, &self.document.scene, &before) {
            self.follow_keys();
        }
    }

    /// Copies the document's motion to the puppet and clamps the playback time to the motion's length.
    pub(super) fn apply_motion(&mut self) {
        if self.puppet.motion == *self.document.scene.motion {
            return;
        }
        self.puppet.motion = Motion::clone(&self.document.scene.motion);
        self.puppet.time = self.puppet.time.clamp(0.0, self.last_time());
        self.clock.set_time(self.puppet.time);
        if self.document.scene.motion.has_only_keys() {
            self.document.scene.time = self.puppet.time;
        }
        self.clock.playing &= !self.puppet.motion.is_rest();
        self.puppet.reset_solver();
    }

    /// Returns the latest time that the playhead can reach, in seconds.
    pub(crate) fn last_time(&self) -> f32 {
        timeline::last_time(&self.document.scene.motion, self.puppet.seconds())
    }

    /// Sets the clock, and shows the motion and the springs at that time.
    pub(crate) fn advance(&mut self, now: Duration) {
        if now <= self.clock.now {
            return;
        }
        self.advance_springs(now);
        let fraction = self.clock.spring_fraction(now);
        self.advance_once(now, fraction);
    }

    /// Sets the clock, and shows the motion and the springs at that time. `fraction` is the elapsed part of the current spring step.
    fn advance_once(&mut self, now: Duration, fraction: f64) {
        if now <= self.clock.now {
            return;
        }
        self.clock.now = now;
        self.puppet.set_spring_fraction(fraction);
        if !self.is_playing() {
            self.refresh_springs();
            return;
        }
        self.puppet.time = self.clock.time(&self.document.settings, self.puppet.seconds());
        if self.puppet.is_posed_by_hand() {
            self.follow_keys();
            self.refresh_springs();
        } else {
            self.solve();
        }
        // If the camera moved while the user drags the body, the target would move away from the pointer.
        if !self.is_dragging() {
            self.view.follow(&self.puppet, &mut self.document.orbit);
        }
    }

    /// Simulates the springs up to a clock time. Before each step, the session advances to the end of that step, so that the
    /// result depends on commands and their times, but not on the frame rate.
    fn advance_springs(&mut self, now: Duration) {
        let end = steps_at(now);
        if self.clock.is_gap(now) && self.puppet.has_springs() {
            self.advance_once(step_end(end), 0.0);
            self.settle_springs();
        }
        while self.puppet.has_springs() && self.clock.spring_steps < end {
            if self.clock.is_asleep && !self.is_playing() {
                self.clock.spring_steps = end;
                break;
            }
            self.clock.spring_steps += 1;
            self.advance_once(step_end(self.clock.spring_steps), 1.0);
            self.clock.is_asleep = !self.puppet.end_spring_step();
        }
    }

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
            self.clock.skip_springs();
            let settled = self.puppet.settle(SETTLE_SECONDS);
            settled.unwrap_or_else(|error| self.refuse(&error));
        } else {
            self.refresh_secondary();
        }
    }

    /// Updates the displayed springs to the current time, without posing the character again.
    fn refresh_springs(&mut self) {
        if self.is_swinging() {
            self.refresh_secondary();
        }
    }

    fn refresh_secondary(&mut self) {
        let refreshed = self.puppet.refresh_secondary();
        refreshed.unwrap_or_else(|error| self.refuse(&error));
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
            self.refresh_secondary();
            self.comparison.look_at(target);
        }
    }
}
