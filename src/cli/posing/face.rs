//! The options for morph targets and expressions.

use std::str::FromStr;

use crate::api::Missing;
use crate::asset::{Character, Mesh, apply_overrides, expression_preset};
use crate::cli::failure::Failure;

use super::{PosingArgs, numbers};

/// An argument of the form `NAME=W`.
#[derive(Clone, Debug)]
pub(super) struct Weight {
    name: String,
    value: f32,
}

impl FromStr for Weight {
    type Err = String;

    /// Splits at the last `=`, because a name may contain one.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.rsplit_once('=').ok_or("'=' is missing after the name")?;
        let [value] = numbers::<1>(value)?;
        #[expect(clippy::cast_possible_truncation, reason = "weights have single precision")]
        let value = value as f32;
        if value.is_finite() {
            Ok(Self { name: name.to_owned(), value })
        } else {
            Err("weight is outside the range of single precision".into())
        }
    }
}

impl PosingArgs {
    /// Returns the morph target weights that `--expression` and `--morph` set, each with its index. If both set a morph target, `--morph`
    /// takes precedence.
    pub(super) fn weights(&self, character: &Character) -> Result<Vec<(usize, f32)>, Failure> {
        let mut weights = expression_weights(character, &self.expression)?;
        for morph in &self.morph {
            weights.extend(morph_targets(character, &morph.name)?.into_iter().map(|i| (i, morph.value)));
        }
        Ok(weights)
    }
}

/// Returns the indices of the weights of all morph targets with this name. If there are none, the name is parsed as the index of a morph
/// target in its mesh.
fn morph_targets(character: &Character, name: &str) -> Result<Vec<usize>, Failure> {
    let meshes = character.skeleton.nodes.iter().filter_map(|node| {
        let mesh = character.meshes.get(node.mesh?)?;
        Some((&mesh.target_names, node.morph_weights.clone()))
    });
    let named = |name: &str| -> Vec<usize> {
        let of_mesh = |(names, weights): (&Vec<String>, std::ops::Range<usize>)| {
            names
                .iter()
                .zip(weights)
                .filter(|(n, _)| *n == name)
                .map(|(_, weight)| weight)
                .collect::<Vec<_>>()
        };
        meshes.clone().flat_map(of_mesh).collect()
    };
    let found = named(name);
    if !found.is_empty() {
        return Ok(found);
    }
    let index = name.parse::<usize>().ok();
    let at = |index: usize| meshes.clone().filter_map(move |(_, mut weights)| weights.nth(index));
    let found: Vec<usize> = index.into_iter().flat_map(at).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    // A mesh may name fewer targets than it has.
    let longest = character.meshes.iter().map(Mesh::morph_targets).max().unwrap_or_default();
    let mut known: Vec<Option<&str>> =
        character.meshes.iter().flat_map(|mesh| &mesh.target_names).map(|name| Some(name.as_str())).collect();
    known.resize(if index.is_some() { longest } else { known.len() }, None);
    Err(Missing::name_or_index("morph target", name, known.into_iter()).into())
}

/// Returns the morph target weights that expressions set, after applying the overrides between expressions.
fn expression_weights(character: &Character, given: &[Weight]) -> Result<Vec<(usize, f32)>, Failure> {
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let expressions = &character.expressions;
    let mut values = vec![0.0; expressions.len()];
    let mut set = vec![false; expressions.len()];
    for Weight { name, value } in given {
        if !(0.0..=1.0).contains(value) {
            return Err(Failure::Usage(format!("--expression {name}={value}: must be from 0 to 1")));
        }
        let index = expression(character, name)?;
        if let Some((own, set)) = values.get_mut(index).zip(set.get_mut(index)) {
            (*own, *set) = (*value, true);
        }
    }
    apply_overrides(expressions, &mut values);
    let mut weights: Vec<(usize, f32)> = Vec::new();
    for ((expression, value), _) in expressions.iter().zip(values).zip(set).filter(|(_, set)| *set) {
        for bind in &expression.binds {
            // Several expressions may move the same morph target.
            match weights.iter_mut().find(|(weight, _)| *weight == bind.weight) {
                Some((_, sum)) => *sum = (*sum + value * bind.amount).clamp(0.0, 1.0),
                None => weights.push((bind.weight, (value * bind.amount).clamp(0.0, 1.0))),
            }
        }
    }
    Ok(weights)
}

/// Returns the index of an expression by its name in the file, or by the name of its preset in VRM 1.0 or VRM 0.
fn expression(character: &Character, name: &str) -> Result<usize, Failure> {
    let all = &character.expressions;
    let preset = expression_preset(name).map(|(new, _)| new);
    let of_preset = || all.iter().position(|e| preset.is_some() && e.preset == preset);
    let found = all.iter().position(|e| e.name == name).or_else(of_preset);
    let known = || all.iter().flat_map(|e| [Some(e.name.as_str()), e.preset].into_iter().flatten());
    found.ok_or_else(|| Missing::name("expression", name, known()).into())
}
