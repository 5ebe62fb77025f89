//! The progress of reading files, and a flag that stops the read.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The progress of reading one file and the files that belong to it. Clones share the same state, so that one thread can
/// show the progress of another thread's read or stop that read.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_stopped: AtomicBool,
    read: AtomicU64,
    total: AtomicU64,
    stage: Mutex<&'static str>,
}

/// Reading was stopped by [`Progress::stop`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reading was stopped")]
pub struct Stopped;

impl From<Stopped> for io::Error {
    fn from(stopped: Stopped) -> Self {
        Self::other(stopped)
    }
}

impl Progress {
    /// Stops the read. The read fails with [`Stopped`] at its next call to [`Progress::check`].
    pub fn stop(&self) {
        self.0.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Returns whether the read was stopped.
    pub fn is_stopped(&self) -> bool {
        self.0.is_stopped.load(Ordering::Relaxed)
    }

    /// Fails if the read was stopped. Every loop whose length depends on a file calls this function. A call costs no more
    /// than reading a variable.
    ///
    /// # Errors
    /// [`Stopped`] if the read was stopped.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_stopped() { Err(Stopped) } else { Ok(()) }
    }

    /// Announces that at least `bytes` more bytes will be read.
    pub fn expect(&self, bytes: u64) {
        let total = self.0.read.load(Ordering::Relaxed).saturating_add(bytes);
        self.0.total.fetch_max(total, Ordering::Relaxed);
    }

    /// Counts bytes that were read.
    pub fn add(&self, bytes: u64) {
        self.0.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns the number of bytes that were read, and the total number of bytes announced so far.
    pub fn bytes(&self) -> (u64, u64) {
        let read = self.0.read.load(Ordering::Relaxed);
        // Files may grow while they are read.
        (read, self.0.total.load(Ordering::Relaxed).max(read))
    }

    /// Sets the current stage, such as `Decoding textures`.
    pub fn set_stage(&self, stage: &'static str) {
        *self.0.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
    }

    /// Returns the current stage, which is empty until one is set.
    pub fn stage(&self) -> &'static str {
        *self.0.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_bytes_stage_and_stop() {
        let progress = Progress::default();
        let other = progress.clone();
        progress.expect(10);
        progress.add(4);
        // Read a second file of 20 bytes.
        progress.add(6);
        progress.expect(20);
        progress.set_stage("Reading");
        assert_eq!((other.bytes(), other.stage(), other.check()), ((10, 30), "Reading", Ok(())));
        progress.add(90);
        assert_eq!(other.bytes(), (100, 100));
        other.stop();
        assert_eq!(progress.check(), Err(Stopped));
    }
}
