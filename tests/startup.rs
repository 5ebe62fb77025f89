//! Measures how soon the viewer's window shows the built-in character. The test has its own binary, because the machine must be idle.
//! Skipped if the tools are missing.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use sinew_testkit::display::{Screen, Started, display_with_screen};
use sinew_testkit::folder;

/// Maximum time from the window to the character.
const LIMIT: Duration = Duration::from_secs(1);
/// Number of starts. The fastest one counts, because another program may take time during the others.
const STARTS: usize = 3;
/// Left, top, width and height of the area in the middle of the scene, in pixels.
const MIDDLE: [usize; 4] = [300, 150, 400, 400];
/// Minimum number of pixels of the character in this area.
const VISIBLE: usize = 2000;

#[test]
fn the_character_appears_within_a_second_of_the_window() {
    let mut least = Duration::MAX;
    for index in 0..STARTS {
        let Some([window, picture]) = start(&folder(&format!("start-{index}"))) else { return };
        println!("start to window {window:.2?}, window to picture {picture:.2?}");
        least = least.min(picture);
    }
    assert!(least <= LIMIT, "the character appeared {least:.2?} after the window; the limit is {LIMIT:.2?}");
}

/// Starts the viewer on a display of its own. Returns the time from the start to the window, and from the window to the character, or `None`
/// if the tools are missing.
fn start(folder: &Path) -> Option<[Duration; 2]> {
    let (_server, display, screen) = display_with_screen(&["xdotool"], folder)?;
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_sinew"));
    viewer.env("DISPLAY", &display).env_remove("WAYLAND_DISPLAY").env("XDG_STATE_HOME", folder);
    viewer.args(["view", "--adapter", "cpu"]);
    let began = Instant::now();
    let mut viewer = Started(viewer.spawn().unwrap());
    let mut wait = |what: &str, is_there: &dyn Fn() -> bool| {
        while !is_there() {
            assert!(viewer.0.try_wait().unwrap().is_none(), "the viewer has exited before the {what}");
            assert!(began.elapsed() < Duration::from_secs(60), "there is no {what}");
            sleep(Duration::from_millis(5));
        }
        began.elapsed()
    };
    let window = wait("window", &|| is_window_mapped(&display));
    let picture = wait("picture", &|| shows_character(&screen));
    Some([window, picture - window])
}

fn is_window_mapped(display: &str) -> bool {
    let mut search = Command::new("xdotool");
    search.env("DISPLAY", display).args(["search", "--onlyvisible", "--name", "^sinew$"]);
    !search.stderr(Stdio::null()).output().unwrap().stdout.is_empty()
}

/// The colours of the character have more red than blue. The background, the floor and the text that is shown while the character is loaded do
/// not.
fn shows_character(screen: &Screen) -> bool {
    let is_of_character = |[red, _, blue]: &[u8; 3]| *red > blue.saturating_add(10);
    screen.part(MIDDLE).iter().filter(|pixel| is_of_character(pixel)).count() >= VISIBLE
}
