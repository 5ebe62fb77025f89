//! Time.

use super::super::Command;
use super::{Clock, Session};

impl Session {
    pub(super) fn clip(&mut self, command: &Command) {
        let length = self.clip_seconds();
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
            Command::Tick(seconds) if seconds.is_finite() && self.clock.playing => {
                let Clock { speed, again, .. } = self.clock;
                if let Some((_, time)) = &mut self.puppet.clip {
                    let next = *time + seconds.clamp(0.0, 1.0) * speed;
                    *time =
                        if again && length > 0.0 { next.rem_euclid(length) } else { next.clamp(0.0, length) };
                }
            }
            _ => return,
        }
        self.solve();
    }

    /// Seconds of the clip that is on.
    pub(in super::super) fn clip_seconds(&self) -> f32 {
        let clip = self.puppet.clip.and_then(|(c, _)| self.puppet.character().clips.get(c));
        clip.map_or(0.0, |c| c.seconds)
    }
}
