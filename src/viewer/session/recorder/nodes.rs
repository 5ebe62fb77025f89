//! Nodes in the lines of a recording. The file has their names, so that it survives a character that was exported again, and the commands have
//! their indices.

use std::collections::HashMap;

use serde_json::Value;

use crate::asset::Skeleton;
use crate::rig::Rig;
use crate::rig::file::NodeNames;
use crate::text::json;
use crate::viewer::Command;

use super::SessionLine;
use super::error::LineError;

/// Where commands have nodes, as paths whose parts are keys, indices, or `*` for all elements. Poses from a live source keep indices: they
/// arrive sixty times in a second.
const PLACES: [(&str, &[&str]); 25] = [
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
    ("motion", &MOTION),
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
const MOTION: [&str; 8] = [
    "root-node",
    "layers/*/mask/*",
    "edits/*/turns/*/0",
    "edits/*/shifts/*/0",
    "keys/*/joints/*/0",
    "keys/*/easings/*/0",
    "contacts/*/node",
    "contacts/*/on",
];

/// The names of a character's nodes, in both directions.
#[derive(Debug, Default)]
pub(in crate::viewer) struct SessionNodes {
    names: Vec<String>,
    indices: HashMap<String, usize>,
}

impl SessionNodes {
    /// Collects the names of the nodes of a character, and of the bones of its body.
    pub(in crate::viewer) fn new(skeleton: &Skeleton, rig: &Rig) -> Self {
        let names = NodeNames::new(skeleton);
        let names: Vec<String> = (0..skeleton.nodes.len()).map(|node| names.name(node)).collect();
        let bones = rig.bones.iter().map(|(bone, node)| (bone.clone(), *node));
        let own = names.iter().cloned().zip(0..);
        // A node of the same name comes later, so that it wins.
        Self { indices: bones.chain(own).collect(), names }
    }

    fn find(&self, name: &str) -> Option<usize> {
        let index = name.strip_prefix('#').and_then(|index| index.parse().ok());
        index.filter(|index| *index < self.names.len()).or_else(|| self.indices.get(name).copied())
    }
}

/// Returns the text of a line, with the names of nodes. `None` if it cannot be written.
pub(super) fn write(at: f64, command: &Command, nodes: &SessionNodes) -> Option<String> {
    let direct = json::to_string(&SessionLine { at, command: Some(command) }).ok()?;
    // These are frequent and have no nodes, or keep their indices.
    if matches!(command, Command::Drag(_) | Command::Hover(_) | Command::Orbit(_) | Command::LivePose(..)) {
        return Some(direct);
    }
    // The text has numbers of single precision with as few digits as they need.
    let SessionLine { command: Some(mut value), .. } =
        serde_json::from_str::<SessionLine<Value>>(&direct).ok()?
    else {
        return Some(direct);
    };
    let mut named = false;
    visit(&mut value, &mut |node| {
        let name = node.as_u64().and_then(|index| nodes.names.get(usize::try_from(index).ok()?));
        named |= name.is_some();
        name.into_iter().for_each(|name| *node = Value::from(name.as_str()));
        Ok::<(), LineError>(())
    })
    .ok()?;
    if named { json::to_string(&SessionLine { at, command: Some(value) }).ok() } else { Some(direct) }
}

/// Reads a line. Without `nodes`, only its syntax is checked, and every node is the first one.
///
/// # Errors
/// [`LineError`] if the line is invalid or names a node that does not exist.
pub(in crate::viewer) fn read(
    text: &[u8],
    nodes: Option<&SessionNodes>,
) -> Result<SessionLine<Command>, LineError> {
    let error = match serde_json::from_slice(text) {
        Ok(line) => return Ok(line),
        Err(error) => LineError::from(error),
    };
    let Ok(SessionLine { at, command: Some(mut value) }) = serde_json::from_slice::<SessionLine<Value>>(text)
    else {
        return Err(error);
    };
    let mut found = false;
    visit(&mut value, &mut |node| -> Result<(), LineError> {
        let Some(name) = node.as_str() else { return Ok(()) };
        let index = nodes.map_or(Some(0), |nodes| nodes.find(name));
        *node = index.ok_or_else(|| LineError::Value(format!("node \"{name}\" does not exist")))?.into();
        found = true;
        Ok(())
    })?;
    // Without a name, the first error has the column.
    if !found {
        return Err(error);
    }
    let command = serde_json::from_value(value).map_err(LineError::from)?;
    Ok(SessionLine { at, command: Some(command) })
}

/// Calls a function with each node of a command.
fn visit<E>(command: &mut Value, act: &mut impl FnMut(&mut Value) -> Result<(), E>) -> Result<(), E> {
    let Some((name, value)) = command.as_object_mut().and_then(|map| map.iter_mut().next()) else {
        return Ok(());
    };
    for (_, paths) in PLACES.iter().filter(|(command, _)| command == name) {
        paths.iter().try_for_each(|path| descend(value, path, act))?;
    }
    match value.get_mut("motion") {
        Some(motion) if name == "restore" => MOTION.iter().try_for_each(|path| descend(motion, path, act)),
        _ => Ok(()),
    }
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
    use crate::viewer::{NodePoint, Snapshot, SolveProblem};

    fn nodes() -> SessionNodes {
        let character = mannequin().unwrap();
        let rig = rig::load(&character, None).unwrap();
        SessionNodes::new(&character.skeleton, &rig)
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

    /// Each command with a node becomes text with its name, in which no index of a node is left, and is read back.
    #[test]
    fn nodes_have_names_in_the_file_and_indices_in_commands() {
        let nodes = nodes();
        let node = nodes.find("leftHand").unwrap();
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
            (Command::LiveGoals(vec![target]), 2),
            (Command::Motion(Box::new(motion(node))), 8),
            (Command::Restore(Box::new(snapshot)), 21),
            (Command::Select(None), 0),
            (Command::Release, 0),
        ];
        for (command, count) in commands {
            let text = write(1.5, &command, &nodes).unwrap();
            assert_eq!(text.matches("\"leftHand\"").count(), count, "{text}");
            assert!(!text.contains(&format!(":{node},")) && !text.contains(&format!("[{node},")), "{text}");
            let read = read(text.as_bytes(), Some(&nodes)).unwrap();
            assert_eq!((read.at, read.command), (1.5, Some(command)));
        }
    }

    #[test]
    fn names_that_do_not_exist_are_errors_and_indices_are_still_read() {
        let nodes = nodes();
        let error = |text: &str| read(text.as_bytes(), Some(&nodes)).unwrap_err().to_string();
        assert_eq!(error(r#"{"at":0,"do":{"pin-node":"third hand"}}"#), "node \"third hand\" does not exist");
        assert!(error(r#"{"at":0,"do":{"pin-node":true}}"#).contains("column"));
        let pin = |text: &str| read(text.as_bytes(), Some(&nodes)).unwrap().command;
        assert_eq!(pin(r#"{"at":0,"do":{"pin-node":7}}"#), Some(Command::PinNode(7)));
        assert_eq!(pin(r##"{"at":0,"do":{"pin-node":"#7"}}"##), Some(Command::PinNode(7)));
        // Before the character is known, only the syntax counts.
        assert!(read(br#"{"at":0,"do":{"pin-node":"third hand"}}"#, None).is_ok());
    }
}
