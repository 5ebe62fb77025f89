//! The state of the dope sheet, and its selected keys.

use std::collections::BTreeSet;

use egui::Pos2;

use crate::motion::{PoseKey, pose_key_at};

use super::contact_rows::ContactRow;
use super::sheet_rows::Sheet;

/// A key in a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RowKey {
    pub(super) name: String,
    pub(super) joints: Vec<usize>,
    /// Time in seconds.
    pub(super) time: f32,
}

/// The state of the dope sheet.
#[derive(Debug, Default)]
pub(super) struct SheetState {
    /// Whether the sheet is shown.
    pub(super) is_open: bool,
    /// Whether only rows of selected joints are shown.
    pub(super) only_selected: bool,
    /// The names of unfolded parts.
    pub(super) unfolded: BTreeSet<String>,
    pub(super) sheet: Option<Sheet>,
    pub(super) selected: Vec<RowKey>,
    /// The key that is being dragged, and its target time. All other selected keys move with it.
    pub(super) drag: Option<(RowKey, f32)>,
    /// The corner at which a box selection began, and the previously selected keys.
    pub(super) selecting: Option<(Pos2, Vec<RowKey>)>,
}

impl SheetState {
    /// Deselects keys that are not among the given key poses. Undo, or a drop onto another key, can remove a selected key.
    pub(super) fn keep_selected(&mut self, keys: Option<&[PoseKey]>) {
        self.selected.retain_mut(|selected| {
            let holds = |key: &&PoseKey| {
                !key.partial || key.joints.iter().any(|(node, _)| selected.joints.contains(node))
            };
            let key = keys.and_then(|keys| keys.get(pose_key_at(keys, selected.time)?)).filter(holds);
            key.map(|key| selected.time = key.time).is_some()
        });
    }

    /// Selects a key, or toggles it in the selection.
    pub(super) fn click(&mut self, key: RowKey, adds: bool) {
        let before = self.selected.len();
        if adds {
            self.selected.retain(|selected| *selected != key);
        } else {
            self.selected.clear();
        }
        if !adds || self.selected.len() == before {
            self.selected.push(key);
        }
    }

    /// Returns whether contacts implied by the keys can be stored.
    pub(super) fn plants(&self) -> bool {
        self.sheet.as_ref().is_some_and(|sheet| sheet.contacts.iter().any(ContactRow::follows_keys))
    }

    /// Cancels a drag in progress.
    pub(super) fn end_drag(&mut self) {
        (self.drag, self.selecting) = (None, None);
    }
}
