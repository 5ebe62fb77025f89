//! Edits in motion files.

use glam::{DVec3, Vec3};
use toml_edit::{Item, Table};

use crate::motion::{Edit, Motion};
use crate::puppet::{Puppet, Target};
use crate::rig::file::node_names::node_at;
use crate::text::toml::{SpannedError, check_keys, numbers, optional, radians, required, table_like};

use super::{MotionReader, limited, seconds};

/// Default duration of an edit's fade-in and fade-out, in seconds.
const DEFAULT_WINDOW: f32 = 0.4;
/// Maximum rotation angle in degrees. Single precision cannot represent much larger angles accurately.
const MAX_DEGREES: f64 = 1e6;

impl MotionReader<'_> {
    /// Reads an edit. Its goals are solved with a puppet that plays `motion`, which contains the edits above it.
    pub(super) fn edit(
        &self,
        table: &Table,
        motion: &Motion,
        puppet: &mut Option<Puppet>,
    ) -> Result<Edit, SpannedError> {
        check_keys(table, &["time", "before", "after", "turn", "shift", "reach"])?;
        let time = required(table, "time", limited)?;
        let before = optional(table, "before", seconds)?.unwrap_or(DEFAULT_WINDOW);
        let after = optional(table, "after", seconds)?.unwrap_or(DEFAULT_WINDOW);
        let max_length = f64::from(f32::MAX);
        let vectors = |key: &str, max: f64| -> Result<Vec<(usize, DVec3)>, SpannedError> {
            let Some(item) = table.get(key) else { return Ok(Vec::new()) };
            let no_table = format!("{key} must be a table of node names and lists of 3 numbers");
            let vector = |(name, value): (&str, &Item)| {
                let vector = DVec3::from_array(numbers(value, key)?);
                let too_large =
                    || SpannedError::at(value, format!("{key}: value is too large (at most {max})"));
                let vector = Some(vector).filter(|v| v.abs().max_element() <= max).ok_or_else(too_large)?;
                Ok((node_at(&self.names, value, name)?, vector))
            };
            table_like(item, no_table)?.iter().map(vector).collect()
        };
        let turns = vectors("turn", MAX_DEGREES)?.into_iter();
        let turns = turns.map(|(n, by)| (n, Vec3::from_array(by.to_array().map(radians)))).collect();
        let shifts = vectors("shift", max_length)?.into_iter().map(|(n, by)| (n, by.as_vec3())).collect();
        let direct = Edit { time, before, after, turns, shifts };
        let targets = vectors("reach", max_length)?;
        if targets.is_empty() {
            return Ok(direct);
        }
        let puppet = puppet.get_or_insert_with(|| {
            let scene = self.character.default_scene;
            Puppet::with_rig(self.character.clone(), scene, self.rig.clone())
        });
        puppet.motion.clone_from(motion);
        puppet.time = time;
        let solve = |puppet: &mut Puppet, targets: Vec<Target>| {
            puppet.targets = targets;
            let span = || table.get("reach").and_then(Item::span);
            puppet.update().map(|_| ()).map_err(|e| SpannedError::new(span(), e.to_string()))
        };
        solve(puppet, Vec::new())?;
        let unedited = puppet.pose().clone();
        puppet.motion.edits.push(direct.clone());
        let target = |&(node, at): &(usize, DVec3)| Target { position: Some(at), ..Target::new(node) };
        solve(puppet, targets.iter().map(target).collect())?;
        Ok(Edit::between(&unedited, puppet.pose(), time, before, after))
    }
}
