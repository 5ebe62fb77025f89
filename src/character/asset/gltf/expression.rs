//! Reads expressions of VRM 1.0 (`VRMC_vrm.expressions`) and blend shape groups of VRM 0 (`VRM.blendShapeMaster`). An
//! invalid bind is ignored with a warning, because a character is usable without the affected facial expression.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::api::Missing;
use crate::asset::expression::expression_preset;
use crate::asset::{
    Expression, Material, MaterialBind, MorphBind, Override, Overrides, PoseTarget, PoseValue, Skeleton,
};

use super::extension::{index, number};
use super::{GltfFile, ObjectError};

/// Weights of VRM 0 are percentages.
const PERCENT: f32 = 100.0;

/// The valid binds of an expression, and the error of the first invalid one.
#[derive(Default)]
struct Binds {
    valid: Vec<MorphBind>,
    materials: Vec<MaterialBind>,
    first_error: Option<ObjectError>,
}

impl Binds {
    fn push(&mut self, bind: Result<impl IntoIterator<Item = MorphBind>, ObjectError>) {
        match bind {
            Ok(binds) => self.valid.extend(binds),
            Err(error) => self.first_error = self.first_error.take().or(Some(error)),
        }
    }
}

impl GltfFile<'_> {
    /// Reads all expressions that change a morph weight or a material. In VRM 1.0, presets come first. An expression that changes
    /// materials gets a value of its own in poses.
    pub(super) fn expressions(
        &self,
        skeleton: &mut Skeleton,
        materials: &[Material],
        values: &mut Vec<PoseValue>,
    ) -> Result<Vec<Expression>, ObjectError> {
        let Some(extensions) = self.root.extensions.as_ref().map(|e| &e.others) else {
            return Ok(Vec::new());
        };
        let mut all = match (extensions.get("VRMC_vrm"), extensions.get("VRM")) {
            (Some(v1), _) => self.version_1(v1, skeleton, materials)?,
            (None, Some(v0)) => self.version_0(v0, skeleton, materials)?,
            (None, None) => Vec::new(),
        };
        for (index, expression) in all.iter_mut().enumerate().filter(|(_, e)| !e.materials.is_empty()) {
            let first = skeleton.rest_weights.len();
            self.buffers.claim(size_of::<PoseValue>() as u64 + 4, "extensions")?;
            skeleton.rest_weights.push(0.0);
            expression.binds.push(MorphBind { weight: first, amount: 1.0 });
            values.push(PoseValue { first, count: 1, target: PoseTarget::Expression(index) });
        }
        Ok(all)
    }

    /// Reads `expressions.preset` and `expressions.custom`, which map names to `{ isBinary, morphTargetBinds }`. A bind
    /// is `{ node, index, weight }`.
    fn version_1(
        &self,
        extension: &Value,
        skeleton: &Skeleton,
        materials: &[Material],
    ) -> Result<Vec<Expression>, ObjectError> {
        let mut all = Vec::new();
        for kind in ["preset", "custom"] {
            let named = extension.pointer(&format!("/expressions/{kind}")).and_then(Value::as_object);
            for (name, json) in named.into_iter().flatten() {
                let at = format!("extensions.VRMC_vrm.expressions.{kind}.{name}.morphTargetBinds");
                let mut binds = Binds::default();
                for (i, bind) in list(json, "morphTargetBinds").enumerate() {
                    let at = || format!("{at}[{i}]");
                    self.buffers.claim(size_of::<MorphBind>() as u64, &at())?;
                    binds.push(bind_target(bind, "node", &at).and_then(|(node, target)| {
                        let amount = self.amount(bind, 1.0, &at)?;
                        Ok(Some(MorphBind { weight: weight_index(skeleton, node, target, &at)?, amount }))
                    }));
                }
                let at = format!("extensions.VRMC_vrm.expressions.{kind}.{name}");
                binds.materials = self.material_binds_1(json, materials, &at)?;
                let known = expression_preset(name).filter(|(new, _)| kind == "preset" && new == name);
                self.add(&mut all, name, known.map(|(new, _)| new), json, binds)?;
            }
        }
        Ok(all)
    }

    /// Reads `blendShapeMaster.blendShapeGroups`, a list of `{ name, presetName, isBinary, binds }`. A bind is
    /// `{ mesh, index, weight }`. A bind applies to all nodes that show the mesh.
    fn version_0(
        &self,
        extension: &Value,
        skeleton: &Skeleton,
        materials: &[Material],
    ) -> Result<Vec<Expression>, ObjectError> {
        let mut nodes_of_mesh = BTreeMap::<usize, Vec<usize>>::new();
        for (node, mesh) in skeleton.nodes.iter().enumerate().filter_map(|(i, n)| Some((i, n.mesh?))) {
            nodes_of_mesh.entry(mesh).or_default().push(node);
        }
        let groups = extension.pointer("/blendShapeMaster/blendShapeGroups").and_then(Value::as_array);
        let mut all = Vec::new();
        for (g, json) in groups.into_iter().flatten().enumerate() {
            let at = format!("extensions.VRM.blendShapeMaster.blendShapeGroups[{g}].binds");
            let mut binds = Binds::default();
            for (i, bind) in list(json, "binds").enumerate() {
                let at = || format!("{at}[{i}]");
                let bind = bind_target(bind, "mesh", &at).and_then(|(mesh, target)| {
                    let count = self.root.meshes.len();
                    if mesh >= count {
                        return Err(ObjectError::missing(at(), "mesh", mesh, count));
                    }
                    let amount = self.amount(bind, PERCENT, &at)?;
                    Ok((nodes_of_mesh.get(&mesh).map_or(&[][..], Vec::as_slice), target, amount))
                });
                let nodes = bind.as_ref().map_or(0, |(nodes, ..)| nodes.len());
                self.buffers.claim((nodes * size_of::<MorphBind>()) as u64, &at())?;
                binds.push(bind.and_then(|(nodes, target, amount)| {
                    let bind_of_node = |&node: &usize| {
                        Ok(MorphBind { weight: weight_index(skeleton, node, target, &at)?, amount })
                    };
                    nodes.iter().map(bind_of_node).collect::<Result<Vec<_>, ObjectError>>()
                }));
            }
            let at = format!("extensions.VRM.blendShapeMaster.blendShapeGroups[{g}]");
            binds.materials = self.material_binds_0(json, materials, &at)?;
            let text = |key: &str| json.get(key).and_then(Value::as_str).unwrap_or_default();
            let known = expression_preset(text("presetName"));
            // Old exporters omit either the name or the preset.
            let name = if text("name").is_empty() { text("presetName") } else { text("name") };
            self.add(&mut all, name, known.map(|(new, _)| new), json, binds)?;
        }
        Ok(all)
    }

    /// Returns the weight of a bind as a fraction of `full`, which is the weight at full strength.
    fn amount(&self, bind: &Value, full: f32, at: &impl Fn() -> String) -> Result<f32, ObjectError> {
        let missing = || ObjectError::new(at(), "\"weight\" is missing or not a number");
        let weight = number(bind, "weight", &at())?.ok_or_else(missing)?;
        let clamped = weight.clamp(0.0, full);
        if (weight - clamped).abs() > full * 1e-3 {
            self.warn(format!("{}: weight {weight} is not between 0 and {full} and was clamped", at()));
        }
        Ok(clamped / full)
    }

    fn add(
        &self,
        all: &mut Vec<Expression>,
        name: &str,
        preset: Option<&'static str>,
        json: &Value,
        binds: Binds,
    ) -> Result<(), ObjectError> {
        if let Some(ObjectError { at, cause }) = &binds.first_error {
            self.warn(format!("{at}: {cause}, so the bind is ignored"));
        }
        if !(binds.valid.is_empty() && binds.materials.is_empty()) {
            self.buffers.claim((size_of::<Expression>() + name.len()) as u64, "extensions")?;
            let is_binary = json.get("isBinary").and_then(Value::as_bool).unwrap_or_default();
            let overrides = Overrides {
                blink: override_of(json, "overrideBlink"),
                look_at: override_of(json, "overrideLookAt"),
                mouth: override_of(json, "overrideMouth"),
            };
            let (name, Binds { valid: binds, materials, .. }) = (name.to_owned(), binds);
            all.push(Expression { name, preset, is_binary, overrides, binds, materials });
        }
        Ok(())
    }
}

fn override_of(json: &Value, key: &str) -> Override {
    match json.get(key).and_then(Value::as_str) {
        Some("block") => Override::Block,
        Some("blend") => Override::Blend,
        _ => Override::None,
    }
}

fn list<'a>(json: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    json.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the index of the node or mesh of a bind, and the index of its morph target.
fn bind_target(bind: &Value, owner: &str, at: &impl Fn() -> String) -> Result<(usize, usize), ObjectError> {
    let number = |key: &str| {
        index(bind, key)
            .ok_or_else(|| ObjectError::new(at(), format!("\"{key}\" is missing or not an index")))
    };
    Ok((number(owner)?, number("index")?))
}

/// Returns the index of a morph target's weight in a pose.
fn weight_index(
    skeleton: &Skeleton,
    node: usize,
    target: usize,
    at: &impl Fn() -> String,
) -> Result<usize, ObjectError> {
    let count = skeleton.nodes.len();
    let missing = || ObjectError::missing(at(), "node", node, count);
    let weights = skeleton.nodes.get(node).ok_or_else(missing)?.morph_weights.clone();
    let missing = || Missing::index_in(&format!("node {node}"), "morph target", target, weights.len());
    weights.clone().nth(target).ok_or_else(|| ObjectError::new(at(), missing().to_string()))
}
