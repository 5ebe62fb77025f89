//! `sinew view` and `sinew [FILE]`: open the viewer. If there is no display, `sinew view` fails and `sinew [FILE]`
//! draws an image.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use glam::Vec2;

use crate::capture::{Bone, Smoothing, is_take};
use crate::crowd::Crowd;
use crate::files::{Progress, atomic};
use crate::render::{AdapterChoice, RenderError};
use crate::scene::{CrowdGround, CrowdLayout};
use crate::shared::describe_smoothing;
use crate::view::Framing;
use crate::viewer;
use crate::viewer::{
    Command, CrowdOpening, Listening, Opening, Recorder, SaveError, Session, Transfer, ViewerError,
};

use super::crowd::{MAX_COUNT, pixel_error};
use super::failure::Failure;
use super::image_args::{self, Switch};
use super::light_args::LightArgs;
use super::posing::clips;
use super::rig_args::RigArgs;
use super::session::ReplayedSession;
use super::{ModelArg, Verbosity, default_image, rig_of, signals};

/// The initial view settings that the options describe.
#[derive(Clone, Default)]
struct Start {
    framing: Framing,
    light: LightArgs,
    variant: Option<String>,
}

impl Start {
    fn new(args: &ViewArgs) -> Self {
        Self {
            framing: args.framing.parse().unwrap_or_default(),
            light: args.light.clone(),
            variant: args.variant.clone(),
        }
    }
}

/// Width and height of the view in pixels before the window has opened.
const SIZE: Vec2 = Vec2::new(1280.0, 800.0);

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sinew view character.glb
  sinew view character.glb --record drag.session
  sinew view character.vrm --vmc
  sinew view character.glb --crowd 2000")]
pub(super) struct ViewArgs {
    #[command(flatten)]
    model: ModelArg,
    /// Graphics adapter: auto, cpu, vulkan, gl, metal or dx12; TEXT is part of the adapter's name
    #[arg(long, value_name = "KIND[:TEXT]", default_value = "auto")]
    adapter: AdapterChoice,
    /// Receive live motion by the VMC protocol [address if omitted: 127.0.0.1:39539, reachable from this machine only]
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:39539", value_parser = address)]
    vmc: Option<SocketAddr>,
    /// Bone that carries a tracker of --vmc, as in waist=hips [default: the nearest one] (repeatable)
    #[arg(long, value_name = "NAME=BONE", requires = "vmc", value_parser = tracker)]
    tracker: Vec<(String, Bone)>,
    /// Add the clips of another file, retargeted to this character (repeatable)
    #[arg(long, value_name = "FILE")]
    clips: Vec<PathBuf>,
    /// Also retarget hand positions relative to the shoulders, scaled by the arm span
    #[arg(long, requires = "clips")]
    keep_hands: bool,
    /// Smooth takes (.csv, .trc, .c3d) of --clips without lag, and live motion of --vmc with some lag, which -v prints: remove motion faster than HZ
    #[arg(long, value_name = "HZ", value_parser = clips::cutoff)]
    smooth: Option<f64>,
    /// How the whole character is framed
    #[arg(long, value_name = "KIND", default_value = "tight", value_parser = image_args::framing())]
    framing: String,
    /// Show the materials of a variant of the model (`sinew inspect` lists them)
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    /// Show this number of characters that walk over hills, instead of one to pose (Space pauses; S hides and shows statistics)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_COUNT)), conflicts_with_all = ["vmc", "clips", "smooth", "record", "variant", "light", "light_rotation", "exposure", "tone_map", "file_lights"])]
    crowd: Option<u32>,
    /// Draw small characters of --crowd with fewer triangles, with a mean error of at most this number of pixels (0: all triangles)
    #[arg(long, value_name = "PIXELS", requires = "crowd", default_value_t = Crowd::PIXEL_ERROR, value_parser = pixel_error)]
    lod: f32,
    /// Do not draw characters of --crowd that other surfaces hide: images are the same, and frames at eye height are faster from the third one on
    #[arg(long, value_name = "on|off", requires = "crowd", default_value = "off")]
    occlusion: Switch,
    /// Record the session to a file, for `sinew render --replay`
    #[arg(long, value_name = "SESSION")]
    record: Option<PathBuf>,
    /// Replace an existing SESSION file
    #[arg(long, requires = "record")]
    force: bool,
    // The light options are last because options after them would be listed under their heading.
    #[command(flatten)]
    light: LightArgs,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "expected ADDRESS:PORT with an IP address, for example 127.0.0.1:39539".into())
}

/// Parses the name of a tracker and its bone. The name may contain `=`.
fn tracker(text: &str) -> Result<(String, Bone), String> {
    let (name, bone) = text.rsplit_once('=').ok_or("expected NAME=BONE, for example waist=hips")?;
    let bone = Bone::from_vrm(bone)
        .ok_or_else(|| format!("\"{bone}\" is not a bone of VRM 1.0, such as leftHand"))?;
    Ok((name.to_owned(), bone))
}

/// Returns a recorder for a file. `replaces` allows it to replace an existing file.
fn recorder(path: &Path, replaces: bool, verbosity: Verbosity) -> Result<Recorder, Failure> {
    let interrupted =
        |left: PathBuf| format!("{}: interrupted recording; rename it to use it", left.display());
    verbosity.warn(&atomic::leftovers(path).into_iter().map(interrupted).collect::<Vec<_>>());
    Recorder::new(path, replaces).map_err(|error| match error {
        SaveError::Write { source, .. } if source.kind() == io::ErrorKind::AlreadyExists => {
            Failure::Usage(format!("{}: file exists; use --force to replace it", path.display()))
        }
        error => Failure::Usage(error.to_string()),
    })
}

/// Runs `sinew view`. If no window can be opened, the error suggests `sinew render`, which does not need one.
pub(super) fn run(args: &ViewArgs, verbosity: Verbosity) -> Result<ExitCode, Failure> {
    if let Some(count) = args.crowd {
        return show_crowd(args, count);
    }
    check_smoothing(args, verbosity)?;
    let (path, force) = (args.record.clone(), args.force);
    let start = Start::new(args);
    match open(
        &args.model,
        &args.clips,
        Transfer { keep_hands: args.keep_hands, smooth: args.smooth, ..Transfer::default() },
        start,
        args.adapter.clone(),
        verbosity,
        move || path.map_or(Ok(None), |path| recorder(&path, force, verbosity).map(Some)),
        args.vmc.map(|address| Listening { address, smooth: args.smooth, trackers: args.tracker.clone() }),
    )? {
        Ok(recorded) => Ok(report_recording(recorded, verbosity)),
        // These errors do not mean that windows are unavailable, so `sinew render` is not suggested.
        Err(error @ ViewerError::Render(RenderError::Lost(_))) => Err(Failure::Usage(error.to_string())),
        Err(
            error @ (ViewerError::Save(_)
            | ViewerError::Capture(_)
            | ViewerError::Destroyed
            | ViewerError::Recorded { .. }),
        ) => Err(Failure::Usage(error.to_string())),
        Err(error) => Err(Failure::Usage(format!("{error}; use `sinew render` to draw without a window"))),
    }
}

/// Rejects `--smooth` if it has no effect, and prints the latency that it adds.
fn check_smoothing(args: &ViewArgs, verbosity: Verbosity) -> Result<(), Failure> {
    let Some(cutoff) = args.smooth else { return Ok(()) };
    if args.vmc.is_none() && !args.clips.iter().any(|file| is_take(file)) {
        return Err(Failure::Usage("--smooth needs --vmc, or a take (.csv, .trc, .c3d) as --clips".into()));
    }
    if verbosity.verbose && args.vmc.is_some() {
        verbosity.print(&describe_smoothing(&Smoothing::ORIENTATIONS.with_min_cutoff(cutoff)));
    }
    if verbosity.verbose && args.clips.iter().any(|file| is_take(file)) {
        verbosity.print(&format!("Takes smoothed by {cutoff} Hz in both directions: no latency"));
    }
    Ok(())
}

/// Shows a crowd of copies of the model.
fn show_crowd(args: &ViewArgs, count: u32) -> Result<ExitCode, Failure> {
    if args.model.project().is_some() {
        return Err(Failure::Usage("--crowd needs a model, not a project".into()));
    }
    let character = args.model.load()?;
    let rig = rig_of(&character, None)?;
    let layout = CrowdLayout {
        count,
        ground: CrowdGround::Hills,
        seed: 1,
        looks: 1.0,
        pixel_error: args.lod,
        occlusion: args.occlusion == Switch::On,
    };
    let characters = vec![(Arc::new(character), rig)];
    let opening = CrowdOpening { characters, layout, adapter: args.adapter.clone() };
    match viewer::open_crowd(opening) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error @ ViewerError::NoDisplay(_)) => {
            Err(Failure::Usage(format!("{error}; use `sinew crowd` to draw without a window")))
        }
        Err(error) => Err(Failure::Usage(error.to_string())),
    }
}

/// Prints the path of the recording, if there is one, after the window has closed.
fn report_recording(recorded: Option<PathBuf>, verbosity: Verbosity) -> ExitCode {
    if let Some(path) = recorded {
        verbosity.print(&format!("saved {}", path.display()));
    }
    ExitCode::SUCCESS
}

/// Runs `sinew [FILE]`, which opens the viewer, or draws an image if that is impossible.
pub(super) fn run_or_draw(model: &ModelArg, verbosity: Verbosity) -> Result<ExitCode, Failure> {
    let start = Start { framing: Framing::Tight, ..Start::default() };
    match open(model, &[], Transfer::default(), start, AdapterChoice::Auto, verbosity, || Ok(None), None)? {
        Ok(recorded) => Ok(report_recording(recorded, verbosity)),
        // An adapter that cannot present to the display may still be able to draw images.
        Err(
            ViewerError::NoDisplay(_)
            | ViewerError::Render(RenderError::NoAdapter { .. } | RenderError::Device { .. }),
        ) => default_image::run(model, verbosity),
        Err(error) => Err(Failure::Usage(error.to_string())),
    }
}

fn open(
    model: &ModelArg,
    clips: &[PathBuf],
    transfer: Transfer,
    start: Start,
    adapter: AdapterChoice,
    verbosity: Verbosity,
    recorder: impl FnOnce() -> Result<Option<Recorder>, Failure> + Send + 'static,
    listening: Option<Listening>,
) -> Result<Result<Option<PathBuf>, ViewerError>, Failure> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    // The display is checked before any file is read, so that files are not read twice if an image is drawn instead.
    if cfg!(target_os = "linux") && !["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].into_iter().any(is_set)
    {
        return Ok(Err(ViewerError::NoDisplay("neither DISPLAY nor WAYLAND_DISPLAY is set".into())));
    }
    let file =
        model.file.as_deref().map(|file| file.file_name().unwrap_or(file.as_os_str()).to_string_lossy());
    let name = file.map_or_else(|| "the built-in character".to_owned(), std::borrow::Cow::into_owned);
    let (model, clips) = (model.clone(), clips.to_vec());
    let load = move |progress: &Progress| {
        let session = session(&model, &clips, &transfer, &start, verbosity, progress)?;
        Ok((session, recorder()?))
    };
    viewer::open(load, Opening { name, adapter, listening }, signals::set_close_handler)
}

/// Returns the session of a project, or a new session for a character with the clips of other files added.
fn session(
    model: &ModelArg,
    clips: &[PathBuf],
    transfer: &Transfer,
    start: &Start,
    verbosity: Verbosity,
    progress: &Progress,
) -> Result<Session, Failure> {
    let mut session = match model.project() {
        Some(project) => {
            let replayed =
                ReplayedSession::open(project, model, &RigArgs::default(), None, verbosity, progress)?;
            let mut session = replayed.replay.into_session();
            session.apply(Command::Framing(start.framing));
            session
        }
        None => {
            let character = model.load_with(progress)?;
            verbosity.warn(&character.warnings);
            progress.set_stage("Finding the rig");
            let rig = rig_of(&character, None)?;
            let mut session = Session::new(character, Some(rig), SIZE);
            session.apply(Command::Framing(start.framing));
            session.apply(Command::Camera(session.home_view()));
            session
        }
    };
    let light = start.light.light(&session.settings().light);
    if light != session.settings().light {
        session.apply(Command::Light(light));
    }
    if let Some(name) = &start.variant {
        let found = session.puppet().character().variants.find(name);
        found.map_err(|missing| Failure::Usage(format!("--variant: {missing}")))?;
        session.apply(Command::Variant(Some(name.clone())));
    }
    if !clips.is_empty() {
        progress.set_stage("Adding clips");
    }
    let character = session.puppet().shared_character();
    for addition in clips::added_clips(&character, clips, &session.puppet().rig, transfer)? {
        let named = |line: &String| format!("--clips {}: {line}", addition.file.display());
        verbosity.warn(&addition.warnings().iter().map(named).collect::<Vec<_>>());
        session.apply(Command::AddClips(Box::new(addition)));
    }
    Ok(session)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use clap::Parser;

    use super::*;
    use crate::render::{Light, LightSource};

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        view: ViewArgs,
    }

    fn shown(options: &[&str]) -> Result<Session, Failure> {
        let args =
            Program::try_parse_from(std::iter::once("view").chain(options.iter().copied())).unwrap().view;
        session(
            &args.model,
            &[],
            &Transfer::default(),
            &Start::new(&args),
            Verbosity { quiet: true, verbose: false },
            &Progress::default(),
        )
    }

    #[test]
    fn options_of_light_are_those_of_the_first_view() {
        assert_eq!(shown(&[]).unwrap().settings().light, Light::new(LightSource::Studio));
        let session = shown(&["--light", "outdoor", "--light-rotation", "90", "--exposure", "-1"]).unwrap();
        let light = &session.settings().light;
        assert_eq!((light.source.name(), light.exposure), ("outdoor", -1.0));
        assert_eq!(light.rotation, std::f32::consts::FRAC_PI_2);
    }

    #[test]
    fn bones_of_trackers_are_checked() {
        assert_eq!(tracker("LHR-0=A=leftFoot"), Ok(("LHR-0=A".into(), Bone::from_vrm("leftFoot").unwrap())));
        assert_eq!(tracker("a=tail").unwrap_err(), "\"tail\" is not a bone of VRM 1.0, such as leftHand");
        assert!(tracker("leftFoot").unwrap_err().contains("expected NAME=BONE"));
    }

    #[test]
    fn unknown_variants_are_refused() {
        let Err(Failure::Usage(line)) = shown(&["--variant", "blue"]) else { panic!("a variant is missing") };
        assert!(line.starts_with("--variant: ") && line.contains("blue"), "{line}");
    }
}
