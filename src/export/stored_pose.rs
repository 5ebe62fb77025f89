//! Reads exported poses again, for any character with the same joints.

use std::collections::HashMap;

use glam::{Quat, Vec3};
use serde::Deserialize;

use crate::asset::{Character, Skeleton, Transform};
use crate::pose::Pose;

use super::pose::FORMAT;

/// Maximum size of a file in bytes. A pose of a hundred thousand nodes takes a fifth of it.
pub const MAX_POSE_BYTES: u64 = 256 << 20;
/// Maximum deviation of a quaternion's length from one.
const MAX_LENGTH_ERROR: f32 = 1e-3;
/// Largest difference between translations that a posed copy shares with its model, as a part of their length.
const SAME_LENGTH: f32 = 1e-4;
/// In a posed copy, at most one node in this many is translated, besides the root.
const NODES_PER_TRANSLATION: usize = 8;

/// A pose from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPose {
    nodes: Vec<StoredNode>,
    /// All morph weights, or none if the file does not have them.
    weights: Vec<f32>,
}

#[derive(Clone, Debug, PartialEq)]
struct StoredNode {
    name: Option<String>,
    local: Transform,
}

/// Why a pose cannot be read or applied.
#[derive(Debug, thiserror::Error)]
pub enum StoredPoseError {
    /// The file is not JSON, or a value is missing.
    #[error("invalid pose: {0}")]
    Json(#[from] serde_json::Error),
    /// The file is JSON, but not a pose.
    #[error("the file is not a pose; `format` must be \"{FORMAT}\"")]
    Format,
    /// A transform is not finite, or its rotation does not have length one.
    #[error("the transform of node {node} is invalid")]
    Transform {
        /// The index of the node in the file.
        node: usize,
    },
    /// The pose has joints that the character does not have.
    #[error("{missing} of {all} nodes of the pose do not exist in the character, for example \"{name}\"")]
    Nodes {
        /// Number of nodes that were not found.
        missing: usize,
        /// Number of nodes in the pose.
        all: usize,
        /// The name of one that was not found.
        name: String,
    },
}

/// The parts of a pose file that are read.
#[derive(Deserialize)]
struct Document {
    nodes: Vec<NodeDocument>,
    #[serde(default)]
    weights: Vec<f32>,
}

#[derive(Deserialize)]
struct NodeDocument {
    name: Option<String>,
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
}

impl StoredPose {
    /// Reads the JSON of a [`PoseDocument`](super::PoseDocument).
    ///
    /// # Errors
    /// [`StoredPoseError`] if the file is not such a pose.
    pub fn read(bytes: &[u8]) -> Result<Self, StoredPoseError> {
        #[derive(Deserialize)]
        struct Header {
            format: Option<String>,
        }
        let header: Header = serde_json::from_slice(bytes)?;
        if header.format.as_deref() != Some(FORMAT) {
            return Err(StoredPoseError::Format);
        }
        let Document { nodes, weights, .. } = serde_json::from_slice(bytes)?;
        let node = |(node, document): (usize, NodeDocument)| {
            let NodeDocument { name, translation, rotation, scale } = document;
            let (translation, scale) = (Vec3::from(translation), Vec3::from(scale));
            let rotation = Quat::from_array(rotation);
            let is_unit = (rotation.length() - 1.0).abs() < MAX_LENGTH_ERROR;
            let is_valid = is_unit && translation.is_finite() && scale.is_finite();
            let local = Transform { translation, rotation, scale };
            is_valid.then_some(StoredNode { name, local }).ok_or(StoredPoseError::Transform { node })
        };
        let nodes = nodes.into_iter().enumerate().map(node).collect::<Result<_, _>>()?;
        let weights = if weights.iter().all(|w| w.is_finite()) { weights } else { Vec::new() };
        Ok(Self { nodes, weights })
    }

    /// Returns the rest pose of a character, which is the pose of a posed copy.
    pub fn of_copy(character: &Character) -> Self {
        let Skeleton { nodes, rest_weights, .. } = &character.skeleton;
        let nodes = nodes.iter().map(|node| StoredNode { name: node.name.clone(), local: node.rest });
        Self { nodes: nodes.collect(), weights: rest_weights.clone() }
    }

    /// Returns the pose for a character. Nodes are found by name, and those without a name, or with the name of another node, by
    /// their index. Nodes that the file does not have keep their transform in `before`.
    ///
    /// # Errors
    /// [`StoredPoseError::Nodes`] if nodes of the pose do not exist.
    pub fn for_skeleton(&self, skeleton: &Skeleton, before: &Pose) -> Result<Pose, StoredPoseError> {
        let mut by_name = HashMap::new();
        for (index, node) in skeleton.nodes.iter().enumerate() {
            if let Some(name) = node.name.as_deref() {
                by_name.entry(name).or_insert(index);
            }
        }
        let mut pose = before.clone();
        let (mut missing, mut example) = (0, None);
        for (index, node) in self.nodes.iter().enumerate() {
            let is_same = skeleton.nodes.get(index).is_some_and(|other| other.name == node.name);
            let named = || node.name.as_deref().and_then(|name| by_name.get(name).copied());
            let found = if is_same { Some(index) } else { named() };
            match found.and_then(|found| pose.locals.get_mut(found)) {
                Some(local) => *local = node.local,
                None => {
                    missing += 1;
                    example.get_or_insert_with(|| node.name.clone().unwrap_or_else(|| format!("#{index}")));
                }
            }
        }
        if let Some(name) = example {
            return Err(StoredPoseError::Nodes { missing, all: self.nodes.len(), name });
        }
        if self.weights.len() == pose.weights.len() {
            pose.weights.clone_from(&self.weights);
        }
        Ok(pose)
    }
}

/// Returns whether a character is another one in a different pose, as a posed copy is: the nodes are the same, nearly all of them at
/// the same distance from their parents, and some are rotated or translated.
pub fn is_posed_copy(copy: &Character, of: &Character) -> bool {
    let (nodes, others) = (&copy.skeleton.nodes, &of.skeleton.nodes);
    let parts = |c: &Character| c.parts(c.default_scene).len();
    if nodes.len() != others.len() || parts(copy) != parts(of) {
        return false;
    }
    let mut pairs = nodes.iter().zip(others);
    if !pairs.clone().all(|(a, b)| a.name == b.name && a.parent == b.parent) {
        return false;
    }
    let is_near = |a: Vec3, b: Vec3| (a - b).length() <= SAME_LENGTH * a.length().max(b.length());
    let translated = pairs.clone().filter(|(a, b)| !is_near(a.rest.translation, b.rest.translation)).count();
    let is_equal = pairs.all(|(a, b)| a.rest == b.rest);
    !is_equal && translated <= 1 + nodes.len() / NODES_PER_TRANSLATION
}
