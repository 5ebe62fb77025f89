//! `--replay` of `sinew pose` and `sinew bake`: the character and the options of a recorded session.

use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, Id};

use crate::files::Progress;
use crate::viewer::{Recording, Replay};

use super::failure::Failure;
use super::rig_args::RigArgs;
use super::{ModelArg, Verbosity, output};

/// Posing options that can be used with `--replay`. The session determines all others.
const ALLOWED: [&str; 3] = ["rig", "bone", "require_reached"];

/// A recorded session that is about to be replayed with a character.
pub(super) struct ReplayedSession {
    pub(super) recording: Recording,
    pub(super) replay: Replay,
    /// The file of the character. `None` is the built-in character.
    pub(super) file: Option<PathBuf>,
}

impl ReplayedSession {
    /// Reads a session, a character and the character's rig. The character is the session's own, unless `model` names
    /// another one. The output must not overwrite any of these files.
    pub(super) fn open(
        session: &Path,
        model: &ModelArg,
        rig: &RigArgs,
        output: Option<&Path>,
        verbosity: Verbosity,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let inputs = || [Some(session), model.file.as_deref(), rig.file()].into_iter().flatten();
        output.map_or(Ok(()), |output| output::protect(output, inputs()))?;
        let recording = Recording::open_with(session, &model.references(), progress)?;
        let given = model.without_project();
        let units = given.units.or_else(|| recording.units().filter(|_| given.file.is_none()));
        let file = given.file.or_else(|| recording.character());
        let character = ModelArg { file: file.clone(), units, ..model.clone() }.load_with(progress)?;
        let files = character.files.iter().map(PathBuf::as_path);
        output.map_or(Ok(()), |output| output::protect(output, files))?;
        let rig = rig.load(&character)?;
        verbosity.warn(&character.warnings);
        verbosity.warn(&recording.warnings(&character, &rig));
        let replay = Replay::new_with(&recording, character, rig, progress)?;
        Ok(Self { recording, replay, file })
    }
}

/// Rejects posing options that the session determines.
pub(super) fn refuse_posing(matches: &ArgMatches) -> Result<(), Failure> {
    let mut given = matches.get_many::<Id>("PosingArgs").into_iter().flatten();
    match given.find(|id| !ALLOWED.contains(&id.as_str())) {
        None => Ok(()),
        Some(id) => {
            let option = id.as_str().replace('_', "-");
            Err(refused(if option == "looping" { "loop" } else { &option }))
        }
    }
}

/// Rejects options that cannot be combined with a project as the model. `options` contains their ids. If `--replay` is given, clap rejects
/// these options itself.
pub(super) fn refuse(matches: &ArgMatches, options: &[&str]) -> Result<(), Failure> {
    let is_given = |id: &&&str| matches.value_source(id) == Some(ValueSource::CommandLine);
    options.iter().find(is_given).map_or(Ok(()), |id| Err(refused(&id.replace('_', "-"))))
}

fn refused(option: &str) -> Failure {
    let cause = "cannot be used with a session or a project, which determines it";
    Failure::Usage(format!("--{option}: {cause}"))
}

/// Parses a time since the start of a session.
pub(super) fn time(text: &str) -> Result<std::time::Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|s| std::time::Duration::try_from_secs_f64(s).ok());
    seconds.ok_or_else(|| "must be a time of at least 0 seconds".into())
}
