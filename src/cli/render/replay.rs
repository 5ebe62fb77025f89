//! `sinew render --replay`: draws a session that was recorded in the viewer.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crate::cli::failure::Failure;
use crate::cli::progress::Progress;
use crate::cli::timing::Stopwatch;
use crate::cli::{ModelArg, Verbosity, output, rig_of};
use crate::files::Progress as ReadProgress;
use crate::render::{Background, DecodedImage, DecodedImages, Model, ShadingMode};
use crate::viewer::{Recording, Replay};

use super::pending::{LoadedModel, PendingRenderer};
use super::{OutputNames, RenderArgs, is_match};

/// Number of steps of the progress bar.
const STEPS: u32 = 100;

pub(in crate::cli) fn run(
    args: &RenderArgs,
    session: &Path,
    verbosity: Verbosity,
) -> Result<ExitCode, Failure> {
    let mut watch = Stopwatch::new(verbosity.verbose);
    let names = OutputNames::new(&args.output, args.frames)?;
    names.check(args.frames)?;
    let recording = Recording::open_with(session, &args.model.references(), &ReadProgress::default())?;
    watch.note("session", &format!("{:.3} s", recording.length().as_secs_f64()));
    watch.stage("read");
    let pending = PendingRenderer::open(&args.image, verbosity);
    let given = args.model.without_project();
    let units = given.units.or_else(|| recording.units().filter(|_| given.file.is_none()));
    let file = given.file.or_else(|| recording.character());
    let model = ModelArg { file, units, ..given };
    let character = model.load()?;
    let rig = rig_of(&character, None)?;
    verbosity.warn(&character.warnings);
    verbosity.warn(&recording.warnings(&character, &rig));
    let inputs = character.files.iter().map(PathBuf::as_path).chain([session]);
    output::protect(&names.single, inputs)?;
    args.protect_reference()?;
    watch.stage("load");
    let mut replay = Replay::new(&recording, character, rig)?;
    if recording.is_project() && args.frames.is_some() {
        replay.play();
    }
    // A session may switch to any shading mode, so all textures are needed.
    let mut loaded = pending.load(replay.session().puppet(), ShadingMode::Shaded, &mut watch)?;
    let mut variant: Option<String> = None;
    let mut props = (Vec::new(), Vec::new());
    let mut draw = |replay: &Replay| -> Result<(DecodedImage, Background), Failure> {
        let session = replay.session();
        let (frame, size) = args.image.replayed(session);
        let LoadedModel { renderer, model } = &mut loaded;
        if variant.as_deref() != session.settings().variant.as_deref() {
            let (character, parts) = (session.shown_character(), session.puppet().parts());
            let images = DecodedImages::decode(&character, parts, ShadingMode::Shaded);
            *model = renderer.model(&character, parts, &images)?;
            variant = session.settings().variant.as_deref().map(str::to_owned);
        }
        if props.1 != session.settings().props {
            props = (session.prop_models(renderer)?, session.settings().props.clone());
        }
        let models: Vec<&Model> = std::iter::once(&*model).chain(&props.0).collect();
        let image = renderer.render(&models, &frame, size)?;
        Ok((image, frame.background))
    };
    let mut matches = true;
    match args.frames {
        None => {
            let progress = Progress::new(STEPS, "percent of the session", verbosity);
            for step in 1..=STEPS {
                replay.advance(recording.length() * step / STEPS)?;
                progress.step();
            }
            replay.advance(recording.length())?;
            progress.finish();
            watch.stage("replay");
            let reference = args.reference(args.image.replayed(replay.session()).1)?;
            let (image, background) = draw(&replay)?;
            output::file(&names.single, &image.png(background)?)?;
            matches = is_match(reference.as_ref(), &image, args, verbosity)?;
        }
        Some(frames) => {
            let progress = Progress::new(frames.end - frames.first, "frames", verbosity);
            let mut files = output::Sequence::default();
            for frame in frames.first..frames.end {
                // The division, unlike a sum of frame durations, gives bit-identical times for the same moment at any
                // frame rate.
                let time = f64::from(frame) / f64::from(args.fps);
                replay.advance(Duration::try_from_secs_f64(time).unwrap_or(Duration::MAX))?;
                let (image, background) = draw(&replay)?;
                files.write(&names.numbered(frame), &image.png(background)?)?;
                progress.step();
            }
            files.finish(&args.output)?;
            progress.finish();
        }
    }
    watch.stage("draw");
    watch.total();
    Ok(if matches { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
