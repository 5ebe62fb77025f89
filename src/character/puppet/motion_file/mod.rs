//! Reads and writes motion files (`NAME.motion.toml`). `docs/motion.md` describes the format.

use std::path::{Path, PathBuf};

use glam::{DVec3, Vec3};
use toml_edit::{Item, Table};

use crate::api::Missing;
use crate::asset::Character;
use crate::files::bounded;
use crate::motion::{Edit, Layer, Motion, RootMotion, Strip, WeightedClip, can_carry_root_motion};
use crate::puppet::{Puppet, Target};
use crate::rig::Rig;
use crate::rig::file::NodeNames;
use crate::text::toml::{
    SpannedError, check_file, check_keys, choice, each, elements, flag, number_where, numbers, optional,
    parse, radians, required, single, table_like, tables, within,
};

mod contacts;
mod goals;
mod keys;
mod marks;
pub(crate) mod table;

const VERSION: i64 = 1;
/// The tables and keys of a motion file, except for `version`.
const KEYS: [&str; 9] =
    ["plant", "duration", "root_node", "key", "strip", "layer", "edit", "contact", "goal"];
/// Maximum size of a motion file, in bytes.
const MAX_BYTES: u64 = 16 << 20;
/// Default duration of an edit's fade-in and fade-out, in seconds.
const DEFAULT_WINDOW: f32 = 0.4;
/// Tolerance for durations that were rounded in the file, in seconds.
const ROUNDING: f32 = 1e-3;
/// Number of preceding strips that are considered for an automatic overlap. It is limited because a file may have
/// a very large number of strips.
const MAX_PRECEDING: usize = 8;
/// Maximum absolute value of times and durations in seconds, and of speeds. It is far above any useful value.
const MAX_TIME: f64 = 1e6;
/// Maximum rotation angle in degrees. Single precision cannot represent much larger angles accurately.
const MAX_DEGREES: f64 = 1e6;

/// The error for a strip that is mirrored although left and right are unknown.
pub const NO_SIDES: &str = "mirror: the body of the character is not recognised, so its sides are unknown";

/// An error while reading a motion file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MotionFileError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The content of the file is invalid.
    #[error("{}: line {line}: {cause}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// Description of the error.
        cause: String,
    },
}

/// Reads a motion file for a character.
///
/// # Errors
/// [`MotionFileError`] if the file cannot be read or its content is invalid.
pub fn load(path: &Path, character: &Character, rig: &Rig) -> Result<Motion, MotionFileError> {
    let failed = |source| MotionFileError::Read { path: path.to_owned(), source };
    read(&bounded::read_to_string(path, MAX_BYTES).map_err(failed)?, path, character, rig)
}

/// Reads the text of a motion file for a character. `path` is used in error messages.
///
/// The goals of edits are solved with the rig, each on top of the preceding edits.
///
/// ```
/// use std::path::Path;
///
/// use sinew_character::puppet::motion_file;
/// use sinew_character::{asset, rig};
///
/// let character = asset::mannequin()?;
/// let rig = rig::detect(&character);
/// let text = r#"
///     version = 1
///     [[strip]]
///     clips = "walk"
///     seconds = 3.0
///     looping = true
/// "#;
/// let motion = motion_file::read(text, Path::new("walk.motion.toml"), &character, &rig)?;
/// assert_eq!(motion.seconds(&character.clips), 3.0);
///
/// let broken = text.replace("walk\"", "wlak\"");
/// let error = motion_file::read(&broken, Path::new("walk.motion.toml"), &character, &rig).unwrap_err();
/// assert!(error.to_string().starts_with("walk.motion.toml: line 4"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`MotionFileError::Format`] with the line number, for a TOML syntax error, an unknown or missing key, an invalid
/// value, an unknown clip, node or chain, or a goal that cannot be solved.
pub fn read(text: &str, path: &Path, character: &Character, rig: &Rig) -> Result<Motion, MotionFileError> {
    let motion = parse(text).and_then(|document| {
        check_file(document.as_table(), VERSION, &KEYS, "")?;
        MotionReader::new(character, rig).motion(document.as_table())
    });
    motion.map_err(|error| {
        let (line, cause) = error.line_and_cause(text);
        MotionFileError::Format { path: path.to_owned(), line, cause }
    })
}

struct MotionReader<'a> {
    character: &'a Character,
    rig: &'a Rig,
    names: NodeNames<'a>,
}

impl<'a> MotionReader<'a> {
    fn new(character: &'a Character, rig: &'a Rig) -> Self {
        Self { character, rig, names: NodeNames::with_bones(&character.skeleton, &rig.bones) }
    }

    fn motion(&self, root: &Table) -> Result<Motion, SpannedError> {
        let duration = |item: &Item, key: &str| {
            let otherwise = || format!("{key} must be a number of seconds from 0 to {MAX_TIME}");
            number_where(item, key, |s| s > 0.0 && s <= MAX_TIME, otherwise).map(single)
        };
        let mut motion = Motion {
            plant: optional(root, "plant", flag)?.unwrap_or_default(),
            duration: optional(root, "duration", duration)?,
            root_node: optional(root, "root_node", |item, key| self.root_node(item, key))?,
            keys: each(root, "key", |table, _| self.key(table))?,
            ..Motion::default()
        };
        motion.keys.sort_by(|a, b| a.time.total_cmp(&b.time));
        for table in tables(root, "strip")? {
            let strip = self.strip(table, &motion.strips).map_err(|f| f.or_at(table.span()))?;
            motion.strips.push(strip);
        }
        motion.layers = each(root, "layer", |table, _| self.layer(table))?;
        let mut puppet: Option<Puppet> = None;
        for table in tables(root, "edit")? {
            let edit = self.edit(table, &motion, &mut puppet).map_err(|f| f.or_at(table.span()))?;
            motion.edits.push(edit);
        }
        motion.contacts = each(root, "contact", |table, index| self.contact(table, index))?;
        motion.goals = each(root, "goal", |table, index| self.goal(table, index))?;
        motion.goals.sort_by(|a, b| a.time.total_cmp(&b.time));
        motion.validate().map_err(|cause| SpannedError::new(root.span(), cause.to_string()))?;
        Ok(motion)
    }

    fn root_node(&self, item: &Item, key: &str) -> Result<usize, SpannedError> {
        let node = self.node(item, key)?;
        if can_carry_root_motion(self.character, self.rig.bones.get("hips").copied(), node) {
            return Ok(node);
        }
        let name = item.as_str().unwrap_or_default();
        Err(SpannedError::at(item, format!("node \"{name}\" is not above the hips")))
    }

    fn strip(&self, table: &Table, before: &[Strip]) -> Result<Strip, SpannedError> {
        check_keys(
            table,
            &[
                "clips",
                "start",
                "overlap",
                "seconds",
                "from",
                "speed",
                "looping",
                "root_motion",
                "mirror",
                "fade_in",
                "marks",
            ],
        )?;
        let clips = required(table, "clips", |item, _| self.weights(item))?;
        if table.contains_key("start") && table.contains_key("overlap") {
            let cause = "start and overlap exclude each other; remove one of them";
            return Err(SpannedError::at_key(table, "start", cause));
        }
        let root_motion = |item: &Item, key: &str| {
            let known = [("accumulate", RootMotion::Accumulate), ("in-place", RootMotion::InPlace)];
            choice(item, known, format!("{key} must be \"accumulate\" or \"in-place\""))
        };
        let mirror = |item: &Item, key: &str| match flag(item, key)? {
            true if self.rig.body.is_none() => Err(SpannedError::at(item, NO_SIDES)),
            mirror => Ok(mirror),
        };
        let end = before.last().map_or(0.0, |b| b.start + b.length(&self.character.clips));
        let mut strip = Strip {
            clips,
            start: optional(table, "start", seconds)?.unwrap_or(end),
            seconds: optional(table, "seconds", seconds)?,
            root_motion: optional(table, "root_motion", root_motion)?.unwrap_or(RootMotion::Accumulate),
            looping: optional(table, "looping", flag)?.unwrap_or_default(),
            speed: optional(table, "speed", limited)?.unwrap_or(1.0),
            from: optional(table, "from", seconds)?.unwrap_or_default(),
            mirror: optional(table, "mirror", mirror)?.unwrap_or_default(),
            fade_in: optional(table, "fade_in", seconds)?,
            marks: Vec::new(),
        };
        let marks = optional(table, "marks", |item, key| {
            self.marks(item, &strip.clips).map_err(|error| error.prefixed(key))
        })?;
        strip.marks = marks.unwrap_or_default();
        if let Some(item) = table.get("overlap") {
            strip.start = (end - self.overlap(item, before, &strip)?).max(0.0);
        }
        Ok(strip)
    }

    /// Returns the duration of a strip's overlap with the previous strip, in seconds.
    fn overlap(&self, item: &Item, above: &[Strip], strip: &Strip) -> Result<f32, SpannedError> {
        let Some((last, _)) = above.split_last() else {
            return Err(SpannedError::at(item, "the first strip cannot overlap another one; remove overlap"));
        };
        if item.as_str() == Some("auto") {
            let first = above.len().saturating_sub(MAX_PRECEDING);
            let above =
                Motion { strips: above.get(first..).unwrap_or_default().to_vec(), ..Motion::default() };
            let feet: Vec<usize> = self.rig.feet().collect();
            return Ok(above.overlap(above.strips.len() - 1, strip, self.character, &feet));
        }
        let otherwise = || format!("overlap must be a number of seconds from 0 to {MAX_TIME}, or \"auto\"");
        let seconds = single(number_where(item, "overlap", |s| (0.0..=MAX_TIME).contains(&s), otherwise)?);
        let clips = &self.character.clips;
        for (name, length) in [("the previous strip", last.length(clips)), ("the strip", strip.length(clips))]
        {
            if seconds > length + ROUNDING {
                let cause = format!("overlap of {seconds} s is longer than {name}, which lasts {length} s");
                return Err(SpannedError::at(item, cause));
            }
        }
        Ok(seconds)
    }

    /// Reads clips with weights: `"walk"`, `["walk"]`, or `{ walk = 0.7, run = 0.3 }`.
    fn weights(&self, item: &Item) -> Result<Vec<WeightedClip>, SpannedError> {
        let with_weight_1 = |item: &Item, name: &str| -> Result<WeightedClip, SpannedError> {
            Ok(WeightedClip { clip: self.clip(item, name)?, weight: 1.0 })
        };
        if let Some(name) = item.as_str() {
            return Ok(vec![with_weight_1(item, name)?]);
        }
        if let Some(names) = elements(item) {
            let clip = |item: &Item| {
                let no_name = || SpannedError::at(item, "clips must be a list of clip names");
                with_weight_1(item, item.as_str().ok_or_else(no_name)?)
            };
            if names.is_empty() {
                return Err(SpannedError::at(item, "clips must not be empty"));
            }
            return names.into_iter().map(clip).collect();
        }
        let table = table_like(item, "clips must be a clip name, a list of names, or a table of weights")?;
        let clip_and_weight = |(name, weight): (&str, &Item)| {
            let otherwise = || format!("the weight of {name} must be at least 0");
            let value = number_where(weight, name, |w| w >= 0.0, otherwise)?;
            Ok(WeightedClip { clip: self.clip(weight, name)?, weight: single(value) })
        };
        let weights: Vec<WeightedClip> =
            table.iter().map(clip_and_weight).collect::<Result<_, SpannedError>>()?;
        if weights.iter().all(|s| s.weight <= 0.0) {
            return Err(SpannedError::at(item, "clips: at least one weight must be greater than 0"));
        }
        if !weights.iter().map(|s| s.weight).sum::<f32>().is_finite() {
            return Err(SpannedError::at(item, "clips: the sum of the weights is too large"));
        }
        Ok(weights)
    }

    fn layer(&self, table: &Table) -> Result<Layer, SpannedError> {
        check_keys(table, &["clip", "weight", "additive", "mask", "speed"])?;
        let clip = |item: &Item, key: &str| {
            let no_name = || SpannedError::at(item, format!("{key} must be a clip name"));
            self.clip(item, item.as_str().ok_or_else(no_name)?)
        };
        Ok(Layer {
            clip: required(table, "clip", clip)?,
            mask: optional(table, "mask", |item, _| self.mask(item))?.unwrap_or_default(),
            weight: optional(table, "weight", within(0.0..=1.0))?.map_or(1.0, single),
            additive: optional(table, "additive", flag)?.unwrap_or_default(),
            speed: optional(table, "speed", limited)?.unwrap_or(1.0),
        })
    }

    /// Returns the nodes of a list of chains and nodes. A chain stands for its base and all descendants.
    fn mask(&self, item: &Item) -> Result<Vec<usize>, SpannedError> {
        let no_list = "mask must be a list of chain and node names";
        let mut mask = Vec::new();
        for item in elements(item).ok_or_else(|| SpannedError::at(item, no_list))? {
            let name = item.as_str().ok_or_else(|| SpannedError::at(item, no_list))?;
            match self.rig.chains.iter().find(|c| c.name == name) {
                Some(chain) => mask.extend(self.subtree(chain.base)),
                None => {
                    let chains = self.rig.chains.iter().map(|chain| chain.name.as_str());
                    let known = chains.chain(self.names.known());
                    let missing = || Missing::name("chain or node", name, known).to_string();
                    mask.push(self.names.find(name).ok_or_else(|| SpannedError::at(item, missing()))?);
                }
            }
        }
        mask.sort_unstable();
        mask.dedup();
        Ok(mask)
    }

    /// Returns a node and all its descendants.
    fn subtree(&self, top: usize) -> Vec<usize> {
        let skeleton = &self.character.skeleton;
        let is_below = |&n: &usize| skeleton.ancestors(n).any(|a| a == top);
        (0..skeleton.nodes.len()).filter(is_below).collect()
    }

    fn edit(
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
                Ok((self.names.get_at(value, name)?, vector))
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

    fn clip(&self, item: &Item, name: &str) -> Result<usize, SpannedError> {
        self.character.clip_index(name).map_err(|missing| SpannedError::at(item, missing.to_string()))
    }

    /// Reads the name of a node.
    fn node(&self, item: &Item, key: &str) -> Result<usize, SpannedError> {
        self.names.read(item, format!("{key} must be the name of a node"))
    }
}

/// Reads a number of seconds from 0 to [`MAX_TIME`].
fn seconds(item: &Item, key: &str) -> Result<f32, SpannedError> {
    within(0.0..=MAX_TIME)(item, key).map(single)
}

/// Reads a number from −[`MAX_TIME`] to [`MAX_TIME`].
fn limited(item: &Item, key: &str) -> Result<f32, SpannedError> {
    let otherwise = || format!("{key} must be a number from -{MAX_TIME} to {MAX_TIME}");
    number_where(item, key, |v| v.abs() <= MAX_TIME, otherwise).map(single)
}

#[cfg(test)]
mod tests;
