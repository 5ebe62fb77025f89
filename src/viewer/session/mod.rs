//! The viewer's state, without a window: commands in, a frame out.

use glam::Vec2;

use crate::asset::Character;
use crate::camera::{Bounds, Camera};
use crate::compare::Comparison;
use crate::ik::{Method, Options};
use crate::picking::Hit;
use crate::puppet::{GoalReport, Puppet};
use crate::render::{Background, Frame, Mode};
use crate::rig::Rig;
use crate::stage::{self, Shot};

use super::hand::Hand;
use super::history::{History, State};
use super::{Command, Orbit, overlay};

mod clip;
mod edit;
mod grip;
mod solve;

pub(super) use solve::{remember, usual};

/// Times that are remembered.
pub(super) const MEMORY: u8 = 120;
/// Points of the effector's trail.
const TRAIL: usize = 96;

/// What is shown beside the character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

/// Everything that the window shows.
#[derive(Debug)]
pub struct Session {
    pub(super) puppet: Puppet,
    pub(super) state: State,
    pub(super) history: History,
    pub(super) hand: Option<Hand>,
    pub(super) hover: Option<Hit>,
    /// What a key speaks of where the pointer is on nothing.
    pub(super) selected: Option<usize>,
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
}

impl Session {
    /// A character at rest in a picture of some pixels.
    pub fn new(character: Character, rig: Option<Rig>, size: Vec2) -> Self {
        let scene = character.default_scene;
        let mut puppet = Puppet::new(character, scene);
        if let Some(rig) = rig {
            puppet.rig = rig;
        }
        let bounds = puppet.bounds();
        let (center, radius) = bounds.sphere();
        let mut room = Bounds::around([center - radius * 1.15, center + radius * 1.15]);
        room.lo.y = if bounds.is_empty() { 0.0 } else { bounds.lo.y };
        let held = puppet.pose().clone();
        let handles = puppet.rig.chains.iter().map(|c| c.effector).collect();
        let size = sane(size);
        Self {
            state: State { held, goals: Vec::new(), pins: Vec::new(), base: None },
            history: History::default(),
            hand: None,
            hover: None,
            selected: None,
            reports: Vec::new(),
            error: None,
            options: usual(Method::Auto),
            comparison: Comparison::default(),
            keep: false,
            clock: Clock { playing: false, speed: 1.0, again: true },
            mode: Mode::Shaded,
            display: Display { skeleton: false, names: false, ground: true, shadow: true },
            trail: Vec::new(),
            costs: Vec::new(),
            handles,
            orbit: Orbit::framing(&bounds, size.x / size.y),
            size,
            pointer: Vec2::splat(-1.0),
            room,
            puppet,
        }
    }

    /// Carries out a command.
    pub fn apply(&mut self, command: Command) {
        match command {
            Command::Resize(size) => self.size = sane(size),
            Command::Hover(at) => self.hover(at),
            Command::Grab(at) => self.grab(at),
            Command::Drag(at) => {
                self.with_hand(|hand, size, camera, step| hand.follow(at, size, camera, step));
            }
            Command::Push(by) => self.with_hand(|hand, size, camera, step| hand.push(by, size, camera, step)),
            Command::Constrain(axis) => self.with_hand(|hand, size, camera, step| {
                hand.axis = if hand.axis == Some(axis) { None } else { Some(axis) };
                hand.again(size, camera, step);
            }),
            Command::Snap(snap) => self.with_hand(|hand, size, camera, step| {
                hand.snap = snap;
                hand.again(size, camera, step);
            }),
            Command::Release => self.release(),
            Command::Cancel => self.cancel(),
            Command::Orbit(by) if by.is_finite() => self.orbit.turn(by),
            Command::Pan(by) if by.is_finite() => self.orbit.pan(by, self.size.y),
            Command::Zoom(at, steps) if steps.is_finite() => {
                let pivot = self.under(at).map_or(self.orbit.target, |h| h.point);
                self.orbit.zoom(steps, pivot);
            }
            Command::Orbit(_) | Command::Pan(_) | Command::Zoom(..) => {}
            Command::Center(at) => {
                if let Some(hit) = self.under(at) {
                    self.orbit.target = hit.point;
                }
            }
            Command::FrameAll => self.orbit.frame(&self.puppet.bounds(), self.size.x / self.size.y),
            Command::Pin => self.change(|s, node| match s.pins.iter().position(|&p| p == node) {
                Some(place) => drop(s.pins.remove(place)),
                None => s.pins.push(node),
            }),
            Command::Base => {
                self.change(|s, node| s.base = if s.base == Some(node) { None } else { Some(node) });
            }
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
            Command::Morph(place, weight) => {
                if let Some(w) = self.state.held.weights.get_mut(place).filter(|_| weight.is_finite()) {
                    *w = weight.clamp(-2.0, 2.0);
                }
                self.show();
            }
            Command::Mode(mode) => self.mode = mode,
            Command::Skinning(skinning) => {
                self.puppet.skinning = skinning;
                self.show();
            }
            Command::Display(display) => self.display = display,
            Command::Solver(options) => self.set_solver(*options),
            Command::Compare(methods) => self.comparison.choose(&methods, &self.puppet),
            other => self.clip(&other),
        }
    }

    /// From where it is seen.
    pub fn camera(&self) -> Camera {
        self.orbit.camera(&self.room)
    }

    /// Pixels across and down.
    pub fn size(&self) -> Vec2 {
        self.size
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
        self.hand.is_some()
    }

    /// What would be grabbed.
    pub fn hovered(&self) -> Option<Hit> {
        self.hover
    }

    /// Whether time moves anything.
    pub fn is_playing(&self) -> bool {
        self.clock.playing && self.puppet.clip.is_some()
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
        frame
    }
}

/// A window may have no pixels; a picture has.
fn sane(size: Vec2) -> Vec2 {
    if size.is_finite() { size.clamp(Vec2::ONE, Vec2::splat(32_768.0)) } else { Vec2::ONE }
}
