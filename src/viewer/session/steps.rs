//! Step mode: shows the steps of the last solve one by one.
//!
//! The IK problem of the last drag, or of the kept goals, is solved again from the pose before that drag. The puppet shows the pose after a
//! number of steps of this solve. Nothing else in the session changes, so leaving step mode restores the solved pose.

use crate::Command;
use crate::asset::Skeleton;
use crate::ik::Method;
use crate::pose::Pose;
use crate::puppet::{NodeStep, Pin, Puppet, PuppetError, SolveTrace, Target};

use super::gizmo::GizmoGrip;
use super::picking::Picture;
use crate::document::{Document, SolveProblem, set_pose_values};

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
        let SolveProblem { nodes, mut targets, mut pins, whole_body } = data;
        let mut before = Pose::rest(skeleton);
        let count = before.locals.len();
        set_pose_values(&mut before, &nodes, &[]);
        let is_weight = |weight: f64| weight.is_finite() && weight >= 0.0;
        targets.retain(|t| t.node < count && t.base.is_none_or(|b| b < count) && is_weight(t.weight));
        pins.retain(|p| p.node < count);
        Self { before, targets, pins, whole_body }
    }
}

/// The last solve, and the step mode if it is on.
#[derive(Debug, Default)]
pub(super) struct Steps {
    /// The IK problem of the last solve.
    pub(super) problem: Option<Problem>,
    stepping: Option<Stepping>,
}

/// The state of step mode.
#[derive(Debug)]
struct Stepping {
    /// The puppet with the solved pose.
    solved: Box<Puppet>,
    /// Number of steps in the displayed pose.
    shown: usize,
}

impl Steps {
    pub(super) fn is_on(&self) -> bool {
        self.stepping.is_some()
    }

    /// Returns the number of steps in the displayed pose. `None` if step mode is off.
    pub(super) fn shown(&self) -> Option<usize> {
        self.stepping.as_ref().map(|stepping| stepping.shown)
    }

    /// Returns whether there is a solve whose steps can be shown.
    pub(super) fn can_start(&self) -> bool {
        self.problem.as_ref().is_some_and(|problem| !problem.targets.is_empty())
    }

    /// Returns the last step of the displayed pose. `None` before the first step, or if step mode is off.
    pub(super) fn last_shown<'a>(&self, puppet: &'a Puppet) -> Option<(&'a SolveTrace, &'a NodeStep)> {
        puppet.steps().nth(self.shown()?.checked_sub(1)?)
    }

    /// Stores the problem that the puppet is about to solve. `before` is the pose before the drag. If there is no drag, only the kept goals
    /// have changed, so the problem still starts in the pose before the last drag.
    pub(super) fn note(&mut self, puppet: &Puppet, document: &Document, before: Option<&Pose>) {
        let empty = || Problem {
            before: document.scene.held.clone(),
            targets: Vec::new(),
            pins: Vec::new(),
            whole_body: false,
        };
        let problem = self.problem.get_or_insert_with(empty);
        if let Some(before) = before {
            problem.before.clone_from(before);
        }
        problem.targets.clone_from(&puppet.targets);
        problem.pins.clone_from(&puppet.pins);
        problem.whole_body = puppet.options.solver.method != document.settings.solver.method;
    }

    /// Turns step mode on. Returns false if there is nothing to show.
    ///
    /// # Errors
    /// [`PuppetError`] if the problem cannot be solved.
    pub(super) fn start(&mut self, puppet: &mut Puppet, document: &Document) -> Result<bool, PuppetError> {
        let Some(problem) = self.problem.as_ref().filter(|_| self.can_start()) else { return Ok(false) };
        let solved = Box::new(puppet.clone());
        let weights = document.scene.held.weights.clone();
        puppet.held = Some(Pose { weights, ..problem.before.clone() });
        puppet.targets.clone_from(&problem.targets);
        puppet.pins.clone_from(&problem.pins);
        puppet.rotations.clear();
        puppet.options.solver = *document.settings.solver;
        if problem.whole_body {
            puppet.options.solver.method = Method::FullBody;
        }
        if !matches!(puppet.options.solver.method, Method::Auto | Method::FullBody) {
            puppet.targets.iter_mut().for_each(|target| *target = target.with_known_depth());
        }
        self.stepping = Some(Stepping { solved, shown: 0 });
        self.show(puppet, 0)?;
        Ok(true)
    }

    /// Shows the pose after `shown` steps, or after all steps if there are fewer.
    ///
    /// # Errors
    /// [`PuppetError`] if the problem cannot be solved. Step mode is then off.
    pub(super) fn show(&mut self, puppet: &mut Puppet, shown: usize) -> Result<(), PuppetError> {
        let shown = shown.min(puppet.steps().count());
        puppet.options.shown_steps = Some(shown);
        // Do not continue from the last solve, so that the same problem always has the same steps.
        puppet.reset_solver();
        if let Err(error) = puppet.update() {
            self.leave(puppet);
            return Err(error);
        }
        self.stepping.iter_mut().for_each(|stepping| stepping.shown = shown);
        Ok(())
    }

    /// Turns step mode off and shows the solved pose. Returns false if it was off.
    pub(super) fn leave(&mut self, puppet: &mut Puppet) -> bool {
        let stepping = self.stepping.take();
        let was_on = stepping.is_some();
        stepping.into_iter().for_each(|stepping| *puppet = *stepping.solved);
        was_on
    }
}

/// Returns whether step mode ends before a command, and whether it resumes after the command with the steps of the changed problem. Only
/// commands that change no more than the view do not end it.
pub(super) fn interrupted_by(command: &Command, picture: &Picture<'_>) -> (bool, bool) {
    use Command::*;
    let touches = |at| GizmoGrip::under(picture, at).is_some() || picture.under(at).is_some();
    match command {
        Solver(_) | Style(_) | StoreOptions | KeepGoals(_) | Compare(_) | Skinning(_) => (true, true),
        Grab(at) => (touches(*at), false),
        GrabNode(point) => (picture.puppet.world_from_node().len() > point.node, false),
        Center(at) => (GizmoGrip::under(picture, *at).is_some(), false),
        // These commands have no effect without a drag.
        Drag(_) | DragTo(_) | Push(_) | Constrain(_) | Snap(_) | CurrentScope(_) | Release | Cancel => {
            (false, false)
        }
        Step(_) | Resize(_) | Hover(_) | Orbit(_) | Pan(_) | Zoom(..) | FrameAll | Framing(_) | Select(_)
        | SelectAdd(_) | SelectRemove(_) | Symmetry(_) | AutoKey(_) | Highlight(_) | RingMode(_)
        | ShowLimits(_) | Landing(_) | Tool(_) | DragScope(_) | Scale(_) | ShadingMode(_) | Variant(_)
        | Display(_) | Light(_) | OnionSkin(_) | Timeline(_) | Springs(_) | LookAt(_) | Camera(_)
        | Tick(_) => (false, false),
        _ => (true, false),
    }
}
