//! The results of checks: values, their limits, and descriptions of the failures.

use std::fmt;

use super::honest::Entry;

/// A kind of check. The names of its checks begin with its letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Sweep,
    Same,
    Speed,
    Monotone,
    Back,
    Feet,
    Honest,
    Hands,
    Surface,
}

impl Kind {
    pub const ALL: [Self; 9] = [
        Self::Sweep,
        Self::Same,
        Self::Speed,
        Self::Monotone,
        Self::Back,
        Self::Feet,
        Self::Honest,
        Self::Hands,
        Self::Surface,
    ];

    pub fn letter(self) -> char {
        match self {
            Self::Sweep => 'a',
            Self::Same => 'b',
            Self::Speed => 'c',
            Self::Monotone => 'd',
            Self::Back => 'e',
            Self::Feet => 'f',
            Self::Honest => 'g',
            Self::Hands => 'h',
            Self::Surface => 'i',
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Sweep => "one-shot sweeps",
            Self::Same => "one shot = drag",
            Self::Speed => "speed of a drag",
            Self::Monotone => "hips pulled down",
            Self::Back => "out and back",
            Self::Feet => "feet and floor",
            Self::Honest => "honest reports",
            Self::Hands => "random hand targets",
            Self::Surface => "hand on the body",
        }
    }
}

/// A rule, with the value that it limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Change of the error while the target moves by 1 cm.
    SweepError,
    /// Movement of a joint while the target moves by 1 cm.
    SweepPlace,
    /// Rotation of a joint while the target moves by 1 cm.
    SweepTurn,
    /// Number of changes in posture far out of reach.
    SweepChanges,
    /// Distance between joints after a drag and after one solve.
    Same,
    /// Distance between joints after drags at different speeds.
    Speed,
    /// Distance by which the hips rise while they are pulled down.
    Rise,
    /// Distance between joints after pulls at different speeds.
    PullSpeed,
    /// Distance of joints from their positions before the drag.
    BackPlace,
    /// Mean rotation of the joints relative to the pose before the drag.
    BackTurn,
    /// Slide of a standing foot.
    Slide,
    /// Rotation of a standing foot, excluding its roll over heel and toes.
    FootTurn,
    /// Depth of a hand or a foot below the floor.
    Depth,
    /// Difference between the reported and the measured error.
    Error,
    /// Number of reports that say `reached` despite a large error, or another outcome despite a small one.
    Reached,
    /// Whether `out-of-reach` is reported for a target that another run reached.
    OutOfReach,
    /// Whether the outcomes of a drag and of one solve differ.
    Outcome,
    /// Depth of a hand or its forearm inside the skin of the rest of the body.
    Inside,
    /// Height above the skin of a hand that is pulled into the body.
    Above,
    /// Whether the solver rejected a target.
    Refused,
}

impl Rule {
    /// Returns the largest value that passes, and its unit. Lengths are for a person of 1.75 m.
    pub fn limit(self) -> (f64, &'static str) {
        match self {
            Self::SweepError => (2.0, "cm"),
            Self::SweepPlace => (10.0, "cm"),
            Self::SweepTurn => (35.0, "°"),
            Self::SweepChanges => (1.0, "changes"),
            Self::Same => (20.0, "mm"),
            Self::Speed | Self::PullSpeed | Self::BackPlace | Self::Depth => (10.0, "mm"),
            Self::Rise | Self::Slide | Self::Inside => (5.0, "mm"),
            Self::Above => (30.0, "mm"),
            Self::BackTurn => (3.0, "°"),
            Self::FootTurn => (5.0, "°"),
            Self::Error => (0.1, "mm"),
            Self::Reached | Self::OutOfReach | Self::Outcome | Self::Refused => (0.0, "wrong"),
        }
    }

    /// Returns a word for the value in tables.
    pub fn label(self) -> &'static str {
        match self {
            Self::SweepError | Self::Error => "error",
            Self::SweepPlace | Self::BackPlace => "place",
            Self::SweepTurn | Self::BackTurn | Self::FootTurn => "turn",
            Self::SweepChanges => "far",
            Self::Same | Self::Speed | Self::PullSpeed => "apart",
            Self::Rise => "rise",
            Self::Slide => "slide",
            Self::Depth => "depth",
            Self::Reached => "`reached`",
            Self::OutOfReach => "`out-of-reach`",
            Self::Outcome => "outcome",
            Self::Inside => "inside",
            Self::Above => "above",
            Self::Refused => "refused",
        }
    }

    /// Returns the rules of a kind.
    pub fn of(kind: Kind) -> &'static [Self] {
        match kind {
            Kind::Sweep => &[Self::SweepError, Self::SweepPlace, Self::SweepTurn, Self::SweepChanges],
            Kind::Same => &[Self::Same],
            Kind::Speed => &[Self::Speed],
            Kind::Monotone => &[Self::Rise, Self::PullSpeed],
            Kind::Back => &[Self::BackPlace, Self::BackTurn],
            Kind::Feet => &[Self::Slide, Self::FootTurn, Self::Depth],
            Kind::Honest => &[Self::Error, Self::Reached, Self::OutOfReach, Self::Outcome],
            Kind::Hands => &[],
            Kind::Surface => &[Self::Inside, Self::Above],
        }
    }

    /// Returns the kind of check that the rule belongs to. Returns `None` for a refusal, which belongs to every kind.
    pub fn kind(self) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| Self::of(*kind).contains(&self))
    }
}

/// The worst value of a rule in a check, and where it was found.
#[derive(Clone, Debug)]
pub struct Figure {
    pub rule: Rule,
    pub value: f64,
    /// Empty if the value is within the limit.
    pub text: String,
}

impl Figure {
    pub fn failed(&self) -> bool {
        self.value > self.rule.limit().0
    }
}

/// The kind and the number of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id {
    pub kind: Kind,
    pub number: usize,
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.letter(), self.number)
    }
}

/// The result of one check.
#[derive(Clone, Debug)]
pub struct CheckResult {
    pub id: Id,
    pub name: String,
    /// The reason why this check was skipped, for example because the character has no chest.
    pub skipped: Option<String>,
    pub figures: Vec<Figure>,
    /// The number of iterations of each solve.
    pub iterations: Vec<usize>,
    /// The final results of its runs, kept until the runs of all checks are compared.
    pub ends: Vec<Entry>,
    /// Number of changes in posture far out of reach.
    pub changes: usize,
    /// Whether a random hand target was reached.
    pub reached: bool,
}

impl CheckResult {
    pub fn new(id: Id, name: String) -> Self {
        Self {
            id,
            name,
            skipped: None,
            figures: Vec::new(),
            iterations: Vec::new(),
            ends: Vec::new(),
            changes: 0,
            reached: false,
        }
    }

    /// Records a value. The worst value of each rule is kept, with its text if it fails.
    pub fn judge(&mut self, rule: Rule, value: f64, text: impl FnOnce() -> String) {
        // A value that is not a number fails.
        let value = if value.is_nan() { f64::INFINITY } else { value };
        let known = self.figures.iter().position(|f| f.rule == rule);
        let index = known.unwrap_or(self.figures.len());
        if known.is_none() {
            self.figures.push(Figure { rule, value: f64::NEG_INFINITY, text: String::new() });
        }
        let figure = &mut self.figures[index];
        if value > figure.value {
            figure.value = value;
            if figure.failed() {
                figure.text = text();
            }
        }
    }

    /// Returns whether a rule of a kind failed. A refusal counts as a failure of the check's own kind.
    pub fn failed(&self, kind: Kind) -> bool {
        self.failures().any(|f| f.rule.kind().unwrap_or(self.id.kind) == kind)
    }

    /// Returns whether the check has results for a kind.
    pub fn covers(&self, kind: Kind) -> bool {
        self.skipped.is_none()
            && (self.id.kind == kind || self.figures.iter().any(|f| f.rule.kind() == Some(kind)))
    }

    pub fn failures(&self) -> impl Iterator<Item = &Figure> {
        self.figures.iter().filter(|f| f.failed())
    }

    /// Returns a line for each failure. Each line begins with the value to pass to `--only`.
    pub fn lines(&self) -> Vec<String> {
        let line = |figure: &Figure| {
            let (limit, unit) = figure.rule.limit();
            let kind = figure.rule.kind().unwrap_or(self.id.kind);
            let also = if kind == self.id.kind { String::new() } else { format!(", {}", kind.name()) };
            let bound = if limit > 0.0 { format!(" (limit {limit} {unit})") } else { String::new() };
            format!("{} {}{also}: {}{bound}", self.id, self.name, figure.text)
        };
        self.failures().map(line).collect()
    }
}
