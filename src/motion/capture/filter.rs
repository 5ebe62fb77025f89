//! Noise taken out of what a sensor says, with little lag: the One Euro filter.
//!
//! A low-pass filter whose cutoff grows with the speed of the signal: at rest, where one sees noise, it smooths; in fast
//! motion, where one feels lag, it lets pass (Casiez, Roussel & Vogel 2012, "1€ filter: a simple speed-based low-pass filter
//! for noisy input in interactive systems"). With the time step T and a cutoff f:
//!
//! ```text
//! α(f) = 1 / (1 + τ/T),  τ = 1 / (2π f)
//! ẋ = ẋ₋ + α(f_d) ((x − x̂₋)/T − ẋ₋)
//! x̂ = x̂₋ + α(f_min + β|ẋ|) (x − x̂₋)
//! ```

use std::f64::consts::TAU;

use glam::{DQuat, DVec3, Quat, Vec3};

/// How much is smoothed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothing {
    /// Cutoff at rest, hertz. Lower: less jitter, more lag in slow motion.
    pub min_cutoff: f64,
    /// What the cutoff gains with speed: hertz a unit a second. Higher: less lag in fast motion.
    pub beta: f64,
    /// Cutoff of the speed itself, hertz.
    pub derivative_cutoff: f64,
}

impl Smoothing {
    /// For positions in metres: a hand at 1 m/s passes at 11.5 Hz, so that it is at most 16 mm behind.
    pub const POSITIONS: Self = Self { min_cutoff: 1.5, beta: 10.0, derivative_cutoff: 1.0 };
    /// For orientations, whose speed is in radians a second: at 180° a second the cutoff is 11 Hz.
    pub const ORIENTATIONS: Self = Self { min_cutoff: 1.5, beta: 3.0, derivative_cutoff: 1.0 };

    /// The share of the way to a new sample after some seconds, at a speed.
    fn share(&self, seconds: f64, speed: f64) -> f64 {
        share(self.min_cutoff + self.beta * speed, seconds)
    }
}

/// α of the low-pass filter with a cutoff in hertz.
fn share(cutoff: f64, seconds: f64) -> f64 {
    1.0 / (1.0 + 1.0 / (TAU * cutoff.max(0.0) * seconds))
}

/// What a filter remembers: a filtered value, its rate of change and when that was.
#[derive(Clone, Copy, Debug)]
struct State<V> {
    time: f64,
    value: V,
    rate: DVec3,
}

impl<V> State<V> {
    /// Seconds since then; `None` where time does not advance, or by less than a speed can be told from.
    fn step(&self, time: f64) -> Option<f64> {
        Some(time - self.time).filter(|s| *s >= 1e-6 && s.is_finite())
    }

    /// Takes the difference between a sample and the filtered value into the rate; gives the share of it to go.
    fn advance(&mut self, time: f64, seconds: f64, difference: DVec3, smoothing: &Smoothing) -> f64 {
        self.time = time;
        self.rate += (difference / seconds - self.rate) * share(smoothing.derivative_cutoff, seconds);
        smoothing.share(seconds, self.rate.length())
    }
}

/// A filter of a point, or of anything up to three numbers in one unit. Its cutoff follows the length of the velocity, so that it treats
/// all directions alike.
#[derive(Clone, Debug)]
pub struct PointFilter {
    smoothing: Smoothing,
    state: Option<State<DVec3>>,
}

impl PointFilter {
    /// A filter that has seen nothing.
    pub fn new(smoothing: Smoothing) -> Self {
        Self { smoothing, state: None }
    }

    /// The filtered value at a time in seconds. The first sample passes through. A sample that is not finite, or whose time is not
    /// after the last one's, changes nothing: the last value comes again; `None`, if there is none yet.
    pub fn filter(&mut self, time: f64, sample: DVec3) -> Option<DVec3> {
        let fine = sample.is_finite() && time.is_finite();
        match &mut self.state {
            None if fine => self.state = Some(State { time, value: sample, rate: DVec3::ZERO }),
            Some(state) if fine => {
                if let Some(seconds) = state.step(time) {
                    let difference = sample - state.value;
                    let share = state.advance(time, seconds, difference, &self.smoothing);
                    state.value += difference * share;
                }
            }
            _ => {}
        }
        self.state.map(|s| s.value)
    }

    /// The same for one number.
    pub fn scalar(&mut self, time: f64, sample: f64) -> Option<f64> {
        Some(self.filter(time, DVec3::new(sample, 0.0, 0.0))?.x)
    }
}

/// A filter of an orientation. It works on the rotation vector from the filtered orientation to the sample, the shorter way; speeds are
/// in radians a second.
#[derive(Clone, Debug)]
pub struct OrientationFilter {
    smoothing: Smoothing,
    state: Option<State<DQuat>>,
}

impl OrientationFilter {
    /// A filter that has seen nothing.
    pub fn new(smoothing: Smoothing) -> Self {
        Self { smoothing, state: None }
    }

    /// The filtered orientation at a time in seconds, a unit quaternion; the rules are those of [`PointFilter::filter`]. A quaternion of
    /// no length counts as not finite, any other is normalised.
    pub fn filter(&mut self, time: f64, sample: DQuat) -> Option<DQuat> {
        let length = sample.length();
        let fine = length.is_finite() && length > 1e-9 && time.is_finite();
        match &mut self.state {
            None if fine => self.state = Some(State { time, value: sample / length, rate: DVec3::ZERO }),
            Some(state) if fine => {
                if let Some(seconds) = state.step(time) {
                    let turn = sample / length * state.value.conjugate();
                    let difference = if turn.w < 0.0 { -turn } else { turn }.to_scaled_axis();
                    let share = state.advance(time, seconds, difference, &self.smoothing);
                    state.value = (DQuat::from_scaled_axis(difference * share) * state.value).normalize();
                }
            }
            _ => {}
        }
        self.state.map(|s| s.value)
    }
}

/// Filters a frame of positions in place, one filter a place; what is missing stays missing.
pub fn smooth_positions(filters: &mut [PointFilter], time: f64, positions: &mut [Option<Vec3>]) {
    for (filter, position) in filters.iter_mut().zip(positions) {
        *position = position.and_then(|p| filter.filter(time, p.as_dvec3())).map(DVec3::as_vec3);
    }
}

/// Filters a frame of orientations in place, one filter a place; what is missing stays missing.
pub fn smooth_orientations(filters: &mut [OrientationFilter], time: f64, orientations: &mut [Option<Quat>]) {
    for (filter, orientation) in filters.iter_mut().zip(orientations) {
        *orientation = orientation.and_then(|q| filter.filter(time, q.as_dquat())).map(DQuat::as_quat);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    /// Evenly spread over ±√3, so that the variance is one.
    fn noise() -> impl FnMut() -> f64 {
        let mut state = 1_u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as f64 / (1_u64 << 31) as f64 * 2.0 - 1.0) * 3.0_f64.sqrt()
        }
    }

    proptest! {
        #[test]
        fn what_is_constant_stays_so(v in vector(), s in smoothing(), steps in prop::collection::vec(1e-4..0.5_f64, 1..30)) {
            let (mut points, mut turns) = (PointFilter::new(s), OrientationFilter::new(s));
            let q = DQuat::from_scaled_axis(v);
            let mut time = 0.0;
            for (i, step) in steps.iter().enumerate() {
                prop_assert_eq!(points.filter(time, v), Some(v));
                // A quaternion and its opposite are one orientation.
                let sample = if i % 2 == 0 { q } else { -q };
                prop_assert!(turns.filter(time, sample).unwrap().dot(q).abs() > 1.0 - 1e-12);
                time += step;
            }
        }

        #[test]
        fn a_ramp_is_followed_within_its_bound(velocity in vector(), s in smoothing(), hertz in 30.0..240.0_f64) {
            let mut filter = PointFilter::new(s);
            let mut out = DVec3::ZERO;
            let frames = (20.0 * hertz) as usize;
            for frame in 0..=frames {
                out = filter.filter(frame as f64 / hertz, velocity * (frame as f64 / hertz)).unwrap();
            }
            let lag = (velocity * (frames as f64 / hertz) - out).length();
            // In the steady state x − x̂ = τ v, and the cutoff is at least that of the true speed.
            let bound = velocity.length() / (TAU * (s.min_cutoff + s.beta * velocity.length()));
            prop_assert!(lag <= bound * (1.0 + 1e-6) + 1e-9, "{lag} of {bound}");
        }

        #[test]
        fn an_orientation_about_one_axis_is_filtered_as_its_angle(
            s in smoothing(),
            angles in prop::collection::vec(-1.0..1.0_f64, 2..40),
            axis in vector(),
        ) {
            prop_assume!(axis.length() > 0.1);
            let axis = axis.normalize();
            let (mut points, mut turns) = (PointFilter::new(s), OrientationFilter::new(s));
            for (i, angle) in angles.iter().enumerate() {
                // Uneven steps.
                let time = i as f64 * 0.01 + (i % 3) as f64 * 0.002;
                let expected = points.scalar(time, *angle).unwrap();
                let turn = turns.filter(time, DQuat::from_axis_angle(axis, *angle)).unwrap();
                prop_assert!((turn.to_scaled_axis() - axis * expected).length() < 1e-9);
            }
        }

        #[test]
        fn any_numbers_at_any_times_leave_it_finite(samples in prop::collection::vec((any::<f64>(), any::<f64>()), 1..40)) {
            let mut filter = PointFilter::new(Smoothing::POSITIONS);
            let mut turns = OrientationFilter::new(Smoothing::ORIENTATIONS);
            filter.scalar(0.0, 1.0);
            turns.filter(0.0, DQuat::IDENTITY);
            for (time, x) in samples {
                // Beyond the range of squares lengths overflow: positions are not there.
                let x = if x.abs() < 1e100 { x } else { f64::NAN };
                prop_assert!(filter.scalar(time, x).unwrap().is_finite());
                prop_assert!(turns.filter(time, DQuat::from_xyzw(x, 1.0, 0.0, x)).unwrap().is_normalized());
            }
        }
    }

    #[test]
    fn still_noise_shrinks_by_the_filters_factor() {
        let smoothing = Smoothing { min_cutoff: 1.0, beta: 0.0, derivative_cutoff: 1.0 };
        let (mut filter, mut noise) = (PointFilter::new(smoothing), noise());
        let (hertz, frames) = (60.0, 200_000);
        let mut sum = 0.0;
        for frame in 0..frames {
            let out = filter.scalar(f64::from(frame) / hertz, noise()).unwrap();
            sum += if frame < 600 { 0.0 } else { out * out };
        }
        // White noise through x̂ += α(x − x̂) keeps α/(2 − α) of its variance.
        let alpha = share(1.0, 1.0 / hertz);
        let ratio = sum / f64::from(frames - 600) / (alpha / (2.0 - alpha));
        assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
    }

    #[test]
    fn what_is_no_number_or_comes_late_changes_nothing() {
        let mut filter = PointFilter::new(Smoothing::POSITIONS);
        assert_eq!(filter.scalar(0.0, f64::NAN), None);
        assert_eq!(filter.scalar(1.0, 4.0), Some(4.0));
        assert_eq!(filter.scalar(2.0, f64::INFINITY), Some(4.0));
        assert_eq!(filter.scalar(1.0, 9.0), Some(4.0));
        assert_eq!(filter.scalar(f64::NAN, 9.0), Some(4.0));
        assert!(filter.scalar(1.1, 9.0).unwrap() > 4.0);
    }

    #[test]
    fn missing_places_stay_missing() {
        let mut filters = vec![PointFilter::new(Smoothing::POSITIONS); 2];
        let mut frame = [Some(Vec3::ONE), None];
        smooth_positions(&mut filters, 0.0, &mut frame);
        assert_eq!(frame, [Some(Vec3::ONE), None]);
    }
}
