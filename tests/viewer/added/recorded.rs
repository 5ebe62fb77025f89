//! Recordings of sessions with added clips, and their replays.

use std::fs;
use std::process::Command as Program;

use glam::Quat;
use sinew::asset::load;
use sinew::rig;
use sinew::viewer::{Command, Recorder, Recording, Replay, Session};
use sinew_testkit::{asset_path, file_names, folder};

use super::{add, clips, hail, names, play, strips, wave};
use crate::support::{mannequin_session, node, pose, replayed, tick};

/// Clips are added before and during the recording. The recording and its files are then moved to another folder.
#[test]
fn recording_replays_added_clips_exactly() {
    let (takes, folder) = (folder("added-takes"), folder("added-recorded"));
    let file = folder.join("motion/hail.bvh");
    fs::create_dir(folder.join("motion")).unwrap();
    fs::copy(hail(), &file).unwrap();
    let path = folder.join("a.session");
    let mut live = mannequin_session();
    let own = clips(&live).len();
    let recorded = wave(&live);
    add(&mut live, &file);
    live.save_take_as_clip(&recorded, &takes).unwrap();
    play(&mut live, strips(&[&[own], &[1, own + 1]]));
    live.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    live.apply(Command::Play(true));
    tick(&mut live, 700);
    live.save_take_as_clip(&recorded, &takes).unwrap();
    add(&mut live, &file);
    tick(&mut live, 300);
    play(&mut live, strips(&[&[own, own + 2], &[own + 1], &[own + 3]]));
    tick(&mut live, 1777);
    let final_pose = pose(&live);
    live.stop_recording().unwrap().unwrap();
    // The recording has its own copies of the takes.
    fs::remove_dir_all(&takes).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let additions: Vec<&str> = text.lines().filter(|l| l.contains(r#""add-clips""#)).collect();
    assert_eq!(additions.len(), 4, "{text}");
    assert!(text.contains("\"clip\":\"hail hail\""), "{text}");
    assert!(
        additions[0]
            .contains(r#""at":0.0,"do":{"add-clips":{"file":"motion/hail.bvh","fingerprint":"crc32:"#),
        "{}",
        additions[0]
    );
    assert!(
        additions[1].contains(r#""file":"sinew-take-0001.csv""#)
            && additions[1].contains(r#""name":"take 1""#)
    );
    assert!(
        additions[2].contains(r#""file":"sinew-take-0002.csv""#)
            && additions[2].contains(r#""name":"take 2""#)
    );
    let moved = folder.with_extension("moved");
    let _ = fs::remove_dir_all(&moved);
    fs::rename(&folder, &moved).unwrap();
    let path = moved.join("a.session");
    let replay = replayed(&path);
    let replay = replay.session();
    assert_eq!((pose(replay), &replay.puppet().motion), (final_pose, &live.puppet().motion));
    assert_eq!(names(replay), names(&live));
    assert_eq!(names(replay)[own..], ["hail", "take 1", "take 2", "hail hail"]);

    let render = || {
        let mut program = Program::new(env!("CARGO_BIN_EXE_sinew"));
        program.args(["render", "--adapter", "cpu", "--resolution", "64,40", "--replay"]).arg(&path);
        let output = program.arg("-o").arg(moved.join("a.png")).output().unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(render(), (true, String::new()));
    // A changed file is reported as a warning, and a missing one as an error with its line.
    let take = moved.join("sinew-take-0001.csv");
    let text = fs::read_to_string(&take).unwrap();
    fs::write(&take, text.lines().take(3).collect::<Vec<_>>().join("\n")).unwrap();
    let (is_drawn, stderr) = render();
    assert!(
        is_drawn
            && stderr.contains("sinew-take-0001.csv has changed since the recording")
            && stderr.lines().count() == 1,
        "{stderr}"
    );
    fs::write(&take, "nonsense").unwrap();
    let (is_drawn, stderr) = render();
    assert!(
        !is_drawn && stderr.contains("a.session: line 3: ") && stderr.contains("line 1, column 1"),
        "{stderr}"
    );
    fs::remove_file(&take).unwrap();
    let (is_drawn, stderr) = render();
    assert!(
        !is_drawn && stderr.contains("a.session: line 3: ") && stderr.contains("sinew-take-0001.csv"),
        "{stderr}"
    );
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[test]
fn take_beside_the_recording_is_not_copied() {
    let folder = folder("added-beside");
    let mut live = mannequin_session();
    let recorded = wave(&live);
    live.save_take_as_clip(&recorded, &folder).unwrap();
    for name in ["a.session", "b.session"] {
        live.record(Recorder::new(&folder.join(name), false).unwrap(), 1.0).unwrap();
        live.stop_recording().unwrap().unwrap();
    }
    assert_eq!(file_names(&folder), ["a.session", "b.session", "sinew-take-0001.csv"]);
    // The file was overwritten, so the recording needs its own copy of the take.
    fs::write(folder.join("sinew-take-0001.csv"), "time\n").unwrap();
    live.record(Recorder::new(&folder.join("c.session"), false).unwrap(), 1.0).unwrap();
    live.stop_recording().unwrap().unwrap();
    assert_eq!(file_names(&folder)[2..], ["c.session", "sinew-take-0001.csv", "sinew-take-0002.csv"]);
    assert_eq!(names(replayed(&folder.join("c.session")).session()).last(), Some(&"take 1"));
}

#[test]
fn clips_for_another_skeleton_are_reported_with_their_line() {
    let path = folder("added-stranger").join("a.session");
    let mut live = mannequin_session();
    add(&mut live, &hail());
    live.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    live.stop_recording().unwrap().unwrap();
    let recording = Recording::open(&path).unwrap();
    let spider = load(&asset_path("spider.glb")).unwrap();
    let rig = rig::load(&spider, None).unwrap();
    let error = Replay::new(&recording, spider, rig).unwrap_err().to_string();
    assert!(
        error.contains("a.session: line 2: ") && error.contains("hail.bvh") && !error.contains('\n'),
        "{error}"
    );
}

/// A live source keeps sending while a strip is dragged on the timeline, and during undo and redo.
#[test]
fn live_source_does_not_split_undo_steps() {
    let path = folder("added-live").join("a.session");
    let mut live = mannequin_session();
    let arm = node(&live, "leftUpperArm");
    let rest = pose(&live);
    let send = |session: &mut Session, angle: f32| {
        let mut local = rest.locals[arm];
        local.rotation *= Quat::from_rotation_x(angle);
        session.apply(Command::LivePose(vec![(arm, local)], Vec::new()));
        tick(session, 16);
    };
    live.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
    (0..10_u8).for_each(|i| send(&mut live, f32::from(i) * 0.01));
    let recorded = wave(&live);
    live.save_take_as_clip(&recorded, path.parent().unwrap()).unwrap();
    let take = clips(&live).len() - 1;
    live.apply(Command::Clip(Some(take)));
    let before = live.puppet().motion.clone();
    live.apply(Command::Release);
    // Apply the commands that a drag on the timeline sends.
    for i in 1..=8_u8 {
        let mut dragged = before.clone();
        dragged.strips[0].start = 0.1 * f32::from(i);
        live.apply(Command::Motion(Box::new(dragged)));
        send(&mut live, 0.1 + f32::from(i) * 0.01);
    }
    live.apply(Command::Undo);
    assert_eq!(live.puppet().motion, before, "the drag must be one undo step");
    send(&mut live, 0.3);
    live.apply(Command::Redo);
    assert!((live.puppet().motion.strips[0].start - 0.8).abs() < 1e-6, "redo must restore the drag");
    send(&mut live, 0.4);
    (0..2).for_each(|_| live.apply(Command::Undo));
    assert!(live.puppet().motion.is_rest());
    send(&mut live, 0.5);
    let held = pose(&live).locals[arm].rotation;
    assert!(held.angle_between(rest.locals[arm].rotation * Quat::from_rotation_x(0.5)) < 1e-3);
    // All poses that the source has sent form one undo step.
    live.apply(Command::Undo);
    assert_eq!(pose(&live), rest);
    tick(&mut live, 1500);
    send(&mut live, 0.6);
    send(&mut live, 0.7);
    let final_pose = pose(&live);
    live.apply(Command::Undo);
    assert_eq!(pose(&live), rest, "a new undo step must begin after a pause");
    live.apply(Command::Redo);
    assert_eq!(pose(&live), final_pose);
    live.stop_recording().unwrap().unwrap();
    let replay = replayed(&path);
    assert_eq!((pose(replay.session()), clips(replay.session()).len()), (final_pose, take + 1));
}
