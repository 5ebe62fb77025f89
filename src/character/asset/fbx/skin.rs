//! Reads the joints that deform a mesh, and their weights.

use glam::{Affine3A, DAffine3, DVec3, Vec4};

use crate::asset::{Character, Influences, Skin};

use super::{Budget, ObjectError, label, node_index};

/// Adds the skin of a node and returns its index, or `None` if no joint deforms the mesh.
///
/// The last joint is the node itself: vertices without weights move with it.
pub(super) fn add(
    mesh: &ufbx::Mesh,
    node: &ufbx::Node,
    index: usize,
    character: &mut Character,
    budget: &mut Budget,
) -> Result<Option<usize>, ObjectError> {
    let Some(deformer) = mesh.skin_deformers.into_iter().next() else { return Ok(None) };
    if deformer.clusters.is_empty() {
        return Ok(None);
    }
    let at = label(node);
    if mesh.skin_deformers.len() > 1 {
        character.warnings.push(format!("{at}: only the first of its skins is used"));
    }
    if !matches!(deformer.skinning_method, ufbx::SkinningMethod::Linear | ufbx::SkinningMethod::Rigid) {
        character.warnings.push(format!("{at}: dual quaternion skinning is drawn as linear blend skinning"));
    }
    if u16::try_from(deformer.clusters.len()).is_err() {
        return Err(ObjectError::new(at, format!("{} joints exceed 16 bits", deformer.clusters.len())));
    }
    budget.take((deformer.clusters.len() + 1) * size_of::<(usize, Affine3A)>(), &at)?;
    let (mut joints, mut joint_from_mesh) = (Vec::new(), Vec::new());
    for cluster in &deformer.clusters {
        let bone = cluster.bone_node.as_deref().and_then(node_index);
        let matrix = affine(&cluster.geometry_to_bone);
        if !matrix.is_finite() {
            let name = cluster.bone_node.as_deref().map(|bone| bone.element.name.to_string());
            let cause = format!("the bind matrix of \"{}\" is not finite", name.unwrap_or_default());
            return Err(ObjectError::new(at, cause));
        }
        joints.push(bone.unwrap_or(index));
        joint_from_mesh.push(if bone.is_some() { matrix } else { Affine3A::IDENTITY });
    }
    joints.push(index);
    joint_from_mesh.push(Affine3A::IDENTITY);
    let name = (!deformer.element.name.is_empty()).then(|| deformer.element.name.to_string());
    character.skins.push(Skin { name, joints, joint_from_mesh, has_inverse_binds: true });
    Ok(Some(character.skins.len() - 1))
}

/// Returns the influences of vertices, strongest first. Their weights sum to one.
pub(super) fn influences(
    mesh: &ufbx::Mesh,
    sources: &[u32],
    budget: &mut Budget,
    at: &str,
) -> Result<Vec<Influences>, ObjectError> {
    let Some(deformer) = mesh.skin_deformers.into_iter().next() else { return Ok(Vec::new()) };
    let own = u16::try_from(deformer.clusters.len()).unwrap_or(u16::MAX);
    let sets = if deformer.max_weights_per_vertex > 4 { 2 } else { 1 };
    budget.take(sets * sources.len() * size_of::<([u16; 4], Vec4)>(), at)?;
    let mut influences = vec![Influences::default(); sets];
    for &source in sources {
        let (joints, weights) = strongest(deformer, source, own);
        for ((set, joints), weights) in influences.iter_mut().zip(joints).zip(weights) {
            set.joints.push(joints);
            set.weights.push(Vec4::from_array(weights));
        }
    }
    Ok(influences)
}

/// Returns the strongest influences of a vertex, in two sets.
fn strongest(deformer: &ufbx::SkinDeformer, source: u32, own: u16) -> ([[u16; 4]; 2], [[f32; 4]; 2]) {
    let range = deformer.vertices.get(source as usize).map(|vertex| {
        let begin = vertex.weight_begin as usize;
        begin..begin.saturating_add(vertex.num_weights as usize)
    });
    let found = range.and_then(|range| deformer.weights.get(range)).unwrap_or_default();
    let mut found: Vec<(u16, f64)> = found
        .iter()
        .filter(|w| w.weight > 0.0 && w.weight.is_finite())
        .filter_map(|w| Some((u16::try_from(w.cluster_index).ok().filter(|&c| c < own)?, w.weight)))
        .collect();
    Influences::keep_heaviest(&mut found);
    let sum: f64 = found.iter().map(|(_, weight)| weight).sum();
    if !(sum > 0.0 && sum.is_finite()) {
        found = vec![(own, 1.0)];
    }
    let sum: f64 = found.iter().map(|(_, weight)| weight).sum();
    let (mut joints, mut weights) = ([[0; 4]; 2], [[0.0; 4]; 2]);
    let places = joints.iter_mut().flatten().zip(weights.iter_mut().flatten());
    for ((joint, weight), (found_joint, found_weight)) in places.zip(found) {
        *joint = found_joint;
        *weight = super::weight(found_weight / sum);
    }
    (joints, weights)
}

fn affine(m: &ufbx::Matrix) -> Affine3A {
    let matrix = DAffine3::from_cols(
        DVec3::new(m.m00, m.m10, m.m20),
        DVec3::new(m.m01, m.m11, m.m21),
        DVec3::new(m.m02, m.m12, m.m22),
        DVec3::new(m.m03, m.m13, m.m23),
    );
    let [x, y, z, w] =
        [matrix.matrix3.x_axis, matrix.matrix3.y_axis, matrix.matrix3.z_axis, matrix.translation]
            .map(glam::DVec3::as_vec3a);
    Affine3A::from_cols(x, y, z, w)
}
