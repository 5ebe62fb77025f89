//! A drag of a joint, and the target that follows the pointer.

use std::f32::consts::FRAC_PI_4;

use glam::{DVec3, Vec2, Vec3};

use crate::asset::Character;
use crate::ik::Limit;
use crate::puppet::{Pin, Puppet, Target};
use crate::rig::{ChainKind, Rig, default_base, orientation};
use crate::scene::picking::{Hit, Ray};
use crate::view::{Camera, Projection};
use crate::viewer::{Axis, DragScope};

use super::history::State;

/// Fraction of the distance to the camera by which one step of the wheel pushes the target.
const PUSH_STEP: f32 = 0.04;
/// Seen from a steeper angle, a drag moves its target on the plane of the view, radians.
const MAX_PITCH: f32 = FRAC_PI_4;
/// Minimum distance of a joint from the point that it turns, as a fraction of the distance of that point from the root.
const MIN_LEVER: f32 = 1e-3;

/// A drag in progress.
#[derive(Clone, Debug)]
pub(in crate::viewer) struct Drag {
    pub(in crate::viewer) hit: Hit,
    pub(in crate::viewer) target: Target,
    /// The other joints that are pulled by as much, with their targets.
    pub(in crate::viewer) others: Vec<(Hit, Target)>,
    /// Pins that last as long as the drag.
    pub(in crate::viewer) pins: Vec<Pin>,
    /// Whether the drag moves the root, because no joint above the node can move.
    pub(in crate::viewer) moves_root: bool,
    /// Whether the drag turns one joint only.
    pub(in crate::viewer) turns_joint: bool,
    /// Whether the body may choose the depth, which the pointer does not know.
    frees_depth: bool,
    pub(in crate::viewer) scope: DragScope,
    /// The state that [`crate::viewer::Command::Cancel`] restores.
    pub(in crate::viewer) before: State,
    pub(in crate::viewer) axis: Option<Axis>,
    /// The axis and the direction of the arrow that is dragged, a unit vector. A world axis takes precedence.
    pub(in crate::viewer) along: Option<(Axis, Vec3)>,
    /// Leads from the pointer to what it drags in the view, in pixels.
    pub(in crate::viewer) grip: Vec2,
    /// Whether a part of the gizmo is dragged.
    pub(in crate::viewer) by_gizmo: bool,
    pub(in crate::viewer) snap: bool,
    /// Whether the wheel has pushed the target, so that its depth is known.
    is_pushed: bool,
    /// Whether the pointer has moved since the grab.
    pub(in crate::viewer) moved: bool,
    /// A point of the plane on which the pointer moves.
    plane: Vec3,
    /// From the point that is pulled to the one under the pointer.
    lever: Vec3,
    pointer: Vec2,
}

/// The goal and the pins of a drag that starts at a hit.
#[derive(Clone, Debug)]
pub(in crate::viewer) struct DragGoal {
    pub(in crate::viewer) target: Target,
    pub(in crate::viewer) pins: Vec<Pin>,
    pub(in crate::viewer) moves_root: bool,
    pub(in crate::viewer) turns_joint: bool,
    /// Whether the whole body follows. It may choose the depth, which a pointer does not know.
    frees_depth: bool,
}

impl DragGoal {
    /// Returns whether the whole body follows.
    pub(in crate::viewer) fn moves_body(&self) -> bool {
        self.frees_depth
    }

    /// `base` is the node that must not move.
    pub(in crate::viewer) fn new(hit: &Hit, puppet: &Puppet, scope: DragScope, base: Option<usize>) -> Self {
        let (character, rig) = (puppet.character(), &puppet.rig);
        let joint = if scope == DragScope::Joint { joint_above(hit, puppet) } else { None };
        if let Some(joint) = joint {
            let (offset, position) = (hit.offset, Some(hit.point.as_dvec3()));
            let target = Target { base: Some(joint), offset, position, ..Target::new(hit.node) };
            return Self {
                target,
                pins: Vec::new(),
                moves_root: false,
                turns_joint: true,
                frees_depth: false,
            };
        }
        let root = default_base(character, hit.node);
        let chain_base = base.filter(|&b| b != hit.node).or_else(|| chain_base(character, rig, hit));
        let moves_root = chain_base.is_none() && hit.node == root;
        // The hips belong to no limb, so that dragging them moves the body in any scope.
        let is_wanted = scope != DragScope::Limb || chain_base.is_none();
        if is_wanted && base.is_none() && puppet.moves_whole_body(hit.node) {
            let (offset, position) = (hit.offset, Some(hit.point.as_dvec3()));
            let target = Target { offset, position, ..Target::new(hit.node) };
            return Self {
                target,
                pins: Vec::new(),
                moves_root: false,
                turns_joint: false,
                frees_depth: true,
            };
        }
        let feet = || rig.chains.iter().filter(|c| c.kind == ChainKind::Leg).map(|c| c.effector);
        let mut target = Target::new(hit.node);
        target.base = if moves_root { None } else { Some(chain_base.unwrap_or(root)) };
        target.offset = hit.offset;
        target.position = Some(hit.point.as_dvec3());
        // If the root moves, the dragged node keeps its orientation, so that the character does not lean over.
        target.orientation = moves_root.then(|| orientation(&character.skeleton, puppet.pose(), hit.node));
        let pins = if moves_root { feet().map(Pin::from).collect() } else { Vec::new() };
        Self { target, pins, moves_root, turns_joint: false, frees_depth: false }
    }
}

impl Axis {
    /// Returns the unit vector of the axis.
    pub(in crate::viewer) fn unit(self) -> Vec3 {
        match self {
            Self::X => Vec3::X,
            Self::Y => Vec3::Y,
            Self::Z => Vec3::Z,
        }
    }
}

impl Drag {
    pub(in crate::viewer) fn new(
        hit: Hit,
        at: Vec2,
        puppet: &Puppet,
        (scope, before): (DragScope, State),
    ) -> Self {
        let goal = DragGoal::new(&hit, puppet, scope, before.base);
        let DragGoal { target, pins, moves_root, turns_joint, frees_depth } = goal;
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
            plane: hit.point,
            lever: Vec3::ZERO,
            pointer: at,
        }
    }

    /// Returns whether the whole body follows.
    #[cfg(feature = "viewer")]
    pub(in crate::viewer) fn moves_body(&self) -> bool {
        self.frees_depth || self.moves_root
    }

    /// Keeps the pointer at a point of the skin, while the hit is the point of the bone below it.
    pub(in crate::viewer) fn hold_skin(&mut self, point: Vec3) {
        (self.plane, self.lever) = (point, point - self.hit.point);
    }

    /// Changes what the drag moves. The target keeps its position.
    pub(in crate::viewer) fn set_scope(&mut self, scope: DragScope, puppet: &Puppet) {
        let goal = DragGoal::new(&self.hit, puppet, scope, self.before.base);
        let position = self.target.position;
        (self.scope, self.moves_root, self.turns_joint) = (scope, goal.moves_root, goal.turns_joint);
        self.frees_depth = goal.frees_depth;
        (self.target, self.pins) = (Target { position, ..goal.target }, goal.pins);
        let others: Vec<Hit> = self.others.iter().map(|(hit, _)| *hit).collect();
        self.set_others(&others, puppet);
    }

    /// Sets the other joints that are pulled by as much.
    pub(in crate::viewer) fn set_others(&mut self, others: &[Hit], puppet: &Puppet) {
        let goal = |hit: &Hit| DragGoal::new(hit, puppet, self.scope, self.before.base).target;
        self.others = others.iter().map(|hit| (*hit, goal(hit))).collect();
        self.move_others();
    }

    /// Moves the targets of the other joints by as much as the target of the dragged one.
    fn move_others(&mut self) {
        let Some(to) = self.target.position else { return };
        let by = to - self.hit.point.as_dvec3();
        for (hit, target) in &mut self.others {
            target.position = Some(hit.point.as_dvec3() + by);
            (target.axes, target.orientation) = (self.target.axes, self.target.orientation);
        }
    }

    /// Returns the target, and the pins that last as long as the drag.
    pub(in crate::viewer) fn target_and_pins(&self) -> (Target, &[Pin]) {
        (self.target, &self.pins)
    }

    /// Returns the same with all axes, as methods that move a limb alone see it.
    pub(in crate::viewer) fn plain_target_and_pins(&self) -> (Target, &[Pin]) {
        (self.target.with_known_depth(), &self.pins)
    }

    /// Returns the axis to which the drag is constrained, and its direction.
    pub(in crate::viewer) fn line(&self) -> Option<(Axis, Vec3)> {
        self.axis.map(|axis| (axis, axis.unit())).or(self.along)
    }

    /// Moves the target to the pointer, on the plane that faces the camera or along the axis.
    pub(in crate::viewer) fn follow(&mut self, at: Vec2, size: Vec2, camera: &Camera, step: f32) {
        (self.pointer, self.moved) = (at, true);
        let Some(ray) = Ray::through(camera, at + self.grip, size) else { return };
        let sight = (camera.target - camera.position).normalize_or_zero();
        let start = self.hit.point + self.lever;
        let line = self.line();
        let is_free = self.frees_depth && line.is_none() && !self.is_pushed;
        // "Down" on the screen is down in the world, not also forwards. Seen from far above or below, it cannot be.
        let is_upright = is_free && sight.y.abs() < MAX_PITCH.sin();
        let level = |v: Vec3| if is_upright { v.with_y(0.0).normalize_or(v) } else { v };
        let sight = level(sight);
        let wanted = match line {
            Some((_, direction)) => ray.nearest_on_line(start, direction),
            None => ray.intersect_plane(self.plane, sight),
        };
        let Some(mut wanted) = wanted.filter(|p| p.is_finite()) else { return };
        if self.snap {
            let steps = (wanted - start) / step;
            let steps = line.map_or(steps.round(), |(_, direction)| direction * steps.dot(direction).round());
            wanted = start + steps * step;
        }
        self.target.position = Some((wanted - self.lever).as_dvec3());
        self.set_depth(is_free.then(|| level(ray.direction)));
        self.move_others();
    }

    /// Frees the depth along a direction, or fixes it. A goal whose joint keeps its orientation keeps all axes.
    fn set_depth(&mut self, along: Option<Vec3>) {
        if self.frees_depth {
            let known = self.target.with_known_depth();
            self.target = along.map_or(known, |along| known.with_free_depth(along.as_dvec3()));
        }
    }

    /// Returns a target with all axes, where its point is now, to be kept after the drag.
    pub(in crate::viewer) fn settled(target: &Target, puppet: &Puppet) -> Target {
        let known = target.with_known_depth();
        if known == *target {
            return known;
        }
        let world = puppet.world_from_node().get(target.node);
        let at = world.map(|w| w.transform_point3(target.offset.as_vec3()).as_dvec3());
        Target { position: at.or(target.position), ..known }
    }

    /// Moves the target to a world position. The axis and snapping, which are aids for the pointer, do not apply. A
    /// pointer that moves afterwards drags on the plane through this position.
    pub(in crate::viewer) fn move_to(&mut self, position: DVec3) {
        (self.plane, self.moved) = (position.as_vec3() + self.lever, true);
        self.target.position = Some(position);
        self.set_depth(None);
        self.move_others();
    }

    /// Moves the plane away from the camera.
    pub(in crate::viewer) fn push(&mut self, steps: f32, size: Vec2, camera: &Camera, step: f32) {
        let by = PUSH_STEP * steps.clamp(-10.0, 10.0);
        let pushed = match camera.projection {
            Projection::Perspective { .. } => camera.position + (self.plane - camera.position) * (1.0 + by),
            // The distance of an orthographic camera is arbitrary.
            Projection::Orthographic { height } => self.plane + camera.direction() * (height * by),
        };
        if pushed.is_finite() {
            // From now on the depth is known.
            (self.plane, self.is_pushed) = (pushed, true);
        }
        self.follow(self.pointer, size, camera, step);
    }

    /// Updates the target after the axis or snapping has changed.
    pub(in crate::viewer) fn refresh(&mut self, size: Vec2, camera: &Camera, step: f32) {
        self.follow(self.pointer, size, camera, step);
    }
}

/// Returns the base of the chain that contains the hit node or, if none does, its nearest ancestor that is in a chain.
pub(in crate::viewer) fn chain_base(character: &Character, rig: &Rig, hit: &Hit) -> Option<usize> {
    let own = character.skeleton.ancestors(hit.node).find_map(|node| {
        // A joint inside the chain can rotate about the base. The base's own rotation moves a hit point only if the
        // point is not at its origin.
        let is_beside = node != hit.node || !hit.handle;
        let contains = |c: &&crate::rig::Chain| c.joints.contains(&node) && (node != c.base || is_beside);
        let inside = rig.chains.iter().filter(contains).max_by_key(|c| node != c.base);
        inside.map(|c| c.base)
    });
    own.filter(|&b| b != default_base(character, hit.node) || b != hit.node)
}

/// Returns the nearest joint at or above a hit that can turn the hit point, which must not lie on its origin or its axis. `None` if
/// there is none below the hips, because they carry the whole body.
pub(in crate::viewer) fn joint_above(hit: &Hit, puppet: &Puppet) -> Option<usize> {
    let (character, rig) = (puppet.character(), &puppet.rig);
    let skeleton = &character.skeleton;
    let mut skinned = vec![false; skeleton.nodes.len()];
    for &node in character.skins.iter().flat_map(|skin| &skin.joints) {
        if let Some(slot) = skinned.get_mut(node) {
            *slot = true;
        }
    }
    let is_in_skin = |node: usize| skinned.get(node).copied().unwrap_or_default();
    let needs_skin = is_in_skin(hit.node);
    let position = |node: usize| puppet.world_from_node().get(node).map(|m| Vec3::from(m.translation));
    let root = default_base(character, hit.node);
    let min_lever = MIN_LEVER * position(root)?.distance(hit.point);
    let can_turn = |node: usize| {
        let Some(at) = position(node) else { return false };
        let away = hit.point - at;
        let lever = match rig.joint(node).limit {
            Limit::Locked if puppet.options.limits => 0.0,
            Limit::Prismatic { .. } => 0.0,
            Limit::Hinge { axis, .. } if puppet.options.limits => {
                let axis = (orientation(skeleton, puppet.pose(), node) * axis).as_vec3();
                away.reject_from(axis.normalize_or(Vec3::Y)).length()
            }
            _ => away.length(),
        };
        lever > min_lever && (!needs_skin || is_in_skin(node))
    };
    let hips = rig.body.as_ref().map(|body| body.hips);
    let up = |&node: &usize| if node == root { None } else { rig.above(skeleton, node) };
    // A hit point at its joint's origin is turned by the joint above it.
    let path = std::iter::successors(Some(hit.node), up).take(skeleton.nodes.len());
    let mut path = path.skip(usize::from(hit.handle)).take_while(|&node| Some(node) != hips);
    path.find(|&node| can_turn(node))
}
