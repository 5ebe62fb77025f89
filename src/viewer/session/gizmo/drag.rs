//! A drag of a part of the gizmo and its effect on the session.

use glam::{DQuat, DVec3, Vec2, Vec3};

use crate::document::{Document, Scene};
use crate::ik::Limit;
use crate::orbit::pushed;
use crate::puppet::{Puppet, Target};
use crate::session::picking::Picture;
use crate::session::place::{placement, position};
use crate::session::viewpoint::Viewpoint;
use crate::{EyeTarget, Session};

use super::rail::{Rail, stops, with_stop};
use super::rings::turns_alone;
use super::turned_joint::{TurnedJoint, turned_axis};
use super::{Dial, Gizmo, GizmoGrip, GizmoView, limits, look};

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
        let &Picture { puppet, document, view, .. } = picture;
        let (node, gizmo) = (document.selection.active?, Gizmo::new(picture)?);
        let mut joints = Vec::new();
        let kind = match grip {
            GizmoGrip::Ring(i) => {
                let dial = gizmo.rings.get(i)?.dial;
                let from = dial.angle(at, &view, 0.0)?;
                let end = turned_end(puppet, document, node, &dial);
                if end.is_none() {
                    joints = TurnedJoint::selected(puppet, document, node, &dial);
                }
                DragKind::Ring { dial, from, now: from, end }
            }
            GizmoGrip::End(i, upper) => {
                let arc = gizmo.limit?.arcs.get(i).copied()?;
                let end = if upper { arc.max } else { arc.min };
                let from = arc.dial.angle(at, &view, end)?;
                DragKind::End { dial: arc.dial, from, now: from }
            }
            GizmoGrip::Stop(_) => {
                let rail = gizmo.limit?.rail?;
                let from = rail.displacement(at, &view)?;
                DragKind::Stop { rail, from, now: from }
            }
            GizmoGrip::Pole => {
                let pole = gizmo.pole?;
                let grabbed = view.ray(at)?.intersect_plane(pole.position, view.direction())?;
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
        let &Picture { puppet, document, view, .. } = picture;
        let (start, node) = (look::placed(puppet, document)?, Viewpoint::of(puppet)?.head);
        let grabbed = view.ray(at)?.intersect_plane(start, view.direction())?;
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

    /// Moves the part with the pointer. Returns the new position if the part is a pole or the look-at point.
    fn follow(&mut self, at: Vec2, view: &GizmoView) -> Option<Vec3> {
        (self.pointer, self.has_moved) = (at, true);
        match &mut self.kind {
            DragKind::Ring { dial, now, .. } | DragKind::End { dial, now, .. } => {
                *now = dial.angle(at, view, *now)?;
                None
            }
            DragKind::Stop { rail, now, .. } => {
                *now = rail.displacement(at, view)?;
                None
            }
            DragKind::Pole { grabbed, start, .. } | DragKind::LookAt { grabbed, start, .. } => {
                let to = view.ray(at)?.intersect_plane(*grabbed, view.direction())?;
                Some(*start + (to - *grabbed)).filter(|p| p.is_finite())
            }
        }
    }

    /// Returns whether the drag changes the pose, not only the rig.
    pub(crate) fn turns(&self) -> bool {
        self.has_moved && matches!(self.kind, DragKind::Ring { .. } | DragKind::Pole { .. })
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
    fn limit(&self) -> Option<Limit> {
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

impl Session {
    /// Starts dragging the part of the gizmo at a pixel. Returns false if no part is there.
    pub(crate) fn grab_gizmo(&mut self, at: Vec2) -> bool {
        let picture = self.picture();
        let grip = GizmoGrip::under(&picture, at);
        if let Some(grip @ (GizmoGrip::Arrow(_) | GizmoGrip::Center)) = grip {
            return self.grab_arrow(grip, at);
        }
        let hold = grip.and_then(|grip| GizmoDrag::new(&picture, grip, at));
        if hold.is_some() {
            self.gizmo_drag = hold;
            self.hover.clear();
            self.begin_reflection();
            self.comparison.set_start_pose(&self.document.scene.held);
        }
        self.gizmo_drag.is_some()
    }

    /// Moves the dragged part to a pixel. `snap` turns snapping on or off.
    pub(crate) fn pull_gizmo(&mut self, at: Option<Vec2>, snap: Option<bool>) {
        let view = self.picture().view;
        let Some(mut hold) = self.gizmo_drag.take() else { return };
        hold.snap = snap.unwrap_or(hold.snap);
        let Some(at) = at.or(Some(hold.pointer).filter(|_| hold.has_moved)) else {
            self.gizmo_drag = Some(hold);
            return;
        };
        let pole = hold.follow(at, &view);
        let limit = hold.limit();
        let (node, kind) = (hold.node, hold.kind);
        if let Some(limit) = limit {
            // Apply the limit to the initial pose, so that the joint returns when the limit is widened again.
            self.document.scene.held.clone_from(&hold.before.held);
            self.limit_joint(node, limit);
        }
        self.gizmo_drag = Some(hold);
        if let DragKind::LookAt { .. } = kind {
            // The eyes are turned after the command, without a solve.
            self.document.settings.look_at =
                pole.map_or(self.document.settings.look_at, |at| EyeTarget::Point(at.as_dvec3()));
            return;
        }
        if let (Some(position), DragKind::Pole { chain, .. }) = (pole, kind) {
            self.change_rig(|rig| {
                if let Some(chain) = rig.chains.get_mut(chain) {
                    chain.pole = Some(position);
                }
            });
        }
        self.solve();
    }

    /// Pushes a dragged look-at point away from the camera. Other parts are unaffected.
    pub(crate) fn push_gizmo(&mut self, steps: f32) {
        let camera = self.camera();
        let Some(hold) = &mut self.gizmo_drag else { return };
        if let DragKind::LookAt { grabbed, start, .. } = &mut hold.kind {
            let [from, to] = [*grabbed, *start].map(|point| pushed(point, steps, &camera));
            if from.is_finite() && to.is_finite() {
                (*grabbed, *start) = (from, to);
                let pointer = hold.pointer;
                self.pull_gizmo(Some(pointer), None);
            }
        }
    }

    /// Ends the drag and records it as one undo step.
    pub(crate) fn release_gizmo(&mut self) {
        let Some(hold) = self.gizmo_drag.take() else { return };
        if let Some(target) = hold.target() {
            for goal in [Some(target), self.reflected(&target)].into_iter().flatten() {
                if self.document.settings.keep_goals || self.has_goal_key(goal.node) {
                    self.document.scene.store_goal(goal);
                }
            }
        }
        if !hold.joints.is_empty() && hold.has_moved {
            self.settle_pins();
        } else if hold.limit().is_some() {
            self.refresh_pins();
        }
        if hold.before != self.document.scene {
            self.history.remember(hold.before);
        }
        if !self.puppet.is_posed_by_hand() {
            self.solve();
        }
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
