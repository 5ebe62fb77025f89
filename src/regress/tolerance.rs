//! Tolerances of comparisons.

/// The maximum difference between an image and its golden.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImageTolerance {
    /// Pixels count as equal if no channel differs by more than this many levels of 255.
    pub levels: u8,
    /// Maximum mean FLIP error of the image, from 0 to 1. Pixels that count as equal cause no error.
    pub mean: f32,
    /// Maximum mean FLIP error of the worst tile, measured in the same way.
    pub worst: f32,
}

impl Default for ImageTolerance {
    /// These tolerances are above the differences between drivers and CPUs, and below the effects of the deliberate defects in
    /// `tests/breaks`. `docs/decisions/regression-tests.md` shows both distributions.
    fn default() -> Self {
        Self { levels: 2, mean: 0.007, worst: 0.04 }
    }
}

/// The maximum difference between a node's world matrix and its golden.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointTolerance {
    /// Distance in metres.
    pub distance: f64,
    /// Angle in radians.
    pub angle: f64,
}

impl Default for JointTolerance {
    fn default() -> Self {
        Self { distance: 1e-5, angle: 1e-4 }
    }
}

/// The maximum changes of an image, by kind. They apply if the golden contains a record of its scene.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct KindTolerance {
    /// No visible vertex may move by this number of pixels or more, whether the pose or the camera moves it.
    pub moved: f32,
    /// Maximum number of pixels that differ by at least two levels of 255 because the scene differs. Pixels that differ although the scene
    /// is the same do not count.
    pub changed: usize,
    /// Maximum number of pixels whose alpha differs by at least two levels because the scene differs.
    pub alpha: usize,
}

impl Default for KindTolerance {
    /// Movements of less than a quarter of a pixel, and fewer than 50 pixels.
    fn default() -> Self {
        Self { moved: 0.25, changed: 49, alpha: 49 }
    }
}
