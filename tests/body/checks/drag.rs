//! Drags through a session, as in the viewer.

use std::time::Duration;

use glam::{DVec3, Vec2, Vec3};
use sinew::ik::Outcome;
use sinew::puppet::Puppet;
use sinew::scene::picking::pixel;
use sinew::viewer::{Command, NodePoint, Orbit, Session};

use super::feet::Watch;
use super::honest::{Entry, check_report};
use super::person::Person;
use super::runner::rules::position;
use super::shot::{End, own_report};
use super::verdict::{CheckResult, Rule};

/// Frames per second, and the number of frames for which the target rests at the end.
const RATE: u32 = 60;
const RESTING_FRAMES: u32 = 30;
/// Size of the view in which the pointer moves, in pixels.
const VIEW: Vec2 = Vec2::new(1280.0, 800.0);

/// A drag in progress. Each frame is solved once, even while the target rests.
#[derive(Debug)]
pub struct Drag<'a> {
    person: &'a Person,
    session: Session,
    watch: Watch<'a>,
    node: usize,
    /// The last position of the target, or of the pointer.
    target: Vec3,
    pointer: Option<Vec2>,
    frame: u32,
    /// The speed of the last movement.
    speed: String,
    refused: bool,
}

impl<'a> Drag<'a> {
    /// Grabs a node in the world, without a camera.
    pub fn new(person: &'a Person, node: usize) -> Self {
        let mut drag = Self::at_rest(person, node);
        drag.session.apply(Command::GrabNode(NodePoint { node, offset: DVec3::ZERO }));
        drag
    }

    /// Grabs a node with a pointer. The camera is rotated from the front of the body by `yaw` around it and by `pitch` downwards, in
    /// degrees.
    pub fn with_pointer(person: &'a Person, node: usize, yaw: f32, pitch: f32) -> Option<Self> {
        let mut drag = Self::at_rest(person, node);
        let bounds = person.puppet.bounds();
        let aspect = VIEW.x / VIEW.y;
        let mut orbit = Orbit::framing(&bounds, aspect);
        let facing = person.body().facing;
        orbit.yaw = facing.x.atan2(facing.z) + yaw.to_radians();
        orbit.pitch = pitch.to_radians();
        orbit.fit(person.puppet.points(), &bounds, aspect);
        drag.session.apply(Command::Camera(orbit));
        let at = pixel(&drag.session.camera(), person.at(node), VIEW)?;
        drag.session.apply(Command::Select(Some(node)));
        drag.session.apply(Command::GrabSelected(at));
        drag.pointer = Some(at);
        Some(drag)
    }

    fn at_rest(person: &'a Person, node: usize) -> Self {
        let mut session = person.subject.session(VIEW);
        session.apply(Command::Springs(false));
        let watch = Watch::new(person, node);
        let (target, speed) = (person.at(node), String::new());
        Self { person, session, watch, node, target, pointer: None, frame: 0, speed, refused: false }
    }

    pub fn puppet(&self) -> &Puppet {
        self.session.puppet()
    }

    /// Returns the current position of the dragged node.
    pub fn position(&self) -> Vec3 {
        position(self.puppet(), self.node)
    }

    /// Returns the number of pixels by which the pointer must move down to move the node down by a distance in metres.
    pub fn pixels_below(&self, metres: f32) -> f32 {
        let (camera, from) = (self.session.camera(), self.person.at(self.node));
        let sight = (camera.target - camera.position).normalize_or_zero();
        let up = sight.cross(camera.up).cross(sight).normalize_or(Vec3::Y);
        let ends = [from, from - metres * up].map(|p| pixel(&camera, p, VIEW));
        if let [Some(from), Some(to)] = ends { from.distance(to) } else { 0.0 }
    }

    /// Sets the tolerance in metres at the character's size.
    pub fn set_tolerance(&mut self, tolerance: f64) {
        let options = self.session.puppet().options.solver.with_tolerance(tolerance);
        self.session.apply(Command::Solver(Box::new(options)));
    }

    /// Returns the speed of the last movement, for messages.
    pub fn speed(&self) -> &str {
        &self.speed
    }

    /// Drags along a line in steps of `step` metres.
    pub fn line(&mut self, to: Vec3, step: f32, result: &mut CheckResult) {
        self.line_with(to, step, result, |_, _| {});
    }

    /// Drags along a line, and calls a function after each frame.
    pub fn line_with(
        &mut self,
        to: Vec3,
        step: f32,
        result: &mut CheckResult,
        mut watch: impl FnMut(&Self, &mut CheckResult),
    ) {
        let from = self.target;
        let steps = steps(from.distance(to), step);
        self.speed = format!("{:.0} mm a frame", 1e3 * self.person.scaled(step));
        for index in 1..=steps {
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let fraction = index as f32 / steps as f32;
            self.target = from.lerp(to, fraction);
            self.advance(result);
            watch(self, result);
        }
    }

    /// Moves the pointer down in steps of `step` pixels, and calls a function after each frame.
    pub fn down_with(
        &mut self,
        pixels: f32,
        step: f32,
        result: &mut CheckResult,
        mut watch: impl FnMut(&Self, &mut CheckResult),
    ) {
        let Some(from) = self.pointer else { return };
        let steps = steps(pixels, step);
        self.speed = format!("{step:.0} px a frame");
        for index in 1..=steps {
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let fraction = index as f32 / steps as f32;
            self.pointer = Some(from + Vec2::Y * pixels * fraction);
            self.advance(result);
            watch(self, result);
        }
    }

    /// Lets the target rest.
    pub fn rest(&mut self, result: &mut CheckResult) {
        self.rest_with(result, |_, _| {});
    }

    pub fn rest_with(&mut self, result: &mut CheckResult, mut watch: impl FnMut(&Self, &mut CheckResult)) {
        for _ in 0..RESTING_FRAMES {
            self.advance(result);
            watch(self, result);
        }
    }

    /// Describes where the drag is, for messages.
    pub fn place(&self) -> String {
        let Self { frame, speed, target, .. } = self;
        match self.pointer {
            Some(pointer) => format!("in frame {frame} at {speed} with the pointer at {pointer:.1}"),
            None => format!("in frame {frame} at {speed} with the target at {target:.3}"),
        }
    }

    fn advance(&mut self, result: &mut CheckResult) {
        if self.refused {
            return;
        }
        self.frame += 1;
        self.session.apply(Command::Tick(Duration::from_secs(1) / RATE));
        match self.pointer {
            Some(pointer) => self.session.apply(Command::Drag(pointer)),
            None => self.session.apply(Command::DragTo(self.target.as_dvec3())),
        }
        let report = own_report(self.session.reports(), self.node);
        let Some(report) = report.filter(|_| self.session.error().is_none()) else {
            let reason = self.session.error().unwrap_or("nothing is reported");
            result.judge(Rule::Refused, 1.0, || format!("{reason} {}", self.place()));
            self.refused = true;
            return;
        };
        result.iterations.push(report.iterations);
        self.watch.check(self.session.puppet(), result, || self.place());
        // The session chooses the depth of a pointer's target.
        if self.pointer.is_none() {
            check_report(self.person, self.session.puppet(), report, self.target, result, || self.place());
        }
    }

    /// Returns the pose and the report at the end. `None` means that the solver rejected the drag.
    pub fn end(&self, result: &mut CheckResult) -> Option<End> {
        let report = own_report(self.session.reports(), self.node).filter(|_| !self.refused)?;
        let outcome: Outcome = report.outcome;
        if self.pointer.is_none() {
            let run = format!("a drag at {}", self.speed);
            result.ends.push(Entry { node: self.node, target: self.target, outcome, run });
        }
        let error = self.person.scaled(self.position().distance(self.target));
        Some(End { pose: self.person.snapshot(self.puppet()), error, outcome })
    }
}

/// Returns the number of steps of a path.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
fn steps(way: f32, step: f32) -> u32 {
    ((way / step - 1e-3).ceil() as u32).clamp(1, 100_000)
}
