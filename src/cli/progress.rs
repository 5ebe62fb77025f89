//! Progress bars.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Verbosity;

/// A progress bar in the terminal, which appears after one second.
pub(super) struct Progress {
    bar: ProgressBar,
    started: Instant,
    is_quiet: bool,
}

impl Progress {
    /// `unit` names the counted items in the plural.
    pub(super) fn new(count: u32, unit: &str, verbosity: Verbosity) -> Self {
        let bar = ProgressBar::with_draw_target(Some(count.into()), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {unit}, {{eta}} left"));
        let bar = bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, started: Instant::now(), is_quiet: verbosity.quiet }
    }

    pub(super) fn step(&self) {
        if !self.is_quiet && self.bar.is_hidden() && self.started.elapsed() > Duration::from_secs(1) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(1);
    }

    /// Hides the bar while `write` prints above it.
    pub(super) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
