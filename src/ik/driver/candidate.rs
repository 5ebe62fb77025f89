//! The best poses that the starts of a solve have found.

use crate::Method;
use crate::tree::{Measure, Tree, TreePose};

/// A restart must end nearer to the goals than the first start by this fraction of the chain's length, unless the
/// restart reaches the goals. Otherwise the body would jump to a very different pose for a gain that nobody can see.
pub(super) const MARGIN: f64 = 1e-3;

/// The best pose that one start has found.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidate {
    pub(super) pose: TreePose,
    pub(super) measure: Option<Measure>,
    /// The method that found the pose.
    pub(super) method: Method,
    /// Whether the start has run until its error stopped falling.
    pub(super) ended: bool,
}

impl Candidate {
    /// Measures the pose of a tree, stores it if it is the best of this start, and returns its weighted error.
    pub(super) fn keep(&mut self, tree: &Tree, method: Method) -> f64 {
        let measure = tree.measure();
        if self.measure.is_none_or(|best| measure.is_better(&best)) {
            (self.measure, self.method) = (Some(measure), method);
            self.pose.store(tree);
        }
        measure.sum
    }

    pub(super) fn is_done(&self) -> bool {
        self.measure.is_some_and(|m| m.done)
    }

    /// Returns the weighted error, or infinity before the first measurement.
    pub(super) fn error(&self) -> f64 {
        self.measure.map_or(f64::INFINITY, |m| m.sum.sqrt())
    }

    /// Returns whether the pose is better than the pose of an earlier start by at least `margin`, in metres.
    fn beats(&self, other: &Self, margin: f64) -> bool {
        let (Some(own), Some(than)) = (self.measure, other.measure) else { return self.measure.is_some() };
        let matters = own.done || own.meets_pins() != than.meets_pins() || !own.meets_pins();
        own.is_better(&than) && (matters || self.error() + margin < other.error())
    }
}

/// The candidates of a solve. The first candidate is the requested start. Buffers are reused by later solves.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    all: Vec<Candidate>,
    used: usize,
}

impl Candidates {
    pub(super) fn clear(&mut self) {
        self.used = 0;
    }

    /// Adds a candidate and returns its index.
    pub(super) fn add(&mut self) -> usize {
        if self.used == self.all.len() {
            self.all.push(Candidate::default());
        }
        let index = self.used;
        (self.all[index].measure, self.all[index].ended) = (None, false);
        self.used += 1;
        index
    }

    pub(super) fn get(&self, index: usize) -> &Candidate {
        &self.all[index]
    }

    pub(super) fn get_mut(&mut self, index: usize) -> &mut Candidate {
        &mut self.all[index]
    }

    pub(super) fn is_done(&self) -> bool {
        self.all[..self.used].iter().any(Candidate::is_done)
    }

    /// Returns the best candidate. Another candidate is preferred to the first only if it is better by `margin` metres.
    pub(super) fn best(&self, margin: f64) -> Option<&Candidate> {
        let (first, later) = self.all[..self.used].split_first()?;
        let best = later.iter().reduce(|best, other| if other.beats(best, 0.0) { other } else { best });
        Some(best.filter(|best| best.beats(first, margin)).unwrap_or(first))
    }

    /// Returns the index of the candidate with the smallest error among the candidates that have not ended. A later
    /// candidate must be better than the first by `margin` metres, as in `best`.
    pub(super) fn most_promising(&self, margin: f64) -> Option<usize> {
        let open = (0..self.used).filter(|&i| !self.all[i].ended);
        let error = |i: usize| self.all[i].error() + if i == 0 { 0.0 } else { margin };
        open.min_by(|&a, &b| error(a).total_cmp(&error(b)))
    }
}
