//! Damped least squares on a tree: the representation of [`crate::methods::damped`] for any body and any goals.

use glam::{DMat3, DQuat, DVec3};

use crate::damping::{HINGE_FREEDOM, lambda2};
use crate::methods::damped::{Arch, Damped, DampedProblem, is_straight, is_stretched, swing};
use crate::rotation::{BENT, any_perpendicular};
use crate::tree::{JointState, Tree, retract};
use crate::{JacobianOptions, JointParameters, Limit};

use super::apply::euler_step;
use super::{GOALS, Inverse, Jacobian};

/// The state of damped least squares on a tree. Buffers are reused by later solves.
#[derive(Clone, Debug, Default)]
pub(super) struct TreeSteps {
    pub(super) damped: Damped,
    /// For each joint in the measured pose, its state, and the matrix that transforms rotation axes from its frame to base
    /// space.
    before: Vec<(JointState, DMat3)>,
    before_root: DVec3,
    /// The step since the measured pose: rotation vectors in base space, and the translation of the base.
    turns: Vec<DVec3>,
    root_step: DVec3,
    /// λ² of a step at the measured pose, in base-space metres squared.
    damping: f64,
    /// The sum of the rotation vectors from the base to each joint, if the joint and all its ancestors are free.
    sums: Vec<Option<DVec3>>,
}

/// A tree and the state of its solve, as a [`DampedProblem`].
struct TreeProblem<'a> {
    tree: &'a mut Tree,
    jacobian: &'a mut Jacobian,
    steps: &'a mut TreeSteps,
    options: &'a JacobianOptions,
}

impl Jacobian {
    /// Returns whether damped least squares has stopped because many consecutive steps were rejected.
    pub(crate) fn is_stuck(&self) -> bool {
        self.steps.damped.is_stuck()
    }

    /// Runs one iteration of damped least squares: evaluates the last step and takes the next one.
    pub(super) fn damped_pass(&mut self, tree: &mut Tree, options: &JacobianOptions) {
        let mut steps = std::mem::take(&mut self.steps);
        let mut damped = steps.damped;
        let mut problem = TreeProblem { tree, jacobian: self, steps: &mut steps, options };
        damped.pass(&mut problem);
        steps.damped = damped;
        self.steps = steps;
    }

    /// Returns λ² of a step at the evaluated pose, in base-space metres squared.
    pub(crate) fn lambda2(&self, tree: &Tree, options: &JacobianOptions) -> f64 {
        let length = tree.length();
        match options.damping {
            Some(fraction) => (fraction * length).powi(2),
            None => lambda2(freedom(tree), self.error2(GOALS), length),
        }
    }
}

impl DampedProblem for TreeProblem<'_> {
    fn cost(&self) -> f64 {
        self.tree.measure().sum
    }

    fn is_done(&self) -> bool {
        self.tree.measure().done
    }

    fn start(&mut self) -> bool {
        let Some(chain) = TreeChain::new(self.tree) else { return false };
        if let Some(turn) = swing(chain.end, chain.target) {
            let joint = &self.tree.joints[0];
            let local = in_frame(self.tree.base_from_axes(joint), turn);
            self.tree.joints[0].rotation = (local * joint.rotation).normalize();
            self.tree.forward();
        }
        TreeChain::new(self.tree).is_some_and(|chain| {
            is_straight(chain.reach, chain.end, chain.target) && chain.bend_into_arc(self.tree)
        })
    }

    fn arch(&mut self) -> bool {
        TreeChain::new(self.tree)
            .is_some_and(|chain| is_stretched(chain.reach, chain.target) && chain.bend_into_arc(self.tree))
    }

    fn measure(&mut self) {
        let Self { tree, jacobian, steps, options, .. } = self;
        steps.before.clear();
        steps.before.extend(tree.joints.iter().map(|j| (j.state(), tree.base_from_axes(j))));
        steps.before_root = tree.root;
        jacobian.select_balance(tree, options);
        jacobian.evaluate(tree, options.clamp * tree.length());
        steps.damping = jacobian.lambda2(tree, options);
    }

    fn step(&mut self, boost: f64, again: bool) {
        let Self { tree, jacobian, steps, options } = self;
        if again {
            jacobian.evaluate(tree, options.clamp * tree.length());
            jacobian.pull.fill(DVec3::ZERO);
        } else {
            jacobian.set_freedom(tree, options.parameters);
            jacobian.secondary(tree, options);
            steps.turns.clear();
            steps.turns.resize(tree.joints.len(), DVec3::ZERO);
            steps.root_step = DVec3::ZERO;
        }
        jacobian.boost = boost;
        jacobian.solve(tree, Inverse::Damped(boost * steps.damping));
        steps.turns.iter_mut().zip(&jacobian.turns).for_each(|(sum, turn)| *sum += *turn);
        steps.root_step += jacobian.root_step;
        steps.apply(tree, options.parameters, jacobian.root_weight > 0.0);
    }

    fn accept(&mut self) {}

    fn reject(&mut self) {
        for (joint, (state, _)) in self.tree.joints.iter_mut().zip(&self.steps.before) {
            joint.set_state(*state);
        }
        self.tree.root = self.steps.before_root;
        self.tree.forward();
    }
}

impl TreeSteps {
    /// Turns and displaces the joints from the measured pose within their limits, and moves the base.
    ///
    /// If a joint and all its ancestors are free, the joint turns in base space by the sum of the rotation vectors from
    /// the base to the joint, as in a free chain. Any other joint turns in its frame by its own rotation vector, so
    /// that a limit or a hinge changes only its own step.
    fn apply(&mut self, tree: &mut Tree, parameters: JointParameters, moves_root: bool) {
        self.sums.clear();
        for (index, turn) in self.turns.iter().enumerate() {
            let joint = &tree.joints[index];
            let above = joint.parent.map_or(Some(DVec3::ZERO), |p| self.sums[p]);
            let is_plain = joint.limit == Limit::Free && parameters == JointParameters::RotationVector;
            let above = above.filter(|_| is_plain);
            self.sums.push(above.map(|above| above + *turn));
            let (JointState { rotation, displacement }, base_from_axes) = self.before[index];
            if joint.prismatic.is_some() {
                tree.joints[index].slide_by(displacement, base_from_axes.transpose_mul_vec3(*turn));
                continue;
            }
            if let Some(hinge) = &joint.hinge {
                let turn = base_from_axes.transpose_mul_vec3(*turn).dot(hinge.axis);
                tree.joints[index].rotation = hinge.retracted(rotation, turn);
                continue;
            }
            let euler = parameters == JointParameters::Euler;
            let requested = match above {
                Some(above) => {
                    in_frame(base_from_axes, retract(above).conjugate() * retract(above + *turn)) * rotation
                }
                None if euler => euler_step(rotation, base_from_axes.transpose_mul_vec3(*turn)),
                None => retract(base_from_axes.transpose_mul_vec3(*turn)) * rotation,
            };
            tree.joints[index].rotation = joint.allowed(requested.normalize());
        }
        if moves_root {
            tree.root = self.before_root + self.root_step;
        }
        tree.forward();
    }
}

/// Returns the largest number of joints that move a single effector. Each joint counts with its weight, but a hinge or a prismatic joint
/// counts with [`HINGE_FREEDOM`] of its weight.
pub(super) fn freedom(tree: &Tree) -> f64 {
    let of = |joint: usize| {
        let joint = &tree.joints[joint];
        joint.weight * if joint.only_axis().is_some() { HINGE_FREEDOM } else { 1.0 }
    };
    (0..tree.tasks.len()).map(|task| tree.above(task).map(of).sum()).fold(0.0, f64::max)
}

/// Converts a rotation from base space to a joint's frame.
fn in_frame(base_from_axes: DMat3, turn: DQuat) -> DQuat {
    DQuat::from_vec4(base_from_axes.transpose_mul_vec3(turn.xyz()).extend(turn.w))
}

/// Returns whether a tree is a chain of free joints of weight one, with a target position for its end as the only goal. If such a chain is
/// straight, damped least squares bends it before the first step.
pub(crate) fn is_free_chain(tree: &Tree) -> bool {
    TreeChain::new(tree).is_some()
}

/// A tree that is a chain of free joints of weight one, with a target position for its end as the only goal.
struct TreeChain {
    reach: f64,
    /// The current and the desired position of the end relative to the base.
    end: DVec3,
    target: DVec3,
}

impl TreeChain {
    fn new(tree: &Tree) -> Option<Self> {
        let [task] = &tree.tasks[..] else { return None };
        let first = tree.joints.first().filter(|_| tree.rigid && !tree.root_moves)?;
        let is_position = task.orientation.is_none() && task.aim.is_none() && task.pole.is_none();
        let is_position = is_position && task.position_term.axes.is_none();
        #[expect(clippy::float_cmp, reason = "set, not computed")]
        let is_free = tree.joints.iter().all(|j| j.limit == Limit::Free && j.weight == 1.0);
        let (end, target) = (task.position - first.position, task.target? - first.position);
        let chain = Self { reach: tree.lengths(0).sum, end, target };
        (is_position && is_free && tree.joints.len() > 1).then_some(chain)
    }

    /// Bends the chain into a circular arc from the base to the target. Returns whether the chain was bent.
    fn bend_into_arc(&self, tree: &mut Tree) -> bool {
        let first = &tree.joints[0];
        let bend = tree.base_from_axes(first) * (first.rotation * rest_bend(tree));
        let Some(mut arch) = Arch::new(self.reach, self.end, self.target, bend) else { return false };
        let mut above = DQuat::IDENTITY;
        for index in 0..tree.joints.len() {
            let joint = &tree.joints[index];
            let next = tree.joints.get(index + 1).map_or(tree.tasks[0].position, |next| next.position);
            let link = next - joint.position;
            let (_, turn) = arch.lay(link, link.length());
            let local = in_frame(tree.base_from_axes(joint), above.conjugate() * turn);
            tree.joints[index].rotation = (local * joint.rotation).normalize();
            above = turn;
        }
        tree.forward();
        true
    }
}

/// Returns the axis about which the rest pose of a chain bends, in the turned frame of its first joint. For a straight
/// rest pose, the axis is perpendicular to the first link.
fn rest_bend(tree: &Tree) -> DVec3 {
    let (mut turned, mut before) = (DMat3::IDENTITY, DVec3::ZERO);
    let (mut normal, mut longest, mut first) = (DVec3::ZERO, 0.0_f64, DVec3::Y);
    for (index, joint) in tree.joints.iter().enumerate() {
        if index > 0 {
            turned *= joint.fixed_linear() * DMat3::from_quat(joint.rest);
        }
        let local = tree.joints.get(index + 1).map_or(tree.tasks[0].local, |_| tree.local(index + 1));
        let link = turned * local;
        normal += before.cross(link);
        (longest, before) = (longest.max(link.length()), link);
        if index == 0 {
            first = local;
        }
    }
    let bent = normal.length() > BENT * longest * longest;
    if bent { normal.normalize() } else { any_perpendicular(first) }
}
