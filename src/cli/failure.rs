//! Errors of the program, reported as one line and an exit code.

use crate::api::Missing;
use crate::asset::{ImageError, LoadError};
use crate::cli::message;
use crate::puppet::PuppetError;
use crate::render::RenderError;
use crate::viewer::ReplayError;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// An error that ends the program with exit code 2.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Missing(#[from] Missing),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Image(#[from] ImageError),
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

    /// Prints the error on one line of stderr and returns exit code 2.
    pub(super) fn report(&self) -> ExitCode {
        // A closed pipe (`sinew pose … | head`) is not worth a message.
        if !matches!(self, Self::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe) {
            message::print(&format!("error: {self}"));
        }
        ExitCode::from(2)
    }
}

/// Prints all failures except the last one, which is returned.
pub(super) fn combine(results: impl IntoIterator<Item = Result<(), Failure>>) -> Result<(), Failure> {
    let mut failures: Vec<Failure> = results.into_iter().filter_map(Result::err).collect();
    let Some(last) = failures.pop() else { return Ok(()) };
    for failure in failures {
        failure.report();
    }
    Err(last)
}

/// Prints help and version to stdout, and an invalid argument as one line to stderr. Returns the exit code.
pub(super) fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        message::print(&format!("error: {} (see --help)", first_line(error)));
        return ExitCode::from(2);
    }
    // A closed stdout is not an error.
    let _ = error.print();
    ExitCode::SUCCESS
}

/// The first paragraph of clap's message on one line, without usage and hints.
pub(super) fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    line.strip_prefix("error: ").map(str::to_owned).unwrap_or(line)
}
