//! Times of the stages of a run, for `-v`.

use crate::cli::message;
use std::time::{Duration, Instant};

/// Prints the time of each stage of a run when it ends.
#[derive(Debug)]
pub(super) struct Stopwatch {
    verbose: bool,
    started: Instant,
    lap: Instant,
}

impl Stopwatch {
    pub(super) fn new(verbose: bool) -> Self {
        let now = Instant::now();
        Self { verbose, started: now, lap: now }
    }

    /// Ends a stage, which began when the previous stage ended, and prints its time.
    pub(super) fn stage(&mut self, name: &str) {
        let now = Instant::now();
        self.duration(name, now - self.lap);
        self.lap = now;
    }

    /// Prints the time of work that ran in parallel with the stages.
    pub(super) fn duration(&self, name: &str, time: Duration) {
        if self.verbose {
            message::print(&format!("{name:<9} {:8.1} ms", time.as_secs_f64() * 1e3));
        }
    }

    /// Prints a line with information other than a time.
    pub(super) fn note(&self, name: &str, text: &str) {
        if self.verbose {
            message::print(&format!("{name:<9} {text}"));
        }
    }

    pub(super) fn total(&self) {
        self.duration("total", self.started.elapsed());
    }
}
