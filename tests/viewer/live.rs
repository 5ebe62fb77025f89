//! A test that follows a live performer in the window and records a take, driven by xdotool. Skipped if the tools are
//! missing.

use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use sinew_testkit::display::{Started, display};
use sinew_testkit::image::{self, PixelAccess};
use sinew_testkit::{folder, osc};

use crate::support::replayed;

/// Maximum time to wait for an effect.
const TIMEOUT: Duration = Duration::from_secs(90);

/// Encodes a bone message of the VMC protocol. `angle` rotates the bone about the z axis.
fn bone(name: &str, position: [f32; 3], angle: f32) -> Vec<u8> {
    let ([x, y, z], (sin, cos)) = (position, (angle / 2.0).sin_cos());
    osc::named("/VMC/Ext/Bone/Pos", name.as_bytes(), &[x, y, z, 0.0, 0.0, sin, cos])
}

/// Sends the poses of two arms that swing up and down, until `done` is set.
fn perform(to: SocketAddr, done: &AtomicBool) {
    let (socket, start) = (UdpSocket::bind("127.0.0.1:0").unwrap(), Instant::now());
    while !done.load(Ordering::Relaxed) {
        let swing = (start.elapsed().as_secs_f32() * 3.0).sin();
        let packets = [
            bone("Hips", [0.0, 0.95, 0.0], 0.0),
            bone("LeftUpperArm", [0.0; 3], 1.0 + 0.4 * swing),
            bone("RightUpperArm", [0.0; 3], -1.1 + 0.4 * swing),
        ];
        packets.iter().for_each(|packet| drop(socket.send_to(packet, to)));
        sleep(Duration::from_millis(16));
    }
}

/// Returns the text of the recording so far.
fn recorded(folder: &Path) -> String {
    let hidden = |p: &PathBuf| p.file_name().unwrap().to_string_lossy().starts_with(".a.session.");
    let file = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).find(hidden);
    file.and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default()
}

/// Waits until a condition holds.
fn wait(name: &str, mut is_met: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_met() {
        assert!(start.elapsed() < TIMEOUT, "timeout while waiting for {name}");
        sleep(Duration::from_millis(150));
    }
}

#[test]
fn take_is_recorded_selected_and_dragged_in_the_window() {
    let Some((_server, display)) = display(&["xdotool", "import"]) else { return };
    let folder = folder("window-live");
    let hail = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/hail.bvh");
    fs::copy(hail, folder.join("hail.bvh")).unwrap();
    // Find a free port.
    let address = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    static DONE: AtomicBool = AtomicBool::new(false);
    let performer = spawn(move || perform(address, &DONE));
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_sinew"));
    viewer.env("DISPLAY", &display).env_remove("WAYLAND_DISPLAY").env("XDG_STATE_HOME", folder.join("state"));
    viewer.current_dir(&folder).args(["view", "--adapter", "cpu", "--clips", "hail.bvh"]);
    let mut viewer =
        Started(viewer.arg(format!("--vmc={address}")).args(["--record", "a.session"]).spawn().unwrap());
    let tool = |args: &str| {
        let output = Command::new("xdotool").env("DISPLAY", &display).args(args.split(' ')).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let screenshot = folder.join("shot.png");
    let any = |[x, y, w, h]: [u32; 4], matches: fn([u8; 3]) -> bool| {
        let mut import = Command::new("import");
        import.env("DISPLAY", &display).args(["-window", "root"]).arg(&screenshot).status().unwrap();
        image::open(&screenshot).part([x, y, w, h]).into_iter().any(|[r, g, b, _]| matches([r, g, b]))
    };
    let has = |line: &str| recorded(&folder).contains(line);
    let count = |text: &str| recorded(&folder).matches(text).count();
    let window = tool("search --sync --onlyvisible --name ^sinew$");
    wait("the character to follow", || has(r#"{"live-pose""#));
    tool(&format!("windowfocus --sync {window}"));
    // Show the pane with the clips and the live source.
    tool("mousemove 1059 50 sleep 0.5 click 1");
    wait("the section heading", || any([982, 144, 60, 10], |[r, _, b]| r > 200 && b < 120));
    tool("mousemove 1022 198 sleep 0.5 click 1");
    wait("the recording of the take", || any([985, 190, 80, 16], |[r, g, _]| r > 180 && g < 110));
    let before = count("live-pose");
    wait("frames of the take", || count("live-pose") > before + 8);
    tool("click 1");
    wait("the saved take", || has(r#""add-clips":{"file":"sinew-take-0001.csv""#));
    assert!(has(r#""add-clips":{"file":"hail.bvh""#), "{}", recorded(&folder));
    // Open the list of clips and select the last one.
    tool("mousemove 1118 116 sleep 0.5 click 1");
    wait("the list of clips", || any([1100, 137, 100, 10], |[r, _, b]| r > 150 && b < 70));
    tool("mousemove 1030 325 sleep 0.5 click 1");
    wait("the take to play", || has(r#"{"clip":"take 1"}"#));
    // Select a joint and drag the take on the timeline. Escape cancels the drag but keeps the selection.
    wait("the timeline", || any([200, 705, 100, 10], |[r, _, b]| b > 100 && r < 100));
    tool("mousemove 487 300 sleep 0.5 click 1");
    wait("the selection of a joint", || has(r#"{"select":"#));
    tool("mousemove 150 710 sleep 1 mousedown 1 sleep 1 mousemove 180 710 sleep 1 mousemove 250 710");
    wait("the drag of the strip", || has(r#"{"motion""#));
    tool("key Escape");
    wait("the undo of the drag", || has(r#"do":"undo""#));
    tool("mouseup 1 sleep 0.5");
    let count_before = count("live-pose");
    wait("further frames", || count("live-pose") > count_before + 3);
    assert!(!has(r#"{"select":null}"#), "{}", recorded(&folder));
    DONE.store(true, Ordering::Relaxed);
    performer.join().unwrap();
    tool("key ctrl+q");
    let mut ended = None;
    wait("the viewer to exit", || {
        ended = viewer.0.try_wait().unwrap();
        ended.is_some()
    });
    assert_eq!(ended.and_then(|status| status.code()), Some(0));
    // The recording can be replayed without a performer, and it includes the take.
    let replay = replayed(&folder.join("a.session"));
    let puppet = replay.session().puppet();
    assert!(puppet.motion.only() == Some(6) && replay.session().selected().is_some());
    assert_eq!(puppet.character().clips[6].name.as_deref(), Some("take 1"));
    assert!(puppet.character().clips[6].seconds > 0.0);
}
