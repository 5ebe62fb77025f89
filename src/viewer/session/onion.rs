//! The onion skin: ghosts of the poses before and after the current time of the motion.

use std::sync::Arc;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::motion::{Motion, is_same_time};
use crate::puppet::Puppet;
use crate::render::Instance;
use crate::scene;
use crate::skin::Skinning;

/// Linear colours of ghosts before and after the current time, and of the background into which they fade.
const PAST: Vec3 = Vec3::new(0.95, 0.3, 0.08);
const FUTURE: Vec3 = Vec3::new(0.06, 0.35, 0.95);
const FADED: Vec3 = Vec3::new(0.16, 0.17, 0.2);
/// Colour of each ghost relative to its neighbour nearer to the current time.
const FADE: f32 = 0.5;
/// Maximum number of ghosts on each side.
pub(crate) const MAX_GHOSTS: u8 = 3;
/// Minimum time between ghosts in seconds.
pub(crate) const MIN_STEP: f32 = 0.01;

/// Which ghosts of the motion are shown while it is not playing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OnionSkin {
    /// Whether the ghosts are shown.
    pub shown: bool,
    /// Number of ghosts before and after the current time, from 1 to 3.
    pub count: u8,
    /// Time between ghosts in seconds, if the motion has no key poses.
    pub step: f32,
}

impl Default for OnionSkin {
    fn default() -> Self {
        Self { shown: false, count: 2, step: 0.2 }
    }
}

impl OnionSkin {
    /// Clamps the number of ghosts and the time between ghosts to valid values.
    pub(super) fn within_range(self) -> Self {
        let step = if self.step.is_finite() { self.step.max(MIN_STEP) } else { Self::default().step };
        Self { count: self.count.clamp(1, MAX_GHOSTS), step, ..self }
    }
}

/// The ghosts that are shown at the current time.
#[derive(Debug, Default)]
pub(super) struct OnionGhosts {
    key: Option<GhostKey>,
    /// The ghosts, nearest to the current time first, each with its linear colour.
    ghosts: Vec<(Puppet, Vec3)>,
}

/// Everything that the ghosts depend on.
#[derive(Debug)]
struct GhostKey {
    motion: Arc<Motion>,
    /// Number of clips, which grows when clips are added.
    clips: usize,
    skinning: Skinning,
    looping: bool,
    times: Vec<(f32, Vec3)>,
}

impl GhostKey {
    fn matches(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.motion, &other.motion)
            && (self.clips, self.skinning, self.looping) == (other.clips, other.skinning, other.looping)
            && self.times == other.times
    }
}

impl OnionGhosts {
    /// Updates the ghosts of a puppet if anything that they depend on has changed.
    pub(super) fn refresh(&mut self, puppet: &Puppet, motion: &Arc<Motion>, skin: OnionSkin, looping: bool) {
        let times = ghost_times(puppet, motion, skin);
        if times.is_empty() {
            *self = Self::default();
            return;
        }
        let key = GhostKey {
            motion: Arc::clone(motion),
            clips: puppet.character().clips.len(),
            skinning: puppet.options.skinning,
            looping,
            times,
        };
        if !self.key.as_ref().is_some_and(|known| known.matches(&key)) {
            let ghost =
                |&(time, color): &(f32, Vec3)| Some((posed_at(puppet, motion, looping, time)?, color));
            self.ghosts = key.times.iter().filter_map(ghost).collect();
            self.key = Some(key);
        }
    }

    /// Returns the ghosts for drawing beside the puppet.
    pub(super) fn instances(&self, beside: &Puppet) -> impl Iterator<Item = Instance<'_>> {
        let ghosts = self.ghosts.iter();
        let ghosts = ghosts.map(move |(puppet, color)| scene::ghost(puppet, beside, *color));
        ghosts.filter(|ghost| !ghost.draws.is_empty())
    }
}

/// Returns the ghosts' times and colours, nearest to the current time first.
fn ghost_times(puppet: &Puppet, motion: &Motion, skin: OnionSkin) -> Vec<(f32, Vec3)> {
    let OnionSkin { shown, count, step } = skin;
    if !shown || motion.is_rest() {
        return Vec::new();
    }
    let (now, count) = (puppet.time, usize::from(count));
    let keys = &motion.keys;
    let (past, future): (Vec<f32>, Vec<f32>) = if keys.is_empty() {
        let end = puppet.seconds();
        let steps = || (1..=MAX_GHOSTS).map(|i| f32::from(i) * step);
        (
            steps().map(|by| now - by).filter(|time| *time >= 0.0).take(count).collect(),
            steps().map(|by| now + by).filter(|time| *time <= end).take(count).collect(),
        )
    } else {
        let times = || keys.iter().map(|key| key.time);
        (
            times().rev().filter(|time| *time < now && !is_same_time(*time, now)).take(count).collect(),
            times().filter(|time| *time > now && !is_same_time(*time, now)).take(count).collect(),
        )
    };
    let mut times = Vec::new();
    let mut strength = 1.0_f32;
    for distance in 0..count {
        for (side, color) in [(&past, PAST), (&future, FUTURE)] {
            times.extend(side.get(distance).map(|&time| (time, FADED.lerp(color, strength))));
        }
        strength *= FADE;
    }
    times
}

/// Returns a puppet in a motion's pose at a time, without goals. `None` if that pose is invalid.
fn posed_at(puppet: &Puppet, motion: &Motion, looping: bool, time: f32) -> Option<Puppet> {
    let mut puppet = puppet.clone();
    (puppet.targets, puppet.pins, puppet.rotations) = Default::default();
    (puppet.stance, puppet.motion, puppet.time) = (None, motion.clone(), time);
    (puppet.options.looping, puppet.options.shows_held, puppet.options.shown_steps) = (looping, false, None);
    // The springs' state at another time is unknown.
    puppet.set_springs(false);
    puppet.reset_solver();
    puppet.update().is_ok().then_some(puppet)
}
