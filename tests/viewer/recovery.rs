//! The window is killed during work, and the work is recovered. Skipped if the tools are missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use sinew_testkit::display::{Started, display};
use sinew_testkit::folder;

/// Maximum time to wait for an effect.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Returns the lines of a project between `[pose.joints]` and the next table.
fn joints(project: &str) -> Vec<&str> {
    let lines = project.lines().skip_while(|line| *line != "[pose.joints]").skip(1);
    lines.take_while(|line| !line.is_empty()).collect()
}

#[test]
fn work_survives_a_killed_program() {
    let Some((_server, display)) = display(&["xdotool"]) else { return };
    let folder = folder("window-killed");
    let copy = folder.join("state/sinew/.mannequin.autosave.sinew");
    let start = || {
        let mut viewer = Command::new(env!("CARGO_BIN_EXE_sinew"));
        viewer.env("DISPLAY", &display).env_remove("WAYLAND_DISPLAY").current_dir(&folder);
        viewer.env("XDG_STATE_HOME", folder.join("state")).args(["view", "--adapter", "cpu"]);
        Started(viewer.stderr(Stdio::null()).spawn().unwrap())
    };
    let tool = |args: &[&str]| {
        let output = Command::new("xdotool").env("DISPLAY", &display).args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let windows = || tool(&["search", "--onlyvisible", "--name", "^sinew$"]);
    let until = |what: &str, act: &dyn Fn(), is_met: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !is_met() {
            assert!(start.elapsed() < TIMEOUT, "{what}");
            act();
            sleep(Duration::from_secs(2));
        }
    };
    let focus = || {
        until("no window opens", &|| (), &|| !windows().is_empty());
        tool(&["windowfocus", "--sync", &windows()]);
    };
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();

    let mut viewer = start();
    focus();
    let drag = || {
        tool(&[
            "mousemove",
            "488",
            "330",
            "mousedown",
            "1",
            "mousemove",
            "500",
            "320",
            "mousemove",
            "530",
            "300",
        ]);
        tool(&["mouseup", "1"]);
    };
    until("nothing is saved automatically", &drag, &|| !joints(&read(&copy)).is_empty());
    viewer.0.kill().unwrap();
    viewer.0.wait().unwrap();
    let lost = read(&copy);
    // The server closes the window of a killed program with a short delay. The old window must not be mistaken for the new one.
    until("the window stays", &|| (), &|| windows().is_empty());

    let mut viewer = start();
    focus();
    let recovered = folder.join("state/sinew/mannequin-recovered-0001.sinew");
    until("the work is not recovered", &|| drop(tool(&["key", "Return"])), &|| recovered.exists());
    assert_eq!(joints(&read(&recovered)), joints(&lost));
    // The copy is kept until the work is saved under the name that it would have had without the crash.
    let saved = || -> Vec<PathBuf> {
        let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|e| e == "sinew")).collect()
    };
    until("the work is not saved", &|| drop(tool(&["key", "ctrl+s"])), &|| !recovered.exists());
    assert!(saved().iter().any(|path| joints(&read(path)) == joints(&lost)), "{:?}", saved());
    assert!(!copy.exists(), "the work is saved");
    tool(&["key", "ctrl+q"]);
    let (start, mut status) = (Instant::now(), None);
    while status.is_none() && start.elapsed() < TIMEOUT {
        status = viewer.0.try_wait().unwrap();
        sleep(Duration::from_millis(50));
    }
    assert_eq!(status.and_then(|status| status.code()), Some(0), "saved work is asked about");
}
