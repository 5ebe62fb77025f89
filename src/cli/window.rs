//! `sinew view [FILE]`: the viewer or nothing; `sinew [FILE]`: the viewer, or a picture where there is no display.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::atomic;
use crate::render::{AdapterChoice, RenderError};
use crate::viewer::{self, Recorder, SaveError, ViewerError};

use super::failure::Failure;
use super::{ModelArg, Talk, clips, first_look, rig_of, signals};

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sinew view character.glb
  sinew view character.glb --record drag.session
  sinew view character.vrm --vmc")]
pub(super) struct WindowArgs {
    #[command(flatten)]
    model: ModelArg,
    /// auto, cpu, or vulkan, gl, metal, dx12 with part of its name
    #[arg(long, value_name = "KIND[:TEXT]", default_value = "auto")]
    adapter: AdapterChoice,
    /// Follow a performer who sends the VMC protocol [an address of this machine only, unless another is given]
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:39539")]
    vmc: Option<SocketAddr>,
    /// Add the clips of another file, put on this character (repeatable)
    #[arg(long, value_name = "FILE")]
    clips: Vec<PathBuf>,
    /// Of clips put on this character, keep hands where they were too: as far from the shoulders, by the span of the
    /// arms
    #[arg(long, requires = "clips")]
    keep_hands: bool,
    /// Record what is done, for `sinew render --replay`
    #[arg(long, value_name = "SESSION")]
    record: Option<PathBuf>,
    /// Replace a SESSION that is there
    #[arg(long, requires = "record")]
    force: bool,
}

impl WindowArgs {
    fn recorder(&self, talk: Talk) -> Result<Option<Recorder>, Failure> {
        let Some(path) = &self.record else { return Ok(None) };
        let interrupted = |left: PathBuf| {
            format!("{} holds a recording that was interrupted; rename it to use it", left.display())
        };
        talk.warnings(&atomic::leftovers(path).into_iter().map(interrupted).collect::<Vec<_>>());
        match Recorder::new(path, self.force) {
            Ok(recorder) => Ok(Some(recorder)),
            Err(SaveError::Write { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
                let path = path.display();
                Err(Failure::Usage(format!("{path}: file exists; use --force to replace it")))
            }
            Err(error) => Err(Failure::Usage(error.to_string())),
        }
    }
}

/// The window, or an error that names the command that needs none.
pub(super) fn run(args: &WindowArgs, talk: Talk) -> Result<ExitCode, Failure> {
    match open(
        &args.model,
        (&args.clips, args.keep_hands),
        args.adapter.clone(),
        talk,
        || args.recorder(talk),
        args.vmc,
    )? {
        Ok(recorded) => Ok(closed(recorded, talk)),
        // One that stood, and lost its device, needs no such advice.
        Err(error @ ViewerError::Render(RenderError::Lost(_))) => Err(Failure::Usage(error.to_string())),
        Err(
            error @ (ViewerError::Save(_)
            | ViewerError::Capture(_)
            | ViewerError::Destroyed
            | ViewerError::Recorded { .. }),
        ) => Err(Failure::Usage(error.to_string())),
        Err(error) => Err(Failure::Usage(format!("{error}; `sinew render` needs no window"))),
    }
}

/// The window was closed.
fn closed(recorded: Option<PathBuf>, talk: Talk) -> ExitCode {
    if let Some(path) = recorded {
        talk.say(&format!("saved {}", path.display()));
    }
    ExitCode::SUCCESS
}

/// The window, or a picture.
pub(super) fn run_or_draw(model: &ModelArg, talk: Talk) -> Result<ExitCode, Failure> {
    match open(model, (&[], false), AdapterChoice::Auto, talk, || Ok(None), None)? {
        Ok(recorded) => Ok(closed(recorded, talk)),
        // A display whose adapter cannot show anything may still have one that draws.
        Err(
            ViewerError::NoDisplay(_)
            | ViewerError::Render(RenderError::NoAdapter { .. } | RenderError::Device { .. }),
        ) => first_look::run(model, talk),
        Err(error) => Err(Failure::Usage(error.to_string())),
    }
}

fn open(
    model: &ModelArg,
    (clips, hands): (&[PathBuf], bool),
    adapter: AdapterChoice,
    talk: Talk,
    recorder: impl FnOnce() -> Result<Option<Recorder>, Failure>,
    listen: Option<SocketAddr>,
) -> Result<Result<Option<PathBuf>, ViewerError>, Failure> {
    let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    // Asked first, so that nothing is read twice where a picture is drawn instead.
    if cfg!(target_os = "linux") && !["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].into_iter().any(set) {
        return Ok(Err(ViewerError::NoDisplay("neither DISPLAY nor WAYLAND_DISPLAY is set".into())));
    }
    let character = model.load()?;
    talk.warnings(&character.warnings);
    let rig = rig_of(&character, None)?;
    let clips = clips::additions(&character, clips, &rig, hands)?;
    Ok(viewer::open(character, Some(rig), adapter, recorder()?, listen, clips, signals::close_by))
}
