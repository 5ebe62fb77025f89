//! A limb in closed form: its bend from the distance of the target, its direction, and its swivel.
//!
//! The distance between the first joint and the end depends only on the joints between them. One hinge has a closed form.
//! Several hinges bend together by the same angle, which is found by bisection. Then the first joint turns the limb to the
//! target. The swivel, the turn about the line to the target, stays as near to that of the stance as the limit of the
//! first joint allows.

use std::f64::consts::{FRAC_PI_2, PI};

use glam::{DQuat, DVec3};

use crate::ik::figure::LimbHinge;
use crate::ik::rotation::{any_perpendicular, rotation_vector, shortest_arc, wrapped};
use crate::ik::swing_twist;

use super::posed::{Limits, Posed};
use super::swivel::{MAX_SWIVEL, Swivels, allowed, way_out};

/// Maximum number of joints of a limb that bend.
pub(super) const MAX_BENDS: usize = 6;

/// How an arm bends by nature. Its elbow points back while it hangs, and is carried along by the shortest arc from there
/// to the direction of the target (Oshita 2021, analytical solution).
#[derive(Clone, Copy, Debug)]
pub(super) struct Nature {
    /// Unit direction in which the arm hangs, in the world.
    pub(super) hanging: DVec3,
    /// Unit direction of the elbow while it hangs.
    pub(super) elbow: DVec3,
    /// How far the arm follows its nature rather than its stance, from 0 to 1.
    pub(super) share: f64,
    /// World position towards which the limb bends instead.
    pub(super) pole: Option<DVec3>,
}

/// How fast a limb may turn in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Speed of the drag, at least 1. The limits are multiplied by it.
    pub(super) speed: f64,
}

/// Largest turn of a joint in a step, radians.
const MAX_TURN_STEP: f64 = 0.13;
/// A bend is slowed down if it is this far from where it should be, radians.
const SLOWED: f64 = 1e-9;
/// Largest turn of the swivel in a step, radians.
const MAX_SWIVEL_STEP: f64 = 0.08;

/// How far the point of a limb is from its target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Miss {
    /// The vector from the point to the target.
    pub(super) vector: DVec3,
    /// Whether the limb is on its way, and only its pace keeps it from the target.
    pub(super) on_the_way: bool,
}

/// A point of a limb, and where it must go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Index of the last joint of the limb that moves the point. 0 if only the first joint does.
    pub(super) last: usize,
    /// The point in the frame of that joint, metres.
    pub(super) point: DVec3,
    /// World position to reach, metres.
    pub(super) target: DVec3,
    /// Whether the limb keeps its direction in the world rather than relative to the trunk, because its end is fixed.
    pub(super) fixed: bool,
    /// Whether the end must stay where it is, at any pace.
    pub(super) held: bool,
}

/// Where the point of a limb must go: the orientation above its first joint, and the vector from that joint to the target.
pub(super) struct Target {
    pub(super) above: DQuat,
    pub(super) to_target: DVec3,
}

/// The geometry of a limb, from its first joint to the point that moves.
pub(super) struct LimbShape<'a> {
    pub(super) hinges: &'a [LimbHinge],
    pub(super) joints: &'a [usize],
    pub(super) last: usize,
    point: DVec3,
    /// For each bending joint: its position in the frame of the joint before it, and the rotation before its hinge turns.
    pub(super) segments: [(DVec3, DQuat); MAX_BENDS],
    /// The hinge angles in the stance.
    stance: [f64; MAX_BENDS],
    /// The hinge angles at which the limb is longest.
    straights: [f64; MAX_BENDS],
    /// For each bending joint, whether a larger angle shortens the limb: 1 or −1.
    signs: [f64; MAX_BENDS],
    limited: bool,
}

impl<'a> LimbShape<'a> {
    /// Measures a limb in a stance. `joints` are its links, and `hinges` are those of the joints between the first and the
    /// last.
    pub(super) fn new(
        stance: &Posed,
        limits: &Limits<'_>,
        (joints, hinges): (&'a [usize], &'a [LimbHinge]),
        (last, point): (usize, DVec3),
    ) -> Self {
        let last = last.min(hinges.len()).min(MAX_BENDS);
        let mut shape = Self {
            hinges,
            joints,
            last,
            point,
            segments: [(DVec3::ZERO, DQuat::IDENTITY); MAX_BENDS],
            stance: [0.0; MAX_BENDS],
            straights: [0.0; MAX_BENDS],
            signs: [1.0; MAX_BENDS],
            limited: limits.apply,
        };
        for (i, hinge) in hinges.iter().enumerate().take(last) {
            let (before, joint) = (joints[i], joints[i + 1]);
            let rest = limits.body.links()[joint].rest;
            let (away, angle) = swing_twist(rest.conjugate() * stance.locals[joint], hinge.axis);
            let offset =
                stance.spins[before].conjugate() * (stance.positions[joint] - stance.positions[before]);
            // Joints between the two, such as twist joints, keep their rotations.
            let between = stance.spins[before].conjugate() * stance.spin_above(joint);
            shape.segments[i] = (offset, (between * rest * away).normalize());
            shape.stance[i] = angle;
        }
        for (i, hinge) in hinges.iter().enumerate().take(last) {
            // The turn nearest to the stance.
            shape.straights[i] = shape.stance[i] + wrapped_any(shape.straight(i) - shape.stance[i]);
            let [min, max] = hinge.range;
            let bends = wrapped_any(0.5 * (min + max) - shape.straights[i]);
            shape.signs[i] = if bends >= 0.0 { 1.0 } else { -1.0 };
        }
        shape
    }

    /// Returns the angle of a hinge at which the limb is longest, if the others are as in the stance.
    fn straight(&self, i: usize) -> f64 {
        let (offset, rotation) = self.segments[i];
        let below = self.below(i, &self.stance);
        let axis = self.hinges[i].axis;
        let above = rotation.conjugate() * (self.above(i) + offset);
        let (a, b) = (below - axis * axis.dot(below), axis.cross(below));
        above.dot(b).atan2(above.dot(a))
    }

    /// Returns the vector from the first joint to the joint before hinge `i`, in the frame of that joint.
    fn above(&self, i: usize) -> DVec3 {
        let mut vector = DVec3::ZERO;
        for k in 0..i {
            let (offset, rotation) = self.segments[k];
            vector = self.turn(k, rotation, self.stance[k]).conjugate() * (vector + offset);
        }
        vector
    }

    /// Returns the vector from hinge `i` to the point, in the frame of the hinge after its turn.
    pub(super) fn below(&self, i: usize, angles: &[f64; MAX_BENDS]) -> DVec3 {
        (i + 1..self.last).rev().fold(self.point, |vector, k| {
            let (offset, rotation) = self.segments[k];
            offset + self.turn(k, rotation, angles[k]) * vector
        })
    }

    pub(super) fn turn(&self, i: usize, before: DQuat, angle: f64) -> DQuat {
        before * DQuat::from_axis_angle(self.hinges[i].axis, angle)
    }

    /// Returns the vector from the first joint to the point, in the frame of the first joint.
    pub(super) fn vector(&self, angles: &[f64; MAX_BENDS]) -> DVec3 {
        match self.last {
            0 => self.point,
            _ => {
                let (offset, rotation) = self.segments[0];
                offset + self.turn(0, rotation, angles[0]) * self.below(0, angles)
            }
        }
    }

    /// Clamps the angle of a hinge to its limit, or to the angle of the stance if that is beyond it.
    pub(super) fn clamp(&self, i: usize, angle: f64) -> f64 {
        let [min, max] = self.hinges[i].range;
        if !self.limited {
            return angle;
        }
        angle.clamp(min.min(self.stance[i]), max.max(self.stance[i]))
    }

    /// Returns the angles if all joints bend by `bend` more than in the stance.
    fn bent(&self, bend: f64) -> [f64; MAX_BENDS] {
        let mut angles = self.stance;
        for (i, angles) in angles.iter_mut().enumerate().take(self.last) {
            let angle = self.stance[i] + self.signs[i] * bend;
            // No joint bends past the pose in which it is straight.
            let straight = self.straights[i];
            let angle = if self.signs[i] > 0.0 { angle.max(straight) } else { angle.min(straight) };
            *angles = self.clamp(i, angle);
        }
        angles
    }

    /// Returns the smallest and the largest distance that the point can have from the first joint.
    pub(super) fn reach(&self) -> [f64; 2] {
        match self.last {
            0 => [self.point.length(); 2],
            1 => {
                let at = |angle: f64| self.vector(&[angle; MAX_BENDS]).length();
                let straight = self.straights[0];
                let far = at(self.clamp(0, straight));
                let near = at(self.clamp(0, straight + self.signs[0] * PI));
                [near.min(far), far]
            }
            _ => {
                let at = |bend: f64| self.vector(&self.bent(bend)).length();
                let (near, far) = (at(FRAC_PI_2), at(-PI));
                [near.min(far), far.max(near)]
            }
        }
    }

    /// Returns the angles for a distance of the point from the first joint.
    fn angles(&self, distance: f64) -> [f64; MAX_BENDS] {
        match self.last {
            0 => self.stance,
            1 => self.hinge(distance),
            _ => self.bisect(distance),
        }
    }

    /// The closed form of one hinge: |o + R(θ) p|² = d² is linear in cos θ and sin θ.
    fn hinge(&self, distance: f64) -> [f64; MAX_BENDS] {
        let (offset, rotation) = self.segments[0];
        let (above, below, axis) = (rotation.conjugate() * offset, self.point, self.hinges[0].axis);
        let along = above.dot(axis) * axis.dot(below);
        let (a, b) = (above.dot(below) - along, above.dot(axis.cross(below)));
        let wanted = 0.5 * (distance * distance - above.length_squared() - below.length_squared()) - along;
        let amplitude = a.hypot(b);
        let cosine = if amplitude > 0.0 { (wanted / amplitude).clamp(-1.0, 1.0) } else { 1.0 };
        let angle = b.atan2(a) + self.signs[0] * cosine.acos();
        // Of all angles that differ by full turns, the one nearest to the middle of the range.
        let [min, max] = self.hinges[0].range;
        let middle = 0.5 * (min + max);
        let angle = middle + wrapped_any(angle - middle);
        [self.clamp(0, angle); MAX_BENDS]
    }

    /// Bends all joints together until the point has the distance.
    fn bisect(&self, distance: f64) -> [f64; MAX_BENDS] {
        let (mut long, mut short) = (-PI, FRAC_PI_2);
        let excess = |bend: f64| self.vector(&self.bent(bend)).length() - distance;
        if excess(long) <= 0.0 {
            return self.bent(long);
        }
        if excess(short) >= 0.0 {
            return self.bent(short);
        }
        for _ in 0..48 {
            let middle = 0.5 * (long + short);
            if excess(middle) > 0.0 { long = middle } else { short = middle }
        }
        self.bent(0.5 * (long + short))
    }

    /// Returns the world orientation of the first joint of a limb whose end is fixed, without its limit.
    pub(super) fn aim(&self, stance: &Posed, base: DVec3, target: DVec3) -> Option<DQuat> {
        let to_target = target - base;
        let direction = to_target.try_normalize()?;
        let spin = stance.spins[self.joints[0]];
        let vector = spin * self.vector(&self.angles(to_target.length()));
        Some((shortest_arc(vector, direction, any_perpendicular(direction)) * spin).normalize())
    }

    /// Poses the limb, so that its point is as near to a target as the limits and the pace allow.
    pub(super) fn pose(
        &self,
        posed: &mut Posed,
        stance: &Posed,
        limits: &Limits<'_>,
        (reach, nature, pace): (&Reach, Option<&Nature>, Option<&Pace>),
    ) -> Miss {
        let first = self.joints[0];
        let base = posed.positions[first];
        let to_target = reach.target - base;
        let Some(direction) = to_target.try_normalize() else {
            return Miss { vector: DVec3::ZERO, on_the_way: false };
        };
        let mut angles = self.angles(to_target.length());
        let free_pace = pace.filter(|_| !reach.held);
        let mut on_the_way =
            free_pace.is_some_and(|pace| self.slow_down(posed, limits, &mut angles, pace.speed));
        let vector = self.vector(&angles);
        let above = posed.spin_above(first);
        let wanted =
            if reach.fixed { stance.spins[first] } else { (above * stance.locals[first]).normalize() };
        let aimed = |spin: DQuat| {
            let arc = shortest_arc(spin * vector, direction, any_perpendicular(direction));
            (arc * spin).normalize()
        };
        let mut spin = aimed(wanted);
        if let Some(nature) = nature {
            let swivel = self.natural_swivel(spin, (base, direction), nature);
            spin = (DQuat::from_axis_angle(direction, swivel * nature.share) * spin).normalize();
        }
        // In a drag, the swivel goes from the current one towards the wanted one. Near the direction opposite to that of
        // the stance, the shortest arc turns by any amount, and a limit may leave several swivels.
        let mut swivels = Swivels { wanted: 0.0, range: [-MAX_SWIVEL, MAX_SWIVEL] };
        if let Some(max) = pace.map(|pace| MAX_SWIVEL_STEP * pace.speed) {
            let current = aimed(posed.spins[first]);
            swivels.wanted = rotation_vector(spin * current.conjugate()).dot(direction);
            swivels.range = [-max, max];
            spin = current;
        }
        let (local, axis) = (above.conjugate() * spin, above.conjugate() * direction);
        if let Some(swivel) = free_pace.and_then(|_| way_out(limits, (first, local), (axis, swivels))) {
            swivels = Swivels { wanted: swivel, range: [swivel; 2] };
        }
        let mut local = allowed(limits, (first, local), (axis, swivels));
        if let Some(max) = free_pace.map(|pace| pace.speed * MAX_TURN_STEP) {
            let slowed = limits.slowed(first, (posed.locals[first], local), max);
            on_the_way |= slowed != local;
            local = slowed;
        }
        let target = Target { above, to_target };
        if !on_the_way && self.limited && self.last > 1 {
            let (wanted_angles, wanted) = self.refine(limits, &target, (angles, local));
            if self.miss(&target, (&wanted_angles, wanted)) < self.miss(&target, (&angles, local)) {
                (angles, local) = (wanted_angles, wanted);
                if let Some(pace) = free_pace {
                    on_the_way = self.slow_down(posed, limits, &mut angles, pace.speed);
                    local = limits.slowed(first, (posed.locals[first], wanted), pace.speed * MAX_TURN_STEP);
                    on_the_way |= local != wanted;
                }
            }
        }
        let vector = self.vector(&angles);
        posed.locals[first] = local;
        for (i, angle) in angles.iter().enumerate().take(self.last) {
            let joint = self.joints[i + 1];
            let rest = limits.body.links()[joint].rest;
            let away = swing_twist(rest.conjugate() * stance.locals[joint], self.hinges[i].axis).0;
            posed.locals[joint] =
                (rest * away * DQuat::from_axis_angle(self.hinges[i].axis, *angle)).normalize();
        }
        let vector = reach.target - (base + (above * local).normalize() * vector);
        Miss { vector, on_the_way }
    }

    /// Returns the current angles of the hinges.
    fn current(&self, posed: &Posed, limits: &Limits<'_>) -> [f64; MAX_BENDS] {
        let mut current = [0.0; MAX_BENDS];
        for (i, angle) in current.iter_mut().enumerate().take(self.last) {
            let joint = self.joints[i + 1];
            let rest = limits.body.links()[joint].rest;
            *angle = swing_twist(rest.conjugate() * posed.locals[joint], self.hinges[i].axis).1;
        }
        current
    }

    /// Limits how far the hinges turn from their current angles. Returns whether that changes an angle.
    fn slow_down(
        &self,
        posed: &Posed,
        limits: &Limits<'_>,
        angles: &mut [f64; MAX_BENDS],
        speed: f64,
    ) -> bool {
        let current = self.current(posed, limits);
        let wanted = *angles;
        let max = MAX_TURN_STEP * speed;
        for (i, angle) in angles.iter_mut().enumerate().take(self.last) {
            let turn = wrapped_any(wanted[i] - current[i]).clamp(-max, max);
            *angle = self.clamp(i, current[i] + turn);
        }
        (0..self.last).any(|i| wrapped_any(wanted[i] - angles[i]).abs() > SLOWED)
    }

    /// Returns the turn about the direction of the target that bends the limb by its nature.
    fn natural_swivel(&self, spin: DQuat, (base, direction): (DVec3, DVec3), nature: &Nature) -> f64 {
        if self.last == 0 {
            return 0.0;
        }
        // The axis of the hinge is defined even for a straight limb.
        let axis = spin * self.segments[0].1 * (self.hinges[0].axis * self.signs[0]);
        let elbow = direction.cross(axis);
        let arc = shortest_arc(nature.hanging, direction, nature.elbow.cross(nature.hanging));
        let natural = nature.pole.map_or(arc * nature.elbow, |pole| pole - base);
        elbow.cross(natural).dot(direction).atan2(elbow.dot(natural))
    }
}

/// Wraps any angle to ±π.
pub(super) fn wrapped_any(angle: f64) -> f64 {
    let turns = (angle / (2.0 * PI)).round();
    wrapped(angle - turns * 2.0 * PI)
}
