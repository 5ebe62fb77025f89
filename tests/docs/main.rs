//! Checks the manual: runs every command of README.md and `docs/`, loads every file that they show, and follows every link.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod claims;
mod commands;
mod files;
mod fixtures;
mod formats;
mod founding;
mod holds;
mod links;
mod mentions;
mod options;
mod page;
mod pictures;
mod shell;
mod success;

use std::path::Path;
use std::process::Command;

/// Returns the folder of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns a call of the program in a folder. There is no display, so no window opens.
fn sinew(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinew"));
    command.current_dir(folder);
    for display in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        command.env_remove(display);
    }
    command
}

/// Fails and lists all problems, if there are any.
fn assert_none(title: &str, problems: &[String]) {
    assert!(problems.is_empty(), "{title}:\n{}", problems.join("\n"));
}
