//! A performer is followed in the window, and a take of it recorded, by pointer and keys. Skipped where the tools are absent.

use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use super::display::{Started, display};
use super::files::folder;
use crate::picture::{self, Look};

const PATIENCE: Duration = Duration::from_secs(90);

/// A string as OSC has it: with a zero, filled up to four bytes.
fn text(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() + 4) / 4 * 4, 0);
    bytes
}

/// A message of the VMC protocol about a bone, turned about its axis to the front.
fn bone(name: &str, place: [f32; 3], angle: f32) -> Vec<u8> {
    let numbers = place.into_iter().chain([0.0, 0.0, (angle / 2.0).sin(), (angle / 2.0).cos()]);
    let head = [text("/VMC/Ext/Bone/Pos"), text(",sfffffff"), text(name)].concat();
    head.into_iter().chain(numbers.flat_map(f32::to_be_bytes)).collect()
}

/// Two arms that go up and down until all is said.
fn perform(to: SocketAddr, done: &AtomicBool) {
    let (socket, start) = (UdpSocket::bind("127.0.0.1:0").unwrap(), Instant::now());
    while !done.load(Ordering::Relaxed) {
        let swing = (start.elapsed().as_secs_f32() * 3.0).sin();
        let said = [
            bone("Hips", [0.0, 0.95, 0.0], 0.0),
            bone("LeftUpperArm", [0.0; 3], 1.0 + 0.4 * swing),
            bone("RightUpperArm", [0.0; 3], -1.1 + 0.4 * swing),
        ];
        said.iter().for_each(|packet| drop(socket.send_to(packet, to)));
        sleep(Duration::from_millis(16));
    }
}

/// What is recorded so far.
fn told(folder: &Path) -> String {
    let hidden = |p: &PathBuf| p.file_name().unwrap().to_string_lossy().starts_with(".a.session.");
    let file = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).find(hidden);
    file.and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default()
}

fn wait(what: &str, mut come: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !come() {
        assert!(begun.elapsed() < PATIENCE, "in vain: {what}");
        sleep(Duration::from_millis(150));
    }
}

#[test]
fn a_take_is_recorded_chosen_and_pulled_in_the_window() {
    let Some((_server, display)) = display(&["xdotool", "import"]) else { return };
    let folder = folder("window-live");
    let hail = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/hail.bvh");
    fs::copy(hail, folder.join("hail.bvh")).unwrap();
    // A port that is free.
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
    let shot = folder.join("shot.png");
    let any = |[x, y, w, h]: [u32; 4], is: fn([u8; 3]) -> bool| {
        let mut import = Command::new("import");
        import.env("DISPLAY", &display).args(["-window", "root"]).arg(&shot).status().unwrap();
        picture::open(&shot).part([x, y, w, h]).into_iter().any(|[r, g, b, _]| is([r, g, b]))
    };
    let has = |line: &str| told(&folder).contains(line);
    let count = |what: &str| told(&folder).matches(what).count();
    let window = tool("search --sync --onlyvisible --name ^sinew$");
    wait("the character follows", || has(r#"{"follow""#));
    tool(&format!("windowfocus --sync {window}"));
    // The heading above the buttons, after the wheel has gone that far.
    tool("mousemove 1100 600 click --repeat 3 --delay 100 5");
    wait("the heading", || any([985, 505, 60, 10], |[r, _, b]| r > 200 && b < 120));
    tool("mousemove 1033 557 sleep 0.5 click 1");
    wait("a take that is recorded", || any([993, 549, 80, 16], |[r, g, _]| r > 180 && g < 110));
    let before = count("follow");
    wait("something in it", || count("follow") > before + 8);
    tool("click 1");
    wait("the take", || has(r#""add":{"file":"sinew-take-0001.csv""#));
    assert!(has(r#""add":{"file":"hail.bvh""#), "{}", told(&folder));
    // The list of clips, and the last of them.
    tool("mousemove 1118 479 sleep 0.5 click 1");
    wait("the list", || any([1100, 500, 100, 10], |[r, _, b]| r > 150 && b < 70));
    tool("mousemove 1030 688 sleep 0.5 click 1");
    wait("the take is played", || has(r#"{"clip":6}"#));
    // A joint is selected, and the take is pulled on the line: Escape takes the pull back and leaves the joint.
    wait("the line of time", || any([200, 710, 100, 10], |[r, _, b]| b > 100 && r < 100));
    tool("mousemove 490 250 sleep 0.5 click 1");
    wait("a joint", || has(r#"{"select":1}"#));
    tool("mousemove 400 715 sleep 1 mousedown 1 sleep 1 mousemove 430 715 sleep 1 mousemove 500 715");
    wait("a pull", || has(r#"{"motion""#));
    tool("key Escape");
    wait("taken back", || has(r#"do":"undo""#));
    tool("mouseup 1 sleep 0.5");
    let tail = count("follow");
    wait("pictures after that", || count("follow") > tail + 3);
    assert!(!has(r#"{"select":null}"#), "{}", told(&folder));
    DONE.store(true, Ordering::Relaxed);
    performer.join().unwrap();
    tool("key ctrl+q");
    let mut ended = None;
    wait("the end", || {
        ended = viewer.0.try_wait().unwrap();
        ended.is_some()
    });
    assert_eq!(ended.and_then(|status| status.code()), Some(0));
    // It plays again without a performer, and the take lies where it lay.
    let recording = sinew::viewer::Recording::open(&folder.join("a.session")).unwrap();
    let character = sinew::asset::mannequin().unwrap();
    let rig = sinew::rig::load(&character, None).unwrap();
    let mut replay = sinew::viewer::Replay::new(&recording, character, rig).unwrap();
    replay.advance(recording.length()).unwrap();
    let puppet = replay.session().puppet();
    assert_eq!((puppet.motion.only(), replay.session().selected()), (Some(6), Some(1)));
    assert_eq!(puppet.character().clips[6].name.as_deref(), Some("take 1"));
    assert!(puppet.character().clips[6].seconds > 0.0);
}
