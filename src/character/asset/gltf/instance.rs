//! Reads `EXT_mesh_gpu_instancing`, which draws the mesh of a node many times.

use glam::{Quat, Vec3};

use crate::asset::{Mesh, Node, Skeleton, Transform};

use super::extension::index;
use super::node::unit_quaternion;
use super::{GltfFile, ObjectError};

const NAME: &str = "EXT_mesh_gpu_instancing";

impl GltfFile<'_> {
    /// Adds a child node with the mesh for each instance. The new nodes follow all nodes of the file, and the mesh
    /// of the node itself is removed.
    pub(super) fn add_instances(&self, skeleton: &mut Skeleton, meshes: &[Mesh]) -> Result<(), ObjectError> {
        for (i, json) in self.root.nodes.iter().enumerate() {
            let extension = json.extensions.as_ref().and_then(|e| e.others.get(NAME));
            let Some(attributes) = extension.and_then(|e| e.get("attributes")) else { continue };
            let Some(mesh) = skeleton.nodes.get(i).and_then(|node| node.mesh) else { continue };
            let at = format!("nodes[{i}].extensions.{NAME}.attributes");
            if json.skin.is_some() {
                self.warn(format!("{at}: instances of a skinned mesh are not supported, so one is drawn"));
                continue;
            }
            let transforms = self.instances(attributes, &at)?;
            let weights = meshes.get(mesh).map_or(0, Mesh::morph_targets);
            let size = size_of::<Node>() + 4 * weights + 64;
            self.buffers.claim((transforms.len() as u64).saturating_mul(size as u64), &at)?;
            let rest_weights = skeleton.nodes.get(i).map(|n| n.morph_weights.clone()).unwrap_or_default();
            for rest in transforms {
                let start = skeleton.rest_weights.len();
                skeleton.rest_weights.extend_from_within(rest_weights.clone());
                let index = skeleton.nodes.len();
                skeleton.nodes.push(Node {
                    mesh: Some(mesh),
                    morph_weights: start..skeleton.rest_weights.len(),
                    ..Node::unnamed(Some(i), rest)
                });
                if let Some(node) = skeleton.nodes.get_mut(i) {
                    node.children.push(index);
                    node.mesh = None;
                }
            }
        }
        Ok(())
    }

    /// Reads the transforms of the instances of a node.
    fn instances(&self, attributes: &serde_json::Value, at: &str) -> Result<Vec<Transform>, ObjectError> {
        let accessor = |key: &str| index(attributes, key).map(|a| (a, format!("{at}.{key}")));
        let vectors = |key: &str| -> Result<Option<Vec<[f32; 3]>>, ObjectError> {
            accessor(key).map(|(accessor, at)| self.finite::<3>(accessor, &at)).transpose()
        };
        let (translations, scales) = (vectors("TRANSLATION")?, vectors("SCALE")?);
        let rotations: Option<Vec<[f32; 4]>> =
            accessor("ROTATION").map(|(accessor, at)| self.finite::<4>(accessor, &at)).transpose()?;
        let counts = [
            translations.as_ref().map(Vec::len),
            rotations.as_ref().map(Vec::len),
            scales.as_ref().map(Vec::len),
        ];
        let Some(count) = counts.into_iter().flatten().max() else { return Ok(Vec::new()) };
        if counts.into_iter().flatten().any(|c| c != count) {
            return Err(ObjectError::new(at, "the accessors have different counts"));
        }
        self.buffers.claim((count as u64).saturating_mul(size_of::<Transform>() as u64), at)?;
        let vector = |list: &Option<Vec<[f32; 3]>>, i: usize, default: Vec3| {
            list.as_ref().and_then(|l| l.get(i)).map_or(default, |v| Vec3::from(*v))
        };
        let transform = |i: usize| Transform {
            translation: vector(&translations, i, Vec3::ZERO),
            rotation: rotations
                .as_ref()
                .and_then(|l| l.get(i))
                .map_or(Quat::IDENTITY, |xyzw| unit_quaternion(*xyzw).0),
            scale: vector(&scales, i, Vec3::ONE),
        };
        Ok((0..count).map(transform).collect())
    }
}
