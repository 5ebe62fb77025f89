//! Removes noise from recorded sensor values without lag.
//!
//! A second-order Butterworth filter runs over the values twice, forwards and backwards, so that the second pass cancels the lag of the
//! first (Winter 2009, "Biomechanics and Motor Control of Human Movement", section 3.4.4.2). The filter needs the values before and after a
//! sample, so it works only on recordings.
//!
//! K is tan(π f_c / f_s) / C, and f_s is the sampling rate. C = (√2 − 1)^¼ ≈ 0.802 makes f_c the cutoff of both passes together.
//!
//! ```text
//! b₀ = K² / (1 + √2 K + K²)          y = b₀ (x + 2 x₋₁ + x₋₂) − a₁ y₋₁ − a₂ y₋₂
//! a₁ = 2 b₀ (1 − 1/K²)
//! a₂ = (1 − √2 K + K²) / (1 + √2 K + K²)
//! ```

use std::f64::consts::{PI, SQRT_2};

use glam::{DQuat, DVec3, DVec4};

use super::Take;

/// Samples that are further apart than this many steps are filtered separately.
const MAX_STEPS: f64 = 6.0;
/// Maximum deviation of a step from the median step, as a fraction of the median step. If a step deviates more, the values are first
/// interpolated at equal steps.
const STEP_TOLERANCE: f64 = 0.01;
/// Minimum length of a run of samples that is filtered.
const MIN_SAMPLES: usize = 4;

/// The coefficients of a second-order Butterworth low-pass filter, for one of two passes.
#[derive(Clone, Copy, Debug)]
struct Butterworth {
    b0: f64,
    a1: f64,
    a2: f64,
    /// Number of samples by which a run is extended at both ends.
    padding: usize,
}

impl Butterworth {
    /// Returns `None` if the rate is too low for the cutoff, so that there is nothing to remove. Rate and cutoff are in hertz.
    fn new(cutoff: f64, rate: f64) -> Option<Self> {
        if !(cutoff > 0.0 && rate.is_finite() && cutoff < 0.5 * rate) {
            return None;
        }
        let k = (PI * cutoff / rate).tan() / (SQRT_2 - 1.0).powf(0.25);
        let denominator = 1.0 + SQRT_2 * k + k * k;
        let b0 = k * k / denominator;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded")]
        let padding = (2.0 * rate / cutoff).ceil().min(1e6) as usize;
        Some(Self {
            b0,
            a1: 2.0 * (k * k - 1.0) / denominator,
            a2: (1.0 - SQRT_2 * k + k * k) / denominator,
            padding,
        })
    }

    /// Filters the values once, as if all earlier values had been equal to the first.
    fn pass(&self, values: impl Iterator<Item = DVec4>) -> Vec<DVec4> {
        let mut values = values.peekable();
        let first = values.peek().copied().unwrap_or_default();
        let (mut x1, mut x2, mut y1, mut y2) = (first, first, first, first);
        values
            .map(|x| {
                let y = self.b0 * (x + 2.0 * x1 + x2) - self.a1 * y1 - self.a2 * y2;
                (x2, x1, y2, y1) = (x1, x, y1, y);
                y
            })
            .collect()
    }

    /// Filters values at equal steps in both directions. The line from the first to the last value is preserved. At both ends,
    /// the difference from the line is continued by its point reflection, so that a motion does not seem to stop there.
    fn both_ways(&self, values: &mut [DVec4]) {
        let (Some(&first), Some(&last)) = (values.first(), values.last()) else { return };
        #[expect(clippy::cast_precision_loss, reason = "a number of frames")]
        let line = move |i: usize, count: usize| first.lerp(last, i as f64 / (count - 1).max(1) as f64);
        let count = values.len();
        values.iter_mut().enumerate().for_each(|(i, value)| *value -= line(i, count));
        let padding = self.padding.min(count - 1);
        let before = values.iter().skip(1).take(padding).rev().map(|v| -*v);
        let after = values.iter().rev().skip(1).take(padding).map(|v| -*v);
        let forwards = self.pass(before.chain(values.iter().copied()).chain(after));
        let backwards = self.pass(forwards.into_iter().rev());
        for (i, (value, out)) in values.iter_mut().zip(backwards.into_iter().rev().skip(padding)).enumerate()
        {
            *value = out + line(i, count);
        }
    }
}

impl Take {
    /// Removes frequencies above a cutoff in hertz from the positions and the orientations, without lag. Missing values stay
    /// missing, but a gap of fewer than six frames does not interrupt the filter.
    ///
    /// At the cutoff, amplitudes are multiplied by 0.71. For motion capture of people, a common cutoff is 6 Hz, or 10 to 15 Hz for fast
    /// motion. A cutoff of half the frame rate or more changes nothing. The frames need not be evenly spaced.
    ///
    /// ```
    /// # use std::path::Path;
    /// use sinew_character::capture::parse_csv;
    ///
    /// // A marker that moves at 1 m/s and trembles by 2 mm.
    /// let line = |i: i32| format!("{},{},0,0\n", f64::from(i) / 100.0, f64::from(i) / 100.0 + 0.002 * f64::from(i % 2));
    /// let text = "time,hand.x,hand.y,hand.z\n".to_owned() + &(0..100).map(line).collect::<String>();
    /// let mut take = parse_csv(Path::new("hand.csv"), &text)?;
    /// take.smooth(6.0);
    /// let x = take.positions.frames.get(50).and_then(|frame| frame[0]).ok_or("missing")?.x;
    /// assert!((x - 0.501).abs() < 0.0001);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn smooth(&mut self, cutoff: f64) {
        for column in 0..self.positions.joints.len() {
            let samples = samples(&self.times, |frame| {
                let value = self.positions.frames.get(frame)?.get(column).copied().flatten()?;
                Some(value.as_dvec3().extend(0.0))
            });
            for (frame, value) in filtered(&samples, cutoff) {
                if let Some(out) = self.positions.frames.get_mut(frame).and_then(|f| f.get_mut(column)) {
                    *out = Some(DVec3::new(value.x, value.y, value.z).as_vec3());
                }
            }
        }
        for column in 0..self.orientations.joints.len() {
            // A quaternion and its negative describe the same orientation. The filter needs whichever is nearer to the previous sample.
            let mut previous = DQuat::IDENTITY;
            let samples = samples(&self.times, |frame| {
                let value = self.orientations.frames.get(frame)?.get(column).copied().flatten()?.as_dquat();
                let length = value.length();
                previous = if value.dot(previous) < 0.0 { -value / length } else { value / length };
                Some(DVec4::from(previous))
            });
            for (frame, value) in filtered(&samples, cutoff) {
                if let Some(out) = self.orientations.frames.get_mut(frame).and_then(|f| f.get_mut(column)) {
                    let value = DQuat::from_vec4(value).normalize().as_quat();
                    *out = if value.is_finite() { Some(value) } else { *out };
                }
            }
        }
    }
}

/// A measured value, with its frame and its time.
#[derive(Clone, Copy, Debug)]
struct Sample {
    frame: usize,
    time: f64,
    value: DVec4,
}

/// Collects the finite values of a track, at increasing times.
fn samples(times: &[f64], mut value: impl FnMut(usize) -> Option<DVec4>) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::new();
    for (frame, &time) in times.iter().enumerate() {
        let follows = samples.last().is_none_or(|last| time > last.time);
        if let Some(value) = value(frame).filter(|v| v.is_finite() && time.is_finite() && follows) {
            samples.push(Sample { frame, time, value });
        }
    }
    samples
}

/// Returns the filtered values with their frames. Frames of runs that are too short are left out.
fn filtered(samples: &[Sample], cutoff: f64) -> Vec<(usize, DVec4)> {
    let mut steps: Vec<f64> = samples.windows(2).map(|w| w[1].time - w[0].time).collect();
    if steps.is_empty() {
        return Vec::new();
    }
    let middle = steps.len() / 2;
    let step = *steps.select_nth_unstable_by(middle, f64::total_cmp).1;
    let Some(filter) = Butterworth::new(cutoff, 1.0 / step) else { return Vec::new() };
    let runs = samples.chunk_by(|a, b| b.time - a.time <= MAX_STEPS * step);
    runs.filter(|run| run.len() >= MIN_SAMPLES).flat_map(|run| filter_run(run, step, &filter)).collect()
}

fn filter_run(run: &[Sample], step: f64, filter: &Butterworth) -> Vec<(usize, DVec4)> {
    let is_even = run.windows(2).all(|w| (w[1].time - w[0].time - step).abs() <= STEP_TOLERANCE * step);
    if is_even {
        let mut values: Vec<DVec4> = run.iter().map(|s| s.value).collect();
        filter.both_ways(&mut values);
        return run.iter().zip(values).map(|(s, value)| (s.frame, value)).collect();
    }
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return Vec::new() };
    // No step of the run is longer than `MAX_STEPS` median steps, so there are at most that many values for each sample.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bounded by the length of the run"
    )]
    let count = ((last.time - first.time) / step).round().max(1.0) as usize;
    #[expect(clippy::cast_precision_loss, reason = "bounded by the length of the run")]
    let even_step = (last.time - first.time) / count as f64;
    let mut next = 1;
    let mut values: Vec<DVec4> = (0..=count)
        .map(|i| {
            #[expect(clippy::cast_precision_loss, reason = "bounded by the length of the run")]
            let time = first.time + i as f64 * even_step;
            while next + 1 < run.len() && run[next].time < time {
                next += 1;
            }
            let (a, b) = (run[next - 1], run[next]);
            a.value.lerp(b.value, ((time - a.time) / (b.time - a.time)).clamp(0.0, 1.0))
        })
        .collect();
    filter.both_ways(&mut values);
    let at = |time: f64| {
        let position = ((time - first.time) / even_step).max(0.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the count")]
        let index = (position as usize).min(count - 1);
        #[expect(clippy::cast_precision_loss, reason = "bounded by the length of the run")]
        let part = (position - index as f64).clamp(0.0, 1.0);
        values[index].lerp(values[index + 1], part)
    };
    run.iter().map(|s| (s.frame, at(s.time))).collect()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use glam::{Quat, Vec3};
    use proptest::prelude::*;

    use super::*;
    use crate::capture::{Frames, Tracks};
    use sinew_base::Random;

    fn take(times: Vec<f64>, value: impl Fn(f64) -> Option<Vec3>) -> Take {
        let frames = Frames::of(1, times.iter().map(|&t| vec![value(t)]));
        Take { times, positions: Tracks { joints: vec!["a".into()], frames }, ..Take::default() }
    }

    fn times(count: usize, rate: f64) -> Vec<f64> {
        (0..count).map(|i| i as f64 / rate).collect()
    }

    fn x(take: &Take, frame: usize) -> f64 {
        take.positions.frames.get(frame).unwrap()[0].map_or(f64::NAN, |p| f64::from(p.x))
    }

    /// Returns the filter's gain and its delay in seconds for a sine wave. They follow from the wave's correlation with sine and cosine
    /// over whole periods in the middle of the take.
    fn response(take: &Take, hertz: f64) -> (f64, f64) {
        let rate = 1.0 / (take.times[1] - take.times[0]);
        let middle = take.times.len() / 4..take.times.len() * 3 / 4;
        let period = rate / hertz;
        let count = ((middle.len() as f64 / period).floor() * period).round() as usize;
        let (mut sine, mut cosine) = (0.0, 0.0);
        for frame in middle.start..middle.start + count {
            let phase = TAU * hertz * take.times[frame];
            sine += x(take, frame) * phase.sin();
            cosine += x(take, frame) * phase.cos();
        }
        let gain = 2.0 * sine.hypot(cosine) / count as f64;
        (gain, -cosine.atan2(sine) / (TAU * hertz))
    }

    #[test]
    fn the_cutoff_is_that_of_both_passes_and_nothing_is_delayed() {
        for (hertz, least, most) in
            [(0.5, 0.999, 1.0), (2.0, 0.985, 1.0), (6.0, 0.69, 0.725), (12.0, 0.0, 0.13), (24.0, 0.0, 0.01)]
        {
            let mut take = take(times(1200, 120.0), |t| Some(Vec3::X * (TAU * hertz * t).sin() as f32));
            take.smooth(6.0);
            let (gain, delay) = response(&take, hertz);
            println!("{hertz} Hz: gain {gain:.4}, delay {:.4} ms", delay * 1e3);
            assert!((least..=most + 1e-3).contains(&gain), "gain {gain} at {hertz} Hz");
            assert!(gain < 0.01 || delay.abs() < 1e-4, "delay {delay} s at {hertz} Hz");
        }
    }

    #[test]
    fn uneven_times_and_gaps_do_not_delay_either() {
        let uneven: Vec<f64> =
            (0..1200).map(|i| f64::from(i) / 120.0 + 0.003 * (f64::from(i) * 0.7).sin()).collect();
        let missing = |t: f64| (t * 3.1).fract() < 0.05;
        let value = |t: f64| (TAU * 1.5 * t).sin() * 0.3;
        let mut take = take(uneven.clone(), |t| (!missing(t)).then(|| Vec3::X * value(t) as f32));
        take.smooth(6.0);
        let mut largest: f64 = 0.0;
        for (frame, &time) in uneven.iter().enumerate() {
            assert_eq!(x(&take, frame).is_nan(), missing(time), "missing values stay missing");
            if !missing(time) && (1.0..9.0).contains(&time) {
                largest = largest.max((x(&take, frame) - value(time)).abs());
            }
        }
        assert!(largest < 0.006, "the largest error is {largest} m");
    }

    #[test]
    fn noise_is_reduced() {
        let mut random = Random(1);
        let values: Vec<f32> = (0..4000).map(|_| random.range_f32(-1.0, 1.0)).collect();
        let at = |t: f64| values[(t * 120.0).round() as usize];
        let mut take = take(times(4000, 120.0), |t| Some(Vec3::X * at(t)));
        take.smooth(6.0);
        let sum = |value: &dyn Fn(usize) -> f64| (0..4000).map(|i| value(i).powi(2)).sum::<f64>();
        let ratio = (sum(&|i| x(&take, i)) / sum(&|i| f64::from(values[i]))).sqrt();
        println!("white noise at 120 Hz is reduced to {ratio:.3} of its amplitude");
        // The noise bandwidth of the two passes is about the cutoff of 6 Hz. The take's noise extends to 60 Hz: √(6/60) = 0.32.
        assert!((0.27..0.35).contains(&ratio), "{ratio}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn lines_are_unchanged(a in -5.0..5.0_f32, b in -5.0..5.0_f32, count in 2..80_usize, rate in 10.0..240.0_f64, cutoff in 0.1..200.0_f64) {
            let line = |t: f64| Vec3::new(a + b * t as f32, a, b);
            let mut take = take(times(count, rate), |t| Some(line(t)));
            take.smooth(cutoff);
            for (frame, &time) in take.times.iter().enumerate() {
                let out = take.positions.frames.get(frame).unwrap()[0].unwrap();
                prop_assert!(out.distance(line(time)) < 1e-4 * (1.0 + line(time).length()), "{} instead of {}", out, line(time));
            }
        }

        #[test]
        fn arbitrary_times_and_values_give_finite_values(
            values in prop::collection::vec((any::<f64>(), prop::option::of(-1e6..1e6_f32)), 0..40),
            cutoff in any::<f64>(),
        ) {
            let (times, points): (Vec<f64>, Vec<_>) = values.into_iter().unzip();
            let frames = Frames::of(1, points.iter().map(|p| vec![p.map(Vec3::splat)]));
            let turns = Frames::of(1, points.iter().map(|p| vec![p.map(Quat::from_rotation_x)]));
            let mut take = Take {
                times,
                positions: Tracks { joints: vec!["a".into()], frames },
                orientations: Tracks { joints: vec!["a".into()], frames: turns },
            };
            take.smooth(cutoff);
            for (frame, point) in points.iter().enumerate() {
                let out = take.positions.frames.get(frame).unwrap()[0];
                prop_assert_eq!(out.is_some(), point.is_some());
                prop_assert!(out.is_none_or(Vec3::is_finite));
                let turn = take.orientations.frames.get(frame).unwrap()[0];
                prop_assert!(turn.is_none_or(Quat::is_normalized));
            }
        }
    }

    #[test]
    fn orientations_are_filtered_across_the_sign_of_their_quaternions() {
        let times = times(240, 120.0);
        let angle = |t: f64| (2.0 * t) as f32;
        let turn = |(i, t): (usize, &f64)| {
            let q = Quat::from_rotation_y(angle(*t));
            vec![Some(if i % 3 == 0 { -q } else { q })]
        };
        let frames = Frames::of(1, times.iter().enumerate().map(turn));
        let orientations = Tracks { joints: vec!["a".into()], frames };
        let mut take = Take { times, orientations, ..Take::default() };
        take.smooth(6.0);
        for (frame, time) in take.times.iter().enumerate().skip(20).take(200) {
            let out = take.orientations.frames.get(frame).unwrap()[0].unwrap();
            assert!(out.angle_between(Quat::from_rotation_y(angle(*time))) < 2e-3, "frame {frame}");
        }
    }
}
