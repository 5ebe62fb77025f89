//! `sinew bake`: writes a motion, and the inverse kinematics that are solved on top of it, as one clip.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Args};

use crate::asset::Clip;
use crate::export;
use crate::export::{bake, bvh};
use crate::motion::{Motion, Tolerance, reduce};
use crate::puppet::Puppet;

use super::failure::Failure;
use super::posing::{PosingArgs, clips};
use super::timing::Stopwatch;
use super::{ModelArg, Verbosity, output};

/// Default length in metres of one unit of a written BVH file. Other programs expect centimetres.
const CENTIMETRE: f64 = 0.01;

/// The end of `--seconds` may exceed the end of the motion by this many seconds, to allow for rounding.
const TIME_TOLERANCE: f32 = 1e-3;

#[derive(Args, Debug)]
#[command(
    after_help = "Example: sinew bake character.glb --clips walk.bvh --animation walk --reach hand_l=0.3,1.2,0.4 -o walk.glb"
)]
pub(super) struct BakeArgs {
    #[command(flatten)]
    model: ModelArg,
    /// Write a copy of the model with the clip to OUT.glb, or its skeleton with the clip to OUT.bvh
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Number of poses per second
    #[arg(long, value_name = "N", default_value_t = 30.0, value_parser = super::render::rate)]
    fps: f32,
    /// Time range to write, in seconds [default: the whole motion]
    #[arg(long, value_name = "A..B", value_parser = time_range)]
    seconds: Option<TimeRange>,
    /// Name of the clip
    #[arg(long, value_name = "NAME", default_value = "baked")]
    name: String,
    /// Maximum error when dropping keys, in radians and metres; 0 keeps all keys
    #[arg(long, value_name = "E", default_value_t = 1e-4, value_parser = error)]
    key_error: f32,
    #[command(flatten)]
    posing: PosingArgs,
}

/// A time range in seconds.
#[derive(Clone, Copy, Debug)]
struct TimeRange {
    from: f32,
    to: f32,
}

fn time_range(text: &str) -> Result<TimeRange, String> {
    let seconds = |t: &str| t.parse::<f32>().ok().filter(|t| t.is_finite() && *t >= 0.0);
    let parsed =
        text.split_once("..").and_then(|(a, b)| Some(TimeRange { from: seconds(a)?, to: seconds(b)? }));
    parsed.filter(|s| s.from < s.to).ok_or_else(|| "expected A..B in seconds, with 0 <= A < B".into())
}

fn error(text: &str) -> Result<f32, String> {
    let error = text.parse::<f32>().ok().filter(|e| *e >= 0.0 && e.is_finite());
    error.ok_or_else(|| "must be a number of at least 0".into())
}

/// The file format of the output.
enum ClipFormat {
    Glb,
    Bvh,
}

pub(super) fn run(args: &BakeArgs, matches: &ArgMatches, verbosity: Verbosity) -> Result<ExitCode, Failure> {
    let mut watch = Stopwatch::new(verbosity.verbose);
    let is = |extension: &str| args.output.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension));
    let format = match () {
        () if is("glb") => ClipFormat::Glb,
        () if is("bvh") => ClipFormat::Bvh,
        () => {
            let cause = "unknown file type; use .glb or .bvh";
            return Err(Failure::Usage(format!("--output {}: {cause}", args.output.display())));
        }
    };
    output::protect(&args.output, args.posing.files(&args.model))?;
    output::check(&args.output)?;
    let character = args.model.load()?;
    output::protect(&args.output, character.files.iter().map(PathBuf::as_path))?;
    watch.stage("load");
    let own_clips = character.clips.len();
    let mut puppet = args.posing.puppet(character, matches, verbosity)?;
    if puppet.motion.is_rest() {
        let clip = default_clip(own_clips, puppet.character().clips.len())?;
        puppet.motion = Motion { plant: puppet.motion.plant, ..Motion::clip(clip) };
    }
    let times = times(args.seconds, &puppet, verbosity)?;
    let frames = f64::from(times.end - times.start) * f64::from(args.fps);
    #[expect(clippy::cast_precision_loss, reason = "a small constant")]
    if frames > bake::MAX_FRAMES as f64 {
        let limit = bake::MAX_FRAMES;
        let text = format!("{frames:.0} poses exceed the limit of {limit}; lower --fps or shorten --seconds");
        return Err(Failure::Usage(text));
    }
    let (clip, reports) = bake::bake(&mut puppet, times, args.fps, &args.name)?;
    watch.stage("bake");
    verbosity.warn(&clips::missed(&reports));
    let all_keys = key_count(&clip);
    match format {
        ClipFormat::Glb => {
            let clip = reduced(&clip, &puppet, args.key_error);
            let model = args.model.file.as_deref();
            output::file(
                &args.output,
                &export::animated_copy(puppet.character(), model, std::slice::from_ref(&clip))?,
            )?;
            verbosity.print(&summary(&args.output, &clip, all_keys));
        }
        ClipFormat::Bvh => {
            let units = puppet.character().units.unwrap_or(CENTIMETRE);
            let failure = |e: bvh::BvhError| Failure::Usage(format!("{}: {e}", args.output.display()));
            let written =
                bvh::write(puppet.character(), &clip, f64::from(args.fps), units).map_err(failure)?;
            verbosity.warn(&written.warnings);
            output::file(&args.output, written.text.as_bytes())?;
            verbosity.print(&summary(&args.output, &clip, all_keys));
        }
    }
    watch.stage("write");
    watch.total();
    Ok(args.posing.exit_code(&reports))
}

/// Returns the clip to bake if none is named: the first clip of `--clips`, or the model's only clip. Of the `all`
/// clips, the first `own` belong to the model.
fn default_clip(own: usize, all: usize) -> Result<usize, Failure> {
    match all {
        0 => Err(Failure::Usage("the model has no clip to bake; add one with --clips".into())),
        1 => Ok(0),
        _ if all > own => Ok(own),
        _ => {
            Err(Failure::Usage(format!("the model has {all} clips; choose one with --animation NAME|INDEX")))
        }
    }
}

/// The time range to write. A `requested` range that is too long is shortened to the end of the motion.
fn times(requested: Option<TimeRange>, puppet: &Puppet, verbosity: Verbosity) -> Result<Range<f32>, Failure> {
    let end = puppet.seconds();
    let Some(TimeRange { from, to }) = requested else { return Ok(0.0..end) };
    // A motion that loops, has repeating layers or is a single pose has no end.
    if puppet.looping || !puppet.motion.layers.is_empty() || end <= 0.0 || to <= end + TIME_TOLERANCE {
        return Ok(from..to);
    }
    if from >= end {
        let cause = format!("the motion ends at {end} s; use --loop to repeat it");
        return Err(Failure::Usage(format!("--seconds {from}..{to}: {cause}")));
    }
    verbosity.warn(&[format!(
        "--seconds {from}..{to}: shortened to {end} s, where the motion ends; use --loop to repeat it"
    )]);
    Ok(from..end)
}

fn reduced(clip: &Clip, puppet: &Puppet, error: f32) -> Clip {
    if error == 0.0 {
        return clip.clone();
    }
    let tolerance = Tolerance { rotation: error, translation: error, scale: error, weights: error };
    reduce(clip, &puppet.character().skeleton, tolerance)
}

fn key_count(clip: &Clip) -> usize {
    clip.channels.iter().filter_map(|c| clip.timelines.get(c.timeline)).map(Vec::len).sum()
}

/// The message about a written clip, which had `all_keys` keys before the reduction.
fn summary(path: &Path, clip: &Clip, all_keys: usize) -> String {
    let (seconds, channels, keys) = (clip.seconds, clip.channels.len(), key_count(clip));
    format!("{}: {seconds:.3} s, {channels} channels, {keys} of {all_keys} keys", path.display())
}
