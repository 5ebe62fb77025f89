//! The drag in progress, of a joint or of a part of the gizmo, and what drags leave behind.

use glam::{DVec3, Quat, Vec3};

use crate::document::{Document, Scene, Selection};
use crate::ik::Method;
use crate::motion::Motion;
use crate::pose::Pose;
use crate::puppet::{Pin, Puppet, Target};
use crate::scene::picking::Hit;

use super::contacts::LaidLimbs;
use super::drag::Drag;
use super::gizmo::GizmoDrag;
use super::place::position;
use super::symmetry::Reflection;

/// Maximum number of other joints that a drag pulls.
const MAX_OTHERS: usize = 31;
/// Maximum number of points of the dragged effector's trail.
const MAX_TRAIL_POINTS: usize = 96;

/// The drag in progress. At most one of `joint` and `gizmo` is present.
#[derive(Debug, Default)]
pub(crate) struct Drags {
    /// The drag of a joint.
    pub(crate) joint: Option<Drag>,
    /// The drag of a part of the gizmo.
    pub(crate) gizmo: Option<GizmoDrag>,
    /// The mirror of the drag, if drags are symmetric and the body is recognised.
    reflection: Option<Box<Reflection>>,
    /// The last positions of the dragged point in world metres.
    pub(super) trail: Vec<Vec3>,
    laid: LaidLimbs,
}

impl Drags {
    pub(super) fn is_active(&self) -> bool {
        self.joint.is_some() || self.gizmo.is_some()
    }

    /// Returns whether the drag has changed the pose.
    pub(super) fn has_posed(&self) -> bool {
        self.joint.as_ref().is_some_and(|drag| drag.moved)
            || self.gizmo.as_ref().is_some_and(GizmoDrag::turns)
    }

    /// Ends the drag without a goal. Returns the state before it.
    pub(super) fn take_before(&mut self) -> Option<Scene> {
        self.trail.clear();
        let gizmo = self.gizmo.take().map(|drag| drag.before);
        self.joint.take().map(|drag| drag.before).or(gizmo)
    }

    /// Returns the held pose before a drag that solves for a target.
    pub(super) fn pose_before(&self) -> Option<&Pose> {
        let turned = self.gizmo.as_ref().filter(|drag| drag.target().is_some());
        let dragged = self.joint.as_ref().map(|drag| &drag.before);
        dragged.or(turned.map(|drag| &drag.before)).map(|before| &before.held)
    }

    /// Adds the other topmost selected joints to the drag of a joint.
    pub(super) fn grab_others(&mut self, puppet: &Puppet, selection: &Selection) {
        let Some(drag) = &mut self.joint else { return };
        let topmost = selection.topmost(&puppet.character().skeleton);
        let nodes = topmost.into_iter().filter(|&node| node != drag.hit.node);
        let hit = |node: usize| {
            let point = position(puppet, node).filter(|point| point.is_finite())?;
            Some(Hit { node, point, offset: DVec3::ZERO, handle: true })
        };
        let others: Vec<Hit> = nodes.filter_map(hit).take(MAX_OTHERS).collect();
        drag.set_others(&others, puppet);
    }

    /// Prepares the mirror of a drag that starts in the current pose.
    pub(super) fn begin_reflection(&mut self, puppet: &Puppet, symmetry: bool) {
        self.reflection = if symmetry { Reflection::new(puppet).map(Box::new) } else { None };
    }

    /// Returns the target of the counterpart of a dragged node, unless the counterpart is pinned.
    pub(super) fn reflected(&self, puppet: &Puppet, scene: &Scene, target: &Target) -> Option<Target> {
        let other = self.reflection.as_ref()?.target(&puppet.character().skeleton, target)?;
        (!scene.is_pinned(other.node)).then_some(other)
    }

    /// Stores the goals of a drag, and the goal of the counterpart of its target, if goals are kept. Goal keys would pull a dragged joint
    /// back, so such a joint always keeps its goal.
    pub(super) fn keep_goals(
        &self,
        puppet: &Puppet,
        document: &mut Document,
        mut goals: Vec<Target>,
        target: &Target,
    ) {
        goals.extend(self.reflected(puppet, &document.scene, target));
        for goal in goals {
            if document.settings.keep_goals || document.scene.has_goal_key(goal.node, puppet.time) {
                document.scene.store_goal(goal);
            }
        }
    }

    /// Prepares the landing of the drag of a joint in the current pose.
    pub(super) fn prepare_landing(&mut self, puppet: &Puppet) {
        if let Some(drag) = &mut self.joint {
            let partner = self.reflection.as_ref().and_then(|mirror| mirror.partner(drag.hit.node));
            drag.prepare_landing(puppet, partner);
        }
    }

    /// Returns the local rotations of the joints that a ring of the gizmo turns individually.
    pub(super) fn rotations(&self, puppet: &Puppet, limits: bool) -> Vec<(usize, Quat)> {
        let rotations = |drag: &GizmoDrag| drag.rotations(puppet, limits, self.reflection.as_deref());
        self.gizmo.as_ref().map_or_else(Vec::new, rotations)
    }

    /// Adds the position of the dragged point to the trail.
    pub(super) fn extend_trail(&mut self, puppet: &Puppet) {
        if let Some(point) = self.joint.as_ref().and_then(|drag| drag.point(puppet)) {
            self.trail.push(point);
            if self.trail.len() > MAX_TRAIL_POINTS {
                self.trail.remove(0);
            }
        }
    }

    /// Records where the drag has placed a hand or foot, or that the drag has moved it away.
    pub(super) fn note_laid(&mut self, puppet: &Puppet) {
        if let Some(drag) = &self.joint {
            self.laid.note(puppet, drag);
        }
    }

    /// Returns the motion with contacts that keep hands and feet where drags have placed them.
    pub(super) fn with_laid(&mut self, puppet: &Puppet, mut motion: Motion) -> Motion {
        self.note_laid(puppet);
        self.laid.keep(puppet, &mut motion);
        motion
    }

    /// Returns the nodes held by the drag and the goals, sorted.
    pub(super) fn held_nodes(&self, puppet: &Puppet, scene: &Scene) -> Vec<usize> {
        let mut nodes: Vec<usize> = scene.goals.iter().map(|goal| goal.node).collect();
        for drag in self.joint.iter().filter(|drag| drag.moved) {
            nodes.extend(drag.others.iter().map(|(_, other)| other.node).chain([drag.target.node]));
            nodes.extend(self.reflected(puppet, scene, &drag.target).map(|other| other.node));
        }
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Returns the kept goals, and the goal of the drag of a joint once the pointer has moved.
    pub(super) fn goals(&self, puppet: &Puppet, scene: &Scene) -> Vec<Target> {
        let moved = self.joint.as_ref().filter(|drag| drag.moved);
        self.targets_and_pins(puppet, scene, moved.map(Drag::target_and_pins)).0
    }

    /// Sets the goals and the solver's options of a puppet to those of a document and of the drag.
    pub(super) fn set_goals(&self, puppet: &mut Puppet, document: &Document) {
        let (scene, settings) = (&document.scene, &document.settings);
        puppet.held = Some(scene.held.clone());
        puppet.options.solver = *settings.solver;
        let drag = self.joint.as_ref().filter(|_| puppet.is_posed_by_hand());
        // Copy the stance only if it has changed, because copying it in each frame would take longer than the solve.
        match drag.map(|drag| &drag.before.held) {
            stance if puppet.stance.as_ref() == stance => {}
            stance => puppet.stance = stance.cloned(),
        }
        let held = self.joint.as_ref().map(Drag::target_and_pins);
        let (targets, pins) = self.targets_and_pins(puppet, scene, held);
        if self.joint.as_ref().is_some_and(|drag| drag.moves_root) {
            puppet.options.solver.method = Method::FullBody;
            puppet.options.solver.textbook = false;
        }
        puppet.rotations = self.rotations(puppet, settings.solver.limits);
        (puppet.targets, puppet.pins) = (targets, pins);
        if !puppet.is_posed_by_hand() {
            // The result must depend on the clip's pose and the goals, but not on the number of earlier frames.
            puppet.reset_solver();
        }
        puppet.options.looping = settings.looping;
    }

    /// Returns all goals and pins of a scene, including those of the drag of a part of the gizmo, and of `held`, which is the drag of a
    /// joint. There are no pins if there are no goals.
    pub(super) fn targets_and_pins(
        &self,
        puppet: &Puppet,
        scene: &Scene,
        held: Option<(Target, &[Pin])>,
    ) -> (Vec<Target>, Vec<Pin>) {
        let mut targets: Vec<Target> = scene.goals.clone();
        let mut pins = scene.pins.clone();
        let add_reflected = |target: &Target, targets: &mut Vec<Target>| {
            // The counterpart's goal is replaced.
            if let Some(other) = self.reflected(puppet, scene, target) {
                targets.retain(|t| t.node != other.node);
                targets.push(other);
            }
        };
        if let Some((target, own)) = held {
            targets.retain(|t| t.node != target.node);
            targets.push(target);
            pins.extend(own.iter().filter(|p| !scene.is_pinned(p.node)));
            pins.retain(|p| p.node != target.node);
            add_reflected(&target, &mut targets);
            for (_, other) in self.joint.iter().flat_map(|drag| &drag.others) {
                targets.retain(|t| t.node != other.node);
                targets.push(*other);
                pins.retain(|p| p.node != other.node);
            }
            let turns_joint = self.joint.as_ref().is_some_and(|drag| drag.turns_joint);
            if turns_joint && targets.iter().all(|t| t.base.is_some() || t.position.is_none()) {
                // The dragged joint moves only its descendants, whether they are pinned or not.
                pins.clear();
            }
        }
        if let Some(target) = self.gizmo.as_ref().and_then(GizmoDrag::target) {
            targets.retain(|t| t.node != target.node);
            targets.push(target);
            pins.retain(|p| p.node != target.node);
            add_reflected(&target, &mut targets);
        }
        if let Some(drag) = &self.gizmo {
            // Only descendants of the turned joints can move. A pin elsewhere would make the whole body follow.
            let is_free = |t: &Target| !targets.iter().any(|other| other.node == t.node);
            let pinned = drag.pinned_targets(puppet, scene, self.reflection.as_deref());
            let pinned: Vec<Target> = pinned.into_iter().filter(is_free).collect();
            targets.extend(pinned);
            if targets.iter().all(|t| t.base.is_some() || t.position.is_none()) {
                pins.clear();
            }
        }
        if targets.is_empty() {
            pins.clear();
        }
        if pulls_body(puppet, &targets, held.map(|(target, _)| target.node)) {
            targets.iter_mut().for_each(|t| t.base = None);
        }
        (targets, pins)
    }
}

/// Returns whether the whole body follows all targets, because it is pulled by the dragged node or by a goal for the hips. In this case,
/// goals that moved only their limbs when they were set also move the body.
fn pulls_body(puppet: &Puppet, targets: &[Target], dragged: Option<usize>) -> bool {
    let Some(body) = &puppet.rig.body else { return false };
    let pulls = |t: &Target| {
        let is_strong = Some(t.node) == dragged || t.node == body.hips;
        is_strong && t.base.is_none() && puppet.moves_whole_body(t.node)
    };
    targets.iter().any(pulls) && targets.iter().all(|t| t.position.is_some())
}
