//! The window itself, on a display of its own, driven by xdotool. Skipped, saying so, where the tools are absent.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Ends what it started, whatever the test comes to.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn has(tool: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|p| p.join(tool).is_file()))
}

#[test]
fn the_window_opens_is_dragged_in_and_closes() {
    if let Some(tool) = ["Xvfb", "xdotool", "import"].into_iter().find(|t| !has(t)) {
        println!("skipped: there is no {tool}");
        return;
    }
    let display = format!(":{}", 90 + std::process::id() % 400);
    let quiet = |command: &mut Command| command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let _server = Started(quiet(Command::new("Xvfb").args([&display, "-screen", "0", "1300x820x24"])));
    let socket = PathBuf::from(format!("/tmp/.X11-unix/X{}", &display[1..]));
    let patience = Instant::now();
    while !socket.exists() && patience.elapsed() < Duration::from_secs(10) {
        sleep(Duration::from_millis(50));
    }
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
        let seen = image::open(&shot).unwrap().to_rgb8();
        seen.pixels().map(|p| p.0).collect::<std::collections::HashSet<_>>().len()
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
    sleep(Duration::from_millis(1000));
    colors();
    let seen = image::open(&shot).unwrap().to_rgb8();
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
    let again = image::open(&again).unwrap().to_rgb8();
    assert_eq!(again.dimensions(), (900, 700));
    assert!(image::imageops::crop_imm(&seen, 0, 0, 900, 700).to_image() == again, "see {}", shot.display());
}
