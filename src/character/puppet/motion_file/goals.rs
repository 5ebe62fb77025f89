//! Keys of goals in motion files.

use glam::{DQuat, DVec3};
use toml_edit::Table;

use crate::motion::GoalKey;
use crate::text::toml::{SpannedError, check_keys, numbers, optional, required, single};

use super::keys::easing;
use super::{MAX_TIME, MotionReader};

impl MotionReader<'_> {
    /// Reads the key of a goal. Errors start with its index.
    pub(super) fn goal(&self, table: &Table, index: usize) -> Result<GoalKey, SpannedError> {
        let read = || {
            check_keys(table, &["node", "time", "position", "orientation", "weight", "easing", "on"])?;
            required(table, "time")?;
            let turn = table.get("orientation").map(|item| numbers(item, "orientation")).transpose()?;
            let goal = GoalKey {
                node: self.node_of(table, "node")?,
                time: single(optional(table, "time", 0.0, 0.0..=MAX_TIME)?),
                position: DVec3::from_array(numbers(required(table, "position")?, "position")?).as_vec3(),
                orientation: turn.map(|turn| DQuat::from_array(turn).as_quat()),
                weight: single(optional(table, "weight", 1.0, 0.0..=1.0)?),
                easing: table.get("easing").map(easing).transpose()?.unwrap_or_default(),
                on: table.get("on").map(|_| self.node_of(table, "on")).transpose()?,
            };
            if let Some(cause) = goal.error() {
                return Err(SpannedError::new(table.span(), cause.to_owned()));
            }
            self.check_on(goal.is_on_own_part(&self.character.skeleton), table)?;
            Ok(goal)
        };
        read().map_err(|error: SpannedError| SpannedError {
            cause: format!("goals[{index}]: {}", error.cause),
            ..error
        })
    }
}
