//! `sinew crowd`: draws a crowd, or a sequence of images of it, without a window. With `--measure`, measures its frames instead.

mod measure;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};

use crate::asset::{self, Character, References};
use crate::crowd::{Crowd, CrowdError};
use crate::files::Progress as ReadProgress;
use crate::render::{DrawnLevels, Gpu, Renderer, ShadingMode};
use crate::rig::Rig;
use crate::scene::{CrowdLayout, CrowdScene, ViewSettings};

use super::failure::Failure;
use super::image_args::{ImageArgs, Switch};
use super::progress::Progress;
use super::render::{FrameRange, OutputNames, rate};
use super::terrain_args::TerrainArgs;
use super::timing::Stopwatch;
use super::{Verbosity, output, rig_of};

/// Largest number of characters. A larger crowd does not fit in the memory of common adapters.
pub(super) const MAX_COUNT: u32 = 1_000_000;
/// Maximum of `--lod`.
const MAX_PIXEL_ERROR: f32 = 100.0;
/// Seconds for which the crowd walks before the first image, so that feet are planted and heads are turned.
const WARM_UP: f32 = 1.0;
/// Duration in seconds of a simulation step before the first image.
const WARM_STEP: f32 = 1.0 / 30.0;

/// Maximum of `--measure`.
const MAX_MEASURED: u32 = 10_000;
/// Number of steps without an image after which the program waits for the GPU.
const WAIT: u32 = 16;

#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sinew crowd --count 1000 -o crowd.png
  sinew crowd fox.glb wolf.glb --count 200 --terrain flat -o pack.png
  sinew crowd character.glb --count 300 --frames 0..48 -o 'walk-{frame:04}.png'
  sinew crowd --count 1000 --measure 30")]
pub(super) struct CrowdArgs {
    #[command(flatten)]
    pub(super) layout: LayoutArgs,
    /// PNG file to write (- for stdout); the name of a sequence must contain {frame:04}
    #[arg(short, long, value_name = "OUT.png", required_unless_present = "measure")]
    output: Option<PathBuf>,
    /// Draw frames A to B-1
    #[arg(long, value_name = "A..B")]
    frames: Option<FrameRange>,
    /// Draw N frames without writing them, and print the times, triangles and levels of detail of each, and the medians
    #[arg(long, value_name = "N", conflicts_with_all = ["output", "frames"], value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_MEASURED)))]
    measure: Option<u32>,
    /// Frames per second
    #[arg(long, value_name = "N", default_value_t = 24.0, value_parser = rate)]
    fps: f32,
    #[command(flatten)]
    image: ImageArgs,
}

/// The characters of a crowd, and their layout on the ground.
#[derive(Args, Debug)]
pub(super) struct LayoutArgs {
    /// Models to load: .gltf, .glb, .vrm, .fbx, .urdf or .bvh [default: the built-in character]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Also read files outside of the models' folders to which the models refer
    #[arg(long)]
    allow_parent: bool,
    /// Number of characters
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_COUNT)))]
    count: u32,
    #[command(flatten)]
    ground: TerrainArgs,
    /// Random seed for the positions, clips and colours of the characters
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u32,
    /// Draw small characters with fewer triangles, with a mean error of at most this number of pixels (0: all triangles)
    #[arg(long, value_name = "PIXELS", default_value_t = Crowd::PIXEL_ERROR, value_parser = pixel_error)]
    lod: f32,
    /// Do not draw characters that other surfaces hide: images are the same, and frames at eye height are faster from the third one on
    #[arg(long, value_name = "on|off", default_value = "off")]
    occlusion: Switch,
}

/// Parses the number of pixels of `--lod`.
pub(super) fn pixel_error(text: &str) -> Result<f32, String> {
    let pixels = text.parse().ok().filter(|pixels| (0.0..=MAX_PIXEL_ERROR).contains(pixels));
    pixels.ok_or_else(|| format!("expected a number of pixels from 0 to {MAX_PIXEL_ERROR}"))
}

impl LayoutArgs {
    /// Loads the models and their rigs.
    pub(super) fn characters(&self) -> Result<Vec<(Arc<Character>, Rig)>, Failure> {
        let references = References { allow_parent: self.allow_parent, ..References::default() };
        let load = |file: &PathBuf| {
            Ok(asset::load_with_references(file, None, &references, &ReadProgress::default())?)
        };
        let characters: Vec<Character> = match &self.files[..] {
            [] => vec![asset::mannequin()?],
            files => files.iter().map(load).collect::<Result<_, Failure>>()?,
        };
        let with_rig = |character: Character| {
            let rig = rig_of(&character, None)?;
            Ok((Arc::new(character), rig))
        };
        characters.into_iter().map(with_rig).collect()
    }

    pub(super) fn layout(&self) -> Result<CrowdLayout, Failure> {
        let ground = self.ground.load()?;
        Ok(CrowdLayout {
            count: self.count,
            ground,
            seed: self.seed,
            looks: 1.0,
            pixel_error: self.lod,
            occlusion: self.occlusion == Switch::On,
        })
    }
}

pub(super) fn run(args: &CrowdArgs, matches: &ArgMatches, verbosity: Verbosity) -> Result<ExitCode, Failure> {
    for option in ["camera", "framing", "ground", "skinning"] {
        if matches.value_source(option) == Some(ValueSource::CommandLine) {
            return Err(Failure::Usage(format!("--{option} has no effect on crowds; remove it")));
        }
    }
    if args.image.mode() == ShadingMode::Skeleton {
        return Err(Failure::Usage("--mode skeleton cannot show crowds; use another mode".into()));
    }
    let mut watch = Stopwatch::new(verbosity.verbose);
    let output = match args.output.as_deref() {
        Some(path) => Some((path, names(args, path)?)),
        None => None,
    };
    let layout = args.layout.layout()?;
    let characters = args.layout.characters()?;
    watch.stage("load");
    let mut renderer = Renderer::new(Gpu::new(&args.image.adapter)?);
    watch.note("adapter", &renderer.gpu().describe());
    let mut scene =
        CrowdScene::new(&mut renderer, &characters, &layout, args.image.mode()).map_err(failed)?;
    watch.stage("crowd");
    let settings = args.image.settings_from(&scene.bounds(), |fov_y, aspect| scene.camera(fov_y, aspect))?;
    let mut seconds = 0.0;
    while seconds < WARM_UP {
        step(&mut scene, &renderer, WARM_STEP, &settings)?;
        seconds += WARM_STEP;
    }
    watch.stage("walk");
    if let Some(frames) = args.measure {
        let size = args.image.size();
        measure::print(&mut renderer, &mut scene, &settings, size, 1.0 / args.fps, frames)?;
        watch.stage("draw");
    }
    if let Some((path, names)) = output {
        draw(args, path, &names, &mut renderer, &mut scene, &settings, verbosity)?;
        watch.stage("draw");
        if verbosity.verbose {
            watch.note("levels", &describe(&scene.read_drawn()?));
        }
    }
    watch.total();
    Ok(ExitCode::SUCCESS)
}

/// Returns the names of the images, and checks that they can be written.
fn names(args: &CrowdArgs, output: &Path) -> Result<OutputNames, Failure> {
    let names = OutputNames::new(output, args.frames)?;
    let files = args.layout.files.iter().map(PathBuf::as_path).chain(args.layout.ground.file());
    output::protect(&names.single, files)?;
    names.check(args.frames)?;
    Ok(names)
}

/// Advances the crowd by a time in seconds.
fn step(
    scene: &mut CrowdScene,
    renderer: &Renderer,
    seconds: f32,
    settings: &ViewSettings,
) -> Result<(), Failure> {
    let gpu = renderer.gpu();
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    scene.step(&mut encoder, seconds, settings.camera.position)?;
    gpu.queue.submit([encoder.finish()]);
    Ok(gpu.check()?)
}

/// Draws and writes the images.
fn draw(
    args: &CrowdArgs,
    output: &Path,
    names: &OutputNames,
    renderer: &mut Renderer,
    scene: &mut CrowdScene,
    settings: &ViewSettings,
    verbosity: Verbosity,
) -> Result<(), Failure> {
    let frames = args.frames.unwrap_or(FrameRange { first: 0, end: 1 });
    let progress = Progress::new(frames.end - frames.first, "frames", verbosity);
    let mut files = output::Sequence::default();
    for frame in 0..frames.end {
        if frame > 0 {
            step(scene, renderer, 1.0 / args.fps, settings)?;
        }
        if frame < frames.first {
            if frame % WAIT == 0 {
                wait(renderer)?;
            }
            continue;
        }
        let image = renderer.render(&scene.models(), &scene.frame(settings), args.image.size())?;
        let bytes = image.png(settings.background)?;
        match args.frames {
            Some(_) => files.write(&names.numbered(frame), &bytes)?,
            None => output::file(&names.single, &bytes)?,
        }
        progress.step();
    }
    if args.frames.is_some() {
        files.finish(output)?;
    }
    progress.finish();
    Ok(())
}

/// Describes the drawn characters of an image.
fn describe(drawn: &DrawnLevels) -> String {
    let (counts, DrawnLevels { triangles, hidden, .. }) = (counts(drawn), drawn);
    format!("{counts} characters, from the finest to the coarsest; {triangles} triangles; {hidden} hidden")
}

/// Returns the numbers of drawn characters in the levels of detail.
fn counts(drawn: &DrawnLevels) -> String {
    drawn.characters.map(|count| count.to_string()).join(" + ")
}

/// Waits until the GPU is idle, so that commands do not pile up.
fn wait(renderer: &Renderer) -> Result<(), Failure> {
    let gpu = renderer.gpu();
    let waited = gpu.device.poll(wgpu::PollType::wait_indefinitely());
    // A lost device is a more useful error than a failed wait.
    gpu.check()?;
    waited.map(drop).map_err(|error| Failure::Usage(error.to_string()))
}

pub(super) fn failed(error: CrowdError) -> Failure {
    match error {
        CrowdError::Render(error) => error.into(),
        other => Failure::Usage(other.to_string()),
    }
}
