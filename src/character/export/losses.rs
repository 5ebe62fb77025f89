//! Warns about poses that a copy of a glTF file cannot store: poses of mesh instances, which are nodes of a character but not of its file.

use crate::asset::{Clip, Skeleton};
use crate::pose::Pose;

/// Returns a warning if [`posed_copy`](super::posed_copy) would lose part of a pose.
pub fn posed_copy_loss(skeleton: &Skeleton, pose: &Pose) -> Option<String> {
    let is_posed = |node: &usize| {
        let Some(at_rest) = skeleton.nodes.get(*node) else { return false };
        let weights = at_rest.morph_weights.clone();
        pose.locals.get(*node) != Some(&at_rest.rest)
            || pose.weights.get(weights.clone()) != skeleton.rest_weights.get(weights)
    };
    warning(skeleton, skeleton.instances.clone().filter(is_posed))
}

/// Returns a warning if [`animated_copy`](super::animated_copy) would lose channels of a clip.
pub fn animated_copy_loss(skeleton: &Skeleton, clip: &Clip) -> Option<String> {
    let is_animated = |node: &usize| clip.channels.iter().any(|channel| channel.node == *node);
    warning(skeleton, skeleton.instances.clone().filter(is_animated))
}

fn warning(skeleton: &Skeleton, mut nodes: impl Iterator<Item = usize>) -> Option<String> {
    let first = skeleton.label(nodes.next()?);
    let others = match nodes.count() {
        0 => String::new(),
        1 => " and another one".to_owned(),
        count => format!(" and {count} others"),
    };
    Some(format!(
        "instances of a mesh (EXT_mesh_gpu_instancing) are at rest in the copy, because the file has no nodes for them: \
         {first}{others}"
    ))
}
