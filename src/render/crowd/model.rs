//! A character compiled for crowds.

use std::sync::{Arc, OnceLock};

use glam::Vec3;

use crate::api::Missing;
use crate::asset::{Character, Part};
use crate::body::CrowdBody;
use crate::indirect::Levels;
use crate::pose::{Pose, world_matrices};
use crate::rig::Rig;
use crate::skin::{JointBoxes, Palette, Skinning};
use crate::view::Bounds;

use super::CrowdError;
use super::clips::{Clips, to_u32};
use super::gait;
use super::palette::Bone;
use super::types::{CrowdJoint, NONE, Rows};

/// The immutable data that all characters of a crowd share: skeleton, clips, palette and body.
///
/// Joints are the nodes that the palette, the body or a mask needs, with all their ancestors, sorted by depth. Matrices in the
/// file that contain shear are replaced by the nearest transforms without shear.
#[derive(Clone, Debug)]
pub struct CrowdModel {
    pub(super) character: Arc<Character>,
    pub(super) parts: Arc<[Part]>,
    /// The joints in the rest pose.
    pub(super) joints: Vec<CrowdJoint>,
    /// The node of each joint.
    pub(super) nodes: Vec<usize>,
    /// The index of the first joint of each level of the skeleton, followed by the number of joints.
    pub(super) levels: Vec<u32>,
    pub(super) clips: Clips,
    pub(super) bones: Vec<Bone>,
    /// Offsets of each part's matrices and morph weights within the data of a character.
    pub(super) draws: Vec<PartDraw>,
    pub(super) rest_weights: Vec<f32>,
    pub(super) body: CrowdBody,
    /// The levels of detail, once they have been needed.
    pub(super) detail: OnceLock<Levels>,
}

/// The offsets of a part's data within the data of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PartDraw {
    /// Index of the part's first matrix in the palette of a character.
    pub(super) first_matrix: u32,
    /// Index of the part's first morph weight among the morph weights of a character.
    pub(super) first_weight: u32,
    /// Whether the part's matrices mirror it in the rest pose.
    pub(super) is_mirrored: bool,
}

impl CrowdModel {
    /// Compiles the parts of one of a character's scenes.
    pub fn new(character: impl Into<Arc<Character>>, scene: usize, rig: &Rig) -> Self {
        let character = character.into();
        let parts: Arc<[Part]> = character.parts(scene).into();
        let mut palette = Palette::new(&character, &parts);
        let skeleton = &character.skeleton;
        let mut world = Vec::new();
        world_matrices(skeleton, &Pose::rest(skeleton), &mut world);
        palette.update(&character, &world, Skinning::Linear);
        let nodes = joint_nodes(&character, &palette, rig);
        let mut slots = vec![None; skeleton.nodes.len()];
        for (slot, &node) in nodes.iter().enumerate() {
            slots[node] = Some(slot);
        }
        let slot_of = |node: usize| slots.get(node).copied().flatten();
        let mut joints: Vec<CrowdJoint> = nodes
            .iter()
            .map(|&node| {
                let rest = skeleton.nodes[node].rest;
                CrowdJoint {
                    rest_rotation: rest.rotation,
                    rest_translation: rest.translation,
                    parent: skeleton.nodes[node].parent.and_then(slot_of).map_or(NONE, to_u32),
                    rest_scale: rest.scale,
                    radius: -1.0,
                    masks: [1.0; 4],
                }
            })
            .collect();
        let bones: Vec<Bone> = palette
            .sources(&character)
            .map(|(node, joint_from_mesh)| Bone {
                joint_from_mesh: Rows::from(joint_from_mesh),
                joint: slot_of(node).map_or(0, to_u32),
                reserved: [0; 3],
            })
            .collect();
        let draw = |(index, part): (usize, &Part)| {
            let node = skeleton.nodes.get(part.node);
            PartDraw {
                first_matrix: to_u32(palette.first_matrix(index)),
                first_weight: node.map_or(0, |node| to_u32(node.morph_weights.start)),
                is_mirrored: palette.is_mirrored(index),
            }
        };
        let draws: Vec<PartDraw> = parts.iter().enumerate().map(draw).collect();
        let mut clips = Clips::new(&character, &slots, joints.len());
        let weights = clips.weight_ranges(&skeleton.rest_weights);
        enclose_vertices(&character, &parts, &draws, &bones, &weights, &mut joints);
        let mut body = CrowdBody::new(&character, scene, rig, &|node| slot_of(node).map(to_u32));
        for (info, gait) in clips.infos.iter_mut().zip(gait::measure(&character, &nodes, &mut body)) {
            (info.stride, info.jump) = (gait.stride, gait.jump);
        }
        Self {
            levels: levels(&joints),
            clips,
            body,
            rest_weights: skeleton.rest_weights.clone(),
            character,
            parts,
            joints,
            nodes,
            bones,
            draws,
            detail: OnceLock::new(),
        }
    }

    /// Returns the character.
    pub fn character(&self) -> &Character {
        &self.character
    }

    /// Returns the visible parts. A [`Model`](crate::Model) for the crowd must consist of these parts.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the number of joints.
    pub fn joint_count(&self) -> usize {
        self.joints.len()
    }

    /// Returns the velocity at which a clip moves its character, in model space, in metres per second.
    pub fn stride(&self, clip: usize) -> Vec3 {
        self.clips.infos.get(clip).map_or(Vec3::ZERO, |info| info.stride)
    }

    /// The node of each joint.
    pub fn nodes(&self) -> &[usize] {
        &self.nodes
    }

    /// Returns whether a joint is the joint of the hips or one of its descendants.
    pub(super) fn is_below_hips(&self, joint: u32) -> bool {
        let parent = |joint: &u32| self.joints.get(*joint as usize).map(|joint| joint.parent);
        std::iter::successors(Some(joint), parent).any(|joint| joint == self.body.parts.hips && joint != NONE)
    }

    /// Sets the joints that one of four masks selects: the given nodes and all their descendants. Layers with this mask do not
    /// affect other joints. By default, every mask selects all joints.
    ///
    /// # Errors
    /// [`CrowdError::Missing`] if there is no such mask.
    pub fn set_mask(&mut self, mask: usize, nodes: &[usize]) -> Result<(), CrowdError> {
        if mask >= 4 {
            return Err(Missing::index_in("the model", "mask", mask, 4).into());
        }
        for slot in 0..self.joints.len() {
            let Some(joint) = self.joints.get(slot).copied() else { continue };
            let is_listed = self.nodes.get(slot).is_some_and(|node| nodes.contains(node));
            let above =
                self.joints.get(joint.parent as usize).and_then(|parent| parent.masks.get(mask).copied());
            let weight = if is_listed { 1.0 } else { above.unwrap_or(0.0) };
            if let Some(value) = self.joints.get_mut(slot).and_then(|joint| joint.masks.get_mut(mask)) {
                *value = weight;
            }
        }
        Ok(())
    }
}

/// Returns the nodes that a crowd poses, sorted by depth and then by index.
fn joint_nodes(character: &Character, palette: &Palette, rig: &Rig) -> Vec<usize> {
    let skeleton = &character.skeleton;
    let mut depth = vec![0_usize; skeleton.nodes.len()];
    for &(node, parent) in &skeleton.parents_first {
        if let Some(parent) = parent {
            depth[node] = depth[parent] + 1;
        }
    }
    let mut is_needed = vec![false; skeleton.nodes.len()];
    let chains = rig.chains.iter().flat_map(|chain| chain.joints.iter().copied());
    let limbs = rig.limbs().iter().flat_map(|limb| limb.joints.iter().chain(limb.digits.iter().flatten()));
    let others = rig
        .body
        .iter()
        .flat_map(|body| std::iter::once(&body.hips).chain(&body.neck).chain(body.tails.iter().flatten()));
    let body = limbs.chain(others).copied();
    for node in palette.sources(character).map(|(node, _)| node).chain(chains).chain(body) {
        // Ancestors of a needed node are needed too. Stop at the first node that is already marked.
        let mut above = Some(node).filter(|&node| node < is_needed.len());
        while let Some(node) = above.filter(|&node| !is_needed[node]) {
            is_needed[node] = true;
            above = skeleton.nodes[node].parent;
        }
    }
    let mut nodes: Vec<usize> = (0..skeleton.nodes.len()).filter(|&node| is_needed[node]).collect();
    nodes.sort_by_key(|&node| (depth[node], node));
    nodes
}

/// Returns the index of the first joint of each level, followed by the number of joints.
fn levels(joints: &[CrowdJoint]) -> Vec<u32> {
    let mut depths: Vec<u32> = Vec::with_capacity(joints.len());
    let mut levels = Vec::new();
    for (index, joint) in joints.iter().enumerate() {
        let depth = depths.get(joint.parent as usize).map_or(0, |depth| depth + 1);
        if depths.last() != Some(&depth) {
            levels.push(to_u32(index));
        }
        depths.push(depth);
    }
    levels.push(to_u32(joints.len()));
    levels
}

/// Sets the radius of each joint's sphere so that it contains all vertices that the joint moves. `weights` are the smallest and the largest
/// value of each morph weight.
fn enclose_vertices(
    character: &Character,
    parts: &[Part],
    draws: &[PartDraw],
    bones: &[Bone],
    weights: &[[f32; 2]],
    joints: &mut [CrowdJoint],
) {
    for (part, draw) in parts.iter().zip(draws) {
        let boxes = JointBoxes::new(character.primitive(*part), part.skin.is_some());
        let weights = weights.get(draw.first_weight as usize..).unwrap_or_default();
        for (index, around) in boxes.reach(weights) {
            let Some(bone) = bones.get(draw.first_matrix as usize + index) else { continue };
            let Some(joint) = joints.get_mut(bone.joint as usize) else { continue };
            let furthest = corners(&around).map(|corner| bone.joint_from_mesh.point(corner).length());
            joint.radius = furthest.into_iter().fold(joint.radius, f32::max);
        }
    }
}

fn corners(around: &Bounds) -> [Vec3; 8] {
    std::array::from_fn(|corner| {
        let pick = |axis: usize| if corner >> axis & 1 == 0 { around.lo[axis] } else { around.hi[axis] };
        Vec3::new(pick(0), pick(1), pick(2))
    })
}
