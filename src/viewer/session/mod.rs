//! The viewer's state, without a window: commands in, a frame out.

use std::sync::Arc;
use std::time::Duration;

use glam::Vec2;
use serde::{Deserialize, Serialize};

use crate::asset::Character;
use crate::camera::{Bounds, Camera};
use crate::compare::Comparison;
use crate::ik::{Method, Options};
use crate::picking::Hit;
use crate::puppet::{GoalReport, Puppet};
use crate::render::{Background, Frame, Mode};
use crate::rig::Rig;
use crate::stage::{self, Shot};

use super::gizmo::{self, Grip, Hold, Turning};
use super::hand::Hand;
use super::history::{History, Run, State};
use super::{Addition, Command, Orbit, Recorder, overlay};

mod added;
mod clip;
mod detail;
mod edit;
mod goals;
mod grip;
mod key;
mod live;
mod opening;
mod record;
mod refusals;
mod rig;
mod solve;
mod stance;

pub use refusals::Refusals;
pub use stance::Stance;

pub(super) use added::MOST as MOST_ADDITIONS;
#[cfg(feature = "viewer")]
pub(super) use goals::HEAVIEST;
#[cfg(feature = "viewer")]
pub(super) use solve::remember;
pub(super) use solve::usual;

/// Times that are remembered.
pub(super) const MEMORY: u8 = 120;
/// Points of the effector's trail.
const TRAIL: usize = 96;

/// What is shown beside the character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Display {
    /// Bones and joints over the surface.
    pub skeleton: bool,
    /// Names of the chains' ends.
    pub names: bool,
    /// A floor.
    pub ground: bool,
    /// Shadows.
    pub shadow: bool,
}

/// How the clip runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clock {
    pub(super) playing: bool,
    pub(super) speed: f32,
    pub(super) again: bool,
    /// Time since the session began, or the recording.
    now: Duration,
    /// Where the clip was told to be, seconds, and when.
    since: (Duration, f32),
}

impl Default for Clock {
    fn default() -> Self {
        Self { playing: false, speed: 1.0, again: true, now: Duration::ZERO, since: (Duration::ZERO, 0.0) }
    }
}

/// Everything that the window shows.
#[derive(Debug)]
pub struct Session {
    pub(super) puppet: Puppet,
    pub(super) state: State,
    pub(super) history: History,
    pub(super) hand: Option<Hand>,
    pub(super) hover: Option<Hit>,
    /// The part of the gizmo that is held, and the one that the pointer is on.
    pub(super) hold: Option<Hold>,
    pub(super) hot: Option<Grip>,
    /// The joint whose gizmo is shown.
    pub(super) selected: Option<usize>,
    /// The joint that the panel points at.
    pub(super) hint: Option<usize>,
    /// What was held last.
    pub(super) last: Option<usize>,
    pub(super) turning: Turning,
    /// Pixels a point.
    pub(super) scale: f32,
    /// When a live source has said something last, by the clock.
    pub(super) followed: Option<Duration>,
    /// How many clips the character's file has.
    own: usize,
    /// Where those after them are from.
    additions: Vec<Addition>,
    /// The rig as its file has it.
    pub(super) saved_rig: Arc<Rig>,
    /// The rig with which the session began: what a replay begins with too.
    pub(super) loaded_rig: Arc<Rig>,
    /// What this session wrote into it last.
    pub(super) written_rig: Option<String>,
    pub(super) reports: Vec<GoalReport>,
    pub(super) error: Option<String>,
    pub(super) options: Options,
    /// Who else meets the goals.
    pub(super) comparison: Comparison,
    pub(super) keep: bool,
    pub(super) clock: Clock,
    pub(super) mode: Mode,
    pub(super) display: Display,
    pub(super) trail: Vec<glam::Vec3>,
    /// Microseconds of the last updates.
    pub(super) costs: Vec<f32>,
    pub(super) handles: Vec<usize>,
    pub(super) orbit: Orbit,
    size: Vec2,
    pointer: Vec2,
    /// The box of the character as it came, with room for limbs: floor and shadow are made for it.
    room: Bounds,
    recorder: Option<Recorder>,
    /// What was last asked about methods.
    refusals: refusals::Memory,
}

impl Session {
    /// A character at rest in a picture of some pixels; motion without meshes at its first frame.
    pub fn new(character: impl Into<Arc<Character>>, rig: Option<Rig>, size: Vec2) -> Self {
        let character: Arc<Character> = character.into();
        let scene = character.default_scene;
        let mut puppet = match rig {
            Some(rig) => Puppet::with_rig(character, scene, rig),
            None => Puppet::new(character, scene),
        };
        let held = puppet.pose().clone();
        let bounds = opening::begin(&mut puppet);
        let (center, radius) = bounds.sphere();
        let mut room = Bounds::around([center - radius * 1.15, center + radius * 1.15]);
        room.lo.y = if bounds.is_empty() { 0.0 } else { bounds.lo.y };
        let handles = puppet.rig.chains.iter().map(|c| c.effector).collect();
        let size = sane(size);
        let rig = Arc::new(puppet.rig.clone());
        Self {
            state: State {
                held,
                goals: Vec::new(),
                pins: Vec::new(),
                base: None,
                rig: Arc::clone(&rig),
                motion: Arc::new(puppet.motion.clone()),
            },
            history: History::default(),
            hand: None,
            hover: None,
            hold: None,
            hot: None,
            selected: None,
            hint: None,
            last: None,
            turning: Turning::default(),
            scale: 1.0,
            followed: None,
            own: puppet.character().clips.len(),
            additions: Vec::new(),
            saved_rig: Arc::clone(&rig),
            loaded_rig: rig,
            written_rig: None,
            reports: Vec::new(),
            error: None,
            options: usual(Method::Auto),
            comparison: Comparison::default(),
            keep: false,
            clock: Clock::default(),
            mode: Mode::Shaded,
            display: Display { skeleton: false, names: false, ground: true, shadow: true },
            trail: Vec::new(),
            costs: Vec::new(),
            handles,
            orbit: Orbit::framing(&bounds, size.x / size.y),
            size,
            pointer: Vec2::splat(-1.0),
            room,
            recorder: None,
            refusals: refusals::Memory::default(),
            puppet,
        }
    }

    /// Carries out a command, and records it where a recording runs.
    pub fn apply(&mut self, mut command: Command) {
        if self.log(&mut command) {
            self.obey(command);
        }
    }

    /// Carries out a command that a recorded one brings with it, or that is recorded already.
    pub(super) fn obey(&mut self, command: Command) {
        match command {
            Command::Resize(size) => self.resize(size),
            Command::Hover(at) => self.hover(at),
            Command::Grab(at) => self.grab(at),
            Command::GrabSelected(at) => self.grab_selected(at),
            Command::Drag(at) => {
                self.pull_gizmo(Some(at), None);
                self.with_hand(|hand, size, camera, step| hand.follow(at, size, camera, step));
            }
            Command::Push(by) => self.with_hand(|hand, size, camera, step| hand.push(by, size, camera, step)),
            Command::Constrain(axis) => self.with_hand(|hand, size, camera, step| {
                hand.axis = if hand.axis == Some(axis) { None } else { Some(axis) };
                hand.again(size, camera, step);
            }),
            Command::Snap(snap) => {
                self.pull_gizmo(None, Some(snap));
                self.with_hand(|hand, size, camera, step| {
                    hand.snap = snap;
                    hand.again(size, camera, step);
                });
            }
            Command::Release => self.release(),
            Command::Cancel => self.cancel(),
            Command::Orbit(by) if by.is_finite() => self.orbit.turn(by),
            Command::Pan(by) if by.is_finite() => self.orbit.pan(by, self.size.y),
            Command::Zoom(at, steps) if steps.is_finite() => {
                let pivot = self.under(at).map_or(self.orbit.target, |h| h.point);
                self.orbit.zoom(steps, pivot);
            }
            Command::Orbit(_) | Command::Pan(_) | Command::Zoom(..) => {}
            Command::Center(at) => self.center(at),
            Command::FrameAll => self.orbit.frame(&self.puppet.bounds(), self.size.x / self.size.y),
            Command::Pin => self.change(|s, pin| match s.pins.iter().position(|p| p.node == pin.node) {
                Some(place) => drop(s.pins.remove(place)),
                None => s.pins.push(pin),
            }),
            Command::Base => {
                self.change(|s, pin| s.base = if s.base == Some(pin.node) { None } else { Some(pin.node) });
            }
            Command::Select(node) => self.select(node),
            Command::Hint(node) => self.hint = node,
            Command::Limit(node, limit) => self.edit_limit(node, limit),
            Command::Turning(turning) => self.turning = turning,
            Command::Scale(scale) if scale.is_finite() => self.scale = scale.clamp(0.1, 16.0),
            Command::Scale(_) => {}
            Command::Rest(chain) => self.rest(chain),
            Command::RestAll => self.rest_all(),
            Command::Undo => {
                self.cancel();
                let before = self.history.undo(self.state.clone());
                self.restore(before);
            }
            Command::Redo => {
                self.cancel();
                let after = self.history.redo(self.state.clone());
                self.restore(after);
            }
            Command::Keep(keep) => self.keep = keep,
            Command::LetGo => {
                self.history.remember(self.state.clone());
                (self.state.goals, self.state.pins, self.state.base) = (Vec::new(), Vec::new(), None);
                self.show();
            }
            Command::Forget(node) => self.forget(node),
            Command::Weight(node, weight) => self.weigh(node, weight),
            Command::Morph(place, weight) => {
                if place < self.state.held.weights.len() && weight.is_finite() {
                    self.history.remember_run(Run::Morph(place), &self.state);
                }
                if let Some(w) = self.state.held.weights.get_mut(place).filter(|_| weight.is_finite()) {
                    *w = weight.clamp(-2.0, 2.0);
                }
                self.show();
            }
            Command::Add(addition) => self.add(*addition),
            Command::Follow(nodes, morphs) => self.follow(&nodes, &morphs),
            Command::Mode(mode) => self.mode = mode,
            Command::Skinning(skinning) => {
                self.puppet.skinning = skinning;
                self.show();
            }
            Command::Display(display) => self.display = display,
            Command::Solver(options) => self.set_solver(*options),
            Command::View(orbit) => {
                if orbit.is_sound() {
                    self.orbit = orbit;
                }
            }
            Command::Stand(stance) => self.stand(*stance),
            Command::Tick(passed) => self.advance(self.clock.now.saturating_add(passed)),
            Command::Compare(methods) => self.comparison.choose(&methods, &self.puppet),
            other => self.clip(other),
        }
    }

    fn resize(&mut self, size: Vec2) {
        let before = self.size;
        self.size = sane(size);
        self.orbit.reshape(before.x / before.y, self.size.x / self.size.y);
    }

    /// From where it is seen.
    pub fn camera(&self) -> Camera {
        self.orbit.camera(&self.room)
    }

    /// Pixels across and down.
    pub fn size(&self) -> Vec2 {
        self.size
    }

    /// Pixels a point.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// The character as it stands.
    pub fn puppet(&self) -> &Puppet {
        &self.puppet
    }

    /// How the goals of the last solve were met.
    pub fn reports(&self) -> &[GoalReport] {
        &self.reports
    }

    /// Why the last solve was refused.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// What other methods made of the same goals.
    pub fn comparison(&self) -> &Comparison {
        &self.comparison
    }

    /// Whether something is held.
    pub fn is_dragging(&self) -> bool {
        self.hand.is_some() || self.hold.is_some()
    }

    /// The selected joint.
    pub fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// What would be grabbed.
    pub fn hovered(&self) -> Option<Hit> {
        self.hover
    }

    /// Whether the pointer is on something that can be held.
    pub fn is_hovering(&self) -> bool {
        self.hover.is_some() || self.hot.is_some()
    }

    /// Whether time moves anything.
    pub fn is_playing(&self) -> bool {
        self.clock.playing && !self.puppet.motion.is_rest()
    }

    /// All that a renderer is told. `scale`: pixels a point.
    pub fn frame(&self, scale: f32) -> Frame<'_> {
        let lit = self.mode.is_shaded();
        let shot = Shot {
            camera: self.camera(),
            mode: self.mode,
            background: if lit { Background::Color([0x6B, 0x70, 0x7A]) } else { Background::BLACK },
            samples: 4,
            bounds: self.room,
            floor: self.display.ground && !self.mode.is_data(),
            shadow: self.display.shadow,
            scale,
        };
        let mut frame = stage::frame(&self.puppet, &shot);
        frame.lines = overlay::lines(self, scale);
        self.comparison.show(&mut frame, &self.puppet, scale);
        if !self.mode.is_data() {
            let (fills, lines) = gizmo::draw(self, scale);
            frame.fills = fills;
            frame.lines.extend(lines);
        }
        frame
    }
}

/// A window may have no pixels; a picture has.
fn sane(size: Vec2) -> Vec2 {
    if size.is_finite() { size.clamp(Vec2::ONE, Vec2::splat(32_768.0)) } else { Vec2::ONE }
}
