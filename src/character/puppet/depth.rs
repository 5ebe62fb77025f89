//! Targets of a pointer, whose depth is unknown.

use glam::{DQuat, DVec3};

use super::Target;
use crate::ik::{AxesFrame, AxisTerm, GoalAxes};

/// The axes of a pointer's target. The third axis of its frame does not count, and its orientation only defines that frame.
const FREE_DEPTH: GoalAxes = GoalAxes {
    frame: AxesFrame::Target,
    position: AxisTerm { weights: DVec3::new(1.0, 1.0, 0.0), tolerance: None },
    orientation: AxisTerm { weights: DVec3::ZERO, tolerance: None },
};

impl Target {
    /// Returns the target of a pointer. `weight` is the weight of the place along a direction, from 0 (the body chooses it) to 1.
    #[doc(hidden)]
    pub fn with_depth(self, along: DVec3, weight: f64) -> Self {
        let orientation = DQuat::from_rotation_arc(DVec3::Z, along.normalize_or(DVec3::Z));
        let mut axes = FREE_DEPTH;
        axes.position.weights.z = weight.clamp(0.0, 1.0);
        Self { orientation: Some(orientation), axes, ..self }
    }

    /// Returns the target for a method without a body that chooses a depth: all axes of a free depth count.
    #[doc(hidden)]
    pub fn with_known_depth(self) -> Self {
        let mut axes = self.axes;
        axes.position.weights.z = 0.0;
        if axes != FREE_DEPTH {
            return self;
        }
        Self { orientation: None, axes: GoalAxes::default(), ..self }
    }
}
