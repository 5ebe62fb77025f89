//! The measurements of a crowd's frame.

use std::time::Duration;

use crate::DrawnLevels;

/// How the times of a frame were measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeSource {
    /// By timestamps of the GPU.
    Gpu,
    /// From the submission of each part to its end on the GPU. The draw time includes culling.
    Waits,
    /// By the clock of the CPU, without the time that the GPU takes.
    #[default]
    Cpu,
}

impl TimeSource {
    /// Returns a short description, for example `GPU timestamps`.
    pub fn description(self) -> &'static str {
        match self {
            Self::Gpu => "GPU timestamps",
            Self::Waits => "submission and wait",
            Self::Cpu => "CPU only",
        }
    }
}

/// The times of a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrowdTimes {
    /// How `step`, `cull` and `draw` were measured.
    pub source: TimeSource,
    /// Time to animate all characters.
    pub step: Duration,
    /// Time to find the characters in view. If hidden characters are left out, only the time to find those in view that were visible in the
    /// last frame. `None` if it is part of the draw time.
    pub cull: Option<Duration>,
    /// Time to draw the characters and their shadows. If hidden characters are left out, it includes the time to find them.
    pub draw: Duration,
    /// Time that the CPU takes to encode and submit the frame.
    pub cpu: Duration,
}

/// The measurements of a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrowdStats {
    /// The number of characters.
    pub characters: u64,
    /// The size of the crowd's GPU buffers in bytes, excluding the models.
    pub bytes: u64,
    /// What was drawn for the camera, including characters that were visible in the last frame and are hidden now. `None` if the characters
    /// are animated on the CPU.
    pub drawn: Option<DrawnLevels>,
    /// The times.
    pub times: CrowdTimes,
}

impl CrowdStats {
    /// Returns the number of characters outside the view. `None` if the characters are animated on the CPU.
    pub fn culled(&self) -> Option<u64> {
        self.drawn.as_ref().map(|drawn| self.characters.saturating_sub(drawn.visible() + drawn.hidden))
    }

    /// Returns the median of several frames, or `None` for an empty list. Each time is the median of the times of all frames. The other
    /// numbers are those of the frame with the median number of triangles, so that they are consistent.
    pub fn median(frames: &[Self]) -> Option<Self> {
        let mut sorted: Vec<&Self> = frames.iter().collect();
        sorted.sort_by_key(|stats| stats.drawn.as_ref().map(|drawn| drawn.triangles));
        let middle = *sorted.get(frames.len() / 2)?;
        let time =
            |time: fn(&CrowdTimes) -> Duration| middle_of(frames.iter().map(|stats| time(&stats.times)));
        let culls = frames.iter().filter_map(|stats| stats.times.cull);
        let times = CrowdTimes {
            source: middle.times.source,
            step: time(|times| times.step).unwrap_or_default(),
            cull: middle_of(culls),
            draw: time(|times| times.draw).unwrap_or_default(),
            cpu: time(|times| times.cpu).unwrap_or_default(),
        };
        Some(Self { times, ..middle.clone() })
    }
}

/// Returns the median, which is the larger one of the two in the middle of an even number of times.
fn middle_of(times: impl Iterator<Item = Duration>) -> Option<Duration> {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(step: u64, triangles: u64, levels: [u64; 5]) -> CrowdStats {
        let times = CrowdTimes { step: Duration::from_millis(step), ..CrowdTimes::default() };
        let mut drawn = DrawnLevels { triangles, ..DrawnLevels::default() };
        drawn.characters[..levels.len()].copy_from_slice(&levels);
        CrowdStats { characters: 10, bytes: 7, drawn: Some(drawn), times }
    }

    #[test]
    fn medians_of_counts_belong_to_one_frame() {
        let frames =
            [stats(9, 300, [1, 2, 0, 0, 0]), stats(1, 100, [0, 0, 0, 1, 0]), stats(4, 200, [0, 2, 0, 0, 3])];
        let median = CrowdStats::median(&frames).unwrap();
        assert_eq!(median.drawn, frames[2].drawn);
        assert_eq!((median.times.step, median.times.cull), (Duration::from_millis(4), None));
        assert_eq!((median.culled(), median.bytes), (Some(5), 7));
        assert_eq!(CrowdStats::median(&[]), None);
    }

    #[test]
    fn characters_on_the_cpu_are_neither_drawn_nor_culled() {
        let stats = CrowdStats { drawn: None, ..stats(1, 0, [0; 5]) };
        assert_eq!(stats.culled(), None);
        assert_eq!(CrowdStats::median(std::slice::from_ref(&stats)), Some(stats));
    }
}
