//! Characters are read and their pictures decoded on threads of their own, so that the window goes on.

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

/// Threads that read. What is read cannot be stopped, and a second one need not wait for it; more would only fill memory
/// with characters that nobody wants any more, and the allocator keeps a heap for each of the most that ever ran at once.
const READERS: usize = 2;

/// Reads characters, the newest that was asked for counting.
pub struct Reader {
    desk: Arc<Desk>,
    readers: Vec<JoinHandle<()>>,
    reading: Option<PathBuf>,
}

/// Where readers find what to read next, and tell what came of it.
struct Desk {
    asked: Mutex<Asked>,
    called: Condvar,
    tell: Box<dyn Fn(Read) + Send + Sync>,
}

#[derive(Default)]
struct Asked {
    /// The number of the newest question.
    newest: u64,
    /// It, until somebody takes it.
    next: Option<Question>,
    /// Readers that wait for one.
    idle: usize,
    closed: bool,
}

struct Question {
    path: PathBuf,
    again: bool,
    units: Option<f64>,
    size: Vec2,
    shown: Option<Shown>,
}

/// Who is shown while a file is read.
struct Shown {
    character: Arc<Character>,
    rig: Arc<Rig>,
    additions: Vec<Addition>,
}

/// What came of reading a file.
pub struct Read {
    serial: u64,
    /// The file.
    pub path: PathBuf,
    /// Whether it is the one that was shown already.
    pub again: bool,
    /// What it holds, or in one line why nothing.
    pub outcome: Result<Found, String>,
}

/// What a file holds.
pub enum Found {
    /// A character at rest, and its pictures.
    Character(Box<Session>, Pictures),
    /// Motion alone, put on the character that is shown.
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
    /// One that tells, on a thread of its own, what came of it. What that is goes to [`Reader::accept`].
    pub fn new(tell: impl Fn(Read) + Send + Sync + 'static) -> Self {
        let desk = Desk { asked: Mutex::default(), called: Condvar::new(), tell: Box::new(tell) };
        Self { desk: Arc::new(desk), readers: Vec::new(), reading: None }
    }

    /// The file that is being read.
    pub fn reading(&self) -> Option<&Path> {
        self.reading.as_deref()
    }

    /// Starts to read a file and the rig beside it, for a picture of `size` pixels; `again`: it is shown already.
    /// What is being read meanwhile is no longer waited for, and what nobody has begun to read is not read at all. `units`: as for [`load_in_units`].
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn start(&mut self, path: &Path, again: bool, units: Option<f64>, size: Vec2) -> io::Result<()> {
        self.ask(Question { path: path.to_owned(), again, units, size, shown: None })
    }

    /// The same while a session is shown: a file of motion alone is then put on its character, and what was added to
    /// that comes to the same character read `again`, which keeps its units.
    ///
    /// # Errors
    /// As [`Reader::start`].
    pub fn start_beside(&mut self, path: &Path, again: bool, session: &Session) -> io::Result<()> {
        let character = session.puppet().shared_character();
        let units = character.units.filter(|_| again);
        let (rig, additions) = (Arc::clone(&session.loaded_rig), session.additions().to_vec());
        let shown = Some(Shown { character, rig, additions });
        self.ask(Question { path: path.to_owned(), again, units, size: session.size(), shown })
    }

    fn ask(&mut self, question: Question) -> io::Result<()> {
        let mut asked = self.desk.asked();
        asked.newest += 1;
        self.readers.retain(|reader| !reader.is_finished());
        if asked.idle == 0 && self.readers.len() < READERS {
            let desk = Arc::clone(&self.desk);
            match thread::Builder::new().name("reading".into()).spawn(move || desk.serve()) {
                Ok(reader) => self.readers.push(reader),
                Err(error) if self.readers.is_empty() => {
                    self.reading = None;
                    return Err(error);
                }
                // Whoever reads now comes to it.
                Err(_) => {}
            }
        }
        self.reading = Some(question.path.clone());
        asked.next = Some(question);
        self.desk.called.notify_one();
        Ok(())
    }

    /// What was read, if nothing else has been asked for since.
    pub fn accept(&mut self, read: Read) -> Option<Read> {
        let newest = self.desk.is_newest(read.serial);
        if newest {
            self.reading = None;
        }
        newest.then_some(read)
    }
}

impl Drop for Reader {
    /// Nobody waits for a reader that is at work: it ends by itself.
    fn drop(&mut self) {
        self.desk.asked().closed = true;
        self.desk.called.notify_all();
    }
}

impl Desk {
    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_newest(&self, serial: u64) -> bool {
        let asked = self.asked();
        asked.newest == serial && !asked.closed
    }

    /// The next question and its number, when there is one; `None`: there will be no more.
    fn next(&self) -> Option<(u64, Question)> {
        let mut asked = self.asked();
        loop {
            if asked.closed {
                return None;
            }
            if let Some(question) = asked.next.take() {
                return Some((asked.newest, question));
            }
            asked.idle += 1;
            asked = self.called.wait(asked).unwrap_or_else(PoisonError::into_inner);
            asked.idle -= 1;
        }
    }

    /// What a reader does.
    fn serve(&self) {
        while let Some((serial, question)) = self.next() {
            if let Some(outcome) = read(&question, || self.is_newest(serial)) {
                let Question { path, again, .. } = question;
                (self.tell)(Read { serial, path, again, outcome });
            }
        }
    }
}

/// `None`: nobody wants it any more.
fn read(question: &Question, wanted: impl Fn() -> bool) -> Option<Result<Found, String>> {
    let Question { path, again, units, size, shown } = question;
    if is_take(path) {
        return Some(take(path, shown.as_ref()));
    }
    let character = match load_in_units(path, *units) {
        Ok(character) => character,
        Err(error) => return Some(Err(one_line(&error))),
    };
    if !wanted() {
        return None;
    }
    let parts = |c: &Character| c.parts(c.default_scene).len();
    let is_motion = parts(&character) == 0 && !character.clips.is_empty();
    if let Some(shown) = shown.as_ref().filter(|s| is_motion && !again && parts(&s.character) > 0) {
        let source = Arc::new(Source::Character(Box::new(character.clone())));
        // What cannot be put on is shown by itself.
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
        // What cannot be is told by whoever takes it over.
        drop(session.add_again(&shown.additions));
    }
    if !wanted() {
        return None;
    }
    let puppet = session.puppet();
    let pictures = Pictures::decode(puppet.character(), puppet.parts(), Mode::Shaded);
    Some(Ok(Found::Character(Box::new(session), pictures)))
}

/// What sensors saw, on the character that is shown.
fn take(path: &Path, shown: Option<&Shown>) -> Result<Found, String> {
    let told = |e: &dyn fmt::Display| one_line(&format!("{}: {e}", path.display()));
    let shown = shown.ok_or_else(|| told(&"a take needs a character that it is put on"))?;
    let source = Arc::new(Source::load(path).map_err(|e| one_line(&e))?);
    let addition = Addition::new(path, source, &shown.character, &shown.rig, false).map_err(|e| told(&e))?;
    Ok(Found::Clips(Box::new(addition)))
}

fn one_line(error: &impl fmt::Display) -> String {
    printable::line(&error.to_string()).into_owned()
}
