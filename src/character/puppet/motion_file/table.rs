//! Reads and writes a motion in a table of another file. The table has the keys of a motion file except `version`.

use glam::Vec3;
use toml_edit::{Array, ArrayOfTables, InlineTable, Item, Table, Value};

use crate::asset::{Character, Transform};
use crate::motion::{
    Contact, Easing, Edit, GoalKey, Layer, Motion, PoseKey, RootMotion, Strip, WeightedClip,
};
use crate::rig::Rig;
use crate::rig::file::NodeNames;
use crate::text::toml::{SpannedError, check_keys, degrees, short};

use super::{KEYS, MotionReader};

/// Reads a motion from a table.
pub fn read(table: &Table, character: &Character, rig: &Rig) -> Result<Motion, SpannedError> {
    check_keys(table, &KEYS)?;
    MotionReader::new(character, rig).motion(table)
}

/// Writes a motion into a table that [`read`] reads. Clips and nodes are written by name. Reading the table back gives the same numbers.
pub fn write(motion: &Motion, character: &Character, rig: &Rig, table: &mut Table) {
    if motion.plant {
        table.insert("plant", true.into());
    }
    if let Some(duration) = motion.duration {
        table.insert("duration", short(duration).into());
    }
    let writer = MotionWriter { character, rig, names: NodeNames::new(&character.skeleton) };
    if let Some(node) = motion.root_node {
        table.insert("root_node", writer.node(node).into());
    }
    let lists = [
        ("key", motion.keys.iter().map(|key| writer.key(key)).collect::<ArrayOfTables>()),
        ("strip", motion.strips.iter().map(|strip| writer.strip(strip)).collect()),
        ("layer", motion.layers.iter().map(|layer| writer.layer(layer)).collect()),
        ("edit", motion.edits.iter().map(|edit| writer.edit(edit)).collect()),
        ("contact", motion.contacts.iter().map(|contact| writer.contact(contact)).collect()),
        ("goal", motion.goals.iter().map(|goal| writer.goal(goal)).collect()),
    ];
    for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        table.insert(key, Item::ArrayOfTables(list));
    }
}

struct MotionWriter<'a> {
    character: &'a Character,
    rig: &'a Rig,
    names: NodeNames<'a>,
}

impl MotionWriter<'_> {
    fn node(&self, node: usize) -> String {
        self.names.name(node)
    }

    /// Returns the name of a node for a mask. In a mask, a chain's name stands for the whole chain, so a node with the same name is
    /// written as an index.
    fn masked(&self, node: usize) -> String {
        let name = self.node(node);
        let is_chain = self.rig.chains.iter().any(|chain| chain.name == name);
        if is_chain { format!("#{node}") } else { name }
    }

    fn strip(&self, strip: &Strip) -> Table {
        let Strip { clips, start, seconds, from, speed, looping, root_motion, mirror, fade_in, marks: _ } =
            strip;
        let mut table = Table::new();
        #[expect(clippy::float_cmp, reason = "a weight that was never changed")]
        let clips: Value = match clips.as_slice() {
            [only] if only.weight == 1.0 => self.character.clip_name(only.clip).into(),
            blended => self.weights(blended).into(),
        };
        table.insert("clips", clips.into());
        table.insert("start", short(*start).into());
        if let Some(seconds) = seconds {
            table.insert("seconds", short(*seconds).into());
        }
        insert_unless(&mut table, "from", *from, 0.0);
        insert_unless(&mut table, "speed", *speed, 1.0);
        if *looping {
            table.insert("looping", true.into());
        }
        if *root_motion == RootMotion::InPlace {
            table.insert("root_motion", "in-place".into());
        }
        if *mirror {
            table.insert("mirror", true.into());
        }
        if let Some(seconds) = fade_in {
            table.insert("fade_in", short(*seconds).into());
        }
        let marks = self.marks(strip);
        if !marks.is_empty() {
            table.insert("marks", marks.into());
        }
        table
    }

    /// Returns the marks of a strip, or none if they have no effect. A strip whose clips were changed may have marks of clips that it no
    /// longer plays, or lack marks. The player then ignores all of its marks.
    fn marks(&self, strip: &Strip) -> InlineTable {
        let is_marked = |clip: usize| strip.marks.iter().any(|(of, _)| *of == clip);
        if strip.clips.iter().any(|blended| blended.weight > 0.0 && !is_marked(blended.clip)) {
            return InlineTable::new();
        }
        let mut marks = InlineTable::new();
        for (clip, time) in &strip.marks {
            let name = self.character.clip_name(*clip);
            let found =
                self.character.clips.get(*clip).filter(|_| strip.clips.iter().any(|b| b.clip == *clip));
            // If a clip has two marks, the player uses the first one. It moves a mark after the end of the clip to the end.
            if let Some(found) = found.filter(|_| !marks.contains_key(&name)) {
                marks.insert(name, short(time.clamp(0.0, found.seconds)));
            }
        }
        marks
    }

    /// Returns a table of weights. A clip that occurs twice gets the sum of its weights.
    fn weights(&self, blended: &[WeightedClip]) -> InlineTable {
        let mut sums: Vec<WeightedClip> = Vec::new();
        for one in blended {
            match sums.iter_mut().find(|sum| sum.clip == one.clip) {
                Some(sum) => sum.weight += one.weight,
                None => sums.push(*one),
            }
        }
        sums.iter().map(|c| (self.character.clip_name(c.clip), short(c.weight))).collect()
    }

    fn key(&self, key: &PoseKey) -> Table {
        let PoseKey { time, easing, easings, partial, joints, morphs } = key;
        let mut table = Table::new();
        table.insert("time", short(*time).into());
        table.insert("easing", easing.name().into());
        if !easings.is_empty() {
            let easings: InlineTable =
                easings.iter().map(|(node, easing)| (self.node(*node), easing.name())).collect();
            table.insert("easings", easings.into());
        }
        if *partial {
            table.insert("partial", true.into());
        }
        if !morphs.is_empty() {
            table.insert("morphs", morphs.iter().copied().map(short).collect::<Array>().into());
        }
        let mut nodes = Table::new();
        for (node, local) in joints {
            let rest = self.character.skeleton.nodes.get(*node).map_or(Transform::IDENTITY, |n| n.rest);
            nodes.insert(&self.node(*node), Item::Value(transform(local, &rest)));
        }
        if !nodes.is_empty() {
            table.insert("joints", Item::Table(nodes));
        }
        table
    }

    fn layer(&self, layer: &Layer) -> Table {
        let Layer { clip, weight, additive, mask, speed } = layer;
        let mut table = Table::new();
        table.insert("clip", self.character.clip_name(*clip).into());
        insert_unless(&mut table, "weight", *weight, 1.0);
        if *additive {
            table.insert("additive", true.into());
        }
        if !mask.is_empty() {
            let names: Array = mask.iter().map(|&node| self.masked(node)).collect();
            table.insert("mask", names.into());
        }
        insert_unless(&mut table, "speed", *speed, 1.0);
        table
    }

    fn edit(&self, edit: &Edit) -> Table {
        let Edit { time, before, after, turns, shifts } = edit;
        let mut table = Table::new();
        table.insert("time", short(*time).into());
        table.insert("before", short(*before).into());
        table.insert("after", short(*after).into());
        let mut add = |key: &str, vectors: &[(usize, Vec3)], number: fn(f32) -> Value| {
            let list =
                |vector: &Vec3| Value::from(vector.to_array().map(number).into_iter().collect::<Array>());
            let mut nodes = Table::new();
            nodes.extend(vectors.iter().map(|(node, vector)| (self.node(*node), list(vector))));
            if !nodes.is_empty() {
                table.insert(key, Item::Table(nodes));
            }
        };
        add("turn", turns, degrees);
        add("shift", shifts, short);
        table
    }

    fn contact(&self, contact: &Contact) -> Table {
        let Contact { node, point, from, to, slides, on } = contact;
        let mut table = Table::new();
        table.insert("node", self.node(*node).into());
        if *point != Vec3::ZERO {
            table.insert("point", point.to_array().map(short).into_iter().collect::<Array>().into());
        }
        table.insert("from", short(*from).into());
        table.insert("to", short(*to).into());
        if *slides {
            table.insert("slides", true.into());
        }
        if let Some(on) = on {
            table.insert("on", self.node(*on).into());
        }
        table
    }

    fn goal(&self, goal: &GoalKey) -> Table {
        let GoalKey { node, time, position, orientation, weight, easing, on } = goal;
        let mut table = Table::new();
        table.insert("node", self.node(*node).into());
        table.insert("time", short(*time).into());
        table.insert("position", position.to_array().map(short).into_iter().collect::<Array>().into());
        if let Some(turn) = orientation {
            table.insert("orientation", turn.to_array().map(short).into_iter().collect::<Array>().into());
        }
        insert_unless(&mut table, "weight", *weight, 1.0);
        if *easing != Easing::default() {
            table.insert("easing", easing.name().into());
        }
        if let Some(on) = on {
            table.insert("on", self.node(*on).into());
        }
        table
    }
}

/// Returns the parts of a transform that differ from the rest pose.
pub fn transform(local: &Transform, rest: &Transform) -> Value {
    let list = |numbers: &[f32]| Value::from(numbers.iter().copied().map(short).collect::<Array>());
    let mut table = InlineTable::new();
    if local.rotation != rest.rotation {
        table.insert("rotation", list(&local.rotation.to_array()));
    }
    if local.translation != rest.translation {
        table.insert("translation", list(&local.translation.to_array()));
    }
    if local.scale != rest.scale {
        table.insert("scale", list(&local.scale.to_array()));
    }
    table.into()
}

/// Inserts a number unless it is the default of its key.
fn insert_unless(table: &mut Table, key: &str, number: f32, default: f32) {
    #[expect(clippy::float_cmp, reason = "a number that was never changed")]
    if number != default {
        table.insert(key, short(number).into());
    }
}
