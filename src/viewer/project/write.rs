//! Writes a document as a project.

use std::path::Path;

use glam::{DQuat, DVec3, Vec2};
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, Value};

use crate::asset::{Character, Transform};
use crate::document::Document;
use crate::ik::GoalAxes;
use crate::puppet::{Pin, Target};
use crate::rig::Rig;
use crate::rig::file::NodeNames;
use crate::session::added_clips::own_clips;
use crate::session::files::file_of;
use crate::session::fingerprint;
use crate::shared;
use crate::text::json;
use crate::text::toml::{degrees, exact, short};
use crate::{Command, Settings, Snapshot};

use super::{NO_BONE, VERSION, free, relative_to, settings};

/// The data from which a project is written.
#[derive(Clone, Copy)]
pub(crate) struct ProjectContents<'a> {
    pub(crate) document: &'a Document,
    pub(crate) character: &'a Character,
    /// The rig as loaded with the character's file.
    pub(crate) rig_on_disk: &'a Rig,
    /// Width and height of the view in pixels.
    pub(crate) size: Vec2,
    /// Time on the timeline in seconds.
    pub(crate) time: f32,
}

/// Returns the text of a project in a folder. Equal contents produce equal text.
pub(crate) fn text(contents: ProjectContents<'_>, folder: &Path) -> String {
    let mut root = DocumentMut::new();
    let writer = ProjectWriter::new(contents);
    writer.header(&mut root, folder);
    writer.state(&mut root, folder);
    root.to_string()
}

/// Returns the work that is worth saving, as text. This is the project without the view, the solver options and the selection. A motion
/// that only plays a clip is omitted too. If `follows_keys` is set, keys and time determine the pose, so the pose is also omitted.
pub(crate) fn work(contents: ProjectContents<'_>, follows_keys: bool) -> String {
    let mut root = DocumentMut::new();
    ProjectWriter::new(contents).state(&mut root, Path::new(""));
    ["view", "solver"].into_iter().for_each(|key| drop(root.remove(key)));
    let motion = &contents.document.scene.motion;
    let is_clip = motion.strips.len() < 2 && motion.layers.is_empty() && motion.edits.is_empty();
    if is_clip && motion.keys.is_empty() && motion.contacts.is_empty() && motion.goals.is_empty() {
        root.remove("motion");
    }
    if let Some(pose) = root.get_mut("pose").and_then(Item::as_table_mut) {
        pose.remove("selected");
        pose.remove("also_selected");
        if follows_keys {
            ["joints", "morphs"].into_iter().for_each(|key| drop(pose.remove(key)));
        }
        if pose.is_empty() {
            root.remove("pose");
        }
    }
    root.to_string()
}

struct ProjectWriter<'a> {
    contents: ProjectContents<'a>,
    names: NodeNames<'a>,
}

impl<'a> ProjectWriter<'a> {
    fn new(contents: ProjectContents<'a>) -> Self {
        Self { contents, names: NodeNames::new(&contents.character.skeleton) }
    }

    fn state(&self, root: &mut Table, folder: &Path) {
        let ProjectContents { document, character, rig_on_disk, time, .. } = self.contents;
        let snapshot = Snapshot::of(document, character, rig_on_disk, time);
        let mut motion = Table::new();
        shared::write_motion(&snapshot.motion, character, &document.scene.rig, &mut motion);
        let mut settings = document.stored_settings();
        for command in [Command::Style(settings.style.clone()), Command::Props(settings.props.clone())] {
            settings.set(command.with_files(|file| relative_to(folder, file).into()));
        }
        let tables = [
            ("view", self.view(&settings)),
            ("solver", self.solver(&settings)),
            ("pose", self.pose(&snapshot)),
            ("rig", self.rig(&snapshot)),
            ("motion", motion),
        ];
        for (key, table) in tables.into_iter().filter(|(_, table)| !table.is_empty()) {
            root.insert(key, Item::Table(table));
        }
        let goals: ArrayOfTables = snapshot.goals.iter().map(|goal| self.goal(goal)).collect();
        let pins: ArrayOfTables = snapshot.pins.iter().map(|pin| self.pin(pin)).collect();
        for (key, list) in [("goal", goals), ("pin", pins)].into_iter().filter(|(_, list)| !list.is_empty()) {
            root.insert(key, Item::ArrayOfTables(list));
        }
    }

    fn node(&self, node: usize) -> String {
        self.names.name(node)
    }

    fn header(&self, root: &mut Table, folder: &Path) {
        let ProjectContents { document, character, rig_on_disk, .. } = self.contents;
        root.insert("version", VERSION.into());
        if let Some(file) = file_of(character) {
            root.insert("character", relative_to(folder, file).into());
        }
        let own = own_clips(character, &document.additions);
        let fingerprint = fingerprint::of_character(character, own, rig_on_disk);
        root.insert("fingerprint", fingerprint.into());
        if let Some(units) = character.units {
            root.insert("units", units.into());
        }
        let clips = document.additions.iter().map(|added| {
            let mut table = Table::new();
            table.insert("file", relative_to(folder, &added.file).into());
            table.insert("fingerprint", added.fingerprint.as_str().into());
            if let Some(name) = &added.name {
                table.insert("name", name.as_str().into());
            }
            if added.keep_hands {
                table.insert("keep_hands", true.into());
            }
            if let Some(smooth) = added.smooth {
                table.insert("smooth", smooth.into());
            }
            if let Some(clip) = &added.clip {
                table.insert("clip", clip.as_str().into());
            }
            table
        });
        let clips: ArrayOfTables = clips.collect();
        if !clips.is_empty() {
            root.insert("clips", Item::ArrayOfTables(clips));
        }
    }

    fn view(&self, stored: &Settings) -> Table {
        let ProjectContents { document: Document { orbit, .. }, size, time, .. } = self.contents;
        let mut table = Table::new();
        let values: [(&str, Value); 7] = [
            ("width", short(size.x)),
            ("height", short(size.y)),
            ("target", orbit.target.to_array().map(short).into_iter().collect::<Array>().into()),
            ("distance", short(orbit.distance)),
            ("yaw", degrees(orbit.yaw % std::f32::consts::TAU)),
            ("pitch", degrees(orbit.pitch)),
            ("radius", short(orbit.radius)),
        ];
        table.extend(values);
        if orbit.is_orthographic() {
            table.insert("projection", name_of(&orbit.projection).into());
        }
        table.insert("time", short(time).into());
        settings::write(stored, "view", &mut table);
        table
    }

    fn solver(&self, stored: &Settings) -> Table {
        let mut table = Table::new();
        settings::write(stored, "solver", &mut table);
        shared::update_options(&mut table, &self.contents.document.storable_options());
        table
    }

    fn pose(&self, snapshot: &Snapshot) -> Table {
        let mut table = Table::new();
        if let Some(base) = snapshot.base {
            table.insert("base", self.node(base).into());
        }
        if let Some(selected) = snapshot.selected {
            table.insert("selected", self.node(selected).into());
        }
        if !snapshot.also_selected.is_empty() {
            let names: Array = snapshot.also_selected.iter().map(|&node| self.node(node)).collect();
            table.insert("also_selected", names.into());
        }
        if !snapshot.morphs.is_empty() {
            table.insert("morphs", snapshot.morphs.iter().copied().map(short).collect::<Array>().into());
        }
        let mut joints = Table::new();
        for (node, local) in &snapshot.nodes {
            let rest =
                self.contents.character.skeleton.nodes.get(*node).map_or(Transform::IDENTITY, |n| n.rest);
            joints.insert(&self.node(*node), Item::Value(shared::transform_value(local, &rest)));
        }
        if !joints.is_empty() {
            table.insert("joints", Item::Table(joints));
        }
        table
    }

    fn goal(&self, goal: &Target) -> Table {
        let Target { node, base, offset, position, orientation, look, pole, weight, axes, touches } = goal;
        let mut table = Table::new();
        table.insert("node", self.node(*node).into());
        let mut add = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                table.insert(key, value.into());
            }
        };
        add("base", base.map(|base| self.node(base).into()));
        add("offset", Some(*offset).filter(|o| *o != DVec3::ZERO).map(vector));
        add("position", position.map(vector));
        add("orientation", orientation.map(rotation));
        add("look", look.map(vector));
        add("pole", pole.map(vector));
        add("weight", Some((*weight).into()));
        let differs = *axes != GoalAxes::default();
        let axes = differs.then(|| json::to_value(axes).ok()).flatten();
        add("axes", axes.map(|axes| free::to_toml(&axes)));
        add("touches", touches.then(|| true.into()));
        table
    }

    fn pin(&self, pin: &Pin) -> Table {
        let mut table = Table::new();
        table.insert("node", self.node(pin.node).into());
        if let Some((position, orientation)) = pin.target {
            table.insert("position", vector(position).into());
            table.insert("orientation", rotation(orientation).into());
        }
        table
    }

    /// Returns the differences from the rig file.
    fn rig(&self, snapshot: &Snapshot) -> Table {
        let mut table = Table::new();
        let named = |values: Vec<(usize, Value)>| {
            values.into_iter().map(|(node, value)| (self.node(node), value)).collect::<Table>()
        };
        let free = || Value::from([("kind", "free")].into_iter().collect::<toml_edit::InlineTable>());
        let mut limits: Vec<_> = snapshot.limits.iter().collect();
        limits.sort_by_key(|(node, _)| *node);
        let limits = limits.into_iter();
        let limits = limits.map(|(node, limit)| (*node, shared::limit_value(limit).unwrap_or_else(free)));
        let pole = |pole: &Option<glam::Vec3>| match pole {
            Some(at) => at.to_array().map(short).into_iter().collect::<Array>().into(),
            None => "none".into(),
        };
        let poles = snapshot.poles.iter().map(|(node, at)| (*node, pole(at)));
        let pulls = snapshot.pulls.iter().map(|(node, pull)| (*node, Value::from(*pull)));
        let bones = snapshot.bones.iter().map(|(bone, node)| {
            (bone.clone(), Value::from(node.map_or_else(|| NO_BONE.to_owned(), |node| self.node(node))))
        });
        let bones: Table = bones.collect();
        if !bones.is_empty() {
            table.insert("humanoid", Item::Table(bones));
        }
        let tables = [
            ("limits", named(limits.collect())),
            ("poles", named(poles.collect())),
            ("pulls", named(pulls.collect())),
        ];
        for (key, values) in tables {
            if !values.is_empty() {
                table.insert(key, Item::Table(values));
            }
        }
        if let Some(options) = &snapshot.options {
            shared::update_options(&mut table, options);
        }
        table
    }
}

fn vector(vector: DVec3) -> Value {
    vector.to_array().map(exact).into_iter().collect::<Array>().into()
}

fn rotation(rotation: DQuat) -> Value {
    rotation.to_array().map(exact).into_iter().collect::<Array>().into()
}

/// Returns an enum value's name, as in recorded sessions.
fn name_of<T: serde::Serialize>(choice: &T) -> Value {
    let text = json::to_string(choice).unwrap_or_default();
    text.trim_matches('"').into()
}
