//! Starts an X server for a test.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
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
#[track_caller]
pub fn display(tools: &[&str]) -> Option<(Started, String)> {
    start(tools, &[])
}

/// Starts an X server like [`display`]. The server also keeps its screen in a file in `folder`, which can be read without asking the server.
#[track_caller]
pub fn display_with_screen(tools: &[&str], folder: &Path) -> Option<(Started, String, Screen)> {
    let (server, display) = start(tools, &[OsStr::new("-fbdir"), folder.as_os_str()])?;
    Some((server, display, Screen(folder.join("Xvfb_screen0"))))
}

/// The file in which an X server keeps its screen.
pub struct Screen(PathBuf);

impl Screen {
    /// Returns the pixels of a rectangle, given by left, top, width and height, as red, green and blue.
    pub fn part(&self, [left, top, width, height]: [usize; 4]) -> Vec<[u8; 3]> {
        let bytes = std::fs::read(&self.0).unwrap();
        // The file has the format XWD: a header of numbers with the most significant byte first (`X11/XWDFile.h`), a table of colours of
        // twelve bytes each, and rows of pixels.
        let number = |index: usize| u32::from_be_bytes(bytes[4 * index..][..4].try_into().unwrap()) as usize;
        let [header, version, is_big_endian, bits, row, colors] = [0, 1, 7, 11, 12, 19].map(number);
        assert_eq!((version, is_big_endian, bits), (7, 0, 32), "an unexpected format of the screen");
        let pixels = &bytes[header + 12 * colors..];
        let pixel = |x: usize, y: usize| [2, 1, 0].map(|channel| pixels[y * row + 4 * x + channel]);
        (top..top + height).flat_map(|y| (left..left + width).map(move |x| pixel(x, y))).collect()
    }
}

#[track_caller]
fn start(tools: &[&str], options: &[&OsStr]) -> Option<(Started, String)> {
    if let Some(tool) = std::iter::once(&"Xvfb").chain(tools).find(|tool| !has(tool)) {
        crate::skip(&format!("{tool} is missing"));
        return None;
    }
    // The server picks a free display and prints its number. Keys repeat only after ten minutes, because on a busy machine more time may
    // pass between a press and its release than a user would take. Without `-noreset`, the server restarts when its last client leaves, and
    // rejects a client that connects at that moment.
    let mut server = Command::new("Xvfb");
    server.args(["-displayfd", "1", "-screen", "0", "1300x820x24", "-ar1", "600000", "-noreset"]);
    server.args(options);
    let mut server = Started(server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let mut number = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut number).unwrap();
    Some((server, format!(":{}", number.trim())))
}
