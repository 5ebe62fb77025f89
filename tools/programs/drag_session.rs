//! Writes `docs/drag.session`: drags parts of the mannequin with simulated mouse events and records the session.
//!
//! ```text
//! cargo run -p sinew-tools --bin drag_session
//! ```
//!
//! `docs/drag.png` is rendered from that file as described in `tools/programs/animate.rs`. `docs/compare.png` is rendered
//! from a recording of the tentacle, which this command writes:
//!
//! ```text
//! cargo run -p sinew-tools --bin drag_session -- compare /tmp/compare.session
//! ```
//!
//! The browser tests of the web page repeat a drag. This command prints the times and the positions of that drag as JSON:
//!
//! ```text
//! cargo run -p sinew-tools --bin drag_session -- time
//! ```

use std::error::Error;
use std::f32::consts::TAU;
use std::path::Path;
use std::time::{Duration, Instant};

use glam::{Vec2, Vec3};
use sinew::asset::Character;
use sinew::ik::Method;
use sinew::scene::picking::pixel;
use sinew::viewer::{Button, Command, Event, Input, Recorder, Session};
use sinew::{asset, rig};

/// Size of the window in pixels.
const SIZE: Vec2 = Vec2::new(640.0, 400.0);
/// Mouse events per second.
const RATE: u16 = 48;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [] => drag(Path::new("docs/drag.session")),
        [command, out] if command == "compare" => compare(Path::new(out)),
        [command] if command == "time" => time(),
        _ => Err("usage: drag [compare OUT.session | time]".into()),
    }
}

/// Records a drag of the mannequin's hand and another of its hips.
fn drag(out: &Path) -> Result<(), Box<dyn Error>> {
    let mut mouse = Mouse::new(asset::mannequin()?)?;
    mouse.session.apply(Command::Orbit(Vec2::new(18.0, 6.0)));
    mouse.session.apply(Command::Zoom(SIZE * 0.5, 0.6));
    mouse.session.apply(Command::Pan(Vec2::new(0.0, 4.0)));
    mouse.session.record(Recorder::new(out, true)?, 1.0)?;
    mouse.move_to("leftHand", 12)?;
    // Pull the hand down towards the floor, so that the whole body bends, and then up and to the other side.
    mouse.drag(100, |t| {
        let (low, high) = (bump(t / 0.55), bump((t - 0.45) / 0.55));
        Vec2::new(40.0 * low - 70.0 * high, 150.0 * low - 140.0 * high)
    });
    mouse.move_to("hips", 12)?;
    // Lower the hips with bent knees, and move them to one side and then to the other.
    mouse.drag(64, |t| Vec2::new(40.0 * (TAU * t).sin(), 62.0 * bump(t)));
    mouse.wait(6);
    mouse.finish()
}

/// Records a drag of the tentacle's tip while three other methods solve for the same goal.
fn compare(out: &Path) -> Result<(), Box<dyn Error>> {
    let mut mouse = Mouse::new(asset::load(Path::new("assets/tentacle.glb"))?)?;
    mouse.session.apply(Command::Orbit(Vec2::new(70.0, 4.0)));
    mouse.session.apply(Command::Zoom(SIZE * Vec2::new(0.5, 0.6), 0.2));
    let methods = vec![Method::Ccd, Method::Fabrik, Method::JacobianTranspose];
    mouse.session.apply(Command::Compare(methods));
    mouse.session.record(Recorder::new(out, true)?, 1.0)?;
    mouse.move_to("segment_39", 8)?;
    // Move the tip around the base to both sides, and closer to the base in between.
    mouse.drag(176, |t| {
        let (turn, near) = (1.1 * (TAU * t).sin(), 26.0 * (1.0 - (2.0 * TAU * t).cos()));
        let radius = 210.0;
        Vec2::new(-(radius - near) * turn.sin(), radius - (radius - near) * turn.cos())
    });
    mouse.wait(6);
    mouse.finish()
}

/// Drags a hand of the mannequin, and prints the pointer's path, the hand's last position and the mean time of a step.
#[expect(clippy::print_stdout, reason = "an example prints its result")]
fn time() -> Result<(), Box<dyn Error>> {
    let mut mouse = Mouse::new(asset::mannequin()?)?;
    let hand = mouse.session.puppet().character().skeleton.find("leftHand").ok_or("there is no hand")?;
    let from = mouse.pixel(hand)?;
    let path: Vec<Vec2> = (1..=120_u8)
        .map(|step| {
            let t = f32::from(step) / 150.0;
            from + Vec2::new(60.0 * (TAU * t).sin(), 110.0 * bump(2.0 * t) - 70.0 * bump(2.0 * t - 1.0))
        })
        .collect();
    mouse.session.apply(Command::Grab(from));
    let began = Instant::now();
    for to in &path {
        mouse.session.apply(Command::Drag(*to));
    }
    let step = began.elapsed().as_secs_f64() * 1e3 / 120.0;
    mouse.session.apply(Command::Release);
    let end = mouse.session.puppet().world_from_node()[hand].translation;
    let points = path.iter().map(|p| format!("[{},{}]", p.x, p.y)).collect::<Vec<_>>().join(",");
    println!("{{\"size\":[{},{}],\"from\":[{},{}],\"path\":[{points}],", SIZE.x, SIZE.y, from.x, from.y);
    println!("\"end\":[{},{},{}],\"milliseconds\":{step:.4}}}", end.x, end.y, end.z);
    Ok(())
}

/// A simulated mouse and the session that receives its events.
struct Mouse {
    session: Session,
    input: Input,
    at: Vec2,
}

impl Mouse {
    fn new(character: Character) -> Result<Self, Box<dyn Error>> {
        let rig = rig::load(&character, None)?;
        let session = Session::new(character, Some(rig), SIZE);
        Ok(Self { session, input: Input::default(), at: SIZE * Vec2::new(0.8, 0.25) })
    }

    fn finish(mut self) -> Result<(), Box<dyn Error>> {
        if let Some(saved) = self.session.stop_recording() {
            saved?;
        }
        Ok(())
    }

    fn event(&mut self, event: Event) {
        self.input.handle(event, &mut self.session);
    }

    /// Advances the time by the duration of `events` mouse events.
    fn wait(&mut self, events: u16) {
        self.session.apply(Command::Tick(Duration::from_secs(events.into()) / RATE.into()));
    }

    /// Returns the position of a node in the window.
    fn pixel(&self, node: usize) -> Result<Vec2, Box<dyn Error>> {
        let position: Vec3 = self.session.puppet().world_from_node()[node].translation.into();
        Ok(pixel(&self.session.camera(), position, SIZE).ok_or("the node is not visible")?)
    }

    /// Moves the pointer to a node.
    fn move_to(&mut self, node: &str, events: u16) -> Result<(), Box<dyn Error>> {
        let skeleton = &self.session.puppet().character().skeleton;
        let index = skeleton.find(node).ok_or("the character has no such node")?;
        let to = self.pixel(index)?;
        let from = self.at;
        self.follow(events, |t| from.lerp(to, smooth(t)));
        Ok(())
    }

    /// Drags the node under the pointer along a path, which is relative to the current position and starts at zero.
    fn drag(&mut self, events: u16, path: impl Fn(f32) -> Vec2) {
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

/// Rises from 0 to 1 and falls back to 0 while `t` goes from 0 to 1.
fn bump(t: f32) -> f32 {
    0.5 - 0.5 * (TAU * t.clamp(0.0, 1.0)).cos()
}

/// Smoothstep: eases in and out between 0 and 1.
fn smooth(t: f32) -> f32 {
    t * t * (3.0 - 2.0 * t)
}
