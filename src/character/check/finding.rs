//! What checks return.

use super::kind::{Check, Severity};

/// A fault in a clip, or an observation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The check that found it.
    pub check: Check,
    /// How serious it is.
    pub severity: Severity,
    /// Node index of the joint at fault. `None` if the clip as a whole is at fault.
    pub node: Option<usize>,
    /// First clip time at which it occurs, in seconds.
    pub from: f32,
    /// Last clip time at which it occurs, in seconds.
    pub to: f32,
    /// The largest measured value, in the unit of [`Check::unit`].
    pub value: f64,
    /// The largest value that would have been accepted.
    pub limit: f64,
    /// The finding in one sentence, without times.
    pub text: String,
}

impl Finding {
    /// Creates a finding with the default severity of its check.
    pub(super) fn new(
        check: Check,
        node: Option<usize>,
        (from, to): (f32, f32),
        value: f64,
        limit: f64,
        text: String,
    ) -> Self {
        Self { check, severity: check.severity(), node, from, to, value, limit, text }
    }

    pub(super) fn with_severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// Returns the middle of its time span, in seconds.
    pub fn time(&self) -> f32 {
        0.5 * (self.from + self.to)
    }
}

/// A measured value over the course of a clip.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Curve {
    /// The check that measured it.
    pub check: Check,
    /// Node index of the joint. `None` for the clip as a whole.
    pub node: Option<usize>,
    /// The largest accepted value, if the check compares each value with it.
    pub limit: Option<f64>,
    /// Clip times in seconds.
    pub times: Vec<f32>,
    /// One value per time, in the unit of [`Check::unit`].
    pub values: Vec<f64>,
}

/// A check that does not apply to a clip.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotApplied {
    /// The check.
    pub check: Check,
    /// The reason why it does not apply, as a clause.
    pub reason: String,
}

impl NotApplied {
    pub(super) fn new(check: Check, reason: impl Into<String>) -> Self {
        Self { check, reason: reason.into() }
    }
}

/// The contribution of a check to a report.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) findings: Vec<Finding>,
    pub(super) curves: Vec<Curve>,
    pub(super) not_applied: Vec<NotApplied>,
}

impl Measured {
    /// A check that does not apply.
    pub(super) fn not_applied(check: Check, reason: impl Into<String>) -> Self {
        Self { not_applied: vec![NotApplied::new(check, reason)], ..Self::default() }
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.curves.extend(other.curves);
        self.not_applied.extend(other.not_applied);
    }
}

/// Formats a length with a suitable unit.
pub(super) fn length(metres: f64) -> String {
    let magnitude = metres.abs();
    if magnitude >= 1.0 {
        format!("{metres:.2} m")
    } else if magnitude >= 0.01 {
        format!("{:.1} cm", metres * 100.0)
    } else {
        format!("{:.1} mm", metres * 1000.0)
    }
}
