//! A recorded session, played back: the same commands at the same times leave the same bits.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use glam::Vec2;

use crate::asset::Character;
use crate::bake::Source;
use crate::rig::Rig;
use crate::{bounded, printable};

use super::recording::{FORMAT, Header, LATEST, LONGEST, Line};
use super::session::MOST_ADDITIONS;
use super::{Addition, Command, Session, fingerprint};

mod error;

pub(super) use error::LineError;
pub use error::ReplayError;

/// One thing that was done, or the end.
type Step = (Duration, Option<Command>);

/// The lines of a session's file, one at a time.
#[derive(Debug)]
struct Lines {
    path: PathBuf,
    file: BufReader<File>,
    buffer: Vec<u8>,
    number: usize,
    last: f64,
    /// Whether the last line has no end: whoever wrote it was stopped.
    cut: bool,
}

impl Lines {
    fn open(path: &Path) -> Result<Self, ReplayError> {
        // It is read twice.
        let file = bounded::open_regular(path);
        let file = file.map_err(|source| ReplayError::Read { path: path.into(), source })?;
        let file = BufReader::new(file);
        Ok(Self { path: path.into(), file, buffer: Vec::new(), number: 0, last: 0.0, cut: false })
    }

    fn fault(&self, cause: LineError) -> ReplayError {
        ReplayError::Line { path: self.path.clone(), line: self.number, cause }
    }

    /// Whether there is another line; it is then in the buffer.
    fn advance(&mut self) -> Result<bool, ReplayError> {
        loop {
            self.buffer.clear();
            self.number += 1;
            let read = self.file.by_ref().take(LONGEST + 1).read_until(b'\n', &mut self.buffer);
            read.map_err(|source| ReplayError::Read { path: self.path.clone(), source })?;
            let whole = self.buffer.pop_if(|end| *end == b'\n').is_some();
            if !whole && self.buffer.len() as u64 > LONGEST {
                return Err(self.fault(LineError::Long));
            }
            if self.buffer.is_empty() && !whole {
                // There is no such line.
                self.number = (self.number - 1).max(1);
                return Ok(false);
            }
            if !self.buffer.trim_ascii().is_empty() {
                self.cut = !whole;
                return Ok(true);
            }
        }
    }

    fn header(&mut self) -> Result<Header, ReplayError> {
        let there = self.advance()?;
        let value: serde_json::Value = serde_json::from_slice(&self.buffer).unwrap_or_default();
        let format = value.get("format").and_then(|f| f.as_str()).filter(|f| f.starts_with("sinew-session-"));
        match format.filter(|_| there) {
            None => return Err(self.fault(LineError::Format)),
            Some(FORMAT) => {}
            Some(other) => return Err(self.fault(LineError::Version(other.chars().take(40).collect()))),
        }
        let header: Header = serde_json::from_slice(&self.buffer).map_err(|e| self.fault(e.into()))?;
        match header.fault() {
            Some(fault) => Err(self.fault(fault)),
            None => Ok(header),
        }
    }

    fn step(&mut self) -> Result<Option<Step>, ReplayError> {
        if !self.advance()? {
            return Ok(None);
        }
        let line: Line<Command> = match serde_json::from_slice(&self.buffer) {
            Ok(line) => line,
            Err(_) if self.cut => return Ok(None),
            Err(error) => return Err(self.fault(error.into())),
        };
        if !(self.last..=LATEST).contains(&line.at) {
            return Err(self.fault(LineError::Time(line.at)));
        }
        if let Some(fault) = line.command.as_ref().and_then(Command::fault) {
            return Err(self.fault(LineError::Value(fault)));
        }
        self.last = line.at;
        Ok(Some((Duration::from_secs_f64(line.at), line.command)))
    }
}

/// A session's file that has been read through and found sound. It may be of any length: it is read again while it
/// is played.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    header: Header,
    length: Duration,
    cut: bool,
    /// What is added to the character's clips, each file once.
    sources: Vec<Named>,
}

/// A file of clips that a session names.
#[derive(Debug)]
struct Named {
    line: usize,
    /// As the session names it, and its fingerprint there.
    file: PathBuf,
    fingerprint: String,
    keep_hands: bool,
    source: Arc<Source>,
}

impl Recording {
    /// Reads a session's file through, and the files of clips that it names. A last line that was cut off is left out.
    ///
    /// # Errors
    /// [`ReplayError`], with the first line that will not do.
    pub fn open(path: &Path) -> Result<Self, ReplayError> {
        let mut lines = Lines::open(path)?;
        let header = lines.header()?;
        let mut length = Duration::ZERO;
        let (mut sources, mut added) = (Vec::<Named>::new(), 0);
        while let Some((at, command)) = lines.step()? {
            length = at;
            let Some(Command::Add(addition)) = command else { continue };
            let Addition { file, fingerprint, keep_hands, .. } = *addition;
            added += 1;
            // What comes after so many is not added.
            if added > MOST_ADDITIONS
                || sources.iter().any(|s| (&s.file, s.keep_hands) == (&file, keep_hands))
            {
                continue;
            }
            let source = Source::load(&beside(path, &file));
            let source = source.map_err(|e| lines.fault(LineError::Clips(one_line(&e))))?;
            sources.push(Named {
                line: lines.number,
                file,
                fingerprint,
                keep_hands,
                source: Arc::new(source),
            });
        }
        Ok(Self { path: path.into(), header, length, cut: lines.cut, sources })
    }

    /// The file of its character; `None`: the one inside the program.
    pub fn character(&self) -> Option<PathBuf> {
        self.header.character.as_ref().map(|file| beside(&self.path, Path::new(file)))
    }

    /// How long it ran.
    pub fn length(&self) -> Duration {
        self.length
    }

    /// What may make it look unlike what was seen, a line each.
    pub fn warnings(&self, character: &Character, rig: &Rig) -> Vec<String> {
        let mut warnings = Vec::new();
        let path = self.path.display();
        if fingerprint::of(character, &character.clips, rig) != self.header.fingerprint {
            let name = character.path.display();
            warnings.push(format!("{path}: {name} or its rig is not what it was when this was recorded"));
        }
        for named in &self.sources {
            if fingerprint::of_source(&named.source) != named.fingerprint {
                let file = beside(&self.path, &named.file);
                let file = file.display();
                warnings.push(format!("{path}: {file} is not what it was when this was recorded"));
            }
        }
        if self.cut {
            warnings.push(format!("{path}: the last line is cut off"));
        }
        warnings
    }
}

/// A file that a session names, seen from where the program is.
fn beside(session: &Path, file: &Path) -> PathBuf {
    session.parent().unwrap_or(Path::new("")).join(file)
}

fn one_line(error: &impl std::fmt::Display) -> String {
    printable::cause(&error.to_string())
}

/// A session that does again what was recorded.
#[derive(Debug)]
pub struct Replay {
    session: Session,
    lines: Lines,
    next: Option<Step>,
    /// Clips of files, as the character's.
    shelf: Vec<Addition>,
}

impl Replay {
    /// A character as it was before the first command.
    ///
    /// # Errors
    /// [`ReplayError`] where the file cannot be read again, or clips of another file cannot be put on the character.
    pub fn new(
        recording: &Recording,
        character: impl Into<Arc<Character>>,
        rig: Rig,
    ) -> Result<Self, ReplayError> {
        let mut lines = Lines::open(&recording.path)?;
        let header = lines.header()?;
        let mut session = Session::new(character, Some(rig), Vec2::from_array(header.size));
        session.apply(Command::Scale(header.scale));
        let put_on = |named: &Named| {
            session.addition(&named.file, Arc::clone(&named.source), named.keep_hands).map_err(|e| {
                let file = named.file.display();
                let cause = LineError::Clips(format!("{file}: {}", one_line(&e)));
                ReplayError::Line { path: recording.path.clone(), line: named.line, cause }
            })
        };
        let shelf = recording.sources.iter().map(put_on).collect::<Result<_, _>>()?;
        let next = lines.step()?;
        Ok(Self { session, lines, next, shelf })
    }

    /// Goes on to a time since the recording began: all that was done by then has been done, and a clip stands where
    /// it then stood. Times before the last one change nothing.
    ///
    /// Over which times it is reached makes no difference to any bit.
    ///
    /// # Errors
    /// [`ReplayError`] where the file has become another meanwhile.
    pub fn advance(&mut self, to: Duration) -> Result<(), ReplayError> {
        while let Some((at, command)) = self.next.take_if(|(at, _)| *at <= to) {
            self.next = self.lines.step()?;
            // Of a pointer that only moves, all that is left is where it is in the end: to look what is under it is slow.
            let hovers = |command: &Option<Command>| matches!(command, Some(Command::Hover(_)));
            if hovers(&command) && self.next.as_ref().is_some_and(|(at, next)| *at <= to && hovers(next)) {
                continue;
            }
            self.session.advance(at);
            let known =
                |a: &Addition| self.shelf.iter().find(|k| (&k.file, k.keep_hands) == (&a.file, a.keep_hands));
            match command {
                Some(Command::Add(addition)) => {
                    if let Some(known) = known(&addition) {
                        self.session.apply(Command::Add(Box::new(addition.filled(known))));
                    }
                }
                Some(command) => self.session.apply(command),
                None => {}
            }
        }
        self.session.advance(to);
        Ok(())
    }

    /// As it now stands.
    pub fn session(&self) -> &Session {
        &self.session
    }
}
