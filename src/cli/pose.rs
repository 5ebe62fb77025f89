//! `sinew pose`: solves a pose and writes it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgMatches, Args, ValueEnum};

use crate::export::PoseDocument;
use crate::files::Progress;
use crate::puppet::{GoalReport, Puppet};
use crate::render::{AdapterChoice, DecodedImages, Gpu, RenderError, Renderer};
use crate::skin::Skinned;
use crate::{export, scene};

use super::failure::Failure;
use super::posing::{PosingArgs, robot, secondary};
use super::session::ReplayedSession;
use super::timing::Stopwatch;
use super::{ModelArg, Verbosity, output, session, trace};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sinew pose character.glb --reach hand_l=0.3,1.2,0.4 -o posed.json
  sinew pose --replay drag.session --at 1.5 -o posed.json")]
pub(super) struct PoseArgs {
    #[command(flatten)]
    model: ModelArg,
    /// Write JSON to OUT.json, a posed copy of the model to OUT.glb, or the joint values of a robot to OUT.csv [default: JSON to stdout]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Write the pose of a session of `sinew view --record`, with the reports of its last solve
    #[arg(long, value_name = "SESSION", conflicts_with = "trace")]
    replay: Option<PathBuf>,
    /// Time in the session in seconds [default: its end]
    #[arg(long, value_name = "S", requires = "replay", value_parser = session::time)]
    at: Option<Duration>,
    /// Add the posed vertices to the JSON, computed on the CPU or read back from the GPU
    #[arg(long, value_name = "FROM", num_args = 0..=1, require_equals = true, default_missing_value = "cpu")]
    vertices: Option<VerticesArg>,
    /// Write every step of the solves to OUT.csv: joint, axis, angle in degrees, and error in metres
    #[arg(long, value_name = "OUT.csv")]
    trace: Option<PathBuf>,
    /// Graphics adapter of --vertices=gpu: auto, cpu, vulkan, gl, metal or dx12; TEXT is part of the adapter's name
    #[arg(long, value_name = "KIND[:TEXT]", default_value = "auto")]
    adapter: AdapterChoice,
    #[command(flatten)]
    posing: PosingArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum VerticesArg {
    Cpu,
    Gpu,
}

impl PoseArgs {
    /// Returns the path of the posed copy, or `None` if the output is JSON.
    fn copy_path(&self) -> Result<Option<&Path>, Failure> {
        let Some(path) = self.output.as_deref() else { return Ok(None) };
        let is = |extension: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension));
        match path {
            _ if is("glb") && self.vertices.is_some() => {
                Err(Failure::Usage("--vertices works with JSON output only, not with .glb".into()))
            }
            _ if is("glb") => Ok(Some(path)),
            _ if is("csv") && self.vertices.is_some() => {
                Err(Failure::Usage("--vertices works with JSON output only, not with .csv".into()))
            }
            _ if is("csv") || is("json") || path == Path::new("-") || path.starts_with("/dev") => Ok(None),
            _ => {
                let cause =
                    "unknown file type; use .json for a pose, .glb for a posed copy or .csv for joint values";
                Err(Failure::Usage(format!("--output {}: {cause}", path.display())))
            }
        }
    }
}

pub(super) fn run(args: &PoseArgs, matches: &ArgMatches, verbosity: Verbosity) -> Result<ExitCode, Failure> {
    let mut watch = Stopwatch::new(verbosity.verbose);
    let copy = args.copy_path()?;
    if args.model.project().is_some() {
        session::refuse(matches, &["replay", "trace"])?;
    }
    if let Some(session) = args.replay.as_deref().or(args.model.project()) {
        session::refuse_posing(matches)?;
        return replay(args, session, watch, verbosity);
    }
    output::protect(args.output.as_deref().unwrap_or(Path::new("-")), args.posing.files(&args.model))?;
    if let Some(path) = &args.trace {
        output::protect(path, args.posing.files(&args.model))?;
        trace::check(path, args.output.as_deref())?;
    }
    let character = args.posing.load(&args.model)?;
    for output in args.output.iter().chain(&args.trace) {
        output::protect(output, character.files.iter().map(PathBuf::as_path))?;
    }
    watch.stage("load");
    let mut puppet = args.posing.puppet(character, matches, verbosity)?;
    puppet.options.solver.trace = args.trace.is_some();
    secondary::pose(&mut puppet)?;
    watch.stage("pose");
    if let Some(path) = &args.trace {
        trace::write(path, &puppet)?;
        watch.stage("trace");
    }
    write(args, copy, &puppet, puppet.reports(), args.model.file.as_deref(), watch, verbosity)
}

/// Writes the pose of a recorded session at the time of `--at`, or at its end.
fn replay(
    args: &PoseArgs,
    session: &Path,
    mut watch: Stopwatch,
    verbosity: Verbosity,
) -> Result<ExitCode, Failure> {
    let output = args.output.as_deref();
    let opened = ReplayedSession::open(
        session,
        &args.model,
        &args.posing.rig(),
        output,
        verbosity,
        &Progress::default(),
    )?;
    let ReplayedSession { recording, mut replay, file } = opened;
    watch.stage("load");
    replay.advance(args.at.unwrap_or(recording.length()))?;
    watch.stage("replay");
    let session = replay.session();
    verbosity.warn(&session.error().map(str::to_owned).into_iter().collect::<Vec<_>>());
    write(args, args.copy_path()?, session.puppet(), session.reports(), file.as_deref(), watch, verbosity)
}

/// Writes a pose as a posed copy of the model to the path `copy`, or as JSON if there is no such path.
fn write(
    args: &PoseArgs,
    copy: Option<&Path>,
    puppet: &Puppet,
    reports: &[GoalReport],
    model: Option<&Path>,
    mut watch: Stopwatch,
    verbosity: Verbosity,
) -> Result<ExitCode, Failure> {
    if let Some(path) = copy {
        output::file(path, &export::posed_copy(puppet, model)?)?;
        let loss = export::posed_copy_loss(&puppet.character().skeleton, puppet.pose());
        verbosity.warn(loss.as_slice());
        watch.stage("write");
        watch.total();
        return Ok(args.posing.exit_code(reports));
    }
    if let Some(path) = args.output.as_deref().filter(|path| robot::is_table(path)) {
        let text = robot::table(path, &mut puppet.clone(), &[puppet.time], |_, _| Ok(()))?;
        output::file(path, text.as_bytes())?;
        watch.stage("write");
        watch.total();
        return Ok(args.posing.exit_code(reports));
    }
    let vertices = match args.vertices {
        None => None,
        Some(VerticesArg::Cpu) => Some(cpu_vertices(puppet)),
        Some(VerticesArg::Gpu) => Some(gpu_vertices(puppet, &args.adapter, &watch)?),
    };
    watch.stage("vertices");
    let mut document = PoseDocument::new(puppet, reports, vertices);
    if let Some(turn) = args.posing.world_from_robot(puppet.character())? {
        document = document.in_frame(turn.as_quat());
    }
    output::json(args.output.as_deref(), &document)?;
    watch.stage("write");
    watch.total();
    Ok(args.posing.exit_code(reports))
}

fn cpu_vertices(puppet: &Puppet) -> Vec<Skinned> {
    let skinned = |part| {
        let mut skinned = Skinned::default();
        puppet.skin(part, &mut skinned);
        skinned
    };
    (0..puppet.parts().len()).map(skinned).collect()
}

fn gpu_vertices(
    puppet: &Puppet,
    adapter: &AdapterChoice,
    watch: &Stopwatch,
) -> Result<Vec<Skinned>, RenderError> {
    let mut renderer = Renderer::new(Gpu::new(adapter)?);
    watch.note("adapter", &renderer.gpu().describe());
    let model = renderer.model(puppet.character(), puppet.parts(), &DecodedImages::default())?;
    let draws = scene::draws(puppet, &[]);
    let palette = &puppet.palette().matrices;
    let mut read = |draw| {
        let mut skinned = Skinned::default();
        (skinned.positions, skinned.normals) = renderer.read_vertices(&model, draw, palette)?;
        Ok(skinned)
    };
    draws.iter().map(&mut read).collect()
}
