//! A part of a gizmo that is held, and what its pull asks for.

use glam::{DQuat, DVec3, Quat, Vec2, Vec3};

use crate::ik::Limit;
use crate::puppet::Target;
use crate::rig::orientation;

use super::super::Session;
use super::super::history::State;
use super::{Dial, Gizmo, Grip, View, limits};

/// Degrees in which rings and ends of limits move with the control key.
const RING_STEP: f64 = 15.0;
const END_STEP: f64 = 5.0;
/// Degrees that an end of a limit is read to.
const FINE: f64 = 0.1;

/// A grip that is held.
#[derive(Clone, Debug)]
pub(in super::super) struct Hold {
    pub(in super::super) grip: Grip,
    pub(in super::super) node: usize,
    /// What [`Command::Cancel`](super::super::Command::Cancel) goes back to.
    pub(in super::super) before: State,
    pub(in super::super) snap: bool,
    pub(super) pull: Pull,
    /// Whether the pointer has moved it.
    moved: bool,
    pointer: Vec2,
}

/// What a pull changes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pull {
    /// Angles on the dial, radians: where it was taken and where it is now.
    Ring { dial: Dial, from: f64, now: f64, turn: Turn },
    /// The same for an end of a limit.
    End { dial: Dial, from: f64, now: f64 },
    /// On a plane that faces the camera, from the place where it was taken. `end`: where the limb's end stays.
    Pole { chain: usize, taken: Vec3, start: Vec3, end: DVec3 },
}

/// What a ring turns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turn {
    /// A joint alone: orientations of its parent and of itself as they were, world.
    Joint { above: DQuat, own: DQuat },
    /// The end of a chain, in its place: base, world metres, orientation as it was.
    End { base: usize, place: DVec3, own: DQuat },
}

impl Hold {
    /// Takes hold of a grip of the selected joint.
    pub(in super::super) fn new(session: &Session, grip: Grip, at: Vec2) -> Option<Self> {
        let view = session.view(session.scale);
        let (node, gizmo) = (session.selected?, Gizmo::of(session, &view)?);
        let pull = match grip {
            Grip::Ring(i) => {
                let dial = gizmo.rings.get(i)?.dial;
                let from = dial.angle(at, &view, 0.0)?;
                Pull::Ring { dial, from, now: from, turn: turn(session, node)? }
            }
            Grip::End(i, upper) => {
                let arc = gizmo.limit?.arcs.get(i).copied()?;
                let end = if upper { arc.max } else { arc.min };
                let from = arc.dial.angle(at, &view, end)?;
                Pull::End { dial: arc.dial, from, now: from }
            }
            Grip::Pole => {
                let pole = gizmo.pole?;
                let taken = view.ray(at)?.meet_plane(pole.place, view.sight())?;
                let end = session.place(session.puppet.rig.chains.get(pole.chain)?.effector)?.as_dvec3();
                Pull::Pole { chain: pole.chain, taken, start: pole.place, end }
            }
        };
        let before = session.state.clone();
        Some(Self { grip, node, before, snap: false, pull, moved: false, pointer: at })
    }

    /// Radians that a ring has turned so far.
    pub(super) fn turned(&self) -> Option<f64> {
        match self.pull {
            Pull::Ring { from, now, .. } => Some(snapped(now - from, self.snap.then_some(RING_STEP))),
            _ => None,
        }
    }

    fn follow(&mut self, at: Vec2, view: &View) -> Option<Vec3> {
        (self.pointer, self.moved) = (at, true);
        match &mut self.pull {
            Pull::Ring { dial, now, .. } | Pull::End { dial, now, .. } => {
                *now = dial.angle(at, view, *now)?;
                None
            }
            Pull::Pole { taken, start, .. } => {
                let to = view.ray(at)?.meet_plane(*taken, view.sight())?;
                Some(*start + (to - *taken)).filter(|p| p.is_finite())
            }
        }
    }

    /// What is reached for while it is held.
    pub(in super::super) fn target(&self) -> Option<Target> {
        let mut target = Target::new(self.node);
        match self.pull {
            Pull::Ring { dial, turn: Turn::End { base, place, own }, .. } => {
                target.base = Some(base);
                target.position = Some(place);
                target.orientation = Some(about(dial, self.turned()?) * own);
            }
            Pull::Pole { chain, end, .. } => {
                let limb = self.before.rig.chains.get(chain)?;
                target = Target::new(limb.effector);
                target.base = Some(limb.base);
                target.position = Some(end);
            }
            _ => return None,
        }
        self.moved.then_some(target)
    }

    /// The joint that is turned alone, and its local rotation.
    pub(in super::super) fn rotation(&self, session: &Session) -> Option<(usize, Quat)> {
        let Pull::Ring { dial, turn: Turn::Joint { above, own }, .. } = self.pull else { return None };
        let wanted = above.conjugate() * (about(dial, self.turned()?) * own);
        let rotation = session.allowed(self.node, wanted);
        self.moved.then_some((self.node, rotation.as_quat().normalize()))
    }

    /// The limit that the pull of an end asks for.
    fn limit(&self) -> Option<Limit> {
        let (Pull::End { from, now, .. }, Grip::End(arc, upper)) = (self.pull, self.grip) else {
            return None;
        };
        let limit = self.before.rig.joint(self.node).limit;
        let end = limits::ends(&limit, arc)?[usize::from(upper)];
        let value = snapped(end + now - from, Some(if self.snap { END_STEP } else { FINE }));
        self.moved.then(|| limits::with_end(limit, arc, upper, value))
    }
}

impl Session {
    /// Takes hold of the part of the gizmo that is there.
    pub(in super::super) fn grab_gizmo(&mut self, at: Vec2) -> bool {
        let hold = self.grip_under(at).and_then(|grip| Hold::new(self, grip, at));
        if hold.is_some() {
            (self.hold, self.hot, self.hover) = (hold, None, None);
            self.comparison.begin(&self.state.held);
        }
        self.hold.is_some()
    }

    /// Pulls the part that is held; `snap`: whether in steps from now on.
    pub(in super::super) fn pull_gizmo(&mut self, at: Option<Vec2>, snap: Option<bool>) {
        let view = self.view(self.scale);
        let Some(mut hold) = self.hold.take() else { return };
        hold.snap = snap.unwrap_or(hold.snap);
        let Some(at) = at.or(Some(hold.pointer).filter(|_| hold.moved)) else {
            self.hold = Some(hold);
            return;
        };
        let pole = hold.follow(at, &view);
        let limit = hold.limit();
        let (node, pull) = (hold.node, hold.pull);
        if let Some(limit) = limit {
            // From the pose that was there at first: where a limit is opened again, its joint comes back.
            self.state.held.clone_from(&hold.before.held);
            self.limit_joint(node, limit);
        }
        self.hold = Some(hold);
        if let (Some(place), Pull::Pole { chain, .. }) = (pole, pull) {
            self.change_rig(|rig| {
                if let Some(chain) = rig.chains.get_mut(chain) {
                    chain.pole = Some(place);
                }
            });
        }
        self.solve();
    }

    /// Lets go of it.
    pub(in super::super) fn release_gizmo(&mut self) {
        let Some(hold) = self.hold.take() else { return };
        if self.keep
            && let Some(target) = hold.target()
        {
            self.state.goals.retain(|g| g.node != target.node);
            self.state.goals.push(target);
        }
        if hold.rotation(self).is_some() || hold.limit().is_some() {
            self.pin_again();
        }
        if hold.before != self.state {
            self.history.remember(hold.before);
        }
        if !self.puppet.motion.is_rest() {
            self.solve();
        }
    }
}

/// What the rings of a joint turn.
fn turn(session: &Session, node: usize) -> Option<Turn> {
    let (skeleton, pose) = (&session.puppet.character().skeleton, session.puppet.pose());
    let own = orientation(skeleton, pose, node);
    if session.turns_alone(node) {
        let above = skeleton.nodes.get(node)?.parent;
        let above = above.map_or(DQuat::IDENTITY, |p| orientation(skeleton, pose, p));
        return Some(Turn::Joint { above, own });
    }
    let base = session.puppet.rig.chain(node)?.base;
    Some(Turn::End { base, place: session.place(node)?.as_dvec3(), own })
}

fn about(dial: Dial, angle: f64) -> DQuat {
    DQuat::from_axis_angle(dial.axis.as_dvec3().normalize(), angle)
}

/// An angle in steps of some degrees.
fn snapped(angle: f64, step: Option<f64>) -> f64 {
    step.map_or(angle, |step| ((angle.to_degrees() / step).round() * step).to_radians())
}
