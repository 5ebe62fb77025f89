//! Tests of the window on a separate X server, driven by xdotool. Skipped if the tools are missing.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use sinew_testkit::display::{Started, display};
use sinew_testkit::folder;
use sinew_testkit::image::{self, PixelAccess};

/// Colour of the recording indicator.
const RECORDING: [u8; 3] = [235, 64, 52];

/// The folder of the viewer's settings.
const STATE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/state");

#[test]
fn destroying_the_window_exits_and_saves_the_recording() {
    let Some((_server, display)) = display(&["xdotool"]) else { return };
    let session = folder("window-destroyed").join("a.session");
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_sinew"));
    viewer.env("DISPLAY", &display).env_remove("WAYLAND_DISPLAY").env("XDG_STATE_HOME", STATE).args([
        "view",
        "--adapter",
        "cpu",
    ]);
    viewer.arg("--record").arg(&session).stderr(Stdio::piped());
    let mut viewer = Started(viewer.spawn().unwrap());
    let tool = |args: &[&str]| {
        let output = Command::new("xdotool").env("DISPLAY", &display).args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let window = tool(&["search", "--sync", "--onlyvisible", "--name", "^sinew$"]);
    // Destroy the window while a clip plays and a button is down.
    tool(&["windowfocus", "--sync", &window, "key", "c", "key", "space"]);
    tool(&["mousemove", "488", "330", "mousedown", "1", "mousemove", "500", "320"]);
    sleep(Duration::from_millis(500));
    tool(&["windowclose", &window]);
    let (start, mut status) = (Instant::now(), None);
    while status.is_none() && start.elapsed() < Duration::from_secs(20) {
        status = viewer.0.try_wait().unwrap();
        sleep(Duration::from_millis(20));
    }
    let mut stderr = String::new();
    viewer.0.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(status.and_then(|status| status.code()), Some(2), "{stderr}");
    let saved = session.display();
    let expected =
        format!("error: the window was destroyed by another program; the recording was saved as {saved}\n");
    assert_eq!(stderr, expected);
    let recording = sinew::viewer::Recording::open(&session).unwrap();
    assert!(recording.length() >= Duration::from_millis(400), "{:?}", recording.length());
}

#[test]
fn window_opens_handles_input_and_closes() {
    let Some((_server, display)) = display(&["xdotool", "import"]) else { return };
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_sinew"));
    viewer.env("DISPLAY", &display).env_remove("WAYLAND_DISPLAY").env("XDG_STATE_HOME", STATE).args([
        "view",
        "--adapter",
        "cpu",
    ]);
    let folder = folder("window-recorded");
    let session = folder.join("a.session");
    // The window's floor has clear lines, but a replay's does not.
    let project = folder.join("a.sinew");
    std::fs::write(&project, "version = 1\n\n[view]\nground = false\n").unwrap();
    viewer.arg(&project).arg("--record").arg(&session);
    let mut viewer = Started(viewer.spawn().unwrap());
    let tool = |args: &[&str]| {
        let output = Command::new("xdotool").env("DISPLAY", &display).args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let window = tool(&["search", "--sync", "--onlyvisible", "--name", "^sinew$"]);
    let image_path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("window.png");
    let colors = || {
        Command::new("import")
            .env("DISPLAY", &display)
            .args(["-window", "root"])
            .arg(&image_path)
            .status()
            .unwrap();
        let screen = image::open(&image_path);
        screen.pixels().collect::<std::collections::HashSet<_>>().len()
    };
    let start = Instant::now();
    while colors() < 500 && start.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(200));
    }
    assert!(colors() >= 500, "the window is blank");
    // Drag the middle of the chest up.
    let drag =
        ["mousemove", "488", "330", "mousedown", "1", "mousemove", "500", "320", "mousemove", "530", "300"];
    tool(&drag);
    tool(&["mouseup", "1"]);
    // Regression test: if Tab was already held down when the window received the focus, as after Alt+Tab, the panel was hidden.
    tool(&["keydown", "Tab"]);
    tool(&["windowfocus", "--sync", &window]);
    sleep(Duration::from_millis(500));
    tool(&["keyup", "Tab"]);
    for key in ["Tab", "Tab", "s", "4", "p", "r", "f", "ctrl+z"] {
        tool(&["key", key]);
    }
    tool(&["windowsize", &window, "1", "1"]);
    sleep(Duration::from_millis(300));
    tool(&["windowsize", &window, "900", "700"]);
    sleep(Duration::from_millis(500));
    assert!(viewer.0.try_wait().unwrap().is_none(), "the viewer has exited");
    // Hide the panel and move the pointer to empty space, so that only the scene is shown.
    tool(&["key", "Tab"]);
    tool(&["mousemove", "20", "20"]);
    let screenshot = || {
        colors();
        image::open(&image_path)
    };
    // Wait until the background fills the area where the panel was and nothing changes any more.
    let (mut screen, start) = (screenshot(), Instant::now());
    loop {
        sleep(Duration::from_millis(400));
        let now = screenshot();
        let is_settled = now == screen && now.at(895, 20) == now.at(5, 20);
        screen = now;
        if is_settled || start.elapsed() > Duration::from_secs(60) {
            break;
        }
    }
    tool(&["key", "question"]);
    tool(&["key", "ctrl+q"]);
    let start = Instant::now();
    let mut status = None;
    while status.is_none() && start.elapsed() < Duration::from_secs(20) {
        status = viewer.0.try_wait().unwrap();
        sleep(Duration::from_millis(50));
    }
    assert_eq!(status.and_then(|status| status.code()), Some(0));
    // The replay is drawn like the window, pixel by pixel.
    let output = folder.join("replay.png");
    let mut render = Command::new(env!("CARGO_BIN_EXE_sinew"));
    render.args(["render", "--adapter", "cpu", "--replay"]).arg(&session).arg("-o").arg(&output);
    assert!(render.status().unwrap().success());
    let replay = image::open(&output);
    assert_eq!(replay.size(), (900, 700));
    // The images may differ only in the corner with the recording indicator.
    let is_equal = |x: u32, y: u32| (x < 140 && y < 50) || screen.at(x, y) == replay.at(x, y);
    assert!((0..900).all(|x| (0..700).all(|y| is_equal(x, y))), "see {}", image_path.display());
    assert!(
        (0..140).any(|x| (0..50).any(|y| screen.at(x, y)[..3] == RECORDING)),
        "see {}",
        image_path.display()
    );
}

/// Regression test: a recording that was ended by a signal kept its hidden name without a message.
#[test]
fn recording_ended_by_a_signal_gets_its_name() {
    let Some((_server, display)) = display(&[]) else { return };
    let folder = folder("window-signal");
    let (session, hidden) = (folder.join("a.session"), folder.join(".a.session.part"));
    let left = folder.join(".a.session.1.part");
    std::fs::write(&left, "of a process that was killed").unwrap();
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_sinew"));
    viewer.env("DISPLAY", &display).env_remove("WAYLAND_DISPLAY").env("XDG_STATE_HOME", STATE);
    viewer.args(["view", "--adapter", "cpu", "--record"]).arg(&session).stderr(Stdio::piped());
    let mut viewer = Started(viewer.spawn().unwrap());
    let start = Instant::now();
    while !hidden.metadata().is_ok_and(|file| file.len() > 0) {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing is recorded");
        sleep(Duration::from_millis(20));
    }
    let id = viewer.0.id().to_string();
    assert!(Command::new("kill").args(["-s", "TERM", &id]).status().unwrap().success());
    let mut stderr = String::new();
    viewer.0.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(viewer.0.wait().unwrap().code(), Some(0), "{stderr}");
    assert!(stderr.contains(&format!("saved {}", session.display())), "{stderr}");
    assert!(stderr.contains(&format!("{}: interrupted recording", left.display())), "{stderr}");
    assert!(left.exists() && !hidden.exists());
    let text = std::fs::read_to_string(&session).unwrap();
    assert!(!text.lines().last().unwrap().contains("\"do\""), "the last line must be the length: {text}");
}
