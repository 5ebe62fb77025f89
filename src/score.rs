//! What is played, as a file that people write: `NAME.motion.toml`. `docs/motion.md` has the schema.

use std::path::{Path, PathBuf};

use glam::DVec3;
use toml_edit::{Document, Item, Table, TableLike};

use crate::asset::Character;
use crate::bounded;
use crate::motion::{Bar, Edit, Layer, Motion, Share, Travel};
use crate::puppet::{Puppet, Target};
use crate::rig::{self, Rig};
use crate::toml::{Fault, known, missing, need, number, numbers, optional, single, tables};

const VERSION: i64 = 1;
/// No motion has more bytes.
const MAX_BYTES: u64 = 16 << 20;
/// Seconds that an edit grows and wanes unless it says otherwise.
const WINDOW: f64 = 0.4;
/// Lengths that people write are rounded by less, seconds.
const ROUNDED: f32 = 1e-3;
/// No more bars above one are looked at for what is free of them: a file may have very many.
const NEAR: usize = 8;
/// Far beyond any time that a person means, seconds.
const LATEST: f64 = 1e6;
/// Far beyond any turn, degrees; of much larger ones single precision knows no angle.
const MOST_DEGREES: f64 = 1e6;

/// Why a motion file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ScoreError {
    /// It cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Its text will not do.
    #[error("{}: line {line}: {cause}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// From one.
        line: usize,
        /// Why.
        cause: String,
    },
}

/// Reads a motion for a character from a file.
///
/// # Errors
/// [`ScoreError`].
pub fn load(path: &Path, character: &Character, rig: &Rig) -> Result<Motion, ScoreError> {
    let failed = |source| ScoreError::Read { path: path.to_owned(), source };
    read(&bounded::read_to_string(path, MAX_BYTES).map_err(failed)?, path, character, rig)
}

/// Reads a motion for a character. Goals of edits are solved with its rig, each where the edits before it have left the
/// motion. `path`: for errors.
///
/// # Errors
/// [`ScoreError::Format`] with the line of what is no TOML, of a key that is not known or missing, of a value that will
/// not do, of a clip, node or chain that does not exist, of a goal that cannot be solved.
pub fn read(text: &str, path: &Path, character: &Character, rig: &Rig) -> Result<Motion, ScoreError> {
    let told = |fault: Fault| {
        let (line, cause) = fault.told(text);
        ScoreError::Format { path: path.to_owned(), line, cause }
    };
    let document = Document::parse(text.to_owned()).map_err(|e| told(Fault::of(&e)))?;
    Reader { character, rig }.motion(document.as_table()).map_err(told)
}

struct Reader<'a> {
    character: &'a Character,
    rig: &'a Rig,
}

impl Reader<'_> {
    fn motion(&self, root: &Table) -> Result<Motion, Fault> {
        known(root, &["version", "plant", "bar", "layer", "edit"])?;
        let version = root.get("version").ok_or_else(|| missing(None, "version"))?;
        if version.as_integer() != Some(VERSION) {
            return Err(Fault::at(version, format!("version is not {VERSION}")));
        }
        let mut motion = Motion { plant: flag(root, "plant")?, ..Motion::default() };
        for table in tables(root, "bar")? {
            let bar = self.bar(table, &motion.bars).map_err(|f| f.within(table.span()))?;
            motion.bars.push(bar);
        }
        for table in tables(root, "layer")? {
            motion.layers.push(self.layer(table).map_err(|f| f.within(table.span()))?);
        }
        let mut puppet: Option<Puppet> = None;
        for table in tables(root, "edit")? {
            let edit = self.edit(table, &motion, &mut puppet).map_err(|f| f.within(table.span()))?;
            motion.edits.push(edit);
        }
        match motion.fault() {
            Some(fault) => Err(Fault::new(root.span(), fault)),
            None => Ok(motion),
        }
    }

    fn bar(&self, table: &Table, before: &[Bar]) -> Result<Bar, Fault> {
        known(table, &["clips", "start", "overlap", "seconds", "from", "speed", "again", "travel"])?;
        let clips = self.shares(need(table, "clips")?)?;
        let end = before.last().map_or(0.0, |b| b.start + b.length(&self.character.clips));
        let start = match table.get("start") {
            Some(item) if table.contains_key("overlap") => {
                return Err(Fault::at(item, "start and overlap say the same: write one of them"));
            }
            Some(_) => single(optional(table, "start", 0.0, 0.0..=LATEST)?),
            None => end,
        };
        let seconds = match table.get("seconds") {
            Some(_) => Some(single(optional(table, "seconds", 0.0, 0.0..=LATEST)?)),
            None => None,
        };
        let travel = match table.get("travel").map(|item| (item, item.as_str())) {
            None | Some((_, Some("kept"))) => Travel::Kept,
            Some((_, Some("stripped"))) => Travel::Stripped,
            Some((item, _)) => return Err(Fault::at(item, "travel is kept or stripped")),
        };
        let speed = table.get("speed").map_or(Ok(1.0), |item| bounded(item, "speed"))?;
        let from = single(optional(table, "from", 0.0, 0.0..=LATEST)?);
        let mut bar = Bar { clips, start, seconds, from, speed, again: flag(table, "again")?, travel };
        if let Some(item) = table.get("overlap") {
            bar.start = (end - self.overlap(item, before, &bar)?).max(0.0);
        }
        Ok(bar)
    }

    /// How long a bar overlaps the one above it, seconds.
    fn overlap(&self, item: &Item, above: &[Bar], bar: &Bar) -> Result<f32, Fault> {
        let Some((last, _)) = above.split_last() else {
            return Err(Fault::at(item, "there is no bar above that it could overlap"));
        };
        if item.as_str() == Some("auto") {
            let near = above.len().saturating_sub(NEAR);
            let above = Motion { bars: above.get(near..).unwrap_or_default().to_vec(), ..Motion::default() };
            let feet: Vec<usize> = self.rig.feet().collect();
            return Ok(above.overlap(above.bars.len() - 1, bar, self.character, &feet));
        }
        let otherwise = || "overlap is seconds, or \"auto\"".to_owned();
        let seconds = single(number(item, "overlap", |s| (0.0..=LATEST).contains(&s), otherwise)?);
        let clips = &self.character.clips;
        for (which, length) in [("the bar above it", last.length(clips)), ("the bar", bar.length(clips))] {
            if seconds > length + ROUNDED {
                return Err(Fault::at(
                    item,
                    format!("an overlap of {seconds} s, but {which} lasts {length} s"),
                ));
            }
        }
        Ok(seconds)
    }

    /// `"walk"`, `["walk"]`, or `{ walk = 0.7, run = 0.3 }`.
    fn shares(&self, item: &Item) -> Result<Vec<Share>, Fault> {
        let one = |name: &str| Ok(Share { clip: self.clip(item, name)?, weight: 1.0 });
        if let Some(name) = item.as_str() {
            return Ok(vec![one(name)?]);
        }
        if let Some(names) = item.as_array() {
            let one = |value: &toml_edit::Value| {
                let name = value.as_str().ok_or_else(|| Fault::new(value.span(), "clips names no clip"))?;
                one(name).map_err(|fault| Fault::new(value.span(), fault.cause))
            };
            if names.is_empty() {
                return Err(Fault::at(item, "clips names no clip"));
            }
            return names.iter().map(one).collect();
        }
        let Some(table) = item.as_table_like() else {
            return Err(Fault::at(item, "clips is a name, a list of names, or a table of weights"));
        };
        let share = |(name, weight): (&str, &Item)| {
            let otherwise = || format!("the weight of {name} must be at least 0");
            let value = number(weight, name, |w| w >= 0.0, otherwise)?;
            Ok(Share { clip: self.clip(weight, name)?, weight: single(value) })
        };
        let shares: Vec<Share> = table.iter().map(share).collect::<Result<_, Fault>>()?;
        if shares.iter().all(|s| s.weight <= 0.0) {
            return Err(Fault::at(item, "all its weights are zero"));
        }
        if !shares.iter().map(|s| s.weight).sum::<f32>().is_finite() {
            return Err(Fault::at(item, "clips: the sum of the weights is too large"));
        }
        Ok(shares)
    }

    fn layer(&self, table: &Table) -> Result<Layer, Fault> {
        known(table, &["clip", "weight", "additive", "mask", "speed"])?;
        let item = need(table, "clip")?;
        let name = item.as_str().ok_or_else(|| Fault::at(item, "clip is no name"))?;
        let mut mask = Vec::new();
        if let Some(item) = table.get("mask") {
            let names =
                item.as_array().ok_or_else(|| Fault::at(item, "mask is no list of chains and nodes"))?;
            for value in names {
                let fault = |why: String| Fault::new(value.span(), why);
                let name =
                    value.as_str().ok_or_else(|| fault("mask is no list of chains and nodes".into()))?;
                match self.rig.chains.iter().find(|c| c.name == name) {
                    Some(chain) => mask.extend(self.below(chain.base)),
                    None => {
                        let node = rig::file::named(&self.character.skeleton, name);
                        mask.push(
                            node.ok_or_else(|| fault(format!("no chain or node is called \"{name}\"")))?,
                        );
                    }
                }
            }
            mask.sort_unstable();
            mask.dedup();
        }
        Ok(Layer {
            clip: self.clip(item, name)?,
            weight: single(optional(table, "weight", 1.0, 0.0..=1.0)?),
            additive: flag(table, "additive")?,
            mask,
            speed: table.get("speed").map_or(Ok(1.0), |item| bounded(item, "speed"))?,
        })
    }

    /// A node and all below it.
    fn below(&self, top: usize) -> Vec<usize> {
        let skeleton = &self.character.skeleton;
        let is_below = |&n: &usize| skeleton.ancestors(n).any(|a| a == top);
        (0..skeleton.nodes.len()).filter(is_below).collect()
    }

    fn edit(&self, table: &Table, motion: &Motion, puppet: &mut Option<Puppet>) -> Result<Edit, Fault> {
        known(table, &["time", "before", "after", "turn", "shift", "reach"])?;
        let time = bounded(need(table, "time")?, "time")?;
        let before = single(optional(table, "before", WINDOW, 0.0..=LATEST)?);
        let after = single(optional(table, "after", WINDOW, 0.0..=LATEST)?);
        let most = f64::from(f32::MAX);
        let vectors = |key: &str, most: f64| -> Result<Vec<(usize, DVec3)>, Fault> {
            let Some(item) = table.get(key) else { return Ok(Vec::new()) };
            let nodes =
                item.as_table_like().ok_or_else(|| Fault::at(item, format!("{key} is no table of nodes")))?;
            let vector = |(name, value): (&str, &Item)| {
                let vector = DVec3::from_array(numbers(value, key)?);
                let large = || Fault::at(value, format!("{key}: value is too large (at most {most})"));
                let vector = Some(vector).filter(|v| v.abs().max_element() <= most).ok_or_else(large)?;
                Ok((self.node(value, name)?, vector))
            };
            nodes.iter().map(vector).collect()
        };
        let turns = vectors("turn", MOST_DEGREES)?.into_iter();
        let turns =
            turns.map(|(n, degrees)| (n, (degrees * std::f64::consts::PI / 180.0).as_vec3())).collect();
        let shifts = vectors("shift", most)?.into_iter().map(|(n, by)| (n, by.as_vec3())).collect();
        let own = Edit { time, before, after, turns, shifts };
        let places = vectors("reach", most)?;
        if places.is_empty() {
            return Ok(own);
        }
        let puppet = puppet.get_or_insert_with(|| {
            let scene = self.character.default_scene;
            Puppet::with_rig(self.character.clone(), scene, self.rig.clone())
        });
        puppet.motion.clone_from(motion);
        puppet.time = time;
        let fault = |why: &dyn std::fmt::Display| {
            table
                .get("reach")
                .map_or_else(|| Fault::new(None, why.to_string()), |r| Fault::at(r, why.to_string()))
        };
        let posed = |puppet: &mut Puppet, targets: Vec<Target>| {
            puppet.targets = targets;
            puppet.update().map_err(|e| fault(&e))
        };
        posed(puppet, Vec::new())?;
        let plain = puppet.pose().clone();
        puppet.motion.edits.push(own.clone());
        let target = |&(node, at): &(usize, DVec3)| Target { position: Some(at), ..Target::new(node) };
        posed(puppet, places.iter().map(target).collect())?;
        Ok(Edit::between(&plain, puppet.pose(), time, before, after))
    }

    fn clip(&self, item: &Item, name: &str) -> Result<usize, Fault> {
        let clips = &self.character.clips;
        let index = || name.parse().ok().filter(|&i: &usize| i < clips.len());
        let found = clips.iter().position(|c| c.name.as_deref() == Some(name)).or_else(index);
        found.ok_or_else(|| Fault::at(item, format!("animation \"{name}\" does not exist")))
    }

    fn node(&self, item: &Item, name: &str) -> Result<usize, Fault> {
        let node = rig::file::named(&self.character.skeleton, name);
        node.ok_or_else(|| Fault::at(item, format!("node \"{name}\" does not exist")))
    }
}

fn flag(table: &dyn TableLike, key: &str) -> Result<bool, Fault> {
    table.get(key).map_or(Ok(false), |item| {
        item.as_bool().ok_or_else(|| Fault::at(item, format!("{key} is true or false")))
    })
}

/// A number as large as times may be.
fn bounded(item: &Item, key: &str) -> Result<f32, Fault> {
    number(item, key, |v| v.abs() <= LATEST, || format!("{key} is no number")).map(single)
}

#[cfg(test)]
mod tests;
