//! A drag of a joint, and the target that follows the pointer.

use std::f32::consts::FRAC_PI_4;
use std::sync::Arc;

use glam::{DVec3, Vec2, Vec3};

use crate::orbit::pushed;
use crate::puppet::{Pin, Puppet, Target};
use crate::scene::picking::{Hit, Ray};
use crate::view::Camera;
use crate::{Axis, Command, DragScope};

use super::drag_goal::DragGoal;
use super::landing::{Landing, Surroundings};
use super::place::{pin_here, point};
use crate::document::Scene;

/// Maximum pitch in radians of the line of sight at which a drag of the whole body moves its target in a vertical plane. At steeper angles,
/// it moves the target in the view plane.
const MAX_PITCH: f32 = FRAC_PI_4;

/// A drag in progress.
#[derive(Clone, Debug)]
pub(crate) struct Drag {
    pub(crate) hit: Hit,
    pub(crate) target: Target,
    /// The other joints pulled by the same amount, with their targets.
    pub(crate) others: Vec<(Hit, Target)>,
    /// Pins for the duration of the drag.
    pub(crate) pins: Vec<Pin>,
    /// Whether the drag moves the root, because no ancestor of the node can move.
    pub(crate) moves_root: bool,
    /// Whether the drag turns only one joint.
    pub(crate) turns_joint: bool,
    /// Whether the solver may choose the depth of the target, which the pointer does not determine.
    frees_depth: bool,
    pub(crate) scope: DragScope,
    /// The state that [`Command::Cancel`] restores.
    pub(crate) before: Scene,
    pub(crate) axis: Option<Axis>,
    /// Axis and unit direction of the dragged arrow. A constraint to a world axis takes precedence.
    pub(crate) along: Option<(Axis, Vec3)>,
    /// Offset from the pointer to the dragged point in the view, in pixels.
    pub(crate) grip: Vec2,
    /// Whether the gizmo is being dragged.
    pub(crate) by_gizmo: bool,
    pub(crate) snap: bool,
    /// Whether the wheel has pushed the target, so that its depth is known.
    is_pushed: bool,
    /// Whether the pointer has moved since the grab.
    pub(crate) moved: bool,
    /// Whether the last movement of the target came from the pointer, not from a command with a world position.
    pub(super) follows_pointer: bool,
    /// Surfaces on which a dragged hand or foot can land. `None` if the drag cannot land.
    pub(super) surroundings: Option<Arc<Surroundings>>,
    /// Where the dragged hand or foot lands now.
    pub(crate) landing: Option<Landing>,
    /// The direction along which the solver may choose the depth.
    sight: Option<Vec3>,
    /// A point in the plane in which the pointer moves the target.
    plane: Vec3,
    /// Offset from the pulled point to the point under the pointer, in world metres.
    lever: Vec3,
    pointer: Vec2,
}

impl Axis {
    pub(crate) fn unit(self) -> Vec3 {
        match self {
            Self::X => Vec3::X,
            Self::Y => Vec3::Y,
            Self::Z => Vec3::Z,
        }
    }
}

impl Drag {
    pub(crate) fn new(hit: Hit, at: Vec2, puppet: &Puppet, scope: DragScope, before: Scene) -> Self {
        let goal = DragGoal::new(&hit, puppet, scope, before.base);
        let DragGoal { target, pins, moves_root, turns_joint, frees_depth } = goal;
        let pins = placed(pins, puppet);
        Self {
            hit,
            target,
            others: Vec::new(),
            pins,
            moves_root,
            turns_joint,
            frees_depth,
            scope,
            before,
            axis: None,
            along: None,
            grip: Vec2::ZERO,
            by_gizmo: false,
            snap: false,
            is_pushed: false,
            moved: false,
            follows_pointer: false,
            surroundings: None,
            landing: None,
            sight: None,
            plane: hit.point,
            lever: Vec3::ZERO,
            pointer: at,
        }
    }

    /// Returns whether the whole body follows.
    #[cfg(feature = "window")]
    pub(crate) fn moves_body(&self) -> bool {
        self.frees_depth || self.moves_root
    }

    /// Keeps a skin point under the pointer, although the drag pulls a point on the underlying bone.
    pub(crate) fn hold_skin(&mut self, point: Vec3) {
        (self.plane, self.lever) = (point, point - self.hit.point);
    }

    /// Changes what the drag moves. The target keeps its position.
    pub(crate) fn set_scope(&mut self, scope: DragScope, puppet: &Puppet) {
        let goal = DragGoal::new(&self.hit, puppet, scope, self.before.base);
        let position = self.target.position;
        (self.scope, self.moves_root, self.turns_joint) = (scope, goal.moves_root, goal.turns_joint);
        self.frees_depth = goal.frees_depth;
        (self.target, self.pins) = (Target { position, ..goal.target }, placed(goal.pins, puppet));
        let others: Vec<Hit> = self.others.iter().map(|(hit, _)| *hit).collect();
        self.set_others(&others, puppet);
    }

    /// Sets the other joints pulled by the same amount.
    pub(crate) fn set_others(&mut self, others: &[Hit], puppet: &Puppet) {
        let goal = |hit: &Hit| DragGoal::new(hit, puppet, self.scope, self.before.base).target;
        self.others = others.iter().map(|hit| (*hit, goal(hit))).collect();
        self.move_others();
    }

    /// Moves the other joints' targets by the same amount as the dragged joint's target.
    fn move_others(&mut self) {
        let Some(to) = self.target.position else { return };
        let by = to - self.hit.point.as_dvec3();
        for (hit, target) in &mut self.others {
            target.position = Some(hit.point.as_dvec3() + by);
            (target.axes, target.orientation) = (self.target.axes, self.target.orientation);
            target.touches = self.target.touches;
        }
    }

    /// Measures the surfaces on which the drag can land, in a puppet's current pose. `partner` is another node that the drag moves.
    pub(super) fn prepare_landing(&mut self, puppet: &Puppet, partner: Option<usize>) {
        if !self.turns_joint {
            let others: Vec<usize> = self.others.iter().map(|(hit, _)| hit.node).chain(partner).collect();
            self.surroundings = Surroundings::new(puppet, &self.hit, &others).map(Arc::new);
        }
    }

    /// Returns the current position of the dragged point in world metres.
    pub(super) fn point(&self, puppet: &Puppet) -> Option<Vec3> {
        point(puppet, self.target.node, self.target.offset)
    }

    /// Returns the dragged point of a hand or foot that touches nothing, and its height above the floor in metres. `None` for other drags,
    /// or if the point is below the floor.
    pub(crate) fn hanging_point(&self, puppet: &Puppet) -> Option<(Vec3, f32)> {
        let point = self.point(puppet).filter(|_| self.moved && self.landing.is_none())?;
        Some((point, self.surroundings.as_ref()?.height(point)))
            .filter(|(_, height)| height.is_finite() && *height > 0.0)
    }

    /// Returns the drag's target and temporary pins.
    pub(crate) fn target_and_pins(&self) -> (Target, &[Pin]) {
        (self.target, &self.pins)
    }

    /// For methods that move only a limb, returns the drag's target with all of its axes and its temporary pins.
    pub(crate) fn plain_target_and_pins(&self) -> (Target, &[Pin]) {
        (self.target.with_known_depth(), &self.pins)
    }

    /// Returns the axis to which the drag is constrained, and its direction.
    pub(crate) fn line(&self) -> Option<(Axis, Vec3)> {
        self.axis.map(|axis| (axis, axis.unit())).or(self.along)
    }

    /// Executes a command that moves the target or changes how it moves. `step` is the grid step for snapping in metres.
    pub(super) fn execute(&mut self, command: &Command, size: Vec2, camera: &Camera, step: f32) {
        match *command {
            Command::DragTo(position) => return self.move_to(position),
            Command::Push(by) => self.push(by, camera),
            Command::Drag(at) => self.pointer = at,
            Command::Constrain(axis) => self.axis = (self.axis != Some(axis)).then_some(axis),
            Command::Snap(snap) => self.snap = snap,
            _ => return,
        }
        self.follow(size, camera, step);
    }

    /// Moves the target to the pointer, in the plane that faces the camera or along the constraint axis.
    pub(super) fn follow(&mut self, size: Vec2, camera: &Camera, step: f32) {
        (self.moved, self.follows_pointer) = (true, true);
        let Some(ray) = Ray::through(camera, self.pointer + self.grip, size) else { return };
        let sight = (camera.target - camera.position).normalize_or_zero();
        let start = self.hit.point + self.lever;
        let line = self.line();
        let is_free = self.frees_depth && line.is_none() && !self.is_pushed;
        // If the pointer moves down on the screen, the target moves straight down in the world instead of also moving forwards. This is
        // impossible if the camera looks steeply up or down.
        let is_upright = is_free && sight.y.abs() < MAX_PITCH.sin();
        let level = |v: Vec3| if is_upright { v.with_y(0.0).normalize_or(v) } else { v };
        let sight = level(sight);
        let wanted = match line {
            Some((_, direction)) => ray.nearest_on_line(start, direction),
            None => ray.intersect_plane(self.plane, sight),
        };
        let Some(mut wanted) = wanted.filter(|p| p.is_finite()) else { return };
        let lands = line.is_none() && !self.snap && !self.is_pushed && !self.turns_joint && !self.moves_root;
        let surroundings = self.surroundings.as_ref().filter(|_| lands);
        self.landing = surroundings.and_then(|around| around.land(&ray, wanted, start));
        if let Some(landing) = &self.landing {
            wanted = landing.point;
        }
        if self.snap {
            let steps = (wanted - start) / step;
            let steps = line.map_or(steps.round(), |(_, direction)| direction * steps.dot(direction).round());
            wanted = start + steps * step;
        }
        self.target.position = Some((wanted - self.lever).as_dvec3());
        let is_landing = self.landing.is_some();
        self.target.touches = self.landing.is_some_and(|landing| landing.on.is_some());
        self.sight = is_free.then(|| level(ray.direction));
        self.set_depth(self.sight.filter(|_| !is_landing).map(|sight| (sight, 0.0)));
        self.move_others();
    }

    /// Sets the weight of the target's depth along a direction, or fixes the depth if `along` is `None`. This has no effect unless the
    /// solver may choose the depth.
    fn set_depth(&mut self, along: Option<(Vec3, f32)>) {
        if self.frees_depth {
            let known = self.target.with_known_depth();
            self.target =
                along.map_or(known, |(along, weight)| known.with_depth(along.as_dvec3(), f64::from(weight)));
        }
    }

    /// Moves the target back from a surface that only partly determines its depth.
    pub(super) fn leave_surface(&mut self, landing: &Landing) {
        let position = |landed: DVec3| {
            let free = (landing.wanted - self.lever).as_dvec3();
            free.lerp(landed, f64::from(landing.weight))
        };
        self.target.position = self.target.position.map(position);
        // The weight of the depth grows faster than the displacement, because with a small weight the solver would choose a different
        // depth.
        self.set_depth(self.sight.map(|sight| (sight, landing.weight.sqrt())));
        self.move_others();
    }

    /// Moves the target by a vector, so that the dragged part touches the surface.
    pub(super) fn shift(&mut self, by: Vec3) {
        self.target.position = self.target.position.map(|position| position + by.as_dvec3());
        self.move_others();
    }

    /// Returns the target with all axes, to be kept as a goal after the drag. If its depth was free, its position becomes the current
    /// position of the dragged point.
    pub(crate) fn settled(target: &Target, puppet: &Puppet) -> Target {
        let known = target.with_known_depth();
        if known == *target {
            return known;
        }
        let at = point(puppet, target.node, target.offset).map(Vec3::as_dvec3);
        Target { position: at.or(target.position), ..known }
    }

    /// Moves the target to a world position. The axis constraint and snapping do not apply, because they only affect pointer movements.
    /// Later pointer movements drag in the plane through this position.
    fn move_to(&mut self, position: DVec3) {
        (self.plane, self.moved) = (position.as_vec3() + self.lever, true);
        self.target.position = Some(position);
        (self.landing, self.target.touches, self.follows_pointer) = (None, false, false);
        self.set_depth(None);
        self.move_others();
    }

    /// Moves the pointer's plane away from the camera.
    fn push(&mut self, steps: f32, camera: &Camera) {
        let plane = pushed(self.plane, steps, camera);
        if plane.is_finite() {
            // The depth is now known.
            (self.plane, self.is_pushed) = (plane, true);
        }
    }
}

/// Returns pins at the current positions of their nodes. If a motion determines the pose, the pins keep the positions from the motion.
fn placed(pins: Vec<Pin>, puppet: &Puppet) -> Vec<Pin> {
    if puppet.is_posed_by_hand() { pins.iter().map(|pin| pin_here(puppet, pin.node)).collect() } else { pins }
}
