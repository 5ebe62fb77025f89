//! Seconds and where they are on the screen.

/// Points that names of times are apart at least.
const APART: f32 = 64.0;
/// Seconds that are shown at least, and at most.
const SPANS: [f32; 2] = [0.1, 3600.0];

/// A piece of the line over some points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct Ruler {
    /// Its first moment, seconds.
    pub(in super::super) from: f32,
    /// How long it is.
    pub(in super::super) seconds: f32,
    /// Where it begins on the screen, points.
    pub(in super::super) left: f32,
    /// Points across.
    pub(in super::super) width: f32,
}

impl Ruler {
    /// Where a time is, points.
    pub(in super::super) fn x(&self, time: f32) -> f32 {
        self.left + (time - self.from) / self.seconds * self.width
    }

    /// What time is there, seconds.
    pub(in super::super) fn time(&self, x: f32) -> f32 {
        self.from + (x - self.left) / self.width.max(1.0) * self.seconds
    }

    /// Seconds of some points.
    pub(in super::super) fn span(&self, points: f32) -> f32 {
        points / self.width.max(1.0) * self.seconds
    }

    /// Seconds between two times that have names: 1, 2 or 5 times a power of ten.
    pub(in super::super) fn step(&self) -> f32 {
        let wanted = self.span(APART).clamp(1e-3, 1e6);
        let power = 10.0_f32.powf(wanted.log10().floor());
        [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|&s| s >= wanted).unwrap_or(wanted)
    }

    /// Larger by a factor, with a place of the screen where it is.
    pub(in super::super) fn zoomed(&self, factor: f32, x: f32) -> Self {
        let (time, [least, most]) = (self.time(x), SPANS);
        let seconds = (self.seconds / factor).clamp(least, most);
        let from = time - (time - self.from) * seconds / self.seconds;
        Self { from: from.max(0.0), seconds, ..*self }
    }

    /// Moved by some points.
    pub(in super::super) fn moved(&self, points: f32) -> Self {
        Self { from: (self.from - self.span(points)).max(0.0), ..*self }
    }
}
