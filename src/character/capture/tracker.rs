//! Fits a pose to joint positions as they arrive. Joints that drop out keep their position relative to
//! their ancestors, and return smoothly.

use glam::Vec3;

use crate::pose::Pose;

use super::Fit;
use super::positions::Measurement;

/// Whether a joint was measured in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// The joint was seen.
    Measured,
    /// The joint was seen again, and moves from its estimated position to its measured position.
    Returning,
    /// The joint was not seen. Its position is estimated with the rotations that its ancestors had when it was last
    /// measured.
    Missing,
}

#[derive(Clone, Copy, Debug)]
struct JointTrack {
    presence: Presence,
    /// The time of the last frame in which the joint was missing.
    last_missing: f64,
}

/// Fits a pose to live joint positions, some of which may be missing.
///
/// A joint that is not seen keeps its position relative to its ancestors. When it is seen again, it moves to its
/// measured position within [`Tracker::ease`] seconds. It jumps neither when it drops out nor when it is seen again.
#[derive(Clone, Debug)]
pub struct Tracker {
    /// Computes the pose of a frame.
    pub fit: Fit,
    /// Time in seconds that a joint takes to return after it was missing. Initially 0.25.
    pub ease: f64,
    time: Option<f64>,
    tracks: Vec<JointTrack>,
    presence: Vec<Presence>,
}

impl Tracker {
    /// Creates a tracker for the joints of a fit.
    pub fn new(fit: Fit) -> Self {
        let count = fit.logical_parents().len();
        let tracks = vec![JointTrack { presence: Presence::Missing, last_missing: f64::NEG_INFINITY }; count];
        Self { fit, ease: 0.25, time: None, tracks, presence: vec![Presence::Missing; count] }
    }

    /// Writes the pose of a frame at a time in seconds. Times must not decrease. A time before the previous one counts
    /// as equal to it. `positions` and `pose` are the same as for [`Fit::pose`]. Returns the presence of each joint.
    ///
    /// ```
    /// use sinew_character::asset::{Node, Skeleton, Transform};
    /// use sinew_character::capture::{Fit, Presence, Tracker};
    /// use sinew_character::glam::Vec3;
    /// use sinew_character::pose::Pose;
    ///
    /// let bone = Transform::from_translation(Vec3::X);
    /// let skeleton = Skeleton::new(vec![Node::new("shoulder"), Node::child("hand", 0, bone)])?;
    /// let mut tracker = Tracker::new(Fit::new(&skeleton, &[0, 1])?);
    /// let mut pose = Pose::rest(&skeleton);
    /// let (shoulder, hand) = (Some(Vec3::ZERO), Some(Vec3::Y));
    /// assert_eq!(tracker.step(0.0, &[shoulder, hand], &mut pose), [Presence::Measured; 2]);
    /// assert_eq!(tracker.step(0.1, &[shoulder, None], &mut pose)[1], Presence::Missing);
    /// // A joint that is seen again returns smoothly.
    /// assert_eq!(tracker.step(0.2, &[shoulder, hand], &mut pose)[1], Presence::Returning);
    /// assert_eq!(tracker.step(0.9, &[shoulder, hand], &mut pose)[1], Presence::Measured);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step(&mut self, time: f64, positions: &[Option<Vec3>], pose: &mut Pose) -> &[Presence] {
        let is_first = self.time.is_none();
        let before = self.time.unwrap_or(time);
        let time = if time >= before { time } else { before };
        let ease = if self.ease > 0.0 { self.ease } else { f64::MIN_POSITIVE };
        let position = |column: usize| positions.get(column).copied().flatten().filter(|p| p.is_finite());
        for (column, track) in self.tracks.iter_mut().enumerate() {
            track.presence = match position(column) {
                None => Presence::Missing,
                // A joint that is seen in the first frame has no estimated position from which to return.
                Some(_) if is_first => Presence::Measured,
                Some(_) if time - track.last_missing >= ease => Presence::Measured,
                Some(_) => Presence::Returning,
            };
        }
        let (tracks, last_presence) = (&self.tracks, &self.presence);
        let measurement = |column: usize| {
            let (position, track) = (position(column)?, tracks.get(column)?);
            let is_returning = !is_first && last_presence.get(column) == Some(&Presence::Missing);
            let weight = match track.presence {
                Presence::Returning => smoothstep((time - track.last_missing) / ease),
                _ => 1.0,
            };
            Some(Measurement { position, weight, is_returning })
        };
        self.fit.fit_measurements(measurement, pose);
        for (track, presence) in self.tracks.iter_mut().zip(&mut self.presence) {
            *presence = track.presence;
            if track.presence == Presence::Missing {
                track.last_missing = time;
            }
        }
        self.time = Some(time);
        &self.presence
    }
}

/// The smoothstep function, which rises from 0 to 1 with zero slope at both ends: 3u² − 2u³.
fn smoothstep(u: f64) -> f64 {
    let u = u.clamp(0.0, 1.0);
    u * u * (3.0 - 2.0 * u)
}
