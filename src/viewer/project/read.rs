//! Translates a project into the commands that restore its state.

use glam::{DQuat, DVec3, Vec3};
use serde::de::DeserializeOwned;
use toml_edit::{Item, Table};

use crate::asset::Character;
use crate::puppet::{Pin, Target};
use crate::rig::Rig;
use crate::rig::file::NodeNames;
use crate::shared;
use crate::text::json;
use crate::text::toml::{
    SpannedError, check_keys, number, numbers, optional, radians, required, single, tables,
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

    fn node(&self, item: &Item, name: &str) -> Result<usize, SpannedError> {
        self.names.get(name).map_err(|missing| SpannedError::at(item, missing.to_string()))
    }

    /// Returns the node whose name is the value of a key.
    fn node_of(&self, table: &Table, key: &str) -> Result<Option<usize>, SpannedError> {
        let Some(item) = table.get(key) else { return Ok(None) };
        let name = item.as_str().ok_or_else(|| SpannedError::at(item, format!("{key} must be a node")))?;
        self.node(item, name).map(Some)
    }

    /// Returns the nodes named in a list.
    fn node_list(&self, table: &Table, key: &str) -> Result<Vec<usize>, SpannedError> {
        let Some(item) = table.get(key) else { return Ok(Vec::new()) };
        let no_list = || SpannedError::at(item, format!("{key} must be a list of nodes"));
        let names = item.as_array().ok_or_else(no_list)?;
        names.iter().map(|name| self.node(item, name.as_str().ok_or_else(no_list)?)).collect()
    }

    /// Returns the entries of a table whose keys are node names.
    fn nodes<T>(
        &self,
        table: &Table,
        key: &str,
        read: impl Fn(usize, &Item) -> Result<T, SpannedError>,
    ) -> Result<Vec<(usize, T)>, SpannedError> {
        let Some(item) = table.get(key) else { return Ok(Vec::new()) };
        let no_table = || SpannedError::at(item, format!("{key} must be a table of nodes"));
        let entries = item.as_table_like().ok_or_else(no_table)?;
        let entry = |(name, item): (&str, &Item)| {
            let node = self.node(item, name)?;
            Ok((node, read(node, item)?))
        };
        entries.iter().map(entry).collect()
    }

    /// Returns the commands for the camera and the time.
    fn view(&self) -> Result<Vec<Command>, SpannedError> {
        let Some(table) = super::table(self.root, "view")? else { return Ok(vec![Command::Seek(0.0)]) };
        let time = single(optional(table, "time", 0.0, 0.0..=MAX_TIME)?);
        // Seek first: if the camera follows the character, changing the time moves the camera.
        let camera = camera(table)?.map(Command::Camera);
        Ok(std::iter::once(Command::Seek(time)).chain(camera).collect())
    }

    fn snapshot(&self) -> Result<Snapshot, SpannedError> {
        let mut snapshot = Snapshot::default();
        if let Some(view) = super::table(self.root, "view")? {
            snapshot.time = single(optional(view, "time", 0.0, 0.0..=MAX_TIME)?);
        }
        if let Some(table) = super::table(self.root, "pose")? {
            check_keys(table, &["base", "selected", "also_selected", "morphs", "joints"])?;
            snapshot.base = self.node_of(table, "base")?;
            snapshot.selected = self.node_of(table, "selected")?;
            snapshot.also_selected = self.node_list(table, "also_selected")?;
            snapshot.nodes = self.nodes(table, "joints", |node, item| {
                shared::read_transform(&self.character.skeleton, node, item)
            })?;
            if let Some(item) = table.get("morphs") {
                snapshot.morphs = shared::read_morphs(&self.character.skeleton, item)?;
            }
        }
        if let Some(table) = super::table(self.root, "rig")? {
            check_keys(table, &["humanoid", "limits", "poles", "pulls", "options"])?;
            if let Some(item) = table.get("humanoid") {
                let no_table = || SpannedError::at(item, "humanoid must be a table of bones");
                for (bone, item) in item.as_table_like().ok_or_else(no_table)?.iter() {
                    let name = item.as_str().unwrap_or_default();
                    let node = if name == NO_BONE { None } else { Some(self.node(item, name)?) };
                    snapshot.bones.push((bone.to_owned(), node));
                }
            }
            snapshot.limits = self.nodes(table, "limits", |_, item| shared::read_limit(item))?;
            snapshot.poles = self.nodes(table, "poles", |_, item| match item.as_str() {
                Some("none") => Ok(None),
                _ => Ok(Some(Vec3::from_array(numbers::<3>(item, "a pole")?.map(single)))),
            })?;
            let pull = |_: usize, item: &Item| {
                number(item, "pull", |n| (0.0..=1.0).contains(&n), || "a pull must be from 0 to 1".into())
            };
            snapshot.pulls = self.nodes(table, "pulls", pull)?;
            snapshot.options = table.get("options").map(shared::read_options).transpose()?;
        }
        if let Some(table) = super::table(self.root, "motion")? {
            snapshot.motion = shared::read_motion(table, self.character, self.rig)?;
        }
        let goals = tables(self.root, "goal")?.into_iter();
        snapshot.goals = goals.map(|table| self.goal(table)).collect::<Result<_, _>>()?;
        let pins = tables(self.root, "pin")?.into_iter();
        snapshot.pins = pins.map(|table| self.pin(table)).collect::<Result<_, _>>()?;
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
        required(table, "node").map_err(|e| e.or_at(table.span()))?;
        let mut goal = Target::new(self.node_of(table, "node")?.unwrap_or_default());
        goal.base = self.node_of(table, "base")?;
        goal.offset = vector(table, "offset")?.unwrap_or_default();
        goal.position = vector(table, "position")?;
        goal.orientation = rotation(table, "orientation")?;
        goal.look = vector(table, "look")?;
        goal.pole = vector(table, "pole")?;
        goal.weight = optional(table, "weight", 1.0, 0.0..=f64::from(f32::MAX))?;
        if let Some(item) = table.get("axes") {
            let json = item.as_value().map(free::to_json).unwrap_or_default();
            goal.axes = json::from_value(&json).map_err(|e| SpannedError::at(item, format!("axes: {e}")))?;
        }
        if let Some(item) = table.get("touches") {
            let flag = item.as_bool();
            goal.touches = flag.ok_or_else(|| SpannedError::at(item, "touches must be true or false"))?;
        }
        Ok(goal)
    }

    fn pin(&self, table: &Table) -> Result<Pin, SpannedError> {
        check_keys(table, &["node", "position", "orientation"])?;
        required(table, "node").map_err(|e| e.or_at(table.span()))?;
        let node = self.node_of(table, "node")?.unwrap_or_default();
        let target = vector(table, "position")?.zip(rotation(table, "orientation")?);
        Ok(Pin { node, target })
    }
}

fn vector(table: &Table, key: &str) -> Result<Option<DVec3>, SpannedError> {
    table.get(key).map(|item| numbers::<3>(item, key).map(DVec3::from_array)).transpose()
}

fn rotation(table: &Table, key: &str) -> Result<Option<DQuat>, SpannedError> {
    let Some(item) = table.get(key) else { return Ok(None) };
    let rotation = DQuat::from_array(numbers::<4>(item, key)?);
    let is_unit = (rotation.length() - 1.0).abs() < 1e-3;
    let error = || SpannedError::at(item, format!("{key} must be a quaternion of length 1"));
    is_unit.then_some(Some(rotation)).ok_or_else(error)
}

/// Reads the camera of the table `[view]`.
fn camera(table: &Table) -> Result<Option<Orbit>, SpannedError> {
    if !table.contains_key("distance") {
        let unused =
            ["target", "yaw", "pitch", "radius", "projection"].into_iter().find(|k| table.contains_key(k));
        let Some(key) = unused else { return Ok(None) };
        return Err(SpannedError::at(required(table, key)?, format!("{key} needs distance")));
    }
    let length = |key: &str| optional(table, key, 1.0, 0.0..=f64::from(f32::MAX)).map(single);
    let angle = |key: &str| optional(table, key, 0.0, -361.0..=361.0).map(radians);
    let target = Vec3::from_array(numbers::<3>(required(table, "target")?, "target")?.map(single));
    let (distance, radius) = (length("distance")?, length("radius")?);
    let (yaw, pitch) = (angle("yaw")?, angle("pitch")?);
    let projection = choice(table, "projection")?.unwrap_or_default();
    let orbit = Orbit { target, distance, yaw, pitch, radius, projection };
    if orbit.is_valid() {
        return Ok(Some(orbit));
    }
    let cause = "the camera is invalid: distance and radius must be positive, and pitch at most 90 degrees";
    Err(SpannedError::at(required(table, "distance")?, cause))
}

/// Reads an enum value, spelled as in recorded sessions.
fn choice<T: DeserializeOwned>(table: &Table, key: &str) -> Result<Option<T>, SpannedError> {
    let Some(item) = table.get(key) else { return Ok(None) };
    let value = serde_json::Value::from(item.as_str().unwrap_or_default());
    let read = json::from_value(&value);
    read.map(Some).map_err(|e| SpannedError::at(item, format!("{key}: {e}")))
}
