//! Finds runs of frames and peaks in samples.

use std::ops::RangeInclusive;

/// Returns the runs of successive indices that meet a condition. Runs with at most `gap` indices between them are
/// merged.
pub fn runs(count: usize, gap: usize, is_met: impl Fn(usize) -> bool) -> Vec<RangeInclusive<usize>> {
    let mut runs: Vec<RangeInclusive<usize>> = Vec::new();
    for i in (0..count).filter(|i| is_met(*i)) {
        match runs.last_mut().filter(|run| i - run.end() <= gap + 1) {
            Some(run) => *run = *run.start()..=i,
            None => runs.push(i..=i),
        }
    }
    runs
}

/// Returns the index of the largest value in a range of indices, and this value.
pub fn peak(values: &[f64], range: RangeInclusive<usize>) -> (usize, f64) {
    let in_range = values.iter().enumerate().skip(*range.start()).take(range.end() - range.start() + 1);
    in_range
        .fold((*range.start(), f64::NEG_INFINITY), |best, (i, v)| if *v > best.1 { (i, *v) } else { best })
}

/// Converts a count to `f64`.
#[expect(clippy::cast_precision_loss, reason = "counts of frames are far below 2⁵²")]
pub fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_gaps_are_closed() {
        let met = [true, true, false, true, false, false, true];
        let of = |gap| runs(met.len(), gap, |i| met[i]);
        assert_eq!(of(0), [0..=1, 3..=3, 6..=6]);
        assert_eq!(of(1), [0..=3, 6..=6]);
        assert_eq!(of(2), [0..=6]);
        assert!(runs(0, 1, |_| true).is_empty());
    }

    #[test]
    fn the_peak_is_within_the_range() {
        assert_eq!(peak(&[3.0, 1.0, 2.0], 1..=2), (2, 2.0));
    }
}
