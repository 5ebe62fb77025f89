//! The result of a gesture: the violated rules, and the size of each violation.

/// A rule of the protocol. Each rule has a letter in tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The dragged joint is at its target.
    Target,
    /// The posture that a gesture requires: a straight torso, bent knees, resting hips.
    Posture,
    /// Standing feet and pinned nodes stay in place.
    Feet,
    /// Nothing is under the floor.
    Floor,
    /// No joint turns too far in a frame.
    Jump,
    /// No joint leaves its limit.
    Limit,
    /// The head stays upright.
    Head,
    /// The report agrees with the pose.
    Report,
    /// After the return path, the body is in its initial pose.
    Return,
    /// The solver rejected the drag.
    Refused,
}

impl Rule {
    /// Returns the letter of the rule in tables.
    pub fn letter(self) -> char {
        match self {
            Self::Target => 't',
            Self::Posture => 'p',
            Self::Feet => 'f',
            Self::Floor => 'u',
            Self::Jump => 'j',
            Self::Limit => 'l',
            Self::Head => 'h',
            Self::Report => 'r',
            Self::Return => 'b',
            Self::Refused => 'x',
        }
    }
}

/// A violated rule.
#[derive(Clone, Debug)]
pub struct Failure {
    pub rule: Rule,
    /// The value as a multiple of its bound.
    excess: f64,
    /// The value, its bound, the joint and the time.
    pub text: String,
}

/// The worst failure of each rule, in the order in which the rules first failed.
#[derive(Clone, Debug, Default)]
pub struct Failures(pub Vec<Failure>);

impl Failures {
    /// Checks that a value does not exceed a bound.
    pub fn at_most(&mut self, rule: Rule, figure: f64, bound: f64, text: impl FnOnce() -> String) {
        if figure <= bound {
            return;
        }
        let excess = figure / bound.max(1e-12);
        let earlier = self.0.iter_mut().find(|f| f.rule == rule);
        match earlier {
            Some(earlier) if earlier.excess >= excess => {}
            Some(earlier) => (earlier.excess, earlier.text) = (excess, text()),
            None => self.0.push(Failure { rule, excess, text: text() }),
        }
    }

    /// Checks a condition.
    pub fn require(&mut self, rule: Rule, holds: bool, text: impl FnOnce() -> String) {
        self.at_most(rule, f64::from(u8::from(!holds)), 0.0, text);
    }
}

/// The largest turn of a joint in a frame.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// The rotation as a multiple of the allowed rotation, which is larger for a stretched limb.
    pub ratio: f64,
    pub radians: f64,
    pub joint: String,
    pub seconds: f64,
}

/// The result of a gesture on a character.
#[derive(Clone, Debug)]
pub struct GestureResult {
    /// The number of the gesture in the protocol.
    pub number: usize,
    pub name: &'static str,
    /// The reason why the character cannot make the gesture, for example because it has no toes.
    pub skipped: Option<String>,
    pub failures: Failures,
    pub turn: Turn,
    /// Durations of all solves in seconds.
    pub solves: Vec<f64>,
}

impl GestureResult {
    /// Adds the result of the same gesture with the other hand or foot. The gesture passes if it passes on both sides.
    pub fn add(&mut self, mut other: Self) {
        self.skipped = self.skipped.take().or(other.skipped);
        self.failures.0.append(&mut other.failures.0);
        self.solves.append(&mut other.solves);
        if other.turn.ratio > self.turn.ratio {
            self.turn = other.turn;
        }
    }

    /// Returns whether the gesture was made and all rules hold.
    pub fn passed(&self) -> bool {
        self.skipped.is_none() && self.failures.0.is_empty()
    }

    /// Returns the letter of the result: `.` passed, `-` skipped, or the letter of the first rule that failed.
    pub fn letter(&self) -> char {
        match self.failures.0.iter().min_by_key(|f| f.rule) {
            _ if self.skipped.is_some() => '-',
            None => '.',
            Some(failure) => failure.rule.letter(),
        }
    }
}
