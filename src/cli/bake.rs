//! `sinew bake`: writes a motion, and the inverse kinematics that are solved on top of it, as one clip.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgMatches, Args};

use crate::asset::Character;
use crate::export::bake;
use crate::export::bake::{BakedClip, ClipFileError, ClipFormat};
use crate::files::Progress;
use crate::motion::Recorder;
use crate::puppet::Puppet;
use crate::viewer::puppet_to_bake;

use super::failure::Failure;
use super::posing::clips::TIME_TOLERANCE;
use super::posing::{PosingArgs, TimeRange, clips, robot, time_range};
use super::session::ReplayedSession;
use super::timing::Stopwatch;
use super::{ModelArg, Verbosity, output, session};

/// Default number of poses per second.
const RATE: f32 = 30.0;
/// Default number of poses per second for a session.
const SESSION_RATE: f32 = 60.0;
/// Default maximum error when dropping keys, in radians and metres.
const KEY_ERROR: f32 = 1e-4;

/// Maximum delay after a frame at which a session command still belongs to that frame. Times in sessions may be rounded.
const COMMAND_TOLERANCE: Duration = Duration::from_micros(100);

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sinew bake character.glb --clips walk.bvh --animation walk --reach hand_l=0.3,1.2,0.4 -o walk.glb
  sinew bake --replay drag.session -o drag.glb")]
pub(super) struct BakeArgs {
    #[command(flatten)]
    model: ModelArg,
    /// Write a copy of the model with the clip to OUT.glb, its skeleton with the clip to OUT.bvh, or the joint values of a robot to OUT.csv
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Write a session of `sinew view --record` as a clip
    #[arg(long, value_name = "SESSION")]
    replay: Option<PathBuf>,
    /// Number of poses per second [default: 30, with --replay 60]
    #[arg(long, value_name = "N", value_parser = super::render::rate)]
    fps: Option<f32>,
    /// Time range to write, in seconds [default: the whole motion or session]
    #[arg(long, value_name = "A..B", value_parser = time_range)]
    seconds: Option<TimeRange>,
    /// Name of the clip
    #[arg(long, value_name = "NAME", default_value = "baked")]
    name: String,
    /// Maximum error when dropping keys, in radians and metres; 0 keeps all keys [default: 1e-4, with --replay 0]
    #[arg(long, value_name = "E", value_parser = error)]
    key_error: Option<f32>,
    #[command(flatten)]
    posing: PosingArgs,
}

fn error(text: &str) -> Result<f32, String> {
    let error = text.parse::<f32>().ok().filter(|e| *e >= 0.0 && e.is_finite());
    error.ok_or_else(|| "must be a number of at least 0".into())
}

impl BakeArgs {
    fn format(&self) -> Result<ClipFormat, Failure> {
        let cause = "unknown file type; use .glb, .bvh or .csv";
        let unknown = || Failure::Usage(format!("--output {}: {cause}", self.output.display()));
        ClipFormat::of(&self.output).ok_or_else(unknown)
    }
}

pub(super) fn run(args: &BakeArgs, matches: &ArgMatches, verbosity: Verbosity) -> Result<ExitCode, Failure> {
    let mut watch = Stopwatch::new(verbosity.verbose);
    if !robot::is_table(&args.output) {
        args.format()?;
    }
    if args.model.project().is_some() {
        session::refuse(matches, &["replay"])?;
    }
    if let Some(session) = args.replay.as_deref().or(args.model.project()) {
        session::refuse_posing(matches)?;
        return replay(args, session, watch, verbosity);
    }
    output::protect(&args.output, args.posing.files(&args.model))?;
    output::check(&args.output)?;
    let character = args.posing.load(&args.model)?;
    output::protect(&args.output, character.files.iter().map(PathBuf::as_path))?;
    watch.stage("load");
    let default = |own, all| default_clip(own, all).map(Some);
    let puppet = args.posing.puppet_or(character, matches, verbosity, default)?;
    let file = args.model.file.clone();
    bake_motion(args, puppet, file.as_deref(), watch, verbosity)
}

/// Bakes a puppet's motion, with its goals solved on top, and writes the clip. `file` is the character's file.
fn bake_motion(
    args: &BakeArgs,
    mut puppet: Puppet,
    file: Option<&Path>,
    mut watch: Stopwatch,
    verbosity: Verbosity,
) -> Result<ExitCode, Failure> {
    let times = times(args.seconds, &puppet, verbosity)?;
    let rate = args.fps.unwrap_or(RATE);
    args.posing.turn_on_springs(&mut puppet);
    check_frame_count(&times, rate)?;
    if robot::is_table(&args.output) {
        return bake_joint_values(args, puppet, &bake::frames(times, rate), watch, verbosity);
    }
    let (clip, reports) = bake::bake(&mut puppet, times, rate, &args.name)?;
    watch.stage("bake");
    verbosity.warn(&clips::missed(&reports, &|| puppet.length_unit()));
    let skeleton = &puppet.character().skeleton;
    let baked = BakedClip::new(clip, skeleton, args.key_error.unwrap_or(KEY_ERROR), rate);
    write(&baked, args, puppet.character(), file, verbosity)?;
    watch.stage("write");
    watch.total();
    Ok(args.posing.exit_code(&reports))
}

/// Writes the joint values of a robot at the given times of its motion, with its goals solved on top.
fn bake_joint_values(
    args: &BakeArgs,
    mut puppet: Puppet,
    times: &[f32],
    mut watch: Stopwatch,
    verbosity: Verbosity,
) -> Result<ExitCode, Failure> {
    puppet.options.shows_held = false;
    let mut reports = Vec::new();
    let text = robot::table(&args.output, &mut puppet, times, |puppet, time| {
        puppet.time = time;
        reports.extend_from_slice(puppet.update()?);
        Ok(())
    })?;
    watch.stage("bake");
    output::file(&args.output, text.as_bytes())?;
    verbosity.print(&format!("{}: {} lines of joint values", args.output.display(), times.len()));
    watch.stage("write");
    watch.total();
    Ok(args.posing.exit_code(&reports))
}

/// Writes a recorded session as a clip. The exit code depends on the reports of the last solve.
fn replay(
    args: &BakeArgs,
    session: &Path,
    mut watch: Stopwatch,
    verbosity: Verbosity,
) -> Result<ExitCode, Failure> {
    let (rig, output) = (&args.posing.rig(), Some(args.output.as_path()));
    let opened = ReplayedSession::open(session, &args.model, rig, output, verbosity, &Progress::default())?;
    let ReplayedSession { recording, mut replay, file } = opened;
    output::check(&args.output)?;
    watch.stage("load");
    if recording.is_project() {
        let puppet = puppet_to_bake(replay.session().puppet());
        return bake_motion(args, puppet, file.as_deref(), watch, verbosity);
    }
    let times = match args.seconds {
        Some(TimeRange { from, to }) => from..to,
        None => 0.0..recording.length().as_secs_f32(),
    };
    let rate = args.fps.unwrap_or(SESSION_RATE);
    check_frame_count(&times, rate)?;
    if robot::is_table(&args.output) {
        let mut puppet = replay.session().puppet().clone();
        let frames = bake::frames(times, rate);
        let text = robot::table(&args.output, &mut puppet, &frames, |puppet, time| {
            replay.advance_to_frame(Duration::from_secs_f32(time), COMMAND_TOLERANCE)?;
            puppet.clone_from(replay.session().puppet());
            Ok(())
        })?;
        output::file(&args.output, text.as_bytes())?;
        return Ok(args.posing.exit_code(replay.session().reports()));
    }
    let mut recorder = Recorder::new(&replay.session().puppet().character().skeleton);
    for time in bake::frames(times, rate) {
        replay.advance_to_frame(Duration::from_secs_f32(time), COMMAND_TOLERANCE)?;
        recorder.push(f64::from(time), replay.session().puppet().pose());
    }
    watch.stage("bake");
    let puppet = replay.session().puppet();
    let clip = recorder.clip(&puppet.character().skeleton, Some(args.name.clone())).unwrap_or_default();
    let skeleton = &puppet.character().skeleton;
    let baked = BakedClip::new(clip, skeleton, args.key_error.unwrap_or(0.0), rate);
    write(&baked, args, puppet.character(), file.as_deref(), verbosity)?;
    watch.stage("write");
    watch.total();
    Ok(args.posing.exit_code(replay.session().reports()))
}

/// Returns an error if a clip cannot have this many poses.
fn check_frame_count(times: &Range<f32>, rate: f32) -> Result<(), Failure> {
    let frames = f64::from(times.end - times.start) * f64::from(rate);
    #[expect(clippy::cast_precision_loss, reason = "a small constant")]
    if frames > bake::MAX_FRAMES as f64 {
        let limit = bake::MAX_FRAMES;
        let text = format!("{frames:.0} poses exceed the limit of {limit}; lower --fps or shorten --seconds");
        return Err(Failure::Usage(text));
    }
    Ok(())
}

/// Writes a clip to `--output`. `model` is the character's file, or `None` for the built-in character.
fn write(
    baked: &BakedClip,
    args: &BakeArgs,
    character: &Character,
    model: Option<&Path>,
    verbosity: Verbosity,
) -> Result<(), Failure> {
    let written = baked.file(character, model, args.format()?).map_err(|error| match error {
        ClipFileError::Load(error) => error.into(),
        ClipFileError::Bvh(error) => Failure::Usage(format!("{}: {error}", args.output.display())),
    })?;
    verbosity.warn(&written.warnings);
    output::file(&args.output, &written.bytes)?;
    verbosity.print(&format!("{}: {}", args.output.display(), written.summary));
    Ok(())
}

/// Returns the clip to bake if the user names no clip: the first clip of `--clips`, or the model's only clip. Of the `all` clips, the first
/// `own` belong to the model.
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

/// Returns the time range to write. A `requested` range that extends past the end of the motion is shortened.
fn times(requested: Option<TimeRange>, puppet: &Puppet, verbosity: Verbosity) -> Result<Range<f32>, Failure> {
    let end = puppet.seconds();
    let Some(TimeRange { from, to }) = requested else { return Ok(0.0..end) };
    // A motion that loops, has repeating layers or is a single pose has no end.
    if puppet.options.looping || !puppet.motion.layers.is_empty() || end <= 0.0 || to <= end + TIME_TOLERANCE
    {
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
