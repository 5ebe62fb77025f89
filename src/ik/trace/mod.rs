//! The trace of a solve: all turns of all joints, in the order in which the solve made them.
//!
//! A trace leads from the body's pose before the solve to its pose after the solve. Nothing is left out: a start from another
//! pose, a step that is undone, and the return to the best pose are steps too. Applying all steps in order with [`Step::apply`]
//! therefore turns the first pose into the last one.

mod recorder;
#[cfg(test)]
mod tests;

use std::fmt;

use glam::{DQuat, DVec3};

use super::{Body, LinkIndex};

/// Sine of the maximum angle between a translation and the axis of the prismatic joint that caused it. The angle is due to rounding errors.
const PARALLEL: f64 = 1e-6;

pub(super) use recorder::{Order, Recorder, Stage};

/// Why a joint was turned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepKind {
    /// A change before the first iteration: the return to the rest pose for [`Start::Rest`](super::Start::Rest), the posture of a
    /// style, or a rotation that was brought within its limit.
    Start,
    /// An iteration of the method.
    #[default]
    Iteration,
    /// A closed-form solution, either of a limb or of a chain that is straightened towards a target out of reach.
    ClosedForm,
    /// A straight chain is bent, because no method finds a direction in which to bend it.
    Bend,
    /// A limb turns towards its pole.
    Swivel,
    /// The solve starts again from another pose, or continues an earlier start.
    Restart,
    /// Pinned goals are brought back within tolerance after the last iteration.
    Pins,
    /// The end's particle is pulled to the target, with [`Options::textbook`](super::Options::textbook). No joint turns.
    Pull,
    /// A spring between two particles is relaxed, with [`Options::textbook`](super::Options::textbook). No joint turns.
    Spring,
    /// A joint is fitted to the particles, with [`Options::textbook`](super::Options::textbook).
    Fit,
    /// The solve returns to the best pose that it has found.
    Result,
}

impl fmt::Display for StepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "start",
            Self::Iteration => "iteration",
            Self::ClosedForm => "closed-form",
            Self::Bend => "bend",
            Self::Swivel => "swivel",
            Self::Restart => "restart",
            Self::Pins => "pins",
            Self::Pull => "pull",
            Self::Spring => "spring",
            Self::Fit => "fit",
            Self::Result => "result",
        })
    }
}

/// One step of a solve: the turn of one joint, the slide of a prismatic joint, a translation of the base, or a move of
/// particles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// Why the joint was turned.
    pub kind: StepKind,
    /// Number of the start pose to which the iteration belongs: 0 for the requested pose, then the other start poses in their
    /// order. If a target is out of reach, most of the poses that are compared have no iterations.
    pub start: usize,
    /// Number of the iteration, counted from 1 over all starts. It is 0 before the first iteration.
    pub iteration: usize,
    /// Index of the link that turns or slides, or of the base that moves. For a spring, the link at its upper end.
    pub link: LinkIndex,
    /// The sign of the joint on the path from the base to the end. It is 1 if the joint turns the rest of the path. It is −1 if the path
    /// leads from the joint to its parent, so that the rotation is applied in the opposite direction (Oshita 2021, `FindJointPath`).
    pub sign: i8,
    /// Axis of the turn or direction of the translation, a unit vector in world space. The turn is the product of the
    /// link's orientation after the step and the inverse of its orientation before. Orientations are products of
    /// rotations, so that scale does not matter.
    pub axis: DVec3,
    /// Angle of the turn in radians, from 0 to π. It is 0 for a translation.
    pub angle: f64,
    /// Length of the translation in world metres. It is 0 for a turn. For [`StepKind::Pull`] and [`StepKind::Spring`], it is the
    /// distance by which the lower particle moves.
    pub distance: f64,
    /// For [`StepKind::Pull`] and [`StepKind::Spring`], the positions of the lower and upper particles after the step, in world metres.
    pub particles: Option<[DVec3; 2]>,
    /// Largest distance between a goal's point and its target position after the step, in world metres. `None` if no goal has a
    /// position. Goals of weight zero do not count. For moves of particles, the position of the end's particle is compared with
    /// the target.
    pub position_error: Option<f64>,
    /// Largest orientation or aim error of a goal after the step, in radians. `None` if no goal has an orientation or an aim.
    pub orientation_error: Option<f64>,
}

impl Step {
    /// Applies the step to a body. Does nothing if the body does not have the link, or if the step moves particles.
    ///
    /// The result is exact if the body is in the pose in which the solve made the step.
    ///
    /// ```
    /// use sinew_ik::glam::{DAffine3, DVec3};
    /// use sinew_ik::{Body, Goal, Link, LinkIndex, Options, Solver};
    ///
    /// let links = vec![Link::base(), Link::child(LinkIndex(0), DVec3::Y), Link::child(LinkIndex(1), DVec3::Y)];
    /// let mut arm = Body::new(links, DAffine3::IDENTITY)?;
    /// let mut replayed = arm.clone();
    /// let goal = Goal::position(LinkIndex(2), DVec3::new(1.0, 1.0, 0.0));
    /// let mut solver = Solver::default();
    /// let report = solver.solve(&mut arm, &[goal], &Options::default().with_trace(true))?;
    /// report.trace.iter().for_each(|step| step.apply(&mut replayed));
    /// for (a, b) in arm.rotations().iter().zip(replayed.rotations()) {
    ///     assert!(a.angle_between(*b) < 1e-6);
    /// }
    /// # Ok::<(), sinew_ik::SolveError>(())
    /// ```
    pub fn apply(&self, body: &mut Body) {
        let Some(&rotation) = body.rotations().get(self.link.0).filter(|_| self.particles.is_none()) else {
            return;
        };
        if let Some(direction) = slide_direction(body, self.link).filter(|d| self.is_along(*d)) {
            let slide = self.distance * self.axis.dot(direction) / direction.length_squared();
            body.set_displacement(self.link, body.displacement(self.link) + slide);
        } else if self.distance > 0.0 {
            let shift = body.base_from_world().matrix3 * (self.axis * self.distance);
            body.set_root(body.root() + shift);
        }
        if self.angle > 0.0 {
            let above = orientation_above(body, self.link);
            let turn = DQuat::from_axis_angle(above.conjugate() * self.axis, self.angle);
            body.set_rotation(self.link, turn * rotation);
        }
    }

    /// Returns whether the step is a translation along a direction.
    fn is_along(&self, direction: DVec3) -> bool {
        self.distance > 0.0 && self.axis.cross(direction).length() <= PARALLEL * direction.length()
    }
}

/// Returns how a prismatic joint moves in world space for each metre of displacement, or `None` for other joints.
fn slide_direction(body: &Body, link: LinkIndex) -> Option<DVec3> {
    let own = body.links().get(link.0)?;
    let axis = own.slide_axis()?;
    let above = own.parent.and_then(|p| body.world_from_link(p)).unwrap_or(body.world_from_base());
    Some(above.matrix3 * axis).filter(|d| d.length_squared() > 0.0)
}

/// Returns the world orientation of the space in which a link turns, as a product of rotations.
fn orientation_above(body: &Body, link: LinkIndex) -> DQuat {
    let parent = body.links().get(link.0).and_then(|l| l.parent);
    parent.and_then(|p| body.orientation(p)).unwrap_or(body.world_from_base_rotation())
}
