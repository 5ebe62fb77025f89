//! Options of cyclic coordinate descent.

use serde::{Deserialize, Serialize};

/// Options of cyclic coordinate descent: the order of the joints, and the maximum rotations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CcdOptions {
    /// Whether joints turn in order from the base to the tip instead of from the tip to the base.
    pub base_first: bool,
    /// Maximum rotation of a joint in one step, radians.
    #[serde(with = "cap")]
    pub step: f64,
    /// Maximum rotation of a joint in a whole solve, radians.
    #[serde(with = "cap")]
    pub budget: f64,
    /// Whether the maximum step is multiplied by the number of the joint, counted from the tip, as in MMD.
    pub growing: bool,
}

impl Default for CcdOptions {
    fn default() -> Self {
        Self { base_first: false, step: f64::INFINITY, budget: f64::INFINITY, growing: false }
    }
}

/// Serialises a maximum that may be infinite. Text formats cannot represent infinity, so it is written as a missing
/// value.
mod cap {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(cap: &f64, to: S) -> Result<S::Ok, S::Error> {
        cap.is_finite().then_some(*cap).serialize(to)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
    }
}

impl CcdOptions {
    /// Returns options that imitate the IK of MikuMikuDance (MMD), in which the maximum step grows from the tip. Use
    /// them with [`Start::Rest`](super::Start::Rest).
    pub fn mmd(step: f64) -> Self {
        Self { step, growing: true, ..Self::default() }
    }
}
