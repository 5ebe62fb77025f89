//! What the window says where its panel is hidden, and where what is typed goes. As `window`, on a display of its own.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use sinew::asset::Picture;

use crate::picture::{self, Look};

use super::display::{Started, display};

const PATIENCE: Duration = Duration::from_secs(60);

/// The lower middle of the scene.
fn below(seen: &Picture) -> Vec<[u8; 4]> {
    seen.part([400, 740, 480, 60])
}

#[test]
fn a_hidden_panel_hides_no_news_and_comes_back_for_a_path() {
    let Some((_server, display)) = display(&["xdotool", "import"]) else { return };
    let folder = super::files::folder("window-told");
    let (session, shot) = (folder.join("a.session"), folder.join("shot.png"));
    // Its letters would put joints back to rest, hold one as base and move the camera.
    let file = folder.join("brief.glb");
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/arm.glb"), &file).unwrap();
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_sinew"));
    viewer.env("DISPLAY", &display).env_remove("WAYLAND_DISPLAY").current_dir(&folder);
    // Nothing there can answer with a dialog.
    viewer.env("PATH", &folder).env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/none");
    viewer.env("XDG_CONFIG_HOME", folder.join("config"));
    viewer.args(["view", "--adapter", "cpu", "--record"]).arg(&session);
    let mut viewer = Started(viewer.spawn().unwrap());
    let tool = |args: &[&str]| {
        let output = Command::new("xdotool").env("DISPLAY", &display).args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let look = || {
        let mut import = Command::new("import");
        import.env("DISPLAY", &display).args(["-window", "root"]).arg(&shot).status().unwrap();
        picture::open(&shot)
    };
    let wait = |what: &str, is: &dyn Fn(&Picture) -> bool| {
        let since = Instant::now();
        while !is(&look()) {
            assert!(since.elapsed() < PATIENCE, "{what}: see {}", shot.display());
            sleep(Duration::from_millis(100));
        }
    };
    let there = |path: &Path| {
        let since = Instant::now();
        while !path.is_file() {
            assert!(since.elapsed() < PATIENCE, "{} does not come", path.display());
            sleep(Duration::from_millis(50));
        }
    };
    let window = tool(&["search", "--sync", "--onlyvisible", "--name", "^sinew$"]);
    let colors = |seen: &Picture| seen.pixels().collect::<std::collections::HashSet<_>>().len();
    wait("the window is blank", &|seen| colors(seen) > 500);
    tool(&["windowfocus", "--sync", &window]);
    // A pull, after which nothing needs a hint any more.
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
    tool(&["mouseup", "1", "mousemove", "20", "120"]);
    let panel = |seen: &Picture| seen.at(1270, 790) != seen.at(5, 790);
    // Without a window manager, the first key after the focus has come is lost now and then.
    let is_hidden = || {
        tool(&["key", "Tab"]);
        let since = Instant::now();
        while panel(&look()) && since.elapsed() < PATIENCE / 4 {
            sleep(Duration::from_millis(100));
        }
        !panel(&look())
    };
    assert!(is_hidden() || is_hidden(), "the panel is not hidden: see {}", shot.display());
    sleep(Duration::from_secs(2));
    let before = below(&look());
    tool(&["key", "F12"]);
    there(&folder.join("sinew-0001.png"));
    wait("nothing is said of the picture", &|seen| below(seen) != before);
    wait("what was said stays", &|seen| below(seen) == before);
    tool(&["key", "ctrl+o"]);
    tool(&["type", "--delay", "1", "brief"]);
    wait("the panel does not come back", &panel);
    tool(&["key", "ctrl+a"]);
    tool(&["type", "--delay", "20", file.to_str().unwrap()]);
    tool(&["key", "Return"]);
    // The recording ends where another character comes.
    there(&session);
    let recorded = fs::read_to_string(&session).unwrap();
    assert!(recorded.contains("{\"drag\""), "{recorded}");
    for key in ["\"base\"", "{\"rest\"", "\"frame-all\""] {
        let typed = recorded.lines().filter(|line| line.contains(&format!("\"do\":{key}"))).count();
        assert_eq!(typed, 0, "{key} reached the scene");
    }
    assert!(viewer.0.try_wait().unwrap().is_none(), "the viewer has gone");
}
