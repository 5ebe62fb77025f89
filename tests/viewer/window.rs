//! The window itself, on a display of its own, driven by xdotool. Skipped where the tools are missing.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::display::{Started, display};
use crate::picture::{self, Look};

/// The dot that says that a recording runs.
const RECORDING: [u8; 3] = [235, 64, 52];

#[test]
fn a_window_that_is_destroyed_ends_the_program_and_keeps_the_recording() {
    let Some((_server, display)) = display(&["xdotool"]) else { return };
    let session = super::files::folder("window-destroyed").join("a.session");
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_sinew"));
    viewer.env("DISPLAY", &display).env_remove("WAYLAND_DISPLAY").args(["view", "--adapter", "cpu"]);
    viewer.arg("--record").arg(&session).stderr(Stdio::piped());
    let mut viewer = Started(viewer.spawn().unwrap());
    let tool = |args: &[&str]| {
        let output = Command::new("xdotool").env("DISPLAY", &display).args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let window = tool(&["search", "--sync", "--onlyvisible", "--name", "^sinew$"]);
    // A clip is playing and a button is down.
    tool(&["windowfocus", "--sync", &window, "key", "c", "key", "space"]);
    tool(&["mousemove", "488", "330", "mousedown", "1", "mousemove", "500", "320"]);
    sleep(Duration::from_millis(500));
    tool(&["windowclose", &window]);
    let (patience, mut ended) = (Instant::now(), None);
    while ended.is_none() && patience.elapsed() < Duration::from_secs(20) {
        ended = viewer.0.try_wait().unwrap();
        sleep(Duration::from_millis(20));
    }
    let mut said = String::new();
    viewer.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(ended.and_then(|status| status.code()), Some(2), "{said}");
    let saved = session.display();
    let wanted =
        format!("error: the window was destroyed by another program; the recording was saved as {saved}\n");
    assert_eq!(said, wanted);
    let recording = sinew::viewer::Recording::open(&session).unwrap();
    assert!(recording.length() >= Duration::from_millis(400), "{:?}", recording.length());
}

#[test]
fn the_window_opens_is_dragged_in_and_closes() {
    let Some((_server, display)) = display(&["xdotool", "import"]) else { return };
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_sinew"));
    viewer.env("DISPLAY", &display).env_remove("WAYLAND_DISPLAY").args(["view", "--adapter", "cpu"]);
    let folder = super::files::folder("window-recorded");
    let session = folder.join("a.session");
    viewer.arg("--record").arg(&session);
    let mut viewer = Started(viewer.spawn().unwrap());
    let tool = |args: &[&str]| {
        let output = Command::new("xdotool").env("DISPLAY", &display).args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let window = tool(&["search", "--sync", "--onlyvisible", "--name", "^sinew$"]);
    let shot = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("window.png");
    let colors = || {
        Command::new("import")
            .env("DISPLAY", &display)
            .args(["-window", "root"])
            .arg(&shot)
            .status()
            .unwrap();
        let seen = picture::open(&shot);
        seen.pixels().collect::<std::collections::HashSet<_>>().len()
    };
    let patience = Instant::now();
    while colors() < 500 && patience.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(200));
    }
    assert!(colors() >= 500, "the window is blank");
    // The middle of the chest, and up.
    let pull =
        ["mousemove", "488", "330", "mousedown", "1", "mousemove", "500", "320", "mousemove", "530", "300"];
    tool(&pull);
    tool(&["mouseup", "1"]);
    tool(&["windowfocus", "--sync", &window]);
    for key in ["Tab", "Tab", "s", "4", "p", "r", "f", "ctrl+z"] {
        tool(&["key", key]);
    }
    tool(&["windowsize", &window, "1", "1"]);
    sleep(Duration::from_millis(300));
    tool(&["windowsize", &window, "900", "700"]);
    sleep(Duration::from_millis(500));
    assert!(viewer.0.try_wait().unwrap().is_none(), "the viewer has gone");
    // Without the panel, and with the pointer on nothing, the scene alone is seen.
    tool(&["key", "Tab"]);
    tool(&["mousemove", "20", "20"]);
    let look = || {
        colors();
        picture::open(&shot)
    };
    // What is behind the scene is behind where the panel was, and nothing changes any more.
    let (mut seen, patience) = (look(), Instant::now());
    loop {
        sleep(Duration::from_millis(400));
        let now = look();
        let settled = now == seen && now.at(895, 20) == now.at(5, 20);
        seen = now;
        if settled || patience.elapsed() > Duration::from_secs(60) {
            break;
        }
    }
    tool(&["key", "question"]);
    tool(&["key", "ctrl+q"]);
    let patience = Instant::now();
    let mut ended = None;
    while ended.is_none() && patience.elapsed() < Duration::from_secs(20) {
        ended = viewer.0.try_wait().unwrap();
        sleep(Duration::from_millis(50));
    }
    assert_eq!(ended.and_then(|status| status.code()), Some(0));
    // What was recorded is drawn as it was seen, pixel by pixel.
    let again = folder.join("again.png");
    let mut render = Command::new(env!("CARGO_BIN_EXE_sinew"));
    render.args(["render", "--adapter", "cpu", "--replay"]).arg(&session).arg("-o").arg(&again);
    assert!(render.status().unwrap().success());
    let again = picture::open(&again);
    assert_eq!(again.size(), (900, 700));
    // But for the corner that says that it was recorded.
    let same = |x: u32, y: u32| (x < 140 && y < 50) || seen.at(x, y) == again.at(x, y);
    assert!((0..900).all(|x| (0..700).all(|y| same(x, y))), "see {}", shot.display());
    assert!((0..140).any(|x| (0..50).any(|y| seen.at(x, y)[..3] == RECORDING)), "see {}", shot.display());
}

/// A recording that was ended by a signal was once left hidden, without a word.
#[test]
fn a_recording_that_is_ended_by_a_signal_gets_its_name() {
    let Some((_server, display)) = display(&[]) else { return };
    let folder = super::files::folder("window-signal");
    let (session, hidden) = (folder.join("a.session"), folder.join(".a.session.part"));
    let left = folder.join(".a.session.1.part");
    std::fs::write(&left, "of a process that was killed").unwrap();
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_sinew"));
    viewer.env("DISPLAY", &display).env_remove("WAYLAND_DISPLAY");
    viewer.args(["view", "--adapter", "cpu", "--record"]).arg(&session).stderr(Stdio::piped());
    let mut viewer = Started(viewer.spawn().unwrap());
    let patience = Instant::now();
    while !hidden.metadata().is_ok_and(|found| found.len() > 0) {
        assert!(patience.elapsed() < Duration::from_secs(60), "nothing is recorded");
        sleep(Duration::from_millis(20));
    }
    let id = viewer.0.id().to_string();
    assert!(Command::new("kill").args(["-s", "TERM", &id]).status().unwrap().success());
    let mut said = String::new();
    viewer.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(viewer.0.wait().unwrap().code(), Some(0), "{said}");
    assert!(said.contains(&format!("saved {}", session.display())), "{said}");
    assert!(said.contains(&format!("{} holds a recording that was interrupted", left.display())), "{said}");
    assert!(left.exists() && !hidden.exists());
    let text = std::fs::read_to_string(&session).unwrap();
    assert!(!text.lines().last().unwrap().contains("\"do\""), "the last line tells the length: {text}");
}
