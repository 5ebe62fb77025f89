//! Clips that are blended with each other: gaits whose steps must coincide.

use std::collections::BTreeMap;

use super::contacts::Contacts;
use super::finding::Finding;
use super::kind::Check;

/// Words for gaits. Clips with the same word are blended with each other.
const GAITS: [&str; 5] = ["walk", "run", "jog", "sprint", "strafe"];
/// Minimum height difference between the feet that makes steps visible, in metres at human size.
const MIN_LIFT: f64 = 0.03;

/// Data about a clip for the comparison of gaits.
#[derive(Clone, Debug)]
pub(super) struct Gait {
    /// The word for the gait in the name of the clip.
    pub(super) word: &'static str,
    /// Phase in cycles at which the left foot is highest above the right foot.
    pub(super) phase: f64,
    /// Length in seconds.
    pub(super) seconds: f32,
}

impl Gait {
    /// Measures a clip that walks on two feet. Returns `None` for all other clips.
    pub(super) fn new(name: Option<&str>, contacts: &Contacts, seconds: f32, size: f32) -> Option<Self> {
        let name = name?.to_lowercase();
        let word = GAITS.into_iter().find(|word| name.contains(word))?;
        let [left, right] = &contacts.feet[..] else { return None };
        let lifts: Vec<f64> =
            left.heights.iter().zip(&right.heights).map(|(l, r)| f64::from(l - r)).collect();
        let count = crate::mathematics::spans::number(lifts.len().saturating_sub(1)).max(1.0);
        // The phase of the first harmonic, which does not depend on single frames.
        let (mut sine, mut cosine) = (0.0, 0.0);
        for (i, lift) in lifts.iter().enumerate().take(lifts.len().saturating_sub(1)) {
            let angle = std::f64::consts::TAU * crate::mathematics::spans::number(i) / count;
            sine += lift * angle.sin();
            cosine += lift * angle.cos();
        }
        let amplitude = 2.0 * sine.hypot(cosine) / count;
        let phase = (sine.atan2(cosine) / std::f64::consts::TAU).rem_euclid(1.0);
        (amplitude > MIN_LIFT * f64::from(size)).then_some(Self { word, phase, seconds })
    }
}

/// Compares the gaits of a file. For each clip whose phase differs from the phase of the first clip of its gait by more than `limit`
/// cycles, returns its index in the input and a finding.
pub(super) fn check(gaits: &[Option<Gait>], limit: f64) -> Vec<(usize, Finding)> {
    let mut firsts: BTreeMap<&str, &Gait> = BTreeMap::new();
    let mut findings = Vec::new();
    for (index, gait) in gaits.iter().enumerate() {
        let Some(gait) = gait else { continue };
        let first = firsts.entry(gait.word).or_insert(gait);
        let difference = (gait.phase - first.phase + 0.5).rem_euclid(1.0) - 0.5;
        if difference.abs() > limit {
            let text =
                format!("its steps are {:.2} cycles from those of the first {}", difference.abs(), gait.word);
            let span = (0.0, gait.seconds);
            findings.push((index, Finding::new(Check::Gait, None, span, difference.abs(), limit, text)));
        }
    }
    findings
}
