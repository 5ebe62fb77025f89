//! The contents of a character file: nodes, skinned meshes and clips.

use crate::clips::Clip;
use glam::{DAffine3, DQuat, DVec3};

/// A node with its rest transform relative to its parent. Parents come before their children.
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) parent: Option<usize>,
    pub(crate) translation: DVec3,
    pub(crate) scale: DVec3,
}

impl Node {
    pub(crate) fn new(name: impl Into<String>, parent: Option<usize>, translation: DVec3) -> Self {
        Self { name: name.into(), parent, translation, scale: DVec3::ONE }
    }

    /// Returns the local transform as stored in the file, which is in single precision.
    pub(crate) fn local(&self) -> DAffine3 {
        let single = |v: DVec3| v.as_vec3().as_dvec3();
        let translation = single(rounded(self.translation));
        DAffine3::from_scale_rotation_translation(single(self.scale), DQuat::IDENTITY, translation)
    }
}

/// Rounds to multiples of 1e-7, which keeps the JSON of the file short.
pub(crate) fn rounded(v: DVec3) -> DVec3 {
    (v * 1e7).round() / 1e7
}

/// Returns the world matrices of all nodes in the rest pose.
pub(crate) fn world(nodes: &[Node]) -> Vec<DAffine3> {
    let mut world: Vec<DAffine3> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let above = node.parent.map_or(DAffine3::IDENTITY, |parent| world[parent]);
        world.push(above * node.local());
    }
    world
}

/// Creates nodes without rotation or scale from names, parents and world positions in metres.
pub(crate) fn unrotated_nodes(joints: Vec<(String, Option<usize>, DVec3)>) -> Vec<Node> {
    let positions: Vec<DVec3> = joints.iter().map(|joint| joint.2).collect();
    let local = |parent: Option<usize>, at| at - parent.map_or(DVec3::ZERO, |p| positions[p]);
    joints.into_iter().map(|(name, parent, at)| Node::new(name, parent, local(parent, at))).collect()
}

/// Up to eight joints, as indices into the skin's joints, and their weights as fractions of 65535. The largest weight
/// comes first, and unused entries have joint 0 and weight 0.
pub(crate) type Influences = ([u8; 8], [u16; 8]);

/// A vertex in world space, in the rest pose.
pub(crate) struct Vertex {
    pub(crate) position: [f32; 3],
    pub(crate) normal: [f32; 3],
    /// Linear RGBA.
    pub(crate) colour: [u8; 4],
    pub(crate) influences: Influences,
}

pub(crate) struct Morph {
    pub(crate) name: &'static str,
    /// Displacements in metres, one per vertex.
    pub(crate) deltas: Vec<[f32; 3]>,
}

/// A skinned mesh with its joints.
#[derive(Default)]
pub(crate) struct Skin {
    pub(crate) name: &'static str,
    /// Node indices.
    pub(crate) joints: Vec<usize>,
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) indices: Vec<u16>,
    pub(crate) morphs: Vec<Morph>,
}

pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) nodes: Vec<Node>,
    pub(crate) skins: Vec<Skin>,
    pub(crate) clips: Vec<Clip>,
    /// Whether the joints of the first skin are VRM 1.0 humanoid bones.
    pub(crate) humanoid: bool,
    /// The text of the rig file.
    pub(crate) rig: String,
}

/// Keeps the `most` largest weights, normalises them and quantises them to 16 bits. `most` must be at most eight.
pub(crate) fn influences(weights: impl Iterator<Item = (usize, f64)>, most: usize) -> Influences {
    let mut order: Vec<(usize, f64)> = weights.filter(|&(_, weight)| weight > 0.004).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    order.truncate(most);
    let total: f64 = order.iter().map(|&(_, weight)| weight).sum();
    let (mut joints, mut quantized) = ([0; 8], [0; 8]);
    let mut remaining = u16::MAX;
    for (index, &(joint, weight)) in order.iter().enumerate().skip(1) {
        joints[index] = joint as u8;
        quantized[index] = (weight / total * f64::from(u16::MAX)) as u16;
        remaining -= quantized[index];
        if quantized[index] == 0 {
            joints[index] = 0;
        }
    }
    // The largest weight absorbs the rounding errors, so that the sum is exactly one.
    joints[0] = order.first().map_or(0, |&(joint, _)| joint as u8);
    quantized[0] = remaining;
    (joints, quantized)
}
