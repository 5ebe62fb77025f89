//! Starts an X server for a test.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A child process that is killed when the test ends.
pub struct Started(pub Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns whether a program is on the path.
fn has(tool: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|p| p.join(tool).is_file()))
}

/// Starts an X server with a screen of 1300 by 820 pixels and returns the name of its display. If the server or one of
/// `tools` is missing, records the test as skipped and returns `None`, after which the test must return.
pub fn display(tools: &[&str]) -> Option<(Started, String)> {
    if let Some(tool) = std::iter::once(&"Xvfb").chain(tools).find(|tool| !has(tool)) {
        crate::skip(&format!("{tool} is missing"));
        return None;
    }
    // The server picks a free display and prints its number. Keys repeat only after ten minutes, because on a busy machine more time may
    // pass between a press and its release than a user would take. Without `-noreset`, the server restarts when its last client leaves, and
    // rejects a client that connects at that moment.
    let mut server = Command::new("Xvfb");
    server.args(["-displayfd", "1", "-screen", "0", "1300x820x24", "-ar1", "600000", "-noreset"]);
    let mut server = Started(server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let mut number = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut number).unwrap();
    Some((server, format!(":{}", number.trim())))
}
