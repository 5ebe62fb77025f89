//! `sinew style`, which learns a pose prior from clips, and `--style`, which loads one.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::asset::Character;
use crate::capture::is_take;
use crate::ik::{Learned, Learning};
use crate::puppet::{CharacterPrior, Puppet, read_style};
use crate::rig::Rig;
use crate::text::json;
use crate::viewer::Transfer;

use super::failure::Failure;
use super::posing::clips;
use super::{ModelArg, Verbosity, names, output};

#[derive(Args, Debug)]
#[command(after_help = "Example:
  sinew style walk.bvh -o walk.style.json
  sinew pose walk.bvh --method style --style walk.style.json --reach LeftHand=0.3,1.2,0.4")]
pub(super) struct StyleArgs {
    #[command(flatten)]
    model: ModelArg,
    /// Learn from the clip with this name or index (repeatable) [default: all clips]
    #[arg(long, value_name = "NAME|INDEX")]
    animation: Vec<String>,
    /// Number of postures to keep, chosen to differ as much as possible
    #[arg(long, value_name = "N", default_value = "60", value_parser = postures)]
    postures: usize,
    /// Write the pose prior to this file
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

fn postures(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|n| (3..=200).contains(n));
    count.ok_or_else(|| "must be a whole number from 3 to 200".into())
}

pub(super) fn run(args: &StyleArgs, verbosity: Verbosity) -> Result<ExitCode, Failure> {
    output::protect(&args.output, args.model.file.as_deref())?;
    output::check(&args.output)?;
    let character = args.model.load()?;
    verbosity.warn(&character.warnings);
    let clips = args.animation.iter().map(|name| character.clip_index(name));
    let mut clips = clips.collect::<Result<Vec<usize>, _>>()?;
    verbosity.warn(&names::namesakes(&character, &args.animation));
    if clips.is_empty() {
        clips = (0..character.clips.len()).collect();
    }
    let name = character.path.display().to_string();
    if clips.is_empty() {
        return Err(Failure::Usage(format!("{name}: the file contains no clips to learn from")));
    }
    let rig = super::rig_of(&character, None)?;
    let puppet = Puppet::with_rig(character, 0, rig);
    let learning = Learning::default().with_postures(args.postures);
    let (style, learned) =
        puppet.learn(&clips, &learning).map_err(|e| Failure::Usage(format!("{name}: {e}")))?;
    let text = json::to_vec(&style).map_err(|e| Failure::write(&args.output)(e.into()))?;
    output::file(&args.output, &text)?;
    let Learned { seconds, examples, postures, .. } = learned;
    verbosity.print(&format!(
        "{}: {postures} of {examples} postures of {} joints, {} kB, learned in {seconds:.2} s",
        args.output.display(),
        style.joints().len(),
        text.len().div_ceil(1000),
    ));
    Ok(ExitCode::SUCCESS)
}

/// Loads a pose prior from a file, which contains a learned style or clips to use as examples. The clips are retargeted
/// to the character, with `keep_hands` as for `--clips`.
pub(super) fn load_prior(
    path: &Path,
    character: &Character,
    rig: &Rig,
    keep_hands: bool,
) -> Result<CharacterPrior, Failure> {
    let is = |extension: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension));
    if !is_take(path) && !["bvh", "gltf", "glb", "vrm"].into_iter().any(is) {
        return Ok(read_style(path).map_err(|e| Failure::Usage(e.to_string()))?.into());
    }
    let transfer = Transfer { keep_hands, ..Transfer::default() };
    let reading = clips::Reading { transfer, ..clips::Reading::default() };
    let clips = clips::load(path, "--style", character, rig, &reading)?.clips;
    let all: Vec<usize> = (0..clips.len()).collect();
    let puppet = Puppet::with_rig(Character { clips, ..character.clone() }, 0, rig.clone());
    puppet.examples(&all).map_err(|e| Failure::Usage(format!("--style {}: {e}", path.display())))
}
