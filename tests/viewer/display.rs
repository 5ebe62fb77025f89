//! A display of a test's own.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

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

/// Starts a server of a screen, 1300 by 820, and says its name; `None`, and a word about it, where that or another tool is
/// missing.
pub(crate) fn display(tools: &[&str]) -> Option<(Started, String)> {
    if let Some(tool) = std::iter::once(&"Xvfb").chain(tools).find(|tool| !has(tool)) {
        println!("skipped: there is no {tool}");
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
