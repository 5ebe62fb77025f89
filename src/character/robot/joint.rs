//! The joints of robots.

use crate::asset::MechanicalJoint;
use crate::ik::{Limit, LinkIndex};

/// The unit of a joint value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointUnit {
    /// Radians, for a hinge.
    Radians,
    /// Metres, for a slide.
    Metres,
}

impl JointUnit {
    /// Returns the unit of a joint with one value.
    pub(super) fn of(limit: &Limit) -> Option<Self> {
        match limit {
            Limit::Hinge { .. } => Some(Self::Radians),
            Limit::Prismatic { .. } => Some(Self::Metres),
            _ => None,
        }
    }

    /// Returns the symbol, `rad` or `m`.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Radians => "rad",
            Self::Metres => "m",
        }
    }
}

/// A joint with a value in `q`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RobotJoint {
    /// Name in the file.
    pub name: String,
    /// The unit of the joint's value.
    pub unit: JointUnit,
    /// The smallest and the largest value. `None` for a continuous joint, which rotates without limit.
    pub range: Option<[f64; 2]>,
    /// Maximum speed in radians or metres per second, if the file has one.
    pub velocity: Option<f64>,
    /// The initial value: 0, or the middle of a range that excludes 0.
    pub rest: f64,
    /// Index of the link that the joint moves.
    pub link: LinkIndex,
    /// Whether mimic joints follow this one. If true, `values` does not shift the joint's value by whole revolutions towards `near`.
    pub(super) is_leader: bool,
}

impl RobotJoint {
    pub(super) fn new(joint: &MechanicalJoint, link: LinkIndex, unit: JointUnit) -> Self {
        Self {
            name: joint.name.clone(),
            unit,
            range: joint.kind.range(),
            velocity: joint.velocity,
            rest: joint.rest_value,
            link,
            is_leader: false,
        }
    }

    /// Returns the nearest value within the range.
    pub fn clamp(&self, value: f64) -> f64 {
        self.range.map_or(value, |[min, max]| value.max(min).min(max))
    }
}

/// A joint that follows another one: `ratio · leader + offset`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RobotMimic {
    /// Name in the file.
    pub name: String,
    /// The unit of the joint's value.
    pub unit: JointUnit,
    /// Position of the leader in `q`.
    pub leader: usize,
    /// URDF's multiplier.
    pub ratio: f64,
    /// URDF's offset, in radians or metres.
    pub offset: f64,
    /// Maximum speed in radians or metres per second, if the file has one.
    pub velocity: Option<f64>,
    /// Index of the link that the joint moves.
    pub link: LinkIndex,
}
