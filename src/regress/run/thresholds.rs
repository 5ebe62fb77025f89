//! Determines which tolerances would accept a case, and how many cases fail at other tolerances.

use crate::golden::JointDifference;
use crate::suite::Checks;

use super::{Finding, Outcome};

/// A tolerance of suites.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Threshold {
    /// The key in a suite.
    key: &'static str,
    /// The measured value.
    measured: f64,
    /// The limit of the case.
    limit: f64,
}

impl Threshold {
    /// Returns whether the case fails at a limit. The movement of vertices must stay below its limit. All other values may equal their
    /// limits.
    fn fails_at(&self, limit: f64) -> bool {
        if self.key == "moved" { self.measured >= limit } else { self.measured > limit }
    }
}

/// Returns the measured value and the limit of each tolerance of a case.
fn thresholds(outcome: &Outcome, checks: &Checks) -> Vec<Threshold> {
    let mut list = Vec::new();
    let mut add = |key, measured: f64, limit: f64| list.push(Threshold { key, measured, limit });
    if let (Some(tolerance), Some(difference)) = (&checks.image, &outcome.difference) {
        add("mean", difference.mean.into(), tolerance.mean.into());
        add("worst", difference.worst.0.into(), tolerance.worst.into());
    }
    if let Some(explanation) = &outcome.explanation {
        add("moved", explanation.shift(), checks.kinds.moved.into());
        #[expect(clippy::cast_precision_loss, reason = "numbers of pixels are exact")]
        let (changed, alpha) = (explanation.changed() as f64, explanation.alpha() as f64);
        #[expect(clippy::cast_precision_loss, reason = "numbers of pixels are exact")]
        let (changed_limit, alpha_limit) = (checks.kinds.changed as f64, checks.kinds.alpha as f64);
        add("changed", changed, changed_limit);
        add("alpha", alpha, alpha_limit);
    }
    if let Some(tolerance) = checks.joints.as_ref().filter(|_| !outcome.joints.is_empty()) {
        let largest =
            |value: fn(&JointDifference) -> f64| outcome.joints.iter().map(value).fold(0.0, f64::max);
        add("distance", largest(|joint| joint.distance), tolerance.distance);
        add("angle", largest(|joint| joint.angle), tolerance.angle);
    }
    list
}

/// Returns a finding that says which tolerances would have accepted a failed case. `None` if no comparison failed.
pub(super) fn finding(outcome: &Outcome, checks: &Checks) -> Option<Finding> {
    let failed = outcome.findings.iter().any(|finding| !finding.passed);
    let exceeded: Vec<Threshold> =
        thresholds(outcome, checks).into_iter().filter(|t| t.fails_at(t.limit)).collect();
    if !failed || exceeded.is_empty() {
        return None;
    }
    let settings: Vec<String> = exceeded.iter().map(|t| format!("{} = {}", t.key, rounded_up(t))).collect();
    let never = outcome
        .explanation
        .as_ref()
        .and_then(|e| e.changes.iter().find(|change| change.fails && !change.has_threshold()));
    let text = match never {
        Some(change) => format!(
            "tolerance: none accepts the {} change; the rest needs {}",
            change.kind.name(),
            settings.join(", ")
        ),
        None => format!("tolerance: would pass with {}", settings.join(", ")),
    };
    Some(Finding { passed: false, text })
}

/// Returns a limit with two significant digits that accepts the measured value.
fn rounded_up(threshold: &Threshold) -> String {
    let measured = threshold.measured;
    if ["changed", "alpha"].contains(&threshold.key) || !measured.is_finite() || measured <= 0.0 {
        return measured.to_string();
    }
    #[expect(clippy::cast_possible_truncation, reason = "exponents of finite numbers are small")]
    let unit = 10_f64.powi(measured.log10().floor() as i32 - 1);
    let mut steps = (measured / unit).ceil();
    if threshold.fails_at(steps * unit) {
        steps += 1.0;
    }
    let limit = steps * unit;
    // Formats as many decimals as two significant digits need, which hides the rounding errors of the product.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number of decimals is small"
    )]
    let decimals = (-unit.log10().floor()).max(0.0) as usize;
    if limit < 1e-3 { format!("{limit:.1e}") } else { format!("{limit:.decimals$}") }
}

/// Maximum number of limits per tolerance in a table.
const MAX_ROWS: usize = 12;

/// Returns a table of the number of failing cases for other limits of each tolerance, with all other tolerances unchanged. One line per
/// limit: the key, the limit, the number of failing cases, and the name of a case that this limit accepts and the next lower limit rejects.
pub fn sweep<'a>(cases: impl IntoIterator<Item = (&'a str, &'a Outcome, &'a Checks)>) -> Vec<String> {
    let cases: Vec<(&str, bool, Vec<Threshold>)> = cases
        .into_iter()
        .map(|(name, outcome, checks)| (name, is_lost(outcome), thresholds(outcome, checks)))
        .collect();
    let mut lines = vec![format!("{:10}{:>12}{:>9}  accepts up to", "tolerance", "limit", "failing")];
    for key in ["mean", "worst", "moved", "changed", "alpha", "distance", "angle"] {
        let of = |list: &[Threshold]| list.iter().find(|t| t.key == key).copied();
        let mut measured: Vec<(f64, &str)> =
            cases.iter().filter_map(|(name, _, list)| Some((of(list)?.measured, *name))).collect();
        if measured.is_empty() {
            continue;
        }
        measured.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut limits: Vec<(f64, &str)> = vec![(0.0, "identical images")];
        for (value, name) in measured.into_iter().filter(|(value, _)| *value > 0.0) {
            // Many cases differ by nearly the same amount. One limit represents all of them.
            match limits.last_mut() {
                Some(last) if last.0 > 0.0 && value < last.0 * 1.05 => *last = (value, name),
                _ => limits.push((value, name)),
            }
        }
        let step = limits.len().div_ceil(MAX_ROWS).max(1);
        let last = limits.len() - 1;
        for (_, (limit, name)) in limits.iter().enumerate().filter(|(i, _)| i % step == 0 || *i == last) {
            // A movement must stay below its limit.
            let limit = if key == "moved" && *limit > 0.0 { *limit * (1.0 + 1e-9) } else { *limit };
            let fails = |list: &[Threshold]| {
                list.iter().any(|t| t.fails_at(if t.key == key { limit } else { t.limit }))
            };
            let failing = cases.iter().filter(|(_, lost, list)| *lost || fails(list)).count();
            let shown =
                if limit == 0.0 || limit >= 1e-3 { format!("{limit:.4}") } else { format!("{limit:.2e}") };
            lines.push(format!("{key:10}{shown:>12}{failing:>9}  {name}"));
        }
    }
    lines
}

/// Returns whether a case fails at any tolerance.
fn is_lost(outcome: &Outcome) -> bool {
    let measured = outcome.difference.is_some() || !outcome.joints.is_empty();
    let explained = outcome.explanation.iter().flat_map(|e| &e.changes);
    outcome.status.is_failure() && (!measured || explained.into_iter().any(|c| c.fails && !c.has_threshold()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_rounded_up_until_they_accept_the_value() {
        let rounded = |key, measured| rounded_up(&Threshold { key, measured, limit: 0.0 });
        assert_eq!(rounded("mean", 0.012_34), "0.013");
        assert_eq!(rounded("worst", 0.5), "0.50");
        assert_eq!(rounded("moved", 0.5), "0.51");
        assert_eq!(rounded("moved", 3.27), "3.3");
        assert_eq!(rounded("changed", 1204.0), "1204");
        assert_eq!(rounded("distance", 3.214e-5), "3.3e-5");
    }
}
