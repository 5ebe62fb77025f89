//! Step mode: shows the steps of the last solve one by one.
//!
//! The IK problem of the last drag, or of the kept goals, is solved again from the pose before that drag. The puppet shows the pose after a
//! number of steps of this solve. Nothing else in the session changes, so leaving step mode restores the solved pose.

use crate::Command;
use crate::asset::Skeleton;
use crate::ik::Method;
use crate::pose::Pose;
use crate::puppet::{NodeStep, Pin, Puppet, SolveTrace, Target};

use super::gizmo::GizmoGrip;
use super::{Clock, Session};
use crate::document::{SolveProblem, is_valid};

/// The IK problem of the last solve, with the pose before the solve.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Problem {
    /// The held pose at the start of the drag. Its morph weights are not used.
    before: Pose,
    targets: Vec<Target>,
    pins: Vec<Pin>,
    /// Whether the root moves, because no ancestor of the dragged joint can move.
    whole_body: bool,
}

impl Problem {
    pub(super) fn to_data(&self, skeleton: &Skeleton) -> SolveProblem {
        let locals = self.before.locals.iter().zip(&skeleton.nodes).enumerate();
        let moved = locals.filter(|(_, (before, node))| **before != node.rest);
        SolveProblem {
            nodes: moved.map(|(node, (before, _))| (node, *before)).collect(),
            targets: self.targets.clone(),
            pins: self.pins.clone(),
            whole_body: self.whole_body,
        }
    }

    /// Creates the problem from data. Invalid transforms and unknown nodes are ignored.
    pub(super) fn from_data(data: SolveProblem, skeleton: &Skeleton) -> Self {
        let mut before = Pose::rest(skeleton);
        let count = before.locals.len();
        for (node, transform) in data.nodes.into_iter().filter(|(_, t)| is_valid(t)) {
            if let Some(local) = before.locals.get_mut(node) {
                *local = transform;
            }
        }
        let SolveProblem { mut targets, mut pins, whole_body, .. } = data;
        let is_weight = |weight: f64| weight.is_finite() && weight >= 0.0;
        targets.retain(|t| t.node < count && t.base.is_none_or(|b| b < count) && is_weight(t.weight));
        pins.retain(|p| p.node < count);
        Self { before, targets, pins, whole_body }
    }
}

/// The state of step mode.
#[derive(Debug)]
pub(super) struct Stepping {
    /// The puppet with the solved pose.
    solved: Box<Puppet>,
    /// Number of steps in the displayed pose.
    shown: usize,
}

impl Session {
    /// Returns whether there is a solve whose steps can be shown.
    pub fn can_step(&self) -> bool {
        self.problem.as_ref().is_some_and(|problem| !problem.targets.is_empty())
    }

    /// Returns the number of steps in the displayed pose, and the total number of steps of the solve. `None` unless step mode is on.
    pub fn shown_steps(&self) -> Option<(usize, usize)> {
        self.stepping.as_ref().map(|stepping| (stepping.shown, self.puppet.steps().count()))
    }

    /// Returns the last step of the displayed pose. `None` before the first step, or if step mode is off.
    pub fn shown_step(&self) -> Option<(&SolveTrace, &NodeStep)> {
        self.puppet.steps().nth(self.stepping.as_ref()?.shown.checked_sub(1)?)
    }

    /// Stores the session's current problem, which starts in the pose before the drag. If there is no drag, only the kept goals have
    /// changed, so the problem still starts in the pose before the last drag.
    pub(super) fn note_problem(&mut self) {
        let dragged = self.drag.as_ref().map(|drag| &drag.before.held);
        let turned = self.gizmo_drag.as_ref().filter(|drag| drag.target().is_some());
        let before = dragged.or(turned.map(|drag| &drag.before.held));
        let empty = || Problem {
            before: self.document.scene.held.clone(),
            targets: Vec::new(),
            pins: Vec::new(),
            whole_body: false,
        };
        let mut problem = self.problem.take().unwrap_or_else(empty);
        if let Some(before) = before {
            problem.before.clone_from(before);
        }
        problem.targets.clone_from(&self.puppet.targets);
        problem.pins.clone_from(&self.puppet.pins);
        problem.whole_body = self.puppet.options.solver.method != self.document.settings.solver.method;
        self.problem = Some(problem);
    }

    /// Shows the pose after `shown` steps, or after all steps if there are fewer. Turns step mode on, or off if `shown` is `None`.
    pub(super) fn show_step(&mut self, shown: Option<usize>) {
        let Some(shown) = shown else { return self.leave_steps() };
        if self.stepping.is_none() && !self.enter_steps() {
            return;
        }
        let shown = shown.min(self.puppet.steps().count());
        self.puppet.options.shown_steps = Some(shown);
        // Do not continue from the last solve, so that the same problem always has the same steps.
        self.puppet.reset_solver();
        match self.puppet.update() {
            Ok(_) => self.stepping.iter_mut().for_each(|stepping| stepping.shown = shown),
            Err(error) => {
                self.leave_steps();
                self.error = Some(error.to_string());
            }
        }
    }

    /// Turns step mode on. Returns false if there is nothing to show, or if the problem cannot be solved.
    fn enter_steps(&mut self) -> bool {
        self.release();
        let Some(problem) = self.problem.as_ref().filter(|_| self.can_step()) else { return false };
        let solved = Box::new(self.puppet.clone());
        let weights = self.document.scene.held.weights.clone();
        self.puppet.held = Some(Pose { weights, ..problem.before.clone() });
        self.puppet.targets.clone_from(&problem.targets);
        self.puppet.pins.clone_from(&problem.pins);
        self.puppet.rotations.clear();
        self.puppet.options.solver = *self.document.settings.solver;
        if problem.whole_body {
            self.puppet.options.solver.method = Method::FullBody;
        }
        if !matches!(self.puppet.options.solver.method, Method::Auto | Method::FullBody) {
            self.puppet.targets.iter_mut().for_each(|target| *target = target.with_known_depth());
        }
        self.puppet.options.shown_steps = Some(0);
        self.puppet.reset_solver();
        if let Err(error) = self.puppet.update() {
            self.puppet = *solved;
            self.error = Some(error.to_string());
            return false;
        }
        self.clock = Clock { playing: false, since: (self.clock.now, self.puppet.time), ..self.clock };
        self.hover.clear();
        self.stepping = Some(Stepping { solved, shown: 0 });
        true
    }

    /// Turns step mode off and shows the solved pose.
    pub(super) fn leave_steps(&mut self) {
        if let Some(stepping) = self.stepping.take() {
            self.puppet = *stepping.solved;
            self.hover.clear();
        }
    }

    /// Leaves step mode before a command that changes more than the view. Returns the number of shown steps if, after the command, step
    /// mode must resume with the steps of the changed problem.
    pub(super) fn suspend_steps(&mut self, command: &Command) -> Option<usize> {
        let shown = self.stepping.as_ref()?.shown;
        let picture = self.picture();
        let touches = |at| GizmoGrip::under(&picture, at).is_some() || picture.under(at).is_some();
        let (leaves, returns) = match command {
            Command::Solver(_)
            | Command::Style(_)
            | Command::StoreOptions
            | Command::KeepGoals(_)
            | Command::Compare(_)
            | Command::Skinning(_) => (true, true),
            Command::Grab(at) => (touches(*at), false),
            Command::GrabNode(point) => (self.puppet.world_from_node().len() > point.node, false),
            Command::Center(at) => (GizmoGrip::under(&picture, *at).is_some(), false),
            // These commands have no effect without a drag.
            Command::Drag(_)
            | Command::DragTo(_)
            | Command::Push(_)
            | Command::Constrain(_)
            | Command::Snap(_)
            | Command::CurrentScope(_)
            | Command::Release
            | Command::Cancel => (false, false),
            Command::Step(_)
            | Command::Resize(_)
            | Command::Hover(_)
            | Command::Orbit(_)
            | Command::Pan(_)
            | Command::Zoom(..)
            | Command::FrameAll
            | Command::Framing(_)
            | Command::Select(_)
            | Command::SelectAdd(_)
            | Command::SelectRemove(_)
            | Command::Symmetry(_)
            | Command::AutoKey(_)
            | Command::Highlight(_)
            | Command::RingMode(_)
            | Command::ShowLimits(_)
            | Command::Landing(_)
            | Command::Tool(_)
            | Command::DragScope(_)
            | Command::Scale(_)
            | Command::ShadingMode(_)
            | Command::Variant(_)
            | Command::Display(_)
            | Command::Light(_)
            | Command::OnionSkin(_)
            | Command::Timeline(_)
            | Command::Springs(_)
            | Command::LookAt(_)
            | Command::Camera(_)
            | Command::Tick(_) => (false, false),
            _ => (true, false),
        };
        if leaves {
            self.leave_steps();
        }
        returns.then_some(shown)
    }
}
