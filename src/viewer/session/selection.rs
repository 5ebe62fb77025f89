//! The selected joints. One of them is the active one, whose gizmo is shown.

use crate::puppet::Pin;

use super::Session;

/// Maximum number of selected joints beside the active one. The one that was active first is dropped.
const MAX_SELECTED: usize = 1000;

impl Session {
    /// Returns all selected joints, the active one first.
    pub fn selection(&self) -> Vec<usize> {
        self.selected.into_iter().chain(self.also_selected.iter().copied()).collect()
    }

    /// Selects a joint and nothing else, or clears the selection.
    pub(super) fn select(&mut self, node: Option<usize>) {
        self.release();
        self.selected = node.filter(|&n| n < self.state.held.locals.len());
        self.also_selected.clear();
        (self.hovered_grip, self.last) = (None, None);
    }

    /// Adds a joint to the selection and makes it the active one.
    pub(super) fn add_to_selection(&mut self, node: usize) {
        if node >= self.state.held.locals.len() || self.selected == Some(node) {
            return;
        }
        self.release();
        self.also_selected.retain(|&n| n != node);
        if let Some(active) = self.selected.replace(node) {
            self.also_selected.insert(0, active);
            self.also_selected.truncate(MAX_SELECTED);
        }
        (self.hovered_grip, self.last) = (None, None);
    }

    /// Replaces the selection beside the active joint. Unknown nodes are ignored.
    pub(super) fn restore_selection(&mut self, others: Vec<usize>) {
        let count = self.state.held.locals.len();
        let known =
            others.into_iter().filter(|&n| n < count && self.selected.is_some_and(|active| active != n));
        let mut kept = Vec::new();
        for node in known.take(MAX_SELECTED) {
            if !kept.contains(&node) {
                kept.push(node);
            }
        }
        self.also_selected = kept;
    }

    /// Removes a joint from the selection. If it was the active one, the joint that was active before becomes active.
    pub(super) fn remove_from_selection(&mut self, node: usize) {
        self.release();
        self.also_selected.retain(|&n| n != node);
        if self.selected == Some(node) {
            self.selected = (!self.also_selected.is_empty()).then(|| self.also_selected.remove(0));
            self.hovered_grip = None;
        }
    }

    /// Returns the selected joints that have no selected joint above them.
    pub(in crate::viewer) fn topmost_selected(&self) -> Vec<usize> {
        let (selection, skeleton) = (self.selection(), &self.puppet.character().skeleton);
        let mut is_selected = vec![false; skeleton.nodes.len()];
        for &node in &selection {
            if let Some(selected) = is_selected.get_mut(node) {
                *selected = true;
            }
        }
        let is_below = |node: usize| {
            skeleton.ancestors(node).skip(1).any(|n| is_selected.get(n).copied().unwrap_or_default())
        };
        selection.into_iter().filter(|&node| !is_below(node)).collect()
    }

    /// Pins or unpins the joint that keys act on. If it is one of several selected joints, all of them are pinned, or
    /// unpinned if all of them have pins.
    pub(super) fn toggle_pins(&mut self) {
        let Some(node) = self.active_node() else { return };
        let selection = self.selection();
        let nodes = if selection.contains(&node) { selection } else { vec![node] };
        self.release();
        let has_pin = |pins: &[Pin], node: usize| pins.iter().any(|pin| pin.node == node);
        let unpins = nodes.iter().all(|&n| has_pin(&self.state.pins, n));
        self.history.remember(self.state.clone());
        for node in nodes {
            if unpins {
                self.state.pins.retain(|pin| pin.node != node);
            } else if !has_pin(&self.state.pins, node) {
                self.state.pins.push(self.pin_here(node));
            }
        }
    }
}
