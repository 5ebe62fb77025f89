//! Translates a project into the commands that restore its state.

use glam::{DQuat, DVec3, Vec3};
use serde::de::DeserializeOwned;
use toml_edit::{Item, Table};

use crate::asset::Character;
use crate::puppet::{Pin, Target};
use crate::rig::Rig;
use crate::rig::file::NodeNames;
use crate::shared::{self, node_at, read_node, read_node_entries};
use crate::text::json;
use crate::text::toml::{
    SpannedError, at_least, check_keys, each, flag, number_where, numbers, optional, radians, required,
    single, singles, table_like, within,
};
use crate::{Command, Orbit, ReplayError, Snapshot};

use super::{NO_BONE, Project, free, settings};

/// The keys of `[view]` that are not settings.
const VIEW_KEYS: [&str; 9] =
    ["width", "height", "target", "distance", "yaw", "pitch", "radius", "projection", "time"];
/// Maximum time on the timeline in seconds.
const MAX_TIME: f64 = 1e6;

impl Project {
    /// Returns the commands that restore the project in a session of its character. The clips of the project's other files must already
    /// have been added.
    ///
    /// # Errors
    /// [`ReplayError`] with the line of an unknown key, an invalid value, or a node or clip that does not exist.
    pub(crate) fn commands(&self, character: &Character, rig: &Rig) -> Result<Vec<Command>, ReplayError> {
        let reader = ProjectReader {
            root: self.document.as_table(),
            character,
            rig,
            names: NodeNames::with_bones(&character.skeleton, &rig.bones),
        };
        reader.commands().map_err(|e| self.error(e))
    }
}

struct ProjectReader<'a> {
    root: &'a Table,
    character: &'a Character,
    rig: &'a Rig,
    names: NodeNames<'a>,
}

impl<'a> ProjectReader<'a> {
    fn commands(&self) -> Result<Vec<Command>, SpannedError> {
        let mut commands = settings::read(self.root, self.rig, &VIEW_KEYS)?;
        commands.push(Command::Restore(Box::new(self.snapshot()?)));
        commands.extend(self.view()?);
        Ok(commands)
    }

    /// Reads the name of a node.
    fn node(&self, item: &Item, key: &str) -> Result<usize, SpannedError> {
        read_node(&self.names, item, format!("{key} must be a node"))
    }

    /// Returns the node whose name is the value of a key.
    fn node_of(&self, table: &Table, key: &str) -> Result<Option<usize>, SpannedError> {
        optional(table, key, |item, key| self.node(item, key))
    }

    /// Reads a list of nodes.
    fn node_list(&self, item: &Item, key: &str) -> Result<Vec<usize>, SpannedError> {
        let no_list = || SpannedError::at(item, format!("{key} must be a list of nodes"));
        let names = item.as_array().ok_or_else(no_list)?;
        names.iter().map(|name| node_at(&self.names, item, name.as_str().ok_or_else(no_list)?)).collect()
    }

    /// Returns the entries of a table whose keys are node names.
    fn nodes<T>(
        &self,
        table: &Table,
        key: &str,
        read: impl Fn(usize, &Item) -> Result<T, SpannedError>,
    ) -> Result<Vec<(usize, T)>, SpannedError> {
        let cause = format!("{key} must be a table of nodes");
        let entries = optional(table, key, |item, _| read_node_entries(&self.names, item, cause, read))?;
        Ok(entries.unwrap_or_default())
    }

    /// Returns the commands for the camera and the time.
    fn view(&self) -> Result<Vec<Command>, SpannedError> {
        let Some(table) = super::table(self.root, "view")? else { return Ok(vec![Command::Seek(0.0)]) };
        let time = seconds(table, "time")?;
        // Seek first: if the camera follows the character, changing the time moves the camera.
        let camera = camera(table)?.map(Command::Camera);
        Ok(std::iter::once(Command::Seek(time)).chain(camera).collect())
    }

    fn snapshot(&self) -> Result<Snapshot, SpannedError> {
        let mut snapshot = Snapshot::default();
        if let Some(view) = super::table(self.root, "view")? {
            snapshot.time = seconds(view, "time")?;
        }
        if let Some(table) = super::table(self.root, "pose")? {
            check_keys(table, &["base", "selected", "also_selected", "morphs", "joints"])?;
            snapshot.base = self.node_of(table, "base")?;
            snapshot.selected = self.node_of(table, "selected")?;
            let others = optional(table, "also_selected", |item, key| self.node_list(item, key))?;
            snapshot.also_selected = others.unwrap_or_default();
            snapshot.nodes = self.nodes(table, "joints", |node, item| {
                shared::read_transform(&self.character.skeleton, node, item)
            })?;
            let morphs = |item: &Item, _: &str| shared::read_morphs(&self.character.skeleton, item);
            snapshot.morphs = optional(table, "morphs", morphs)?.unwrap_or_default();
        }
        if let Some(table) = super::table(self.root, "rig")? {
            check_keys(table, &["humanoid", "limits", "poles", "pulls", "options"])?;
            if let Some(item) = table.get("humanoid") {
                for (bone, item) in table_like(item, "humanoid must be a table of bones")?.iter() {
                    let name = item.as_str().unwrap_or_default();
                    let node = if name == NO_BONE { None } else { Some(node_at(&self.names, item, name)?) };
                    snapshot.bones.push((bone.to_owned(), node));
                }
            }
            snapshot.limits = self.nodes(table, "limits", |_, item| shared::read_limit(item))?;
            snapshot.poles = self.nodes(table, "poles", |_, item| match item.as_str() {
                Some("none") => Ok(None),
                _ => singles(item, "a pole").map(Vec3::from_array).map(Some),
            })?;
            let is_share = |number: f64| (0.0..=1.0).contains(&number);
            let pull = |_: usize, item: &Item| {
                number_where(item, "pull", is_share, || "a pull must be from 0 to 1".into())
            };
            snapshot.pulls = self.nodes(table, "pulls", pull)?;
            snapshot.options = optional(table, "options", |item, _| shared::read_options(item))?;
        }
        if let Some(table) = super::table(self.root, "motion")? {
            snapshot.motion = shared::read_motion(table, self.character, self.rig)?;
        }
        snapshot.goals = each(self.root, "goal", |table, _| self.goal(table))?;
        snapshot.pins = each(self.root, "pin", |table, _| self.pin(table))?;
        if super::table(self.root, "pose")?.is_none() && snapshot.motion.has_only_keys() {
            // The key poses define the pose, but the session samples them only when its time changes. This time therefore differs from the
            // time to which the project seeks.
            let end = snapshot.motion.seconds(&self.character.clips).max(1.0);
            snapshot.time = if snapshot.time > 0.0 { 0.0 } else { end };
        }
        Ok(snapshot)
    }

    fn goal(&self, table: &Table) -> Result<Target, SpannedError> {
        let points = ["position", "orientation", "look", "pole"];
        let keys = [&["node", "base", "offset"], &points[..], &["weight", "axes", "touches"]].concat();
        check_keys(table, &keys)?;
        let mut goal = Target::new(required(table, "node", |item, key| self.node(item, key))?);
        goal.base = self.node_of(table, "base")?;
        goal.offset = optional(table, "offset", vector)?.unwrap_or_default();
        goal.position = optional(table, "position", vector)?;
        goal.orientation = optional(table, "orientation", rotation)?;
        goal.look = optional(table, "look", vector)?;
        goal.pole = optional(table, "pole", vector)?;
        goal.weight = optional(table, "weight", at_least(0.0))?.unwrap_or(1.0);
        let axes = |item: &Item, key: &str| {
            let json = item.as_value().map(free::to_json).unwrap_or_default();
            json::from_value(&json).map_err(|e| SpannedError::at(item, format!("{key}: {e}")))
        };
        goal.axes = optional(table, "axes", axes)?.unwrap_or(goal.axes);
        goal.touches = optional(table, "touches", flag)?.unwrap_or(goal.touches);
        Ok(goal)
    }

    fn pin(&self, table: &Table) -> Result<Pin, SpannedError> {
        check_keys(table, &["node", "position", "orientation"])?;
        let node = required(table, "node", |item, key| self.node(item, key))?;
        let position = optional(table, "position", vector)?;
        Ok(Pin { node, target: position.zip(optional(table, "orientation", rotation)?) })
    }
}

/// Reads a time on the timeline, which is 0 if the key is missing.
fn seconds(table: &Table, key: &str) -> Result<f32, SpannedError> {
    Ok(optional(table, key, within(0.0..=MAX_TIME))?.map_or(0.0, single))
}

fn vector(item: &Item, key: &str) -> Result<DVec3, SpannedError> {
    numbers(item, key).map(DVec3::from_array)
}

fn rotation(item: &Item, key: &str) -> Result<DQuat, SpannedError> {
    let rotation = DQuat::from_array(numbers(item, key)?);
    let is_unit = (rotation.length() - 1.0).abs() < 1e-3;
    let error = || SpannedError::at(item, format!("{key} must be a quaternion of length 1"));
    is_unit.then_some(rotation).ok_or_else(error)
}

/// Reads the camera of the table `[view]`.
fn camera(table: &Table) -> Result<Option<Orbit>, SpannedError> {
    if !table.contains_key("distance") {
        let unused =
            ["target", "yaw", "pitch", "radius", "projection"].into_iter().find(|k| table.contains_key(k));
        let Some(key) = unused else { return Ok(None) };
        return Err(SpannedError::at_key(table, key, format!("{key} needs distance")));
    }
    let length = |key: &str| optional(table, key, at_least(0.0)).map(|x| x.map_or(1.0, single));
    let angle = |key: &str| optional(table, key, within(-361.0..=361.0)).map(|x| x.map_or(0.0, radians));
    let target = Vec3::from_array(required(table, "target", singles)?);
    let (distance, radius) = (length("distance")?, length("radius")?);
    let (yaw, pitch) = (angle("yaw")?, angle("pitch")?);
    let projection = optional(table, "projection", spelled)?.unwrap_or_default();
    let orbit = Orbit { target, distance, yaw, pitch, radius, projection };
    if orbit.is_valid() {
        return Ok(Some(orbit));
    }
    let cause = "the camera is invalid: distance and radius must be positive, and pitch at most 90 degrees";
    Err(SpannedError::at_key(table, "distance", cause))
}

/// Reads an enum value, spelled as in recorded sessions.
fn spelled<T: DeserializeOwned>(item: &Item, key: &str) -> Result<T, SpannedError> {
    let value = serde_json::Value::from(item.as_str().unwrap_or_default());
    json::from_value(&value).map_err(|e| SpannedError::at(item, format!("{key}: {e}")))
}
