//! Time.

use std::time::Duration;

use super::super::Command;
use super::{Clock, Session};

impl Session {
    pub(super) fn clip(&mut self, command: &Command) {
        let (length, played) = (self.clip_seconds(), self.puppet.clip.is_some());
        match *command {
            Command::Clip(clip) => {
                let clip = clip.filter(|&c| c < self.puppet.character().clips.len());
                self.puppet.clip = clip.map(|c| (c, 0.0));
                self.clock.playing = clip.is_some();
            }
            Command::Play(playing) => self.clock.playing = playing,
            Command::Speed(speed) if speed.is_finite() => self.clock.speed = speed.clamp(-8.0, 8.0),
            Command::Loop(again) => self.clock.again = again,
            Command::Seek(to) if to.is_finite() => {
                if let Some((_, time)) = &mut self.puppet.clip {
                    *time = to.clamp(0.0, length);
                }
            }
            _ => return,
        }
        self.clock.since = (self.clock.now, self.puppet.clip.map_or(0.0, |(_, time)| time));
        if played || self.puppet.clip.is_some() {
            self.puppet.forget();
            self.solve();
        }
    }

    /// It is so late now. Where the clip stands follows from the last command and the time since: however often the
    /// time is told between two commands, the bits are the same.
    pub(in super::super) fn advance(&mut self, now: Duration) {
        if now <= self.clock.now {
            return;
        }
        self.clock.now = now;
        if !self.is_playing() {
            return;
        }
        let length = f64::from(self.clip_seconds());
        let Clock { speed, again, since: (then, from), .. } = self.clock;
        let time = f64::from(from) + now.saturating_sub(then).as_secs_f64() * f64::from(speed);
        let time = if again && length > 0.0 { time.rem_euclid(length) } else { time.clamp(0.0, length) };
        #[expect(clippy::cast_possible_truncation, reason = "clips are single precision")]
        if let Some((_, shown)) = &mut self.puppet.clip {
            *shown = time as f32;
        }
        self.solve();
    }

    /// Seconds of the clip that is on.
    pub(in super::super) fn clip_seconds(&self) -> f32 {
        let clip = self.puppet.clip.and_then(|(c, _)| self.puppet.character().clips.get(c));
        clip.map_or(0.0, |c| c.seconds)
    }
}
