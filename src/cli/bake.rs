//! `sinew bake`: what is played, and what is solved on top of it, as a clip that other programs open.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Args};

use crate::asset::Clip;
use crate::bake;
use crate::motion::{Motion, Tolerance, bvh, reduce};
use crate::posed;
use crate::puppet::Puppet;

use super::failure::Failure;
use super::posing::PosingArgs;
use super::timing::Stopwatch;
use super::{ModelArg, Talk, output};

/// What a unit of a BVH file is unless the character came from one: programs expect centimetres.
const CENTIMETRE: f64 = 0.01;

/// Times that people write are rounded by less, seconds.
const ROUNDED: f32 = 1e-3;

#[derive(Args, Debug)]
#[command(
    after_help = "Example: sinew bake character.glb --clips walk.bvh --animation walk --reach hand_l=0.3,1.2,0.4 -o walk.glb"
)]
pub(super) struct BakeArgs {
    #[command(flatten)]
    model: ModelArg,
    /// A copy of the model with the clip (OUT.glb), or a skeleton with it (OUT.bvh)
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Poses a second
    #[arg(long, value_name = "N", default_value_t = 30.0, value_parser = super::render::rate)]
    fps: f32,
    /// Seconds of the motion that are written [default: all]
    #[arg(long, value_name = "A..B", value_parser = span)]
    seconds: Option<Span>,
    /// What the clip is called
    #[arg(long, value_name = "NAME", default_value = "baked")]
    name: String,
    /// How far fewer keys may be from all of them: radians, metres; 0 keeps all
    #[arg(long, value_name = "E", default_value_t = 1e-4, value_parser = error)]
    key_error: f32,
    #[command(flatten)]
    posing: PosingArgs,
}

/// From a time to a later one.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: f32,
    to: f32,
}

fn span(text: &str) -> Result<Span, String> {
    let seconds = |t: &str| t.parse::<f32>().ok().filter(|t| t.is_finite() && *t >= 0.0);
    let parsed = text.split_once("..").and_then(|(a, b)| Some(Span { from: seconds(a)?, to: seconds(b)? }));
    parsed.filter(|s| s.from < s.to).ok_or_else(|| format!("\"{text}\" is no span A..B of seconds"))
}

fn error(text: &str) -> Result<f32, String> {
    let error = text.parse::<f32>().ok().filter(|e| *e >= 0.0 && e.is_finite());
    error.ok_or_else(|| format!("\"{text}\" is no error"))
}

/// What is written.
enum Form {
    Glb,
    Bvh,
}

pub(super) fn run(args: &BakeArgs, matches: &ArgMatches, talk: Talk) -> Result<ExitCode, Failure> {
    let mut watch = Stopwatch::new(talk.verbose);
    let is = |extension: &str| args.output.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension));
    let form = match () {
        () if is("glb") => Form::Glb,
        () if is("bvh") => Form::Bvh,
        () => {
            let why = "a clip is written as .glb or .bvh";
            return Err(Failure::Usage(format!("--output {}: {why}", args.output.display())));
        }
    };
    output::spare(&args.output, args.posing.files(&args.model))?;
    output::check(&args.output)?;
    let character = args.model.load()?;
    output::spare(&args.output, character.files.iter().map(PathBuf::as_path))?;
    watch.stage("load");
    let own = character.clips.len();
    let mut puppet = args.posing.puppet(character, matches, talk)?;
    if puppet.motion.is_rest() {
        let clip = usual(own, puppet.character().clips.len())?;
        puppet.motion = Motion { plant: puppet.motion.plant, ..Motion::clip(clip) };
    }
    let times = times(args.seconds, &puppet, talk)?;
    let frames = f64::from(times.end - times.start) * f64::from(args.fps);
    #[expect(clippy::cast_precision_loss, reason = "a small constant")]
    if frames > bake::MOST_FRAMES as f64 {
        return Err(Failure::Usage(format!("{frames:.0} poses are more than {}", bake::MOST_FRAMES)));
    }
    let (clip, reports) = bake::bake(&mut puppet, times, args.fps, &args.name)?;
    watch.stage("bake");
    let all = keys(&clip);
    match form {
        Form::Glb => {
            let clip = fewer(&clip, &puppet, args.key_error);
            let model = args.model.file.as_deref();
            output::file(
                &args.output,
                &posed::animated(puppet.character(), model, std::slice::from_ref(&clip))?,
            )?;
            talk.say(&told(&args.output, &clip, all));
        }
        Form::Bvh => {
            let units = puppet.character().units.unwrap_or(CENTIMETRE);
            let refused = |e: bvh::BvhError| Failure::Usage(format!("{}: {e}", args.output.display()));
            let written =
                bvh::write(puppet.character(), &clip, f64::from(args.fps), units).map_err(refused)?;
            talk.warnings(&written.warnings);
            output::file(&args.output, written.text.as_bytes())?;
            talk.say(&told(&args.output, &clip, all));
        }
    }
    watch.stage("write");
    watch.total();
    Ok(args.posing.exit_code(&reports))
}

/// The clip that is meant where none is named: the first that was added to a character's own, or the only one.
fn usual(own: usize, all: usize) -> Result<usize, Failure> {
    match all {
        0 => Err(Failure::Usage("there is no clip to bake".into())),
        1 => Ok(0),
        _ if all > own => Ok(own),
        _ => Err(Failure::Usage(format!("choose one of {all} clips: --animation NAME|INDEX"))),
    }
}

/// The seconds that are written: those that are asked for, as far as something is played in them.
fn times(asked: Option<Span>, puppet: &Puppet, talk: Talk) -> Result<Range<f32>, Failure> {
    let end = puppet.seconds();
    let Some(Span { from, to }) = asked else { return Ok(0.0..end) };
    // Layers go on and on, a single pose has no end that could be passed.
    if puppet.again || !puppet.motion.layers.is_empty() || end <= 0.0 || to <= end + ROUNDED {
        return Ok(from..to);
    }
    if from >= end {
        let why = format!("the motion ends after {end} s (--loop starts it again)");
        return Err(Failure::Usage(format!("--seconds {from}..{to}: {why}")));
    }
    talk.warnings(&[format!(
        "--seconds {from}..{to}: cut at {end} s, where the motion ends (--loop goes on)"
    )]);
    Ok(from..end)
}

fn fewer(clip: &Clip, puppet: &Puppet, error: f32) -> Clip {
    if error == 0.0 {
        return clip.clone();
    }
    let tolerance = Tolerance { rotation: error, translation: error, scale: error, weights: error };
    reduce(clip, &puppet.character().skeleton, tolerance)
}

fn keys(clip: &Clip) -> usize {
    clip.channels.iter().filter_map(|c| clip.timelines.get(c.timeline)).map(Vec::len).sum()
}

fn told(path: &Path, clip: &Clip, all: usize) -> String {
    let (seconds, channels, kept) = (clip.seconds, clip.channels.len(), keys(clip));
    format!("{}: {seconds:.3} s, {channels} channels, {kept} of {all} keys", path.display())
}
