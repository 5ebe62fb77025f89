//! Prismatic joints, and the motion of effectors below a joint of any type.

use glam::{DQuat, DVec3};

use super::{Tree, TreeJoint};

/// Displacement that counts as much as a rotation of one radian, as a fraction of the chain's length. This fraction is the
/// mean distance of an effector from the joints of a straight chain, so that turns and displacements contribute equally to
/// a step.
const ARM: f64 = 0.5;

/// The range of lengths of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentLengths {
    /// Minimum length, in base space.
    pub(super) least: f64,
    /// Maximum length, in base space.
    pub(super) largest: f64,
    /// The length in base space without a displacement, or with the smallest displacement that the range allows.
    pub(super) nominal: f64,
    /// The length `nominal`, in world metres.
    pub(super) world: f64,
}

/// The rotation of a joint, and its displacement in metres. At least one of the two is constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JointState {
    pub(crate) rotation: DQuat,
    pub(crate) displacement: f64,
}

/// A joint that moves along one axis.
///
/// The solvers treat a displacement like a turn. Its rotation vector lies along the axis, and its angle is the displacement
/// divided by [`per_radian`](Self::per_radian), so that weights, damping and maximum steps apply to turns and displacements
/// alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prismatic {
    /// Unit axis in the joint's frame before it turns.
    pub(crate) axis: DVec3,
    min: f64,
    max: f64,
    /// Metres of displacement that count as much as a rotation of one radian.
    pub(crate) per_radian: f64,
}

impl Prismatic {
    /// Creates a prismatic joint from its axis in the joint's frame and its range in metres.
    pub(super) fn new(axis: DVec3, [min, max]: [f64; 2]) -> Self {
        Self { axis, min, max, per_radian: 1.0 }
    }

    /// Returns the displacement after `turn`, a rotation vector in the joint's frame. The displacement stops at the border of the range.
    #[inline]
    pub(crate) fn moved(&self, displacement: f64, turn: DVec3) -> f64 {
        self.clamped(displacement + turn.dot(self.axis) * self.per_radian)
    }

    /// Returns the nearest displacement within the range.
    #[inline]
    pub(crate) fn clamped(&self, displacement: f64) -> f64 {
        displacement.max(self.min).min(self.max)
    }

    /// Returns how far the joint may move in the direction of `turn` if `turn` would exceed the range by more than `margin`, and `None`
    /// otherwise. `turn`, `margin` and the result are in radians (see [`Prismatic::per_radian`]).
    #[inline]
    pub(crate) fn room(&self, displacement: f64, turn: f64, margin: f64) -> Option<f64> {
        let left = if turn > 0.0 { self.max - displacement } else { displacement - self.min };
        let room = (left / self.per_radian).max(0.0);
        Some(room).filter(|room| turn.abs() > room + margin)
    }

    /// Returns whether a displacement is within `margin` of the border of the range, or beyond it. `margin` is in radians (see
    /// [`Prismatic::per_radian`]).
    fn is_at_border(&self, displacement: f64, margin: f64) -> bool {
        let margin = margin * self.per_radian;
        displacement <= self.min + margin || displacement >= self.max - margin
    }

    /// Returns the displacement in the middle of the range.
    fn centre(&self) -> f64 {
        0.5 * (self.min + self.max)
    }

    /// Returns the smallest and the largest distance between a fixed point and a point that the joint moves. `vector` points from the fixed
    /// point to the moved point at zero displacement, and `along` is the movement per metre of displacement.
    fn distances(&self, vector: DVec3, along: DVec3) -> (f64, f64) {
        let at = |displacement: f64| (vector + along * displacement).length();
        let ends = [at(self.min), at(self.max)];
        let nearest = -vector.dot(along) / along.length_squared();
        let least = if nearest > self.min && nearest < self.max { at(nearest) } else { ends[0].min(ends[1]) };
        (least, ends[0].max(ends[1]))
    }
}

impl TreeJoint {
    #[inline]
    pub(crate) fn state(&self) -> JointState {
        JointState { rotation: self.rotation, displacement: self.displacement }
    }

    #[inline]
    pub(crate) fn set_state(&mut self, state: JointState) {
        (self.rotation, self.displacement) = (state.rotation, state.displacement);
    }

    /// Returns how far a hinge or a prismatic joint may move in the direction of `turn` if `turn` would exceed its limit by more than
    /// `margin`, and `None` otherwise. All values are in radians (see [`Prismatic::per_radian`]).
    #[inline]
    pub(crate) fn room(&self, turn: f64, margin: f64) -> Option<f64> {
        match (&self.hinge, &self.prismatic) {
            (Some(hinge), _) => hinge.room(self.rotation, turn, margin),
            (None, Some(prismatic)) => prismatic.room(self.displacement, turn, margin),
            (None, None) => None,
        }
    }

    pub(crate) fn rest_state(&self) -> JointState {
        JointState { rotation: self.rest, displacement: 0.0 }
    }

    /// Returns the state in the posture that the secondary task pulls towards. Postures have no displacements.
    pub(crate) fn posture_state(&self) -> JointState {
        JointState { rotation: self.posture, displacement: 0.0 }
    }

    /// Returns the state in the middle of the limit.
    pub(crate) fn centre_state(&self) -> JointState {
        let displacement = self.prismatic.map_or(0.0, |prismatic| prismatic.centre());
        JointState { rotation: self.centre(), displacement }
    }

    /// Returns whether the joint is within `margin` radians of its limit's border. For a prismatic joint, see
    /// [`Prismatic::per_radian`].
    pub(crate) fn is_at_border(&self, margin: f64) -> bool {
        match &self.prismatic {
            Some(prismatic) => prismatic.is_at_border(self.displacement, margin),
            None => self.is_turned_to_border(margin),
        }
    }

    /// Returns the axis of a hinge or a prismatic joint, in the frame before turning, or `None` for other joints.
    #[inline]
    pub(crate) fn only_axis(&self) -> Option<DVec3> {
        match (&self.hinge, &self.prismatic) {
            (Some(hinge), _) => Some(hinge.axis),
            (None, Some(prismatic)) => Some(prismatic.axis),
            (None, None) => None,
        }
    }

    /// Moves the position of the joint by its displacement.
    #[cold]
    pub(super) fn displace(&mut self) {
        if let Some(prismatic) = &self.prismatic {
            self.position += self.slide(prismatic) * self.displacement;
        }
    }

    /// Moves a prismatic joint from the displacement `from`. `turn`, in the joint's frame, represents the change of the displacement.
    #[cold]
    pub(crate) fn slide_by(&mut self, from: f64, turn: DVec3) {
        if let Some(prismatic) = &self.prismatic {
            self.displacement = prismatic.moved(from, turn);
        }
    }

    /// Returns the vector in base space along which a prismatic joint moves the joints below it, per metre of displacement.
    #[inline]
    pub(crate) fn slide(&self, prismatic: &Prismatic) -> DVec3 {
        self.frame * prismatic.axis
    }
}

impl Tree {
    /// Returns, to first order, how a point below a joint turns and moves in base space if the joint turns by `turn`, a rotation vector in
    /// base space. `arm` is the vector from the joint to the point. A prismatic joint does not turn the point.
    #[inline]
    pub(crate) fn motion(&self, joint: &TreeJoint, turn: DVec3, arm: DVec3) -> (DVec3, DVec3) {
        match &joint.prismatic {
            None => (turn, self.velocity(joint, turn, arm)),
            Some(prismatic) => {
                let angle = self.axis_to_frame(joint, turn).dot(prismatic.axis);
                (DVec3::ZERO, joint.slide(prismatic) * (angle * prismatic.per_radian))
            }
        }
    }

    /// Sets the scale of displacements (see [`Prismatic::per_radian`]).
    pub(super) fn scale_displacements(&mut self) {
        let per_radian = ARM * self.length;
        for prismatic in self.joints.iter_mut().filter_map(|j| j.prismatic.as_mut()) {
            prismatic.per_radian = per_radian;
        }
    }

    /// Returns the lengths of the segment that ends at a joint. The segment begins at the parent, or at the undisplaced
    /// position of the topmost joint. Returns `None` if the joint is not prismatic. The length is then constant.
    #[cold]
    pub(super) fn segment_lengths(&self, joint: &TreeJoint) -> Option<SegmentLengths> {
        let prismatic = joint.prismatic.as_ref()?;
        let along = joint.slide(prismatic);
        let unmoved = joint.position - along * joint.displacement;
        let above = joint.parent.map_or(unmoved, |parent| self.joints[parent].position);
        let (least, largest) = prismatic.distances(unmoved - above, along);
        let nominal = unmoved - above + along * prismatic.clamped(0.0);
        let world = (self.world_from_base * nominal).length();
        Some(SegmentLengths { least, largest, nominal: nominal.length(), world })
    }
}
