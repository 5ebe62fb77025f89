//! The selected joints. The active joint shows its gizmo.

use crate::asset::Skeleton;

/// Maximum number of selected joints besides the active one. Beyond this number, the least recently active joint is dropped.
const MAX_SELECTED: usize = 1000;

/// The selected joints, and the joint that was dragged last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// The joint whose gizmo is shown.
    pub(crate) active: Option<usize>,
    /// The other selected joints, most recently active first.
    pub(crate) others: Vec<usize>,
    /// The node that was dragged last. Keys act on it if no node is under the pointer and none is selected.
    pub(crate) last: Option<usize>,
}

impl Selection {
    /// Returns all selected joints, the active one first.
    pub(crate) fn nodes(&self) -> Vec<usize> {
        self.active.into_iter().chain(self.others.iter().copied()).collect()
    }

    /// Selects only this joint, or clears the selection.
    pub(crate) fn set(&mut self, node: Option<usize>) {
        *self = Self { active: node, ..Self::default() };
    }

    /// Adds a joint and makes it the active one.
    pub(crate) fn add(&mut self, node: usize) {
        if self.active == Some(node) {
            return;
        }
        self.last = None;
        self.others.retain(|&n| n != node);
        if let Some(active) = self.active.replace(node) {
            self.others.insert(0, active);
            self.others.truncate(MAX_SELECTED);
        }
    }

    /// Removes a joint. If it was the active one, the previously active joint becomes active.
    pub(crate) fn remove(&mut self, node: usize) {
        self.others.retain(|&n| n != node);
        if self.active == Some(node) {
            self.active = (!self.others.is_empty()).then(|| self.others.remove(0));
        }
    }

    /// Removes duplicates, and joints that do not exist in a character with `count` nodes.
    pub(super) fn within(self, count: usize) -> Self {
        let exists = |node: &usize| *node < count;
        let active = self.active.filter(exists);
        let mut others = Vec::new();
        for node in self.others.into_iter().filter(|n| exists(n) && active.is_some_and(|a| a != *n)) {
            if others.len() < MAX_SELECTED && !others.contains(&node) {
                others.push(node);
            }
        }
        Self { active, others, last: self.last.filter(exists) }
    }

    /// Returns the selected joints that have no selected ancestor.
    pub(crate) fn topmost(&self, skeleton: &Skeleton) -> Vec<usize> {
        let mut is_selected = vec![false; skeleton.nodes.len()];
        for node in self.nodes() {
            if let Some(selected) = is_selected.get_mut(node) {
                *selected = true;
            }
        }
        let is_below = |node: usize| {
            skeleton.ancestors(node).skip(1).any(|n| is_selected.get(n).copied().unwrap_or_default())
        };
        self.nodes().into_iter().filter(|&node| !is_below(node)).collect()
    }
}
