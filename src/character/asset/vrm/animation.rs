//! VRM animations (`VRMC_vrm_animation`, `.vrma`): which nodes store facial expressions and gazes.

use serde_json::{Map, Value};

use crate::asset::expression_preset;

use super::json::{Problems, index};

/// Facial expressions and gaze from a clip of a VRM animation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaceTracks {
    /// Expressions. The x translation of a node is the value of its expression.
    pub expressions: Vec<ExpressionTrack>,
    /// Node whose rotation is the direction in which the eyes look.
    pub gaze: Option<usize>,
}

/// An expression that a node animates.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionTrack {
    /// Name of the expression.
    pub name: String,
    /// Name of the expression's preset in VRM 1.0, or `None` for a custom expression.
    pub preset: Option<&'static str>,
    /// The node whose x translation is the value.
    pub node: usize,
}

/// Reads the nodes of expressions and of the gaze.
pub(in crate::asset) fn face_tracks(
    extensions: &Map<String, Value>,
    nodes: usize,
    problems: &mut Problems,
) -> FaceTracks {
    let Some(extension) = extensions.get("VRMC_vrm_animation") else { return FaceTracks::default() };
    let mut node_of = |json: &Value, at: &dyn Fn() -> String| {
        index(json, "node", nodes).unwrap_or_else(|cause| {
            problems.push(|| format!("extensions.VRMC_vrm_animation.{}: {cause}", at()));
            None
        })
    };
    let gaze = extension.get("lookAt").and_then(|json| node_of(json, &|| "lookAt".to_owned()));
    let mut expressions = Vec::new();
    for kind in ["preset", "custom"] {
        let named = extension.pointer(&format!("/expressions/{kind}")).and_then(Value::as_object);
        for (name, json) in named.into_iter().flatten() {
            let Some(node) = node_of(json, &|| format!("expressions.{kind}.{name}")) else { continue };
            let known = expression_preset(name).filter(|(new, _)| kind == "preset" && new == name);
            let preset = known.map(|(new, _)| new);
            expressions.push(ExpressionTrack { name: name.clone(), preset, node });
        }
    }
    FaceTracks { expressions, gaze }
}
