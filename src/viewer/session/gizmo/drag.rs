//! A drag of a part of the gizmo and its effect on the session.

use glam::{DQuat, DVec3, Vec2, Vec3};

use crate::EyeTarget;
use crate::document::{Document, Scene};
use crate::ik::Limit;
use crate::orbit::pushed;
use crate::puppet::{Puppet, Target};
use crate::session::picking::{Picture, Viewport};
use crate::session::place::{placement, position};
use crate::session::viewpoint::Viewpoint;
use crate::view::Camera;

use super::rail::{Rail, stops, with_stop};
use super::rings::turns_alone;
use super::turned_joint::{TurnedJoint, turned_axis};
use super::{Dial, Gizmo, GizmoGrip, limits, look};

/// Snapping steps of rings and limits, in degrees, while the control key is down.
const RING_STEP: f64 = 15.0;
const END_STEP: f64 = 5.0;
/// Rounding step of limits, in degrees, without the control key.
const FINE_STEP: f64 = 0.1;
/// Rounding steps for the stops of prismatic joints in metres, with and without the control key.
const STOP_STEP: f64 = 0.01;
const FINE_STOP_STEP: f64 = 0.001;

/// A drag of a grip in progress.
#[derive(Clone, Debug)]
pub(crate) struct GizmoDrag {
    pub(crate) grip: GizmoGrip,
    pub(crate) node: usize,
    /// The state that [`Command::Cancel`](crate::Command::Cancel) restores.
    pub(crate) before: Scene,
    pub(crate) snap: bool,
    pub(super) kind: DragKind,
    /// The joints that a ring turns individually.
    pub(super) joints: Vec<TurnedJoint>,
    /// Whether the pointer has moved since the start.
    pub(super) has_moved: bool,
    pointer: Vec2,
}

/// The part of the gizmo that a drag moves.
#[derive(Clone, Copy, Debug)]
pub(super) enum DragKind {
    /// A ring. `from` and `now` are the initial and the current angle on the dial in radians. `end` is the chain end that the ring turns,
    /// unless it turns joints alone.
    Ring { dial: Dial, from: f64, now: f64, end: Option<TurnedEnd> },
    /// An end of a limit. `from` and `now` have the same meaning as for a ring.
    End { dial: Dial, from: f64, now: f64 },
    /// A stop of a prismatic joint. `from` and `now` are the initial and the current displacement under the pointer in metres.
    Stop { rail: Rail, from: f64, now: f64 },
    /// A pole, which moves in a plane that faces the camera. `grabbed` is the point of that plane under the pointer when the drag started,
    /// `start` is the pole's position at that time, and `end` is the fixed position of the limb's end.
    Pole { chain: usize, grabbed: Vec3, start: Vec3, end: DVec3 },
    /// The look-at point, which moves like a pole. `before` is the setting when the drag started.
    LookAt { grabbed: Vec3, start: Vec3, before: EyeTarget },
}

/// The effect of a movement of a dragged part.
#[derive(Clone, Copy, Debug)]
pub(in crate::session) enum GizmoChange {
    /// Only the pose changes.
    Pose,
    /// The limit of the joint changes.
    Limit(Limit),
    /// The pole of a chain moves to a position in world metres. The chain is given by its index.
    Pole(usize, Vec3),
    /// The look-at point moves to a position in world metres. The pose is not solved again.
    LookAt(Vec3),
}

/// A chain end that a ring turns. It stays at `position` in world metres. `own` is its world orientation when the drag started. Both
/// exclude the look-at rotation. `axis` is a unit vector in world space.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnedEnd {
    base: usize,
    position: DVec3,
    own: DQuat,
    axis: DVec3,
}

impl GizmoDrag {
    /// Starts dragging a grip of the selected joint.
    pub(crate) fn new(picture: &Picture<'_>, grip: GizmoGrip, at: Vec2) -> Option<Self> {
        if grip == GizmoGrip::LookAt {
            return Self::of_look(picture, at);
        }
        let &Picture { puppet, document, viewport, .. } = picture;
        let (node, gizmo) = (document.selection.active?, Gizmo::new(picture)?);
        let mut joints = Vec::new();
        let kind = match grip {
            GizmoGrip::Ring(i) => {
                let dial = gizmo.rings.get(i)?.dial;
                let from = dial.angle(at, &viewport, 0.0)?;
                let end = turned_end(puppet, document, node, &dial);
                if end.is_none() {
                    joints = TurnedJoint::selected(puppet, document, node, &dial);
                }
                DragKind::Ring { dial, from, now: from, end }
            }
            GizmoGrip::End(i, upper) => {
                let arc = gizmo.limit?.arcs.get(i).copied()?;
                let end = if upper { arc.max } else { arc.min };
                let from = arc.dial.angle(at, &viewport, end)?;
                DragKind::End { dial: arc.dial, from, now: from }
            }
            GizmoGrip::Stop(_) => {
                let rail = gizmo.limit?.rail?;
                let from = rail.displacement(at, &viewport)?;
                DragKind::Stop { rail, from, now: from }
            }
            GizmoGrip::Pole => {
                let pole = gizmo.pole?;
                let grabbed = viewport.ray(at)?.intersect_plane(pole.position, viewport.direction())?;
                let end = position(puppet, puppet.rig.chains.get(pole.chain)?.effector)?.as_dvec3();
                DragKind::Pole { chain: pole.chain, grabbed, start: pole.position, end }
            }
            // Arrows and the square drag the joint itself, and the look-at point is handled above.
            GizmoGrip::Arrow(_) | GizmoGrip::Center | GizmoGrip::LookAt => return None,
        };
        let before = document.scene.clone();
        Some(Self { grip, node, before, snap: false, kind, joints, has_moved: false, pointer: at })
    }

    /// Starts dragging the look-at point.
    fn of_look(picture: &Picture<'_>, at: Vec2) -> Option<Self> {
        let &Picture { puppet, document, viewport, .. } = picture;
        let (start, node) = (look::placed(puppet, document)?, Viewpoint::of(puppet)?.head);
        let grabbed = viewport.ray(at)?.intersect_plane(start, viewport.direction())?;
        Some(Self {
            grip: GizmoGrip::LookAt,
            node,
            before: document.scene.clone(),
            snap: false,
            kind: DragKind::LookAt { grabbed, start, before: document.settings.look_at },
            joints: Vec::new(),
            has_moved: false,
            pointer: at,
        })
    }

    /// Returns the look-at setting from before the drag, if the look-at point is dragged.
    pub(crate) fn look_before(&self) -> Option<EyeTarget> {
        match self.kind {
            DragKind::LookAt { before, .. } => Some(before),
            _ => None,
        }
    }

    /// Returns the angle in radians by which a ring has turned.
    pub(super) fn turned(&self) -> Option<f64> {
        match self.kind {
            DragKind::Ring { from, now, .. } => Some(snapped(now - from, self.snap.then_some(RING_STEP))),
            _ => None,
        }
    }

    /// Moves the part to a pixel, or to the last pixel if only `snap` is given, which turns snapping on or off. `None` if nothing changes.
    pub(in crate::session) fn pull(
        &mut self,
        at: Option<Vec2>,
        snap: Option<bool>,
        viewport: &Viewport,
    ) -> Option<GizmoChange> {
        self.snap = snap.unwrap_or(self.snap);
        let at = at.or(Some(self.pointer).filter(|_| self.has_moved))?;
        let point = self.follow(at, viewport);
        match (self.kind, point) {
            (DragKind::LookAt { .. }, point) => point.map(GizmoChange::LookAt),
            (DragKind::Pole { chain, .. }, Some(point)) => Some(GizmoChange::Pole(chain, point)),
            _ => Some(self.limit().map_or(GizmoChange::Pose, GizmoChange::Limit)),
        }
    }

    /// Pushes the look-at point away from the camera. Returns the pixel to which the drag must then be pulled. `None` for other parts.
    pub(in crate::session) fn push(&mut self, steps: f32, camera: &Camera) -> Option<Vec2> {
        let DragKind::LookAt { grabbed, start, .. } = &mut self.kind else { return None };
        let [from, to] = [*grabbed, *start].map(|point| pushed(point, steps, camera));
        if !from.is_finite() || !to.is_finite() {
            return None;
        }
        (*grabbed, *start) = (from, to);
        Some(self.pointer)
    }

    /// Moves the part with the pointer. Returns the new position if the part is a pole or the look-at point.
    fn follow(&mut self, at: Vec2, viewport: &Viewport) -> Option<Vec3> {
        (self.pointer, self.has_moved) = (at, true);
        match &mut self.kind {
            DragKind::Ring { dial, now, .. } | DragKind::End { dial, now, .. } => {
                *now = dial.angle(at, viewport, *now)?;
                None
            }
            DragKind::Stop { rail, now, .. } => {
                *now = rail.displacement(at, viewport)?;
                None
            }
            DragKind::Pole { grabbed, start, .. } | DragKind::LookAt { grabbed, start, .. } => {
                let to = viewport.ray(at)?.intersect_plane(*grabbed, viewport.direction())?;
                Some(*start + (to - *grabbed)).filter(|p| p.is_finite())
            }
        }
    }

    /// Returns whether the drag changes the pose, not only the rig.
    pub(crate) fn turns(&self) -> bool {
        self.has_moved && matches!(self.kind, DragKind::Ring { .. } | DragKind::Pole { .. })
    }

    /// Returns whether the drag turns joints individually.
    pub(in crate::session) fn turns_joints(&self) -> bool {
        self.has_moved && !self.joints.is_empty()
    }

    /// Returns the target to solve for during the drag.
    pub(crate) fn target(&self) -> Option<Target> {
        let mut target = Target::new(self.node);
        match self.kind {
            DragKind::Ring { end: Some(TurnedEnd { base, position, own, axis }), .. } => {
                target.base = Some(base);
                target.position = Some(position);
                target.orientation = Some(DQuat::from_axis_angle(axis, self.turned()?) * own);
            }
            DragKind::Pole { chain, end, .. } => {
                let limb = self.before.rig.chains.get(chain)?;
                target = Target::new(limb.effector);
                target.base = Some(limb.base);
                target.position = Some(end);
            }
            _ => return None,
        }
        self.has_moved.then_some(target)
    }

    /// Returns the limit that results from dragging one of its ends or stops.
    pub(in crate::session) fn limit(&self) -> Option<Limit> {
        if let (DragKind::Stop { from, now, .. }, GizmoGrip::Stop(upper)) = (self.kind, self.grip) {
            let limit = self.before.rig.joint(self.node).limit;
            let step = if self.snap { STOP_STEP } else { FINE_STOP_STEP };
            let stop = stops(&limit)?[usize::from(upper)] + now - from;
            return self.has_moved.then(|| with_stop(limit, upper, (stop / step).round() * step));
        }
        let (DragKind::End { from, now, .. }, GizmoGrip::End(arc, upper)) = (self.kind, self.grip) else {
            return None;
        };
        let limit = self.before.rig.joint(self.node).limit;
        let end = limits::ends(&limit, arc)?[usize::from(upper)];
        let value = snapped(end + now - from, Some(if self.snap { END_STEP } else { FINE_STEP }));
        self.has_moved.then(|| limits::with_end(limit, arc, upper, value))
    }
}

/// Returns the chain end that a joint's rings turn, or `None` if they turn joints alone.
fn turned_end(puppet: &Puppet, document: &Document, node: usize, dial: &Dial) -> Option<TurnedEnd> {
    if turns_alone(puppet, document, node) {
        return None;
    }
    let base = puppet.rig.chain(node)?.base;
    let (position, own) = placement(puppet, node)?;
    let axis = turned_axis(puppet, document.settings.ring_mode.world, node, dial);
    Some(TurnedEnd { base, position, own, axis })
}

/// Rounds an angle in radians to a step in degrees.
fn snapped(angle: f64, step: Option<f64>) -> f64 {
    step.map_or(angle, |step| ((angle.to_degrees() / step).round() * step).to_radians())
}
