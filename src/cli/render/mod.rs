//! `sinew render`: draws an image or a sequence of images without a window.

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use clap::{ArgMatches, Args};

use crate::ik::Method;
use crate::pose::Pose;
use crate::puppet::Puppet;
use crate::render::DecodedImage;
use crate::scene;
use crate::scene::LegendLine;
use crate::scene::compare::Comparison;

use super::failure::Failure;
use super::image_args::ImageArgs;
use super::posing::{PosingArgs, methods, secondary};
use super::timing::Stopwatch;
use super::{ModelArg, Verbosity, output, session};

mod animated;
mod follow;
mod output_names;
mod pending;
mod reference;
pub(super) mod replay;
mod sequence;
mod sheet;
mod turntable;

pub(super) use output_names::OutputNames;
use pending::PendingRenderer;
use reference::{is_match, read_reference};

/// Maximum number of frames of a sequence, which is eleven hours at 24 frames per second.
const MAX_FRAMES: u32 = 1_000_000;

/// Maximum number of images of a turntable: one for every tenth of a degree.
const MAX_TURNTABLE: i64 = 3600;

/// Maximum number of poses of a sheet.
const MAX_SHEET: i64 = 400;

/// Options that cannot be set with `--replay`, because the session determines them.
const SESSION_OPTIONS: [&str; 10] = [
    "camera",
    "camera_position",
    "camera_focal_point",
    "camera_view_up",
    "camera_view_angle",
    "framing",
    "mode",
    "ground",
    "shadow",
    "skinning",
];

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sinew render character.glb --animation walk --animation-time 0.4 -o walk.png
  sinew render character.glb --reach hand_l=0.3,1.2,0.4 --mode skeleton -o reach.png
  sinew render character.glb --reach hand_l=0.3,1.2,0.4 --compare ccd,fabrik,dls -o compared.png
  sinew render character.glb --animation walk --frames 0..48 --fps 24 -o 'walk-{frame:04}.png'
  sinew render character.glb --clips walk.bvh --animation walk --sheet 12 --follow -o sheet.png
  sinew render character.glb --turntable 120 -o turn.gif
  sinew render --replay drag.session --frames 0..96 --fps 24 -o 'drag-{frame:04}.png'")]
pub(super) struct RenderArgs {
    #[command(flatten)]
    pub(super) model: ModelArg,
    /// PNG file to write (- for stdout); the name of a sequence must contain {frame:04}
    #[arg(short, long, value_name = "OUT.png")]
    pub(super) output: PathBuf,
    /// Replay a session of `sinew view --record`; without --frames, draw its final state
    #[arg(long, value_name = "SESSION", group = "moving", conflicts_with_all = SESSION_OPTIONS, conflicts_with = "PosingArgs")]
    pub(super) replay: Option<PathBuf>,
    /// Draw frames A to B-1 of a clip or a session; for a clip, the camera is fixed and chosen to show all frames
    #[arg(long, value_name = "A..B", requires = "moving", group = "sequence")]
    pub(super) frames: Option<FrameRange>,
    /// Draw N poses of the clip in one image, evenly spaced in time, with the time below each
    #[arg(long, value_name = "N", requires = "moving", group = "sequence", value_parser = clap::value_parser!(u32).range(2..=MAX_SHEET), conflicts_with_all = ["replay", "turntable", "reference"])]
    sheet: Option<u32>,
    /// Move the camera with the hips, so that a figure that walks stays in the image
    #[arg(long, requires = "sequence", conflicts_with_all = ["replay", "camera"])]
    follow: bool,
    /// Draw N images of the figure while it turns around once [to OUT.gif, OUT.png (animated), OUT.mp4, or a numbered sequence]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=MAX_TURNTABLE), conflicts_with_all = ["frames", "replay", "reference"])]
    turntable: Option<u32>,
    /// Frames per second; frame 0 is at --animation-time, or at the start of the session
    #[arg(long, value_name = "N", default_value_t = 24.0, value_parser = rate)]
    pub(super) fps: f32,
    /// Solve the same goals with other methods and draw the results as ghosts
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = methods(), conflicts_with = "replay")]
    compare: Vec<String>,
    /// Show the materials of a variant of the model (`sinew inspect` lists them)
    #[arg(long, value_name = "NAME", conflicts_with = "replay")]
    variant: Option<String>,
    /// Compare with a reference image; if they differ, write OUT.diff.png and exit 1
    #[arg(long, value_name = "PNG", conflicts_with = "frames")]
    reference: Option<PathBuf>,
    /// Maximum mean FLIP error to accept, from 0 to 1; 0 requires identical pixels
    #[arg(long, value_name = "T", default_value_t = 0.0, requires = "reference", value_parser = threshold)]
    threshold: f32,
    #[command(flatten)]
    pub(super) image: ImageArgs,
    #[command(flatten)]
    posing: PosingArgs,
}

/// `A..B`: the frames from A up to but not including B.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameRange {
    pub(super) first: u32,
    pub(super) end: u32,
}

impl FrameRange {
    /// Returns the times of the frames in seconds. Frame 0 is at `start`.
    fn times(self, start: f32, rate: f32) -> Vec<f32> {
        #[expect(clippy::cast_precision_loss, reason = "frame numbers are small")]
        (self.first..self.end).map(|frame| start + frame as f32 / rate).collect()
    }
}

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, end): (u32, u32) = text
            .split_once("..")
            .and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)))
            .ok_or_else(|| "expected A..B, for example 0..48".to_owned())?;
        match end.checked_sub(first) {
            None | Some(0) => Err("the range is empty; B must be greater than A".into()),
            Some(count) if count > MAX_FRAMES => {
                Err(format!("{count} frames exceed the limit of {MAX_FRAMES}"))
            }
            Some(_) => Ok(Self { first, end }),
        }
    }
}

pub(super) fn rate(text: &str) -> Result<f32, String> {
    let rate = text.parse::<f32>().ok().filter(|r| *r > 0.0 && r.is_finite());
    rate.ok_or_else(|| "must be a positive number".into())
}

fn threshold(text: &str) -> Result<f32, String> {
    let error = text.parse::<f32>().ok().filter(|t| (0.0..=1.0).contains(t));
    error.ok_or_else(|| "must be a number from 0 to 1".into())
}

impl RenderArgs {
    /// Rejects an output that would overwrite an input.
    fn protect_inputs(&self) -> Result<(), Failure> {
        output::protect(&self.output, self.posing.files(&self.model))?;
        self.protect_reference()
    }

    /// Rejects an output or a difference image that would overwrite the reference.
    pub(super) fn protect_reference(&self) -> Result<(), Failure> {
        let outputs = [self.output.clone(), self.output.with_extension("diff.png")];
        outputs.iter().try_for_each(|output| output::protect(output, self.reference.as_deref()))
    }

    /// Reads the reference image, if there is one.
    pub(super) fn reference(&self, size: (u32, u32)) -> Result<Option<DecodedImage>, Failure> {
        self.reference.as_deref().map(|path| read_reference(path, size)).transpose()
    }

    /// Loads the character and sets up its puppet. The puppet's springs remain off.
    fn puppet(
        &self,
        matches: &ArgMatches,
        verbosity: Verbosity,
        watch: &mut Stopwatch,
    ) -> Result<Puppet, Failure> {
        let mut character = self.posing.load(&self.model)?;
        character
            .select_variant(self.variant.as_deref())
            .map_err(|e| Failure::Usage(format!("--variant: {e}")))?;
        output::protect(&self.output, character.files.iter().map(PathBuf::as_path))?;
        watch.stage("load");
        verbosity.warn(&self.image.light_warning(&character).into_iter().collect::<Vec<_>>());
        let mut puppet = self.posing.puppet(character, matches, verbosity)?;
        puppet.options.skinning = self.image.skinning();
        Ok(puppet)
    }

    /// Solves the puppet's goals with the methods of `--compare`, and warns about methods that cannot solve them.
    fn comparison(&self, puppet: &Puppet, verbosity: Verbosity) -> Comparison {
        let comparison = comparison(&self.compare, puppet);
        let refusals = comparison.candidates().iter().filter_map(|c| c.refusal());
        verbosity.warn(&refusals.map(str::to_owned).collect::<Vec<_>>());
        for LegendLine { color: [red, green, blue], text } in scene::legend(&comparison) {
            verbosity.print(&format!("#{red:02X}{green:02X}{blue:02X} {text}"));
        }
        comparison
    }
}

/// Solves the puppet's goals with the named methods.
pub(super) fn comparison(names: &[String], puppet: &Puppet) -> Comparison {
    let mut comparison = Comparison::default();
    let methods: Vec<Method> = names.iter().filter_map(|name| name.parse().ok()).collect();
    comparison.set_methods(&methods, puppet);
    comparison.set_start_pose(&Pose::rest(&puppet.character().skeleton));
    comparison.solve(puppet);
    comparison
}

pub(super) fn run(
    args: &RenderArgs,
    matches: &ArgMatches,
    verbosity: Verbosity,
) -> Result<ExitCode, Failure> {
    if let Some(project) = args.model.project() {
        session::refuse_posing(matches)?;
        session::refuse(matches, &SESSION_OPTIONS)?;
        session::refuse(matches, &["replay", "compare", "variant", "rig", "require_reached"])?;
        return replay::run(args, project, verbosity);
    }
    if let Some(session) = &args.replay {
        return replay::run(args, session, verbosity);
    }
    if let Some(count) = args.turntable {
        return turntable::run(args, count, matches, verbosity);
    }
    if let Some(count) = args.sheet {
        return sheet::run(args, count, matches, verbosity);
    }
    let mut watch = Stopwatch::new(verbosity.verbose);
    let names = OutputNames::new(&args.output, args.frames)?;
    args.protect_inputs()?;
    names.check(args.frames)?;
    let pending = PendingRenderer::open(&args.image, verbosity);
    let mut puppet = args.puppet(matches, verbosity, &mut watch)?;
    let turn = args.posing.world_from_robot(puppet.character())?;
    let image_args = turn.map_or_else(|| args.image.clone(), |turn| args.image.turned(turn.as_quat()));
    let Some(frames) = args.frames else {
        secondary::pose(&mut puppet)?;
        watch.stage("pose");
        let comparison = args.comparison(&puppet, verbosity);
        let reference = args.reference(args.image.size())?;
        let image = pending.draw_to_file(&puppet, &comparison, &image_args, &names.single, &mut watch)?;
        let matches = is_match(reference.as_ref(), &image, args, verbosity)?;
        return Ok(if matches { args.posing.exit_code(puppet.reports()) } else { ExitCode::from(1) });
    };
    let times = frames.times(puppet.time, args.fps);
    let mut files = output::Sequence::default();
    let code = sequence::draw(
        args,
        &image_args,
        puppet,
        &times,
        pending,
        watch,
        verbosity,
        |index, image, background| {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the index is smaller than the number of frames"
            )]
            files.write(&names.numbered(frames.first + index as u32), &image.png(background)?)
        },
    )?;
    files.finish(&args.output)?;
    Ok(code)
}
