//! Removes noise from sensor values with little lag, using the One Euro filter.
//!
//! The One Euro filter is a low-pass filter whose cutoff rises with the speed of the signal (Casiez, Roussel & Vogel
//! 2012, "1€ filter: a simple speed-based low-pass filter for noisy input in interactive systems"). It smooths strongly
//! at rest, where noise is visible, and weakly in fast motion, where lag is noticeable. For the sample x, the filtered
//! value x̂, its rate of change ẋ, the time step T and a cutoff f, where ₋ marks the previous values:
//!
//! ```text
//! α(f) = 1 / (1 + τ/T),  τ = 1 / (2π f)
//! ẋ = ẋ₋ + α(f_d) ((x − x̂₋)/T − ẋ₋)
//! x̂ = x̂₋ + α(f_min + β|ẋ|) (x − x̂₋)
//! ```

use std::f64::consts::TAU;

use glam::{DQuat, DVec3, Quat, Vec3};

/// Parameters of the One Euro filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothing {
    /// Cutoff at rest, in hertz. A lower value means less jitter but more lag in slow motion.
    pub min_cutoff: f64,
    /// Increase of the cutoff with speed, in hertz per unit per second. A higher value means less lag in fast motion.
    pub beta: f64,
    /// Cutoff of the low-pass filter that smooths the measured rate of change, in hertz.
    pub derivative_cutoff: f64,
}

impl Smoothing {
    /// Parameters for positions in metres. At 1 m/s the cutoff is 11.5 Hz. A point at constant velocity lags by at most
    /// 16 mm.
    pub const POSITIONS: Self = Self { min_cutoff: 1.5, beta: 10.0, derivative_cutoff: 1.0 };
    /// Parameters for orientations, with speeds in radians per second. At 180° per second the cutoff is 11 Hz.
    pub const ORIENTATIONS: Self = Self { min_cutoff: 1.5, beta: 3.0, derivative_cutoff: 1.0 };

    /// Returns the same parameters with a different cutoff at rest, in hertz.
    #[must_use]
    pub fn with_min_cutoff(self, min_cutoff: f64) -> Self {
        Self { min_cutoff, ..self }
    }

    /// Returns the latency in seconds: the time by which the filtered value lags behind a motion with constant `speed` in units per second,
    /// sampled every `step` seconds. The latency is largest at rest, where nobody sees it.
    ///
    /// It is the solution τ of 2πτ(f_min + β|ẋ|) = 1. The filter computes the rate ẋ = v (1 + τ/T) from the filtered value, which lags
    /// behind. The rate exceeds the true speed v, so the filter smooths less.
    ///
    /// ```
    /// use sinew_character::capture::Smoothing;
    ///
    /// let milliseconds = |speed| (Smoothing::POSITIONS.latency(speed, 1.0 / 60.0) * 1e3).round();
    /// assert_eq!([0.0, 0.1, 1.0].map(milliseconds), [106.0, 35.0, 9.0]);
    /// ```
    pub fn latency(&self, speed: f64, step: f64) -> f64 {
        let cutoff = self.beta * speed.abs();
        // Solves the quadratic a τ² + b τ = 1.
        let (a, b) = (TAU * cutoff / step, TAU * (self.min_cutoff + cutoff));
        2.0 / (b + (b * b + 4.0 * a).sqrt())
    }

    /// Returns the smoothing factor α for a time step in seconds and a speed in units per second.
    fn alpha(&self, seconds: f64, speed: f64) -> f64 {
        alpha(self.min_cutoff + self.beta * speed, seconds)
    }
}

/// Describes the latency of smoothed rotations at 60 Hz in one line.
pub fn describe_smoothing(smoothing: &Smoothing) -> String {
    let milliseconds = |degrees: f64| smoothing.latency(degrees.to_radians(), 1.0 / 60.0) * 1e3;
    let (rest, slow, fast) = (milliseconds(0.0), milliseconds(45.0), milliseconds(180.0));
    let cutoff = smoothing.min_cutoff;
    format!(
        "Smoothed by {cutoff} Hz: {rest:.0} ms late at rest, {slow:.0} ms at 45°/s, {fast:.0} ms at 180°/s"
    )
}

/// Returns the smoothing factor α of a low-pass filter with a cutoff in hertz, for a time step in seconds.
fn alpha(cutoff: f64, seconds: f64) -> f64 {
    1.0 / (1.0 + 1.0 / (TAU * cutoff.max(0.0) * seconds))
}

/// The state of a filter: the last filtered value, its time and its rate of change.
#[derive(Clone, Copy, Debug)]
struct FilterState<V> {
    time: f64,
    value: V,
    rate: DVec3,
}

impl<V> FilterState<V> {
    /// Returns the seconds since the last sample, or `None` if time has not advanced by at least a microsecond.
    fn step(&self, time: f64) -> Option<f64> {
        Some(time - self.time).filter(|s| *s >= 1e-6 && s.is_finite())
    }

    /// Updates the rate with the difference between a sample and the filtered value, and returns the smoothing factor
    /// α.
    fn advance(&mut self, time: f64, seconds: f64, difference: DVec3, smoothing: &Smoothing) -> f64 {
        self.time = time;
        self.rate += (difference / seconds - self.rate) * alpha(smoothing.derivative_cutoff, seconds);
        smoothing.alpha(seconds, self.rate.length())
    }
}

/// A One Euro filter for a point, or for up to three numbers in the same unit. Its cutoff depends on the magnitude of the velocity, so that
/// all directions are treated alike.
#[derive(Clone, Debug)]
pub struct PointFilter {
    smoothing: Smoothing,
    state: Option<FilterState<DVec3>>,
}

impl PointFilter {
    /// Creates a filter without samples.
    pub fn new(smoothing: Smoothing) -> Self {
        Self { smoothing, state: None }
    }

    /// Adds a sample at a time in seconds, and returns the filtered value. The first sample passes through
    /// unchanged. A sample is ignored if it is not finite or its time is not after the time of the last sample. The
    /// last value is then returned again, or `None` if there has been no valid sample yet.
    pub fn filter(&mut self, time: f64, sample: DVec3) -> Option<DVec3> {
        let is_valid = sample.is_finite() && time.is_finite();
        match &mut self.state {
            None if is_valid => self.state = Some(FilterState { time, value: sample, rate: DVec3::ZERO }),
            Some(state) if is_valid => {
                if let Some(seconds) = state.step(time) {
                    let difference = sample - state.value;
                    let alpha = state.advance(time, seconds, difference, &self.smoothing);
                    state.value += difference * alpha;
                }
            }
            _ => {}
        }
        self.state.map(|s| s.value)
    }

    /// Does the same as [`PointFilter::filter`] for a single number.
    pub fn scalar(&mut self, time: f64, sample: f64) -> Option<f64> {
        Some(self.filter(time, DVec3::new(sample, 0.0, 0.0))?.x)
    }
}

/// A One Euro filter for an orientation. It filters the rotation vector of the shorter rotation from the filtered
/// orientation to the sample. Speeds are in radians per second.
#[derive(Clone, Debug)]
pub struct OrientationFilter {
    smoothing: Smoothing,
    state: Option<FilterState<DQuat>>,
}

impl OrientationFilter {
    /// Creates a filter without samples.
    pub fn new(smoothing: Smoothing) -> Self {
        Self { smoothing, state: None }
    }

    /// Adds a sample at a time in seconds, and returns the filtered orientation as a unit quaternion. The rules are
    /// the same as for [`PointFilter::filter`]. Samples are normalised. A sample of length zero is ignored.
    pub fn filter(&mut self, time: f64, sample: DQuat) -> Option<DQuat> {
        let length = sample.length();
        let is_valid = length.is_finite() && length > 1e-9 && time.is_finite();
        match &mut self.state {
            None if is_valid => {
                self.state = Some(FilterState { time, value: sample / length, rate: DVec3::ZERO });
            }
            Some(state) if is_valid => {
                if let Some(seconds) = state.step(time) {
                    let turn = sample / length * state.value.conjugate();
                    let difference = if turn.w < 0.0 { -turn } else { turn }.to_scaled_axis();
                    let alpha = state.advance(time, seconds, difference, &self.smoothing);
                    state.value = (DQuat::from_scaled_axis(difference * alpha) * state.value).normalize();
                }
            }
            _ => {}
        }
        self.state.map(|s| s.value)
    }
}

/// Filters a frame of positions in place, with one filter per position. Missing positions stay missing.
///
/// ```
/// use sinew_character::capture::{PointFilter, Smoothing, smooth_positions};
/// use sinew_character::glam::Vec3;
///
/// // A sensor at rest that trembles by a millimetre.
/// let mut filters = [PointFilter::new(Smoothing::POSITIONS)];
/// let mut largest = 0.0_f32;
/// for frame in 0..120_i16 {
///     let noise = if frame % 2 == 0 { 0.001 } else { -0.001 };
///     let mut positions = [Some(Vec3::Y + Vec3::X * noise)];
///     smooth_positions(&mut filters, f64::from(frame) / 60.0, &mut positions);
///     if let Some(position) = positions[0].filter(|_| frame > 60) {
///         largest = largest.max(position.x.abs());
///     }
/// }
/// assert!(largest < 0.0003);
/// ```
pub fn smooth_positions(filters: &mut [PointFilter], time: f64, positions: &mut [Option<Vec3>]) {
    for (filter, position) in filters.iter_mut().zip(positions) {
        *position = position.and_then(|p| filter.filter(time, p.as_dvec3())).map(DVec3::as_vec3);
    }
}

/// Filters a frame of orientations in place, with one filter per orientation. Missing orientations stay missing.
pub fn smooth_orientations(filters: &mut [OrientationFilter], time: f64, orientations: &mut [Option<Quat>]) {
    for (filter, orientation) in filters.iter_mut().zip(orientations) {
        *orientation = orientation.and_then(|q| filter.filter(time, q.as_dquat())).map(DQuat::as_quat);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sinew_base::Random;

    fn vector() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-2.0..2.0_f64).prop_map(DVec3::from_array)
    }

    fn smoothing() -> impl Strategy<Value = Smoothing> {
        (0.1..10.0, 0.0..20.0, 0.1..5.0).prop_map(|(min_cutoff, beta, derivative_cutoff)| Smoothing {
            min_cutoff,
            beta,
            derivative_cutoff,
        })
    }

    proptest! {
        #[test]
        fn a_constant_signal_stays_constant(v in vector(), s in smoothing(), steps in prop::collection::vec(1e-4..0.5_f64, 1..30)) {
            let (mut points, mut turns) = (PointFilter::new(s), OrientationFilter::new(s));
            let q = DQuat::from_scaled_axis(v);
            let mut time = 0.0;
            for (i, step) in steps.iter().enumerate() {
                prop_assert_eq!(points.filter(time, v), Some(v));
                // A quaternion and its negative are the same orientation.
                let sample = if i % 2 == 0 { q } else { -q };
                prop_assert!(turns.filter(time, sample).unwrap().dot(q).abs() > 1.0 - 1e-12);
                time += step;
            }
        }

        #[test]
        fn the_lag_behind_a_ramp_is_bounded(velocity in vector(), s in smoothing(), hertz in 30.0..240.0_f64) {
            let mut filter = PointFilter::new(s);
            let mut out = DVec3::ZERO;
            let frames = (20.0 * hertz) as usize;
            for frame in 0..=frames {
                out = filter.filter(frame as f64 / hertz, velocity * (frame as f64 / hertz)).unwrap();
            }
            let lag = (velocity * (frames as f64 / hertz) - out).length();
            // In the steady state, the lag x − x̂ is τ v at the velocity v. The cutoff is then at least as high as for
            // the true speed, so the lag is at most the bound.
            let bound = velocity.length() / (TAU * (s.min_cutoff + s.beta * velocity.length()));
            prop_assert!(lag <= bound * (1.0 + 1e-6) + 1e-9, "lag {lag}, bound {bound}");
        }

        #[test]
        fn a_rotation_about_a_fixed_axis_is_filtered_like_its_angle(
            s in smoothing(),
            angles in prop::collection::vec(-1.0..1.0_f64, 2..40),
            axis in vector(),
        ) {
            prop_assume!(axis.length() > 0.1);
            let axis = axis.normalize();
            let (mut points, mut turns) = (PointFilter::new(s), OrientationFilter::new(s));
            for (i, angle) in angles.iter().enumerate() {
                // Time steps of different lengths.
                let time = i as f64 * 0.01 + (i % 3) as f64 * 0.002;
                let expected = points.scalar(time, *angle).unwrap();
                let turn = turns.filter(time, DQuat::from_axis_angle(axis, *angle)).unwrap();
                prop_assert!((turn.to_scaled_axis() - axis * expected).length() < 1e-9);
            }
        }

        #[test]
        fn arbitrary_samples_and_times_give_finite_results(samples in prop::collection::vec((any::<f64>(), any::<f64>()), 1..40)) {
            let mut filter = PointFilter::new(Smoothing::POSITIONS);
            let mut turns = OrientationFilter::new(Smoothing::ORIENTATIONS);
            filter.scalar(0.0, 1.0);
            turns.filter(0.0, DQuat::IDENTITY);
            for (time, x) in samples {
                // The squared length of larger numbers overflows. Real positions are never that large.
                let x = if x.abs() < 1e100 { x } else { f64::NAN };
                prop_assert!(filter.scalar(time, x).unwrap().is_finite());
                prop_assert!(turns.filter(time, DQuat::from_xyzw(x, 1.0, 0.0, x)).unwrap().is_normalized());
            }
        }
    }

    #[test]
    fn noise_at_rest_is_reduced_by_the_expected_factor() {
        let smoothing = Smoothing { min_cutoff: 1.0, beta: 0.0, derivative_cutoff: 1.0 };
        let (mut filter, mut random) = (PointFilter::new(smoothing), Random(1));
        // Uniform noise between −√3 and √3 has a variance of one.
        let bound = 3.0_f64.sqrt();
        let (hertz, frames) = (60.0, 200_000);
        let mut sum = 0.0;
        for frame in 0..frames {
            let out = filter.scalar(f64::from(frame) / hertz, random.range(-bound, bound)).unwrap();
            sum += if frame < 600 { 0.0 } else { out * out };
        }
        // The filter x̂ += α(x − x̂) reduces the variance of white noise to α/(2 − α) of its value.
        let alpha = alpha(1.0, 1.0 / hertz);
        let ratio = sum / f64::from(frames - 600) / (alpha / (2.0 - alpha));
        assert!((ratio - 1.0).abs() < 0.05, "variance is {ratio} times the expected one");
    }

    #[test]
    fn the_latency_is_the_measured_one() {
        let step = 1.0 / 60.0;
        for speed in [0.02, 0.1, 0.5, 1.0, 2.0] {
            let mut filter = PointFilter::new(Smoothing::POSITIONS);
            let mut lag = 0.0;
            for frame in 0..1200 {
                let time = f64::from(frame) * step;
                lag = (speed * time - filter.scalar(time, speed * time).unwrap()) / speed;
            }
            let expected = Smoothing::POSITIONS.latency(speed, step);
            println!("{speed} m/s: {:.1} ms late, expected {:.1} ms", lag * 1e3, expected * 1e3);
            assert!((lag - expected).abs() < 2e-4, "{speed} m/s: {lag} s instead of {expected} s");
        }
        for degrees in [45.0_f64, 90.0, 180.0, 360.0] {
            let (speed, mut filter) = (degrees.to_radians(), OrientationFilter::new(Smoothing::ORIENTATIONS));
            let mut lag = 0.0;
            for frame in 0..1200 {
                let time = f64::from(frame) * step;
                let sample = DQuat::from_rotation_y(speed * time);
                lag = filter.filter(time, sample).unwrap().angle_between(sample) / speed;
            }
            let expected = Smoothing::ORIENTATIONS.latency(speed, step);
            println!("{degrees}°/s: {:.1} ms late, expected {:.1} ms", lag * 1e3, expected * 1e3);
            assert!((lag - expected).abs() < 2e-4, "{degrees}°/s: {lag} s instead of {expected} s");
        }
    }

    #[test]
    fn late_samples_and_samples_that_are_not_finite_are_ignored() {
        let mut filter = PointFilter::new(Smoothing::POSITIONS);
        assert_eq!(filter.scalar(0.0, f64::NAN), None);
        assert_eq!(filter.scalar(1.0, 4.0), Some(4.0));
        assert_eq!(filter.scalar(2.0, f64::INFINITY), Some(4.0));
        assert_eq!(filter.scalar(1.0, 9.0), Some(4.0));
        assert_eq!(filter.scalar(f64::NAN, 9.0), Some(4.0));
        assert!(filter.scalar(1.1, 9.0).unwrap() > 4.0);
    }

    #[test]
    fn missing_positions_stay_missing() {
        let mut filters = vec![PointFilter::new(Smoothing::POSITIONS); 2];
        let mut frame = [Some(Vec3::ONE), None];
        smooth_positions(&mut filters, 0.0, &mut frame);
        assert_eq!(frame, [Some(Vec3::ONE), None]);
    }
}
