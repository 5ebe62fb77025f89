//! A joint's limit as arcs: where each of its angles is seen, what is allowed, and what it is now.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DQuat, DVec3, EulerRot, Vec3, Vec4};

use crate::ik::{Limit, swing_twist};
use crate::puppet::Puppet;
use crate::rig::orientation;

use super::dial::{Dial, View};
use super::{AXES, LIMIT, TWIST};

/// Points from the joint to its arcs, and from a bone to the arc of its twist.
const RADIUS: f32 = 58.0;
const TWIST_RADIUS: f32 = 22.0;
/// Points between the three arcs of an Euler box.
const APART: f32 = 9.0;

/// Stretches of a cone's rim, a multiple of eight, and lines from its axis to the rim.
const AROUND: u16 = 72;
const OUTWARDS: u16 = 6;

/// One angle of a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub(super) dial: Dial,
    /// Radians.
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) now: f64,
    pub(super) color: Vec4,
    pub(super) name: &'static str,
    /// A swing has no arc of its own: its ends stand on the rim of the cone.
    pub(super) rim: bool,
}

/// What a cone cuts out of a sphere around the joint, and where the bone points.
#[derive(Clone, Debug)]
pub(super) struct Cone {
    /// Closed lines around the axis, the last one the rim; the axis itself.
    pub(super) around: Vec<Vec<Vec3>>,
    pub(super) axis: Vec3,
    pub(super) now: Vec3,
}

/// A limit as it is seen.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) center: Vec3,
    pub(super) arcs: Vec<Arc>,
    pub(super) cone: Option<Cone>,
}

/// The unit direction of the bone that hangs on a joint, in the joint's own frame; without one, of that it hangs on.
pub(in super::super) fn bone(puppet: &Puppet, node: usize) -> DVec3 {
    let (skeleton, rig) = (&puppet.character().skeleton, &puppet.rig);
    let Some(joint) = skeleton.nodes.get(node) else { return DVec3::Y };
    let place = |n: usize| skeleton.nodes.get(n).map_or(DVec3::ZERO, |n| n.rest.translation.as_dvec3());
    let next = rig.chains.iter().find_map(|c| {
        let at = c.joints.iter().position(|&n| n == node)?;
        c.joints.get(at + 1).copied()
    });
    let below = match next {
        Some(next) => place(next),
        None => joint.children.iter().map(|&n| place(n)).sum(),
    };
    let above = joint.rest.rotation.as_dquat().conjugate() * place(node);
    below.try_normalize().or(above.try_normalize()).unwrap_or(DVec3::Y)
}

/// What a joint's limit looks like; `None` where it has none.
pub(super) fn shown(puppet: &Puppet, node: usize, view: &View) -> Option<Shown> {
    let skeleton = &puppet.character().skeleton;
    let joint = skeleton.nodes.get(node)?;
    let center = Vec3::from(puppet.world_from_node().get(node)?.translation);
    let above = joint.parent.map_or(DQuat::IDENTITY, |p| orientation(skeleton, puppet.pose(), p));
    let rest = joint.rest.rotation.as_dquat();
    let q = rest.conjugate() * puppet.pose().locals.get(node)?.rotation.as_dquat();
    let frame = Frame { world_from_rest: above * rest, q, bone: bone(puppet, node), center, view };
    let (arcs, cone) = match puppet.rig.joint(node).limit {
        Limit::Free | Limit::Locked => return None,
        Limit::Hinge { axis, min, max } => (vec![frame.hinge(axis, min, max)], None),
        Limit::Cone { axis, side, swing, twist } => frame.cone(axis, side, swing, twist),
        Limit::Euler { order, min, max } => (frame.euler(order, min, max), None),
    };
    Some(Shown { center, arcs, cone })
}

struct Frame<'a> {
    world_from_rest: DQuat,
    /// The joint's own rotation from rest.
    q: DQuat,
    bone: DVec3,
    center: Vec3,
    view: &'a View,
}

impl Frame<'_> {
    fn dial(&self, axis: DVec3, zero: DVec3, points: f32) -> Dial {
        let world = |v: DVec3| (self.world_from_rest * v).as_vec3().normalize_or(Vec3::Y);
        let radius = self.view.metres(self.center, points);
        Dial { center: self.center, axis: world(axis), zero: world(zero), radius }
    }

    fn hinge(&self, axis: DVec3, min: f64, max: f64) -> Arc {
        let dial = self.dial(axis, across(self.bone, axis), RADIUS);
        let now = nearest_turn(swing_twist(self.q, axis).1, 0.5 * (min + max));
        Arc { dial, min, max, now, color: LIMIT, name: "", rim: false }
    }

    fn cone(&self, axis: DVec3, side: DVec3, swing: [f64; 2], twist: [f64; 2]) -> (Vec<Arc>, Option<Cone>) {
        let other = axis.cross(side);
        let (away, angle) = swing_twist(self.q, axis);
        let away = if away.w < 0.0 { -away } else { away };
        let vector = away.to_scaled_axis();
        let radius = self.view.metres(self.center, RADIUS);
        let place = |turn: DQuat| self.center + radius * (self.world_from_rest * (turn * axis)).as_vec3();
        let at = |share: f64, i: u16| {
            let (sin, cos) = (TAU * f64::from(i) / f64::from(AROUND)).sin_cos();
            let turn = side * (swing[0] * cos) + other * (swing[1] * sin);
            place(DQuat::from_scaled_axis(turn * share))
        };
        let line = |ring: u16| {
            let share = f64::from(ring) / f64::from(OUTWARDS);
            (0..=AROUND).map(|i| at(share, i)).collect()
        };
        let around = (1..=OUTWARDS).map(line).collect();
        let cone = Cone { around, axis: place(DQuat::IDENTITY), now: place(away) };
        let bend = |about: DVec3, most: f64, name| Arc {
            dial: self.dial(about, axis, RADIUS),
            min: -most,
            max: most,
            now: vector.dot(about),
            color: LIMIT,
            name,
            rim: true,
        };
        let mut turn = self.dial(away * axis, away * side, TWIST_RADIUS);
        turn.center = cone.now;
        let [min, max] = twist;
        let now = nearest_turn(angle, 0.5 * (min + max));
        let turn = Arc { dial: turn, min, max, now, color: TWIST, name: "twist ", rim: false };
        (vec![bend(side, swing[0], "swing "), bend(other, swing[1], "swing "), turn], Some(cone))
    }

    /// Each arc stands in the frame that the turns before it make.
    fn euler(&self, order: EulerRot, min: [f64; 3], max: [f64; 3]) -> Vec<Arc> {
        let (a, b, c) = self.q.to_euler(order);
        // The same rotation written the other way, where that is what is allowed.
        let ways = [[a, b, c], [a + PI, PI - b, c + PI]];
        let middle: [f64; 3] = std::array::from_fn(|i| 0.5 * (min[i] + max[i]));
        let ways = ways.map(|way| std::array::from_fn(|i| nearest_turn(way[i], middle[i])));
        let beyond =
            |way: &[f64; 3]| (0..3).map(|i| (min[i] - way[i]).max(way[i] - max[i]).max(0.0)).sum::<f64>();
        let now: [f64; 3] = if beyond(&ways[1]) + 1e-9 < beyond(&ways[0]) { ways[1] } else { ways[0] };
        let mut before = DQuat::IDENTITY;
        let mut arcs = Vec::with_capacity(3);
        for (i, axis) in axes(order).into_iter().enumerate() {
            let unit = DVec3::AXES[axis];
            #[expect(clippy::cast_precision_loss, reason = "three arcs")]
            let points = RADIUS - APART + APART * i as f32;
            let dial = self.dial(before * unit, before * across(self.bone, unit), points);
            let name = ["x ", "y ", "z "][axis];
            let arc =
                Arc { dial, min: min[i], max: max[i], now: now[i], color: AXES[axis], name, rim: false };
            arcs.push(arc);
            before *= DQuat::from_axis_angle(unit, now[i]);
        }
        arcs
    }
}

/// Places of the axes of an order, outermost turn first.
fn axes(order: EulerRot) -> [usize; 3] {
    match order {
        EulerRot::XZY => [0, 2, 1],
        EulerRot::YXZ => [1, 0, 2],
        EulerRot::YZX => [1, 2, 0],
        EulerRot::ZXY => [2, 0, 1],
        EulerRot::ZYX => [2, 1, 0],
        _ => [0, 1, 2],
    }
}

/// The part of a vector across an axis, a unit vector; some other one where it has none.
pub(in super::super) fn across(vector: DVec3, axis: DVec3) -> DVec3 {
    let part = vector.reject_from_normalized(axis);
    if part.length() > 0.05 { part.normalize() } else { axis.any_orthonormal_vector() }
}

/// The same direction, counted so that it comes nearest to another angle.
fn nearest_turn(angle: f64, near: f64) -> f64 {
    angle + TAU * ((near - angle) / TAU).round()
}

/// Least and greatest angle of one of a limit's arcs.
pub(super) fn ends(limit: &Limit, arc: usize) -> Option<[f64; 2]> {
    match *limit {
        Limit::Free | Limit::Locked => None,
        Limit::Hinge { min, max, .. } => Some([min, max]),
        Limit::Cone { swing, twist, .. } => Some(swing.get(arc).map_or(twist, |s| [-s, *s])),
        Limit::Euler { min, max, .. } => Some([*min.get(arc)?, *max.get(arc)?]),
    }
}

/// A limit with one end of one of its angles moved: what is no range any more stops where it still is one.
pub(super) fn with_end(limit: Limit, arc: usize, upper: bool, value: f64) -> Limit {
    let moved = |min: &mut f64, max: &mut f64, most: f64| {
        if upper {
            *max = value.clamp(*min, most.max(*min));
        } else {
            *min = value.clamp((-most).min(*max), *max);
        }
    };
    let mut limit = limit;
    match &mut limit {
        Limit::Free | Limit::Locked => {}
        Limit::Hinge { min, max, .. } => moved(min, max, TAU),
        Limit::Cone { swing, twist: [min, max], .. } => match swing.get_mut(arc) {
            Some(swing) => *swing = (if upper { value } else { -value }).clamp(0.0, PI),
            None => moved(min, max, PI),
        },
        Limit::Euler { min, max, .. } => {
            if let Some((min, max)) = min.get_mut(arc).zip(max.get_mut(arc)) {
                moved(min, max, if arc == 1 { FRAC_PI_2 } else { PI });
            }
        }
    }
    limit
}
