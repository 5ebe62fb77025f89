//! What goes wrong, as one line and an exit code.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::asset::LoadError;
use crate::puppet::PuppetError;
use crate::render::RenderError;
use crate::viewer::ReplayError;

use super::output;

/// Why the program stops with exit code 2.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Puppet(#[from] PuppetError),
    #[error(transparent)]
    Render(#[from] RenderError),
    #[error(transparent)]
    Replay(#[from] ReplayError),
    #[error("{}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl Failure {
    pub(super) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Write { path: path.into(), source }
    }

    /// One line on stderr.
    pub(super) fn report(&self) -> ExitCode {
        // Whoever reads our output may have gone (`sinew pose … | head`): nobody is left to tell.
        if !matches!(self, Self::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe) {
            output::message(&format!("error: {self}"));
        }
        ExitCode::from(2)
    }
}

/// The last of several failures; those before it have then reached the user.
pub(super) fn all(results: impl IntoIterator<Item = Result<(), Failure>>) -> Result<(), Failure> {
    let mut failures: Vec<Failure> = results.into_iter().filter_map(Result::err).collect();
    let Some(last) = failures.pop() else { return Ok(()) };
    for failure in failures {
        failure.report();
    }
    Err(last)
}

/// Help and version go to stdout; a wrong argument is one line on stderr.
pub(super) fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        output::message(&format!("error: {} (see --help)", first_line(error)));
        return ExitCode::from(2);
    }
    // A closed stdout is no failure of ours.
    let _ = error.print();
    ExitCode::SUCCESS
}

/// The sentence of clap's message, without usage and hints.
pub(super) fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    line.strip_prefix("error: ").map(str::to_owned).unwrap_or(line)
}
