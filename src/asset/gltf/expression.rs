//! Expressions of VRM 1.0 (`VRMC_vrm.expressions`) and groups of blend shapes of VRM 0 (`VRM.blendShapeMaster`). What is wrong in one costs
//! that bind and a warning: a face less is no reason to refuse a figure.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::expression::expression_preset;
use super::super::{Expression, MorphBind, Skeleton};
use super::extension::{index, number};
use super::{Fault, Source};

/// Weights of VRM 0 are hundredths.
const PERCENT: f32 = 100.0;

/// Binds of an expression while they are read, and the first that would not do.
#[derive(Default)]
struct Binds {
    good: Vec<MorphBind>,
    bad: Option<Fault>,
}

impl Binds {
    fn push(&mut self, bind: Result<impl IntoIterator<Item = MorphBind>, Fault>) {
        match bind {
            Ok(binds) => self.good.extend(binds),
            Err(fault) => self.bad = self.bad.take().or(Some(fault)),
        }
    }
}

impl Source<'_> {
    /// All expressions that move a morph target; of VRM 1.0 presets come first.
    pub(super) fn expressions(&self, skeleton: &Skeleton) -> Result<Vec<Expression>, Fault> {
        let Some(extensions) = self.root.extensions.as_ref().map(|e| &e.others) else {
            return Ok(Vec::new());
        };
        match (extensions.get("VRMC_vrm"), extensions.get("VRM")) {
            (Some(v1), _) => self.version_1(v1, skeleton),
            (None, Some(v0)) => self.version_0(v0, skeleton),
            (None, None) => Ok(Vec::new()),
        }
    }

    /// `expressions.preset` and `expressions.custom` map names to `{ isBinary, morphTargetBinds: [{ node, index, weight }] }`.
    fn version_1(&self, extension: &Value, skeleton: &Skeleton) -> Result<Vec<Expression>, Fault> {
        let mut all = Vec::new();
        for kind in ["preset", "custom"] {
            let named = extension.pointer(&format!("/expressions/{kind}")).and_then(Value::as_object);
            for (name, json) in named.into_iter().flatten() {
                let at = format!("extensions.VRMC_vrm.expressions.{kind}.{name}.morphTargetBinds");
                let mut binds = Binds::default();
                for (i, bind) in list(json, "morphTargetBinds").enumerate() {
                    let at = || format!("{at}[{i}]");
                    self.buffers.claim(size_of::<MorphBind>() as u64, &at())?;
                    binds.push(weight_of(bind, "node", &at).and_then(|(node, target)| {
                        let amount = self.amount(bind, 1.0, &at)?;
                        Ok(Some(MorphBind { weight: place(skeleton, node, target, &at)?, amount }))
                    }));
                }
                let known = expression_preset(name).filter(|(new, _)| kind == "preset" && new == name);
                self.add(&mut all, name, known.map(|(new, _)| new), json, binds)?;
            }
        }
        Ok(all)
    }

    /// `blendShapeMaster.blendShapeGroups` is a list of `{ name, presetName, isBinary, binds: [{ mesh, index, weight }] }`: a bind is
    /// for all nodes that show the mesh.
    fn version_0(&self, extension: &Value, skeleton: &Skeleton) -> Result<Vec<Expression>, Fault> {
        let mut shown = BTreeMap::<usize, Vec<usize>>::new();
        for (node, mesh) in skeleton.nodes.iter().enumerate().filter_map(|(i, n)| Some((i, n.mesh?))) {
            shown.entry(mesh).or_default().push(node);
        }
        let groups = extension.pointer("/blendShapeMaster/blendShapeGroups").and_then(Value::as_array);
        let mut all = Vec::new();
        for (g, json) in groups.into_iter().flatten().enumerate() {
            let at = format!("extensions.VRM.blendShapeMaster.blendShapeGroups[{g}].binds");
            let mut binds = Binds::default();
            for (i, bind) in list(json, "binds").enumerate() {
                let at = || format!("{at}[{i}]");
                let bind = weight_of(bind, "mesh", &at).and_then(|(mesh, target)| {
                    let count = self.root.meshes.len();
                    if mesh >= count {
                        return Err(Fault::missing(at(), "mesh", mesh, count));
                    }
                    let amount = self.amount(bind, PERCENT, &at)?;
                    Ok((shown.get(&mesh).map_or(&[][..], Vec::as_slice), target, amount))
                });
                let nodes = bind.as_ref().map_or(0, |(nodes, ..)| nodes.len());
                self.buffers.claim((nodes * size_of::<MorphBind>()) as u64, &at())?;
                binds.push(bind.and_then(|(nodes, target, amount)| {
                    let of =
                        |&node: &usize| Ok(MorphBind { weight: place(skeleton, node, target, &at)?, amount });
                    nodes.iter().map(of).collect::<Result<Vec<_>, Fault>>()
                }));
            }
            let text = |key: &str| json.get(key).and_then(Value::as_str).unwrap_or_default();
            let known = expression_preset(text("presetName"));
            // Old exporters leave out either.
            let name = if text("name").is_empty() { text("presetName") } else { text("name") };
            self.add(&mut all, name, known.map(|(new, _)| new), json, binds)?;
        }
        Ok(all)
    }

    /// A bind's weight where `full` is all of it.
    fn amount(&self, bind: &Value, full: f32, at: &impl Fn() -> String) -> Result<f32, Fault> {
        let missing = || Fault::new(at(), "\"weight\" is missing, or no number");
        let weight = number(bind, "weight", &at())?.ok_or_else(missing)?;
        let within = weight.clamp(0.0, full);
        if (weight - within).abs() > full * 1e-3 {
            self.warn(format!("{}: weight {weight} is not between 0 and {full}, clamped", at()));
        }
        Ok(within / full)
    }

    fn add(
        &self,
        all: &mut Vec<Expression>,
        name: &str,
        preset: Option<&'static str>,
        json: &Value,
        binds: Binds,
    ) -> Result<(), Fault> {
        if let Some(Fault { at, cause }) = binds.bad {
            self.warn(format!("{at}: {cause}; left out"));
        }
        if !binds.good.is_empty() {
            self.buffers.claim((size_of::<Expression>() + name.len()) as u64, "extensions")?;
            let is_binary = json.get("isBinary").and_then(Value::as_bool).unwrap_or_default();
            all.push(Expression { name: name.to_owned(), preset, is_binary, binds: binds.good });
        }
        Ok(())
    }
}

fn list<'a>(json: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    json.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// The node or mesh of a bind, and the morph target.
fn weight_of(bind: &Value, what: &str, at: &impl Fn() -> String) -> Result<(usize, usize), Fault> {
    let number = |key: &str| {
        index(bind, key).ok_or_else(|| Fault::new(at(), format!("\"{key}\" is missing, or no index")))
    };
    Ok((number(what)?, number("index")?))
}

/// Where the weight of a node's morph target stands in a pose.
fn place(skeleton: &Skeleton, node: usize, target: usize, at: &impl Fn() -> String) -> Result<usize, Fault> {
    let count = skeleton.nodes.len();
    let missing = || Fault::missing(at(), "node", node, count);
    let weights = skeleton.nodes.get(node).ok_or_else(missing)?.morph_weights.clone();
    let cause = || format!("morph target {target} does not exist (node {node} has {})", weights.len());
    weights.clone().nth(target).ok_or_else(|| Fault::new(at(), cause()))
}
