//! The viewer's state, without a window: commands in, a frame out.

use std::time::Instant;

use glam::Vec2;

use crate::asset::Character;
use crate::camera::{Bounds, Camera};
use crate::ik::{Method, Options};
use crate::picking::{Hit, pick};
use crate::puppet::{GoalReport, Puppet, Target};
use crate::render::{Background, Frame, Mode};
use crate::rig::Rig;
use crate::stage::{self, Shot};

use super::hand::{Hand, chain_base};
use super::history::{History, State};
use super::{Command, Orbit, overlay};

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
            options: Options { record: false, restarts: 0, ..Options::default() },
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
            other if self.option(other) => self.solve(),
            other => self.clip(other),
        }
    }

    /// Changes how is solved; whether the command was about that.
    fn option(&mut self, command: Command) -> bool {
        match command {
            Command::Method(method) => self.options.method = method,
            Command::Iterations(n) => self.options.iterations = n.min(10_000),
            Command::Tolerance(metres) => {
                self.options.tolerance = metres.filter(|m| *m > 0.0 && m.is_finite());
            }
            Command::Damping(share) => {
                self.options.jacobian.damping = share.filter(|d| *d > 0.0 && d.is_finite());
            }
            Command::Limits(kept) => self.options.limits = kept,
            Command::Start(start) => self.options.start = start,
            _ => return false,
        }
        true
    }

    fn clip(&mut self, command: Command) {
        let length = self.clip_seconds();
        match command {
            Command::Clip(clip) => {
                let clip = clip.filter(|&c| c < self.puppet.character().clips.len());
                self.puppet.clip = clip.map(|c| (c, 0.0));
                self.clock.playing = clip.is_some();
            }
            Command::Play(playing) => self.clock.playing = playing,
            Command::Speed(speed) if speed.is_finite() => self.clock.speed = speed.clamp(-8.0, 8.0),
            Command::Loop(again) => self.clock.again = again,
            Command::Seek(to) if to.is_finite() => {
                if let Some((_, time)) = &mut self.puppet.clip {
                    *time = to.clamp(0.0, length);
                }
            }
            Command::Tick(seconds) if seconds.is_finite() && self.clock.playing => {
                let Clock { speed, again, .. } = self.clock;
                if let Some((_, time)) = &mut self.puppet.clip {
                    let next = *time + seconds.clamp(0.0, 1.0) * speed;
                    *time =
                        if again && length > 0.0 { next.rem_euclid(length) } else { next.clamp(0.0, length) };
                }
            }
            _ => return,
        }
        self.solve();
    }

    fn hover(&mut self, at: Vec2) {
        self.pointer = at;
        self.hover = self.under(at);
    }

    fn under(&self, at: Vec2) -> Option<Hit> {
        at.is_finite().then(|| pick(&self.puppet, &self.camera(), at, self.size, &self.grips()))?
    }

    /// Nodes that are taken hold of before the skin: ends of chains, and with the skeleton all that a skin names.
    fn grips(&self) -> Vec<usize> {
        let mut grips = self.handles.clone();
        if self.display.skeleton {
            grips.extend(self.puppet.character().skins.iter().flat_map(|s| &s.joints));
        }
        grips
    }

    fn grab(&mut self, at: Vec2) {
        self.release();
        let Some(hit) = self.under(at) else { return };
        self.selected = Some(hit.node);
        self.trail.clear();
        let hand = Hand::new(hit, at, &self.puppet, self.state.clone());
        self.hand = Some(hand);
    }

    fn with_hand(&mut self, act: impl FnOnce(&mut Hand, Vec2, &Camera, f32)) {
        let (camera, size, step) = (self.camera(), self.size, self.step());
        let Some(hand) = &mut self.hand else { return };
        act(hand, size, &camera, step);
        self.solve();
        self.leave_trail();
    }

    fn leave_trail(&mut self) {
        let Some(hand) = &self.hand else { return };
        let Some(world) = self.puppet.world_from_node().get(hand.target.node) else { return };
        self.trail.push(world.transform_point3(hand.target.offset.as_vec3()));
        if self.trail.len() > TRAIL {
            self.trail.remove(0);
        }
    }

    fn release(&mut self) {
        let Some(hand) = self.hand.take() else { return };
        if self.keep && !hand.whole {
            self.state.goals.retain(|g| g.node != hand.target.node);
            self.state.goals.push(hand.target);
        }
        if hand.before != self.state {
            self.history.remember(hand.before);
        }
        self.trail.clear();
        self.hover = self.under(self.pointer);
        if self.puppet.clip.is_some() {
            self.solve();
        }
    }

    fn cancel(&mut self) {
        let before = self.hand.take().map(|hand| hand.before);
        self.restore(before);
    }

    pub(super) fn restore(&mut self, state: Option<State>) {
        let Some(state) = state else { return };
        self.state = state;
        self.trail.clear();
        self.error = None;
        self.show();
    }

    /// Changes the node under the pointer, or the one that was held last.
    fn change(&mut self, act: impl FnOnce(&mut State, usize)) {
        let Some(node) = self.subject() else { return };
        self.release();
        self.history.remember(self.state.clone());
        act(&mut self.state, node);
    }

    /// What a key speaks of.
    pub(super) fn subject(&self) -> Option<usize> {
        self.hand.as_ref().map(|h| h.hit.node).or(self.hover.map(|h| h.node)).or(self.selected)
    }

    fn rest(&mut self, chain: bool) {
        let Some(node) = self.subject() else { return };
        self.release();
        let hit = self.hover.filter(|h| h.node == node);
        let skeleton = &self.puppet.character().skeleton;
        let place = Hit { node, point: glam::Vec3::ZERO, offset: glam::DVec3::ZERO, handle: true };
        let base = chain_base(self.puppet.character(), &self.puppet.rig, &hit.unwrap_or(place));
        let mut nodes = vec![node];
        if let Some(base) = base.filter(|_| chain) {
            nodes.extend(skeleton.ancestors(node).skip(1).take_while(|&n| n != base));
            nodes.push(base);
        }
        let rests: Vec<_> = nodes.iter().filter_map(|&n| Some((n, skeleton.nodes.get(n)?.rest))).collect();
        self.history.remember(self.state.clone());
        self.state.goals.retain(|g| !nodes.contains(&g.node));
        for (node, rest) in rests {
            if let Some(local) = self.state.held.locals.get_mut(node) {
                *local = rest;
            }
        }
        self.show();
    }

    fn rest_all(&mut self) {
        self.release();
        self.history.remember(self.state.clone());
        self.state.held.reset(&self.puppet.character().skeleton);
        self.state.goals.clear();
        self.show();
    }

    /// The pose as it is held, or with a clip the goals on top of it.
    fn show(&mut self) {
        if self.puppet.clip.is_some() {
            self.solve();
            return;
        }
        self.puppet.held = Some(self.state.held.clone());
        (self.puppet.targets, self.puppet.pins) = (Vec::new(), Vec::new());
        self.reports.clear();
        self.error = self.puppet.update().err().map(|e| e.to_string());
    }

    /// Meets all goals from where the character stands.
    fn solve(&mut self) {
        let started = Instant::now();
        self.puppet.held = Some(self.state.held.clone());
        self.puppet.options = self.options;
        let mut targets: Vec<Target> = self.state.goals.clone();
        let mut pins = self.state.pins.clone();
        if let Some(hand) = &self.hand {
            targets.retain(|t| t.node != hand.target.node);
            targets.push(hand.target);
            pins.extend(&hand.pins);
            pins.retain(|&p| p != hand.target.node);
            if hand.whole {
                self.puppet.options.method = Method::FullBody;
            }
        }
        let any = !targets.is_empty();
        if !any {
            pins.clear();
        }
        (self.puppet.targets, self.puppet.pins) = (targets, pins);
        match self.puppet.update() {
            Ok(reports) => {
                (self.reports, self.error) = (reports, None);
                if any && self.puppet.clip.is_none() && is_finite(&self.puppet) {
                    self.state.held.clone_from(self.puppet.pose());
                }
            }
            Err(error) => self.error = Some(error.to_string()),
        }
        if self.costs.len() == 120 {
            self.costs.remove(0);
        }
        self.costs.push(started.elapsed().as_secs_f32() * 1e6);
    }

    /// Seconds of the clip that is on.
    pub(super) fn clip_seconds(&self) -> f32 {
        let clip = self.puppet.clip.and_then(|(c, _)| self.puppet.character().clips.get(c));
        clip.map_or(0.0, |c| c.seconds)
    }

    /// Metres of a step where what is held snaps: about a fortieth of the character.
    fn step(&self) -> f32 {
        self.room.sphere().1 / 40.0
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
        frame
    }
}

fn is_finite(puppet: &Puppet) -> bool {
    puppet.pose().locals.iter().all(|l| l.translation.is_finite() && l.rotation.is_finite())
}

/// A window may have no pixels; a picture has.
fn sane(size: Vec2) -> Vec2 {
    if size.is_finite() { size.clamp(Vec2::ONE, Vec2::splat(32_768.0)) } else { Vec2::ONE }
}
