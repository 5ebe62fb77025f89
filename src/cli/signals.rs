//! Signals that end the program: Ctrl+C, `kill`, a terminal that closes.
//!
//! The window closes as if its button had been pressed, so that a recording gets its name; a second signal ends it at
//! once. Everything else ends at once. No draft of a save stays, and what has its name is complete.

use std::sync::{Mutex, PoisonError};

/// What a signal asks to end, instead of ending the program; once.
static CLOSE: Mutex<Option<Box<dyn Fn() + Send>>> = Mutex::new(None);

/// What the next signal does instead of ending the program.
#[cfg(feature = "viewer")]
pub(super) fn close_by(close: Box<dyn Fn() + Send>) {
    *CLOSE.lock().unwrap_or_else(PoisonError::into_inner) = Some(close);
}

/// Watches for signals on a thread of its own.
#[cfg(unix)]
pub(super) fn watch() {
    use crate::atomic;
    use signal_hook::consts::signal::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::{emulate_default_handler, exit};

    let ignored = ignored();
    let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let Ok(mut signals) = Signals::new(wanted) else { return };
    let wait = move || {
        for signal in signals.forever() {
            match CLOSE.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some(close) => close(),
                None => atomic::end(|| {
                    // The shell learns from this how the program ended.
                    let _ = emulate_default_handler(signal);
                    exit(128 + signal);
                }),
            }
        }
    };
    drop(std::thread::Builder::new().name("signals".into()).spawn(wait));
}

/// Signals are left to the system, which ends the program; the next save removes a draft that stays.
#[cfg(not(unix))]
pub(super) fn watch() {}

/// The signals that the caller wants this program to ignore, as `nohup` does: signal N is bit N - 1.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Where the mask is unknown, SIGHUP keeps what the caller has decided for it.
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(1)
}
