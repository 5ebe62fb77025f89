//! Draws the step shown in step mode: the vectors from its joint to effectors and targets, the rotation axis, and the arc of the rotation.

use glam::{DVec3, Quat, Vec3, Vec4};

use crate::Session;
use crate::puppet::{NodeStep, SolveTrace, Target};
use crate::session::picking::Viewport;
use crate::session::place::point;

use super::dial::Dial;
use super::pen::Pen;

/// Colours of the vectors from the joint to the effector before and after the turn, of the vector to the target, and of the axis.
const BEFORE: Vec4 = Vec4::new(0.35, 0.62, 1.0, 0.8);
const AFTER: Vec4 = Vec4::new(0.1, 0.9, 0.9, 1.0);
const TARGET: Vec4 = Vec4::new(1.0, 0.2, 0.03, 1.0);
const AXIS: Vec4 = Vec4::new(0.72, 0.3, 1.0, 1.0);
/// Opacity of the filled sector.
const FAINT: f32 = 0.3;
/// Radius of the sector around the joint, and length of the axis to either side of it, in points.
const RADIUS: f32 = 64.0;
const AXIS_LENGTH: f32 = 84.0;
/// Distance from the axis, in points, below which an effector does not visibly turn.
const ON_AXIS: f32 = 1.0;
/// Distance in points between the joint and the end of the axis below which the axis counts as pointing at the camera.
#[cfg(feature = "window")]
const LABEL_DISTANCE: f32 = 30.0;
/// Distance from the joint to a label outside the arc, as a multiple of the sector's radius.
#[cfg(feature = "window")]
const LABEL_RADIUS: f32 = 1.2;

/// The step of a joint as it is drawn. Positions are in world metres.
#[derive(Clone, Debug)]
pub(super) struct ShownStep {
    joint: Vec3,
    axis: Vec3,
    angle: f64,
    /// The joint's position before it moved.
    moved_from: Vec3,
    levers: Vec<Lever>,
}

/// Two particles after a move, and the previous position of the lower particle. Positions are in world metres.
#[derive(Clone, Copy, Debug)]
struct ShownSpring {
    before: Vec3,
    lower: Vec3,
    upper: Vec3,
}

impl ShownSpring {
    /// Returns the particles that the shown step moves, if there are any.
    fn new(session: &Session) -> Option<Self> {
        let (_, NodeStep { step, .. }) = session.shown_step()?;
        let [lower, upper] = step.particles?;
        let before = lower - step.axis * step.distance;
        Some(Self { before: before.as_vec3(), lower: lower.as_vec3(), upper: upper.as_vec3() })
    }
}

/// An effector that the joint rotates, and its target.
#[derive(Clone, Copy, Debug)]
struct Lever {
    before: Vec3,
    after: Vec3,
    target: Vec3,
}

impl ShownStep {
    /// Returns the last step of the displayed pose, if it moves a joint.
    pub(super) fn new(session: &Session) -> Option<Self> {
        let (trace, NodeStep { node, step }) =
            session.shown_step().filter(|(_, shown)| shown.step.particles.is_none())?;
        let (joint, axis) = (session.position_of(*node)?, step.axis.as_vec3());
        let back = Quat::from_axis_angle(axis, -narrow(step.angle));
        let shift = axis * narrow(step.distance);
        let lever = |target: &Target| {
            let after = point(&session.puppet, target.node, target.offset)?;
            let before = joint + back * (after - joint) - shift;
            Some(Lever { before, after, target: target.position?.as_vec3() })
        };
        let levers = moved_targets(session, trace, *node).filter_map(lever).collect();
        Some(Self { joint, axis, angle: step.angle, moved_from: joint - shift, levers })
    }

    /// Returns the dial on which an effector is drawn around the joint.
    fn dial(&self, lever: &Lever, viewport: &Viewport) -> Dial {
        let (center, axis) = (self.joint, self.axis);
        let arm = (lever.before - center).reject_from_normalized(axis);
        let on_axis = arm.length() < viewport.metres(center, ON_AXIS);
        let zero = if on_axis { axis.any_orthonormal_vector() } else { arm.normalize() };
        let radius = viewport.metres(center, RADIUS);
        Dial { center, axis, zero, radius: if on_axis { radius } else { radius.min(arm.length()) } }
    }

    /// Returns the marked end of the axis.
    fn axis_end(&self, viewport: &Viewport) -> Vec3 {
        self.joint + self.axis * viewport.metres(self.joint, AXIS_LENGTH)
    }

    /// Returns the position of the step's label: at the end of the axis, clear of the vectors and the arc. If the axis points at the
    /// camera, the arc is seen face-on, and the label is just outside the middle of the arc.
    #[cfg(feature = "window")]
    fn label(&self, viewport: &Viewport) -> Vec3 {
        let end = self.axis_end(viewport);
        let pixels = viewport.pixel(end).zip(viewport.pixel(self.joint));
        let is_short =
            pixels.is_none_or(|(end, joint)| end.distance(joint) < LABEL_DISTANCE * viewport.scale);
        match self.levers.first() {
            Some(lever) if is_short => {
                let dial = self.dial(lever, viewport);
                Dial { radius: LABEL_RADIUS * dial.radius, ..dial }.point(0.5 * self.angle)
            }
            _ => end,
        }
    }
}

/// Draws the solve's targets and the last step.
pub(super) fn draw_step(pen: &mut Pen<'_>, session: &Session) {
    if let Some(ShownSpring { before, lower, upper }) = ShownSpring::new(session) {
        pen.path(&[before, lower], 1.5, BEFORE);
        pen.path(&[lower, upper], 2.5, AFTER);
        pen.dot(before, 4.0, BEFORE);
        pen.dot(lower, 6.0, AFTER);
        pen.dot(upper, 6.0, AFTER);
        return;
    }
    let Some(shown) = ShownStep::new(session) else { return };
    if shown.angle > 0.0 {
        let end = shown.axis_end(pen.viewport);
        pen.path(&[shown.joint * 2.0 - end, end], 2.0, AXIS);
        pen.dot(end, 5.0, AXIS);
    } else {
        pen.path(&[shown.moved_from, shown.joint], 3.0, AXIS);
    }
    for lever in &shown.levers {
        let dial = shown.dial(lever, pen.viewport);
        if shown.angle > 0.0 {
            let sector = dial.arc(0.0, shown.angle);
            pen.fan(dial.center, &sector, AXIS.with_w(FAINT));
            pen.path(&sector, 2.5, AXIS);
            let arm = (lever.before - shown.joint).reject_from_normalized(shown.axis);
            let center = lever.before - arm;
            let path = Dial { center, radius: arm.length(), ..dial };
            pen.path(&path.arc(0.0, shown.angle), 1.5, BEFORE);
        }
        pen.path(&[shown.joint, lever.target], 2.0, TARGET);
        pen.path(&[shown.moved_from, lever.before], 1.5, BEFORE);
        pen.path(&[shown.joint, lever.after], 2.5, AFTER);
        pen.dot(lever.before, 4.0, BEFORE);
        pen.dot(lever.after, 6.0, AFTER);
    }
    pen.dot(shown.joint, 7.0, AXIS);
}

/// Returns the last step's label and its world position.
#[cfg(feature = "window")]
pub(crate) fn step_caption(session: &Session) -> Option<(Vec3, String)> {
    let (_, NodeStep { step, .. }) = session.shown_step()?;
    if let Some(spring) = ShownSpring::new(session) {
        return Some((spring.lower, session.length_unit().text(step.distance)));
    }
    let shown = ShownStep::new(session)?;
    let text = if step.angle > 0.0 {
        format!("{:.1}°", step.angle.to_degrees())
    } else {
        session.length_unit().text(step.distance)
    };
    Some((shown.label(&session.picture().viewport), text))
}

/// Returns the targets whose effectors a joint moves. These are the position targets of its descendants. If no target is below the joint,
/// the path from the base leads up through the joint, which then moves all targets. A joint does not move its own origin.
fn moved_targets<'a>(
    session: &'a Session,
    trace: &'a SolveTrace,
    node: usize,
) -> impl Iterator<Item = &'a Target> {
    let (skeleton, rig) = (&session.puppet.character().skeleton, &session.puppet.rig);
    let above = move |from: usize| {
        std::iter::successors(Some(from), move |&n| rig.above(skeleton, n)).take(skeleton.nodes.len())
    };
    let is_below = move |t: &&Target| {
        let own = t.node == node && t.offset == DVec3::ZERO;
        t.position.is_some() && !own && above(t.node).any(|n| n == node)
    };
    let leads_up = !trace.targets.iter().any(|t| above(t.node).any(|n| n == node));
    trace.targets.iter().filter(move |t| leads_up || is_below(t))
}

#[expect(clippy::cast_possible_truncation, reason = "only used for drawing")]
fn narrow(number: f64) -> f32 {
    number as f32
}
