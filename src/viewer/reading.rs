//! Reads characters and decodes their textures on background threads, so that the window stays responsive.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use glam::Vec2;

use crate::asset::{Character, load_in_units};
use crate::bake::{Source, is_take};
use crate::printable;
use crate::render::{Mode, Pictures};
use crate::rig::{self, Rig};

use super::{Addition, Session};

/// Maximum number of background threads. A read cannot be cancelled, and with a second thread the next read does not have
/// to wait for it. More threads would only fill memory with characters that are no longer needed, and the allocator keeps
/// one heap for each thread of the peak.
const MAX_THREADS: usize = 2;

/// Reads characters in the background. Only the latest request counts.
pub struct Reader {
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<()>>,
    reading: Option<PathBuf>,
}

/// The state that the reader shares with its threads.
struct Queue {
    state: Mutex<QueueState>,
    wakeup: Condvar,
    deliver: Box<dyn Fn(Read) + Send + Sync>,
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

struct ReadRequest {
    path: PathBuf,
    again: bool,
    units: Option<f64>,
    size: Vec2,
    shown: Option<ShownCharacter>,
}

/// The character that is shown while a file is read.
struct ShownCharacter {
    character: Arc<Character>,
    rig: Arc<Rig>,
    additions: Vec<Addition>,
}

/// The result of reading a file.
pub struct Read {
    serial: u64,
    /// The path that was read.
    pub path: PathBuf,
    /// Whether the file was already shown and this is a reload.
    pub again: bool,
    /// The contents, or the reason for the failure in one line.
    pub outcome: Result<Found, String>,
}

/// The contents of a file.
pub enum Found {
    /// A character at rest, with its decoded textures.
    Character(Box<Session>, Pictures),
    /// Clips without a character, retargeted to the one that is shown.
    Clips(Box<Addition>),
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("reading", &self.reading).finish_non_exhaustive()
    }
}

impl fmt::Debug for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Read").field("path", &self.path).field("again", &self.again).finish_non_exhaustive()
    }
}

impl Reader {
    /// Creates a reader. It calls `deliver` on a background thread with each result, which must then be passed to
    /// [`Reader::accept`].
    pub fn new(deliver: impl Fn(Read) + Send + Sync + 'static) -> Self {
        let queue = Queue { state: Mutex::default(), wakeup: Condvar::new(), deliver: Box::new(deliver) };
        Self { queue: Arc::new(queue), threads: Vec::new(), reading: None }
    }

    /// Returns the file that is being read.
    pub fn reading(&self) -> Option<&Path> {
        self.reading.as_deref()
    }

    /// Starts to read a file and its rig, for a view of `size` pixels. `again` marks a reload. The result of a read in
    /// progress will be dropped, and a request that no thread has taken yet is not read. `units` works as in [`load_in_units`].
    ///
    /// # Errors
    /// Fails if no thread can be started.
    pub fn start(&mut self, path: &Path, again: bool, units: Option<f64>, size: Vec2) -> io::Result<()> {
        self.request(ReadRequest { path: path.to_owned(), again, units, size, shown: None })
    }

    /// Does the same as [`Reader::start`] while a session is shown. A file that has only motion is retargeted to the
    /// session's character. A reload gets the same additions and keeps its units.
    ///
    /// # Errors
    /// Same as [`Reader::start`].
    pub fn start_beside(&mut self, path: &Path, again: bool, session: &Session) -> io::Result<()> {
        let character = session.puppet().shared_character();
        let units = character.units.filter(|_| again);
        let (rig, additions) = (Arc::clone(&session.loaded_rig), session.additions().to_vec());
        let shown = Some(ShownCharacter { character, rig, additions });
        self.request(ReadRequest { path: path.to_owned(), again, units, size: session.size(), shown })
    }

    fn request(&mut self, request: ReadRequest) -> io::Result<()> {
        let mut state = self.queue.state();
        state.newest += 1;
        self.threads.retain(|thread| !thread.is_finished());
        if state.idle == 0 && self.threads.len() < MAX_THREADS {
            let queue = Arc::clone(&self.queue);
            match thread::Builder::new().name("reading".into()).spawn(move || queue.run()) {
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
        state.next = Some(request);
        self.queue.wakeup.notify_one();
        Ok(())
    }

    /// Returns the result if it belongs to the latest request.
    pub fn accept(&mut self, read: Read) -> Option<Read> {
        let is_newest = self.queue.is_newest(read.serial);
        if is_newest {
            self.reading = None;
        }
        is_newest.then_some(read)
    }
}

impl Drop for Reader {
    /// Does not wait for running threads. They end after their current read.
    fn drop(&mut self) {
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

    /// Waits for the next request and returns it with its number. Returns `None` when the reader was dropped.
    fn next(&self) -> Option<(u64, ReadRequest)> {
        let mut state = self.state();
        loop {
            if state.closed {
                return None;
            }
            if let Some(request) = state.next.take() {
                return Some((state.newest, request));
            }
            state.idle += 1;
            state = self.wakeup.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    /// The main loop of a thread.
    fn run(&self) {
        while let Some((serial, request)) = self.next() {
            if let Some(outcome) = read(&request, || self.is_newest(serial)) {
                let ReadRequest { path, again, .. } = request;
                (self.deliver)(Read { serial, path, again, outcome });
            }
        }
    }
}

/// Reads a file. Returns `None` if a newer request has made the result obsolete.
fn read(request: &ReadRequest, is_wanted: impl Fn() -> bool) -> Option<Result<Found, String>> {
    let ReadRequest { path, again, units, size, shown } = request;
    if is_take(path) {
        return Some(read_take(path, shown.as_ref()));
    }
    let character = match load_in_units(path, *units) {
        Ok(character) => character,
        Err(error) => return Some(Err(one_line(&error))),
    };
    if !is_wanted() {
        return None;
    }
    let part_count = |c: &Character| c.parts(c.default_scene).len();
    let is_motion = part_count(&character) == 0 && !character.clips.is_empty();
    if let Some(shown) = shown.as_ref().filter(|s| is_motion && !again && part_count(&s.character) > 0) {
        let source = Arc::new(Source::Character(Box::new(character.clone())));
        // A motion that does not fit the character is shown as a character.
        if let Ok(addition) = Addition::new(path, source, &shown.character, &shown.rig, false) {
            return Some(Ok(Found::Clips(Box::new(addition))));
        }
    }
    let rig = match rig::load(&character, None) {
        Ok(rig) => rig,
        Err(error) => return Some(Err(one_line(&error))),
    };
    let mut session = Session::new(character, Some(rig), *size);
    if let Some(shown) = shown.as_ref().filter(|_| *again) {
        // Errors are reported by `Session::take_over`.
        drop(session.add_again(&shown.additions));
    }
    if !is_wanted() {
        return None;
    }
    let puppet = session.puppet();
    let pictures = Pictures::decode(puppet.character(), puppet.parts(), Mode::Shaded);
    Some(Ok(Found::Character(Box::new(session), pictures)))
}

/// Reads a recorded take and retargets it to the character that is shown.
fn read_take(path: &Path, shown: Option<&ShownCharacter>) -> Result<Found, String> {
    let with_path = |e: &dyn fmt::Display| one_line(&format!("{}: {e}", path.display()));
    let shown = shown.ok_or_else(|| with_path(&"a take can only be opened while a character is shown"))?;
    let source = Arc::new(Source::load(path).map_err(|e| one_line(&e))?);
    let addition =
        Addition::new(path, source, &shown.character, &shown.rig, false).map_err(|e| with_path(&e))?;
    Ok(Found::Clips(Box::new(addition)))
}

fn one_line(error: &impl fmt::Display) -> String {
    printable::line(&error.to_string()).into_owned()
}
