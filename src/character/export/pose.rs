//! Exports poses as JSON, and poses and clips in a copy of the character's glTF file.

use std::path::Path;

use glam::{Mat4, Quat, Vec3};
use serde::Serialize;

use crate::asset;
use crate::asset::{Character, Clip, LoadError, Part, bvh, gltf};
use crate::pose::Pose;
use crate::puppet::{GoalReport, Puppet};
use crate::robot::Robot;
use crate::skin::Skinned;

mod read;

pub use read::{FittedPose, MAX_BYTES as MAX_POSE_BYTES, ReadPoseError, StoredPose};

/// The name of the format, with its version.
const FORMAT: &str = "sinew-pose-1";

/// The JSON export of a pose: the transforms of all nodes, the reports of goals, pins and contacts, the joints at their
/// limits, and optionally the posed vertices.
#[derive(Debug, Serialize)]
pub struct PoseDocument {
    format: &'static str,
    /// The values of a robot's joints by their names, including mimic joints, in radians and metres.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_map")]
    q: Vec<(String, f64)>,
    nodes: Vec<NodeRecord>,
    /// All morph weights, if they differ from the rest pose.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    morphs: Vec<f32>,
    reports: Vec<ReportRecord>,
    /// The nodes at their limits.
    limited: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    primitives: Option<Vec<PrimitiveRecord>>,
}

#[derive(Debug, Serialize)]
struct NodeRecord {
    index: usize,
    name: Option<String>,
    parent: Option<usize>,
    world: [f32; 16],
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
}

#[derive(Debug, Serialize)]
struct ReportRecord {
    node: usize,
    effector: String,
    solve: usize,
    method: String,
    kind: String,
    outcome: String,
    /// The causes of a missed target, such as joint limits or the floor.
    #[serde(skip_serializing_if = "String::is_empty")]
    held_by: String,
    iterations: usize,
    position_error: Option<f64>,
    orientation_error: Option<f64>,
    /// The errors along all axes, if any axis is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    full_position_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    full_orientation_error: Option<f64>,
    seconds: f64,
}

#[derive(Debug, Serialize)]
struct PrimitiveRecord {
    node: usize,
    mesh: usize,
    primitive: usize,
    skin: Option<usize>,
    count: usize,
    positions: Vec<f32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    normals: Vec<f32>,
}

impl PoseDocument {
    /// Exports the current pose of a puppet. `vertices` has one element for each part of the puppet.
    ///
    /// ```
    /// use sinew_character::export::{PoseDocument, StoredPose};
    /// use sinew_character::{asset, puppet::Puppet};
    ///
    /// let mut puppet = Puppet::new(asset::mannequin()?, 0);
    /// puppet.play(2, 0.3);
    /// let reports = puppet.update()?.to_vec();
    /// let text = serde_json::to_string(&PoseDocument::new(&puppet, &reports, None))?;
    ///
    /// // Any character with the same joints can be given the pose.
    /// let (locals, _weights) = StoredPose::read(&text)?.fit(&puppet.character().skeleton, None)?;
    /// for (node, local) in locals {
    ///     assert!(local.rotation.angle_between(puppet.pose().locals[node].rotation) < 1e-3);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(puppet: &Puppet, reports: &[GoalReport], vertices: Option<Vec<Skinned>>) -> Self {
        Self {
            format: FORMAT,
            q: joint_values(puppet),
            nodes: nodes(puppet),
            morphs: morphs(puppet),
            reports: reports.iter().map(|r| record(r, puppet)).collect(),
            limited: puppet.limited().to_vec(),
            primitives: vertices.map(|v| primitives(puppet, v)),
        }
    }
}

impl PoseDocument {
    /// Returns the document in another frame, given by its rotation `world_from_frame`. World transforms, vertices, and the local
    /// transforms of root nodes change.
    pub fn in_frame(mut self, world_from_frame: Quat) -> Self {
        let turn = world_from_frame.conjugate();
        for node in &mut self.nodes {
            node.world = (Mat4::from_quat(turn) * Mat4::from_cols_array(&node.world)).to_cols_array();
            if node.parent.is_none() {
                node.translation = (turn * Vec3::from(node.translation)).into();
                node.rotation = (turn * Quat::from_array(node.rotation)).normalize().into();
            }
        }
        for primitive in self.primitives.iter_mut().flatten() {
            for vectors in [&mut primitive.positions, &mut primitive.normals] {
                for vector in vectors.as_chunks_mut::<3>().0 {
                    *vector = (turn * Vec3::from(*vector)).into();
                }
            }
        }
        self
    }
}

/// Returns the joint values of a robot, mimic joints last. Other characters have none.
fn joint_values(puppet: &Puppet) -> Vec<(String, f64)> {
    let Ok(robot) = Robot::new(puppet.character()) else { return Vec::new() };
    let q = robot.pose_values(puppet.pose(), &[]);
    let mimics = robot.mimics().iter().map(|mimic| &mimic.name).zip(robot.mimic_values(&q));
    let own = robot.joints().iter().map(|joint| &joint.name).zip(q.iter().copied());
    own.chain(mimics).map(|(name, value)| (name.clone(), value)).collect()
}

/// Writes pairs as an object, in order.
fn as_map<S: serde::Serializer>(pairs: &[(String, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// Returns a copy of a puppet's glTF file in its current pose, as GLB. `None` for `file` means the built-in character.
///
/// ```
/// use std::path::Path;
///
/// use sinew_character::glam::Quat;
/// use sinew_character::pose::Pose;
/// use sinew_character::{asset, export, puppet::Puppet};
///
/// let mut puppet = Puppet::new(asset::mannequin()?, 0);
/// let head = puppet.character().skeleton.find("head").ok_or("no head")?;
/// let mut pose = Pose::rest(&puppet.character().skeleton);
/// pose.locals[head].rotation = Quat::from_rotation_x(0.5);
/// puppet.follow(&pose, &[])?;
///
/// let glb = export::posed_copy(&puppet, None)?;
/// let copy = asset::gltf::load_bytes(Path::new("copy.glb"), &glb, None)?;
/// assert!(copy.skeleton.nodes[head].rest.rotation.abs_diff_eq(Quat::from_rotation_x(0.5), 1e-6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`LoadError`] if the file can no longer be read or no longer matches the puppet, or if the pose is not finite.
pub fn posed_copy(puppet: &Puppet, file: Option<&Path>) -> Result<Vec<u8>, LoadError> {
    export(puppet.character(), file, puppet.pose(), &[])
}

/// Returns a copy of a character's glTF file in the rest pose, as GLB, with its clips replaced by `clips`. `None` for
/// `file` means the built-in character.
///
/// ```
/// use std::path::Path;
///
/// use sinew_character::{asset, export};
///
/// let mannequin = asset::mannequin()?;
/// let clips = [asset::Clip { name: Some("stroll".to_owned()), ..mannequin.clips[2].clone() }];
/// let glb = export::animated_copy(&mannequin, None, &clips)?;
/// let copy = asset::gltf::load_bytes(Path::new("copy.glb"), &glb, None)?;
/// let names: Vec<_> = copy.clips.iter().filter_map(|clip| clip.name.as_deref()).collect();
/// assert_eq!(names, ["stroll"]);
/// # Ok::<(), asset::LoadError>(())
/// ```
///
/// # Errors
/// [`LoadError`] if the file can no longer be read or no longer matches the character, or if a key is not finite.
pub fn animated_copy(
    character: &Character,
    file: Option<&Path>,
    clips: &[Clip],
) -> Result<Vec<u8>, LoadError> {
    export(character, file, &Pose::rest(&character.skeleton), clips)
}

fn export(
    character: &Character,
    file: Option<&Path>,
    pose: &Pose,
    clips: &[Clip],
) -> Result<Vec<u8>, LoadError> {
    let mut read;
    let is_take = crate::capture::is_take;
    let (bytes, folder) = match file {
        Some(path) => {
            // Copies of files in other formats would lose the shapes.
            if !asset::can_be_copied(path) {
                let cause = "only glTF and BVH files have copies; write the pose as .json".to_owned();
                return Err(LoadError::Format { path: path.into(), cause });
            }
            read = gltf::read(path)?;
            // A BVH file or a take has no glTF data to copy, so this creates a glTF file with only the skeleton.
            if bvh::is_bvh(path, &read) || is_take(path) {
                read = gltf::skeleton_only(character);
            }
            (&read[..], gltf::folder(path))
        }
        None => (asset::MANNEQUIN, None),
    };
    gltf::posed_copy_of(character, bytes, folder, &pose.locals, &pose.weights, clips)
}

fn nodes(puppet: &Puppet) -> Vec<NodeRecord> {
    let nodes =
        puppet.character().skeleton.nodes.iter().zip(&puppet.pose().locals).zip(puppet.world_from_node());
    let record =
        |(index, ((node, local), world)): (usize, ((&asset::Node, &asset::Transform), &glam::Affine3A))| {
            NodeRecord {
                index,
                name: node.name.clone(),
                parent: node.parent,
                world: Mat4::from(*world).to_cols_array(),
                translation: local.translation.into(),
                rotation: local.rotation.into(),
                scale: local.scale.into(),
            }
        };
    nodes.enumerate().map(record).collect()
}

fn morphs(puppet: &Puppet) -> Vec<f32> {
    let weights = &puppet.pose().weights;
    if *weights == puppet.character().skeleton.rest_weights { Vec::new() } else { weights.clone() }
}

fn record(report: &GoalReport, puppet: &Puppet) -> ReportRecord {
    let other = |full: Option<f64>, counted: Option<f64>| full.filter(|_| full != counted);
    ReportRecord {
        node: report.node,
        effector: puppet.character().skeleton.label(report.node),
        solve: report.solve,
        method: report.method.to_string(),
        kind: report.kind.to_string(),
        outcome: report.outcome.to_string(),
        held_by: report.holders(&puppet.character().skeleton),
        iterations: report.iterations,
        position_error: report.position_error,
        orientation_error: report.orientation_error,
        full_position_error: other(report.full_position_error, report.position_error),
        full_orientation_error: other(report.full_orientation_error, report.orientation_error),
        seconds: report.seconds,
    }
}

fn primitives(puppet: &Puppet, vertices: Vec<Skinned>) -> Vec<PrimitiveRecord> {
    let record = |(part, skinned): (&Part, Skinned)| {
        let primitive = puppet.character().primitive(*part);
        PrimitiveRecord {
            node: part.node,
            mesh: part.mesh,
            primitive: primitive.index,
            skin: part.skin,
            count: primitive.vertices(),
            positions: flat(&skinned.positions),
            normals: flat(&skinned.normals),
        }
    };
    puppet.parts().iter().zip(vertices).map(record).collect()
}

fn flat(vectors: &[Vec3]) -> Vec<f32> {
    vectors.iter().flat_map(Vec3::to_array).collect()
}

#[cfg(test)]
mod tests;
