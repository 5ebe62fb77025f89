//! A display of a test's own.

#![allow(clippy::unwrap_used, reason = "tests")]

// By its path, because the unit tests of the viewer use this file too.
#[allow(dead_code, unreachable_pub, reason = "a module of several binaries")]
#[path = "../support/test_data.rs"]
mod test_data;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// Ends what it started, whatever the test comes to.
pub(crate) struct Started(pub(crate) Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn has(tool: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|p| p.join(tool).is_file()))
}

/// Starts an X server with a screen of 1300 by 820 pixels and returns the name of its display. Where it or one of `tools`
/// is missing, the test is recorded as skipped and must return.
pub(crate) fn display(tools: &[&str]) -> Option<(Started, String)> {
    if let Some(tool) = std::iter::once(&"Xvfb").chain(tools).find(|tool| !has(tool)) {
        test_data::skip(&format!("{tool} is missing"));
        return None;
    }
    // The server finds a display that nobody has, and says which.
    let mut server = Command::new("Xvfb");
    server.args(["-displayfd", "1", "-screen", "0", "1300x820x24"]);
    let mut server = Started(server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let mut number = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut number).unwrap();
    Some((server, format!(":{}", number.trim())))
}
