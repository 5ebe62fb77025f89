//! The poses in which to look for a body. The rest pose of a motion capture file may have all bones along one axis, or a different up axis.

use glam::{Quat, Vec3};

use crate::asset::{Character, Clip, Interpolation, Values};
use crate::pose::Pose;

/// Number of clips whose first pose is tried.
const MAX_CLIPS: usize = 3;
/// The axes of the world that may be up, with their names. Most files use the first axis.
const UPS: [(Vec3, &str); 5] =
    [(Vec3::Y, "+Y"), (Vec3::Z, "+Z"), (Vec3::NEG_Z, "-Z"), (Vec3::X, "+X"), (Vec3::NEG_X, "-X")];

/// The rest pose or the pose at the start of a clip, and the axis that is up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stance {
    clip: Option<usize>,
    up: (Vec3, &'static str),
}

impl Stance {
    pub(super) fn rest() -> Self {
        Self { clip: None, up: UPS[0] }
    }

    /// Returns all other poses, the most common first.
    pub(super) fn others(character: &Character) -> impl Iterator<Item = Self> + use<> {
        let clips = (0..character.clips.len().min(MAX_CLIPS)).map(Some);
        let poses: Vec<_> = std::iter::once(None).chain(clips).collect();
        let all =
            UPS.into_iter().flat_map(move |up| poses.clone().into_iter().map(move |clip| Self { clip, up }));
        all.skip(1)
    }

    pub(super) fn is_rest(&self) -> bool {
        self.clip.is_none()
    }

    /// Returns whether the up axis is not +Y.
    pub(super) fn lies(&self) -> bool {
        self.up.0 != Vec3::Y
    }

    /// Returns the axis of the world that is up.
    pub(super) fn up(&self) -> Vec3 {
        self.up.0
    }

    /// Returns the rotation that makes the body upright.
    pub(super) fn upright(&self) -> Quat {
        Quat::from_rotation_arc(self.up.0, Vec3::Y)
    }

    pub(super) fn pose(&self, character: &Character) -> Pose {
        let mut pose = Pose::rest(&character.skeleton);
        if let Some(clip) = self.clip.and_then(|clip| character.clips.get(clip)) {
            start(clip, &mut pose);
        }
        pose
    }

    /// Returns an observation for the user, unless the body is upright in the rest pose.
    pub(super) fn reason(&self) -> Option<String> {
        let pose = self.clip.map(|clip| format!("it is seen in the first pose of animation {clip}"));
        let up = self.lies().then(|| format!("its up axis is {}", self.up.1));
        match (pose, up) {
            (Some(pose), Some(up)) => Some(format!("{pose}, {up}")),
            (pose, up) => pose.or(up),
        }
    }
}

/// Sets the transforms of nodes to the first key of a clip.
fn start(clip: &Clip, pose: &mut Pose) {
    for channel in &clip.channels {
        let first = usize::from(channel.interpolation == Interpolation::CubicSpline);
        let Some(local) = pose.locals.get_mut(channel.node) else { continue };
        match &channel.values {
            Values::Translation(keys) => {
                local.translation = keys.get(first).copied().unwrap_or(local.translation);
            }
            Values::Rotation(keys) => {
                local.rotation = keys.get(first).and_then(|q| checked(*q)).unwrap_or(local.rotation);
            }
            Values::Scale(keys) => local.scale = keys.get(first).copied().unwrap_or(local.scale),
            Values::Weights(_) => {}
        }
    }
}

/// Returns a unit quaternion, because keys of splines are not normalised.
fn checked(rotation: Quat) -> Option<Quat> {
    let length = rotation.length();
    (length.is_finite() && length > 0.0).then(|| rotation / length)
}
