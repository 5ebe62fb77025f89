//! The errors of a pose, and the lengths of chains.

use glam::DVec3;

use crate::rotation::rotation_vector;

use super::prismatic::SegmentLengths;
use super::{EffectorTask, Tree};

/// Factor for the squared errors of pins when steps are evaluated. A step violates pins to second order, and the next
/// step corrects this violation. With a larger factor, such steps would be rejected.
pub(crate) const PIN_WEIGHT: f64 = 10.0;

/// The errors of a pose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    /// Sum of squared errors of the pinned goals that are outside their tolerance, in square world metres.
    pin_error: f64,
    /// Weighted sum of squared errors, in square world metres.
    pub(crate) sum: f64,
    /// Whether all goals with a positive weight are within tolerance.
    pub(crate) done: bool,
}

impl Measure {
    /// Returns whether this pose is better than another. Pinned goals are compared first.
    #[inline]
    pub(crate) fn is_better(&self, than: &Self) -> bool {
        let pins = self.pin_error.total_cmp(&than.pin_error);
        pins.then(than.done.cmp(&self.done)).then(self.sum.total_cmp(&than.sum)).is_lt()
    }

    /// Returns whether all pinned goals are within tolerance.
    pub(crate) fn meets_pins(&self) -> bool {
        self.pin_error == 0.0
    }
}

impl Tree {
    /// Returns the distance in world metres from an effector to its target, not counting free axes.
    pub(crate) fn error(&self, task: usize) -> Option<f64> {
        let task = &self.tasks[task];
        task.target.map(|target| task.position_term.length(self.world_from_base * (target - task.position)))
    }

    /// Returns the larger of the orientation error and the aim error of an effector, in radians, not counting free axes.
    pub(crate) fn angle_error(&self, task: usize) -> Option<f64> {
        let task = &self.tasks[task];
        let turns = [task.orientation.map(|_| task.turn), task.aim.map(|_| task.aim_turn)];
        turns.into_iter().flatten().map(DVec3::length).max_by(f64::total_cmp)
    }

    /// Returns an effector's distance from its target in world metres, and the larger of its orientation error and its aim error in
    /// radians. Free axes count too.
    pub(crate) fn full_errors(&self, task: usize) -> (Option<f64>, Option<f64>) {
        let task = &self.tasks[task];
        let (target, orientation) = task.stated;
        let position = target.map(|target| (self.world_from_base * (target - task.position)).length());
        let turn = orientation.map(|target| match task.orientation_term.axes {
            None if task.orientation.is_some() => task.turn,
            _ => rotation_vector(target * task.rotation.conjugate()),
        });
        let turns = [turn, task.aim.map(|_| task.aim_turn)];
        (position, turns.into_iter().flatten().map(DVec3::length).max_by(f64::total_cmp))
    }

    /// Returns whether an effector is within its tolerances. Free axes do not count.
    pub(crate) fn is_reached(&self, task: usize) -> bool {
        let EffectorTask { position_term, orientation_term, turn, aim_turn, tolerance, .. } =
            &self.tasks[task];
        let task = &self.tasks[task];
        let position = task.target.map(|target| self.world_from_base * (target - task.position));
        let aim_tolerance = orientation_term.norm_tolerance().unwrap_or(self.angle_tolerance);
        position.is_none_or(|e| position_term.is_within(e, *tolerance))
            && task.orientation.is_none_or(|_| orientation_term.is_within(*turn, self.angle_tolerance))
            && task.aim.is_none_or(|_| aim_turn.length() <= aim_tolerance)
    }

    /// Returns the sum, in world metres, of an effector's position error and its angle error converted to a length.
    pub(crate) fn task_error(&self, task: usize) -> f64 {
        let turn =
            self.angle_error(task).unwrap_or(0.0) * self.characteristic_length * self.tasks[task].length;
        self.error(task).unwrap_or(0.0) + turn
    }

    /// Returns the weighted squared error of an effector without the weight of its goal, in square world metres.
    fn weighted_square(&self, task: &EffectorTask) -> f64 {
        let EffectorTask { position_term, orientation_term, .. } = task;
        let error = task.target.map_or(0.0, |target| {
            position_term.weighted_length(self.world_from_base * (target - task.position))
        });
        let orientation = task
            .orientation
            .map_or(0.0, |_| orientation_term.weight.sqrt() * orientation_term.weighted_length(task.turn));
        let aim = task.aim.map_or(0.0, |_| task.aim_turn.length());
        let turn = orientation.max(aim) * self.characteristic_length * task.length;
        position_term.weight * (error * error) + turn * turn
    }

    /// Measures the errors of the current pose.
    pub(crate) fn measure(&self) -> Measure {
        let mut measure = Measure { pin_error: 0.0, sum: 0.0, done: true };
        for task in 0..self.tasks.len() {
            let EffectorTask { weight, pinned, .. } = self.tasks[task];
            let reached = self.is_reached(task);
            let square = self.weighted_square(&self.tasks[task]);
            measure.sum += weight * square * if pinned { PIN_WEIGHT } else { 1.0 };
            measure.done &= reached || weight == 0.0;
            if pinned && !reached {
                measure.pin_error += square;
            }
        }
        measure
    }

    /// Returns the length of the longest chain in the loaded pose, in base space. This length is only used as a scale. It
    /// is therefore computed only once, although scales inside a chain may change it a little.
    pub(crate) fn length(&self) -> f64 {
        self.length
    }

    /// Returns whether an effector cannot reach its target, regardless of the other goals.
    pub(crate) fn is_out_of_reach(&self, task: usize) -> bool {
        self.is_beyond(task, |_| 0.0)
    }

    /// Returns whether an effector cannot come within its tolerance of the target, even without limits and other goals.
    pub(crate) fn is_beyond_bones(&self, task: usize) -> bool {
        let tolerance = self.tasks[task].tolerance;
        self.is_beyond(task, |lengths| tolerance * lengths.sum / nonzero_length(lengths.world))
    }

    fn is_beyond(&self, task: usize, margin: impl Fn(&Lengths) -> f64) -> bool {
        let lengths = self.lengths(task);
        let margin = margin(&lengths);
        self.has_uniform_scale
            && !self.root_moves
            && self.tasks[task].target.is_some()
            && (lengths.is_farther(margin) || lengths.is_nearer(margin))
    }

    /// Returns the largest position error, in world metres, of the effectors with a positive weight.
    pub(crate) fn largest_error(&self) -> f64 {
        let counts = |task: &usize| self.tasks[*task].weight > 0.0;
        (0..self.tasks.len()).filter(counts).filter_map(|task| self.error(task)).fold(0.0, f64::max)
    }

    /// Measures the segments from the topmost joint to an effector.
    pub(crate) fn lengths(&self, task: usize) -> Lengths {
        let task = &self.tasks[task];
        let mut lengths = Lengths::default();
        let (mut end, mut next) = (task.position, task.joint);
        // The lengths of the segment that ends at the last joint, if that joint is prismatic.
        let mut changing: Option<SegmentLengths> = None;
        while let Some(joint) = next.map(|j| &self.joints[j]) {
            let stretch = end - joint.position;
            match changing.take() {
                None => {
                    let length = stretch.length();
                    lengths.sum += length;
                    lengths.nominal += length;
                    lengths.longest = lengths.longest.max(2.0 * length);
                    lengths.world += (self.world_from_base * stretch).length();
                }
                Some(changing) => lengths.add(changing),
            }
            (end, next) = (joint.position, joint.parent);
            if let Some(prismatic) = &joint.prismatic {
                changing = self.segment_lengths(joint);
                if next.is_none() {
                    end -= joint.slide(prismatic) * joint.displacement;
                }
            }
        }
        if let Some(first) = changing {
            lengths.add(first);
        }
        // A target with a free axis extends to infinity. Its nearest point is determined in world space.
        lengths.is_bounded = !task.position_term.has_free_axes();
        let nearest = self.nearest_target(task, end).filter(|_| lengths.is_bounded || self.is_placed_evenly);
        lengths.to_target = nearest.map_or(0.0, |target| (target - end).length());
        lengths
    }
}

/// Returns a length to use as a scale. A chain of zero length, which is one joint that turns in place, counts as one
/// metre long.
pub(super) fn nonzero_length(length: f64) -> f64 {
    if length > 0.0 { length } else { 1.0 }
}

/// The lengths of an effector's chain.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lengths {
    /// Sum of the segment lengths in base space. For segments of variable length, the maximum length is used.
    pub(crate) sum: f64,
    /// The maximum, over all segments, of the sum of a segment's minimum and maximum length, in base space. The two
    /// lengths are equal for most segments.
    longest: f64,
    /// Sum of the segment lengths in base space. For segments of variable length, the length in the rest pose is used, so that tolerances
    /// do not grow with the range of a prismatic joint.
    pub(crate) nominal: f64,
    /// The sum `nominal`, in world metres.
    pub(crate) world: f64,
    /// Distance from the topmost joint to the target, in base space. If the target has free axes, this is the distance to
    /// its nearest point.
    to_target: f64,
    /// Whether the target has no free axes.
    is_bounded: bool,
}

impl Lengths {
    /// Adds a segment of variable length.
    fn add(&mut self, segment: SegmentLengths) {
        self.sum += segment.largest;
        self.longest = self.longest.max(segment.least + segment.largest);
        self.nominal += segment.nominal;
        self.world += segment.world;
    }

    /// Returns whether the target is beyond the reach of a rigid chain.
    pub(crate) fn too_far(&self) -> bool {
        self.is_farther(0.0)
    }

    /// Returns whether the target is beyond the reach of a rigid chain by more than `margin`, in base space.
    fn is_farther(&self, margin: f64) -> bool {
        self.to_target > self.sum + margin
    }

    /// Returns whether a rigid chain cannot fold far enough to reach the target, by more than `margin` in base space.
    fn is_nearer(&self, margin: f64) -> bool {
        self.is_bounded && self.to_target < self.longest - self.sum - margin
    }
}
