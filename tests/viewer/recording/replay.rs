//! Replays: they produce the same bits and images as the recorded session, at any frame rate.

use std::fs;
use std::path::Path;
use std::process::Command as Program;
use std::time::Duration;

use glam::Vec2;
use sinew::ik::Options;
use sinew::motion::Motion;
use sinew::render::{AdapterChoice, DecodedImages, Gpu, Renderer, ShadingMode};
use sinew::skin::Skinning;
use sinew::viewer::{Command, Display, Input, Recorder, Session};

use sinew_testkit::folder;
use sinew_testkit::image::{self, PixelAccess};

use super::{blended, snapshot};
use crate::support::{
    SIZE, at, drag_joint, mannequin_session, numbers, random_event, replay, replayed, tick,
};

/// Records drags during playback with a kept goal, at `rate` frames per second.
fn record_drags_during_playback(rate: u64, path: &Path) -> Session {
    let mut session = mannequin_session();
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
        (2600, Command::Solver(Box::new(Options::default().with_restarts(8)))),
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
        // Advance through the frames before the command, and then apply the command at its own time.
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
    // Replays at different rates produce identical frames at the same times.
    let frames = |rate: u32, every: u32| -> Vec<String> {
        let mut replay = replay(&slow).unwrap();
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

/// Applies random events and panel commands at different times.
fn play_randomly(session: &mut Session, input: &mut Input, seed: u64, events: u32) {
    let mut next = numbers(seed);
    for _ in 0..events {
        let position = Vec2::new(f32::from(next(900)) + 100.3, f32::from(next(700)) + 50.7);
        input.handle(random_event(&mut next, position, "0123456789xyzpbrfse Z..,"), session);
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
        let (mut live, mut input) = (mannequin_session(), Input::default());
        // The replay must not depend on the state before the recording.
        play_randomly(&mut live, &mut input, seed * 77, if seed % 2 == 0 { 120 } else { 0 });
        live.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();
        play_randomly(&mut live, &mut input, seed, 200);
        live.stop_recording().unwrap().unwrap();
        let mut replay = replayed(&path);
        assert_eq!(snapshot(&live), snapshot(replay.session()), "{seed}");
        // The cameras also agree long after the end of the recording.
        replay.advance(Duration::from_secs(3600)).unwrap();
        assert_eq!(live.camera(), replay.session().camera());
    }
}

/// `sinew render --replay` draws the same image as the window.
#[test]
fn replay_is_drawn_like_the_window() {
    let folder = folder("session-drawn");
    let path = folder.join("a.session");
    let (mut session, mut input) = (mannequin_session(), Input::default());
    session.apply(Command::Display(Display {
        skeleton: true,
        names: true,
        ground: true,
        shadow: true,
        follow: false,
    }));
    session.apply(Command::Resize(Vec2::new(240.0, 150.0)));
    session.record(Recorder::new(&path, false).unwrap(), 1.5).unwrap();
    session.apply(Command::Skinning(Skinning::DualQuaternion));
    session.apply(Command::Resize(SIZE));
    drag_joint(&mut session, &mut input, "leftHand", Vec2::new(-60.0, -50.0));
    session.apply(Command::Resize(Vec2::new(240.0, 150.0)));
    session.apply(Command::Step(Some(2)));
    assert!(session.shown_step().is_some(), "the overlay of a step is drawn too");
    tick(&mut session, 500);
    session.apply(Command::Orbit(Vec2::new(3.0, 1.0)));
    let mut renderer = Renderer::new(Gpu::new(&AdapterChoice::Cpu).unwrap());
    let puppet = session.puppet();
    let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
    let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
    let mut draw = |session: &Session| {
        let image = renderer.render(&[&model], &session.frame(1.5), session.pixels()).unwrap();
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
    // The last two commands have the same time, so the frame before that time differs from the last frame.
    render(&["--frames", "1..4", "--fps", "4"], "{frame}.png");
    let mut at_quarter = replay(&path).unwrap();
    at_quarter.advance(Duration::from_millis(250)).unwrap();
    assert!(read("1.png").rgb() == draw(at_quarter.session()), "a frame of the sequence differs");
    assert!(read("2.png") == read("3.png") && read("1.png").rgb() != end);
    render(&["--resolution", "120,75"], "small.png");
    assert_eq!(read("small.png").size(), (120, 75));
}
