//! Reads nodes and scenes.

use glam::{Affine3A, Mat4, Quat, Vec3};

use crate::asset::{Mesh, Node, Scene, Skeleton, Transform};

use super::{GltfFile, ObjectError};

/// Deviation of a rotation from unit length that causes a warning. Quantised rotations deviate by much less.
const UNIT_TOLERANCE: f32 = 1e-3;

impl GltfFile<'_> {
    pub(super) fn skeleton(&self, meshes: &[Mesh]) -> Result<Skeleton, ObjectError> {
        let mut skeleton = Skeleton::default();
        for (i, json) in self.root.nodes.iter().enumerate() {
            let at = format!("nodes[{i}]");
            let (rest, sheared) = self.local_transform(json, &at);
            if let Some(matrix) = sheared {
                skeleton.sheared.insert(i, matrix);
            }
            let mesh = checked(json.mesh.map(|m| m.value()), "mesh", meshes.len(), &at)?;
            let skin = checked(json.skin.map(|s| s.value()), "skin", self.root.skins.len(), &at)?;
            let start = skeleton.rest_weights.len();
            if let Some(mesh) = mesh.and_then(|m| meshes.get(m)) {
                let weights = json.weights.as_deref().unwrap_or(&mesh.weights);
                let padded = weights.iter().copied().chain(std::iter::repeat(0.0));
                self.buffers.claim(mesh.morph_targets() as u64 * 4, &at)?;
                skeleton.rest_weights.extend(padded.take(mesh.morph_targets()));
            }
            skeleton.nodes.push(Node {
                name: json.name.clone(),
                mesh,
                skin,
                morph_weights: start..skeleton.rest_weights.len(),
                ..Node::unnamed(None, rest)
            });
            let visibility = json.extensions.as_ref().and_then(|e| e.others.get("KHR_node_visibility"));
            if visibility.and_then(|v| v.get("visible")?.as_bool()) == Some(false) {
                skeleton.hidden.insert(i);
            }
        }
        self.link(&mut skeleton.nodes)?;
        let first_instance = skeleton.nodes.len();
        self.add_instances(&mut skeleton, meshes)?;
        skeleton.instances = first_instance..skeleton.nodes.len();
        skeleton.parents_first = skeleton
            .sort_parents_first()
            .map_err(|node| ObjectError::new(format!("nodes[{node}]"), "is its own ancestor"))?;
        skeleton
            .check_rest()
            .map_err(|(node, e)| ObjectError::new(format!("nodes[{node}]"), e.to_string()))?;
        Ok(skeleton)
    }

    /// Returns the node's transform. If the node has a matrix that a transform cannot express, the matrix is returned
    /// too.
    fn local_transform(&self, json: &gltf::json::Node, at: &str) -> (Transform, Option<Affine3A>) {
        if let Some(matrix) = json.matrix {
            let affine = Affine3A::from_mat4(Mat4::from_cols_array(&matrix));
            let transform = Transform::from_affine(affine);
            let size = affine.matrix3.to_cols_array().iter().fold(0.0_f32, |a, x| a.max(x.abs()));
            let exact = transform.to_affine().abs_diff_eq(affine, size * 1e-6);
            return (transform, (!exact).then_some(affine));
        }
        let translation = json.translation.unwrap_or_default();
        let rotation = json.rotation.map_or([0.0, 0.0, 0.0, 1.0], |r| r.0);
        let scale = json.scale.unwrap_or([1.0; 3]);
        let (rotation, is_far) = unit_quaternion(rotation);
        if is_far {
            self.warn(format!("{at}.rotation: did not have unit length and was normalised"));
        }
        let (translation, scale) = (Vec3::from(translation), Vec3::from(scale));
        (Transform { translation, rotation, scale }, None)
    }

    /// Sets the parents and children of all nodes.
    fn link(&self, nodes: &mut [Node]) -> Result<(), ObjectError> {
        for (i, json) in self.root.nodes.iter().enumerate() {
            for (c, child) in json.children.iter().flatten().enumerate() {
                let at = || format!("nodes[{i}].children[{c}]");
                let (child, count) = (child.value(), nodes.len());
                let Some(node) = nodes.get_mut(child) else {
                    return Err(ObjectError::missing(at(), "node", child, count));
                };
                if let Some(parent) = node.parent {
                    return Err(ObjectError::new(
                        at(),
                        format!("node {child} is already a child of node {parent}"),
                    ));
                }
                node.parent = Some(i);
                nodes[i].children.push(child);
            }
        }
        Ok(())
    }

    /// Reads the scenes and the index of the default scene.
    pub(super) fn scenes(&self, skeleton: &Skeleton) -> Result<(Vec<Scene>, usize), ObjectError> {
        let count = self.root.nodes.len();
        let mut scenes = Vec::with_capacity(self.root.scenes.len().max(1));
        for (i, json) in self.root.scenes.iter().enumerate() {
            let mut roots = Vec::with_capacity(json.nodes.len());
            for (n, node) in json.nodes.iter().enumerate() {
                let node = node.value();
                if node >= count {
                    return Err(ObjectError::missing(format!("scenes[{i}].nodes[{n}]"), "node", node, count));
                }
                roots.push(node);
            }
            scenes.push(Scene { name: json.name.clone(), roots });
        }
        let default = self.root.scene.map_or(0, |s| s.value());
        if scenes.is_empty() {
            scenes.push(Scene { name: None, roots: skeleton.roots() });
        }
        if default >= scenes.len() {
            return Err(ObjectError::missing("scene", "scene", default, scenes.len()));
        }
        Ok((scenes, default))
    }
}

/// Checks that the object at an optional index exists.
fn checked(
    index: Option<usize>,
    kind: &'static str,
    count: usize,
    at: &str,
) -> Result<Option<usize>, ObjectError> {
    match index {
        Some(i) if i >= count => Err(ObjectError::missing(format!("{at}.{kind}"), kind, i, count)),
        other => Ok(other),
    }
}

/// Normalises a quaternion (identity for zero) and returns whether its length was far from one.
pub(super) fn unit_quaternion(xyzw: [f32; 4]) -> (Quat, bool) {
    // This uses double precision, because the squared length of a very large or very small quaternion could overflow or
    // underflow.
    let [x, y, z, w] = xyzw.map(f64::from);
    let length = (x * x + y * y + z * z + w * w).sqrt();
    if length == 0.0 {
        return (Quat::IDENTITY, true);
    }
    #[expect(clippy::cast_possible_truncation, reason = "poses are single precision")]
    let [x, y, z, w] = [x, y, z, w].map(|v| (v / length) as f32);
    (Quat::from_xyzw(x, y, z, w), (length - 1.0).abs() > f64::from(UNIT_TOLERANCE))
}
