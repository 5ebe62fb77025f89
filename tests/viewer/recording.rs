//! Tests of recording and replay, which must reproduce a session exactly at any frame rate.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Program;
use std::time::Duration;

use glam::{DVec3, EulerRot, Vec2, Vec3};
use proptest::prelude::*;
use sinew::asset::{Transform, load, mannequin};
use sinew::ik::{Limit, Method, Options, Swivel};
use sinew::motion::{Edit, Layer, Motion, RootMotion, Strip, WeightedClip};
use sinew::render::{AdapterChoice, DecodedImages, Gpu, Renderer, ShadingMode};
use sinew::rig;
use sinew::skin::Skinning;
use sinew::viewer::{
    Axis, Button, Command, Display, Event, Input, Recorder, Recording, Replay, RingMode, Session,
};

use super::files::folder;
use super::{SIZE, at, drag, pose, random_event};
use crate::image::{self, PixelAccess};

/// Returns the mannequin with its rig, as the program opens it.
fn session() -> Session {
    let character = mannequin().unwrap();
    let rig = rig::load(&character, None).unwrap();
    Session::new(character, Some(rig), SIZE)
}

fn replay(path: &Path) -> Replay {
    let recording = Recording::open(path).unwrap();
    let character = recording.character().map_or_else(mannequin, |file| load(&file)).unwrap();
    let rig = rig::load(&character, None).unwrap();
    assert_eq!(recording.warnings(&character, &rig), Vec::<String>::new());
    Replay::new(&recording, character, rig).unwrap()
}

/// Plays a recording to its end.
fn replayed(path: &Path) -> Replay {
    let mut replay = replay(path);
    replay.advance(Recording::open(path).unwrap().length()).unwrap();
    replay
}

/// Describes everything that is drawn of a session. Debug formatting of floats is exact, so equal texts mean equal
/// bits.
fn snapshot(session: &Session) -> String {
    let frame = session.frame(1.0);
    let (pose, display) = (session.puppet().pose(), (frame.mode, frame.ground, frame.shadow, session.size()));
    format!("{pose:?} {:?} {:?} {:?} {display:?}", frame.camera, frame.palette, frame.lines)
}

fn tick(session: &mut Session, milliseconds: u64) {
    session.apply(Command::Tick(Duration::from_millis(milliseconds)));
}

/// Returns a motion with two blended clips, a layer, an edit of one joint and planted feet.
fn blended() -> Motion {
    let shares = vec![WeightedClip { clip: 0, weight: 0.25 }, WeightedClip { clip: 1, weight: 0.75 }];
    let edit = Edit { time: 0.5, before: 0.2, after: 0.1, turns: vec![(3, Vec3::X)], shifts: Vec::new() };
    let layer = Layer { clip: 1, weight: 0.5, additive: true, mask: vec![4], speed: 1.0 };
    let strip = Strip {
        clips: shares,
        looping: true,
        seconds: Some(3.0),
        root_motion: RootMotion::InPlace,
        ..Strip::new(0)
    };
    Motion { strips: vec![strip], layers: vec![layer], edits: vec![edit], plant: true }
}

/// Returns an example of every command.
fn every_command() -> Vec<Command> {
    let position = Vec2::new(640.25, 0.1);
    let mut options = Options { method: Method::TwoBone, tolerance: Some(1.0 / 3.0), ..Options::default() };
    options.ccd.step = 0.1;
    options.limb.swivel = Swivel::Follow { at_base: 0.1, slope: DVec3::new(0.1, -0.0, 1e-300) };
    let mut posed = session();
    let mut input = Input::default();
    posed.apply(Command::KeepGoals(true));
    let hand = at(&posed, "leftHand");
    drag(&mut posed, &mut input, hand, Vec2::new(-50.0, -40.0));
    posed.apply(Command::Release);
    posed.apply(Command::Pin);
    let path = folder("session-stand").join("a.session");
    posed.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    posed.stop_recording().unwrap().unwrap();
    let text = fs::read_to_string(path).unwrap();
    let recorded = |kind: &str| {
        let line = text.lines().find(|l| l.contains(kind)).unwrap();
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        // Parse the original text, because a detour through `Value` could change numbers.
        let start = line.find("\"do\":").unwrap() + 5;
        assert!(value["do"].is_object());
        serde_json::from_str::<Command>(&line[start..line.len() - 1]).unwrap()
    };
    vec![
        Command::Resize(position),
        Command::Hover(position),
        Command::Grab(position),
        Command::GrabSelected(position),
        Command::Drag(position),
        Command::Push(-1.5),
        Command::Constrain(Axis::Y),
        Command::Snap(true),
        Command::Release,
        Command::Cancel,
        Command::Orbit(position),
        Command::Pan(position),
        Command::Zoom(position, 0.1),
        Command::Center(position),
        Command::FrameAll,
        Command::Pin,
        Command::Base,
        Command::Rest(false),
        Command::RestAll,
        Command::Undo,
        Command::Redo,
        Command::Select(Some(3)),
        Command::Highlight(None),
        Command::Limit(8, Limit::Hinge { axis: DVec3::X, min: -0.1, max: 1.0 / 3.0 }),
        Command::Limit(8, Limit::Free),
        Command::Limit(8, Limit::Euler { order: EulerRot::YXZ, min: [-1.0; 3], max: [0.5; 3] }),
        Command::RingMode(RingMode { alone: true, world: false }),
        Command::Scale(1.25),
        Command::Solver(Box::new(options)),
        Command::Compare(vec![Method::Ccd, Method::TwoBone]),
        Command::KeepGoals(true),
        Command::ClearGoals,
        Command::RemoveGoal(20),
        Command::GoalWeight(20, 1.0 / 3.0),
        Command::Clip(Some(1)),
        Command::Clip(None),
        Command::Motion(Box::new(blended())),
        Command::Key,
        Command::Play(true),
        Command::Seek(0.1),
        Command::Speed(f32::MIN_POSITIVE),
        Command::Looping(false),
        Command::Morph(2, 0.3),
        Command::LivePose(vec![(9, Transform { translation: Vec3::Y, ..Transform::IDENTITY })], vec![]),
        Command::ShadingMode(ShadingMode::Lambert),
        Command::Skinning(Skinning::DualQuaternion),
        Command::Display(Display { skeleton: true, names: false, ground: true, shadow: false }),
        recorded("\"camera\""),
        recorded("restore"),
        serde_json::from_str(r#"{"add-clips":{"file":"a/b.csv","fingerprint":"crc32:0","name":"take 1"}}"#)
            .unwrap(),
    ]
}

/// Returns the name of a command in a file.
fn name(command: &Command) -> String {
    match serde_json::to_value(command).unwrap() {
        serde_json::Value::String(name) => name,
        value => value.as_object().unwrap().keys().next().unwrap().clone(),
    }
}

#[test]
fn every_command_round_trips_and_is_documented() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/session.md")).unwrap();
    let commands = every_command();
    // The error message lists all commands.
    let error = serde_json::from_str::<Command>("\"no such command\"").unwrap_err().to_string();
    let names: Vec<&str> = error.split('`').skip(3).step_by(2).collect();
    assert!(names.len() > 30, "{error}");
    let deprecated = include_str!("../../docs/deprecated.md");
    let is_deprecated = |name: &str| {
        ["\"", "{\""].iter().any(|start| deprecated.contains(&format!("| session | `{start}{name}\"")))
    };
    for known in names.into_iter().filter(|n| !is_deprecated(n)) {
        assert!(commands.iter().any(|c| name(c) == known), "`every_command` has no example of {known}");
        let row = page.lines().any(|l| {
            l.starts_with(&format!("| `\"{known}\"")) || l.starts_with(&format!("| `{{\"{known}\""))
        });
        assert!(row, "docs/session.md does not describe {known}");
    }
    for command in commands {
        let text = serde_json::to_string(&command).unwrap();
        let back: Command = serde_json::from_str(&text).unwrap();
        // Also compare the texts, which show the signs of zeros.
        assert_eq!((format!("{command:?}"), command), (format!("{back:?}"), back), "{text}");
    }
    // Every example on the page is valid.
    let is_command = |row: &&str| row.starts_with("| `\"") || row.starts_with("| `{");
    for row in page.lines().filter(is_command) {
        let example = row.split('`').nth(1).unwrap();
        assert!(serde_json::from_str::<Command>(example).is_ok(), "{example}");
    }
}

#[test]
fn options_omit_defaults_and_reject_unknown_keys() {
    let defaults = Command::Solver(Box::default());
    assert_eq!(serde_json::to_string(&defaults).unwrap(), r#"{"solver":{}}"#);
    let mut options = Options { method: Method::Ccd, ..Options::default() };
    options.ccd.budget = 0.25;
    let text = serde_json::to_string(&Command::Solver(Box::new(options))).unwrap();
    assert_eq!(text, r#"{"solver":{"ccd":{"budget":0.25},"method":"ccd"}}"#);
    let read = |text: &str| serde_json::from_str::<Command>(text);
    let infinite = read(r#"{"solver":{"ccd":{"step":null}}}"#).unwrap();
    assert_eq!(infinite, defaults);
    for invalid in [
        r#"{"solver":{"iteration":3}}"#,
        r#"{"solver":{"ccd":{"stop":1}}}"#,
        r#"{"drag":[1,2,3]}"#,
        r#"{"tick":1}"#,
    ] {
        assert!(read(invalid).is_err(), "{invalid}");
    }
}

proptest! {
    #[test]
    fn floats_round_trip_exactly(x in any::<f32>(), y in any::<f32>(), z in any::<f64>()) {
        prop_assume!(x.is_finite() && y.is_finite() && z.is_finite());
        let Command::Zoom(position, steps) = serde_json::from_str(
            &serde_json::to_string(&Command::Zoom(Vec2::new(x, y), x)).unwrap()
        ).unwrap() else { panic!() };
        prop_assert_eq!([position.x, position.y, steps].map(f32::to_bits), [x, y, x].map(f32::to_bits));
        let options = Options { stiffness: z, ..Options::default() };
        let text = serde_json::to_string(&Command::Solver(Box::new(options))).unwrap();
        let Command::Solver(back) = serde_json::from_str(&text).unwrap() else { panic!() };
        prop_assert_eq!(back.stiffness.to_bits(), z.to_bits());
    }
}

/// Records drags during playback with a kept goal, at `rate` frames per second.
fn record_drags_during_playback(rate: u64, path: &Path) -> Session {
    let mut session = session();
    session.record(Recorder::new(path, false).unwrap(), 1.0).unwrap();
    let hand = at(&session, "leftHand");
    let by = |x: f32, y: f32| hand + Vec2::new(x, y);
    let script = [
        (120, Command::KeepGoals(true)),
        (350, Command::Clip(Some(0))),
        (700, Command::Speed(0.7)),
        (933, Command::Hover(by(0.0, 0.0))),
        (950, Command::Grab(by(0.0, 0.0))),
        (1000, Command::Drag(by(-30.0, -20.0))),
        (1021, Command::Drag(by(-60.0, -45.0))),
        (1500, Command::Release),
        (1777, Command::Looping(false)),
        (2400, Command::Seek(0.2)),
        (2600, Command::Solver(Box::new(Options { restarts: 8, ..Options::default() }))),
        (4000, Command::Play(false)),
        (4100, Command::Clip(None)),
        (4300, Command::Grab(by(0.0, 0.0))),
        (4400, Command::Drag(by(-20.0, -60.0))),
        (4500, Command::Release),
        (4600, Command::Clip(Some(1))),
        (4700, Command::Motion(Box::new(blended()))),
        (4750, Command::Motion(Box::new(Motion { plant: false, ..blended() }))),
        (4800, Command::Undo),
        (4900, Command::Motion(Box::new(blended()))),
        (5000, Command::FrameAll),
    ];
    let (mut now, mut frame) = (Duration::ZERO, 0_u32);
    for (at, command) in script {
        let at = Duration::from_millis(at);
        // The frames before the command, and then the command at its own time.
        let mut frames = Vec::new();
        while Duration::from_secs(frame.into()) / u32::try_from(rate).unwrap() < at {
            frames.push(Duration::from_secs(frame.into()) / u32::try_from(rate).unwrap());
            frame += 1;
        }
        for to in frames.into_iter().chain([at]) {
            session.apply(Command::Tick(to - now));
            now = to;
        }
        session.apply(command);
    }
    session.stop_recording().unwrap().unwrap();
    session
}

#[test]
fn frame_rate_does_not_change_the_recording() {
    let folder = folder("session-rates");
    let (slow, fast) = (folder.join("30.session"), folder.join("144.session"));
    let (a, b) = (record_drags_during_playback(30, &slow), record_drags_during_playback(144, &fast));
    assert_eq!(fs::read_to_string(&slow).unwrap(), fs::read_to_string(&fast).unwrap());
    assert_eq!(snapshot(&a), snapshot(&b));
    assert_eq!(snapshot(&a), snapshot(replayed(&slow).session()));
    // Replays at different rates give identical frames at the same times.
    let frames = |rate: u32, every: u32| -> Vec<String> {
        let mut replay = replay(&slow);
        let mut frames = Vec::new();
        for frame in 0..=rate * 5 {
            replay.advance(Duration::from_secs_f64(f64::from(frame) / f64::from(rate))).unwrap();
            if frame % every == 0 {
                frames.push(snapshot(replay.session()));
            }
        }
        frames
    };
    let tenths = frames(10, 1);
    assert_eq!(tenths.len(), 51);
    assert!(tenths.windows(2).filter(|w| w[0] != w[1]).count() > 30, "nothing moves in the replay");
    assert_eq!(tenths, frames(60, 6));
    assert_eq!(tenths, frames(1000, 100));
}

/// Applies random events and panel commands with time between them.
fn play_randomly(session: &mut Session, input: &mut Input, seed: u64, events: u32) {
    let mut state = seed;
    let mut next = move |below: u16| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        u16::try_from(state % u64::from(below)).unwrap()
    };
    for _ in 0..events {
        let position = Vec2::new(f32::from(next(900)) + 100.3, f32::from(next(700)) + 50.7);
        input.handle(random_event(&mut next, position, "0123456789xyzpbrfse Z"), session);
        session.apply(Command::Tick(Duration::from_nanos(u64::from(next(60_000)) * 1_003)));
        match next(30) {
            0 => session.apply(Command::Clip(Some(usize::from(next(3))))),
            1 => session.apply(Command::Clip(None)),
            20 => session.apply(Command::Motion(Box::new(blended()))),
            2 => session.apply(Command::KeepGoals(next(2) == 0)),
            3 => session.apply(Command::Drag(Vec2::NAN)),
            4 => session.apply(Command::Undo),
            5 => session.apply(Command::Speed(f32::from(next(9)) - 4.1)),
            6 => session.apply(Command::Skinning(Skinning::ALL[usize::from(next(2))])),
            7 => session.apply(Command::ShadingMode(ShadingMode::ALL[usize::from(next(5))])),
            8 => session.apply(Command::ClearGoals),
            9 => session.apply(Command::Play(next(2) == 0)),
            10 => session.apply(Command::Looping(next(2) == 0)),
            11 => session.apply(Command::Resize(position)),
            _ => {}
        }
    }
}

#[test]
fn random_commands_replay_exactly_from_any_state() {
    let folder = folder("session-random");
    for seed in 1..=6_u64 {
        let path = folder.join(format!("{seed}.session"));
        let (mut live, mut input) = (session(), Input::default());
        // The state before the recording must not matter.
        play_randomly(&mut live, &mut input, seed * 77, if seed % 2 == 0 { 120 } else { 0 });
        live.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
        play_randomly(&mut live, &mut input, seed, 200);
        live.stop_recording().unwrap().unwrap();
        let mut replay = replayed(&path);
        assert_eq!(snapshot(&live), snapshot(replay.session()), "{seed}");
        // The camera still agrees long after the end.
        replay.advance(Duration::from_secs(3600)).unwrap();
        assert_eq!(live.camera(), replay.session().camera());
    }
}

#[test]
fn recording_keeps_the_undo_history() {
    let (mut session, mut input) = (session(), Input::default());
    let rest = pose(&session);
    let hand = at(&session, "leftHand");
    drag(&mut session, &mut input, hand, Vec2::new(-60.0, -50.0));
    input.handle(Event::Released(Button::Left), &mut session);
    let dragged = pose(&session);
    let path = folder("session-undo").join("a.session");
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    assert_eq!(dragged, pose(&session), "starting a recording must not change the pose");
    session.apply(Command::Undo);
    assert_eq!(dragged, pose(&session), "undo must stop at the start of the recording");
    session.apply(Command::RestAll);
    session.stop_recording().unwrap().unwrap();
    session.apply(Command::Undo);
    assert_eq!(dragged, pose(&session));
    session.apply(Command::Undo);
    assert_eq!(rest, pose(&session));
}

#[test]
fn recording_survives_a_crash_and_replaces_no_file() {
    let folder = folder("session-files");
    let path = folder.join("a.session");
    let file_names = || {
        let mut names: Vec<String> =
            fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    drop(Recorder::new(&path, false).unwrap());
    assert!(file_names().is_empty(), "an empty recording was left behind");
    let mut session = session();
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    session.apply(Command::Orbit(Vec2::new(30.0, 2.0)));
    tick(&mut session, 250);
    assert_eq!(session.recorded(), Some(Duration::from_millis(250)));
    session.apply(Command::FrameAll);
    // If the program is killed now, the hidden file can be replayed.
    let [hidden] = &file_names()[..] else { panic!("{:?}", file_names()) };
    assert_eq!(hidden, ".a.session.part");
    assert_eq!(snapshot(&session), snapshot(replayed(&folder.join(hidden)).session()));
    // Another program creates a file with the same name in between.
    fs::write(&path, "other").unwrap();
    let error = session.stop_recording().unwrap().unwrap_err().to_string();
    assert!(error.contains("a.session") && error.contains(hidden) && !error.contains('\n'), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "other");
    assert!(Recorder::new(&path, false).is_err());
    session.record(Recorder::new(&path, true).unwrap(), 1.0).unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "other",
        "the file was replaced before the recording ended"
    );
    assert_eq!(session.stop_recording().unwrap().unwrap(), path);
    assert!(fs::read_to_string(&path).unwrap().starts_with(r#"{"format":"sinew-session-1""#));
    assert_eq!(file_names().len(), 2, "{:?}", file_names());
    assert!(Recorder::new(&folder.join("missing/a.session"), false).is_err());
}

#[test]
fn recording_finds_and_identifies_its_character() {
    let folder = folder("session-character");
    fs::create_dir(folder.join("models")).unwrap();
    let model = folder.join("models/doll.glb");
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/arm.glb"), &model).unwrap();
    let open = |path: &Path| {
        let character = load(path).unwrap();
        let rig = rig::load(&character, None).unwrap();
        Session::new(character, Some(rig), SIZE)
    };
    let path = folder.join("a.session");
    let mut session = open(&model);
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    session.stop_recording().unwrap().unwrap();
    // The recording and the character can be moved together.
    let moved = folder.with_extension("moved");
    let _ = fs::remove_dir_all(&moved);
    fs::rename(&folder, &moved).unwrap();
    let recording = Recording::open(&moved.join("a.session")).unwrap();
    assert_eq!(recording.character().unwrap(), moved.join("models/doll.glb"));
    let original = open(&moved.join("models/doll.glb"));
    assert!(recording.warnings(original.puppet().character(), &original.puppet().rig).is_empty());
    let other = self::session();
    let warnings = recording.warnings(other.puppet().character(), &other.puppet().rig);
    assert!(warnings.len() == 1 && warnings[0].contains("a.session"), "{warnings:?}");
}

/// Writes a session file and returns its path.
fn write_session(name: &str, text: &[u8]) -> PathBuf {
    let path = folder(&format!("session-bad-{name}")).join("bad.session");
    fs::write(&path, text).unwrap();
    path
}

const HEAD: &str = r#"{"format":"sinew-session-1","sinew":"0.1.0","character":null,"fingerprint":"crc32:00000000","size":[320.0,200.0],"scale":1.0}"#;

#[test]
fn invalid_session_is_rejected_with_its_line() {
    let head = |from: &str, to: &str| HEAD.replace(from, to);
    let after = |line: &str| format!("{HEAD}\n{line}\n");
    let cases: [(&str, String, &str); 23] = [
        ("empty", String::new(), "line 1: not a recorded session"),
        ("png", "\u{89}PNG\r\n\u{1a}\n\0".into(), "line 1: not a recorded session"),
        ("version", head("session-1", "session-2"), "line 1: format sinew-session-2"),
        ("size", head("320.0", "1e9"), "line 1: a size of 1000000000x200"),
        ("scale", head("1.0}", "-1.0}"), "line 1: a size of 320x200 pixels at -1 pixels per point"),
        ("key", head("\"scale\"", "\"scales\""), "line 1: unknown field `scales`"),
        ("unknown", after(r#"{"at":0,"do":"dance"}"#), "line 2: unknown variant `dance`"),
        ("tick", after(r#"{"at":0,"do":{"tick":1}}"#), "line 2: unknown variant `tick`"),
        (
            "back",
            format!("{HEAD}\n\n{{\"at\":2,\"do\":\"undo\"}}\n{{\"at\":1,\"do\":\"undo\"}}\n"),
            "line 4: time 1 s must be at least",
        ),
        ("never", after(r#"{"at":1e300,"do":"undo"}"#), "line 2: time 1"),
        ("negative", after(r#"{"at":-1,"do":"undo"}"#), "line 2: time -1 s must be at least"),
        ("null", after(r#"{"at":0,"do":{"drag":[null,1]}}"#), "line 2: invalid type: null"),
        ("wide", head("320.0", "1e39"), "line 1: number out of range"),
        ("large", after(r#"{"at":0,"do":{"drag":[1,-1e39]}}"#), "line 2: number out of range (column "),
        (
            "shift",
            after(
                r#"{"at":0,"do":{"motion":{"edits":[{"time":0,"before":0,"after":0,"shifts":[[0,[0,1e39,0]]]}]}}}"#,
            ),
            "line 2: number out of range",
        ),
        (
            "weight",
            after(
                r#"{"at":0,"do":{"motion":{"layers":[{"additive":false,"clip":4,"mask":[],"speed":1,"weight":1e30}]}}}"#,
            ),
            "line 2: layers[0]: weight must be from 0 to 1",
        ),
        (
            "turn",
            after(
                r#"{"at":0,"do":{"restore":{"motion":{"edits":[{"time":0,"before":0,"after":0,"turns":[[0,[1e30,0,0]]]}]}}}}"#,
            ),
            "line 2: edits[0]: ",
        ),
        ("deep", after(&"[".repeat(100_000)), "line 2: "),
        ("blank", "\n\n\n".into(), "line 3: not a recorded session"),
        (
            "below",
            format!("\n\n{HEAD}\r\n\r\n{{\"at\":0,\"do\":\"dance\"}}\n"),
            "line 5: unknown variant `dance`",
        ),
        ("end", after(r#"{"at":0,"do":"#), "line 2: EOF while parsing a value (column 13)"),
        (
            "order",
            after(r#"{"at":0,"do":{"limit":[1,{"euler":{"order":"ZYZ","min":[0,0,0],"max":[0,0,0]}}]}}"#),
            "line 2: unknown Euler angle order \"ZYZ\"",
        ),
        ("long", after(&" ".repeat(17 << 20)), "line 2: the line is longer"),
    ];
    for (name, text, expected) in cases {
        let error = Recording::open(&write_session(name, text.as_bytes())).unwrap_err().to_string();
        assert!(
            error.contains(&format!("bad.session: {expected}")) && !error.contains('\n'),
            "{name}: {error}"
        );
    }
    assert!(Recording::open(Path::new("/dev/zero")).is_err());
    // If the file ends in the middle of a line, all complete lines are played.
    let cut = write_session(
        "cut",
        format!("{HEAD}\n{{\"at\":0.5,\"do\":\"frame-all\"}}\n{{\"at\":0.75,\"do\":{{\"dr").as_bytes(),
    );
    let recording = Recording::open(&cut).unwrap();
    assert_eq!(recording.length(), Duration::from_millis(500));
    let session = session();
    let warnings = recording.warnings(session.puppet().character(), &session.puppet().rig);
    assert!(warnings.iter().any(|w| w.contains("incomplete")), "{warnings:?}");
}

#[test]
fn commands_with_extreme_values_are_handled() {
    let lines = [
        r#"{"restore":{"nodes":[[99999999,{"translation":[0,0,0],"rotation":[0,0,0,1],"scale":[1,1,1]}],[3,{"translation":[3e38,3e38,3e38],"rotation":[0,0,0,1],"scale":[3e38,0,-1]}],[4,{"translation":[0,0,0],"rotation":[9,9,9,9],"scale":[1,1,1]}]],"morphs":[1,2,3],"goals":[{"node":88888,"offset":[0,0,0],"weight":1}],"pins":[{"node":77777},{"node":2}],"base":66666,"limits":[[88888,"locked"],[3,{"hinge":{"axis":[0,0,0],"min":2,"max":1}}]],"poles":[[99999,[1,2,3]]],"selected":55555}}"#,
        r#"{"camera":{"target":[0,0,0],"distance":-1,"yaw":0,"pitch":0,"radius":1}}"#,
        r#"{"camera":{"target":[1e38,1e38,0],"distance":1e38,"yaw":1e30,"pitch":1.5,"radius":1e-30}}"#,
        r#"{"solver":{"restarts":18446744073709551615,"iterations":18446744073709551615,"angle_tolerance":-1,"tolerance":-3}}"#,
        r#"{"solver":{"method":"optimize","optimize":{"rest":1e300,"stay":-1},"jacobian":{"clamp":0,"damping":0}}}"#,
        r#"{"hover":[160,100]}"#,
        r#"{"grab":[160,100]}"#,
        r#"{"drag":[1e30,-1e30]}"#,
        r#"{"drag":[100,90]}"#,
        r#"{"zoom":[[1e38,1e38],1e38]}"#,
        r#"{"clip":4294967296}"#,
        r#"{"clip":0}"#,
        r#"{"seek":1e38}"#,
        r#"{"speed":-1e38}"#,
        r#"{"morph":[18446744073709551615,1]}"#,
        r#"{"live-pose":[[[99999999,{"translation":[0,0,0],"rotation":[0,0,0,1],"scale":[1,1,1]}],[3,{"translation":[0,0,0],"rotation":[9,9,9,9],"scale":[1,1,1]}]],[1,2,3]]}"#,
        r#"{"resize":[-5,1e30]}"#,
        r#"{"push":-1e38}"#,
        r#""rest-all""#,
        r#""redo""#,
    ];
    let mut text = HEAD.to_owned();
    for (number, line) in lines.iter().cycle().take(60).enumerate() {
        text.push_str(&format!("\n{{\"at\":{number},\"do\":{line}}}"));
    }
    let path = write_session("extreme", text.as_bytes());
    let recording = Recording::open(&path).unwrap();
    let character = mannequin().unwrap();
    let rig = rig::load(&character, None).unwrap();
    let mut replay = Replay::new(&recording, character, rig).unwrap();
    for second in 0..70 {
        replay.advance(Duration::from_secs(second)).unwrap();
        let _ = replay.session().frame(1.0);
    }
    assert_eq!(recording.length(), Duration::from_secs(59));
}

/// `sinew render --replay` draws the same image as the window.
#[test]
fn replay_is_drawn_like_the_window() {
    let folder = folder("session-drawn");
    let path = folder.join("a.session");
    let (mut session, mut input) = (session(), Input::default());
    session.apply(Command::Display(Display { skeleton: true, names: true, ground: true, shadow: true }));
    session.apply(Command::Resize(Vec2::new(240.0, 150.0)));
    session.record(Recorder::new(&path, false).unwrap(), 1.5).unwrap();
    session.apply(Command::Skinning(Skinning::DualQuaternion));
    session.apply(Command::Resize(SIZE));
    let hand = at(&session, "leftHand");
    drag(&mut session, &mut input, hand, Vec2::new(-60.0, -50.0));
    session.apply(Command::Resize(Vec2::new(240.0, 150.0)));
    tick(&mut session, 500);
    session.apply(Command::Orbit(Vec2::new(3.0, 1.0)));
    let mut renderer = Renderer::new(Gpu::new(&AdapterChoice::Cpu).unwrap());
    let puppet = session.puppet();
    let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
    let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
    let mut draw = |session: &Session| {
        let image = renderer.render(&model, &session.frame(1.5), session.pixels()).unwrap();
        image.rgba.chunks_exact(4).flat_map(|p| p[..3].to_vec()).collect::<Vec<u8>>()
    };
    let end = draw(&session);
    session.apply(Command::Orbit(Vec2::new(-3.0, -1.0)));
    session.stop_recording().unwrap().unwrap();
    let render = |arguments: &[&str], out: &str| {
        let mut program = Program::new(env!("CARGO_BIN_EXE_sinew"));
        program.args(["render", "--adapter", "cpu", "--replay"]).arg(&path).args(arguments);
        let output = program.arg("-o").arg(folder.join(out)).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let read = |name: &str| image::open(&folder.join(name));
    render(&[], "end.png");
    assert_eq!(read("end.png").size(), (240, 150));
    assert!(read("end.png").rgb() == draw(&session), "the last frame differs");
    // The last two commands have the same time, so the frame before them differs from the last one.
    render(&["--frames", "1..4", "--fps", "4"], "{frame}.png");
    let mut at_quarter = replay(&path);
    at_quarter.advance(Duration::from_millis(250)).unwrap();
    assert!(read("1.png").rgb() == draw(at_quarter.session()), "a frame of the sequence differs");
    assert!(read("2.png") == read("3.png") && read("1.png").rgb() != end);
    render(&["--resolution", "120,75"], "small.png");
    assert_eq!(read("small.png").size(), (120, 75));
}

#[test]
fn readme_session_matches_the_current_character() {
    // If this fails, run `examples/drag.rs` and `examples/animate.rs` to update the session and the image.
    let replay = replayed(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/drag.session")));
    assert!(replay.session().error().is_none() && !replay.session().reports().is_empty());
    assert_eq!(replay.session().pixels(), (640, 400));
}

#[test]
fn recording_contains_the_changes_of_a_saved_rig() {
    let folder = folder("session-saved-rig");
    let mut session = session();
    let joint = session.puppet().character().skeleton.find("leftLowerArm").unwrap();
    session.apply(Command::Limit(joint, Limit::Locked));
    // A replay of the built-in character uses the built-in rig, not the saved one.
    session.save_rig(&folder, false).unwrap();
    let path = folder.join("a.session");
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    session.stop_recording().unwrap().unwrap();
    assert_eq!(replayed(&path).session().rig().joint(joint).limit, Limit::Locked);
}

#[test]
fn replay_restores_the_scale_of_overlays() {
    let folder = folder("session-scale");
    let mut session = session();
    let path = folder.join("a.session");
    session.record(Recorder::new(&path, false).unwrap(), 2.0).unwrap();
    // The window moves to a monitor with another scale factor.
    session.apply(Command::Tick(Duration::from_millis(500)));
    session.apply(Command::Scale(1.5));
    session.stop_recording().unwrap().unwrap();
    assert_eq!(replayed(&path).session().scale().to_bits(), 1.5_f32.to_bits());
}

/// While a session is recorded, commands that a replay would reject are neither executed nor written.
#[test]
fn invalid_commands_are_not_recorded() {
    let path = folder("session-finite").join("a.session");
    let mut session = session();
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    let layer = |weight: f32, speed: f32| {
        let layer = Layer { clip: 1, weight, additive: false, mask: Vec::new(), speed };
        Command::Motion(Box::new(Motion { layers: vec![layer], ..Motion::clip(0) }))
    };
    let options = Options { stiffness: f64::NAN, ..Options::default() };
    for command in [
        layer(1e30, 1.0),
        layer(f32::NAN, 1.0),
        layer(0.5, f32::INFINITY),
        Command::Drag(Vec2::NAN),
        Command::Solver(Box::new(options)),
        Command::LivePose(vec![(0, Transform { scale: Vec3::INFINITY, ..Transform::IDENTITY })], Vec::new()),
    ] {
        session.apply(command);
        assert!(session.puppet().motion.is_rest());
    }
    session.apply(layer(0.5, 1.0));
    assert_eq!(session.puppet().motion.layers.len(), 1);
    session.stop_recording().unwrap().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches("\"motion\":{\"strips\"").count(), 1, "{text}");
    assert_eq!(snapshot(replayed(&path).session()), snapshot(&session));
}

/// A pose beyond single precision is an error, and the character is shown at rest.
#[test]
fn infinite_pose_is_an_error_and_is_not_shown() {
    let mut session = session();
    let far = Transform { translation: Vec3::MAX, ..Transform::IDENTITY };
    session.apply(Command::LivePose(vec![(0, far), (1, far), (2, far)], Vec::new()));
    assert!(session.error().is_some_and(|e| e.ends_with(" is not finite")), "{:?}", session.error());
    assert!(session.puppet().world_from_node().iter().all(glam::Affine3A::is_finite));
    let folder = folder("session-far");
    let file = session.save_pose(sinew::viewer::PoseFile::Glb, &folder).unwrap();
    assert!(load(&file).is_ok());
}

/// The rows of the table of deprecated spellings are examples, so each must parse to the same command in both spellings.
#[test]
fn deprecated_commands_are_read() {
    let page = include_str!("../../docs/deprecated.md");
    let rows = page
        .lines()
        .filter_map(|l| l.strip_prefix("| session | `")?.strip_suffix("` |")?.split_once("` | `"));
    let mut count = 0;
    for (old, new) in rows {
        let [old_command, new_command] =
            [old, new].map(|text| serde_json::from_str::<Command>(text).unwrap());
        assert_eq!(old_command, new_command, "{old}");
        assert_ne!(serde_json::to_string(&new_command).unwrap(), old, "the old spelling is written");
        count += 1;
    }
    assert_eq!(count, 14);
}
