//! Targets of a pointer, which does not know how far away it is.

use glam::{DQuat, DVec3};

use super::Target;
use crate::ik::{AxesFrame, AxisTerm, GoalAxes};

/// The axes of a pointer's target. The third axis of its frame does not count, and its orientation is only that frame.
const FREE_DEPTH: GoalAxes = GoalAxes {
    frame: AxesFrame::Target,
    position: AxisTerm { weights: DVec3::new(1.0, 1.0, 0.0), tolerance: None },
    orientation: AxisTerm { weights: DVec3::ZERO, tolerance: None },
};

impl Target {
    /// Returns the target of a pointer: the body may choose the place along a direction.
    pub(crate) fn with_free_depth(self, along: DVec3) -> Self {
        let orientation = DQuat::from_rotation_arc(DVec3::Z, along.normalize_or(DVec3::Z));
        Self { orientation: Some(orientation), axes: FREE_DEPTH, ..self }
    }

    /// Returns the target for a method that has no body to choose a depth: all axes of a free depth count.
    pub(crate) fn with_known_depth(self) -> Self {
        if self.axes != FREE_DEPTH {
            return self;
        }
        Self { orientation: None, axes: GoalAxes::default(), ..self }
    }
}
