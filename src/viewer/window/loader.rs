//! Reads characters and decodes their textures on background threads, so that the window stays responsive.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use glam::Vec2;

use crate::asset::{Character, load_in_units};
use crate::export::bake::{Source, is_take};
use crate::export::{MAX_POSE_BYTES, StoredPose};
use crate::files::bounded;
use crate::render::{DecodedImages, ShadingMode};
use crate::rig::Rig;
use crate::text::printable;
use crate::viewer::{AddedClips, Command, Recording, Replay, Session, folder};
use crate::{asset, rig};

/// Maximum number of background threads. A read cannot be cancelled, and with a second thread the next read does not
/// have to wait for it. More threads would only fill memory with characters that are no longer needed, and the
/// allocator keeps one heap for each thread that was running at the peak.
const MAX_THREADS: usize = 2;

/// Reads files in the background. Only the latest request counts.
pub struct CharacterLoader {
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<()>>,
    reading: Option<PathBuf>,
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

struct ReadRequest {
    path: PathBuf,
    /// Whether a recorded session is delivered at its start.
    watches: bool,
    reloads: bool,
    units: Option<f64>,
    size: Vec2,
    current: Option<CurrentCharacter>,
}

/// The character that is shown while a file is read.
struct CurrentCharacter {
    character: Arc<Character>,
    rig: Arc<Rig>,
    additions: Vec<AddedClips>,
}

/// The result of reading a file.
pub struct LoadResult {
    serial: u64,
    /// The path that was read.
    pub path: PathBuf,
    /// Whether the file was already shown and this is a reload.
    pub reloads: bool,
    /// The contents, or the reason for the failure in one line.
    pub outcome: Result<LoadedFile, String>,
}

/// The contents of a file.
pub enum LoadedFile {
    /// A character at rest, with its decoded textures.
    Character(Box<Session>, DecodedImages),
    /// A project, or a recorded session at its end, with its decoded textures, and warnings of one line each.
    Project(Box<Session>, DecodedImages, Vec<String>),
    /// A recorded session at its start, with its length and its decoded textures.
    Watch(Box<Replay>, Duration, DecodedImages),
    /// Clips without a character, retargeted to the one that is shown.
    Clips(Box<AddedClips>),
    /// A pose for the character that is shown.
    Pose(Box<StoredPose>),
}

/// The stage of a load, which the loading thread sets and the window shows.
#[derive(Clone, Debug)]
pub struct LoadStage(Arc<Mutex<&'static str>>);

impl Default for LoadStage {
    fn default() -> Self {
        Self(Arc::new(Mutex::new("Reading the file")))
    }
}

impl LoadStage {
    /// Sets a description such as `Decoding textures`.
    pub fn set(&self, stage: &'static str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = stage;
    }

    pub(super) fn get(&self) -> &'static str {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
            .finish_non_exhaustive()
    }
}

impl CharacterLoader {
    /// Creates a loader, which calls `deliver` on a background thread with each result, which must then be passed to
    /// [`CharacterLoader::accept`].
    pub fn new(deliver: impl Fn(LoadResult) + Send + Sync + 'static) -> Self {
        let queue = Queue { state: Mutex::default(), wakeup: Condvar::new(), deliver: Box::new(deliver) };
        Self { queue: Arc::new(queue), threads: Vec::new(), reading: None }
    }

    /// Returns the file that is being read.
    pub fn reading(&self) -> Option<&Path> {
        self.reading.as_deref()
    }

    /// Starts to read a file and its rig, for a view of `size` pixels. `reloads` marks a reload. The result of a read
    /// in progress will be dropped, and a request that no thread has taken yet is not read. `units` works as in
    /// [`load_in_units`].
    ///
    /// # Errors
    /// Fails if no thread can be started.
    pub fn start(&mut self, path: &Path, reloads: bool, units: Option<f64>, size: Vec2) -> io::Result<()> {
        self.request(ReadRequest {
            path: path.to_owned(),
            watches: false,
            reloads,
            units,
            size,
            current: None,
        })
    }

    /// Starts to read a recorded session, which is delivered as a replay at its start.
    ///
    /// # Errors
    /// Same as [`CharacterLoader::start`].
    pub fn start_watching(&mut self, path: &Path, size: Vec2) -> io::Result<()> {
        let path = path.to_owned();
        self.request(ReadRequest { path, watches: true, reloads: false, units: None, size, current: None })
    }

    /// Starts to read a file while a session is shown. A file that contains only motion is retargeted to the session's
    /// character. A reloaded character keeps its units, and the clips that were added to it. Otherwise this is the same
    /// as [`CharacterLoader::start`].
    ///
    /// # Errors
    /// Same as [`CharacterLoader::start`].
    pub fn start_beside(&mut self, path: &Path, reloads: bool, session: &Session) -> io::Result<()> {
        let character = session.puppet().shared_character();
        let units = character.units.filter(|_| reloads);
        let (rig, additions) = (Arc::clone(&session.loaded_rig), session.additions().to_vec());
        let current = Some(CurrentCharacter { character, rig, additions });
        let (path, size) = (path.to_owned(), session.size());
        self.request(ReadRequest { path, watches: false, reloads, units, size, current })
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

    /// Cancels the read in progress. Returns whether there was one.
    pub fn cancel(&mut self) -> bool {
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

    /// Waits for the next request and returns it with its number. Returns `None` when the loader was dropped.
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
                let ReadRequest { path, reloads, .. } = request;
                (self.deliver)(LoadResult { serial, path, reloads, outcome });
            }
        }
    }
}

/// Reads a file. Returns `None` if a newer request has made the result obsolete.
fn read(request: &ReadRequest, is_wanted: impl Fn() -> bool) -> Option<Result<LoadedFile, String>> {
    let ReadRequest { path, watches, reloads, units, size, current } = request;
    if folder::is_own(path) {
        let read = read_recording(path, *watches, *size, is_wanted).transpose()?;
        return Some(read.map_err(|e| one_line(&e)));
    }
    if folder::is_pose(path) {
        return Some(read_pose(path).map(|pose| LoadedFile::Pose(Box::new(pose))));
    }
    if is_take(path) {
        return Some(read_take(path, current.as_ref()));
    }
    let loaded = if path == Path::new(asset::MANNEQUIN_PATH) {
        asset::mannequin()
    } else {
        load_in_units(path, *units)
    };
    let character = match loaded {
        Ok(character) => character,
        Err(error) => return Some(Err(one_line(&error))),
    };
    if !is_wanted() {
        return None;
    }
    let part_count = |c: &Character| c.parts(c.default_scene).len();
    let is_motion = part_count(&character) == 0 && !character.clips.is_empty();
    if let Some(current) = current.as_ref().filter(|s| is_motion && !reloads && part_count(&s.character) > 0)
    {
        let source = Arc::new(Source::Character(Box::new(character.clone())));
        // A motion that does not fit the character is shown as a character.
        if let Ok(addition) = AddedClips::new(path, source, &current.character, &current.rig, false) {
            return Some(Ok(LoadedFile::Clips(Box::new(addition))));
        }
    }
    let rig = match rig::load(&character, None) {
        Ok(rig) => rig,
        Err(error) => return Some(Err(one_line(&error))),
    };
    let mut session = Session::new(character, Some(rig), *size);
    if let Some(current) = current.as_ref().filter(|_| *reloads) {
        // Errors are reported by `Session::take_over`.
        drop(session.reapply_added_clips(&current.additions));
    }
    if !is_wanted() {
        return None;
    }
    let images = decode(&session);
    Some(Ok(LoadedFile::Character(Box::new(session), images)))
}

/// Decodes the textures of a session's character.
pub(super) fn decode(session: &Session) -> DecodedImages {
    let puppet = session.puppet();
    DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded)
}

/// Reads a project, or a recorded session up to its end. Returns `None` if a newer request has made the result obsolete.
fn read_recording(
    path: &Path,
    watches: bool,
    size: Vec2,
    is_wanted: impl Fn() -> bool,
) -> Result<Option<LoadedFile>, Box<dyn std::error::Error>> {
    let recording = Recording::open(path)?;
    let character = match recording.character() {
        Some(file) => load_in_units(&file, recording.units())?,
        None => asset::mannequin()?,
    };
    if !is_wanted() {
        return Ok(None);
    }
    let rig = rig::load(&character, None)?;
    let warnings = recording.warnings(&character, &rig);
    let mut replay = Replay::new(&recording, character, rig)?;
    if watches && !recording.is_project() {
        replay.advance(Duration::ZERO)?;
        let images = decode(replay.session());
        return Ok(Some(LoadedFile::Watch(Box::new(replay), recording.length(), images)));
    }
    replay.advance(recording.length())?;
    let mut session = replay.into_session();
    session.apply(Command::Release);
    session.apply(Command::Resize(size));
    let images = decode(&session);
    Ok(Some(LoadedFile::Project(Box::new(session), images, warnings)))
}

/// Reads a recorded take and retargets it to the character that is shown.
fn read_take(path: &Path, current: Option<&CurrentCharacter>) -> Result<LoadedFile, String> {
    let with_path = |e: &dyn fmt::Display| one_line(&format!("{}: {e}", path.display()));
    let current =
        current.ok_or_else(|| with_path(&"a take can only be opened while a character is shown"))?;
    let source = Arc::new(Source::load(path).map_err(|e| one_line(&e))?);
    let addition =
        AddedClips::new(path, source, &current.character, &current.rig, false).map_err(|e| with_path(&e))?;
    Ok(LoadedFile::Clips(Box::new(addition)))
}

/// Reads an exported pose.
fn read_pose(path: &Path) -> Result<StoredPose, String> {
    let with_path = |e: &dyn fmt::Display| one_line(&format!("{}: {e}", path.display()));
    let bytes = bounded::read_regular(path, MAX_POSE_BYTES as u64).map_err(|e| with_path(&e))?;
    let text = String::from_utf8(bytes).map_err(|_| with_path(&"not UTF-8 text"))?;
    StoredPose::read(&text).map_err(|e| with_path(&e))
}

fn one_line(error: &impl fmt::Display) -> String {
    printable::line(&error.to_string()).into_owned()
}
