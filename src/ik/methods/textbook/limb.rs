//! The analytic method for limbs as described in the lecture of Oshita 2021. The limb hangs straight down, and its middle joint bends by
//! the law of cosines. The first joint swings the end to the target and turns by the swivel, and the end turns to its orientation.

use std::f64::consts::PI;

use glam::DVec3;

use crate::methods::two_bone::{angle_to, orient};
use crate::tree::Tree;
use crate::{LimbOptions, Swivel};

use super::fused::turn;
use super::{child_local, signed_angle};

/// A step of the solution. The steps are applied in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimbStep {
    /// The limb moves to its reference pose, in which it hangs straight down.
    Hang,
    /// The middle joint bends by the law of cosines.
    Bend,
    /// The first joint turns the end to the target by the shortest arc.
    Swing,
    /// The first joint turns about the line to the target.
    Swivel,
    /// The end turns to its orientation.
    End,
}

impl LimbStep {
    pub(crate) const ALL: [Self; 5] = [Self::Hang, Self::Bend, Self::Swing, Self::Swivel, Self::End];
}

/// The limb of a tree. The first two joints of the tree are the joints of the limb.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextbookLimb {
    /// Target of the end, in base space.
    target: DVec3,
    /// Lengths of both bones.
    lengths: [f64; 2],
    /// The swivel of the pose in which the solve starts, relative to the pose without a swivel, in radians.
    current: f64,
}

impl TextbookLimb {
    /// Measures the limb, and its current swivel if the options keep it. Leaves the tree unchanged.
    pub(crate) fn new(tree: &mut Tree, options: &LimbOptions) -> Option<Self> {
        let [first, middle] = [tree.joints.first()?.position, tree.joints.get(1)?.position];
        let task = tree.tasks.first()?;
        let (end, target) = (task.position, task.target?);
        let lengths = [first.distance(middle), middle.distance(end)];
        let mut limb = Self { target, lengths, current: 0.0 };
        if options.swivel == Swivel::Keep {
            let start = [tree.joints.first()?.rotation, tree.joints.get(1)?.rotation];
            let same = Self { target: end, ..limb };
            [LimbStep::Hang, LimbStep::Bend, LimbStep::Swing]
                .into_iter()
                .for_each(|step| same.apply(tree, step, options));
            let line = (end - first).try_normalize();
            let without = tree.joints.get(1)?.position - first;
            limb.current = line.map_or(0.0, |line| signed_angle(line, without, middle - first));
            for (joint, rotation) in tree.joints.iter_mut().zip(start) {
                joint.rotation = rotation;
            }
            tree.forward();
        }
        Some(limb)
    }

    /// Applies a step of the solution.
    pub(crate) fn apply(&self, tree: &mut Tree, step: LimbStep, options: &LimbOptions) {
        match step {
            LimbStep::Hang => hang(tree),
            LimbStep::Bend => self.bend(tree),
            LimbStep::Swing => {
                let Some((first, end)) = line(tree) else { return };
                swing(tree, 0, end - first, self.target - first);
            }
            LimbStep::Swivel => {
                let Some((first, _)) = line(tree) else { return };
                let angle = match options.swivel {
                    Swivel::Keep => self.current,
                    Swivel::Standard => 0.0,
                    Swivel::Arm => angle_to(tree, self.target, DVec3::NEG_Z).unwrap_or(0.0),
                    Swivel::Leg => angle_to(tree, self.target, DVec3::Z).unwrap_or(0.0),
                    Swivel::Angle(angle) => angle,
                    Swivel::Follow { at_base, slope } => {
                        let length = (self.lengths[0] + self.lengths[1]).max(f64::MIN_POSITIVE);
                        at_base + slope.dot(self.target - first) / length
                    }
                };
                if let Some(axis) = (self.target - first).try_normalize() {
                    turn(tree, 0, axis, angle);
                }
            }
            LimbStep::End => orient(tree),
        }
    }

    /// Bends the straight limb so that the angle between both bones at the middle joint is θ = acos((l₀² + l₁² − L²) / (2 l₀ l₁)) for the
    /// distance L of the target. A distance out of range is clamped. Of the two bend directions, the method uses the one whose turn the
    /// limit changes less, or the positive one if both turns change equally.
    fn bend(&self, tree: &mut Tree) {
        let [l0, l1] = self.lengths;
        let Some((first, _)) = line(tree) else { return };
        let distance = self.target.distance(first).clamp((l0 - l1).abs(), l0 + l1);
        let inner = ((l0 * l0 + l1 * l1 - distance * distance) / (2.0 * l0 * l1)).clamp(-1.0, 1.0).acos();
        let Some(joint) = tree.joints.get(1) else { return };
        let axis = tree.axis_from_frame(joint, tree.bend_axis(1, child_local(tree, 1)));
        let start = joint.rotation;
        let bend = PI - inner;
        let away = [bend, -bend].map(|angle| {
            turn(tree, 1, axis, angle);
            let away =
                line(tree).map_or(f64::INFINITY, |(first, end)| (end.distance(first) - distance).abs());
            if let Some(joint) = tree.joints.get_mut(1) {
                joint.rotation = start;
            }
            tree.forward();
            away
        });
        // Rounding errors must not decide the direction.
        let is_negative = away[1] < away[0] - 1e-9 * (l0 + l1);
        turn(tree, 1, axis, if is_negative { -bend } else { bend });
    }
}

/// Returns the positions of the first joint and of the end.
fn line(tree: &Tree) -> Option<(DVec3, DVec3)> {
    Some((tree.joints.first()?.position, tree.tasks.first()?.position))
}

/// Makes the limb hang straight down, starting from its rest pose.
fn hang(tree: &mut Tree) {
    for joint in tree.joints.iter_mut().take(2) {
        joint.rotation = joint.allowed(joint.rest);
    }
    tree.forward();
    let down = tree.facing * DVec3::NEG_Y;
    let bone = |tree: &Tree| Some(tree.joints.get(1)?.position - tree.joints.first()?.position);
    if let Some(upper) = bone(tree) {
        swing(tree, 0, upper, down);
    }
    let lower = |tree: &Tree| Some(tree.tasks.first()?.position - tree.joints.get(1)?.position);
    if let Some((upper, lower)) = bone(tree).zip(lower(tree)) {
        match tree.joints.get(1).and_then(|joint| Some(tree.axis_from_frame(joint, joint.hinge_axis()?))) {
            Some(axis) => turn(tree, 1, axis, signed_angle(axis, lower, upper)),
            None => swing(tree, 1, lower, upper),
        }
    }
}

/// Turns a joint by the shortest arc between two vectors of base space. Opposite vectors have no such arc.
fn swing(tree: &mut Tree, index: usize, from: DVec3, to: DVec3) {
    if let Some(axis) = from.cross(to).try_normalize() {
        turn(tree, index, axis, signed_angle(axis, from, to));
    }
}
