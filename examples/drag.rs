//! Writes `docs/drag.session`: pulls the mannequin about as a hand would, through the events of a window, and records it.
//!
//! ```text
//! cargo run --example drag
//! ```
//!
//! `docs/drag.png` is made of it, see `examples/animate.rs`; and `docs/compare.png` of what is written beside the tentacle by
//!
//! ```text
//! cargo run --example drag -- compare /tmp/compare.session
//! ```

use std::error::Error;
use std::f32::consts::TAU;
use std::path::Path;
use std::time::Duration;

use glam::{Vec2, Vec3};
use sinew::asset::Character;
use sinew::ik::Method;
use sinew::picking::pixel;
use sinew::viewer::{Button, Command, Event, Input, Recorder, Session};
use sinew::{asset, rig};

/// Pixels of the window.
const SIZE: Vec2 = Vec2::new(640.0, 400.0);
/// Events a second.
const RATE: u16 = 48;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [] => drag(Path::new("docs/drag.session")),
        [what, out] if what == "compare" => compare(Path::new(out)),
        _ => Err("[compare OUT.session]".into()),
    }
}

/// The mannequin's hand and its hips.
fn drag(out: &Path) -> Result<(), Box<dyn Error>> {
    let mut hand = Hand::new(asset::mannequin()?)?;
    hand.session.apply(Command::Orbit(Vec2::new(18.0, 6.0)));
    hand.session.apply(Command::Zoom(SIZE * 0.5, 0.6));
    hand.session.apply(Command::Pan(Vec2::new(0.0, 4.0)));
    hand.session.record(Recorder::new(out, true)?, 1.0)?;
    hand.go("leftHand", 12)?;
    // A loop, as a greeting has it, and back.
    hand.pull(84, |t| {
        let (out, up) = (0.5 - 0.5 * (TAU * t).cos(), 0.5 - 0.5 * (TAU * t).cos());
        Vec2::new(-6.0 * out + 26.0 * (2.0 * TAU * t).sin(), -122.0 * up)
    });
    hand.go("hips", 14)?;
    // Down into the knees, to one side and the other.
    hand.pull(76, |t| Vec2::new(34.0 * (TAU * t).sin(), 30.0 * (0.5 - 0.5 * (TAU * t).cos())));
    hand.wait(6);
    hand.end()
}

/// The tentacle's tip, and what three more methods make of it.
fn compare(out: &Path) -> Result<(), Box<dyn Error>> {
    let mut hand = Hand::new(asset::load(Path::new("assets/tentacle.glb"))?)?;
    hand.session.apply(Command::Orbit(Vec2::new(70.0, 4.0)));
    hand.session.apply(Command::Zoom(SIZE * Vec2::new(0.5, 0.6), 0.2));
    let methods = vec![Method::Ccd, Method::Fabrik, Method::JacobianTranspose];
    hand.session.apply(Command::Compare(methods));
    hand.session.record(Recorder::new(out, true)?, 1.0)?;
    hand.go("segment_39", 8)?;
    // Around its base, to one side and the other, and nearer on the way.
    hand.pull(176, |t| {
        let (turn, near) = (1.1 * (TAU * t).sin(), 26.0 * (1.0 - (2.0 * TAU * t).cos()));
        let radius = 210.0;
        Vec2::new(-(radius - near) * turn.sin(), radius - (radius - near) * turn.cos())
    });
    hand.wait(6);
    hand.end()
}

/// Who holds the mouse.
struct Hand {
    session: Session,
    input: Input,
    at: Vec2,
}

impl Hand {
    fn new(character: Character) -> Result<Self, Box<dyn Error>> {
        let rig = rig::load(&character, None)?;
        let session = Session::new(character, Some(rig), SIZE);
        Ok(Self { session, input: Input::default(), at: SIZE * Vec2::new(0.8, 0.25) })
    }

    fn end(mut self) -> Result<(), Box<dyn Error>> {
        if let Some(saved) = self.session.stop_recording() {
            saved?;
        }
        Ok(())
    }

    fn event(&mut self, event: Event) {
        self.input.handle(event, &mut self.session);
    }

    /// Lets an event's time pass, so many times.
    fn wait(&mut self, events: u16) {
        self.session.apply(Command::Tick(Duration::from_secs(events.into()) / RATE.into()));
    }

    /// Moves to a node.
    fn go(&mut self, node: &str, events: u16) -> Result<(), Box<dyn Error>> {
        let puppet = self.session.puppet();
        let index = puppet.character().skeleton.find(node).ok_or("the mannequin has no such node")?;
        let place: Vec3 = puppet.world_from_node()[index].translation.into();
        let to = pixel(&self.session.camera(), place, SIZE).ok_or("it is out of sight")?;
        let from = self.at;
        self.follow(events, |t| from.lerp(to, smooth(t)));
        Ok(())
    }

    /// Pulls what is there along a path that starts at zero.
    fn pull(&mut self, events: u16, path: impl Fn(f32) -> Vec2) {
        let from = self.at;
        self.event(Event::Pressed(Button::Left, false));
        self.follow(events, |t| from + path(smooth(t)));
        self.event(Event::Released(Button::Left));
    }

    fn follow(&mut self, events: u16, path: impl Fn(f32) -> Vec2) {
        for event in 1..=events {
            self.wait(1);
            self.at = path(f32::from(event) / f32::from(events));
            self.event(Event::Moved(self.at));
        }
    }
}

/// From 0 to 1 without a jolt.
fn smooth(t: f32) -> f32 {
    t * t * (3.0 - 2.0 * t)
}
