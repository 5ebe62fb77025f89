//! What a file holds: nodes, skinned meshes, clips. Every character becomes one of these.

use crate::clips::Clip;
use glam::{DAffine3, DQuat, DVec3};

/// A node at rest, relative to its parent; parents stand before their children.
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

    /// The local transform as a reader of the file finds it, in single precision.
    pub(crate) fn local(&self) -> DAffine3 {
        let single = |v: DVec3| v.as_vec3().as_dvec3();
        let place = single(micro(self.translation));
        DAffine3::from_scale_rotation_translation(single(self.scale), DQuat::IDENTITY, place)
    }
}

/// Whole tenths of a micrometre keep the text of the file short.
pub(crate) fn micro(v: DVec3) -> DVec3 {
    (v * 1e7).round() / 1e7
}

/// World matrices at rest.
pub(crate) fn world(nodes: &[Node]) -> Vec<DAffine3> {
    let mut world: Vec<DAffine3> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let above = node.parent.map_or(DAffine3::IDENTITY, |parent| world[parent]);
        world.push(above * node.local());
    }
    world
}

/// Nodes from names, parents and world positions in metres, nothing turned and nothing scaled.
pub(crate) fn upright(joints: Vec<(String, Option<usize>, DVec3)>) -> Vec<Node> {
    let places: Vec<DVec3> = joints.iter().map(|joint| joint.2).collect();
    let local = |parent: Option<usize>, place| place - parent.map_or(DVec3::ZERO, |p| places[p]);
    joints.into_iter().map(|(name, parent, at)| Node::new(name, parent, local(parent, at))).collect()
}

/// Up to eight joints, as places in the skin's list, and their shares of 65535, the largest first; unused places are
/// joint 0 with share 0.
pub(crate) type Influences = ([u8; 8], [u16; 8]);

/// One vertex of the file, in the space of the world at rest.
pub(crate) struct Vertex {
    pub(crate) position: [f32; 3],
    pub(crate) normal: [f32; 3],
    /// Linear light.
    pub(crate) colour: [u8; 4],
    pub(crate) influences: Influences,
}

/// What moves when a morph target's weight becomes one: its name and a metre vector a vertex.
pub(crate) struct Morph {
    pub(crate) name: &'static str,
    pub(crate) deltas: Vec<[f32; 3]>,
}

/// A mesh and the joints that carry it.
#[derive(Default)]
pub(crate) struct Skin {
    pub(crate) name: &'static str,
    /// Node indices.
    pub(crate) joints: Vec<usize>,
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) indices: Vec<u16>,
    pub(crate) morphs: Vec<Morph>,
}

/// A whole character.
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) nodes: Vec<Node>,
    pub(crate) skins: Vec<Skin>,
    pub(crate) clips: Vec<Clip>,
    /// Whether the nodes that have VRM 1.0 names are its humanoid bones.
    pub(crate) humanoid: bool,
    /// The text of the rig file.
    pub(crate) rig: String,
}

/// The `most` largest weights as whole shares of 65535. `most` is at most eight.
pub(crate) fn influences(weights: impl Iterator<Item = (usize, f64)>, most: usize) -> Influences {
    let mut order: Vec<(usize, f64)> = weights.filter(|&(_, weight)| weight > 0.004).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    order.truncate(most);
    let total: f64 = order.iter().map(|&(_, weight)| weight).sum();
    let (mut joints, mut shares) = ([0; 8], [0; 8]);
    let mut left = u16::MAX;
    for (place, &(joint, weight)) in order.iter().enumerate().skip(1) {
        joints[place] = joint as u8;
        shares[place] = (weight / total * f64::from(u16::MAX)) as u16;
        left -= shares[place];
        if shares[place] == 0 {
            joints[place] = 0;
        }
    }
    // The largest takes what rounding left over, so the sum is exactly one.
    joints[0] = order.first().map_or(0, |&(joint, _)| joint as u8);
    shares[0] = left;
    (joints, shares)
}
