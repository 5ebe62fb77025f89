//! Replays a recorded session, or restores a project. The same commands at the same times give bit-identical results.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use glam::Vec2;

use crate::asset::{Character, References};
use crate::export::bake::Source;
use crate::files::{Progress, beside};
use crate::rig::Rig;
use crate::text::printable;

use super::project::{Project, ProjectClips, is_project};
use super::session::added_clips::{MAX_ADDITIONS, is_built_in};
use super::session::fingerprint;
use super::session::recorder::names::SessionNames;
use super::session::recorder::{FORMAT, Header};
use super::{AddedClips, Command, Session};

mod lines;

use lines::{SessionLines, TimedCommand};

pub(super) use crate::session::recorder::error::LineError;
pub use crate::session::recorder::error::ReplayError;

/// A validated session file, or a project. A session may be too long for memory, so its commands are read again during the replay.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    header: Header,
    length: Duration,
    truncated: bool,
    /// The project, if the file is a project.
    project: Option<Project>,
    /// The files whose clips were added, without duplicates.
    sources: Vec<ClipSource>,
}

/// A file whose clips were added.
#[derive(Debug)]
struct ClipSource {
    /// The line that adds the clips. In a session, each command contains the name for a single clip instead.
    clips: ProjectClips,
    source: Arc<Source>,
}

impl ClipSource {
    /// Reads a file with clips that the recording or project at `path` adds.
    fn read(
        path: &Path,
        clips: ProjectClips,
        references: &References,
        progress: &Progress,
    ) -> Result<Self, ReplayError> {
        let source = Source::load_with_references(&resolve(path, &clips.file), references, progress);
        check(path, progress)?;
        let source = source.map_err(|e| ReplayError::Line {
            path: path.into(),
            line: clips.line,
            cause: LineError::Clips(one_line(&e)),
        })?;
        Ok(Self { clips, source: Arc::new(source) })
    }
}

impl Recording {
    /// Reads a session file or a project, and the clip files that it references. An incomplete last line of a session is ignored.
    ///
    /// # Errors
    /// [`ReplayError`] for the first invalid line.
    pub fn open(path: &Path) -> Result<Self, ReplayError> {
        Self::open_with(path, &References::default(), &Progress::default())
    }

    /// Like [`Recording::open`], but reports progress and can be stopped from another thread. `references` specifies the possible locations
    /// of the files that a clip file references.
    ///
    /// # Errors
    /// Same as [`Recording::open`], and [`ReplayError::Stopped`].
    pub fn open_with(path: &Path, references: &References, progress: &Progress) -> Result<Self, ReplayError> {
        if is_project(path) {
            return Self::of_project(path, references, progress);
        }
        let mut lines = SessionLines::open(path)?;
        let header = lines.header()?;
        let mut length = Duration::ZERO;
        let (mut sources, mut added) = (Vec::<ClipSource>::new(), 0);
        while let Some((at, command)) = lines.step()? {
            check(path, progress)?;
            length = at;
            let Some(Command::AddClips(addition)) = command else { continue };
            let transfer = addition.transfer();
            let AddedClips { file, fingerprint, .. } = *addition;
            added += 1;
            // Additions beyond the maximum are ignored.
            if added > MAX_ADDITIONS
                || sources.iter().any(|s| (&s.clips.file, &s.clips.transfer) == (&file, &transfer))
            {
                continue;
            }
            let clips = ProjectClips { line: lines.number, file, fingerprint, name: None, transfer };
            sources.push(ClipSource::read(path, clips, references, progress)?);
        }
        Ok(Self { path: path.into(), header, length, truncated: lines.truncated, project: None, sources })
    }

    fn of_project(path: &Path, references: &References, progress: &Progress) -> Result<Self, ReplayError> {
        let project = Project::open(path)?;
        let clips = project.clips.iter().take(MAX_ADDITIONS).cloned();
        let read = |clips: ProjectClips| ClipSource::read(path, clips, references, progress);
        let sources = clips.map(read).collect::<Result<Vec<ClipSource>, ReplayError>>()?;
        let header = Header {
            format: FORMAT.into(),
            sinew: String::new(),
            character: project.character.clone(),
            fingerprint: project.fingerprint.clone(),
            size: project.size,
            scale: 1.0,
            springs: true,
        };
        let length = Duration::ZERO;
        Ok(Self { path: path.into(), header, length, truncated: false, project: Some(project), sources })
    }

    /// Returns whether the file is a project, which has a state but no length.
    pub fn is_project(&self) -> bool {
        self.project.is_some()
    }

    /// Returns the length in metres of one file unit of the character, if a project defines it.
    pub fn units(&self) -> Option<f64> {
        self.project.as_ref().and_then(|project| project.units)
    }

    /// Returns the path of the session's character. `None` stands for the built-in character.
    pub fn character(&self) -> Option<PathBuf> {
        self.header.character.as_ref().map(|file| resolve(&self.path, Path::new(file)))
    }

    /// The length of the recording.
    pub fn length(&self) -> Duration {
        self.length
    }

    /// Returns the reasons why the replay may differ from the recorded session, one per line.
    pub fn warnings(&self, character: &Character, rig: &Rig) -> Vec<String> {
        let mut warnings = Vec::new();
        let path = self.path.display();
        let then = if self.is_project() { "the project was saved" } else { "the recording" };
        // A handwritten project has no fingerprints.
        let is_known = |fingerprint: &str| !(self.is_project() && fingerprint.is_empty());
        let own = &self.header.fingerprint;
        if is_known(own) && fingerprint::of_character(character, &character.clips, rig) != *own {
            let name = character.path.display();
            warnings.push(format!("{path}: {name} or its rig has changed since {then}"));
        }
        for ClipSource { clips, source } in &self.sources {
            if is_known(&clips.fingerprint) && fingerprint::of_source(source) != clips.fingerprint {
                let file = resolve(&self.path, &clips.file);
                warnings.push(format!("{path}: {} has changed since {then}", file.display()));
            }
        }
        if self.truncated {
            warnings.push(format!("{path}: the last line is incomplete and was ignored"));
        }
        warnings
    }
}

fn check(path: &Path, progress: &Progress) -> Result<(), ReplayError> {
    progress.check().map_err(|stopped| ReplayError::Stopped { path: path.into(), stopped })
}

/// Resolves a path from a session file.
fn resolve(session: &Path, file: &Path) -> PathBuf {
    if is_built_in(file) {
        return file.to_path_buf();
    }
    beside(session.parent().unwrap_or(Path::new("")), file)
}

fn one_line(error: &impl std::fmt::Display) -> String {
    printable::cause(&error.to_string())
}

/// A session that executes the commands of a recording.
#[derive(Debug)]
pub struct Replay {
    session: Session,
    path: PathBuf,
    /// The remaining commands. A project has none.
    lines: Option<SessionLines>,
    next: Option<TimedCommand>,
    /// The added clips of the recording, retargeted to the character.
    additions: Vec<AddedClips>,
    progress: Progress,
}

impl Replay {
    /// Creates a replay. No command has been executed yet.
    ///
    /// # Errors
    /// [`ReplayError`] if the file cannot be read again, or if the clips of another file do not fit the character.
    pub fn new(
        recording: &Recording,
        character: impl Into<Arc<Character>>,
        rig: Rig,
    ) -> Result<Self, ReplayError> {
        Self::new_with(recording, character, rig, &Progress::default())
    }

    /// Like [`Replay::new`], but the replay can be stopped from another thread, even while it advances.
    ///
    /// # Errors
    /// Same as [`Replay::new`], and [`ReplayError::Stopped`].
    pub fn new_with(
        recording: &Recording,
        character: impl Into<Arc<Character>>,
        rig: Rig,
        progress: &Progress,
    ) -> Result<Self, ReplayError> {
        let (mut lines, header) = match &recording.project {
            Some(_) => (None, recording.header.clone()),
            None => {
                let mut lines = SessionLines::open(&recording.path)?;
                let header = lines.header()?;
                (Some(lines), header)
            }
        };
        let mut session = Session::new(character, Some(rig), Vec2::from_array(header.size));
        session.apply(Command::Scale(header.scale));
        session.apply(Command::Springs(header.springs));
        let retarget = |clip_source: &ClipSource| {
            let source = Arc::clone(&clip_source.source);
            let retargeted = AddedClips::new_with(
                &clip_source.clips.file,
                source,
                session.puppet().character(),
                &session.rig_file.loaded,
                clip_source.clips.transfer.clone(),
                progress,
            );
            check(&recording.path, progress)?;
            retargeted.map_err(|e| {
                let file = clip_source.clips.file.display();
                let cause = LineError::Clips(format!("{file}: {}", one_line(&e)));
                ReplayError::Line { path: recording.path.clone(), line: clip_source.clips.line, cause }
            })
        };
        let additions = recording.sources.iter().map(retarget).collect::<Result<Vec<AddedClips>, _>>()?;
        if let Some(project) = &recording.project {
            for (mut addition, clip_source) in additions.into_iter().zip(&recording.sources) {
                addition.file = resolve(&recording.path, &clip_source.clips.file);
                addition.name.clone_from(&clip_source.clips.name);
                session.apply(Command::AddClips(Box::new(addition)));
            }
            let commands = project.commands(session.puppet().character(), &session.rig_file.loaded)?;
            commands
                .into_iter()
                .for_each(|command| session.apply(command.with_files(|file| resolve(&recording.path, file))));
            session.meet_goals();
            session.note_project(&recording.path, project.text().to_owned());
            let (path, progress) = (recording.path.clone(), progress.clone());
            return Ok(Self { session, path, lines: None, next: None, additions: Vec::new(), progress });
        }
        if let Some(lines) = &mut lines {
            lines.names = Some(SessionNames::new(session.puppet().character(), &session.rig_file.loaded));
        }
        let next = lines.as_mut().map_or(Ok(None), SessionLines::step)?;
        Ok(Self { session, path: recording.path.clone(), lines, next, additions, progress: progress.clone() })
    }

    /// Makes the replay ignore [`Progress::stop`] from now on, because loading has ended.
    #[cfg(feature = "window")]
    pub(super) fn detach(&mut self) {
        self.progress = Progress::default();
    }

    /// Plays a project's motion from its beginning, for a sequence of images.
    pub fn play(&mut self) {
        self.session.apply(Command::Seek(0.0));
        self.session.apply(Command::Play(true));
    }

    /// Executes all commands up to a time since the start of the recording, and plays the motion up to that time. Does nothing if the time
    /// is earlier than in the previous call.
    ///
    /// The result does not depend on earlier calls.
    ///
    /// # Errors
    /// [`ReplayError`] if the file has changed in the meantime.
    pub fn advance(&mut self, to: Duration) -> Result<(), ReplayError> {
        self.execute_until(to)?;
        self.session.advance(to);
        Ok(())
    }

    /// Like [`Self::advance`], but also executes commands that are up to `tolerance` later. The times in a session may be rounded,
    /// and a command must not miss the frame to which it belongs.
    ///
    /// # Errors
    /// [`ReplayError`] if the file has changed in the meantime.
    pub fn advance_to_frame(&mut self, to: Duration, tolerance: Duration) -> Result<(), ReplayError> {
        self.execute_until(to.saturating_add(tolerance))?;
        self.session.advance(to);
        Ok(())
    }

    /// Like [`Self::advance`], for a session that is stored outside the replay. It must be the session that was taken out with
    /// [`Self::swap_session`].
    ///
    /// # Errors
    /// [`ReplayError`] if the file has changed in the meantime.
    pub fn advance_session(&mut self, session: &mut Session, to: Duration) -> Result<(), ReplayError> {
        self.swap_session(session);
        let result = self.advance(to);
        self.swap_session(session);
        result
    }

    /// Swaps the replay's session with another one.
    pub fn swap_session(&mut self, session: &mut Session) {
        std::mem::swap(&mut self.session, session);
    }

    fn execute_until(&mut self, to: Duration) -> Result<(), ReplayError> {
        while let Some((at, command)) = self.next.take_if(|(at, _)| *at <= to) {
            check(&self.path, &self.progress)?;
            if let Some(Command::AddClips(addition)) = &command {
                self.session.advance(at);
                self.add(addition);
            }
            // Read the next line only after the clips have been added, because it may contain their names.
            self.next = self.lines.as_mut().map_or(Ok(None), SessionLines::step)?;
            // Only the last of consecutive `Hover` commands matters, and picking at each position would be slow.
            let is_hover = |command: &Option<Command>| matches!(command, Some(Command::Hover(_)));
            if is_hover(&command) && self.next.as_ref().is_some_and(|(at, next)| *at <= to && is_hover(next))
            {
                continue;
            }
            self.session.advance(at);
            if let Some(command) = command.filter(|command| !matches!(command, Command::AddClips(_))) {
                self.session.apply(command.with_files(|file| resolve(&self.path, file)));
            }
        }
        Ok(())
    }

    /// Adds clips from a file that was already read.
    fn add(&mut self, addition: &AddedClips) {
        let is_same =
            |known: &&AddedClips| (&known.file, known.transfer()) == (&addition.file, addition.transfer());
        let Some(known) = self.additions.iter().find(is_same) else { return };
        let mut addition = addition.clone().with_contents_of(known);
        addition.file = resolve(&self.path, &addition.file);
        self.session.apply(Command::AddClips(Box::new(addition)));
        if let Some(names) = self.lines.as_mut().and_then(|lines| lines.names.as_mut()) {
            names.set_clips(self.session.puppet().character());
        }
    }

    /// The session in its current state.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Ends the replay and returns its session, which can then be continued.
    pub fn into_session(self) -> Session {
        self.session
    }
}
