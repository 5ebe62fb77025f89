//! Cyclic coordinate descent as described in the founding documents: TMPS 2009, "CCD-IK and Particle-IK", figures 3 and
//! 4; the planar form of the Korean notes based on Welman 1993; MikuMikuDance (MMD) CCD from the notes of 2020; and the
//! lecture of Oshita 2021, ω = l × Δp.

use glam::{DQuat, DVec3};

use crate::methods::ccd::partial_turn;
use crate::rotation::{rotation_vector, wrapped};
use crate::tree::{Tree, TreeJoint};
use crate::{CcdOptions, Limit};

use super::{child_local, planar_axis, signed_angle};

/// Turns up to this angle, in radians, are skipped (TMPS and the notes of 2020).
const SKIPPED: f64 = 1e-5;
/// Maximum sine of the angle between opposite vectors. It allows for rounding errors in single-precision files.
const OPPOSITE: f64 = 1e-7;

/// The document that a solve follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// The arc between the two vectors. Stops if the error before the last turn of a pass is within tolerance.
    #[default]
    Tmps,
    /// Angles in a plane. Stops before the next joint as soon as the end is within tolerance, and stretches the chain
    /// towards a target that is out of reach.
    Planar,
    /// Like TMPS, but stops if a pass does not reduce the error. In the first pass, a hinge that would leave its limit turns to the mirror
    /// image of the invalid angle.
    Mmd,
    /// The rotation vector ω = l × Δp. Stops if the error after a pass is within tolerance.
    Lecture,
}

impl Form {
    /// Returns the document for a chain and options: [`CcdOptions::early_stop`] selects MMD, [`CcdOptions::linear`]
    /// selects the lecture, and a chain of parallel hinges selects the planar form.
    pub(crate) fn of(tree: &Tree, options: &CcdOptions) -> Self {
        match () {
            () if options.early_stop => Self::Mmd,
            () if options.linear => Self::Lecture,
            () if planar_axis(tree).is_some() => Self::Planar,
            () => Self::Tmps,
        }
    }
}

/// The state of the method. Buffers are reused by later solves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ccd {
    pub(crate) form: Form,
    /// Angle by which each joint has turned, in radians.
    turned: Vec<f64>,
}

impl Ccd {
    /// Prepares for a solve.
    pub(crate) fn set(&mut self, tree: &Tree, options: &CcdOptions) {
        self.form = Form::of(tree, options);
        self.turned.clear();
        self.turned.resize(tree.joints.len(), 0.0);
    }

    /// Turns the joint at `index` so that the end moves onto the line from the joint to the target.
    pub(crate) fn turn(&mut self, tree: &mut Tree, index: usize, is_first_pass: bool, options: &CcdOptions) {
        let Some((joint, task)) = tree.joints.get(index).zip(tree.tasks.first()) else { return };
        let Some(target) = task.target else { return };
        let from = tree.to_frame(joint, task.position - joint.position);
        let to = tree.to_frame(joint, target - joint.position);
        let arc = match (self.form, joint.hinge_axis()) {
            (Form::Lecture, axis) => {
                let turn = from.cross(to - from);
                DQuat::from_scaled_axis(axis.map_or(turn, |axis| axis * axis.dot(turn)))
            }
            (Form::Planar, Some(axis)) => DQuat::from_axis_angle(axis, signed_angle(axis, from, to)),
            (_, axis) => match (angle_between(from, to), axis) {
                (angle, _) if angle <= SKIPPED => return,
                (angle, Some(axis)) => nearer_sign(axis, angle, from, to),
                (angle, None) => {
                    let cross = from.cross(to);
                    // Opposite vectors define no axis.
                    if cross.length() <= OPPOSITE * from.length() * to.length() {
                        return;
                    }
                    DQuat::from_axis_angle(cross.normalize(), angle)
                }
            },
        };
        let left = options.budget.min(joint.ccd_budget) - self.turned.get(index).copied().unwrap_or(0.0);
        let arc = self.capped(arc, tree.joints.len() - index, left, joint, options);
        let arc = match joint.hinge_axis() {
            Some(axis) if self.form == Form::Mmd && is_first_pass => mirrored(joint, axis, arc),
            _ => arc,
        };
        let requested = (arc * joint.rotation).normalize();
        let rotation = if joint.limit == Limit::Free { requested } else { joint.allowed(requested) };
        if let Some(turned) = self.turned.get_mut(index).filter(|_| left.is_finite()) {
            *turned += rotation_vector(rotation * joint.rotation.conjugate()).length();
        }
        if let Some(joint) = tree.joints.get_mut(index) {
            joint.rotation = rotation;
        }
        tree.forward();
    }

    /// Multiplies a turn by the weight of a joint, and limits it to the joint's maximum angles. `place` is the joint's
    /// number, counted from the tip.
    fn capped(&self, arc: DQuat, place: usize, left: f64, joint: &TreeJoint, options: &CcdOptions) -> DQuat {
        let is_whole = options.step.is_infinite()
            && left.is_infinite()
            && options.factor() == 1.0
            && joint.weight >= 1.0;
        if is_whole { arc } else { partial_turn(arc, joint.weight, place, left, options) }
    }
}

/// Stretches a planar chain towards its target, as far as the limits allow.
pub(crate) fn stretch(tree: &mut Tree) {
    for index in 0..tree.joints.len() {
        tree.forward_joint(index);
        let Some((joint, task)) = tree.joints.get(index).zip(tree.tasks.first()) else { return };
        let (Some(target), Some(axis)) = (task.target, joint.hinge_axis()) else { return };
        let to = tree.to_frame(joint, target - joint.position);
        let angle = signed_angle(axis, joint.turn(child_local(tree, index)), to);
        let rotation = joint.allowed((DQuat::from_axis_angle(axis, angle) * joint.rotation).normalize());
        if let Some(joint) = tree.joints.get_mut(index) {
            joint.rotation = rotation;
        }
        tree.forward_joint(index);
    }
    tree.forward();
}

/// Returns the turn of a hinge to the mirror image of its angle, if the angle after `arc` is beyond the limit and its mirror image is not.
/// A straight knee then bends in the direction that its limit allows.
fn mirrored(joint: &TreeJoint, axis: DVec3, arc: DQuat) -> DQuat {
    let Limit::Hinge { axis: own_axis, min, max } = joint.limit else { return arc };
    let angle_of = |rotation: DQuat| {
        let own = joint.own_rotation(rotation);
        wrapped(2.0 * own.xyz().dot(own_axis).atan2(own.w))
    };
    let (now, wanted) = (angle_of(joint.rotation), angle_of((arc * joint.rotation).normalize()));
    let range = min..=max;
    if range.contains(&wanted) || !range.contains(&-wanted) {
        return arc;
    }
    // The rotation of a link that leads to its parent is inverted.
    let turn = if joint.reversed() { now + wanted } else { -wanted - now };
    DQuat::from_axis_angle(axis, turn)
}

/// Returns the angle between two vectors in radians: the inverse cosine of the dot product of the unit vectors.
fn angle_between(from: DVec3, to: DVec3) -> f64 {
    let (Some(from), Some(to)) = (from.try_normalize(), to.try_normalize()) else { return 0.0 };
    from.dot(to).clamp(-1.0, 1.0).acos()
}

/// Returns the turn about a fixed axis, by +angle or −angle, that brings the end nearer to the target.
fn nearer_sign(axis: DVec3, angle: f64, from: DVec3, to: DVec3) -> DQuat {
    let [plus, minus] = [angle, -angle].map(|angle| DQuat::from_axis_angle(axis, angle));
    if (plus * from).distance_squared(to) <= (minus * from).distance_squared(to) { plus } else { minus }
}
