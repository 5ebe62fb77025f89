//! Invalid recordings and commands: files are rejected with the line of the error, and no invalid command is recorded.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use glam::{Vec2, Vec3};
use sinew::asset::Transform;
use sinew::ik::Options;
use sinew::motion::{Layer, Motion};
use sinew::viewer::{Command, Recorder, Recording, Replay};
use sinew_testkit::{folder, mannequin, mannequin_rig};

use super::snapshot;
use crate::support::{mannequin_session, replayed};

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
    let session = mannequin_session();
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
    let mut replay = Replay::new(&recording, mannequin(), mannequin_rig()).unwrap();
    for second in 0..70 {
        replay.advance(Duration::from_secs(second)).unwrap();
        let _ = replay.session().frame(1.0);
    }
    assert_eq!(recording.length(), Duration::from_secs(59));
}

/// While a session is recorded, commands that a replay would reject are neither executed nor written.
#[test]
fn invalid_commands_are_not_recorded() {
    let path = folder("session-finite").join("a.session");
    let mut session = mannequin_session();
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    let layer = |weight: f32, speed: f32| {
        let layer = Layer { clip: 1, weight, additive: false, mask: Vec::new(), speed };
        Command::Motion(Box::new(Motion { layers: vec![layer], ..Motion::clip(0) }))
    };
    let mut options = Options::default();
    options.particle.stiffness = f64::NAN;
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
    assert_eq!(text.matches("\"do\":{\"motion\":{").count(), 1, "{text}");
    assert_eq!(snapshot(replayed(&path).session()), snapshot(&session));
}
