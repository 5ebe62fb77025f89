//! Positions as they arrive: joints that drop out are held and come back gently.

use glam::Vec3;

use crate::pose::Pose;

use super::Fit;
use super::positions::Seen;

/// What stands behind a joint of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Where it was seen.
    Measured,
    /// Seen again, on its way from where it was held.
    Returning,
    /// Not seen: filled, by the rotation that it had when it was seen last.
    Missing,
}

#[derive(Clone, Copy, Debug)]
struct Track {
    presence: Presence,
    /// When it was missing last.
    missing: f64,
}

/// Fits frames one after the other, in the order of time.
///
/// A joint that is not seen keeps its place by the rotations that its carriers had; seen again, it goes from there to
/// where it is within [`Tracker::ease`] seconds. Neither end jumps.
#[derive(Clone, Debug)]
pub struct Tracker {
    /// What turns a frame into a posture.
    pub fit: Fit,
    /// Seconds that a joint takes to come back; a quarter at first.
    pub ease: f64,
    time: Option<f64>,
    tracks: Vec<Track>,
    presence: Vec<Presence>,
}

impl Tracker {
    /// Follows the joints of a fit.
    pub fn new(fit: Fit) -> Self {
        let count = fit.carriers().len();
        let tracks = vec![Track { presence: Presence::Missing, missing: f64::NEG_INFINITY }; count];
        Self { fit, ease: 0.25, time: None, tracks, presence: vec![Presence::Missing; count] }
    }

    /// Writes the posture of a frame at a time in seconds, which never falls (a time that does counts as the last one). Positions and pose are
    /// those of [`Fit::pose`]. Tells of each joint what stands behind it.
    pub fn step(&mut self, time: f64, positions: &[Option<Vec3>], pose: &mut Pose) -> &[Presence] {
        let first = self.time.is_none();
        let before = self.time.unwrap_or(time);
        let time = if time >= before { time } else { before };
        let ease = if self.ease > 0.0 { self.ease } else { f64::MIN_POSITIVE };
        let place = |column: usize| positions.get(column).copied().flatten().filter(|p| p.is_finite());
        for (column, track) in self.tracks.iter_mut().enumerate() {
            track.presence = match place(column) {
                None => Presence::Missing,
                // Who is there from the start comes from nowhere.
                Some(_) if first => Presence::Measured,
                Some(_) if time - track.missing >= ease => Presence::Measured,
                Some(_) => Presence::Returning,
            };
        }
        let (tracks, was) = (&self.tracks, &self.presence);
        let seen = |column: usize| {
            let (position, track) = (place(column)?, tracks.get(column)?);
            let fresh = !first && was.get(column) == Some(&Presence::Missing);
            let share = match track.presence {
                Presence::Returning => smooth((time - track.missing) / ease),
                _ => 1.0,
            };
            Some(Seen { position, share, fresh })
        };
        self.fit.follow(seen, pose);
        for (track, presence) in self.tracks.iter_mut().zip(&mut self.presence) {
            *presence = track.presence;
            if track.presence == Presence::Missing {
                track.missing = time;
            }
        }
        self.time = Some(time);
        &self.presence
    }
}

/// From 0 to 1 with a level start and end: 3u² − 2u³.
fn smooth(u: f64) -> f64 {
    let u = u.clamp(0.0, 1.0);
    u * u * (3.0 - 2.0 * u)
}
