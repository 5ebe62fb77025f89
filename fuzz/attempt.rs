//! Checks a single input and catches panics.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::time::{Duration, Instant};

thread_local! {
    /// The message of the last panic in this thread.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The outcome of an input.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Accepted,
    Rejected,
    Failed(Failure),
}

/// A failure of an input. Failures of the same kind are counted as one finding.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) kind: String,
    pub(crate) details: String,
}

/// Installs a panic hook that stores the message instead of printing it, because panics are reported as findings.
pub(crate) fn catch_panics() {
    panic::set_hook(Box::new(|info| {
        let location = info.location().map(ToString::to_string).unwrap_or_default();
        let cause = info.payload_as_str().unwrap_or("no message");
        PANIC.with(|last| *last.borrow_mut() = Some(format!("panic at {location}: {cause}")));
    }));
}

/// Checks an input and measures how long it takes. `check` is from a [`Format`](crate::format::Format).
pub(crate) fn attempt(check: fn(&[u8]) -> Result<bool, String>, input: &[u8]) -> (Outcome, Duration) {
    let started = Instant::now();
    let result = panic::catch_unwind(AssertUnwindSafe(|| check(input)));
    let duration = started.elapsed();
    let outcome = match result {
        Ok(Ok(true)) => Outcome::Accepted,
        Ok(Ok(false)) => Outcome::Rejected,
        Ok(Err(details)) => {
            let kind = details.split(": ").next().unwrap_or_default().to_owned();
            Outcome::Failed(Failure { kind, details })
        }
        Err(_) => {
            let message = PANIC.with(|last| last.borrow_mut().take());
            let details = message.unwrap_or_else(|| "panic in another thread".to_owned());
            // The kind is the location of the panic with its line and column, without the message.
            let kind = details.split(": ").next().unwrap_or_default().to_owned();
            Outcome::Failed(Failure { kind, details })
        }
    };
    (outcome, duration)
}
