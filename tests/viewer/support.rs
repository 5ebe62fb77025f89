//! Helpers that several modules of these tests share.

use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use glam::{DVec3, Vec2, Vec3};
use sinew::asset::{Character, load};
use sinew::ik::{Method, Options};
use sinew::pose::Pose;
use sinew::render::{FileLights, Light, LightSource, ToneMap};
use sinew::rig::{self, Rig};
use sinew::scene::picking::pixel;
use sinew::viewer::{Button, Command, Event, Input, Key, NodePoint, Recording, Replay, ReplayError, Session};
use sinew_base::Random;
use sinew_testkit::{mannequin, mannequin_rig};

pub(crate) const SIZE: Vec2 = Vec2::new(1280.0, 800.0);

/// Returns the mannequin with its own rig, as the program opens it.
pub(crate) fn mannequin_session() -> Session {
    Session::new(mannequin(), Some(mannequin_rig()), SIZE)
}

/// Returns the mannequin with a rig that is detected instead of read.
pub(crate) fn detected_session() -> Session {
    static RIG: LazyLock<Rig> = LazyLock::new(|| rig::detect(&mannequin()));
    Session::new(mannequin(), Some(RIG.clone()), SIZE)
}

/// Returns a character with the rig of its file, or with a detected rig, as the program opens it.
pub(crate) fn session_of(character: impl Into<Arc<Character>>) -> Session {
    let character = character.into();
    let rig = rig::load(&character, None).unwrap();
    Session::new(character, Some(rig), SIZE)
}

/// Returns the mannequin with a detected rig during a drag of its left hand.
pub(crate) fn dragged_session() -> Session {
    let (mut session, mut input) = (detected_session(), Input::default());
    drag_joint(&mut session, &mut input, "leftHand", Vec2::new(-60.0, -50.0));
    session
}

/// Opens a recording of the mannequin, or of the character that the recording names.
pub(crate) fn replay(path: &Path) -> Result<Replay, ReplayError> {
    let recording = Recording::open(path)?;
    let character = recording.character().map_or_else(mannequin, |file| load(&file).unwrap().into());
    let rig = rig::load(&character, None).unwrap();
    assert_eq!(recording.warnings(&character, &rig), Vec::<String>::new());
    Replay::new(&recording, character, rig)
}

/// Plays a recording to its end.
pub(crate) fn replayed(path: &Path) -> Replay {
    let mut replay = replay(path).unwrap();
    replay.advance(Recording::open(path).unwrap().length()).unwrap();
    replay
}

/// Light with a value in each field.
pub(crate) fn evening() -> Light {
    Light {
        source: LightSource::Outdoor,
        rotation: -2.5,
        exposure: -0.3,
        tone: ToneMap::Agx,
        file_lights: FileLights::Scale(0.5),
    }
}

/// Returns the index of a node.
pub(crate) fn node(session: &Session, name: &str) -> usize {
    session.puppet().character().skeleton.find(name).unwrap()
}

/// Returns the position of a node in metres.
pub(crate) fn position(session: &Session, node: usize) -> Vec3 {
    session.puppet().world_from_node()[node].translation.into()
}

/// Returns the position of a node in metres.
pub(crate) fn place(session: &Session, name: &str) -> Vec3 {
    position(session, node(session, name))
}

/// Returns the pixel of a node.
pub(crate) fn at(session: &Session, name: &str) -> Vec2 {
    pixel(&session.camera(), place(session, name), SIZE).unwrap()
}

pub(crate) fn pose(session: &Session) -> Pose {
    session.puppet().pose().clone()
}

/// Returns the largest distance between corresponding joints, in metres.
pub(crate) fn largest_distance(a: &Session, b: &Session) -> f32 {
    let pairs = a.puppet().world_from_node().iter().zip(b.puppet().world_from_node());
    pairs.map(|(a, b)| a.translation.distance(b.translation)).fold(0.0, f32::max)
}

/// Presses the left button and drags, without releasing the button.
pub(crate) fn drag(session: &mut Session, input: &mut Input, from: Vec2, by: Vec2) {
    input.handle(Event::Moved(from), session);
    input.handle(Event::Pressed(Button::Left, false), session);
    for step in 1..=12_u8 {
        input.handle(Event::Moved(from + by * f32::from(step) / 12.0), session);
    }
}

/// Drags a joint by a number of pixels, without releasing the button.
pub(crate) fn drag_joint(session: &mut Session, input: &mut Input, name: &str, by: Vec2) {
    let from = at(session, name);
    drag(session, input, from, by);
}

/// Drags a node to a position and releases it.
pub(crate) fn pull(session: &mut Session, node: usize, to: Vec3) {
    session.apply(Command::GrabNode(NodePoint { node, offset: DVec3::ZERO }));
    session.apply(Command::DragTo(to.as_dvec3()));
    session.apply(Command::Release);
}

/// Drags a node by a vector in metres and releases it.
pub(crate) fn pull_by(session: &mut Session, node: usize, by: Vec3) {
    let to = position(session, node) + by;
    pull(session, node, to);
}

pub(crate) fn set_method(session: &mut Session, method: Method) {
    session.apply(Command::Solver(Box::new(Options::default().with_method(method))));
}

pub(crate) fn tick(session: &mut Session, milliseconds: u64) {
    session.apply(Command::Tick(Duration::from_millis(milliseconds)));
}

/// Returns a function that returns random numbers below its argument.
pub(crate) fn numbers(seed: u64) -> impl FnMut(u16) -> u16 {
    let mut random = Random(seed);
    move |below: u16| u16::try_from(random.below(below.into())).unwrap()
}

/// Returns a random pointer or keyboard event. `next` returns a random number below its argument, and `keys` are the
/// keys to choose from.
pub(crate) fn random_event(next: &mut impl FnMut(u16) -> u16, position: Vec2, keys: &str) -> Event {
    let count = u16::try_from(keys.len()).unwrap();
    match next(12) {
        0..5 => Event::Moved(position),
        5 => Event::Pressed(Button::Left, next(8) == 0),
        6 => Event::Released(Button::Left),
        7 => Event::Wheel(f32::from(next(7)) - 3.0),
        8 => Event::Modifiers(next(4) == 0, next(4) == 0, next(6) == 0),
        9 => Event::Key(Key::Escape),
        10 => Event::Pressed(Button::Right, false),
        _ => Event::Key(Key::Char(char::from(keys.as_bytes()[usize::from(next(count))]))),
    }
}
