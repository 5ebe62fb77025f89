//! Reads the data that VRM 0 (`VRM`) and VRM 1.0 (`VRMC_*`) add to glTF: the humanoid map, spring bones, node constraints and gaze. Invalid
//! data is left out with a warning, because a character is usable without it.

mod animation;
mod constraints;
mod humanoid;
mod json;
mod look_at;
mod read_springs;
mod springs;
mod springs_0;
mod subtrees;

pub(super) use animation::face_tracks;
pub use animation::{ExpressionTrack, FaceTracks};
pub(super) use constraints::constraints;
pub use constraints::{Constraint, ConstraintAxis, ConstraintKind};
pub(super) use humanoid::humanoid;
pub(super) use json::Problems;
pub(super) use look_at::look_at;
pub use look_at::{LookAt, LookAtKind, RangeMap};
pub use springs::{Collider, ColliderShape, Spring, SpringBones, SpringJoint};

use serde_json::{Map, Value};

use super::Skeleton;

/// Reads the spring bones of either version from the root extensions of a file.
pub(super) fn spring_bones(
    extensions: &Map<String, Value>,
    skeleton: &Skeleton,
    problems: &mut Problems,
) -> SpringBones {
    match (extensions.get("VRMC_springBone"), extensions.get("VRM")) {
        (Some(v1), _) => read_springs::version_1(v1, skeleton, problems),
        (None, Some(v0)) => springs_0::version_0(v0, skeleton, problems),
        (None, None) => SpringBones::default(),
    }
}
