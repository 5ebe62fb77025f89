//! The arcs of a joint's limit. They show the allowed range and the current value of each angle.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DQuat, DVec3, EulerRot, Vec3, Vec4};

use crate::ik::shared::euler_axes;
use crate::ik::{Limit, swing_twist};
use crate::puppet::Puppet;
use crate::rig::orientation;
use crate::session::picking::Viewport;

use super::dial::Dial;
use super::rail::Rail;
use super::{AXES, LIMIT, TWIST};

/// Radius of the arcs around the joint in points.
const RADIUS: f32 = 58.0;
/// Radius of the twist arc around the bone in points.
const TWIST_RADIUS: f32 = 22.0;
/// Distance between the three arcs of an Euler limit in points.
const SPACING: f32 = 9.0;

/// Number of line segments around a cone. Must be a multiple of eight.
const AROUND: u16 = 72;
/// Number of rings from a cone's axis to its rim.
const RINGS: u16 = 6;

/// One angle of a limit, in radians.
#[derive(Clone, Copy, Debug)]
pub(super) struct AngleArc {
    pub(super) dial: Dial,
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) now: f64,
    pub(super) color: Vec4,
    #[cfg_attr(not(feature = "window"), allow(dead_code, reason = "only the panel shows names"))]
    pub(super) name: &'static str,
    /// Whether this is a swing angle. Its ends are on the rim of the cone, and no arc is drawn for it.
    pub(super) rim: bool,
}

/// The part of a sphere around the joint that a cone limit allows, and the bone's direction.
#[derive(Clone, Debug)]
pub(super) struct ConeShape {
    /// Closed polylines around the axis. The last one is the rim.
    pub(super) around: Vec<Vec<Vec3>>,
    /// The point on the sphere in the direction of the cone's axis.
    pub(super) axis: Vec3,
    /// The point on the sphere in the direction of the bone.
    pub(super) now: Vec3,
}

/// The drawn shape of a limit.
#[derive(Clone, Debug)]
pub(super) struct LimitShape {
    pub(super) center: Vec3,
    pub(super) arcs: Vec<AngleArc>,
    pub(super) cone: Option<ConeShape>,
    pub(super) rail: Option<Rail>,
}

/// Returns the unit direction of a joint's bone in the joint's frame. For a joint without children, this is the direction of the bone from
/// its parent.
pub(crate) fn bone(puppet: &Puppet, node: usize) -> DVec3 {
    let (skeleton, rig) = (&puppet.character().skeleton, &puppet.rig);
    let Some(joint) = skeleton.nodes.get(node) else { return DVec3::Y };
    let offset = |n: usize| skeleton.nodes.get(n).map_or(DVec3::ZERO, |n| n.rest.translation.as_dvec3());
    let next = rig.chains.iter().find_map(|c| {
        let at = c.joints.iter().position(|&n| n == node)?;
        c.joints.get(at + 1).copied()
    });
    let below = match next {
        Some(next) => offset(next),
        None => joint.children.iter().map(|&n| offset(n)).sum(),
    };
    let above = joint.rest.rotation.as_dquat().conjugate() * offset(node);
    below.try_normalize().or(above.try_normalize()).unwrap_or(DVec3::Y)
}

/// Returns the shape of a joint's limit, or `None` if the joint is free or locked.
pub(super) fn limit_shape(puppet: &Puppet, node: usize, viewport: &Viewport) -> Option<LimitShape> {
    let skeleton = &puppet.character().skeleton;
    let joint = skeleton.nodes.get(node)?;
    let center = Vec3::from(puppet.world_from_node().get(node)?.translation);
    let parent = joint.parent.map_or(DQuat::IDENTITY, |p| orientation(skeleton, puppet.pose(), p));
    let rest = joint.rest.rotation.as_dquat();
    let q = rest.conjugate() * puppet.pose().locals.get(node)?.rotation.as_dquat();
    let frame = LimitFrame { world_from_rest: parent * rest, q, bone: bone(puppet, node), center, viewport };
    let (arcs, cone) = match puppet.rig.joint(node).limit {
        Limit::Free | Limit::Locked => return None,
        Limit::Prismatic { .. } => (Vec::new(), None),
        Limit::Hinge { axis, min, max } => (vec![frame.hinge(axis, min, max)], None),
        Limit::Cone { axis, side, swing, twist } => frame.cone(axis, side, swing, twist),
        Limit::Euler { order, min, max } => (frame.euler(order, min, max), None),
    };
    Some(LimitShape { center, arcs, cone, rail: Rail::of_joint(puppet, node) })
}

/// The space and the pose in which a limit is drawn.
struct LimitFrame<'a> {
    world_from_rest: DQuat,
    /// The joint's rotation relative to its rest pose.
    q: DQuat,
    bone: DVec3,
    center: Vec3,
    viewport: &'a Viewport,
}

impl LimitFrame<'_> {
    fn dial(&self, axis: DVec3, zero: DVec3, points: f32) -> Dial {
        let world = |v: DVec3| (self.world_from_rest * v).as_vec3().normalize_or(Vec3::Y);
        let radius = self.viewport.metres(self.center, points);
        Dial { center: self.center, axis: world(axis), zero: world(zero), radius }
    }

    fn hinge(&self, axis: DVec3, min: f64, max: f64) -> AngleArc {
        let dial = self.dial(axis, across(self.bone, axis), RADIUS);
        let now = nearest_turn(swing_twist(self.q, axis).1, 0.5 * (min + max));
        AngleArc { dial, min, max, now, color: LIMIT, name: "", rim: false }
    }

    fn cone(
        &self,
        axis: DVec3,
        side: DVec3,
        swing: [f64; 2],
        twist: [f64; 2],
    ) -> (Vec<AngleArc>, Option<ConeShape>) {
        let other = axis.cross(side);
        let (swung, angle) = swing_twist(self.q, axis);
        let swung = if swung.w < 0.0 { -swung } else { swung };
        let vector = swung.to_scaled_axis();
        let radius = self.viewport.metres(self.center, RADIUS);
        let point = |turn: DQuat| self.center + radius * (self.world_from_rest * (turn * axis)).as_vec3();
        let at = |fraction: f64, i: u16| {
            let (sin, cos) = (TAU * f64::from(i) / f64::from(AROUND)).sin_cos();
            let turn = side * (swing[0] * cos) + other * (swing[1] * sin);
            point(DQuat::from_scaled_axis(turn * fraction))
        };
        let line = |ring: u16| {
            let fraction = f64::from(ring) / f64::from(RINGS);
            (0..=AROUND).map(|i| at(fraction, i)).collect()
        };
        let around = (1..=RINGS).map(line).collect();
        let cone = ConeShape { around, axis: point(DQuat::IDENTITY), now: point(swung) };
        let swing_arc = |about: DVec3, max: f64, name| AngleArc {
            dial: self.dial(about, axis, RADIUS),
            min: -max,
            max,
            now: vector.dot(about),
            color: LIMIT,
            name,
            rim: true,
        };
        let mut dial = self.dial(swung * axis, swung * side, TWIST_RADIUS);
        dial.center = cone.now;
        let [min, max] = twist;
        let now = nearest_turn(angle, 0.5 * (min + max));
        let twist = AngleArc { dial, min, max, now, color: TWIST, name: "Twist ", rim: false };
        (vec![swing_arc(side, swing[0], "Swing "), swing_arc(other, swing[1], "Swing "), twist], Some(cone))
    }

    /// Returns the arcs of an Euler limit. Each arc is in the frame that the preceding rotations produce.
    fn euler(&self, order: EulerRot, min: [f64; 3], max: [f64; 3]) -> Vec<AngleArc> {
        let (a, b, c) = self.q.to_euler(order);
        // Two sets of Euler angles describe the same rotation. Sometimes only the second set is within the limits.
        let solutions = [[a, b, c], [a + PI, PI - b, c + PI]];
        let middle: [f64; 3] = std::array::from_fn(|i| 0.5 * (min[i] + max[i]));
        let solutions =
            solutions.map(|solution| std::array::from_fn(|i| nearest_turn(solution[i], middle[i])));
        let violation = |solution: &[f64; 3]| {
            (0..3).map(|i| (min[i] - solution[i]).max(solution[i] - max[i]).max(0.0)).sum::<f64>()
        };
        let now: [f64; 3] = if violation(&solutions[1]) + 1e-9 < violation(&solutions[0]) {
            solutions[1]
        } else {
            solutions[0]
        };
        let mut before = DQuat::IDENTITY;
        let mut arcs = Vec::with_capacity(3);
        for (i, axis) in euler_axes(order).unwrap_or([0, 1, 2]).map(usize::from).into_iter().enumerate() {
            let unit = DVec3::AXES[axis];
            #[expect(clippy::cast_precision_loss, reason = "three arcs")]
            let points = RADIUS - SPACING + SPACING * i as f32;
            let dial = self.dial(before * unit, before * across(self.bone, unit), points);
            let name = ["X ", "Y ", "Z "][axis];
            let arc =
                AngleArc { dial, min: min[i], max: max[i], now: now[i], color: AXES[axis], name, rim: false };
            arcs.push(arc);
            before *= DQuat::from_axis_angle(unit, now[i]);
        }
        arcs
    }
}

/// Returns the normalized component of `vector` that is perpendicular to `axis`, or any unit vector perpendicular to
/// `axis` if that component is at most 0.05 long.
pub(crate) fn across(vector: DVec3, axis: DVec3) -> DVec3 {
    let part = vector.reject_from_normalized(axis);
    if part.length() > 0.05 { part.normalize() } else { axis.any_orthonormal_vector() }
}

/// Adds full turns to an angle so that it is as close as possible to `near`.
fn nearest_turn(angle: f64, near: f64) -> f64 {
    angle + TAU * ((near - angle) / TAU).round()
}

/// Returns the minimum and the maximum angle of an arc of a limit.
pub(super) fn ends(limit: &Limit, arc: usize) -> Option<[f64; 2]> {
    match *limit {
        Limit::Free | Limit::Locked | Limit::Prismatic { .. } => None,
        Limit::Hinge { min, max, .. } => Some([min, max]),
        Limit::Cone { swing, twist, .. } => Some(swing.get(arc).map_or(twist, |s| [-s, *s])),
        Limit::Euler { min, max, .. } => Some([*min.get(arc)?, *max.get(arc)?]),
    }
}

/// Returns the limit with one end of an angle's range moved. The end stops before the range becomes empty or too large.
pub(super) fn with_end(limit: Limit, arc: usize, upper: bool, value: f64) -> Limit {
    let set_end = |min: &mut f64, max: &mut f64, bound: f64| {
        if upper {
            *max = value.clamp(*min, bound.max(*min));
        } else {
            *min = value.clamp((-bound).min(*max), *max);
        }
    };
    let mut limit = limit;
    match &mut limit {
        Limit::Free | Limit::Locked | Limit::Prismatic { .. } => {}
        Limit::Hinge { min, max, .. } => set_end(min, max, TAU),
        Limit::Cone { swing, twist: [min, max], .. } => match swing.get_mut(arc) {
            Some(swing) => *swing = (if upper { value } else { -value }).clamp(0.0, PI),
            None => set_end(min, max, PI),
        },
        Limit::Euler { min, max, .. } => {
            if let Some((min, max)) = min.get_mut(arc).zip(max.get_mut(arc)) {
                set_end(min, max, if arc == 1 { FRAC_PI_2 } else { PI });
            }
        }
    }
    limit
}
