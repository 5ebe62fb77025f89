//! What is held, and where the pointer wants it.

use glam::{Vec2, Vec3};

use crate::asset::Character;
use crate::camera::Camera;
use crate::picking::{Hit, Ray};
use crate::puppet::{Pin, Puppet, Target};
use crate::rig::{ChainKind, Rig, default_base, orientation};

use super::Axis;
use super::history::State;

/// Share of the distance to the camera that one step of the wheel pushes.
const PUSH: f32 = 0.04;

/// A drag that is going on.
#[derive(Clone, Debug)]
pub(super) struct Hand {
    pub(super) hit: Hit,
    pub(super) target: Target,
    /// Nodes that are pinned as long as it lasts.
    pub(super) pins: Vec<Pin>,
    /// Whether the root moves: nothing above the node could.
    pub(super) whole: bool,
    /// What [`super::Command::Cancel`] goes back to.
    pub(super) before: State,
    pub(super) axis: Option<Axis>,
    pub(super) snap: bool,
    /// Whether the pointer has moved it.
    pub(super) moved: bool,
    /// A point of the plane that it moves on.
    plane: Vec3,
    pointer: Vec2,
}

/// What is asked by who holds a place.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    pub(super) target: Target,
    pub(super) pins: Vec<Pin>,
    pub(super) whole: bool,
}

impl Reach {
    /// `base`: what is held still whatever is pulled.
    pub(super) fn new(hit: &Hit, puppet: &Puppet, base: Option<usize>) -> Self {
        let (character, rig) = (puppet.character(), &puppet.rig);
        let root = default_base(character, hit.node);
        let base = base.filter(|&b| b != hit.node).or_else(|| chain_base(character, rig, hit));
        let whole = base.is_none() && hit.node == root;
        let feet = || rig.chains.iter().filter(|c| c.kind == ChainKind::Leg).map(|c| c.effector);
        let mut target = Target::new(hit.node);
        target.base = if whole { None } else { Some(base.unwrap_or(root)) };
        target.offset = hit.offset;
        target.position = Some(hit.point.as_dvec3());
        // The whole is moved, not leant over.
        target.orientation = whole.then(|| orientation(&character.skeleton, puppet.pose(), hit.node));
        let pins = if whole { feet().map(Pin::from).collect() } else { Vec::new() };
        Self { target, pins, whole }
    }
}

impl Axis {
    /// Its direction.
    pub(super) fn unit(self) -> Vec3 {
        match self {
            Self::X => Vec3::X,
            Self::Y => Vec3::Y,
            Self::Z => Vec3::Z,
        }
    }
}

impl Hand {
    pub(super) fn new(hit: Hit, at: Vec2, puppet: &Puppet, before: State) -> Self {
        let Reach { target, pins, whole } = Reach::new(&hit, puppet, before.base);
        let (axis, snap, moved, plane) = (None, false, false, hit.point);
        Self { hit, target, pins, whole, before, axis, snap, moved, plane, pointer: at }
    }

    /// Its target, and the pins that last as long as it.
    pub(super) fn asks(&self) -> (Target, &[Pin]) {
        (self.target, &self.pins)
    }

    /// Follows the pointer on the plane that faces the camera, or on its axis.
    pub(super) fn follow(&mut self, at: Vec2, size: Vec2, camera: &Camera, step: f32) {
        (self.pointer, self.moved) = (at, true);
        let Some(ray) = Ray::through(camera, at, size) else { return };
        let sight = (camera.target - camera.position).normalize_or_zero();
        let start = self.hit.point;
        let wanted = match self.axis {
            Some(axis) => ray.nearest_on_line(start, axis.unit()),
            None => ray.meet_plane(self.plane, sight),
        };
        let Some(mut wanted) = wanted.filter(|p| p.is_finite()) else { return };
        if self.snap {
            wanted = start + ((wanted - start) / step).round() * step;
        }
        self.target.position = Some(wanted.as_dvec3());
    }

    /// Moves the plane away from the camera.
    pub(super) fn push(&mut self, steps: f32, size: Vec2, camera: &Camera, step: f32) {
        let away = self.plane - camera.position;
        let pushed = camera.position + away * (1.0 + PUSH * steps.clamp(-10.0, 10.0));
        if pushed.is_finite() {
            self.plane = pushed;
        }
        self.follow(self.pointer, size, camera, step);
    }

    /// Follows again, after its axis or its steps have changed.
    pub(super) fn again(&mut self, size: Vec2, camera: &Camera, step: f32) {
        self.follow(self.pointer, size, camera, step);
    }
}

/// The base of the first chain that a grabbed place belongs to.
pub(super) fn chain_base(character: &Character, rig: &Rig, hit: &Hit) -> Option<usize> {
    let own = character.skeleton.ancestors(hit.node).find_map(|node| {
        // A joint of its own chain turns about the base; the base itself only takes points beside it along.
        let beside = node != hit.node || !hit.handle;
        let holds = |c: &&crate::rig::Chain| c.joints.contains(&node) && (node != c.base || beside);
        let inside = rig.chains.iter().filter(holds).max_by_key(|c| node != c.base);
        inside.map(|c| c.base)
    });
    own.filter(|&b| b != default_base(character, hit.node) || b != hit.node)
}
