//! One input on its own: whether it panics, and what of.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::time::{Duration, Instant};

use crate::format::Format;

thread_local! {
    /// The last panic of this thread.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What an input has led to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Accepted,
    Refused,
    Failed(Fault),
}

/// What went wrong: the kind, which distinguishes findings, and the details.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) kind: String,
    pub(crate) details: String,
}

/// Keeps panics quiet: they are findings, and reported as such.
pub(crate) fn catch_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let cause = info.payload_as_str().unwrap_or("no message");
        PANIC.with(|last| *last.borrow_mut() = Some(format!("panic at {place}: {cause}")));
    }));
}

/// Checks an input.
pub(crate) fn attempt(format: &Format, input: &[u8]) -> (Outcome, Duration) {
    let started = Instant::now();
    let result = panic::catch_unwind(AssertUnwindSafe(|| (format.check)(input)));
    let taken = started.elapsed();
    let outcome = match result {
        Ok(Ok(true)) => Outcome::Accepted,
        Ok(Ok(false)) => Outcome::Refused,
        Ok(Err(details)) => {
            let kind = details.split(": ").next().unwrap_or_default().to_owned();
            Outcome::Failed(Fault { kind, details })
        }
        Err(_) => {
            let message = PANIC.with(|last| last.borrow_mut().take());
            let details = message.unwrap_or_else(|| "panic in a thread of its own".to_owned());
            // The column is a part of the place, a number in the message is not.
            let kind = details.split(": ").next().unwrap_or_default().to_owned();
            Outcome::Failed(Fault { kind, details })
        }
    };
    (outcome, taken)
}
