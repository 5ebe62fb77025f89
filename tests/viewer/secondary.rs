//! Tests of spring bones and eyes in a session.

use std::fs;
use std::time::Duration;

use glam::{DVec3, Quat};
use serde_json::json;
use sinew::asset::{Character, gltf};
use sinew::rig;
use sinew::viewer::{Command, EyeTarget, NodePoint, Recording, Replay, Session};
use sinew_testkit::folder;

use crate::support::SIZE;

/// Returns a character with a strand of five joints on a pole, and with a head and an eye.
fn character() -> Character {
    let joint =
        |node: usize| json!({ "node": node, "stiffness": 0.3, "gravityPower": 0.5, "dragForce": 0.1 });
    let link = |children: &[usize]| json!({ "translation": [0, -0.15, 0], "children": children });
    let file = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [
            { "name": "pole", "children": [1, 7] },
            { "name": "strand", "translation": [0, 1, 0], "rotation": [0, 0, 0.6, 0.8], "children": [2] },
            link(&[3]), link(&[4]), link(&[5]), link(&[6]),
            { "translation": [0, -0.15, 0] },
            { "name": "head", "translation": [0, 1, 0], "children": [8] },
            { "name": "eye", "translation": [0.03, 0, 0.1] },
        ],
        "extensionsUsed": ["VRMC_springBone", "VRMC_vrm"],
        "extensions": {
            "VRMC_springBone": { "springs": [{ "joints": (1..7).map(joint).collect::<Vec<_>>() }] },
            "VRMC_vrm": {
                "humanoid": { "humanBones": { "head": { "node": 7 }, "leftEye": { "node": 8 } } },
                "lookAt": { "type": "bone" },
            },
        },
    });
    gltf::load_bytes("strand.gltf".as_ref(), file.to_string().as_bytes(), None).unwrap()
}

fn strand_session() -> Session {
    Session::new(character(), None, SIZE)
}

/// Advances a session to a time with a number of frames per second.
fn run(session: &mut Session, frames: u32, rate: u32) {
    for _ in 0..frames {
        session.apply(Command::Tick(Duration::from_nanos(1_000_000_000 / u64::from(rate))));
    }
}

fn bits(session: &Session) -> Vec<u32> {
    let of = |m: &glam::Affine3A| m.to_cols_array().map(f32::to_bits);
    session.puppet().world_from_node().iter().flat_map(of).collect()
}

fn turn(angle: f32) -> Command {
    Command::Turn(0, Quat::from_rotation_z(angle))
}

#[test]
fn a_strand_hangs_when_a_character_is_opened() {
    let session = strand_session();
    let end = session.puppet().world_from_node()[6].translation;
    assert!(end.x.abs() < 0.4 && end.y < 0.6, "at rest it points sideways: {end}");
    assert_eq!(session.puppet().primary_pose().locals[1].rotation, Quat::from_xyzw(0.0, 0.0, 0.6, 0.8));
}

#[test]
fn a_strand_swings_after_an_edit_and_then_sleeps() {
    let mut session = strand_session();
    run(&mut session, 600, 60);
    assert!(!session.is_swinging());
    let before = bits(&session);
    run(&mut session, 60, 60);
    assert_eq!(bits(&session), before, "nothing moves");
    session.apply(turn(0.5));
    run(&mut session, 5, 60);
    let first = bits(&session);
    run(&mut session, 5, 60);
    assert!(session.is_swinging() && first != bits(&session));
    run(&mut session, 1200, 60);
    assert!(!session.is_swinging());
}

/// Recordings from versions without springs must keep their poses.
#[test]
fn springs_do_not_swing_in_recordings_of_older_versions() {
    let folder = folder("old-recording");
    let replayed = |extra: &str| {
        let path = folder.join("a.session");
        let header = r#"{"format":"sinew-session-1","sinew":"0.1.0","character":null,"fingerprint":"","size":[80,60],"scale":1"#;
        fs::write(&path, format!("{header}{extra}}}\n{{\"at\":1}}\n")).unwrap();
        let recording = Recording::open(&path).unwrap();
        let character = character();
        let rig = rig::load(&character, None).unwrap();
        let mut replay = Replay::new(&recording, character, rig).unwrap();
        replay.advance(recording.length()).unwrap();
        bits(replay.session())
    };
    let played = |springs: bool| {
        let mut session = strand_session();
        session.apply(Command::Springs(springs));
        run(&mut session, 1, 1);
        bits(&session)
    };
    assert_eq!(replayed(r#","springs":true"#), played(true));
    assert_eq!(replayed(""), played(false));
    assert!(played(true) != played(false));
}

/// A recording may last for a month and contain hardly any commands.
#[test]
fn springs_settle_after_a_month_without_a_command() {
    let mut session = strand_session();
    session.apply(turn(0.5));
    session.apply(Command::Tick(Duration::from_secs(30 * 86_400)));
    let hanging = bits(&session);
    assert!(session.error().is_none());
    run(&mut session, 1200, 60);
    let (end, still) =
        (f32::from_bits(hanging[6 * 12 + 9]), session.puppet().world_from_node()[6].translation.x);
    assert!((end - still).abs() < 0.15, "{end} and {still}");
}

#[test]
fn springs_of_a_session_do_not_depend_on_the_frame_rate() {
    let play = |rate: u32| {
        let mut session = strand_session();
        let mut all = Vec::new();
        for angle in [0.5, -0.4, 0.1] {
            session.apply(turn(angle));
            // Half a second, in frames of whole nanoseconds.
            run(&mut session, rate / 2, rate);
            all.push(bits(&session));
        }
        all
    };
    let expected = play(50);
    for rate in [10, 100, 200, 1000] {
        assert!(play(rate) == expected, "{rate} Hz");
    }
}

#[test]
fn a_jump_in_time_resets_springs() {
    let mut session = strand_session();
    let calm = bits(&session);
    session.apply(turn(0.5));
    session.apply(turn(0.0));
    run(&mut session, 7, 60);
    session.apply(Command::Seek(0.0));
    assert_eq!(bits(&session), calm);
}

#[test]
fn springs_can_be_turned_off() {
    let mut session = strand_session();
    session.apply(Command::Springs(false));
    assert_eq!(session.puppet().pose(), session.puppet().primary_pose());
    session.apply(turn(0.5));
    run(&mut session, 10, 60);
    assert_eq!(session.puppet().pose(), session.puppet().primary_pose());
    session.apply(Command::Springs(true));
    assert_ne!(session.puppet().pose(), session.puppet().primary_pose());
}

#[test]
fn a_drag_does_not_keep_what_springs_did() {
    let mut session = strand_session();
    session.apply(Command::GrabNode(NodePoint { node: 8, offset: DVec3::ZERO }));
    session.apply(Command::DragTo(DVec3::new(0.2, 1.0, 0.1)));
    run(&mut session, 10, 60);
    session.apply(Command::Release);
    session.apply(Command::Springs(false));
    let strand = session.puppet().pose().locals[1].rotation;
    assert_eq!(strand, Quat::from_xyzw(0.0, 0.0, 0.6, 0.8));
}

#[test]
fn eyes_follow_the_camera() {
    let mut session = strand_session();
    let eye = |session: &Session| session.puppet().pose().locals[8].rotation;
    assert_eq!(eye(&session), Quat::IDENTITY);
    session.apply(Command::LookAt(EyeTarget::Camera));
    let first = eye(&session);
    assert_ne!(first, Quat::IDENTITY);
    session.apply(Command::Orbit(glam::Vec2::new(-200.0, 0.0)));
    assert_ne!(eye(&session), first);
    session.apply(Command::LookAt(EyeTarget::Nothing));
    assert_eq!(eye(&session), Quat::IDENTITY);
    assert_eq!(session.puppet().primary_pose().locals[8].rotation, Quat::IDENTITY);
}
