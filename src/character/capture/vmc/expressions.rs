//! Maps the names of blend values to the expressions and morph targets of a character.

use std::collections::BTreeMap;

use crate::asset::{Character, Expression, MorphBind, apply_overrides, expression_preset};

/// The expressions and morph targets of a character, by the names that a performer may use.
#[derive(Clone, Debug, Default)]
pub(super) struct Expressions {
    bindings: Vec<MorphBinding>,
    /// The expressions of the character, in the order of the first bindings.
    expressions: Vec<Expression>,
    /// Indices into `bindings`, by name in lower case.
    by_name: BTreeMap<String, usize>,
}

#[derive(Clone, Debug)]
struct MorphBinding {
    is_binary: bool,
    binds: Vec<MorphBind>,
    /// The current value from 0 to 1, or `None` if no value was received.
    value: Option<f32>,
}

impl Expressions {
    /// Collects the names of a character. A name refers to the expression with that name, or else to the expression with that preset in VRM
    /// 1.0 or VRM 0, or else to the morph targets with that name. If several expressions match, the first one is used.
    pub(super) fn new(character: &Character) -> Self {
        let mut all = Self { expressions: character.expressions.clone(), ..Self::default() };
        for expression in &character.expressions {
            all.by_name.entry(expression.name.to_lowercase()).or_insert(all.bindings.len());
            let (is_binary, binds) = (expression.is_binary, expression.binds.clone());
            all.bindings.push(MorphBinding { is_binary, binds, value: None });
        }
        // Expressions that the file marks as presets take precedence over those that only have the name of a preset.
        let preset_of = |by_name: bool| {
            let all = character.expressions.iter().enumerate();
            all.filter_map(move |(face, e)| {
                Some((face, expression_preset(e.preset.or_else(|| Some(&*e.name).filter(|_| by_name))?)?))
            })
        };
        for (face, (new, old)) in preset_of(false).chain(preset_of(true)) {
            for name in [new, old] {
                all.by_name.entry(name.to_lowercase()).or_insert(face);
            }
        }
        for (name, binds) in morphs(character) {
            all.by_name.entry(name).or_insert(all.bindings.len());
            all.bindings.push(MorphBinding { is_binary: false, binds, value: None });
        }
        all
    }

    /// Writes the weights that result from blend values. If several expressions move a morph target, their
    /// contributions are added, up to 1. If several names refer to one expression, the largest of their values is used.
    /// Weights that no value affects do not change.
    pub(super) fn apply(&mut self, values: &BTreeMap<String, f32>, weights: &mut [f32]) {
        self.bindings.iter_mut().for_each(|face| face.value = None);
        for (name, value) in values {
            if let Some(face) = self.by_name.get(name).and_then(|face| self.bindings.get_mut(*face)) {
                let value = if face.is_binary { f32::from(u8::from(*value > 0.5)) } else { *value };
                face.value = Some(face.value.map_or(value, |other| other.max(value)));
            }
        }
        // The first bindings belong to the expressions.
        let mut remaining: Vec<f32> =
            self.bindings.iter().take(self.expressions.len()).map(|b| b.value.unwrap_or(0.0)).collect();
        apply_overrides(&self.expressions, &mut remaining);
        for (binding, value) in self.bindings.iter_mut().zip(remaining) {
            binding.value = binding.value.map(|_| value);
        }
        let active = || self.bindings.iter().filter_map(|face| Some((&face.binds, face.value?)));
        for bind in active().flat_map(|(binds, _)| binds) {
            if let Some(weight) = weights.get_mut(bind.weight) {
                *weight = 0.0;
            }
        }
        for (binds, value) in active() {
            for bind in binds {
                if let Some(weight) = weights.get_mut(bind.weight) {
                    *weight = (*weight + value * bind.amount).clamp(0.0, 1.0);
                }
            }
        }
    }
}

/// Returns the morph targets of all nodes by name in lower case.
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

    /// Two nodes that share a mesh with three morph targets, and an extension with expressions.
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

    /// Returns the morph weights after these values are applied to a pose whose weights are all 0.25.
    fn weights(character: &Character, values: &[(&str, f32)]) -> Vec<f32> {
        let mut out = vec![0.25; character.skeleton.rest_weights.len()];
        let values = values.iter().map(|(name, value)| (name.to_lowercase(), *value)).collect();
        Expressions::new(character).apply(&values, &mut out);
        out
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
    fn a_vrm_0_blend_shape_group_moves_its_morphs_on_all_nodes_with_the_mesh() {
        let face = version_0();
        let laugh = [0.5, 0.25, 0.25, 0.5, 0.25, 0.25];
        // These are the expression's name, and its preset in both versions. The morph target called Joy has lower
        // precedence.
        for name in ["Laugh", "Joy", "JOY", "happy"] {
            assert_eq!(weights(&face, &[(name, 0.5)]), laugh, "{name}");
        }
        // The group is not marked as a preset, but its name `A` is the name of the preset `aa` in VRM 0.
        assert_eq!(weights(&face, &[("aa", 1.0)])[2], 1.0);
        // An expression without morph targets has no effect. A morph target is found if no expression has its name.
        assert_eq!(weights(&face, &[("Blush", 1.0)]), [0.25; 6]);
        assert_eq!(weights(&face, &[("smile", 0.75)]), [0.75, 0.25, 0.25, 0.75, 0.25, 0.25]);
    }

    #[test]
    fn contributions_add_up_to_one_and_an_expression_counts_once() {
        let face = version_0();
        let lids = |values: &[(&str, f32)]| weights(&face, values)[1];
        assert!((lids(&[("Joy", 0.4), ("Blink", 0.5)]) - 0.6).abs() < 1e-6);
        assert_eq!(lids(&[("Joy", 1.0), ("Blink", 1.0)]), 1.0);
        assert_eq!(lids(&[("Joy", 0.4), ("happy", 0.2), ("laugh", 0.0)]), 0.2);
        // A binary expression is off at values up to 0.5 and on at higher values.
        assert_eq!((lids(&[("Wink", 0.5)]), lids(&[("Wink", 0.51)])), (0.0, 0.4));
        // A value of zero is applied, and weights without a value do not change.
        assert_eq!(weights(&face, &[("Blink", 0.0)])[..3], [0.25, 0.0, 0.25]);
    }

    #[test]
    fn a_vrm_1_expression_moves_the_morphs_of_its_nodes() {
        let bind = |node: usize, target: usize| json!([{"node": node, "index": target, "weight": 0.5}]);
        let face = character(
            "VRMC_vrm",
            &json!({"expressions": {
                "preset": {"happy": {"morphTargetBinds": bind(0, 0)}, "blinkLeft": {"morphTargetBinds": bind(1, 1)}},
                "custom": {"joy": {"morphTargetBinds": bind(1, 2)}, "Smile": {"morphTargetBinds": bind(1, 1)}},
            }}),
        );
        let moved = |name: &str| {
            let weights = weights(&face, &[(name, 1.0)]);
            weights.iter().position(|w| *w == 0.5).filter(|_| weights.iter().sum::<f32>() == 1.75)
        };
        assert_eq!((moved("Happy"), moved("BLINK_L"), moved("blinkLeft")), (Some(0), Some(4), Some(4)));
        // Names in the file take precedence over the preset names of another version and over morph targets.
        assert_eq!((moved("Joy"), moved("smile")), (Some(5), Some(4)));
    }
}
