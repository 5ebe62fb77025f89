//! Handles the signals that end the program, sent by Ctrl+C, `kill` or a closing terminal.
//!
//! The first signal closes the window as its close button does, so that a recording is saved. A second signal ends the
//! program immediately, and so does any signal if no window is open. Unfinished saves are removed, so every file that
//! has its final name is complete.

use std::sync::{Mutex, PoisonError};

/// The handler that the next signal calls once instead of ending the program.
static CLOSE: Mutex<Option<Box<dyn Fn() + Send>>> = Mutex::new(None);

/// Sets a handler that the next signal calls instead of ending the program.
#[cfg(feature = "viewer")]
pub(super) fn set_close_handler(close: Box<dyn Fn() + Send>) {
    *CLOSE.lock().unwrap_or_else(PoisonError::into_inner) = Some(close);
}

/// Starts a thread that waits for signals.
#[cfg(unix)]
pub(super) fn watch() {
    use crate::files::atomic;
    use signal_hook::consts::signal::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::{emulate_default_handler, exit};

    let ignored = ignored();
    let handled = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let Ok(mut signals) = Signals::new(handled) else { return };
    let wait = move || {
        for signal in signals.forever() {
            match CLOSE.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some(close) => close(),
                None => atomic::end(|| {
                    // This way, the shell sees that a signal ended the program.
                    let _ = emulate_default_handler(signal);
                    exit(128 + signal);
                }),
            }
        }
    };
    drop(std::thread::Builder::new().name("signals".into()).spawn(wait));
}

/// Does nothing, because the system's default handler ends the program. The next save removes any draft left behind.
#[cfg(not(unix))]
pub(super) fn watch() {}

/// Returns a mask of the signals that the parent process, for example `nohup`, has chosen to ignore. Signal N is bit N - 1.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // If the mask is unknown, SIGHUP keeps the action that the parent process has set.
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(1)
}
