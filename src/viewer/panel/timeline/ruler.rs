//! Converts between times and screen coordinates on the timeline.

use egui::{Pos2, Rect, pos2};

/// Minimum distance between labels in points.
const LABEL_DISTANCE: f32 = 64.0;
/// Minimum and maximum visible time range in seconds.
const RANGES: [f32; 2] = [0.1, 3600.0];

/// A visible time range and its position on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ruler {
    /// Start of the visible range in seconds.
    pub(crate) from: f32,
    /// Length of the visible range in seconds.
    pub(crate) seconds: f32,
    /// Left edge on the screen in points.
    pub(crate) left: f32,
    /// Width in points.
    pub(crate) width: f32,
}

impl Ruler {
    /// Returns a time's x coordinate in points.
    pub(crate) fn x(&self, time: f32) -> f32 {
        self.left + (time - self.from) / self.seconds * self.width
    }

    /// Returns the time at an x coordinate in seconds.
    pub(crate) fn time(&self, x: f32) -> f32 {
        self.from + (x - self.left) / self.width.max(1.0) * self.seconds
    }

    /// Converts a distance from points to seconds.
    pub(crate) fn span(&self, points: f32) -> f32 {
        points / self.width.max(1.0) * self.seconds
    }

    /// Returns the time between two labels in seconds: 1, 2 or 5 times a power of ten.
    pub(crate) fn step(&self) -> f32 {
        let min = self.span(LABEL_DISTANCE).clamp(1e-3, 1e6);
        let power = 10.0_f32.powf(min.log10().floor());
        [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|&s| s >= min).unwrap_or(min)
    }

    /// Returns the number of whole frames between two labels: 1, 2 or 5 times a power of ten.
    pub(crate) fn frame_step(&self, frame_rate: f32) -> f32 {
        let min = (self.span(LABEL_DISTANCE) * frame_rate).clamp(1.0, 1e6);
        let power = 10.0_f32.powf(min.log10().floor());
        [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|&s| s >= min).unwrap_or(min)
    }

    /// Returns the ruler zoomed in by a factor around an x coordinate.
    pub(crate) fn zoomed(&self, factor: f32, x: f32) -> Self {
        let (time, [min, max]) = (self.time(x), RANGES);
        let seconds = (self.seconds / factor).clamp(min, max);
        let from = time - (time - self.from) * seconds / self.seconds;
        Self { from: from.max(0.0), seconds, ..*self }
    }

    /// Returns the ruler scrolled by a distance in points.
    pub(crate) fn moved(&self, points: f32) -> Self {
        Self { from: (self.from - self.span(points)).max(0.0), ..*self }
    }
}

/// A row of the timeline on the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    pub(super) ruler: Ruler,
    pub(super) rect: Rect,
}

impl Lane {
    /// Returns the point at a time, halfway up the row.
    pub(super) fn center(&self, time: f32) -> Pos2 {
        pos2(self.ruler.x(time), self.rect.center().y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f32, b: f32) -> bool {
        (a - b).abs() < 1e-4
    }

    #[test]
    fn ruler_converts_times_and_coordinates_consistently() {
        let ruler = Ruler { from: 0.0, seconds: 4.0, left: 10.0, width: 800.0 };
        assert!(near(ruler.time(ruler.x(1.3)), 1.3) && near(ruler.step(), 0.5));
        assert!(near(ruler.frame_step(30.0), 10.0) && near(ruler.frame_step(1.0), 1.0));
        let zoomed = ruler.zoomed(2.0, 410.0);
        assert!(near(zoomed.time(410.0), ruler.time(410.0)) && near(zoomed.seconds, 2.0));
        assert!(near(zoomed.moved(200.0).from, 0.5) && ruler.moved(50.0).from == 0.0);
    }
}
