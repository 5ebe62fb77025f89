//! Reads and writes motion files (`NAME.motion.toml`). `docs/motion.md` describes the format.

use std::path::{Path, PathBuf};

use toml_edit::{Item, Table};

use crate::asset::Character;
use crate::files::bounded;
use crate::motion::{Motion, can_carry_root_motion};
use crate::puppet::Puppet;
use crate::rig::Rig;
use crate::rig::file::NodeNames;
use crate::rig::file::node_names::read_node;
use crate::text::toml::{
    SpannedError, check_file, each, flag, number_where, optional, parse, single, tables, within,
};

mod contacts;
mod edits;
mod goals;
mod keys;
mod marks;
mod strips;
pub(crate) mod table;

const VERSION: i64 = 1;
/// The tables and keys of a motion file, except for `version`.
const KEYS: [&str; 9] =
    ["plant", "duration", "root_node", "key", "strip", "layer", "edit", "contact", "goal"];
/// Maximum size of a motion file, in bytes.
const MAX_BYTES: u64 = 16 << 20;
/// Tolerance for durations that were rounded in the file, in seconds.
const ROUNDING: f32 = 1e-3;
/// Maximum absolute value of times and durations in seconds, and of speeds. It is far above any useful value.
const MAX_TIME: f64 = 1e6;

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

    fn clip(&self, item: &Item, name: &str) -> Result<usize, SpannedError> {
        self.character.clip_index(name).map_err(|missing| SpannedError::at(item, missing.to_string()))
    }

    /// Reads the name of a node.
    fn node(&self, item: &Item, key: &str) -> Result<usize, SpannedError> {
        read_node(&self.names, item, format!("{key} must be the name of a node"))
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
