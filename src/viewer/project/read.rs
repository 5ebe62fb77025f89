//! Reads a project as the commands that restore its state.

use glam::{DQuat, DVec3, Vec3};
use serde::de::DeserializeOwned;
use toml_edit::{Item, Table, TableLike};

use crate::api::ParseError;
use crate::asset::Character;
use crate::ik::Method;
use crate::puppet::{Pin, Target, motion_file, pose_values};
use crate::render::{FileLights, Light, LightSource};
use crate::rig;
use crate::rig::Rig;
use crate::rig::file::NodeNames;
use crate::text::toml::{
    SpannedError, check_keys, number, numbers, optional, radians, required, single, tables,
};
use crate::viewer::session::default_options;
use crate::viewer::{
    Command, Display, DragScope, EyeTarget, OnionSkin, Orbit, ReplayError, RingMode, Snapshot,
};

use super::{Project, free};

/// Maximum number of seconds on the timeline, and maximum speed of playback.
const MAX_TIME: f64 = 1e6;

impl Project {
    /// Returns the commands that restore the state of the project in a session of its character, to which the clips of the
    /// project's other files were added.
    ///
    /// # Errors
    /// [`ReplayError`] with the line of an unknown key, an invalid value, or a node or clip that does not exist.
    pub(in crate::viewer) fn commands(
        &self,
        character: &Character,
        rig: &Rig,
    ) -> Result<Vec<Command>, ReplayError> {
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
        let mut commands = self.solver()?;
        let snapshot = self.snapshot()?;
        let (before, after) = self.view()?;
        commands.extend(before);
        commands.push(Command::Restore(Box::new(snapshot)));
        commands.extend(after);
        Ok(commands)
    }

    /// Returns a table of the project, or `None` if it is missing.
    fn table(&self, key: &str) -> Result<Option<&'a Table>, SpannedError> {
        let Some(item) = self.root.get(key) else { return Ok(None) };
        let table = item.as_table();
        table.map(Some).ok_or_else(|| SpannedError::at(item, format!("{key} must be written as [{key}]")))
    }

    fn node(&self, item: &Item, name: &str) -> Result<usize, SpannedError> {
        let node = self.names.find(name);
        node.ok_or_else(|| SpannedError::at(item, format!("node \"{name}\" does not exist")))
    }

    /// Returns the node that a key names.
    fn node_of(&self, table: &Table, key: &str) -> Result<Option<usize>, SpannedError> {
        let Some(item) = table.get(key) else { return Ok(None) };
        let name = item.as_str().ok_or_else(|| SpannedError::at(item, format!("{key} must be a node")))?;
        self.node(item, name).map(Some)
    }

    /// Returns the nodes that a list names.
    fn node_list(&self, table: &Table, key: &str) -> Result<Vec<usize>, SpannedError> {
        let Some(item) = table.get(key) else { return Ok(Vec::new()) };
        let no_list = || SpannedError::at(item, format!("{key} must be a list of nodes"));
        let names = item.as_array().ok_or_else(no_list)?;
        names.iter().map(|name| self.node(item, name.as_str().ok_or_else(no_list)?)).collect()
    }

    /// Returns the entries of a table whose keys are nodes.
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

    fn solver(&self) -> Result<Vec<Command>, SpannedError> {
        let mut options = default_options(Method::Auto);
        let Some(table) = self.table("solver")? else {
            self.rig.options.apply(&mut options);
            return Ok(vec![Command::Solver(Box::new(options))]);
        };
        check_keys(
            table,
            &[
                "keep_goals",
                "drag",
                "symmetry",
                "auto_key",
                "rings_alone",
                "rings_world",
                "tool",
                "compare",
                "options",
            ],
        )?;
        if let Some(item) = table.get("options") {
            rig::file::read_options(item)?.apply(&mut options);
        }
        let scope = choice(table, "drag")?.unwrap_or(DragScope::Body);
        let compared = match table.get("compare") {
            None => Vec::new(),
            Some(item) => {
                let names = item.as_array();
                let names =
                    names.ok_or_else(|| SpannedError::at(item, "compare must be a list of methods"))?;
                let method = |value: &toml_edit::Value| value.as_str().unwrap_or_default().parse::<Method>();
                let methods: Result<Vec<Method>, ParseError> = names.iter().map(method).collect();
                methods.map_err(|error| SpannedError::at(item, error.to_string()))?
            }
        };
        let rings = RingMode { alone: flag(table, "rings_alone")?, world: flag(table, "rings_world")? };
        Ok(vec![
            Command::Solver(Box::new(options)),
            Command::KeepGoals(flag(table, "keep_goals")?),
            Command::DragScope(scope),
            Command::Symmetry(flag(table, "symmetry")?),
            Command::AutoKey(flag(table, "auto_key")?),
            Command::Compare(compared),
            Command::RingMode(rings),
            Command::Tool(choice(table, "tool")?.unwrap_or_default()),
        ])
    }

    /// Returns the commands for the view, and those that follow the pose because they concern its motion.
    fn view(&self) -> Result<(Vec<Command>, Vec<Command>), SpannedError> {
        let Some(table) = self.table("view")? else { return Ok((Vec::new(), Vec::new())) };
        check_keys(
            table,
            &[
                "width",
                "height",
                "target",
                "distance",
                "yaw",
                "pitch",
                "radius",
                "projection",
                "shading",
                "variant",
                "skinning",
                "skeleton",
                "names",
                "ground",
                "shadow",
                "follow",
                "light",
                "light_rotation",
                "exposure",
                "tone_map",
                "file_lights",
                "springs",
                "eyes",
                "eye_point",
                "time",
                "speed",
                "looping",
                "ghosts",
                "ghost_step",
            ],
        )?;
        let (mut before, mut camera) = (Vec::new(), None);
        if table.contains_key("distance") {
            let length = |key: &str| optional(table, key, 1.0, 0.0..=f64::from(f32::MAX)).map(single);
            let angle = |key: &str| optional(table, key, 0.0, -361.0..=361.0).map(radians);
            let target = Vec3::from_array(numbers::<3>(required(table, "target")?, "target")?.map(single));
            let (distance, radius) = (length("distance")?, length("radius")?);
            let (yaw, pitch) = (angle("yaw")?, angle("pitch")?);
            let projection = choice(table, "projection")?.unwrap_or_default();
            let orbit = Orbit { target, distance, yaw, pitch, radius, projection };
            if !orbit.is_valid() {
                let cause = "the camera is invalid: distance and radius must be positive, and pitch at most 90 degrees";
                return Err(SpannedError::at(required(table, "distance")?, cause));
            }
            camera = Some(Command::Camera(orbit));
        } else if let Some(key) =
            ["target", "yaw", "pitch", "radius", "projection"].into_iter().find(|k| table.contains_key(k))
        {
            return Err(SpannedError::at(required(table, key)?, format!("{key} needs distance")));
        }
        before.extend(choice(table, "shading")?.map(Command::ShadingMode));
        before.extend(choice(table, "variant")?.map(|name: String| Command::Variant(Some(name))));
        before.extend(choice(table, "skinning")?.map(Command::Skinning));
        let shown =
            |key: &str, default: bool| if table.contains_key(key) { flag(table, key) } else { Ok(default) };
        before.push(Command::Display(Display {
            skeleton: shown("skeleton", false)?,
            names: shown("names", false)?,
            ground: shown("ground", true)?,
            shadow: shown("shadow", true)?,
            follow: shown("follow", false)?,
        }));
        let stops = f64::from(Light::MAX_EXPOSURE);
        let file_lights = match flag(table, "file_lights") {
            _ if !table.contains_key("file_lights") => FileLights::Off,
            Ok(true) => FileLights::On,
            Ok(false) => FileLights::Off,
            Err(_) => {
                let largest = f64::from(FileLights::MAX_SCALE);
                FileLights::Scale(single(optional(table, "file_lights", 1.0, 0.0..=largest)?))
            }
        };
        before.push(Command::Light(Light {
            source: choice(table, "light")?.unwrap_or(LightSource::Studio),
            rotation: radians(optional(table, "light_rotation", 0.0, -361.0..=361.0)?),
            exposure: single(optional(table, "exposure", 0.0, -stops..=stops)?),
            tone: choice(table, "tone_map")?.unwrap_or_default(),
            file_lights,
        }));
        before.push(Command::Springs(shown("springs", true)?));
        before.push(Command::LookAt(if table.contains_key("eye_point") {
            let point = numbers::<3>(required(table, "eye_point")?, "eye_point")?;
            EyeTarget::Point(DVec3::from_array(point))
        } else if shown("eyes", false)? {
            EyeTarget::Camera
        } else {
            EyeTarget::Nothing
        }));
        let default = OnionSkin::default();
        let number =
            |key: &str, default: f32, range| optional(table, key, f64::from(default), range).map(single);
        let count = number("ghosts", f32::from(default.count), 1.0..=f64::from(u8::MAX))?;
        before.push(Command::OnionSkin(OnionSkin {
            shown: table.contains_key("ghosts"),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 255")]
            count: count as u8,
            step: number("ghost_step", default.step, 0.0..=MAX_TIME)?,
        }));
        let after = vec![
            Command::Looping(shown("looping", true)?),
            Command::Speed(single(optional(table, "speed", 1.0, -MAX_TIME..=MAX_TIME)?)),
            Command::Seek(single(optional(table, "time", 0.0, 0.0..=MAX_TIME)?)),
        ];
        // A camera that follows the character moves with the time.
        Ok((before, after.into_iter().chain(camera).collect()))
    }

    fn snapshot(&self) -> Result<Snapshot, SpannedError> {
        let mut snapshot = Snapshot::default();
        if let Some(view) = self.table("view")? {
            snapshot.time = single(optional(view, "time", 0.0, 0.0..=MAX_TIME)?);
        }
        if let Some(table) = self.table("pose")? {
            check_keys(table, &["base", "selected", "also_selected", "morphs", "joints"])?;
            snapshot.base = self.node_of(table, "base")?;
            snapshot.selected = self.node_of(table, "selected")?;
            snapshot.also_selected = self.node_list(table, "also_selected")?;
            snapshot.nodes = self.nodes(table, "joints", |node, item| {
                pose_values::transform(&self.character.skeleton, node, item)
            })?;
            if let Some(item) = table.get("morphs") {
                snapshot.morphs = pose_values::morphs(&self.character.skeleton, item)?;
            }
        }
        if let Some(table) = self.table("rig")? {
            check_keys(table, &["limits", "poles", "pulls", "options"])?;
            snapshot.limits = self.nodes(table, "limits", |_, item| rig::file::limit(item))?;
            snapshot.poles = self.nodes(table, "poles", |_, item| match item.as_str() {
                Some("none") => Ok(None),
                _ => Ok(Some(Vec3::from_array(numbers::<3>(item, "a pole")?.map(single)))),
            })?;
            let pull = |_: usize, item: &Item| {
                number(item, "pull", |n| (0.0..=1.0).contains(&n), || "a pull must be from 0 to 1".into())
            };
            snapshot.pulls = self.nodes(table, "pulls", pull)?;
            snapshot.options = table.get("options").map(rig::file::read_options).transpose()?;
        }
        if let Some(table) = self.table("motion")? {
            snapshot.motion = motion_file::read_table(table, self.character, self.rig)?;
        }
        let goals = tables(self.root, "goal")?.into_iter();
        snapshot.goals = goals.map(|table| self.goal(table)).collect::<Result<_, _>>()?;
        let pins = tables(self.root, "pin")?.into_iter();
        snapshot.pins = pins.map(|table| self.pin(table)).collect::<Result<_, _>>()?;
        Ok(snapshot)
    }

    fn goal(&self, table: &Table) -> Result<Target, SpannedError> {
        let keys = ["node", "base", "offset", "position", "orientation", "look", "pole", "weight", "axes"];
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
            goal.axes =
                serde_json::from_value(json).map_err(|e| SpannedError::at(item, format!("axes: {e}")))?;
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

fn flag(table: &dyn TableLike, key: &str) -> Result<bool, SpannedError> {
    table.get(key).map_or(Ok(false), |item| {
        item.as_bool().ok_or_else(|| SpannedError::at(item, format!("{key} must be true or false")))
    })
}

/// Reads one of several names, as in recorded sessions.
fn choice<T: DeserializeOwned>(table: &Table, key: &str) -> Result<Option<T>, SpannedError> {
    let Some(item) = table.get(key) else { return Ok(None) };
    let value = serde_json::Value::from(item.as_str().unwrap_or_default());
    let read = serde_json::from_value(value);
    read.map(Some).map_err(|e| SpannedError::at(item, format!("{key}: {e}")))
}
