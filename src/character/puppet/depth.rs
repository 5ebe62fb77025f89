//! Targets that are set with a pointer and therefore have no known depth.

use glam::{DQuat, DVec3};

use super::Target;
use crate::ik::{AxesFrame, AxisTerm, GoalAxes};

/// The axes of a pointer's target. The target's orientation only defines the frame of the axes, and the third axis is free.
const FREE_DEPTH: GoalAxes = GoalAxes {
    frame: AxesFrame::Target,
    position: AxisTerm { weights: DVec3::new(1.0, 1.0, 0.0), tolerance: None },
    orientation: AxisTerm { weights: DVec3::ZERO, tolerance: None },
};

impl Target {
    /// Returns the target of a pointer. `along` is the direction of the depth, and `weight` is its weight, from 0 (the body chooses the
    /// depth) to 1.
    pub fn with_depth(self, along: DVec3, weight: f64) -> Self {
        let orientation = DQuat::from_rotation_arc(DVec3::Z, along.normalize_or(DVec3::Z));
        let mut axes = FREE_DEPTH;
        axes.position.weights.z = weight.clamp(0.0, 1.0);
        Self { orientation: Some(orientation), axes, ..self }
    }

    /// Returns the target for methods that cannot choose a depth. A target with a free depth becomes a position along all axes.
    pub fn with_known_depth(self) -> Self {
        let mut axes = self.axes;
        axes.position.weights.z = 0.0;
        if axes != FREE_DEPTH {
            return self;
        }
        Self { orientation: None, axes: GoalAxes::default(), ..self }
    }
}
