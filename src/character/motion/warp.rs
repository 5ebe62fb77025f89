//! Warps the time of blended clips so that their feet strike the ground together.

/// Stored in place of a foot's node if an entry in the list of strikes is the mark of a clip.
const MARK: usize = usize::MAX;

/// The foot strikes of a clip.
pub(super) struct FootStrikes {
    /// Normalized weight of the clip in the blend.
    pub(super) weight: f32,
    /// Length of the clip, in seconds.
    pub(super) seconds: f32,
    /// Whether the clip ends in the pose in which it starts.
    pub(super) cyclic: bool,
    /// Times of foot strikes in seconds, in ascending order, each with the foot's node.
    pub(super) strikes: Vec<(f32, usize)>,
}

/// A piecewise linear map from the phase of a blend to the phase of a clip, in cycles.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Warp {
    /// Pairs of a phase of the blend and the corresponding phase of the clip. Both increase, by one cycle from the
    /// first knot to the last.
    knots: Vec<(f64, f64)>,
}

impl Warp {
    /// Returns the phase of the blend for a phase of the clip.
    pub(super) fn inverse(&self, phase: f64) -> f64 {
        Self { knots: self.knots.iter().map(|&(x, y)| (y, x)).collect() }.phase(phase)
    }

    /// Returns the phase of the clip, which continues beyond one cycle.
    pub(super) fn phase(&self, phase: f64) -> f64 {
        let Some((&(first, _), &(last, _))) = self.knots.first().zip(self.knots.last()) else { return phase };
        // The end of the last segment counts as part of the same cycle, so that a clip that plays once reaches its end.
        let cycles = if (first..=last).contains(&phase) { 0.0 } else { (phase - first).floor() };
        let within = phase - cycles;
        let next = self.knots.partition_point(|(x, _)| *x <= within).clamp(1, self.knots.len() - 1);
        let ((x0, y0), (x1, y1)) = (self.knots[next - 1], self.knots[next]);
        let u = if x1 > x0 { (within - x0) / (x1 - x0) } else { 0.0 };
        cycles + y0 + (y1 - y0) * u
    }
}

/// Computes a warp for each clip of a blend. If the steps of the clips do not correspond, time is scaled uniformly.
///
/// The method follows Kovar & Gleicher 2003, "Flexible automatic motion blending with registration curves", but matches
/// foot strikes instead of searching for a time alignment.
pub(super) fn warps(clips: &[FootStrikes]) -> Vec<Warp> {
    let uniform = || clips.iter().map(|_| Warp::default()).collect();
    let Some((_, foot)) = clips.first().and_then(|c| c.strikes.first().copied()) else { return uniform() };
    if clips.len() < 2 {
        return uniform();
    }
    let cyclic = clips.iter().all(|c| c.cyclic);
    let Some(marks) = clips.iter().map(|c| marks(c, foot, cyclic)).collect::<Option<Vec<_>>>() else {
        return uniform();
    };
    let feet = |m: &[(f64, usize)]| m.iter().map(|(_, foot)| *foot).collect::<Vec<_>>();
    if marks.iter().any(|m| feet(m) != feet(&marks[0])) {
        return uniform();
    }
    // Phase of the first strike in each clip, shifted by whole cycles so that it is as near as possible to the phase
    // in the first clip.
    let nearest = |phase: f64, to: f64| if cyclic { phase - (phase - to).round() } else { phase };
    let starts: Vec<f64> = marks.iter().map(|m| nearest(m[0].0, marks[0][0].0)).collect();
    let mean = |value: &dyn Fn(usize) -> f64| -> f64 {
        (0..clips.len()).map(|k| f64::from(clips[k].weight) * value(k)).sum()
    };
    let warp = |k: usize| {
        let pair = |i: usize| {
            let common = mean(&|k| starts[k] + marks[k][i].0 - marks[k][0].0);
            (common, starts[k] + marks[k][i].0 - marks[k][0].0)
        };
        let mut knots: Vec<(f64, f64)> = (0..marks[k].len()).map(pair).collect();
        if cyclic {
            let (x, y) = knots[0];
            knots.push((x + 1.0, y + 1.0));
        } else {
            knots.insert(0, (0.0, 0.0));
            knots.push((1.0, 1.0));
        }
        Warp { knots }
    };
    (0..clips.len()).map(warp).collect()
}

/// Like [`warps`], but for clips that have one mark each. `marks` contains the times of the marks in clip seconds. If the strikes do not
/// correspond, only the marks coincide.
pub(super) fn warps_with_marks(mut clips: Vec<FootStrikes>, marks: &[f32]) -> Vec<Warp> {
    for (clip, &mark) in clips.iter_mut().zip(marks) {
        clip.strikes.push((mark.clamp(0.0, clip.seconds), MARK));
        clip.strikes.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    let found = warps(&clips);
    if clips.len() < 2 || found.iter().all(|warp| *warp != Warp::default()) {
        return found;
    }
    clips.iter_mut().for_each(|clip| clip.strikes.retain(|(_, foot)| *foot == MARK));
    warps(&clips)
}

/// Returns the phases of a clip's foot strikes. For a cyclic clip, the list starts with the first strike of `foot` and
/// spans one cycle.
fn marks(clip: &FootStrikes, foot: usize, cyclic: bool) -> Option<Vec<(f64, usize)>> {
    let phase = |t: f32| f64::from(t) / f64::from(clip.seconds);
    let mut marks: Vec<(f64, usize)> = clip.strikes.iter().map(|&(t, f)| (phase(t), f)).collect();
    if cyclic {
        let first = marks.iter().position(|(_, f)| *f == foot)?;
        marks.rotate_left(first);
        let start = marks[0].0;
        marks.iter_mut().for_each(|m| m.0 += if m.0 < start { 1.0 } else { 0.0 });
    }
    (!marks.is_empty() && clip.seconds > 0.0).then_some(marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(weight: f32, seconds: f32, cyclic: bool, strikes: &[(f32, usize)]) -> FootStrikes {
        FootStrikes { weight, seconds, cyclic, strikes: strikes.to_vec() }
    }

    #[test]
    fn feet_strike_together() {
        let walk = steps(0.5, 1.0, true, &[(0.1, 0), (0.6, 1)]);
        let run = steps(0.5, 0.6, true, &[(0.12, 1), (0.42, 0)]);
        let both = warps(&[walk, run]);
        // At the phase of the walk's left strike, the run must be at its left strike too.
        let at = (0..1000).map(|i| f64::from(i) / 1000.0);
        let left = at.min_by(|a, b| {
            let off = |p: f64| (both[0].phase(p).rem_euclid(1.0) - 0.1).abs();
            off(*a).total_cmp(&off(*b))
        });
        let run_phase = both[1].phase(left.unwrap_or_default()).rem_euclid(1.0);
        assert!((run_phase - 0.7).abs() < 2e-3, "{run_phase}");
    }

    #[test]
    fn the_phase_increases_through_cycles() {
        let both = warps(&[
            steps(0.3, 1.0, true, &[(0.7, 0), (0.9, 1)]),
            steps(0.7, 2.0, true, &[(0.2, 0), (1.4, 1)]),
        ]);
        for warp in both {
            let phases: Vec<f64> = (-200..200).map(|i| warp.phase(f64::from(i) / 100.0)).collect();
            assert!(phases.windows(2).all(|w| w[1] > w[0] && w[1] - w[0] < 0.1));
            assert!((warp.phase(1.3) - warp.phase(0.3) - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn steps_that_do_not_correspond_scale_time_uniformly() {
        let both = warps(&[steps(0.5, 1.0, true, &[(0.1, 0)]), steps(0.5, 1.0, true, &[])]);
        assert_eq!(both, vec![Warp::default(); 2]);
    }

    #[test]
    fn marks_coincide_with_and_without_strikes() {
        for strikes in [&[][..], &[(0.3, 0)], &[(0.3, 0), (0.9, 1)]] {
            let (a, b) = (steps(0.25, 1.0, false, &[(0.3, 0)]), steps(0.75, 2.0, false, strikes));
            let both = warps_with_marks(vec![a, b], &[0.5, 1.6]);
            let common = both[0].inverse(0.5);
            assert!((common - (0.25 * 0.5 + 0.75 * 0.8)).abs() < 1e-6, "{strikes:?}: {common}");
            assert!((both[1].phase(common) - 0.8).abs() < 1e-6, "{strikes:?}");
        }
    }

    #[test]
    fn clips_that_are_not_cyclic_keep_their_ends() {
        let both = warps(&[steps(0.5, 1.0, false, &[(0.2, 0)]), steps(0.5, 1.0, false, &[(0.8, 0)])]);
        for warp in &both {
            assert_eq!((warp.phase(0.0), warp.phase(1.0)), (0.0, 1.0));
        }
        assert!((both[0].phase(0.5) - 0.2).abs() < 1e-6 && (both[1].phase(0.5) - 0.8).abs() < 1e-6);
    }
}
