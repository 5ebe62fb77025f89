//! The checks, with their names, units and default limits.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::api::{ParseError, named};

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// Worth knowing, but not a fault.
    Information,
    /// A fault in some engines, or probably a fault.
    Warning,
    /// A fault. The clip fails.
    Error,
}

impl Severity {
    /// Returns the name that the program and reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Information => "information",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A check of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Check {
    /// A foot moves over the ground while it stands.
    FootSlide,
    /// The body passes through the floor.
    Penetration,
    /// The body or a foot hovers above the floor.
    Floating,
    /// A joint jumps where a loop starts over.
    SeamPosition,
    /// A rotation jumps where a loop starts over.
    SeamRotation,
    /// A speed jumps where a loop starts over.
    SeamVelocity,
    /// A joint turns by a large angle within one frame.
    Flip,
    /// The root or a joint moves impossibly far within one frame.
    Jump,
    /// A joint leaves its range.
    Limit,
    /// A joint leaves its path for a few frames, or trembles.
    Jerk,
    /// A limb passes through another part of the body.
    SelfPenetration,
    /// The root's speed does not match the feet.
    RootSpeed,
    /// A key contains a number that is not finite.
    NotFinite,
    /// The quaternion of a key does not have unit length.
    Unnormalised,
    /// The times of keys are not valid or not increasing.
    KeyTimes,
    /// A clip of zero length, or channels that end before the clip.
    Duration,
    /// A channel of a joint that does not exist or that cannot be played.
    MissingTarget,
    /// A joint's scale is negative, non-uniform or changing.
    Scale,
    /// Successive keys on opposite hemispheres, which some engines interpolate the long way.
    Hemisphere,
    /// Successive keys so far apart that interpolation between them is arbitrary.
    SparseKeys,
    /// Keys that are not on a common frame grid.
    FrameGrid,
    /// Channels that never change.
    Constant,
    /// A limb that no key moves while the rest of the body moves.
    Frozen,
    /// The first frame is far from the rest pose.
    StartPose,
    /// The root drifts away in a clip that stays in place.
    RootDrift,
    /// Clips that are blended together step at different phases or differ in length.
    Gait,
}

impl Check {
    /// All checks, in the order in which they are reported.
    pub const ALL: [Self; 26] = [
        Self::FootSlide,
        Self::Penetration,
        Self::Floating,
        Self::SeamPosition,
        Self::SeamRotation,
        Self::SeamVelocity,
        Self::Flip,
        Self::Jump,
        Self::Limit,
        Self::Jerk,
        Self::SelfPenetration,
        Self::RootSpeed,
        Self::NotFinite,
        Self::Unnormalised,
        Self::KeyTimes,
        Self::Duration,
        Self::MissingTarget,
        Self::Scale,
        Self::Hemisphere,
        Self::SparseKeys,
        Self::FrameGrid,
        Self::Constant,
        Self::Frozen,
        Self::StartPose,
        Self::RootDrift,
        Self::Gait,
    ];

    /// Returns the name that the program, suites and reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::FootSlide => "foot-slide",
            Self::Penetration => "penetration",
            Self::Floating => "floating",
            Self::SeamPosition => "seam-position",
            Self::SeamRotation => "seam-rotation",
            Self::SeamVelocity => "seam-velocity",
            Self::Flip => "flip",
            Self::Jump => "jump",
            Self::Limit => "limit",
            Self::Jerk => "jerk",
            Self::SelfPenetration => "self-penetration",
            Self::RootSpeed => "root-speed",
            Self::NotFinite => "not-finite",
            Self::Unnormalised => "unnormalised",
            Self::KeyTimes => "key-times",
            Self::Duration => "duration",
            Self::MissingTarget => "missing-target",
            Self::Scale => "scale",
            Self::Hemisphere => "hemisphere",
            Self::SparseKeys => "sparse-keys",
            Self::FrameGrid => "frame-grid",
            Self::Constant => "constant",
            Self::Frozen => "frozen",
            Self::StartPose => "start-pose",
            Self::RootDrift => "root-drift",
            Self::Gait => "gait",
        }
    }

    /// Returns the unit of the check's values and limit.
    pub fn unit(self) -> &'static str {
        match self {
            Self::FootSlide | Self::Penetration | Self::Floating | Self::SeamPosition => "m",
            Self::Jump | Self::SelfPenetration | Self::RootDrift => "m",
            Self::SeamVelocity | Self::RootSpeed => "m/s",
            Self::SeamRotation | Self::Flip | Self::Limit | Self::Jerk => "degrees",
            Self::SparseKeys | Self::StartPose => "degrees",
            Self::Duration => "s",
            Self::Gait => "cycles",
            Self::Unnormalised | Self::Scale => "",
            Self::NotFinite | Self::KeyTimes | Self::MissingTarget | Self::Hemisphere => "keys",
            Self::FrameGrid | Self::Constant | Self::Frozen => "channels",
        }
    }

    /// Returns the largest value that is accepted by default. Lengths are for a person of 1.75 m.
    pub fn default_limit(self) -> f64 {
        match self {
            Self::FootSlide => 0.03,
            Self::Penetration | Self::Floating => 0.03,
            Self::SeamPosition => 0.02,
            Self::SeamRotation => 4.0,
            Self::SeamVelocity => 0.5,
            Self::Flip => 90.0,
            Self::Jump => 0.5,
            Self::Limit => 15.0,
            Self::Jerk => 6.0,
            Self::SelfPenetration => 0.03,
            Self::RootSpeed => 0.15,
            Self::Unnormalised => 1e-3,
            Self::Duration => 0.02,
            Self::Scale => 1e-3,
            Self::SparseKeys => 120.0,
            Self::StartPose => 90.0,
            Self::RootDrift => 0.1,
            Self::Gait => 0.15,
            Self::NotFinite | Self::KeyTimes | Self::MissingTarget | Self::Hemisphere => 0.0,
            Self::FrameGrid | Self::Constant | Self::Frozen => 0.0,
        }
    }

    /// Returns whether the check's limit is a length or a speed, which is scaled to the size of the character.
    pub(super) fn is_scaled(self) -> bool {
        matches!(self.unit(), "m" | "m/s")
    }

    /// Returns how serious the check's findings are.
    pub fn severity(self) -> Severity {
        match self {
            Self::Hemisphere | Self::SparseKeys | Self::Scale | Self::RootDrift | Self::Duration => {
                Severity::Warning
            }
            Self::MissingTarget | Self::Gait => Severity::Warning,
            Self::FrameGrid | Self::Constant | Self::Frozen | Self::StartPose => Severity::Information,
            _ => Severity::Error,
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Check {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        named("check", text, Self::ALL.map(|check| (check.name(), check)))
    }
}
