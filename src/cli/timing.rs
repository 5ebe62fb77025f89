//! Where the time went, for `-v`.

use std::time::{Duration, Instant};

use super::output;

/// Names the stages of a run as they end.
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

    /// A stage has ended that began when the last one did.
    pub(super) fn stage(&mut self, name: &str) {
        let now = Instant::now();
        self.say(name, now - self.lap);
        self.lap = now;
    }

    /// Something took time beside the stages.
    pub(super) fn say(&self, name: &str, time: Duration) {
        if self.verbose {
            output::message(&format!("{name:<9} {:8.1} ms", time.as_secs_f64() * 1e3));
        }
    }

    /// A fact that is no time.
    pub(super) fn note(&self, name: &str, text: &str) {
        if self.verbose {
            output::message(&format!("{name:<9} {text}"));
        }
    }

    pub(super) fn total(&self) {
        self.say("total", self.started.elapsed());
    }
}
