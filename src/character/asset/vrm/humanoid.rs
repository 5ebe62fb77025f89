//! Reads the humanoid map of VRM 0 (`VRM`), VRM 1.0 (`VRMC_vrm`) or a VRM animation (`VRMC_vrm_animation`), with the bone names of VRM 1.0.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::asset::Humanoid;

/// Reads the map from the root extensions of a file. Bones whose node does not exist are left out.
pub(in crate::asset) fn humanoid(extensions: &Map<String, Value>, nodes: usize) -> Option<Humanoid> {
    // A VRM animation has the same map as VRM 1.0.
    let v1 = extensions.get("VRMC_vrm").or_else(|| extensions.get("VRMC_vrm_animation"));
    let (vrm, bones) = match (v1, extensions.get("VRM")) {
        (Some(v1), _) => (1, version_1(v1)?),
        (None, Some(v0)) => (0, version_0(v0)?),
        (None, None) => return None,
    };
    Some(Humanoid { bones: bones.into_iter().filter(|(_, node)| *node < nodes).collect(), vrm })
}

fn node(bone: &Value) -> Option<usize> {
    bone.get("node").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok())
}

/// Reads `humanoid.humanBones`, a map from names to `{ node }`.
fn version_1(extension: &Value) -> Option<BTreeMap<String, usize>> {
    let bones = extension.pointer("/humanoid/humanBones")?.as_object()?;
    Some(bones.iter().filter_map(|(name, bone)| Some((name.clone(), node(bone)?))).collect())
}

/// Reads `humanoid.humanBones`, a list of `{ bone, node }`. In VRM 0 the bones of the thumb have different names.
fn version_0(extension: &Value) -> Option<BTreeMap<String, usize>> {
    let bones = extension.pointer("/humanoid/humanBones")?.as_array()?;
    let named = |bone: &Value| {
        let name = bone.get("bone")?.as_str()?;
        let name = match name {
            "leftThumbProximal" => "leftThumbMetacarpal",
            "leftThumbIntermediate" => "leftThumbProximal",
            "rightThumbProximal" => "rightThumbMetacarpal",
            "rightThumbIntermediate" => "rightThumbProximal",
            other => other,
        };
        Some((name.to_owned(), node(bone)?))
    };
    Some(bones.iter().filter_map(named).collect())
}
