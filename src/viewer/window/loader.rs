//! Reads characters and decodes their textures on background threads, so that the window stays responsive.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use glam::Vec2;

use crate::Session;
use crate::asset::References;
use crate::files::Progress;
use crate::platform::{HAS_THREADS, Task, spawn};

mod read;

pub(super) use read::decode;
#[cfg(target_arch = "wasm32")]
pub(super) use read::read_session;
pub use read::{LoadedFile, SessionImages};
use read::{ReadRequest, read};

/// Maximum number of background threads. A second thread lets the next read start before a cancelled read has stopped. More threads would
/// only use more memory, because the allocator keeps a heap for each thread that has run concurrently.
const MAX_THREADS: usize = 2;

/// Reads files in the background. A new request replaces the previous one.
pub struct CharacterLoader {
    queue: Arc<Queue>,
    threads: Vec<Task>,
    reading: Option<PathBuf>,
    /// Whether the latest request reads a model for a joint.
    attaches: bool,
    /// The progress of the latest request.
    progress: Progress,
    references: References,
}

/// The state that the loader shares with its threads.
struct Queue {
    state: Mutex<QueueState>,
    wakeup: Condvar,
    deliver: Box<dyn Fn(LoadResult) + Send + Sync>,
}

#[derive(Default)]
struct QueueState {
    /// The number of the latest request.
    newest: u64,
    /// The latest request, until a thread takes it.
    next: Option<ReadRequest>,
    /// Number of threads that wait for a request.
    idle: usize,
    closed: bool,
}

/// The result of reading a file.
pub struct LoadResult {
    serial: u64,
    /// The path that was read.
    pub path: PathBuf,
    /// Whether this reloads the file that is already shown.
    pub reloads: bool,
    /// Whether a joint is to carry the model of the file.
    pub attaches: bool,
    /// The contents, or a one-line reason for the failure.
    pub outcome: Result<LoadedFile, String>,
}

impl fmt::Debug for CharacterLoader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CharacterLoader").field("reading", &self.reading).finish_non_exhaustive()
    }
}

impl fmt::Debug for LoadResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadResult")
            .field("path", &self.path)
            .field("reloads", &self.reloads)
            .field("attaches", &self.attaches)
            .finish_non_exhaustive()
    }
}

impl CharacterLoader {
    /// Creates a loader. It calls `deliver` on a background thread with each result. Pass that result to
    /// [`CharacterLoader::accept`].
    pub fn new(deliver: impl Fn(LoadResult) + Send + Sync + 'static) -> Self {
        let queue = Queue { state: Mutex::default(), wakeup: Condvar::new(), deliver: Box::new(deliver) };
        Self {
            queue: Arc::new(queue),
            threads: Vec::new(),
            reading: None,
            attaches: false,
            progress: Progress::default(),
            references: References::default(),
        }
    }

    /// Sets the possible locations of the files that other files reference.
    pub fn set_references(&mut self, references: References) {
        self.references = references;
    }

    /// Returns the file that is being read.
    pub fn reading(&self) -> Option<&Path> {
        self.reading.as_deref()
    }

    /// Returns the file that is being read if a joint is to carry its model.
    pub fn attaching(&self) -> Option<&Path> {
        self.reading().filter(|_| self.attaches)
    }

    /// Returns the progress of the latest request.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Starts reading a file and its rig, for a view of `size` pixels. `reloads` marks a reload. A read in progress is stopped. `units` has
    /// the same meaning as in [`load_in_units`](crate::asset::load_in_units).
    ///
    /// # Errors
    /// Fails if no thread can be started.
    pub fn start(&mut self, path: &Path, reloads: bool, units: Option<f64>, size: Vec2) -> io::Result<()> {
        self.request(ReadRequest { reloads, units, ..ReadRequest::new(path, size) })
    }

    /// Starts reading a recorded session. The result is a replay at its start.
    ///
    /// # Errors
    /// Same as [`CharacterLoader::start`].
    pub fn start_watching(&mut self, path: &Path, size: Vec2) -> io::Result<()> {
        self.request(ReadRequest { watches: true, ..ReadRequest::new(path, size) })
    }

    /// Starts reading a file while a session is shown. A file that contains only motion is retargeted to the session's character. A
    /// reloaded character keeps its units and added clips. In other respects, this works like [`CharacterLoader::start`].
    ///
    /// # Errors
    /// Same as [`CharacterLoader::start`].
    pub fn start_beside(&mut self, path: &Path, reloads: bool, session: &Session) -> io::Result<()> {
        let units = session.puppet().character().units.filter(|_| reloads);
        self.request(ReadRequest { reloads, units, ..ReadRequest::beside(path, session) })
    }

    /// Starts reading the clips of a file, or only the clip with this name, and retargets them to a session's character.
    ///
    /// # Errors
    /// Same as [`CharacterLoader::start`].
    pub fn start_adding(&mut self, path: &Path, clip: Option<String>, session: &Session) -> io::Result<()> {
        self.request(ReadRequest { adds: Some(clip), ..ReadRequest::beside(path, session) })
    }

    /// Starts reading a model that a joint of the session's character is to carry. `prop_joint` is the name of the joint.
    ///
    /// # Errors
    /// Same as [`CharacterLoader::start`].
    pub fn start_attaching(&mut self, path: &Path, prop_joint: String, session: &Session) -> io::Result<()> {
        self.request(ReadRequest { prop_joint: Some(prop_joint), ..ReadRequest::beside(path, session) })
    }

    fn request(&mut self, request: ReadRequest) -> io::Result<()> {
        let request = ReadRequest { references: self.references.clone(), ..request };
        self.progress.stop();
        let mut state = self.queue.state();
        state.newest += 1;
        self.threads.retain(|thread| !thread.is_finished());
        if state.idle == 0 && self.threads.len() < MAX_THREADS {
            let queue = Arc::clone(&self.queue);
            match spawn("reading", move || queue.run()) {
                Ok(thread) => self.threads.push(thread),
                Err(error) if self.threads.is_empty() => {
                    self.reading = None;
                    return Err(error);
                }
                // The running thread will take the request.
                Err(_) => {}
            }
        }
        self.reading = Some(request.path.clone());
        self.attaches = request.prop_joint.is_some();
        self.progress = request.progress.clone();
        state.next = Some(request);
        self.queue.wakeup.notify_one();
        Ok(())
    }

    /// Cancels the read in progress. Returns whether there was one.
    pub fn cancel(&mut self) -> bool {
        self.progress.stop();
        let mut state = self.queue.state();
        state.newest += 1;
        state.next = None;
        self.reading.take().is_some()
    }

    /// Returns the result if it belongs to the latest request.
    pub fn accept(&mut self, read: LoadResult) -> Option<LoadResult> {
        let is_newest = self.queue.is_newest(read.serial);
        if is_newest {
            self.reading = None;
        }
        is_newest.then_some(read)
    }
}

impl Drop for CharacterLoader {
    /// Stops the read in progress without waiting for its thread.
    fn drop(&mut self) {
        self.progress.stop();
        self.queue.state().closed = true;
        self.queue.wakeup.notify_all();
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_newest(&self, serial: u64) -> bool {
        let state = self.state();
        state.newest == serial && !state.closed
    }

    /// Waits for the next request and returns it with its number. Returns `None` once the loader has been dropped.
    fn next(&self) -> Option<(u64, ReadRequest)> {
        let mut state = self.state();
        loop {
            if state.closed {
                return None;
            }
            if let Some(request) = state.next.take() {
                return Some((state.newest, request));
            }
            if !HAS_THREADS {
                return None;
            }
            state.idle += 1;
            state = self.wakeup.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    /// The main loop of a thread.
    fn run(&self) {
        while let Some((serial, request)) = self.next() {
            let outcome = read(&request);
            // The result of a stopped read is discarded.
            if !request.progress.is_stopped() {
                let ReadRequest { path, reloads, prop_joint, .. } = request;
                let attaches = prop_joint.is_some();
                (self.deliver)(LoadResult { serial, path, reloads, attaches, outcome });
            }
        }
    }
}

/// Returns why a request is refused while a file is being read: the request would cancel the read.
pub(super) fn still_reading(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    format!("{name} is still being read; Esc cancels it")
}
