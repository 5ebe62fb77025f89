//! Time settings of the timeline, and the range of the playhead.

use serde::{Deserialize, Serialize};

use crate::motion::{Motion, is_same_time};
use crate::puppet::Puppet;

/// Maximum frame rate.
pub(crate) const MAX_FRAME_RATE: f32 = 240.0;
/// Range of the playhead while there is no motion, and initial length of a motion of key poses, in seconds.
pub(super) const DEFAULT_DURATION: f32 = 2.0;
/// Latest time that the playhead can reach in a motion to which key poses can be added, in seconds.
const LAST_TIME: f64 = 3600.0;

/// Frame rate, time display, snapping and looping of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timeline {
    /// Frames per second, from 1 to 240.
    pub frame_rate: f32,
    /// Whether times are shown as frames. Otherwise they are shown in seconds.
    pub frames: bool,
    /// Whether keys, strips and the playhead snap to frames while they are dragged.
    pub snap: bool,
    /// Start and end of the part that loops, in seconds. `None` loops the whole motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f32; 2]>,
}

impl Default for Timeline {
    fn default() -> Self {
        Self { frame_rate: 30.0, frames: true, snap: true, range: None }
    }
}

impl Timeline {
    /// Clamps the frame rate and removes an invalid range.
    pub(super) fn within_range(self) -> Self {
        let Self { frame_rate, range, .. } = self;
        let frame_rate = if frame_rate.is_finite() {
            frame_rate.clamp(1.0, MAX_FRAME_RATE)
        } else {
            Self::default().frame_rate
        };
        let range = range.filter(|[from, to]| *from >= 0.0 && to.is_finite() && from < to);
        Self { frame_rate, range, ..self }
    }

    /// Returns the time of a frame in seconds.
    pub(crate) fn time(&self, frame: f64) -> f32 {
        #[expect(clippy::cast_possible_truncation, reason = "times are single precision")]
        let time = (frame / f64::from(self.frame_rate)) as f32;
        time
    }

    /// Returns the frame at a time, possibly fractional.
    pub(crate) fn frame(&self, time: f32) -> f64 {
        f64::from(time) * f64::from(self.frame_rate)
    }

    /// Returns the time of the nearest frame.
    #[cfg(any(test, feature = "window"))]
    pub(crate) fn nearest(&self, time: f32) -> f32 {
        self.time(self.frame(time).round())
    }

    /// Returns the time of the next or previous frame.
    pub(crate) fn beside(&self, time: f32, forward: bool) -> f32 {
        /// Tolerance in frames within which a time belongs to a frame.
        const SAME_FRAME: f64 = 1e-3;
        let frame = self.frame(time);
        self.time(if forward {
            (frame + SAME_FRAME).floor() + 1.0
        } else {
            (frame - SAME_FRAME).ceil() - 1.0
        })
    }

    /// Formats a time as a frame number or in seconds.
    #[cfg(any(test, feature = "window"))]
    pub(crate) fn text(&self, time: f32) -> String {
        if !self.frames {
            return format!("{time:.2} s");
        }
        let frame = self.frame(time);
        let is_whole = (frame - frame.round()).abs() < 0.05;
        if is_whole { format!("frame {frame:.0}") } else { format!("frame {frame:.1}") }
    }

    /// Returns the start and end of the part that loops, for a motion of this length.
    pub(crate) fn looped(&self, seconds: f32) -> [f32; 2] {
        let [from, to] = self.range.unwrap_or([0.0, seconds]);
        if from < seconds { [from, to.min(seconds)] } else { [0.0, seconds] }
    }

    /// Returns whether the part that loops is the whole motion of this length. Otherwise the end of the motion is not followed by its start.
    pub(crate) fn loops_whole(&self, seconds: f32) -> bool {
        self.looped(seconds) == [0.0, seconds]
    }
}

/// Returns the latest time that the playhead can reach in the motion of a puppet, in seconds. A motion of key poses can be extended.
pub(crate) fn last_time(puppet: &Puppet) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "an hour")]
    let last = LAST_TIME as f32;
    if puppet.motion.takes_keys() { last } else { puppet.seconds() }
}

/// Returns whether a puppet has a pose to key.
#[cfg(feature = "window")]
pub(crate) fn can_key(puppet: &Puppet) -> bool {
    !puppet.targets.is_empty() || !puppet.rotations.is_empty() || puppet.motion.takes_keys()
}

/// Returns the time of the previous or next key, if any.
pub(crate) fn key_beside(motion: &Motion, now: f32, forward: bool) -> Option<f32> {
    let is_here = |time: f32| is_same_time(time, now);
    let times = motion.key_times().into_iter();
    let mut beside = times.filter(|time| !is_here(*time) && (*time > now) == forward);
    if forward { beside.next() } else { beside.next_back() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn steps_go_to_whole_frames() {
        let film = Timeline { frame_rate: 24.0, ..Timeline::default() };
        assert_eq!(film.beside(0.0, true).to_bits(), (1.0_f32 / 24.0).to_bits());
        assert_eq!(film.beside(0.51, true).to_bits(), (13.0_f32 / 24.0).to_bits());
        assert_eq!(film.beside(0.51, false).to_bits(), (12.0_f32 / 24.0).to_bits());
        assert_eq!((film.text(0.5), film.text(0.51)), ("frame 12".into(), "frame 12.2".into()));
        let seconds = Timeline { frames: false, ..film };
        assert_eq!(seconds.text(0.5), "0.50 s");
    }

    #[test]
    fn invalid_values_are_replaced() {
        let odd = Timeline { frame_rate: f32::NAN, range: Some([2.0, 1.0]), ..Timeline::default() };
        assert_eq!(odd.within_range(), Timeline::default());
        let part = Timeline { range: Some([0.5, 9.0]), ..Timeline::default() };
        assert_eq!((part.looped(2.0), part.looped(0.4)), ([0.5, 2.0], [0.0, 0.4]));
        assert_eq!((part.loops_whole(2.0), part.loops_whole(0.4)), (false, true));
    }

    proptest! {
        /// From any frame, stepping forward and then back returns to the same frame.
        #[test]
        fn a_step_back_undoes_a_step_forward(rate in prop::sample::select(vec![24.0_f32, 25.0, 30.0, 60.0]), frame in 0_u16..20_000) {
            let timeline = Timeline { frame_rate: rate, ..Timeline::default() };
            let time = timeline.time(f64::from(frame));
            let next = timeline.beside(time, true);
            prop_assert_eq!(timeline.frame(next).round(), f64::from(frame) + 1.0);
            prop_assert_eq!(timeline.beside(next, false).to_bits(), time.to_bits());
            prop_assert_eq!(timeline.nearest(time).to_bits(), time.to_bits());
        }
    }
}
