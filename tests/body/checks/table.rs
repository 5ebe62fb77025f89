//! The table of the results.

use super::verdict::{CheckResult, Kind, Rule};

/// Returns a Markdown table with a row for each kind of check.
///
/// Each check contributes its worst value for each rule. The table shows the worst and the median of these values. The column of limits
/// names the rules in the same order.
pub fn table(results: &[CheckResult]) -> String {
    let mut lines = vec![
        "| check | failed / all | worst | median | limits | solves | iterations: median, largest |"
            .to_owned(),
        "|---|---|---|---|---|---|---|".to_owned(),
    ];
    lines.extend(Kind::ALL.into_iter().map(|kind| row(kind, results)));
    lines.join("\n")
}

fn row(kind: Kind, results: &[CheckResult]) -> String {
    let covering: Vec<&CheckResult> = results.iter().filter(|r| r.covers(kind)).collect();
    let failed = covering.iter().filter(|r| r.failed(kind)).count();
    let (mut worst, mut median, mut limits) = (Vec::new(), Vec::new(), Vec::new());
    for &rule in Rule::of(kind) {
        let figures = covering.iter().flat_map(|r| &r.figures).filter(|f| f.rule == rule);
        let mut figures: Vec<f64> = figures.map(|f| f.value).collect();
        figures.sort_by(f64::total_cmp);
        let (limit, unit) = rule.limit();
        let text = |value: Option<&f64>| value.map_or("-".to_owned(), |v| number(*v));
        worst.push(text(figures.last()));
        median.push(text(figures.get(figures.len() / 2)));
        limits.push(format!("{} {limit} {unit}", rule.label()));
    }
    let own: Vec<usize> =
        results.iter().filter(|r| r.id.kind == kind).flat_map(|r| r.iterations.clone()).collect();
    let (solves, iterations) = (own.len(), quantiles(own));
    let score = if kind == Kind::Hands {
        let reached = covering.iter().filter(|r| r.reached).count();
        format!("{reached} / {} reached", covering.len())
    } else {
        format!("{failed} / {}", covering.len())
    };
    format!(
        "| {} {} | {score} | {} | {} | {} | {solves} | {iterations} |",
        kind.letter(),
        kind.name(),
        worst.join(", "),
        median.join(", "),
        limits.join(", ")
    )
}

/// Returns one line with the failed and total number of checks of each kind. For random hand targets, the first number is the number of
/// targets reached.
pub fn summary(results: &[CheckResult]) -> String {
    let score = |kind: Kind| {
        let covering = results.iter().filter(|r| r.covers(kind));
        let failed = covering.clone().filter(|r| r.failed(kind)).count();
        let reached = covering.clone().filter(|r| r.reached).count();
        let bad = if kind == Kind::Hands { reached } else { failed };
        format!("{} {bad}/{}", kind.letter(), covering.count())
    };
    Kind::ALL.map(score).join("  ")
}

fn number(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else if value >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

fn quantiles(mut iterations: Vec<usize>) -> String {
    iterations.sort_unstable();
    match (iterations.get(iterations.len() / 2), iterations.last()) {
        (Some(median), Some(largest)) => format!("{median}, {largest}"),
        _ => "-".into(),
    }
}
