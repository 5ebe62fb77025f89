//! A test of toasts while the panel is hidden, and of keyboard focus in the path field. Like `window`, it runs on a
//! separate X server.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use sinew::asset::DecodedImage;

use sinew_testkit::image::{self, PixelAccess};

use sinew_testkit::display::{Started, display};
use sinew_testkit::{asset_path, folder};

/// Maximum time to wait for an effect.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Returns the pixels of the lower middle of the scene, where toasts appear.
fn toast_area(screen: &DecodedImage) -> Vec<[u8; 4]> {
    screen.part([400, 740, 480, 60])
}

/// The folder of the viewer's settings.
const STATE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/state");

#[test]
fn toasts_and_the_path_field_appear_without_the_panel() {
    let Some((_server, display)) = display(&["xdotool", "import"]) else { return };
    let folder = folder("window-toast");
    let (session, image_path) = (folder.join("a.session"), folder.join("shot.png"));
    // Outside a text field, the letters of this name would reset joints, set a base and move the camera.
    let file = folder.join("brief.glb");
    fs::copy(asset_path("arm.glb"), &file).unwrap();
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_sinew"));
    viewer
        .env("DISPLAY", &display)
        .env_remove("WAYLAND_DISPLAY")
        .env("XDG_STATE_HOME", STATE)
        .current_dir(&folder);
    // Prevent the system's file dialog from opening.
    viewer.env("PATH", &folder).env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/none");
    viewer.env("XDG_CONFIG_HOME", folder.join("config"));
    viewer.args(["view", "--adapter", "cpu", "--record"]).arg(&session);
    let mut viewer = Started(viewer.spawn().unwrap());
    let tool = |args: &[&str]| {
        let output = Command::new("xdotool").env("DISPLAY", &display).args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let screenshot = || {
        let mut import = Command::new("import");
        import.env("DISPLAY", &display).args(["-window", "root"]).arg(&image_path).status().unwrap();
        image::open(&image_path)
    };
    let wait = |failure: &str, is_met: &dyn Fn(&DecodedImage) -> bool| {
        let start = Instant::now();
        while !is_met(&screenshot()) {
            assert!(start.elapsed() < TIMEOUT, "{failure}: see {}", image_path.display());
            sleep(Duration::from_millis(100));
        }
    };
    let wait_for_file = |path: &Path| {
        let start = Instant::now();
        while !path.is_file() {
            assert!(start.elapsed() < TIMEOUT, "{} was not written", path.display());
            sleep(Duration::from_millis(50));
        }
    };
    let window = tool(&["search", "--sync", "--onlyvisible", "--name", "^sinew$"]);
    let colors = |screen: &DecodedImage| screen.pixels().collect::<std::collections::HashSet<_>>().len();
    wait("the window is blank", &|screen| colors(screen) > 500);
    tool(&["windowfocus", "--sync", &window]);
    // Drag once, because the hint is then no longer shown.
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
    let has_panel = |screen: &DecodedImage| screen.at(1270, 500) != screen.at(5, 500);
    // Without a window manager, the first key after a focus change is sometimes lost.
    let hide_panel = || {
        tool(&["key", "Tab"]);
        let start = Instant::now();
        while has_panel(&screenshot()) && start.elapsed() < TIMEOUT / 4 {
            sleep(Duration::from_millis(100));
        }
        !has_panel(&screenshot())
    };
    assert!(hide_panel() || hide_panel(), "the panel is not hidden: see {}", image_path.display());
    sleep(Duration::from_secs(2));
    let before = toast_area(&screenshot());
    tool(&["key", "F12"]);
    wait_for_file(&folder.join("sinew-0001.png"));
    wait("no toast appears for the saved image", &|screen| toast_area(screen) != before);
    wait("the toast does not disappear", &|screen| toast_area(screen) == before);
    // The path field is drawn over the scene, so it does not need the panel.
    let above = screenshot().part([400, 10, 400, 60]);
    tool(&["key", "ctrl+o"]);
    tool(&["type", "--delay", "1", "brief"]);
    wait("no path field is shown", &|screen| screen.part([400, 10, 400, 60]) != above);
    tool(&["key", "ctrl+a"]);
    tool(&["type", "--delay", "20", file.to_str().unwrap()]);
    tool(&["key", "Return"]);
    // Opening another character ends the recording.
    wait_for_file(&session);
    let recorded = fs::read_to_string(&session).unwrap();
    assert!(recorded.contains("{\"drag\""), "{recorded}");
    for key in ["\"base\"", "{\"rest\"", "\"frame-all\""] {
        let count = recorded.lines().filter(|line| line.contains(&format!("\"do\":{key}"))).count();
        assert_eq!(count, 0, "{key} reached the scene");
    }
    assert!(viewer.0.try_wait().unwrap().is_none(), "the viewer has exited");
}
