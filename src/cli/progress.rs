//! How far something has come.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Talk;

/// A bar on a terminal, once it is clear that this takes longer than a second.
pub(super) struct Progress {
    bar: ProgressBar,
    started: Instant,
    shown: bool,
}

impl Progress {
    /// `what`: what is counted, in the plural.
    pub(super) fn new(count: u32, what: &str, talk: Talk) -> Self {
        let bar = ProgressBar::with_draw_target(Some(count.into()), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {what}, {{eta}} left"));
        let bar = bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, started: Instant::now(), shown: talk.quiet }
    }

    pub(super) fn step(&self) {
        if !self.shown && self.bar.is_hidden() && self.started.elapsed() > Duration::from_secs(1) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(1);
    }

    /// Writes something above the bar.
    pub(super) fn around<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
