//! Characters are read and their pictures decoded on threads of their own, so that the window goes on.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use glam::Vec2;

use crate::asset::load_in_units;
use crate::render::{Mode, Pictures};
use crate::rig;

use super::Session;

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
}

/// What came of reading a file.
pub struct Read {
    serial: u64,
    /// The file.
    pub path: PathBuf,
    /// Whether it is the one that was shown already.
    pub again: bool,
    /// The character at rest and its pictures, or in one line why not.
    pub outcome: Result<(Session, Pictures), String>,
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
        asked.next = Some(Question { path: path.to_owned(), again, units, size });
        self.reading = Some(path.to_owned());
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
        while let Some((serial, Question { path, again, units, size })) = self.next() {
            if let Some(outcome) = read(&path, units, size, || self.is_newest(serial)) {
                (self.tell)(Read { serial, path, again, outcome });
            }
        }
    }
}

/// `None`: nobody wants it any more.
fn read(
    path: &Path,
    units: Option<f64>,
    size: Vec2,
    wanted: impl Fn() -> bool,
) -> Option<Result<(Session, Pictures), String>> {
    let character = match load_in_units(path, units) {
        Ok(character) => character,
        Err(error) => return Some(Err(one_line(&error))),
    };
    if !wanted() {
        return None;
    }
    let rig = match rig::load(&character, None) {
        Ok(rig) => rig,
        Err(error) => return Some(Err(one_line(&error))),
    };
    let session = Session::new(character, Some(rig), size);
    if !wanted() {
        return None;
    }
    let puppet = session.puppet();
    let pictures = Pictures::decode(puppet.character(), puppet.parts(), Mode::Shaded);
    Some(Ok((session, pictures)))
}

fn one_line(error: &impl fmt::Display) -> String {
    error.to_string().replace('\n', " ")
}
