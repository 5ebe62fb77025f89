//! Keys of goals in motion files.

use glam::{Quat, Vec3};
use toml_edit::Table;

use crate::motion::GoalKey;
use crate::text::toml::{SpannedError, check_keys, optional, required, single, singles, within};

use super::keys::easing;
use super::{MotionReader, seconds};

impl MotionReader<'_> {
    /// Reads the key of a goal. Errors start with its index.
    pub(super) fn goal(&self, table: &Table, index: usize) -> Result<GoalKey, SpannedError> {
        let read = || {
            check_keys(table, &["node", "time", "position", "orientation", "weight", "easing", "on"])?;
            let goal = GoalKey {
                time: required(table, "time", seconds)?,
                orientation: optional(table, "orientation", singles)?.map(Quat::from_array),
                node: required(table, "node", |item, key| self.node(item, key))?,
                position: Vec3::from_array(required(table, "position", singles)?),
                weight: optional(table, "weight", within(0.0..=1.0))?.map_or(1.0, single),
                easing: optional(table, "easing", easing)?.unwrap_or_default(),
                on: optional(table, "on", |item, key| self.node(item, key))?,
            };
            if let Some(cause) = goal.error() {
                return Err(SpannedError::new(table.span(), cause));
            }
            self.check_on(goal.is_on_own_part(&self.character.skeleton), table)?;
            Ok(goal)
        };
        read().map_err(|error: SpannedError| error.prefixed(&format!("goals[{index}]")))
    }
}
