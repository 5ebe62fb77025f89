//! Nodes and clips in the lines of a recording. The file contains names, so that it survives a re-export of the character. The commands contain
//! indices.

use std::collections::HashMap;

use serde_json::Value;

use crate::Command;
use crate::api::Missing;
use crate::asset::Character;
use crate::rig::Rig;
use crate::rig::file::NodeNames;
use crate::text::{json, printable};

use super::SessionLine;
use super::error::LineError;

/// What a value in a command refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Node,
    Clip,
}

/// The places where commands contain nodes, as paths of keys, indices, or `*` for all elements. Poses from a live source are not listed:
/// they keep their indices, because they arrive sixty times per second.
const NODES: [(&str, &[&str]); 25] = [
    ("grab-node", &["node"]),
    ("pin-node", &[""]),
    ("turn", &["0"]),
    ("turn-joints", &["*/0"]),
    ("set-pose", &["0/*/0"]),
    ("blend-pose", &["0/*/0"]),
    ("select", &[""]),
    ("select-add", &[""]),
    ("select-remove", &[""]),
    ("highlight", &[""]),
    ("bone", &["1"]),
    ("limit", &["0"]),
    ("pull", &["0"]),
    ("remove-goal", &[""]),
    ("goal-weight", &["0"]),
    ("goal-axes", &["0"]),
    ("live-goals", &["*/node", "*/base"]),
    ("key-joints-move", &["0/*"]),
    ("key-joints-copy", &["0/*"]),
    ("key-joints-delete", &["0/*"]),
    ("add-contact", &[""]),
    ("key-goal", &[""]),
    (
        "restore",
        &[
            "nodes/*/0",
            "base",
            "bones/*/1",
            "limits/*/0",
            "poles/*/0",
            "pulls/*/0",
            "selected",
            "also_selected/*",
            "last",
        ],
    ),
    ("restore", &["goals/*/node", "goals/*/base", "pins/*/node", "problem/nodes/*/0", "problem/pins/*/node"]),
    ("restore", &["problem/targets/*/node", "problem/targets/*/base"]),
];
/// The places where motions contain nodes and clips.
const IN_MOTION: [(Kind, &[&str]); 2] =
    [(Kind::Node, &NODES_IN_MOTION), (Kind::Clip, &["strips/*/clips/*/clip", "layers/*/clip"])];
const NODES_IN_MOTION: [&str; 10] = [
    "root-node",
    "layers/*/mask/*",
    "edits/*/turns/*/0",
    "edits/*/shifts/*/0",
    "keys/*/joints/*/0",
    "keys/*/easings/*/0",
    "contacts/*/node",
    "contacts/*/on",
    "goals/*/node",
    "goals/*/on",
];

/// Names of nodes or clips, in both directions.
#[derive(Debug, Default)]
struct Names {
    names: Vec<String>,
    indices: HashMap<String, usize>,
}

impl Names {
    /// Creates a table of names. `others` are additional names with their indices. `names` take precedence over them.
    fn new(names: Vec<String>, others: impl IntoIterator<Item = (String, usize)>) -> Self {
        let own = names.iter().cloned().zip(0..);
        Self { indices: others.into_iter().chain(own).collect(), names }
    }

    fn find(&self, name: &str) -> Option<usize> {
        let index = name.strip_prefix('#').and_then(|index| index.parse().ok());
        self.indices.get(name).copied().or_else(|| index.filter(|index| *index < self.names.len()))
    }

    fn get(&self, kind: Kind, name: &str) -> Result<usize, Missing> {
        let kind = if kind == Kind::Node { "node" } else { "animation" };
        let missing = || Missing::name(kind, name, self.indices.keys().map(String::as_str));
        self.find(name).ok_or_else(missing)
    }
}

/// The names of a character's nodes and clips.
#[derive(Debug, Default)]
pub(crate) struct SessionNames {
    nodes: Names,
    clips: Names,
}

impl SessionNames {
    /// Collects the names of a character's nodes, body bones and clips.
    pub(crate) fn new(character: &Character, rig: &Rig) -> Self {
        let names = NodeNames::new(&character.skeleton);
        let names = (0..character.skeleton.nodes.len()).map(|node| names.name(node)).collect();
        let bones = rig.bones.iter().map(|(bone, node)| (bone.clone(), *node));
        let mut all = Self { nodes: Names::new(names, bones), clips: Names::default() };
        all.set_clips(character);
        all
    }

    /// Updates the clip names after clips were added.
    pub(crate) fn set_clips(&mut self, character: &Character) {
        self.clips =
            Names::new((0..character.clips.len()).map(|clip| character.clip_name(clip)).collect(), []);
    }

    fn of(&self, kind: Kind) -> &Names {
        match kind {
            Kind::Node => &self.nodes,
            Kind::Clip => &self.clips,
        }
    }
}

/// Returns the text of a line, with node and clip names. `None` if it cannot be written.
pub(super) fn write(at: f64, command: &Command, names: &SessionNames) -> Option<String> {
    let direct = json::to_string(&SessionLine { at, command: Some(command) }).ok()?;
    // These commands are frequent. They contain no nodes, or keep the indices of their nodes.
    if matches!(command, Command::Drag(_) | Command::Hover(_) | Command::Orbit(_) | Command::LivePose(..)) {
        return Some(direct);
    }
    // Parse the text instead of converting the command, because the text contains single-precision numbers with as few digits as needed.
    let SessionLine { command: Some(mut value), .. } =
        serde_json::from_slice::<SessionLine<Value>>(direct.as_bytes()).ok()?
    else {
        return Some(direct);
    };
    let mut named = false;
    visit(&mut value, &mut |kind, place| {
        let known = &names.of(kind).names;
        let name = place.as_u64().and_then(|index| known.get(usize::try_from(index).ok()?));
        named |= name.is_some();
        name.into_iter().for_each(|name| *place = Value::from(name.as_str()));
        Ok::<(), LineError>(())
    })
    .ok()?;
    if named { json::to_string(&SessionLine { at, command: Some(value) }).ok() } else { Some(direct) }
}

/// Reads a line. If `names` is `None`, only the syntax is checked, and every node or clip name is read as index 0.
///
/// # Errors
/// [`LineError`] if the line is invalid or names a node or a clip that does not exist.
pub(crate) fn read(text: &[u8], names: Option<&SessionNames>) -> Result<SessionLine<Command>, LineError> {
    let error = match serde_json::from_slice(text) {
        Ok(line) => return Ok(line),
        Err(error) => LineError::from(error),
    };
    let Ok(SessionLine { at, command: Some(mut value) }) = serde_json::from_slice::<SessionLine<Value>>(text)
    else {
        return Err(error);
    };
    let mut found = false;
    visit(&mut value, &mut |kind, place| -> Result<(), LineError> {
        let Some(name) = place.as_str() else { return Ok(()) };
        let index = names.map_or(Ok(0), |names| names.of(kind).get(kind, name));
        *place = index?.into();
        found = true;
        Ok(())
    })?;
    // If the command contains no name, return the first error, which includes the column.
    if !found {
        return Err(error);
    }
    let command = json::from_value(&value).map_err(|cause| LineError::Syntax(printable::cause(&cause)))?;
    Ok(SessionLine { at, command: Some(command) })
}

/// Calls a function with each node and each clip of a command.
fn visit<E>(command: &mut Value, act: &mut impl FnMut(Kind, &mut Value) -> Result<(), E>) -> Result<(), E> {
    let Some((name, value)) = command.as_object_mut().and_then(|map| map.iter_mut().next()) else {
        return Ok(());
    };
    for (_, paths) in NODES.iter().filter(|(command, _)| command == name) {
        paths.iter().try_for_each(|path| descend(value, path, &mut |place| act(Kind::Node, place)))?;
    }
    let motion = match name.as_str() {
        "clip" => return act(Kind::Clip, value),
        "motion" => Some(value),
        "restore" => value.get_mut("motion"),
        _ => None,
    };
    let Some(motion) = motion else { return Ok(()) };
    for (kind, paths) in IN_MOTION {
        paths.iter().try_for_each(|path| descend(motion, path, &mut |place| act(kind, place)))?;
    }
    Ok(())
}

fn descend<E>(
    value: &mut Value,
    path: &str,
    act: &mut impl FnMut(&mut Value) -> Result<(), E>,
) -> Result<(), E> {
    if path.is_empty() {
        return act(value);
    }
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    match (value, first.parse::<usize>()) {
        (Value::Array(items), _) if first == "*" => {
            items.iter_mut().try_for_each(|item| descend(item, rest, act))
        }
        (Value::Array(items), Ok(index)) => {
            items.get_mut(index).map_or(Ok(()), |item| descend(item, rest, act))
        }
        (Value::Object(fields), _) => fields.get_mut(first).map_or(Ok(()), |field| descend(field, rest, act)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::asset::mannequin;
    use crate::motion::{Contact, Easing, Edit, Layer, Motion, PoseKey};
    use crate::puppet::{Pin, Target};
    use crate::rig;
    use crate::{NodePoint, Snapshot, SolveProblem};

    fn names() -> SessionNames {
        let character = mannequin().unwrap();
        let rig = rig::load(&character, None).unwrap();
        SessionNames::new(&character, &rig)
    }

    fn motion(node: usize) -> Motion {
        let easings = vec![(node, Easing::Linear)];
        let local = crate::asset::Transform::IDENTITY;
        let key = PoseKey { partial: true, joints: vec![(node, local)], easings, ..PoseKey::default() };
        let edit = Edit {
            time: 0.0,
            before: 0.1,
            after: 0.1,
            turns: vec![(node, Vec3::X)],
            shifts: vec![(node, Vec3::Y)],
        };
        let layer = Layer { clip: 0, weight: 1.0, additive: false, mask: vec![node], speed: 1.0 };
        Motion {
            keys: vec![key],
            edits: vec![edit],
            layers: vec![layer],
            contacts: vec![Contact {
                node,
                point: Vec3::X,
                from: 0.0,
                to: 1.0,
                slides: false,
                on: Some(node),
            }],
            root_node: Some(node),
            ..Motion::default()
        }
    }

    /// Each command with a node is written with the node's name instead of its index, and can be read back.
    #[test]
    fn nodes_have_names_in_the_file_and_indices_in_commands() {
        let names = names();
        let node = names.nodes.find("leftHand").unwrap();
        let target = Target { base: Some(node), ..Target::new(node) };
        let local = crate::asset::Transform::IDENTITY;
        let problem = SolveProblem {
            nodes: vec![(node, local)],
            targets: vec![target],
            pins: vec![Pin::from(node)],
            whole_body: false,
        };
        let snapshot = Snapshot {
            nodes: vec![(node, local)],
            goals: vec![target],
            pins: vec![Pin::from(node)],
            base: Some(node),
            poles: vec![(node, None)],
            motion: motion(node),
            selected: Some(node),
            also_selected: vec![node],
            last: Some(node),
            problem: Some(problem),
            ..Snapshot::default()
        };
        let commands = [
            (Command::GrabNode(NodePoint { node, offset: glam::DVec3::ZERO }), 1),
            (Command::PinNode(node), 1),
            (Command::Select(Some(node)), 1),
            (Command::Turn(node, Quat::IDENTITY), 1),
            (Command::TurnJoints(vec![(node, Quat::IDENTITY); 2]), 2),
            (Command::SetPose(vec![(node, local)], vec![]), 1),
            (Command::KeyJointsMove(vec![node, node], 0.0, 1.0), 2),
            (Command::AddContact(node), 1),
            (Command::KeyGoal(node), 1),
            (Command::LiveGoals(vec![target]), 2),
            (Command::Motion(Box::new(motion(node))), 8),
            (Command::Restore(Box::new(snapshot)), 21),
            (Command::Select(None), 0),
            (Command::Release, 0),
        ];
        for (command, count) in commands {
            let text = write(1.5, &command, &names).unwrap();
            assert_eq!(text.matches("\"leftHand\"").count(), count, "{text}");
            assert!(!text.contains(&format!(":{node},")) && !text.contains(&format!("[{node},")), "{text}");
            let read = read(text.as_bytes(), Some(&names)).unwrap();
            assert_eq!((read.at, read.command), (1.5, Some(command)));
        }
    }

    /// Clip indices changed when the file was exported with another clip before them.
    #[test]
    fn clips_have_names_in_the_file_and_indices_in_commands() {
        let names = names();
        let walk = names.clips.find("walk").unwrap();
        let strips = vec![crate::motion::Strip::new(walk)];
        let layers = vec![Layer { clip: walk, weight: 1.0, additive: false, mask: Vec::new(), speed: 1.0 }];
        let motion = Motion { strips, layers, ..Motion::default() };
        let snapshot = Snapshot { motion: motion.clone(), ..Snapshot::default() };
        for (command, count) in [
            (Command::Clip(Some(walk)), 1),
            (Command::Clip(None), 0),
            (Command::Motion(Box::new(motion)), 2),
            (Command::Restore(Box::new(snapshot)), 2),
        ] {
            let text = write(0.5, &command, &names).unwrap();
            assert_eq!(text.matches("\"walk\"").count(), count, "{text}");
            let read = read(text.as_bytes(), Some(&names)).unwrap();
            assert_eq!(read.command, Some(command));
        }
        let error = read(br#"{"at":0,"do":{"clip":"fly"}}"#, Some(&names)).unwrap_err();
        let expected = "animation \"fly\" does not exist; nearest: \"idle\", \"walk\", \"crouch\"";
        assert_eq!(error.to_string(), expected);
        let index = read(br#"{"at":0,"do":{"clip":2}}"#, Some(&names)).unwrap();
        assert_eq!(index.command, Some(Command::Clip(Some(2))));
    }

    #[test]
    fn names_that_do_not_exist_are_errors_and_indices_are_still_read() {
        let names = names();
        let error = |text: &str| read(text.as_bytes(), Some(&names)).unwrap_err().to_string();
        let expected = "node \"third hand\" does not exist; did you mean \"rightHand\"?";
        assert_eq!(error(r#"{"at":0,"do":{"pin-node":"third hand"}}"#), expected);
        assert!(error(r#"{"at":0,"do":{"pin-node":true}}"#).contains("column"));
        let pin = |text: &str| read(text.as_bytes(), Some(&names)).unwrap().command;
        assert_eq!(pin(r#"{"at":0,"do":{"pin-node":7}}"#), Some(Command::PinNode(7)));
        assert_eq!(pin(r##"{"at":0,"do":{"pin-node":"#7"}}"##), Some(Command::PinNode(7)));
        // Before the character is known, only the syntax is checked.
        assert!(read(br#"{"at":0,"do":{"pin-node":"third hand"}}"#, None).is_ok());
    }
}
