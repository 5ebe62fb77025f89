//! Plays one clip after another, with a fade between them, in a game loop.

use glam::Vec3;

use crate::asset::{Character, Transform};
use crate::pose::Pose;

use super::blend::rotation_vector;
use super::inertia::Inertia;
use super::sample::Playhead;

/// Plays clips and fades from one to the next.
///
/// Fades are inertial (Bollo 2018, "Inertialization: high-performance animation transitions in Gears of War"): when a clip
/// starts, the difference between the displayed pose and the clip is measured, including its speed, and decays to zero over
/// the fade. Only the new clip is sampled. A clip may start in the middle of a fade, from the pose on the screen, so there
/// is never a jump.
///
/// Clips with root motion jump back to their start when they repeat, so use in-place clips and move the character yourself.
///
/// ```
/// use sinew_character::asset;
/// use sinew_character::motion::Crossfade;
/// use sinew_character::pose::Pose;
///
/// let character = asset::mannequin()?;
/// let clip = |name: &str| character.clips.iter().position(|clip| clip.name.as_deref() == Some(name));
/// let (mut fade, mut pose) = (Crossfade::default(), Pose::rest(&character.skeleton));
/// fade.play(clip("idle").ok_or("no idle")?, 0.0);
/// for frame in 0..60 {
///     if frame == 20 {
///         fade.play(clip("walk").ok_or("no walk")?, 0.3);
///     }
///     fade.update(1.0 / 60.0, &character, &mut pose);
///     assert!(!fade.is_fading() || frame >= 20);
/// }
/// assert!(!fade.is_fading() && fade.clip() == clip("walk"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Crossfade {
    /// Whether the clip stops at its end instead of starting again.
    pub stops: bool,
    clip: Option<usize>,
    /// Time in the clip, in seconds.
    time: f64,
    /// Duration of the fade, and the time since it began, in seconds.
    fade: f32,
    since: f32,
    has_started: bool,
    /// The last two poses, and the seconds between them.
    shown: Pose,
    before: Pose,
    step: f32,
    playhead: Playhead,
    scratch: Pose,
    offsets: Vec<Offset>,
    weights: Vec<f32>,
}

/// A node's difference from the clip at the start of the fade.
#[derive(Clone, Copy, Debug)]
struct Offset {
    rotation: Inertia,
    translation: Inertia,
    scale: Vec3,
}

impl Crossfade {
    /// Starts a clip, given by its index, at its beginning. The fade from the current pose takes `seconds`, or no time if
    /// there is no pose yet. A missing clip plays the rest pose.
    pub fn play(&mut self, clip: usize, seconds: f32) {
        self.clip = Some(clip);
        self.time = 0.0;
        self.fade = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
        self.since = 0.0;
        self.has_started = false;
    }

    /// Index of the current clip.
    pub fn clip(&self) -> Option<usize> {
        self.clip
    }

    /// Time in the clip, in seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Returns whether the last pose still differs from the clip.
    pub fn is_fading(&self) -> bool {
        self.since < self.fade && !self.offsets.is_empty()
    }

    /// Advances by `dt` seconds and writes the pose. Morph weights fade linearly. A `dt` that is negative or not finite counts as
    /// zero. Use one `Crossfade` for each character. Only the first call allocates.
    pub fn update(&mut self, dt: f32, character: &Character, pose: &mut Pose) {
        let dt = if dt.is_finite() { dt.max(0.0) } else { 0.0 };
        if !self.has_started {
            self.start(character);
        }
        self.time = self.wrapped(self.time + f64::from(dt), character);
        self.since += dt;
        self.sample(self.time, character);
        let is_fading = self.is_fading();
        let left = if is_fading { 1.0 - self.since / self.fade } else { 0.0 };
        if is_fading {
            for (local, offset) in self.scratch.locals.iter_mut().zip(&self.offsets) {
                local.rotation = (offset.rotation.rotation(self.since) * local.rotation).normalize();
                local.translation += offset.translation.vector(self.since);
                local.scale += offset.scale * left;
            }
            for (weight, offset) in self.scratch.weights.iter_mut().zip(&self.weights) {
                *weight += offset * left;
            }
        }
        std::mem::swap(&mut self.before, &mut self.shown);
        self.shown.clone_from(&self.scratch);
        self.step = dt;
        pose.clone_from(&self.shown);
    }

    /// Measures the difference between the displayed pose and the start of the clip.
    fn start(&mut self, character: &Character) {
        self.has_started = true;
        let longest = character.clips.iter().map(|clip| clip.timelines.len()).max().unwrap_or(0);
        self.playhead.reserve(longest);
        let nodes = character.skeleton.nodes.len();
        let weights = character.skeleton.rest_weights.len();
        self.offsets.clear();
        self.weights.clear();
        self.offsets.reserve(nodes);
        self.weights.reserve(weights);
        for pose in [&mut self.shown, &mut self.before] {
            pose.locals.reserve(nodes.saturating_sub(pose.locals.len()));
            pose.weights.reserve(weights.saturating_sub(pose.weights.len()));
        }
        if self.fade <= 0.0 || self.shown.locals.len() != nodes {
            return;
        }
        let (fade, step) = (self.fade, self.step);
        let has_speed = step > 0.0 && self.before.locals.len() == nodes;
        // The difference from the clip one step earlier gives the speed of the difference.
        self.sample(self.wrapped(-f64::from(step), character), character);
        let earlier = self.before.locals.iter().zip(&self.scratch.locals);
        self.offsets.extend(earlier.map(|(shown, clip)| Offset::between(shown, clip)));
        if !has_speed {
            self.offsets.clear();
        }
        self.sample(0.0, character);
        for (node, (shown, clip)) in self.shown.locals.iter().zip(&self.scratch.locals).enumerate() {
            let now = Offset::between(shown, clip);
            let offset = match self.offsets.get(node) {
                Some(earlier) if has_speed => now.moving(earlier, step, fade),
                _ => now.at_rest(fade),
            };
            match self.offsets.get_mut(node) {
                Some(slot) => *slot = offset,
                None => self.offsets.push(offset),
            }
        }
        self.weights.extend(self.shown.weights.iter().zip(&self.scratch.weights).map(|(a, b)| a - b));
    }

    fn sample(&mut self, time: f64, character: &Character) {
        self.scratch.reset(&character.skeleton);
        if let Some(clip) = self.clip.and_then(|clip| character.clips.get(clip)) {
            #[expect(clippy::cast_possible_truncation, reason = "clips are single precision")]
            self.playhead.sample(clip, time as f32, &character.skeleton, &mut self.scratch);
        }
    }

    /// Wraps or clamps a time to the clip.
    fn wrapped(&self, time: f64, character: &Character) -> f64 {
        let seconds = self.clip.and_then(|clip| character.clips.get(clip)).map_or(0.0, |clip| clip.seconds);
        let seconds = f64::from(seconds);
        match () {
            () if seconds <= 0.0 => 0.0,
            () if self.stops => time.clamp(0.0, seconds),
            () => time.rem_euclid(seconds),
        }
    }
}

impl Offset {
    /// Returns the difference between two transforms, without a speed.
    fn between(shown: &Transform, clip: &Transform) -> Self {
        let turn = shown.rotation * clip.rotation.conjugate();
        Self {
            rotation: Inertia::new(rotation_vector(turn)),
            translation: Inertia::new(shown.translation - clip.translation),
            scale: shown.scale - clip.scale,
        }
    }

    fn at_rest(self, fade: f32) -> Self {
        Self {
            rotation: self.rotation.over(0.0, fade),
            translation: self.translation.over(0.0, fade),
            ..self
        }
    }

    /// Returns the offset with a speed, which is computed from the offset one step earlier.
    fn moving(self, earlier: &Self, step: f32, fade: f32) -> Self {
        let speed = |now: &Inertia, then: &Inertia| now.speed_since(then, step);
        Self {
            rotation: self.rotation.over(speed(&self.rotation, &earlier.rotation), fade),
            translation: self.translation.over(speed(&self.translation, &earlier.translation), fade),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::mannequin;

    const DT: f32 = 1.0 / 120.0;

    /// Returns the largest angle in radians by which any joint rotates between two poses.
    fn turn(a: &Pose, b: &Pose) -> f32 {
        let angles = a.locals.iter().zip(&b.locals).map(|(a, b)| a.rotation.angle_between(b.rotation));
        angles.fold(0.0, f32::max)
    }

    /// A clip that starts in the middle of a fade starts from the pose on the screen.
    #[test]
    fn an_interrupted_fade_does_not_jump() {
        let character = mannequin().unwrap();
        let (mut fade, mut pose, mut last) = (Crossfade::default(), Pose::default(), Pose::default());
        let (mut fastest, mut sharpest) = (0.0_f32, 0.0_f32);
        let mut speed = 0.0;
        fade.play(0, 0.0);
        for frame in 0..240_u16 {
            match frame {
                60 => fade.play(2, 0.4),
                75 => fade.play(4, 0.4),
                90 => fade.play(0, 0.4),
                _ => {}
            }
            last.clone_from(&pose);
            fade.update(DT, &character, &mut pose);
            if frame > 1 {
                let now = turn(&pose, &last) / DT;
                (fastest, sharpest) = (fastest.max(now), sharpest.max((now - speed).abs()));
                speed = now;
            }
        }
        // A cut from the idle clip to the walk turns a joint by half a radian, which is 60 rad/s in one frame.
        assert!(fastest < 8.0, "{fastest} rad/s");
        assert!(sharpest < 5.0, "{sharpest} rad/s in one frame");
        // After the fades, the pose matches the clip.
        let mut expected = Pose::rest(&character.skeleton);
        Playhead::default().sample(
            &character.clips[0],
            fade.time() as f32,
            &character.skeleton,
            &mut expected,
        );
        assert!(!fade.is_fading() && turn(&pose, &expected) < 1e-6);
    }

    #[test]
    fn unusual_arguments_leave_a_finite_pose() {
        let character = mannequin().unwrap();
        let (mut fade, mut pose) = (Crossfade::default(), Pose::default());
        fade.update(DT, &character, &mut pose);
        assert_eq!(pose, Pose::rest(&character.skeleton));
        for (clip, seconds, dt) in
            [(1, f32::NAN, 0.1), (2, -1.0, f32::NAN), (9, 0.2, -1.0), (3, 1e30, 1e30), (2, 1e-30, 0.0)]
        {
            fade.play(clip, seconds);
            for _ in 0..3 {
                fade.update(dt, &character, &mut pose);
                assert!(pose.locals.iter().all(|l| l.rotation.is_normalized() && l.translation.is_finite()));
            }
        }
    }
}
