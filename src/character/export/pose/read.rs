//! Reads poses that were exported as JSON, for any character whose joints have the same names.

use std::collections::HashMap;

use glam::{Quat, Vec3};
use serde::Deserialize;

use crate::asset::{Skeleton, Transform};
use crate::text::printable;

use super::FORMAT;

/// Maximum size of the text of a pose in bytes.
pub const MAX_BYTES: usize = 64 << 20;
/// Maximum deviation of a rotation quaternion's length from one.
const MAX_LENGTH_ERROR: f32 = 1e-3;
/// A translation that differs from the rest pose by less than this fraction of the skeleton's mean bone length counts as equal.
const SAME_LENGTH: f32 = 1e-3;

/// The reason why text cannot be read as a pose, or why the pose cannot be applied to a character.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadPoseError {
    /// The text is too long.
    #[error("the text has more than {} MB, which is too much for a pose", MAX_BYTES >> 20)]
    TooLarge,
    /// The text is not JSON with the keys of a pose.
    #[error("the text is not a pose: {0}")]
    Json(String),
    /// The text has a different format.
    #[error("the text is not a pose: \"format\" must be \"{FORMAT}\"")]
    Format,
    /// A joint has an invalid transform.
    #[error("joint \"{joint}\": {cause}")]
    Value {
        /// The name of the joint, or its index if it has none.
        joint: String,
        /// The fault in the transform.
        cause: &'static str,
    },
    /// The pose belongs to a character with different joints.
    #[error("the pose belongs to another character: only {found} of its {all} joints exist here")]
    OtherCharacter {
        /// Number of joints that exist in this character.
        found: usize,
        /// Number of joints of the pose.
        all: usize,
    },
}

/// A pose of an unknown character. Joints are identified by their names.
#[derive(Clone, Debug)]
pub struct StoredPose {
    nodes: Vec<(Option<String>, Transform)>,
    morphs: Vec<f32>,
}

/// A pose of a character: local transforms of some nodes, and all morph weights or none.
pub type FittedPose = (Vec<(usize, Transform)>, Vec<f32>);

#[derive(Deserialize)]
struct Document {
    format: String,
    nodes: Vec<Node>,
    #[serde(default)]
    morphs: Vec<f32>,
}

#[derive(Deserialize)]
struct Node {
    #[serde(default)]
    name: Option<String>,
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
}

impl StoredPose {
    /// Reads the JSON text of a [`PoseDocument`](super::PoseDocument).
    ///
    /// # Errors
    /// [`ReadPoseError`] if the text is not a pose or has an invalid number.
    pub fn read(text: &str) -> Result<Self, ReadPoseError> {
        if text.len() > MAX_BYTES {
            return Err(ReadPoseError::TooLarge);
        }
        let document: Document = serde_json::from_slice(text.as_bytes())
            .map_err(|e| ReadPoseError::Json(printable::cause(&e.to_string())))?;
        if document.format != FORMAT {
            return Err(ReadPoseError::Format);
        }
        let nodes = document.nodes.into_iter().enumerate().map(|(index, node)| node.read(index));
        let morphs = document.morphs.into_iter().filter(|w| w.is_finite()).collect();
        Ok(Self { nodes: nodes.collect::<Result<_, _>>()?, morphs })
    }

    /// Returns the rest pose of a character. In a posed copy, this is the copied pose.
    pub fn of_copy(skeleton: &Skeleton) -> Self {
        let nodes = skeleton.nodes.iter().map(|node| (node.name.clone(), node.rest)).collect();
        Self { nodes, morphs: skeleton.rest_weights.clone() }
    }

    /// Returns the pose for a character: the transforms of all joints that the pose and the character share.
    ///
    /// If the character has different bone lengths, only the rotations and the position of `hips` are used. The position is scaled by the
    /// mean ratio of the bone lengths.
    ///
    /// # Errors
    /// [`ReadPoseError::OtherCharacter`] if the character has fewer than half of the joints of the pose.
    pub fn fit(&self, skeleton: &Skeleton, hips: Option<usize>) -> Result<FittedPose, ReadPoseError> {
        let pairs = self.matched(skeleton);
        let (found, all) = (pairs.len(), self.nodes.len());
        if found == 0 || 2 * found < all {
            return Err(ReadPoseError::OtherCharacter { found, all });
        }
        let bones = pairs.iter().filter(|(_, node, _)| Some(*node) != hips);
        let lengths = bones.map(|(rest, _, local)| (rest.length(), local.translation.length()));
        let (here, there) = lengths.fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let tolerance = SAME_LENGTH * here / found as f32;
        let same = pairs.iter().filter(|(rest, _, local)| rest.distance(local.translation) <= tolerance);
        let has_same_lengths = 2 * same.count() >= found;
        let fitted = |(rest, node, local): (Vec3, usize, &Transform)| {
            if has_same_lengths {
                return (node, *local);
            }
            let scale = skeleton.nodes.get(node).map_or(Vec3::ONE, |n| n.rest.scale);
            let moved =
                Some(local.translation * (here / there)).filter(|t| Some(node) == hips && t.is_finite());
            (node, Transform { translation: moved.unwrap_or(rest), scale, ..*local })
        };
        let nodes = pairs.into_iter().map(fitted).collect();
        let fits = self.morphs.len() == skeleton.rest_weights.len();
        Ok((nodes, if fits { self.morphs.clone() } else { Vec::new() }))
    }

    /// Returns the rest translation, the node and the transform in the pose of each joint that exists in a skeleton. Joints that share a
    /// name are matched in order.
    fn matched(&self, skeleton: &Skeleton) -> Vec<(Vec3, usize, &Transform)> {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, node) in skeleton.nodes.iter().enumerate().rev() {
            if let Some(name) = &node.name {
                by_name.entry(name).or_default().push(index);
            }
        }
        let is_alike = self.nodes.len() == skeleton.nodes.len();
        let mut pairs = Vec::new();
        for (index, (name, local)) in self.nodes.iter().enumerate() {
            let node = match name {
                Some(name) => by_name.get_mut(name.as_str()).and_then(Vec::pop),
                // Joints without names are identified by their index.
                None => Some(index).filter(|_| is_alike),
            };
            let rest = node.and_then(|n| Some((skeleton.nodes.get(n)?.rest.translation, n)));
            pairs.extend(rest.map(|(rest, node)| (rest, node, local)));
        }
        pairs
    }
}

impl Node {
    fn read(self, index: usize) -> Result<(Option<String>, Transform), ReadPoseError> {
        let rotation = Quat::from_array(self.rotation);
        let (translation, scale) = (Vec3::from_array(self.translation), Vec3::from_array(self.scale));
        let cause = match () {
            () if !(translation.is_finite() && scale.is_finite()) => "value is too large",
            () if (rotation.length() - 1.0).abs().is_nan()
                || (rotation.length() - 1.0).abs() > MAX_LENGTH_ERROR =>
            {
                "rotation must be a quaternion of length 1"
            }
            () => return Ok((self.name, Transform { translation, rotation, scale })),
        };
        let joint = self.name.map_or_else(|| format!("#{index}"), |name| printable::cause(&name));
        Err(ReadPoseError::Value { joint, cause })
    }
}
