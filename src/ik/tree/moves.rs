//! Operations on a whole tree that several methods share: straightening, bending and swivelling.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};

use crate::Limit;
use crate::rotation::{BENT, any_perpendicular, rotation_vector, shortest_arc};

use super::{Tree, TreeJoint};

/// Two rotations count as equal if their dot product differs from 1 by at most this. The angle between them is below 3e-6.
const SAME_ROTATION: f64 = 1e-12;
/// If a joint or a pole is nearer to the line of a limb than this fraction of the limb's length, its direction from the line is
/// undefined.
const ON_LINE: f64 = 1e-9;
/// Number of axes about which a joint is turned to probe its limit, and the angle of each probe turn in radians.
const DIRECTIONS: u32 = 8;
const PROBE: f64 = 0.5;

impl Tree {
    /// Points every joint above a single effector at its target, as far as the limits allow. Without limits, this is the pose nearest
    /// to a target that is out of reach.
    pub(crate) fn straighten(&mut self) {
        let Some((task, target)) = self.tasks.first().and_then(|t| Some((*t, t.target?))) else { return };
        for index in 0..self.joints.len() {
            self.forward_joint(index);
            let joint = &self.joints[index];
            // The joints above a single effector form a chain, so the next joint is the child.
            let local = self.joints.get(index + 1).map_or(task.local, |child| child.fixed.translation);
            let to = self.to_frame(joint, target - joint.position);
            let arc = shortest_arc(joint.turn(local), to, self.bend_axis(index, local));
            self.joints[index].rotation = joint.allowed((arc * joint.rotation).normalize());
            self.forward_joint(index);
        }
        self.forward_tips();
    }

    /// Turns every joint a little in the same direction. A straight chain needs this, because the methods cannot find
    /// a direction in which to bend it.
    pub(crate) fn bend(&mut self, angle: f64) {
        // Looking for the joint below each joint is only useful if a limit may allow larger turns about one axis than about another.
        let has_limited_ball = self.joints.iter().any(|joint| joint.limit.is_limited_ball());
        for index in 0..self.joints.len() {
            let axis =
                if has_limited_ball { self.bend_axis_beside(index) } else { self.own_bend_axis(index) };
            let joint = &mut self.joints[index];
            let way =
                |angle| joint.allowed((DQuat::from_axis_angle(axis, angle) * joint.rotation).normalize());
            // A hinge at the end of its range bends in only one direction.
            let turned = way(angle);
            joint.rotation =
                if turned.dot(joint.rotation).abs() > 1.0 - SAME_ROTATION { way(-angle) } else { turned };
        }
        self.forward();
    }

    /// Returns the axis about which a joint bends. If the limit of the joint below prescribes an axis and the joint's own limit does
    /// not, this is the opposite of the axis below. A thigh, for example, moves forwards when the shin moves back. Otherwise the
    /// effector would move aside, and cyclic coordinate descent would turn the knee back to its limit.
    fn bend_axis_beside(&self, index: usize) -> DVec3 {
        let joint = &self.joints[index];
        let below = self.joints.iter().position(|j| j.parent == Some(index) && j.limit.is_limited_ball());
        match below.filter(|_| joint.limit == Limit::Free) {
            Some(below) => {
                let axis = self.axis_from_frame(&self.joints[below], self.own_bend_axis(below));
                -self.axis_to_frame(joint, axis).normalize_or(-self.own_bend_axis(index))
            }
            None => self.own_bend_axis(index),
        }
    }

    /// Returns the axis about which a joint bends on its own.
    fn own_bend_axis(&self, index: usize) -> DVec3 {
        self.bend_axis(index, self.joints[index].child.unwrap_or(DVec3::Y))
    }

    /// Returns the axis about which a joint bends, in its frame before it turns. This is the axis of a hinge, or the axis about which
    /// the rest pose bends, or any axis perpendicular to the link. If the limit allows much larger turns about another axis, that axis is
    /// returned.
    pub(crate) fn bend_axis(&self, index: usize, local: DVec3) -> DVec3 {
        let joint = &self.joints[index];
        if let Some(axis) = joint.hinge_axis() {
            return axis;
        }
        let out = joint.rest * (joint.scale * local);
        let into = joint.fixed.matrix3.inverse() * joint.fixed.translation;
        let bend = into.cross(out);
        let default_axis = if joint.parent.is_some() && bend.length() > BENT * into.length() * out.length() {
            bend.normalize()
        } else {
            any_perpendicular(joint.turn(local))
        };
        if joint.limit.is_limited_ball() {
            widest_axis(joint, default_axis, joint.turn(local))
        } else {
            default_axis
        }
    }

    /// Turns each limb whose goal has a pole about the line from its first joint to its effector until it bends
    /// towards the pole.
    pub(crate) fn swivel(&mut self) {
        let mut turned = false;
        for index in 0..self.tasks.len() {
            let task = &self.tasks[index];
            let Some((pole, limb)) = task.pole.zip(task.limb) else { continue };
            let (start, end) = (self.joints[limb].position, task.position);
            let Some(axis) = (end - start).try_normalize() else { continue };
            let across = |place: DVec3| (place - start).reject_from_normalized(axis);
            // The limb bends at the joint that is farthest from the line.
            let mut farthest = DVec3::ZERO;
            let mut next = task.joint;
            while let Some(joint) = next.filter(|&j| j > limb) {
                let away = across(self.joints[joint].position);
                if away.length_squared() > farthest.length_squared() {
                    farthest = away;
                }
                next = self.joints[joint].parent;
            }
            let wanted = across(pole);
            if farthest.length().min(wanted.length()) < ON_LINE * start.distance(end) {
                continue;
            }
            let angle = axis.dot(farthest.cross(wanted)).atan2(farthest.dot(wanted));
            let joint = &self.joints[limb];
            let requested = (self.turn_about(joint, axis, angle) * joint.rotation).normalize();
            self.joints[limb].rotation = joint.allowed(requested);
            turned = true;
        }
        if turned {
            self.forward();
        }
    }
}

/// Returns the axis, perpendicular to a link, about which a joint's limit allows the largest turn. Returns the default axis if that axis
/// allows at least half of this turn. A knee whose limit is a box of Euler angles bends about the widest side of the box.
fn widest_axis(joint: &TreeJoint, default_axis: DVec3, link: DVec3) -> DVec3 {
    let Some(link) = link.try_normalize() else { return default_axis };
    let axis = |direction: u32| {
        let angle = TAU * f64::from(direction) / f64::from(DIRECTIONS);
        DQuat::from_axis_angle(link, angle) * default_axis
    };
    let room = |axis: DVec3| {
        let turned = joint.allowed((DQuat::from_axis_angle(axis, PROBE) * joint.rotation).normalize());
        rotation_vector(turned * joint.rotation.conjugate()).dot(axis)
    };
    let rooms = (0..DIRECTIONS).map(axis).map(|axis| (axis, room(axis)));
    let (widest, most) =
        rooms.fold((default_axis, 0.0), |best, next| if next.1 > best.1 { next } else { best });
    // A joint at the end of its range bends in the other direction, so both directions count.
    let own = room(default_axis).max(room(-default_axis));
    if 2.0 * own >= most { default_axis } else { widest }
}
