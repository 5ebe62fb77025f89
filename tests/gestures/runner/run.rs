//! Drags in small steps, as with a mouse, and checks every frame.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use glam::{DVec3, Vec2, Vec3};
use sinew::asset::Character;
use sinew::puppet::Puppet;
use sinew::rig::Rig;
use sinew::viewer::{Command, NodePoint, Recorder, Session};
use sinew::{asset, rig};

use super::body::{GestureBody, Side};
use super::rules::{Applicable, Watcher, position};
use super::verdict::{Failures, Rule, Turn};

/// Length of a step in metres, number of steps per second, and number of frames for which the pointer rests at the end.
const STEP: f32 = 0.005;
const RATE: u32 = 60;
const RESTING_FRAMES: u32 = 30;

/// A character with its body, and the settings of its gestures.
#[derive(Debug)]
pub struct Subject {
    pub character: Arc<Character>,
    pub rig: Rig,
    pub body: GestureBody,
    /// The side of gestures with one hand or one foot.
    pub side: Side,
    /// Whether diagonal gestures move the full length along both axes instead of along the diagonal.
    pub far: bool,
    /// Whether the pointer repeats its last position while it rests.
    pub repeats: bool,
    /// The folder in which every gesture is recorded as a session.
    pub recordings: Option<PathBuf>,
}

impl Subject {
    /// Loads a character. `None` stands for the built-in one. The error is the reason why it cannot make gestures.
    pub fn load(file: Option<&Path>) -> Result<Self, String> {
        let character = match file {
            Some(file) => asset::load(file).map_err(|e| e.to_string())?,
            None => asset::mannequin().map_err(|e| e.to_string())?,
        };
        let rig = rig::load(&character, None).map_err(|e| e.to_string())?;
        let character = Arc::new(character);
        let session = Session::new(Arc::clone(&character), Some(rig.clone()), Vec2::ONE);
        let body = GestureBody::new(session.puppet())?;
        Ok(Self { character, rig, body, side: Side::Left, far: false, repeats: false, recordings: None })
    }

    /// Creates a session that shows the character at rest.
    pub fn session(&self, size: Vec2) -> Session {
        Session::new(Arc::clone(&self.character), Some(self.rig.clone()), size)
    }

    /// Returns the sum of two perpendicular unit vectors, scaled to the length of diagonal gestures.
    pub fn diagonal(&self, a: Vec3, b: Vec3) -> Vec3 {
        if self.far { a + b } else { (a + b).normalize() }
    }

    /// Returns the arm on the subject's side.
    pub fn arm(&self) -> Result<[usize; 3], String> {
        self.body.arm(self.side)
    }

    pub fn leg(&self) -> Result<[usize; 3], String> {
        self.body.leg(self.side)
    }
}

/// A drag in progress.
#[derive(Debug)]
pub struct Run<'a> {
    pub body: &'a GestureBody,
    session: Session,
    pub watcher: Watcher<'a>,
    node: usize,
    target: Vec3,
    frame: u32,
    repeats: bool,
    solves: Vec<f64>,
}

impl<'a> Run<'a> {
    /// Grabs a node. All feet on the floor, except a dragged one, count as standing, and nothing is pinned.
    pub fn new(subject: &'a Subject, name: &str, node: usize) -> Self {
        Self::with_pins(subject, name, node, &[])
    }

    /// Pins nodes explicitly and grabs another one.
    pub fn with_pins(subject: &'a Subject, name: &str, node: usize, pins: &[usize]) -> Self {
        let body = &subject.body;
        let mut session = subject.session(Vec2::new(800.0, 600.0));
        if let Some(folder) = &subject.recordings {
            let path = folder.join(format!("{name}.session"));
            // A session that cannot be written is missing from the folder.
            let _ = Recorder::new(&path, true).and_then(|recorder| session.record(recorder, 1.0));
        }
        let (skeleton, rig) = (&session.puppet().character().skeleton, &session.puppet().rig);
        let upwards =
            std::iter::successors(Some(node), |&n| rig.above(skeleton, n)).take(skeleton.nodes.len());
        let pulled: Vec<usize> = upwards.collect();
        let standing: Vec<usize> =
            body.standing().into_iter().filter(|foot| !pulled.contains(foot)).collect();
        let head = body.node("head").ok();
        let applicable = Applicable { standing, pinned: pins.to_vec(), upright_head: head != Some(node) };
        let watcher = Watcher::new(body, session.puppet(), applicable);
        pins.iter().for_each(|&pin| session.apply(Command::PinNode(pin)));
        session.apply(Command::GrabNode(NodePoint { node, offset: DVec3::ZERO }));
        Self {
            target: body.rest[node],
            body,
            session,
            watcher,
            node,
            frame: 0,
            repeats: subject.repeats,
            solves: Vec::new(),
        }
    }

    /// Lets the feet move.
    pub fn free_feet(mut self) -> Self {
        self.watcher.free_feet();
        self
    }

    /// Drags to a position on a straight line.
    pub fn drag_to(&mut self, to: Vec3) {
        let from = self.target;
        let step = STEP * self.body.scale;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small positive number"
        )]
        let steps = ((from.distance(to) / step - 1e-3).ceil() as u32).clamp(1, 100_000);
        for index in 1..=steps {
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let target = from.lerp(to, index as f32 / steps as f32);
            self.target = target;
            self.advance();
            self.session.apply(Command::DragTo(target.as_dvec3()));
            let reports = self.session.reports();
            let own = reports.iter().find(|r| r.node == self.node).map(|r| r.seconds);
            self.solves.extend(own);
            if let Some(error) = self.session.error() {
                let text = error.to_owned();
                self.watcher.failures.require(Rule::Refused, false, || text);
                return;
            }
            self.check();
        }
    }

    /// Lets the pointer rest.
    pub fn rest(&mut self) {
        for _ in 0..RESTING_FRAMES {
            self.advance();
            if self.repeats {
                self.session.apply(Command::DragTo(self.target.as_dvec3()));
            }
            self.check();
        }
    }

    fn advance(&mut self) {
        self.frame += 1;
        self.session.apply(Command::Tick(Duration::from_secs(1) / RATE));
    }

    fn seconds(&self) -> f64 {
        f64::from(self.frame) / f64::from(RATE)
    }

    fn check(&mut self) {
        let seconds = self.seconds();
        let (puppet, reports) = (self.session.puppet(), self.session.reports());
        self.watcher.check(puppet, seconds);
        self.watcher.check_report(puppet, reports, self.node, self.target, seconds);
    }

    pub fn puppet(&self) -> &Puppet {
        self.session.puppet()
    }

    /// Returns the current position of a node.
    pub fn at(&self, node: usize) -> Vec3 {
        position(self.puppet(), node)
    }

    /// Returns the displacement of a node from its rest position.
    pub fn moved(&self, node: usize) -> Vec3 {
        self.at(node) - self.body.rest[node]
    }

    /// Returns the distance of the dragged node from its target.
    pub fn error(&self) -> f32 {
        self.at(self.node).distance(self.target)
    }

    /// Requires that the dragged node is within `tolerance` of its target, in metres at protocol scale.
    pub fn require_reached(&mut self, tolerance: f32) {
        let (error, bound) = (self.error(), tolerance * self.body.scale);
        let (node, seconds) = (self.node, self.seconds());
        let name = super::rules::name(self.puppet(), node);
        self.watcher.failures.at_most(Rule::Target, error.into(), bound.into(), || {
            format!("{name} misses its target by {:.1} mm at {seconds:.3} s", 1e3 * error)
        });
    }

    /// Requires that a node has moved by at most `tolerance`, in metres at protocol scale.
    pub fn require_still(&mut self, rule: Rule, node: usize, tolerance: f32) {
        let (moved, bound) = (self.moved(node).length(), tolerance * self.body.scale);
        let name = super::rules::name(self.puppet(), node);
        self.watcher
            .failures
            .at_most(rule, moved.into(), bound.into(), || format!("{name} moves by {:.1} mm", 1e3 * moved));
    }

    /// Requires that a point of the sole of a foot without toes stays in place, within `tolerance` in metres at protocol scale.
    pub fn require_tip(&mut self, foot: usize, tolerance: f32) {
        let Some(sole) = self.watcher.soles.iter().find(|sole| sole.foot == foot) else { return };
        let (moved, bound) = (sole.moved(self.puppet()).0, tolerance * self.body.scale);
        let text = || format!("the sole of a foot moves by {:.1} mm", 1e3 * moved);
        self.watcher.failures.at_most(Rule::Feet, moved.into(), bound.into(), text);
    }

    /// Requires a condition on the posture.
    pub fn require(&mut self, holds: bool, text: impl FnOnce() -> String) {
        self.watcher.failures.require(Rule::Posture, holds, text);
    }

    /// Ends the drag.
    pub fn finish(mut self) -> Attempt {
        self.session.apply(Command::Release);
        drop(self.session.stop_recording());
        let Watcher { failures, turn, .. } = self.watcher;
        Attempt { failures, turn, solves: self.solves }
    }
}

/// The observations during a gesture.
#[derive(Debug, Default)]
pub struct Attempt {
    pub failures: Failures,
    pub turn: Turn,
    pub solves: Vec<f64>,
}

impl Attempt {
    /// Adds another drag of the same gesture, called `name` in messages.
    pub fn add(&mut self, name: &str, mut other: Self) {
        other.failures.0.iter_mut().for_each(|f| f.text = format!("{name}: {}", f.text));
        self.failures.0.append(&mut other.failures.0);
        self.solves.append(&mut other.solves);
        if other.turn.ratio > self.turn.ratio {
            self.turn = other.turn;
        }
    }
}
