//! The options that choose the motion: clips of other files, blends and motion files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::api::ParseError;
use crate::asset::{Character, UpAxis};
use crate::capture::{LoadOptions, RotationFit, defines_up, is_take};
use crate::cli::failure::Failure;
use crate::cli::{ModelArg, names};
use crate::files::Progress;
use crate::motion::{Cycle, RootMotion, Strip, can_carry_root_motion};
use crate::puppet::{Puppet, motion_file};
use crate::rig::Rig;
use crate::shared::has_bvh_extension;
use crate::viewer::Transfer;

use super::PosingArgs;

mod blends;
mod files;

#[cfg(feature = "viewer")]
pub(in crate::cli) use files::added_clips;
use files::extend;
pub(in crate::cli) use files::{Reading, load, missed};

impl PosingArgs {
    /// Returns a character with the clips of all `--clips` files added, and warnings about missed contacts and takes.
    pub(in crate::cli) fn extend(
        &self,
        character: Arc<Character>,
        rig: &Rig,
    ) -> Result<(Arc<Character>, Vec<String>), Failure> {
        extend(character, &self.clips, rig, &self.reading())
    }

    /// Loads the model, and smooths it if it is a take.
    pub(in crate::cli) fn load(&self, model: &ModelArg) -> Result<Character, Failure> {
        model.load_as(&self.load_options(model.file.as_deref())?, &Progress::default())
    }

    /// Returns the options for loading the model, except for its units. Fails if an option affects neither the model nor a file of
    /// `--clips`.
    pub(in crate::cli) fn load_options(&self, model: Option<&Path>) -> Result<LoadOptions, Failure> {
        let files = || model.into_iter().chain(self.clips.iter().map(PathBuf::as_path));
        check_smooth(self.smooth, files())?;
        if self.fit != RotationFit::default() && !files().any(is_take) {
            let cause = "needs a take (.csv, .trc, .c3d), as the model or as --clips";
            return Err(Failure::Usage(format!("--fit {cause}")));
        }
        if self.asymmetric && !model.is_some_and(is_take) {
            return Err(Failure::Usage("--asymmetric needs a take (.csv, .trc, .c3d) as the model".into()));
        }
        let leaves_axis_open = |path: &Path| match is_take(path) {
            true => !defines_up(path),
            false => has_bvh_extension(path),
        };
        if self.up_axis() != UpAxis::Y && !files().any(leaves_axis_open) {
            let cause = "needs a .bvh, .csv or .trc file, as the model or as --clips; other formats define their axes";
            return Err(Failure::Usage(format!("--up {}: {cause}", self.up)));
        }
        let options = LoadOptions::default().with_smooth(self.smooth).with_up(self.up_axis());
        Ok(options.with_symmetric(!self.asymmetric).with_rotations(self.fit))
    }

    fn up_axis(&self) -> UpAxis {
        if self.up == "z" { UpAxis::Z } else { UpAxis::Y }
    }

    fn reading(&self) -> Reading {
        Reading { transfer: self.transfer(), up: self.up_axis(), rotations: self.fit }
    }

    /// Returns the options for retargeting clips of other files to the character.
    pub(in crate::cli) fn transfer(&self) -> Transfer {
        Transfer { keep_hands: self.keep_hands, smooth: self.smooth, ..Transfer::default() }
    }

    /// Sets a puppet's motion and time. `animation` is the clip of `--animation`. Returns a description of the blend that `--blend-to` has chosen.
    pub(in crate::cli) fn play(
        &self,
        puppet: &mut Puppet,
        animation: Option<usize>,
        time: f32,
    ) -> Result<Option<String>, Failure> {
        let mut note = None;
        if let Some(path) = &self.motion {
            let character = puppet.character();
            puppet.motion =
                motion_file::load(path, character, &puppet.rig).map_err(|e| Failure::Usage(e.to_string()))?;
            puppet.time = time;
        }
        if let Some(clip) = animation {
            puppet.play(clip, time);
            note = self.blend(puppet, clip)?;
        }
        puppet.motion.plant |= self.plant_feet;
        self.trim(puppet)?;
        self.mirror(puppet)?;
        self.set_root_motion(puppet)?;
        Ok(note)
    }

    /// Applies `--trim`.
    fn trim(&self, puppet: &mut Puppet) -> Result<(), Failure> {
        let Some(trim) = self.trim else { return Ok(()) };
        let character = puppet.character();
        let (from, to) = match trim {
            Trim::Part(TimeRange { from, to }) => {
                let option = format!("--trim {from}..{to}");
                let ends = strips(puppet, &option)?.iter().map(|s| s.cycle_seconds(&character.clips));
                let end = ends.fold(0.0, f32::max);
                if from >= end || to > end + TIME_TOLERANCE {
                    return Err(Failure::Usage(format!("{option}: the clip ends at {end} s")));
                }
                (from, to.min(end))
            }
            Trim::Cycle => {
                let played = strips(puppet, "--trim cycle")?.iter().flat_map(|strip| &strip.clips);
                let [weighted] = played.collect::<Vec<_>>()[..] else {
                    return Err(Failure::Usage("--trim cycle: a blend has no cycle of its own".into()));
                };
                let none = || Failure::Usage("--trim cycle: the clip is too short or does not move".into());
                let Cycle { from, to, .. } = Cycle::find(character, weighted.clip).ok_or_else(none)?;
                (from, to)
            }
        };
        for strip in &mut puppet.motion.strips {
            (strip.from, strip.seconds) = (from, Some(to - from));
        }
        Ok(())
    }

    /// Applies `--mirror`. A strip that the motion file already mirrors is played unmirrored.
    fn mirror(&self, puppet: &mut Puppet) -> Result<(), Failure> {
        if !self.mirror {
            return Ok(());
        }
        strips(puppet, "--mirror")?;
        if puppet.rig.body.is_none() {
            return Err(Failure::Usage(format!("--{}", motion_file::NO_SIDES)));
        }
        puppet.motion.strips.iter_mut().for_each(|strip| strip.mirror = !strip.mirror);
        Ok(())
    }

    /// Applies `--root-motion`.
    fn set_root_motion(&self, puppet: &mut Puppet) -> Result<(), Failure> {
        let Some(name) = self.root_motion.as_deref() else { return Ok(()) };
        let option = format!("--root-motion {name}");
        strips(puppet, &option)?;
        let mode = match name {
            "accumulate" => RootMotion::Accumulate,
            "in-place" => RootMotion::InPlace,
            _ => {
                let (character, bones) = (puppet.character(), &puppet.rig.bones);
                let node = names::Nodes { character, bones }.find(name)?;
                if !can_carry_root_motion(character, bones.get("hips").copied(), node) {
                    return Err(Failure::Usage(format!("{option}: the node is not above the hips")));
                }
                puppet.motion.root_node = Some(node);
                return Ok(());
            }
        };
        puppet.motion.strips.iter_mut().for_each(|strip| strip.root_motion = mode);
        Ok(())
    }

    /// Returns a note for each played clip that shares its name with other clips.
    pub(super) fn namesakes(&self, puppet: &Puppet) -> Vec<String> {
        let character = puppet.character();
        let motion = &puppet.motion;
        let blended = self.blend.iter().map(|text| text.rsplit_once('=').map_or(&**text, |(name, _)| name));
        let named = self.animation.as_deref().into_iter().chain(blended).map(str::to_owned);
        let played = motion.strips.iter().flat_map(|strip| strip.clips.iter().map(|weighted| weighted.clip));
        let played =
            played.chain(motion.layers.iter().map(|layer| layer.clip)).filter(|_| self.motion.is_some());
        let mut names: Vec<String> = played.map(|clip| character.clip_name(clip)).chain(named).collect();
        names.sort_unstable();
        names.dedup();
        names::namesakes(character, &names)
    }
}

/// A time range in seconds.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct TimeRange {
    pub(in crate::cli) from: f32,
    pub(in crate::cli) to: f32,
}

/// The end of a range may exceed the end of the clip by this many seconds, to allow for rounding.
pub(in crate::cli) const TIME_TOLERANCE: f32 = 1e-3;

pub(in crate::cli) fn time_range(text: &str) -> Result<TimeRange, String> {
    let seconds = |t: &str| t.parse::<f32>().ok().filter(|t| t.is_finite() && *t >= 0.0);
    let parsed =
        text.split_once("..").and_then(|(a, b)| Some(TimeRange { from: seconds(a)?, to: seconds(b)? }));
    parsed.filter(|s| s.from < s.to).ok_or_else(|| "expected A..B in seconds, with 0 <= A < B".into())
}

/// The value of `--trim`.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) enum Trim {
    Part(TimeRange),
    Cycle,
}

pub(in crate::cli) fn trim(text: &str) -> Result<Trim, String> {
    match text {
        "cycle" => Ok(Trim::Cycle),
        _ => time_range(text).map(Trim::Part).map_err(|e| format!("{e}, or cycle")),
    }
}

/// Parses the value of `--fit`.
pub(in crate::cli) fn rotation_fit(text: &str) -> Result<RotationFit, String> {
    text.parse().map_err(|e: ParseError| e.to_string())
}

/// Returns the strips of a puppet's motion, or an error that names `option` if there are none.
fn strips<'a>(puppet: &'a Puppet, option: &str) -> Result<&'a [Strip], Failure> {
    let strips = puppet.motion.strips.as_slice();
    if strips.is_empty() {
        return Err(Failure::Usage(format!(
            "{option}: no clip is played; choose one with --animation NAME|INDEX"
        )));
    }
    Ok(strips)
}

/// Rejects `--smooth` if none of the files is a take.
pub(in crate::cli) fn check_smooth<'a>(
    smooth: Option<f64>,
    files: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Failure> {
    if smooth.is_none() || files.into_iter().any(is_take) {
        return Ok(());
    }
    Err(Failure::Usage("--smooth needs a take (.csv, .trc, .c3d), as the model or as --clips".into()))
}

/// Parses a cutoff in hertz.
pub(in crate::cli) fn cutoff(text: &str) -> Result<f64, String> {
    let cutoff = text.parse::<f64>().ok().filter(|hz| hz.is_finite() && *hz > 0.0);
    cutoff.ok_or_else(|| "must be a frequency in hertz, greater than 0".into())
}
