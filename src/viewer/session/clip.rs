//! Playback: clips, the clock and the current time.

use std::sync::Arc;
use std::time::Duration;

use crate::Command;
use crate::document::EditRun;
use crate::motion::Motion;

use super::Session;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Clock {
    pub(crate) playing: bool,
    /// Time since the start of the session, or of the recording if there is one.
    pub(super) now: Duration,
    /// Number of completed spring steps.
    pub(super) spring_steps: u64,
    /// The value of `now` when the playback time was last set, and that playback time in seconds.
    pub(super) since: (Duration, f32),
}

impl Default for Clock {
    fn default() -> Self {
        Self { playing: false, now: Duration::ZERO, spring_steps: 0, since: (Duration::ZERO, 0.0) }
    }
}

impl Session {
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
            Command::KeyMove(from, to) => self.move_key(from, to),
            Command::KeyCopy(from, to) => self.copy_key(from, to),
            Command::KeyDelete(time) => self.delete_key(time),
            Command::KeyJointsMove(joints, from, to) => self.move_joint_keys(&joints, from, to),
            Command::KeyJointsCopy(joints, from, to) => self.copy_joint_keys(&joints, from, to),
            Command::KeyJointsDelete(joints, time) => self.delete_joint_keys(&joints, time),
            Command::KeyEasing(time, easing) => self.set_easing(time, easing),
            Command::PlantKeys => self.plant_keys(),
            Command::AddContact(node) => self.add_contact(node),
            Command::KeyGoal(node) => self.key_goal(node),
            Command::Duration(duration) => {
                self.set_motion(Motion { duration, ..Motion::clone(&self.document.scene.motion) });
            }
            Command::Play(playing) => self.clock.playing = playing,
            Command::Speed(_) | Command::Looping(_) | Command::Timeline(_) => {
                self.document.settings.set(command);
            }
            Command::Seek(to) if to.is_finite() => self.puppet.time = to.clamp(0.0, self.last_time()),
            other => return self.document.settings.set(other),
        }
        self.clock.since = (self.clock.now, self.puppet.time);
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
    pub(super) fn set_motion(&mut self, motion: Motion) {
        let is_valid = motion.validate().is_ok() && motion.fits(self.puppet.character());
        if !is_valid || motion == *self.document.scene.motion {
            return;
        }
        self.history.remember_run(EditRun::Motion, &self.document.scene);
        let before = std::mem::replace(&mut self.document.scene.motion, Arc::new(motion));
        self.apply_motion();
        self.refresh_keys(&before);
    }

    /// Copies the document's motion to the puppet and clamps the playback time to the motion's length.
    pub(super) fn apply_motion(&mut self) {
        if self.puppet.motion == *self.document.scene.motion {
            return;
        }
        self.puppet.motion = Motion::clone(&self.document.scene.motion);
        self.puppet.time = self.puppet.time.clamp(0.0, self.last_time());
        self.clock.since = (self.clock.now, self.puppet.time);
        if self.document.scene.motion.has_only_keys() {
            self.document.scene.time = self.puppet.time;
        }
        self.clock.playing &= !self.puppet.motion.is_rest();
        self.puppet.reset_solver();
    }

    /// Sets the clock. The playback time is computed from the last command that set it and the time since that command. The result is
    /// therefore bit-identical, however often the clock was set in between.
    pub(crate) fn advance(&mut self, now: Duration) {
        if now <= self.clock.now {
            return;
        }
        self.advance_springs(now);
        let fraction = self.spring_fraction(now);
        self.advance_once(now, fraction);
    }

    /// Sets the clock, and shows the motion and the springs at that time. `fraction` is the elapsed part of the current spring step.
    pub(super) fn advance_once(&mut self, now: Duration, fraction: f64) {
        if now <= self.clock.now {
            return;
        }
        self.clock.now = now;
        self.puppet.set_spring_fraction(fraction);
        if !self.is_playing() {
            self.refresh_springs();
            return;
        }
        let [start, end] = self.document.settings.timeline.looped(self.seconds()).map(f64::from);
        let (speed, looping, (then, from)) =
            (self.document.settings.speed, self.document.settings.looping, self.clock.since);
        let time = f64::from(from) + now.saturating_sub(then).as_secs_f64() * f64::from(speed);
        let time = if looping && end > start {
            start + (time - start).rem_euclid(end - start)
        } else {
            time.clamp(start.min(f64::from(from)), end.max(f64::from(from)))
        };
        #[expect(clippy::cast_possible_truncation, reason = "clips are single precision")]
        let time = time as f32;
        self.puppet.time = time;
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

    /// Returns the length of the current motion in seconds.
    pub(crate) fn seconds(&self) -> f32 {
        self.puppet.seconds()
    }
}
