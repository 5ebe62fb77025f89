//! What the names of blend values move on a character.

use std::collections::BTreeMap;

use crate::asset::{Character, MorphBind, expression_preset};

/// The expressions of a character, and its morph targets, by the names that performers may use.
#[derive(Clone, Debug, Default)]
pub(super) struct Faces {
    faces: Vec<Face>,
    /// Places in `faces`, by names in small letters.
    named: BTreeMap<String, usize>,
}

#[derive(Clone, Debug)]
struct Face {
    is_binary: bool,
    binds: Vec<MorphBind>,
    /// What it was told last, 0 to 1.
    value: Option<f32>,
}

impl Faces {
    /// A name is an expression's own; else that of its preset, in VRM 1.0 or in VRM 0; else that of morph targets. Of several expressions
    /// with a name it is the first's.
    pub(super) fn new(character: &Character) -> Self {
        let mut all = Self::default();
        for expression in &character.expressions {
            all.named.entry(expression.name.to_lowercase()).or_insert(all.faces.len());
            let (is_binary, binds) = (expression.is_binary, expression.binds.clone());
            all.faces.push(Face { is_binary, binds, value: None });
        }
        // What the file calls a preset comes before what only has the name of one.
        let preset_of = |named: bool| {
            let all = character.expressions.iter().enumerate();
            all.filter_map(move |(face, e)| {
                Some((face, expression_preset(e.preset.or_else(|| Some(&*e.name).filter(|_| named))?)?))
            })
        };
        for (face, (new, old)) in preset_of(false).chain(preset_of(true)) {
            for name in [new, old] {
                all.named.entry(name.to_lowercase()).or_insert(face);
            }
        }
        for (name, binds) in morphs(character) {
            all.named.entry(name).or_insert(all.faces.len());
            all.faces.push(Face { is_binary: false, binds, value: None });
        }
        all
    }

    /// Gives the weights of a pose what the values say that hold now. Where several move a weight their shares add up, to one at most; a face
    /// with two names is shown by the greater of their values. Weights that none of them moves stay.
    pub(super) fn show(&mut self, values: &BTreeMap<String, f32>, weights: &mut [f32]) {
        self.faces.iter_mut().for_each(|face| face.value = None);
        for (name, value) in values {
            if let Some(face) = self.named.get(name).and_then(|face| self.faces.get_mut(*face)) {
                let value = if face.is_binary { f32::from(u8::from(*value > 0.5)) } else { *value };
                face.value = Some(face.value.map_or(value, |other| other.max(value)));
            }
        }
        let told = || self.faces.iter().filter_map(|face| Some((&face.binds, face.value?)));
        for bind in told().flat_map(|(binds, _)| binds) {
            if let Some(weight) = weights.get_mut(bind.weight) {
                *weight = 0.0;
            }
        }
        for (binds, value) in told() {
            for bind in binds {
                if let Some(weight) = weights.get_mut(bind.weight) {
                    *weight = (*weight + value * bind.amount).clamp(0.0, 1.0);
                }
            }
        }
    }
}

/// Morph targets of a name, in small letters, on all nodes.
fn morphs(character: &Character) -> BTreeMap<String, Vec<MorphBind>> {
    let mut morphs = BTreeMap::<String, Vec<MorphBind>>::new();
    for node in &character.skeleton.nodes {
        let Some(mesh) = node.mesh.and_then(|m| character.meshes.get(m)) else { continue };
        for (name, weight) in mesh.target_names.iter().zip(node.morph_weights.clone()) {
            morphs.entry(name.to_lowercase()).or_default().push(MorphBind { weight, amount: 1.0 });
        }
    }
    morphs
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;

    /// Two nodes that show a mesh with three morph targets, and what an extension says of them.
    fn character(extension: &str, content: &Value) -> Character {
        let target = json!({"POSITION": 0});
        let file = json!({
            "asset": {"version": "2.0"},
            "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3}],
            "meshes": [{
                "primitives": [{"attributes": {"POSITION": 0}, "targets": [target, target, target]}],
                "extras": {"targetNames": ["Smile", "Lids", "Joy"]},
            }],
            "nodes": [{"mesh": 0}, {"mesh": 0}],
            "extensions": {extension: content},
        });
        crate::asset::gltf::load_bytes(Path::new("face.gltf"), file.to_string().as_bytes(), None).unwrap()
    }

    /// The weights after these values, from a pose whose weights were all a quarter.
    fn shown(character: &Character, values: &[(&str, f32)]) -> Vec<f32> {
        let mut weights = vec![0.25; character.skeleton.rest_weights.len()];
        let values = values.iter().map(|(name, value)| (name.to_lowercase(), *value)).collect();
        Faces::new(character).show(&values, &mut weights);
        weights
    }

    fn version_0() -> Character {
        let bind = |target: usize, weight: f32| json!({"mesh": 0, "index": target, "weight": weight});
        character(
            "VRM",
            &json!({"blendShapeMaster": {"blendShapeGroups": [
                {"name": "Laugh", "presetName": "joy", "binds": [bind(0, 100.0), bind(1, 50.0)]},
                {"name": "Blink", "presetName": "blink", "binds": [bind(1, 80.0)]},
                {"name": "Wink", "presetName": "unknown", "isBinary": true, "binds": [bind(1, 40.0)]},
                {"name": "A", "presetName": "unknown", "binds": [bind(2, 100.0)]},
                {"name": "Blush", "presetName": "unknown", "binds": [], "materialValues": [{}]},
            ]}}),
        )
    }

    #[test]
    fn a_group_of_version_0_moves_its_morphs_on_all_nodes_with_the_mesh() {
        let face = version_0();
        let laugh = [0.5, 0.25, 0.25, 0.5, 0.25, 0.25];
        // Its own name, its preset's in either version. The morph target that is called Joy is not meant.
        for name in ["Laugh", "Joy", "JOY", "happy"] {
            assert_eq!(shown(&face, &[(name, 0.5)]), laugh, "{name}");
        }
        // The file does not say that it is a preset, but who speaks of version 1.0 means it.
        assert_eq!(shown(&face, &[("aa", 1.0)])[2], 1.0);
        // What has nothing to move is nothing, and a morph target is found where no expression has the name.
        assert_eq!(shown(&face, &[("Blush", 1.0)]), [0.25; 6]);
        assert_eq!(shown(&face, &[("smile", 0.75)]), [0.75, 0.25, 0.25, 0.75, 0.25, 0.25]);
    }

    #[test]
    fn shares_add_up_to_one_and_a_face_is_shown_once() {
        let face = version_0();
        let lids = |values: &[(&str, f32)]| shown(&face, values)[1];
        assert!((lids(&[("Joy", 0.4), ("Blink", 0.5)]) - 0.6).abs() < 1e-6);
        assert_eq!(lids(&[("Joy", 1.0), ("Blink", 1.0)]), 1.0);
        assert_eq!(lids(&[("Joy", 0.4), ("happy", 0.2), ("laugh", 0.0)]), 0.2);
        // Something between is no wink.
        assert_eq!((lids(&[("Wink", 0.5)]), lids(&[("Wink", 0.51)])), (0.0, 0.4));
        // What was told to be zero is, what was not told of stays.
        assert_eq!(shown(&face, &[("Blink", 0.0)])[..3], [0.25, 0.0, 0.25]);
    }

    #[test]
    fn an_expression_of_version_1_moves_the_morphs_of_its_nodes() {
        let bind = |node: usize, target: usize| json!([{"node": node, "index": target, "weight": 0.5}]);
        let face = character(
            "VRMC_vrm",
            &json!({"expressions": {
                "preset": {"happy": {"morphTargetBinds": bind(0, 0)}, "blinkLeft": {"morphTargetBinds": bind(1, 1)}},
                "custom": {"joy": {"morphTargetBinds": bind(1, 2)}, "Smile": {"morphTargetBinds": bind(1, 1)}},
            }}),
        );
        let moved = |name: &str| {
            let weights = shown(&face, &[(name, 1.0)]);
            weights.iter().position(|w| *w == 0.5).filter(|_| weights.iter().sum::<f32>() == 1.75)
        };
        assert_eq!((moved("Happy"), moved("BLINK_L"), moved("blinkLeft")), (Some(0), Some(4), Some(4)));
        // The file's own names come first: before another version's name of a preset, and before a morph target's.
        assert_eq!((moved("Joy"), moved("smile")), (Some(5), Some(4)));
    }
}
