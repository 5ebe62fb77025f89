//! The axis that points up in a file.

use glam::{Quat, Vec3};

use super::{Character, Values};

/// The up axis of a file whose format does not define it: BVH files and takes. The result always has +Y up. A quarter turn about the X axis
/// converts +Z to +Y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UpAxis {
    /// +Y, the usual up axis of BVH.
    #[default]
    Y,
    /// +Z, as written by many engineering programs and by some capture programs.
    Z,
}

impl UpAxis {
    /// Converts a vector in the file's space to a space with +Y up.
    pub fn vector(self, vector: Vec3) -> Vec3 {
        match self {
            Self::Y => vector,
            Self::Z => Vec3::new(vector.x, vector.z, -vector.y),
        }
    }

    /// Converts a rotation in the file's space to a space with +Y up.
    pub fn rotation(self, rotation: Quat) -> Quat {
        let axis = self.vector(Vec3::new(rotation.x, rotation.y, rotation.z));
        Quat::from_xyzw(axis.x, axis.y, axis.z, rotation.w)
    }
}

impl Character {
    /// Rotates a character that was read from a BVH file so that +Y is up. The joints keep their positions within the body, and their rest
    /// rotations do not change. Changes nothing and returns false for characters of other formats, because these formats define their axes.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use sinew_character::asset::{UpAxis, bvh};
    /// use sinew_character::glam::Vec3;
    ///
    /// let text = "HIERARCHY ROOT hips { OFFSET 0 0 95 CHANNELS 3 Zrotation Xrotation Yrotation
    ///     End Site { OFFSET 0 0 60 } } MOTION Frames: 1 Frame Time: 0.1
    ///     0 0 0";
    /// let mut character = bvh::read(text, Path::new("up.bvh"), Some(0.01))?;
    /// assert!(character.turn_up(UpAxis::Z));
    /// assert_eq!(character.skeleton.nodes[1].rest.translation, Vec3::Y * 0.6);
    /// # Ok::<(), sinew_character::asset::LoadError>(())
    /// ```
    pub fn turn_up(&mut self, up: UpAxis) -> bool {
        if self.units.is_none() {
            return false;
        }
        for node in &mut self.skeleton.nodes {
            node.rest.translation = up.vector(node.rest.translation);
            node.rest.rotation = up.rotation(node.rest.rotation);
        }
        for channel in self.clips.iter_mut().flat_map(|clip| &mut clip.channels) {
            match &mut channel.values {
                Values::Translation(keys) => keys.iter_mut().for_each(|key| *key = up.vector(*key)),
                Values::Rotation(keys) => keys.iter_mut().for_each(|key| *key = up.rotation(*key)),
                Values::Scale(_) | Values::Weights(_) => {}
            }
        }
        true
    }
}
