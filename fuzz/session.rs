//! Random commands for the viewer without its window. Poses must be finite, undo and redo must restore every bit,
//! and a recording must play back to the same bits.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use glam::{DVec3, Vec2, Vec3};
use serde::{Deserialize, Serialize};
use sinew::ik::{Limit, Method, Options};
use sinew::motion::{Easing, Edit, Layer, Motion, Strip};
use sinew::render::ShadingMode;
use sinew::scene::picking::pixel;
use sinew::skin::Skinning;
use sinew::viewer::{Axis, Command, Display, NodePoint, Recorder, Recording, Replay, RingMode, Session};

use crate::character::{FIGURE, check_finite};
use crate::format::{Format, file};
use crate::mutate;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "session", inputs_per_round: 40, make, check };

pub(crate) const SIZE: Vec2 = Vec2::new(640.0, 400.0);
/// Number of undo and redo steps at the end of an input.
const STEPS: usize = 12;

/// A line of an input: a command and its time in seconds. Session files have the same lines.
#[derive(Deserialize, Serialize)]
struct TimedCommand {
    at: f64,
    #[serde(rename = "do")]
    command: Command,
}

/// The nodes that commands refer to, and their initial positions in pixels.
static HANDLES: LazyLock<Vec<(usize, Vec2)>> = LazyLock::new(|| {
    let session = begin();
    let world = session.puppet().world_from_node();
    let positions = |c: &sinew::rig::Chain| {
        let nodes = [c.effector, c.base];
        nodes.map(|node| Some((node, pixel(&session.camera(), world[node].translation.into(), SIZE)?)))
    };
    session.rig().chains.iter().flat_map(positions).flatten().collect()
});

pub(crate) fn begin() -> Session {
    let (character, rig) = &*FIGURE;
    Session::new(Arc::clone(character), Some(rig.clone()), SIZE)
}

fn command(random: &mut Random) -> Command {
    let (node, pixel) = HANDLES[random.below(HANDLES.len())];
    #[expect(clippy::cast_possible_truncation, reason = "commands are in single precision")]
    let mut number = |from: f64, to: f64| random.within(from, to) as f32;
    let (x, y, z) = (number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0));
    let by = Vec2::new(x, y) * 80.0;
    match random.below(56) {
        0..=2 => Command::Hover(pixel),
        3..=6 => Command::Grab(pixel),
        7..=14 => Command::Drag(pixel + by),
        15..=17 => Command::Release,
        18 => Command::Cancel,
        19 => Command::GrabSelected(pixel + by),
        20 => Command::Select(Some(node)),
        21 => Command::Pin,
        22 => Command::Base,
        23 => Command::Rest(random.once_in(2)),
        24..=26 => Command::Undo,
        27 => Command::Redo,
        28 => Command::KeepGoals(random.once_in(2)),
        29 => Command::GoalWeight(node, f64::from(z) * 3.0),
        30 => Command::Limit(node, Limit::Hinge { axis: DVec3::X, min: f64::from(x), max: f64::from(y) }),
        31 => {
            let method = Method::all().nth(random.below(13)).unwrap_or_default();
            Command::Solver(Box::new(Options::default().with_method(method).with_iterations(20)))
        }
        32 => Command::Clip(Some(random.below(3))),
        33 => Command::Motion(Box::new(motion(node, random))),
        34 => Command::Play(random.once_in(2)),
        35 => Command::Seek(z * 3.0),
        36 => Command::Key,
        37 => Command::LivePose(vec![(node, FIGURE.0.skeleton.nodes[node].rest)], Vec::new()),
        38 => Command::Constrain([Axis::X, Axis::Y, Axis::Z][random.below(3)]),
        39 => Command::Push(z),
        40 => Command::Orbit(by),
        41 => Command::Zoom(pixel, z * 3.0),
        42 => Command::Compare(vec![Method::Ccd]),
        43..=44 => Command::GrabNode(NodePoint { node, offset: DVec3::X * f64::from(x) }),
        45..=47 => Command::DragTo(Vec3::new(x, y + 1.0, z).as_dvec3()),
        48 => Command::PinNode(node),
        49..=52 => posing(node, [x, y, z], random),
        53..=54 => Command::Key,
        _ => rare(node, by, random),
    }
}

/// Returns a command that edits a whole pose or limb, the selection, or keys.
fn posing(node: usize, [x, y, z]: [f32; 3], random: &mut Random) -> Command {
    match random.below(15) {
        0 => Command::MirrorPose,
        1 => Command::MirrorLimb,
        2 => Command::ResetJoint,
        3 => Command::ResetLimb,
        4 => Command::SelectAdd(node),
        5 => Command::SelectRemove(node),
        6 => Command::Symmetry(random.once_in(2)),
        7 => Command::AutoKey(random.once_in(2)),
        8 => Command::SetPose(vec![(node, FIGURE.0.skeleton.nodes[node].rest)], Vec::new()),
        9 => Command::KeyMove(x.abs(), z * 2.0),
        10 => Command::KeyCopy(0.0, z.abs() * 2.0),
        11 => Command::KeyDelete(y.abs()),
        12 => Command::KeyEasing(0.0, Easing::ALL[random.below(3)]),
        13 => Command::Clip(None),
        _ => Command::Duration(random.once_in(2).then_some(1.0 + z)),
    }
}

/// Returns a command that has little or no effect on the pose.
fn rare(node: usize, by: Vec2, random: &mut Random) -> Command {
    match random.below(16) {
        0 => Command::Resize(by.abs() * 10.0),
        1 => Command::Pan(by),
        2 => Command::Center(by.abs()),
        3 => Command::FrameAll,
        4 => Command::RestAll,
        5 => Command::ClearGoals,
        6 => Command::RemoveGoal(node),
        7 => Command::Speed(by.x * 0.05),
        8 => Command::Looping(random.once_in(2)),
        9 => Command::Morph(random.below(2), by.y * 0.02),
        10 => Command::ShadingMode(ShadingMode::Skeleton),
        11 => Command::Skinning(Skinning::ALL[random.below(2)]),
        12 => Command::Display(Display {
            skeleton: true,
            names: true,
            ground: false,
            shadow: false,
            follow: true,
        }),
        13 => Command::RingMode(RingMode { alone: random.once_in(2), world: random.once_in(2) }),
        14 => Command::Snap(random.once_in(2)),
        _ => Command::Scale(by.x.abs() * 0.1),
    }
}

fn motion(node: usize, random: &mut Random) -> Motion {
    #[expect(clippy::cast_possible_truncation, reason = "motions are in single precision")]
    let mut number = |from: f64, to: f64| random.within(from, to) as f32;
    let edit = Edit {
        time: number(0.0, 1.0),
        before: number(0.0, 0.5),
        after: 0.2,
        turns: vec![(node, Vec3::X * number(-1.0, 1.0))],
        shifts: Vec::new(),
    };
    let layer = Layer {
        clip: 1,
        weight: number(0.0, 1.0),
        additive: true,
        mask: vec![node],
        speed: number(-2.0, 2.0),
    };
    let strip = Strip { start: number(0.0, 0.5), speed: number(-2.0, 2.0), looping: true, ..Strip::new(0) };
    Motion {
        strips: vec![Strip::new(1), strip],
        layers: vec![layer],
        edits: vec![edit],
        plant: random.once_in(3),
        ..Motion::default()
    }
}

/// Returns several lines, each with a command. On average, one in `odd` lines is mutated.
pub(crate) fn lines(random: &mut Random, odd: usize) -> Vec<String> {
    let mut at = 0.0;
    let count = 4 + random.below(20);
    let mut line = || {
        at += if random.once_in(3) { random.within(0.0, 0.4) } else { 0.016 };
        let mut step =
            serde_json::to_value(TimedCommand { at, command: command(random) }).unwrap_or_default();
        if random.once_in(odd) {
            mutate::json(&mut step["do"], random);
        }
        step.to_string()
    };
    (0..count).map(|_| line()).collect()
}

fn make(random: &mut Random) -> Vec<u8> {
    lines(random, 12).join("\n").into_bytes()
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    let steps: Vec<TimedCommand> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if steps.is_empty() {
        return Ok(false);
    }
    let mut session = begin();
    let path = file("fuzz.session", b"")?;
    let (mut time, recording_start) = (0.0, steps.len() / 3);
    for (index, step) in steps.into_iter().enumerate() {
        if index == recording_start {
            let recorder = Recorder::new(&path, true).map_err(|e| format!("recording: {e}"))?;
            session.record(recorder, 1.0).map_err(|e| format!("recording: {e}"))?;
        }
        let elapsed = (step.at - time).clamp(0.0, 10.0);
        time = step.at.max(time);
        session.apply(Command::Tick(Duration::try_from_secs_f64(elapsed).unwrap_or_default()));
        let name = format!("{:?}", step.command);
        session.apply(step.command);
        let name = name.split(['(', ' ']).next().unwrap_or_default();
        check_finite(session.puppet().pose(), &format!("after {name}"))?;
        if !session.camera().position.is_finite() {
            return Err(format!("camera not finite after {name}: {:?}", session.camera()));
        }
    }
    check_replay(&mut session)?;
    check_undo(&mut session)?;
    Ok(true)
}

/// Formats the visible state of a session as text. States that differ in any number give different texts.
fn visible_state(session: &Session) -> String {
    format!("{:?} {:?}", session.puppet().pose(), session.camera())
}

fn check_replay(session: &mut Session) -> Result<(), String> {
    let Some(path) = session.stop_recording() else { return Ok(()) };
    let path = path.map_err(|e| format!("recording: {e}"))?;
    let rejected = |e: &dyn std::fmt::Display| format!("written session rejected: {e}");
    let recording = Recording::open(&path).map_err(|e| rejected(&e))?;
    let (character, rig) = &*FIGURE;
    let mut replay = Replay::new(&recording, Arc::clone(character), rig.clone()).map_err(|e| rejected(&e))?;
    replay.advance(recording.length()).map_err(|e| rejected(&e))?;
    if visible_state(replay.session()) != visible_state(session) {
        return Err("replay differs: the recording plays back to other bits".to_owned());
    }
    Ok(())
}

/// Checks undo and redo. The time in the motion is not part of the history, so it is set to the same value for every
/// comparison.
fn check_undo(session: &mut Session) -> Result<(), String> {
    session.apply(Command::Play(false));
    session.apply(Command::Release);
    // Redo everything that the input has undone.
    (0..2 * STEPS).for_each(|_| session.apply(Command::Redo));
    let mut states = vec![undo_state(session)];
    for _ in 0..STEPS {
        session.apply(Command::Undo);
        check_finite(session.puppet().pose(), "after Undo")?;
        states.push(undo_state(session));
    }
    for _ in 0..STEPS {
        session.apply(Command::Redo);
    }
    let now = undo_state(session);
    if states.first() != Some(&now) {
        return Err("redo differs: it does not restore the state before undo".to_owned());
    }
    for state in states.iter().skip(1) {
        session.apply(Command::Undo);
        if *state != undo_state(session) {
            return Err("undo differs: the second time it leads to another state".to_owned());
        }
    }
    Ok(())
}

/// Formats the state that undo restores.
fn undo_state(session: &mut Session) -> String {
    session.apply(Command::Seek(0.25));
    format!("{:?} {:?}", session.puppet().pose(), session.rig())
}
