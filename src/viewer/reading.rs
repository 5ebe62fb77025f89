//! Characters are read and their pictures decoded on a thread of their own, so that the window goes on.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use glam::Vec2;

use crate::asset::load_in_units;
use crate::render::{Mode, Pictures};
use crate::rig;

use super::Session;

/// Reads characters, the newest that was asked for counting.
pub struct Reader {
    newest: Arc<AtomicU64>,
    reading: Option<PathBuf>,
    tell: Arc<dyn Fn(Read) + Send + Sync>,
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
        Self { newest: Arc::default(), reading: None, tell: Arc::new(tell) }
    }

    /// The file that is being read.
    pub fn reading(&self) -> Option<&Path> {
        self.reading.as_deref()
    }

    /// Starts to read a file and the rig beside it, for a picture of `size` pixels; `again`: it is shown already.
    /// What is being read meanwhile is no longer waited for. `units`: as for [`load_in_units`].
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn start(&mut self, path: &Path, again: bool, units: Option<f64>, size: Vec2) -> io::Result<()> {
        let serial = self.newest.fetch_add(1, Ordering::Relaxed) + 1;
        let (newest, tell, path) = (Arc::clone(&self.newest), Arc::clone(&self.tell), path.to_owned());
        self.reading = Some(path.clone());
        let work = move || {
            let wanted = || newest.load(Ordering::Relaxed) == serial;
            if let Some(outcome) = read(&path, units, size, wanted) {
                tell(Read { serial, path, again, outcome });
            }
        };
        let started = thread::Builder::new().name("reading".into()).spawn(work);
        if started.is_err() {
            self.reading = None;
        }
        started.map(drop)
    }

    /// What was read, if nothing else has been asked for since.
    pub fn accept(&mut self, read: Read) -> Option<Read> {
        let newest = self.newest.load(Ordering::Relaxed) == read.serial;
        if newest {
            self.reading = None;
        }
        newest.then_some(read)
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
