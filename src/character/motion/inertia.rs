//! A difference that decays to zero without a jump in its value, its speed or its acceleration at the end.

use glam::{Quat, Vec3};

/// A vector whose length decays to zero (Bollo 2018, "Inertialization", the quintic of section "Inertialization of scalars").
///
/// The length is x(t) = A t⁵ + B t⁴ + C t³ + a₀ t²/2 + v₀ t + x₀, which is zero at the end, like its first two derivatives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inertia {
    /// Unit direction.
    direction: Vec3,
    /// Length at the start, which is not negative.
    length: f32,
    /// Coefficients of t to t⁵, and the time in seconds at which the vector reaches zero.
    coefficients: [f32; 5],
    end: f32,
}

impl Inertia {
    /// Creates the start of a decay. [`Self::over`] computes the decay itself.
    pub(super) fn new(vector: Vec3) -> Self {
        let length = vector.length();
        let direction = vector.try_normalize().unwrap_or(Vec3::X);
        let length = if length.is_finite() { length } else { 0.0 };
        Self { direction, length, coefficients: [0.0; 5], end: 0.0 }
    }

    /// Returns the speed along the direction, given the vector `step` seconds ago.
    pub(super) fn speed_since(&self, earlier: &Self, step: f32) -> f32 {
        let before = earlier.length * earlier.direction.dot(self.direction);
        (self.length - before) / step
    }

    /// Returns the vector that decays within `seconds`, given the speed of its length at the start. A positive speed counts as zero. If the
    /// vector would overshoot zero, it reaches zero earlier.
    pub(super) fn over(self, speed: f32, seconds: f32) -> Self {
        let (x, v) = (f64::from(self.length), f64::from(speed).min(0.0));
        let v = if v.is_finite() { v } else { 0.0 };
        let reach = if v < 0.0 { -5.0 * x / v } else { f64::INFINITY };
        let t = f64::from(seconds).min(reach);
        if x <= 0.0 || t < 1e-6 {
            return Self { length: 0.0, ..self };
        }
        let a = ((-8.0 * v * t - 20.0 * x) / (t * t)).max(0.0);
        let quintic = -(a * t * t + 6.0 * v * t + 12.0 * x) / (2.0 * t.powi(5));
        let quartic = (3.0 * a * t * t + 16.0 * v * t + 30.0 * x) / (2.0 * t.powi(4));
        let cubic = -(3.0 * a * t * t + 12.0 * v * t + 20.0 * x) / (2.0 * t.powi(3));
        #[expect(clippy::cast_possible_truncation, reason = "poses are single precision")]
        let coefficients = [v, 0.5 * a, cubic, quartic, quintic].map(|c| c as f32);
        #[expect(clippy::cast_possible_truncation, reason = "poses are single precision")]
        let end = t as f32;
        Self { coefficients, end, ..self }
    }

    /// Returns the vector `time` seconds after the start.
    pub(super) fn vector(&self, time: f32) -> Vec3 {
        if time >= self.end {
            return Vec3::ZERO;
        }
        let length = self.coefficients.iter().rev().fold(0.0, |sum, c| (sum + c) * time) + self.length;
        let vector = self.direction * length;
        if vector.is_finite() { vector } else { Vec3::ZERO }
    }

    /// Returns the vector as a rotation vector in radians.
    pub(super) fn rotation(&self, time: f32) -> Quat {
        Quat::from_scaled_axis(self.vector(time))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_difference_decays_smoothly_and_never_grows(length in 0.01..3.0_f32, speed in -20.0..5.0_f32, seconds in 0.05..2.0_f32) {
            let inertia = Inertia::new(Vec3::Y * length).over(speed, seconds);
            let at = |part: f32| inertia.vector(inertia.end * part).y;
            prop_assert!((at(0.0) - length).abs() < 1e-6 && inertia.end <= seconds);
            let step = 1e-3;
            let first = (at(step) - at(0.0)) / (step * inertia.end);
            prop_assert!((first - speed.min(0.0)).abs() < 0.05 * (length / inertia.end + speed.abs()), "{first}");
            prop_assert!(at(0.999).abs() < 1e-3 * length);
            let lengths: Vec<f32> = (0..=40_u8).map(|i| at(f32::from(i) / 40.0)).collect();
            prop_assert!(lengths.windows(2).all(|w| w[1] <= w[0] + 1e-4 * length), "{lengths:?}");
            prop_assert!(lengths.iter().all(|l| *l > -1e-3 * length), "{lengths:?}");
        }
    }
}
