//! Strips and layers in motion files.

use toml_edit::{Item, Table};

use crate::api::Missing;
use crate::motion::{Layer, Motion, RootMotion, Strip, WeightedClip};
use crate::text::toml::{
    SpannedError, check_keys, choice, elements, flag, number_where, optional, required, single, table_like,
    within,
};

use super::{MAX_TIME, MotionReader, NO_SIDES, ROUNDING, limited, seconds};

/// Number of preceding strips that are considered for an automatic overlap. It is limited because a file may have
/// a very large number of strips.
const MAX_PRECEDING: usize = 8;

impl MotionReader<'_> {
    /// Reads a strip. `before` contains the strips above it.
    pub(super) fn strip(&self, table: &Table, before: &[Strip]) -> Result<Strip, SpannedError> {
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

    pub(super) fn layer(&self, table: &Table) -> Result<Layer, SpannedError> {
        check_keys(table, &["clip", "weight", "additive", "mask", "speed"])?;
        let (item, name) = required(table, "clip", |item, key| {
            let no_name = || SpannedError::at(item, format!("{key} must be a clip name"));
            Ok((item, item.as_str().ok_or_else(no_name)?))
        })?;
        Ok(Layer {
            mask: optional(table, "mask", |item, _| self.mask(item))?.unwrap_or_default(),
            clip: self.clip(item, name)?,
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
}
