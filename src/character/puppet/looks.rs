//! The materials and the visible parts of a puppet in its current pose.

use std::collections::{BTreeMap, BTreeSet};

use crate::asset::{Character, Material, Part, PoseTarget};

use super::Puppet;

/// Materials and visible parts that may differ from the character's in the current pose.
#[derive(Clone, Debug, Default)]
pub(super) struct Looks {
    /// The materials that a pose or the time can change, sorted by their indices.
    materials: Vec<PosedMaterial>,
    /// For each part, whether it is hidden. Empty if nothing can be hidden.
    hidden: Vec<bool>,
    /// For each node that a pose can show or hide, the index of the weight that controls it.
    visibility: BTreeMap<usize, usize>,
}

#[derive(Clone, Debug)]
struct PosedMaterial {
    index: usize,
    /// The material of the file, without its name, so that copying it allocates nothing.
    rest: Material,
    now: Material,
    is_changed: bool,
}

impl Looks {
    pub(super) fn new(character: &Character, parts: &[Part]) -> Self {
        let mut can_change = BTreeSet::new();
        let mut visibility = BTreeMap::new();
        for value in &character.values {
            match &value.target {
                PoseTarget::Expression(expression) => {
                    let binds = character.expressions.get(*expression).map(|e| &e.materials);
                    can_change.extend(binds.into_iter().flatten().map(|bind| bind.material));
                }
                PoseTarget::Material(material, _) => {
                    can_change.insert(*material);
                }
                PoseTarget::Visibility(node) => {
                    visibility.insert(*node, value.first);
                }
            }
        }
        let moves = |m: &Material| m.toon.is_some_and(|toon| toon.uv_motion.moves());
        let posed = |(index, material): (usize, &Material)| {
            let is_posed = can_change.contains(&index) || moves(material);
            let rest = material.without_name();
            is_posed.then(|| PosedMaterial { index, now: rest.clone(), rest, is_changed: false })
        };
        Self {
            materials: character.materials.iter().enumerate().filter_map(posed).collect(),
            hidden: vec![false; if visibility.is_empty() { 0 } else { parts.len() }],
            visibility,
        }
    }

    /// Updates the materials and the visibility from the weights of a pose and the time in seconds.
    pub(super) fn update(&mut self, character: &Character, parts: &[Part], weights: &[f32], seconds: f32) {
        if self.materials.is_empty() && self.hidden.is_empty() {
            return;
        }
        for posed in &mut self.materials {
            posed.now.clone_from(&posed.rest);
            posed.is_changed = false;
            let motion = posed.now.toon.as_mut().map(|toon| &mut toon.uv_motion);
            if let Some(motion) = motion.filter(|motion| motion.moves()) {
                motion.seconds = seconds;
                posed.is_changed = seconds != 0.0;
            }
        }
        let rest_weights = &character.skeleton.rest_weights;
        // Expressions come after clips, because they add to the existing values.
        let is_late = |target: &PoseTarget| matches!(target, PoseTarget::Expression(_));
        for late in [false, true] {
            for value in character.values.iter().filter(|v| is_late(&v.target) == late) {
                let range = value.first..value.first.saturating_add(value.count);
                let (Some(numbers), Some(rest)) = (weights.get(range.clone()), rest_weights.get(range))
                else {
                    continue;
                };
                if numbers == rest {
                    continue;
                }
                match &value.target {
                    PoseTarget::Expression(expression) => {
                        let binds = character.expressions.get(*expression).map(|e| &e.materials);
                        for bind in binds.into_iter().flatten() {
                            let value = numbers.first().map_or(0.0, |value| value.clamp(0.0, 1.0));
                            self.change(bind.material, |material| bind.apply(material, value));
                        }
                    }
                    PoseTarget::Material(index, property) => {
                        self.change(*index, |material| property.set(material, numbers));
                    }
                    PoseTarget::Visibility(_) => {}
                }
            }
        }
        if !self.hidden.is_empty() {
            self.hide(character, parts, weights);
        }
    }

    fn change(&mut self, material: usize, change: impl FnOnce(&mut Material)) {
        let posed = self.materials.binary_search_by_key(&material, |m| m.index).ok();
        if let Some(posed) = posed.and_then(|at| self.materials.get_mut(at)) {
            change(&mut posed.now);
            posed.is_changed = true;
        }
    }

    fn hide(&mut self, character: &Character, parts: &[Part], weights: &[f32]) {
        let skeleton = &character.skeleton;
        let is_shown = |node: usize| {
            let weight = self.visibility.get(&node).and_then(|weight| weights.get(*weight));
            weight.map_or_else(|| !skeleton.hidden.contains(&node), |weight| *weight >= 0.5)
        };
        for (hidden, part) in self.hidden.iter_mut().zip(parts) {
            *hidden = !skeleton.ancestors(part.node).all(is_shown);
        }
    }
}

impl Puppet {
    /// Returns the material of a part after [`Puppet::update`], if it differs from the character's.
    pub fn posed_material(&self, part: Part) -> Option<&Material> {
        let index = self.character.primitive(part).material?;
        let posed = self.looks.materials.binary_search_by_key(&index, |m| m.index).ok();
        let posed = self.looks.materials.get(posed?)?;
        posed.is_changed.then_some(&posed.now)
    }

    /// Returns whether the pose hides a part. `part` is an index into [`Puppet::parts`].
    pub fn is_hidden(&self, part: usize) -> bool {
        self.looks.hidden.get(part).copied().unwrap_or_default()
    }

    pub(super) fn update_looks(&mut self) {
        self.looks.update(&self.character, &self.parts, &self.pose.weights, self.time);
    }
}
