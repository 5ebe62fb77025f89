//! Image quality during movement, on machines that cannot draw full quality in time. It needs neither a window nor a GPU: its inputs are
//! times and measured durations.

use std::time::Duration;

use crate::render::{Frame, Grid};

/// How a scene is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quality {
    /// Samples per pixel: 1 or 4.
    pub(super) samples: u32,
    /// Whether shadows are drawn, if they are switched on.
    pub(super) shadow: bool,
    /// Width and height of the image, as a percentage of the scene's size in the window.
    pub(super) percent: u32,
}

impl Quality {
    /// The quality of a scene at rest and of saved images.
    pub(super) const FULL: Self = Self { samples: 4, shadow: true, percent: 100 };

    /// Smallest image size, as a percentage of the scene's size in the window.
    const SMALLEST: u32 = 45;

    /// The qualities of moving scenes, from the best to the fastest. Small images are multisampled, because enlarging them would otherwise
    /// turn jagged edges into blocks. Extra samples cost less than extra pixels, because a pixel's colour is computed only once.
    const LEVELS: [Self; 4] = [
        Self::FULL,
        Self { samples: 1, ..Self::FULL },
        Self { shadow: false, percent: 66, ..Self::FULL },
        Self { shadow: false, percent: Self::SMALLEST, ..Self::FULL },
    ];

    /// Changes a frame to this quality, and returns the size of its image as a percentage.
    pub(super) fn apply(self, frame: &mut Frame<'_>) -> u32 {
        frame.samples = self.samples;
        frame.shadow &= self.shadow;
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let scale = self.percent as f32 / 100.0;
        // The line widths are in pixels of the image, so they are scaled too.
        if let Some(Grid::Clear { width }) = frame.ground.as_mut().map(|floor| &mut floor.grid) {
            *width = (*width * scale).max(MIN_GRID_WIDTH);
        }
        frame.lines.iter_mut().for_each(|line| line.widths = line.widths.map(|w| w * scale));
        self.percent
    }

    /// Returns the qualities whose pipelines differ from those of [`Self::FULL`] and from each other.
    pub(super) fn reduced() -> impl Iterator<Item = Self> {
        Self::LEVELS.into_iter().filter(|q| q.samples == 1 || q.percent == Self::SMALLEST)
    }
}

/// Minimum width of the floor's lines in pixels of the image.
const MIN_GRID_WIDTH: f32 = 0.7;
/// Time without a change after which a scene is drawn in full quality.
const REST: Duration = Duration::from_millis(150);
/// Duration above which a frame is slow.
const SLOW: Duration = Duration::from_millis(25);
/// Duration below which a frame leaves room for a better quality.
const FAST: Duration = Duration::from_millis(12);
/// Number of consecutive slow frames after which the quality is reduced. A single slow frame may have other causes.
const SLOW_FRAMES: u32 = 3;
/// Number of consecutive fast frames after which a better quality is tried. The number doubles each time the better
/// quality turns out to be too slow, up to a maximum.
const FAST_FRAMES: (u32, u32) = (30, 960);
/// The level at which a software adapter starts.
const SOFTWARE_LEVEL: usize = 2;

/// Chooses the quality of each frame from the durations of earlier ones.
#[derive(Clone, Debug)]
pub(super) struct QualityControl {
    /// The level for moving scenes.
    level: usize,
    slow_frames: u32,
    fast_frames: u32,
    needed_fast_frames: u32,
    /// Whether the current level was reached by an improvement and has not yet proved fast enough.
    on_trial: bool,
    /// Whether the next duration is ignored, because it may include the creation of pipelines and textures.
    is_first: bool,
    contents: Option<u64>,
    /// The time at which the latest change was shown.
    changed: Option<Duration>,
    /// Whether the latest frame shows a change.
    is_change: bool,
    /// The quality of the latest frame.
    current: Quality,
}

impl QualityControl {
    /// Creates a control that starts at full quality. On a software adapter, the first frame and moving scenes start at a lower quality.
    pub(super) fn new(is_software: bool) -> Self {
        Self {
            level: if is_software { SOFTWARE_LEVEL } else { 0 },
            slow_frames: 0,
            fast_frames: 0,
            needed_fast_frames: FAST_FRAMES.0,
            on_trial: false,
            is_first: true,
            contents: None,
            changed: None,
            is_change: false,
            current: Quality::FULL,
        }
    }

    /// Returns the quality of a frame at the time `now`. `contents` identifies what the frame shows. `is_busy` is set while the user drags
    /// something or a motion plays, which means that more changes will follow.
    pub(super) fn choose(&mut self, now: Duration, contents: u64, is_busy: bool) -> Quality {
        let before = self.contents.replace(contents);
        if before.is_none() && self.level > 0 {
            // Full-quality shaders take longest to compile. The first frame does not wait for them.
            (self.changed, self.is_change) = (Some(now), true);
            self.current = Quality::LEVELS.get(self.level).copied().unwrap_or(Quality::FULL);
            return self.current;
        }
        let has_changed = before.is_some_and(|before| before != contents);
        let is_recent = self.changed.is_some_and(|then| now.saturating_sub(then) < REST);
        self.is_change = has_changed;
        if has_changed {
            self.changed = Some(now);
        }
        // A scene that has just stopped keeps its quality for a moment, even if the level has changed since.
        if !has_changed && is_recent && self.is_reduced() {
            return self.current;
        }
        // A single change, such as a click, is not a movement.
        let is_moving = has_changed && (is_busy || is_recent);
        let level = if is_moving { self.level } else { 0 };
        let quality = Quality::LEVELS.get(level).copied().unwrap_or(Quality::FULL);
        self.is_first |= quality != self.current;
        self.current = quality;
        quality
    }

    /// Records how long it took to draw a frame of a changed scene, excluding the time spent waiting for the display.
    pub(super) fn note(&mut self, duration: Duration) {
        // Count from the end of the frame, because on a very slow machine a single frame takes longer than [`REST`].
        if std::mem::take(&mut self.is_change) {
            self.changed = self.changed.map(|then| then + duration);
        }
        // Ignore frames at rest, because they say nothing about the speed of movement. They interrupt a movement for at most one frame.
        let is_level = Quality::LEVELS.get(self.level) == Some(&self.current);
        if std::mem::take(&mut self.is_first) || !is_level {
            return;
        }
        self.slow_frames = if duration > SLOW { self.slow_frames + 1 } else { 0 };
        self.fast_frames = if duration < FAST { self.fast_frames + 1 } else { 0 };
        if self.slow_frames >= SLOW_FRAMES {
            self.reduce();
        } else if self.fast_frames >= self.needed_fast_frames {
            self.improve();
        }
    }

    /// Returns the time at which the scene must be redrawn in full quality, or `None` if that is not necessary.
    pub(super) fn due(&self) -> Option<Duration> {
        self.changed.filter(|_| self.is_reduced()).map(|then| then + REST)
    }

    fn is_reduced(&self) -> bool {
        self.current != Quality::FULL
    }

    fn reduce(&mut self) {
        (self.slow_frames, self.fast_frames) = (0, 0);
        if self.level + 1 < Quality::LEVELS.len() {
            self.level += 1;
            if std::mem::take(&mut self.on_trial) {
                self.needed_fast_frames = (2 * self.needed_fast_frames).min(FAST_FRAMES.1);
            }
        }
    }

    fn improve(&mut self) {
        (self.slow_frames, self.fast_frames) = (0, 0);
        self.on_trial = self.level > 0;
        self.level = self.level.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Start time of the tests.
    const START: Duration = Duration::from_secs(2);

    /// Returns a control whose first frame was drawn in full quality.
    fn rested(is_software: bool) -> QualityControl {
        let mut control = QualityControl::new(is_software);
        control.choose(Duration::ZERO, 0, false);
        control.note(Duration::from_millis(300));
        assert_eq!(control.choose(Duration::from_secs(1), 0, false), Quality::FULL);
        control.note(Duration::from_millis(300));
        control
    }

    /// A machine with a simulated clock.
    struct Machine {
        control: QualityControl,
        now: Duration,
        contents: u64,
    }

    impl Machine {
        fn new(is_software: bool) -> Self {
            Self { control: rested(is_software), now: START, contents: 0 }
        }

        /// Draws frames of a drag, which take `cost` milliseconds each. Returns their qualities.
        fn drag(&mut self, frames: usize, cost: impl Fn(usize, Quality) -> u64) -> Vec<Quality> {
            let mut frame = |frame| {
                self.contents += 1;
                let quality = self.control.choose(self.now, self.contents, true);
                let duration = Duration::from_millis(cost(frame, quality));
                self.now += duration.max(Duration::from_millis(16));
                self.control.note(duration);
                quality
            };
            (0..frames).map(&mut frame).collect()
        }

        fn changes(qualities: &[Quality]) -> usize {
            qualities.windows(2).filter(|pair| pair[0] != pair[1]).count()
        }
    }

    /// Frame cost on a software adapter, as measured with the mannequin.
    fn software(quality: Quality) -> u64 {
        let scene = if quality.samples == 4 { 68 } else { 40 };
        let scene = if quality.shadow { scene } else { 20 };
        20 + scene * u64::from(quality.percent) / 100
    }

    #[test]
    fn a_fast_machine_never_leaves_full_quality() {
        let mut machine = Machine::new(false);
        // One frame in ten is delayed by something else.
        let qualities = machine.drag(2000, |frame, _| if frame % 10 == 0 { 120 } else { 4 });
        assert!(qualities.iter().all(|&q| q == Quality::FULL));
        assert_eq!(machine.control.due(), None);
    }

    #[test]
    fn a_slow_machine_settles_at_one_level() {
        let mut machine = Machine::new(false);
        let qualities = machine.drag(2000, |_, quality| match quality {
            Quality::FULL => 60,
            Quality { shadow: true, .. } => 31,
            Quality { percent: 66, .. } => 18,
            _ => 14,
        });
        assert_eq!(qualities.last(), Some(&Quality { samples: 4, shadow: false, percent: 66 }));
        assert_eq!(Machine::changes(&qualities), 2, "the quality flickers");
    }

    /// If a level is fast and the next better one is slow, attempts to improve become rare.
    #[test]
    fn attempts_to_improve_become_rare() {
        let mut machine = Machine::new(false);
        let cost = |_, quality: Quality| if quality.percent == 100 { 40 } else { 8 };
        let first = machine.drag(1000, cost);
        let later = machine.drag(10_000, cost);
        assert!(Machine::changes(&first) <= 12, "{}", Machine::changes(&first));
        assert!(Machine::changes(&later) <= 24, "{}", Machine::changes(&later));
    }

    #[test]
    fn a_machine_that_becomes_fast_returns_to_full_quality() {
        let mut machine = Machine::new(false);
        let slow = machine.drag(40, |_, quality| software(quality));
        assert_eq!(slow.last().unwrap().percent, Quality::SMALLEST);
        let fast = machine.drag(200, |_, _| 5);
        assert_eq!(fast.last(), Some(&Quality::FULL));
    }

    /// Edges of the smallest image had steps of four window pixels.
    #[test]
    fn images_that_are_enlarged_have_smooth_edges() {
        assert!(Quality::LEVELS.iter().all(|q| q.percent == 100 || q.samples == 4));
    }

    #[test]
    fn a_software_adapter_is_fast_from_the_first_frame_of_a_drag() {
        let mut machine = Machine::new(true);
        let qualities = machine.drag(3, |_, quality| software(quality));
        assert!(qualities.iter().all(|q| q.percent == 66), "{qualities:?}");
    }

    /// The window stayed empty while a software driver compiled the shaders of soft shadows.
    #[test]
    fn the_first_picture_of_a_software_adapter_does_not_wait_for_full_quality() {
        let mut control = QualityControl::new(true);
        let first = control.choose(Duration::ZERO, 7, false);
        assert!(first.percent < 100 && !first.shadow, "{first:?}");
        control.note(Duration::from_millis(400));
        let due = control.due().unwrap();
        assert_eq!(due, Duration::from_millis(400) + REST);
        assert_eq!(control.choose(due, 7, false), Quality::FULL);
        assert_eq!(control.due(), None);
        assert_eq!(QualityControl::new(false).choose(Duration::ZERO, 7, false), Quality::FULL);
    }

    #[test]
    fn a_scene_at_rest_is_drawn_once_in_full_quality() {
        let mut machine = Machine::new(true);
        machine.drag(30, |_, quality| software(quality));
        let changed = machine.control.changed.unwrap();
        assert_eq!(machine.control.due(), Some(changed + REST));
        // Redraws of the panel keep the quality until the scene has rested.
        let early = machine.control.choose(changed + REST / 2, machine.contents, true);
        assert!(early != Quality::FULL && machine.control.due() == Some(changed + REST));
        assert_eq!(machine.control.choose(changed + REST, machine.contents, true), Quality::FULL);
        assert_eq!(machine.control.due(), None);
    }

    /// Changes that follow each other as quickly as the machine draws them count as movement, however slow the machine is.
    #[test]
    fn a_very_slow_machine_notices_movements() {
        let (mut control, mut now) = (rested(true), START);
        let qualities = [0, 1, 2, 3].map(|contents| {
            let quality = control.choose(now, contents, false);
            control.note(Duration::from_millis(400));
            now += Duration::from_millis(410);
            quality
        });
        let is_full = qualities.map(|quality| quality == Quality::FULL);
        assert_eq!(is_full, [true, true, false, false]);
    }

    #[test]
    fn a_single_change_is_drawn_in_full_quality() {
        let mut control = rested(true);
        let at = |milliseconds| START + Duration::from_millis(milliseconds);
        assert_eq!(control.choose(at(1000), 2, false), Quality::FULL);
        assert_eq!(control.due(), None);
        assert_ne!(control.choose(at(1050), 3, false), Quality::FULL, "the second change is a movement");
        assert_eq!(control.choose(at(1250), 3, false), Quality::FULL);
        assert_eq!(control.choose(at(1300), 3, false), Quality::FULL);
    }
}
