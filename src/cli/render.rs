//! `sinew render`: draw one picture, or a sequence, without a window.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use clap::{ArgMatches, Args};

use crate::camera::Bounds;
use crate::compare::Comparison;
use crate::ik::{Method, Outcome};
use crate::pose::Pose;
use crate::puppet::{GoalReport, Puppet};
use crate::regress::{Drawn, Found, compare};
use crate::render::{Background, Gpu, Mode, Model, Picture, Pictures, RenderError, Renderer};
use crate::stage;

use super::failure::Failure;
use super::posing::{PosingArgs, methods};
use super::progress::Progress;
use super::timing::Stopwatch;
use super::view::ViewArgs;
use super::{ModelArg, Talk, output, replay};

/// No sequence has more frames: at 24 a second they last for eleven hours.
const MOST_FRAMES: u32 = 1_000_000;

/// What a session says itself.
const REPLAYED: [&str; 8] = [
    "camera_position",
    "camera_focal_point",
    "camera_view_up",
    "camera_view_angle",
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
  sinew render --replay drag.session --frames 0..96 --fps 24 -o 'drag-{frame:04}.png'")]
pub(super) struct RenderArgs {
    #[command(flatten)]
    pub(super) model: ModelArg,
    /// The picture (PNG); for a sequence with {frame:04} where the number goes; - is stdout
    #[arg(short, long, value_name = "OUT.png")]
    pub(super) output: PathBuf,
    /// Play back what `sinew view --record` recorded: how it ended, or with --frames how it went
    #[arg(long, value_name = "SESSION", group = "moving", conflicts_with_all = REPLAYED, conflicts_with = "PosingArgs")]
    pub(super) replay: Option<PathBuf>,
    /// Draw the frames A, A+1, … B-1 of a clip or of a session; with a clip the camera and the floor stay where all of
    /// them are seen
    #[arg(long, value_name = "A..B", requires = "moving")]
    pub(super) frames: Option<Frames>,
    /// Frames a second; frame 0 is at --animation-time, or where the session begins
    #[arg(long, value_name = "N", default_value_t = 24.0, value_parser = rate)]
    pub(super) fps: f32,
    /// Show what other methods make of the same goals, as ghosts
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = methods(), conflicts_with = "replay")]
    compare: Vec<String>,
    /// Compare with a picture; where it differs, write OUT.diff.png and exit 1
    #[arg(long, value_name = "PNG", conflicts_with_all = ["frames", "replay"])]
    reference: Option<PathBuf>,
    /// Largest mean FLIP error that is let pass, 0 to 1; 0: identical pixels
    #[arg(long, value_name = "T", default_value_t = 0.0, requires = "reference", value_parser = threshold)]
    threshold: f32,
    #[command(flatten)]
    pub(super) view: ViewArgs,
    #[command(flatten)]
    posing: PosingArgs,
}

/// `A..B`: from A up to, not including, B.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frames {
    pub(super) first: u32,
    pub(super) end: u32,
}

impl FromStr for Frames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, end): (u32, u32) = text
            .split_once("..")
            .and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)))
            .ok_or_else(|| format!("\"{text}\" is not A..B"))?;
        match end.checked_sub(first) {
            None | Some(0) => Err(format!("\"{text}\" holds no frame")),
            Some(count) if count > MOST_FRAMES => Err(format!("{count} frames (at most {MOST_FRAMES})")),
            Some(_) => Ok(Self { first, end }),
        }
    }
}

pub(super) fn rate(text: &str) -> Result<f32, String> {
    let rate = text.parse::<f32>().ok().filter(|r| *r > 0.0 && r.is_finite());
    rate.ok_or_else(|| format!("\"{text}\" is not a rate"))
}

fn threshold(text: &str) -> Result<f32, String> {
    let error = text.parse::<f32>().ok().filter(|t| (0.0..=1.0).contains(t));
    error.ok_or_else(|| format!("\"{text}\" is not an error between 0 and 1"))
}

impl RenderArgs {
    /// The methods to compare with, after they have met the goals of a puppet.
    fn others(&self, puppet: &Puppet, talk: Talk) -> Comparison {
        let others = others(&self.compare, puppet);
        let refused = others.contenders().iter().filter_map(|c| c.refusal());
        talk.warnings(&refused.map(str::to_owned).collect::<Vec<_>>());
        others
    }
}

/// Methods, by their names, after they have met the goals of a puppet.
pub(super) fn others(names: &[String], puppet: &Puppet) -> Comparison {
    let mut others = Comparison::default();
    let methods: Vec<Method> = names.iter().filter_map(|name| name.parse().ok()).collect();
    others.choose(&methods, puppet);
    others.begin(&Pose::rest(&puppet.character().skeleton));
    others.follow(puppet);
    others
}

pub(super) fn run(args: &RenderArgs, matches: &ArgMatches, talk: Talk) -> Result<ExitCode, Failure> {
    if let Some(session) = &args.replay {
        return replay::run(args, session, talk);
    }
    let mut watch = Stopwatch::new(talk.verbose);
    let names = Names::new(&args.output, args.frames)?;
    output::spare(&names.single, args.posing.files(&args.model).chain(args.reference.as_deref()))?;
    names.check(args.frames)?;
    // Where pictures differ, this one is written too.
    output::spare(&args.output.with_extension("diff.png"), args.reference.as_deref())?;
    let studio = Studio::open(&args.view, talk);
    let character = args.model.load()?;
    output::spare(&names.single, character.files.iter().map(PathBuf::as_path))?;
    watch.stage("load");
    let mut puppet = args.posing.puppet(character, matches, talk)?;
    puppet.skinning = args.view.skinning();
    let Some(frames) = args.frames else {
        let reports = puppet.update()?;
        watch.stage("pose");
        let others = args.others(&puppet, talk);
        let reference =
            args.reference.as_deref().map(|path| reference(path, args.view.size())).transpose()?;
        let picture = studio.picture(&puppet, &others, &args.view, &names.single, &mut watch)?;
        let same = reference.map_or(Ok(true), |expected| is_like(&expected, &picture, args, talk))?;
        return Ok(if same { args.posing.exit_code(&reports) } else { ExitCode::from(1) });
    };
    let start = puppet.time;
    #[expect(clippy::cast_precision_loss, reason = "frame numbers are small")]
    let pose = |puppet: &mut Puppet, frame: u32| -> Result<Vec<GoalReport>, Failure> {
        puppet.time = start + frame as f32 / args.fps;
        Ok(puppet.update()?)
    };
    let (mut bounds, mut missed) = (Bounds::default(), Vec::new());
    // The camera shows all of them: they are posed once before any is drawn.
    let progress = Progress::new(frames.end - frames.first, "poses", talk);
    for frame in frames.first..frames.end {
        missed.extend(pose(&mut puppet, frame)?.into_iter().find(|r| r.outcome != Outcome::Reached));
        missed.truncate(1);
        let now = puppet.bounds();
        bounds.extend([now.lo, now.hi]);
        progress.step();
    }
    progress.finish();
    let mut others = args.others(&puppet, talk);
    watch.stage("poses");
    let shot = args.view.shot(&bounds)?;
    let mut set = studio.set(&puppet, args.view.mode(), &mut watch)?;
    let progress = Progress::new(frames.end - frames.first, "frames", talk);
    let mut files = output::Sequence::default();
    for frame in frames.first..frames.end {
        pose(&mut puppet, frame)?;
        others.follow(&puppet);
        let mut seen = stage::frame(&puppet, &shot);
        others.show(&mut seen, &puppet, shot.scale);
        let picture = set.renderer.render(&set.model, &seen, args.view.size())?;
        files.write(&names.numbered(frame), &picture.png(shot.background)?)?;
        progress.step();
    }
    files.finish(&args.output)?;
    progress.finish();
    watch.stage("draw");
    watch.total();
    Ok(args.posing.exit_code(&missed))
}

/// An adapter that is being opened while the file is read.
pub(super) struct Studio {
    opening: Option<thread::JoinHandle<Result<(Renderer, Duration), RenderError>>>,
    talk: Talk,
}

/// Waits for the adapter where it is not used: a driver that is still loading as the program ends complains.
impl Drop for Studio {
    fn drop(&mut self) {
        if let Some(opening) = self.opening.take() {
            drop(opening.join());
        }
    }
}

/// A renderer with a model on it.
pub(super) struct Set {
    pub(super) renderer: Renderer,
    pub(super) model: Model,
}

impl Studio {
    pub(super) fn open(view: &ViewArgs, talk: Talk) -> Self {
        let choice = view.adapter.clone();
        let opening = thread::spawn(move || {
            let started = Instant::now();
            let renderer = Renderer::new(Gpu::new(&choice)?);
            Ok((renderer, started.elapsed()))
        });
        Self { opening: Some(opening), talk }
    }

    /// `mode`: how surfaces will look, which says which of their pictures are needed.
    pub(super) fn set(mut self, puppet: &Puppet, mode: Mode, watch: &mut Stopwatch) -> Result<Set, Failure> {
        let character = puppet.character();
        let pictures = Pictures::decode(character, puppet.parts(), mode);
        self.talk.warnings(&pictures.warnings);
        watch.stage("pictures");
        let gave_up = || RenderError::Driver("opening the adapter gave up".into());
        let opening = self.opening.take().and_then(|o| o.join().ok());
        let (renderer, opened) = opening.ok_or_else(gave_up)??;
        watch.note("adapter", &renderer.gpu().describe());
        watch.say("opened in", opened);
        watch.stage("wait");
        let model = renderer.model(character, puppet.parts(), &pictures)?;
        watch.stage("upload");
        Ok(Set { renderer, model })
    }

    /// Draws the pose that a puppet is in, and writes it.
    pub(super) fn picture(
        self,
        puppet: &Puppet,
        others: &Comparison,
        view: &ViewArgs,
        path: &Path,
        watch: &mut Stopwatch,
    ) -> Result<Picture, Failure> {
        let mut bounds = puppet.bounds();
        for other in others.contenders().iter().map(|c| c.puppet().bounds()) {
            bounds.extend([other.lo, other.hi]);
        }
        let shot = view.shot(&bounds)?;
        let mut set = self.set(puppet, view.mode(), watch)?;
        let mut frame = stage::frame(puppet, &shot);
        others.show(&mut frame, puppet, shot.scale);
        let picture = set.renderer.render(&set.model, &frame, view.size())?;
        watch.stage("draw");
        output::file(path, &picture.png(shot.background)?)?;
        watch.stage("write");
        watch.total();
        Ok(picture)
    }
}

/// The picture to compare with one of some size: an empty one, which is like nothing, where its own size is another.
fn reference(path: &Path, (width, height): (u32, u32)) -> Result<Picture, Failure> {
    let read = Drawn::read(path, width, height).map_err(|e| Failure::Usage(e.to_string()))?;
    match read {
        None => Err(Failure::Usage(format!("{}: there is no such picture", path.display()))),
        Some(Found::Drawn(drawn)) => Ok(drawn.picture),
        Some(Found::OtherSize(width, height)) => Ok(Picture { width, height, rgba: Vec::new() }),
    }
}

/// Whether a picture is near enough to a reference; where it is not, the difference is drawn beside it.
fn is_like(expected: &Picture, actual: &Picture, args: &RenderArgs, talk: Talk) -> Result<bool, Failure> {
    let reference = args.reference.as_deref().unwrap_or(Path::new("-"));
    let Some(difference) = compare(expected, actual, 0) else {
        let size = |p: &Picture| format!("{}x{}", p.width, p.height);
        talk.say(&format!("{}: {} instead of {}", reference.display(), size(actual), size(expected)));
        return Ok(false);
    };
    if difference.pixels() == 0 || args.threshold > 0.0 && difference.mean <= args.threshold {
        return Ok(true);
    }
    let (worst, [x, y]) = difference.worst;
    let told = format!(
        "{} pixels differ, FLIP {:.5}, worst {worst:.4} at {x},{y}",
        difference.pixels(),
        difference.mean
    );
    talk.say(&format!("{}: {told}", reference.display()));
    if args.output != Path::new("-") {
        let drawn = difference.picture(actual.width, actual.height);
        let bytes = drawn.png(Background::BLACK)?;
        output::file(&args.output.with_extension("diff.png"), &bytes)?;
    }
    Ok(false)
}

/// Where pictures go.
pub(super) struct Names {
    pub(super) single: PathBuf,
    /// What stands before the first number, then the least width of each number and what stands after it.
    pattern: Option<(String, Vec<(usize, String)>)>,
}

impl Names {
    pub(super) fn new(output: &Path, frames: Option<Frames>) -> Result<Self, Failure> {
        let bad = |why: &str| Failure::Usage(format!("--output {}: {why}", output.display()));
        let is_png = output.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
        if !is_png && output != Path::new("-") && !output.starts_with("/dev") {
            return Err(bad("pictures are written as .png"));
        }
        let text = output.to_string_lossy();
        let pattern = pattern(&text);
        match (frames, &pattern) {
            (Some(_), Some((_, numbers))) if numbers.is_empty() => {
                Err(bad("a sequence needs {frame:04} in its name"))
            }
            (Some(_), None) => Err(bad("a frame's number is written as {frame} or {frame:04}")),
            _ => Ok(Self { single: output.into(), pattern }),
        }
    }

    /// Refuses a folder that does not exist, or a file that cannot be written, before anything is posed or drawn for it.
    pub(super) fn check(&self, frames: Option<Frames>) -> Result<(), Failure> {
        if self.single == Path::new("-") {
            return Ok(());
        }
        let path = frames.map_or_else(|| self.single.clone(), |frames| self.numbered(frames.first));
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        match folder.metadata() {
            Ok(folder) if folder.is_dir() => output::check(&path),
            Ok(_) => Err(Failure::Usage(format!("{}: is not a folder", folder.display()))),
            Err(cause) => Err(Failure::Usage(format!("{}: {cause}", folder.display()))),
        }
    }

    pub(super) fn numbered(&self, frame: u32) -> PathBuf {
        let Some((before, numbers)) = &self.pattern else { return self.single.clone() };
        let numbers = numbers.iter().map(|(width, after)| format!("{frame:0width$}{after}"));
        format!("{before}{}", numbers.collect::<String>()).into()
    }
}

/// A name as [`Names`] keeps it; `None` if a placeholder is malformed.
fn pattern(name: &str) -> Option<(String, Vec<(usize, String)>)> {
    let mut parts = name.split("{frame");
    let before = parts.next()?.to_owned();
    let number = |part: &str| {
        let (width, after) = part.split_once('}')?;
        let width = if width.is_empty() { 0 } else { width.strip_prefix(":0")?.parse().ok()? };
        (width < 32).then(|| (width, after.to_owned()))
    };
    Some((before, parts.map(number).collect::<Option<_>>()?))
}
