//! `sinew render --replay`: what was recorded in the window, drawn without one.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use crate::render::Mode;
use crate::viewer::{Recording, Replay};

use super::failure::Failure;
use super::progress::Progress;
use super::render::{Names, RenderArgs, Set, Studio};
use super::timing::Stopwatch;
use super::{ModelArg, Talk, output, rig_of};

/// Steps of the bar.
const STEPS: u32 = 100;

pub(super) fn run(args: &RenderArgs, session: &Path, talk: Talk) -> Result<ExitCode, Failure> {
    let mut watch = Stopwatch::new(talk.verbose);
    let names = Names::new(&args.output, args.frames)?;
    names.check(args.frames)?;
    let recording = Recording::open(session)?;
    watch.note("session", &format!("{:.3} s", recording.length().as_secs_f64()));
    watch.stage("read");
    let studio = Studio::open(&args.view, talk);
    let file = args.model.file.clone().or_else(|| recording.character());
    let model = ModelArg { file, ..args.model };
    let character = model.load()?;
    let rig = rig_of(&character, None)?;
    talk.warnings(&character.warnings);
    talk.warnings(&recording.warnings(&character, &rig));
    watch.stage("load");
    let mut replay = Replay::new(&recording, character, rig)?;
    // A session may show any mode: the pictures of all are needed.
    let mut set = studio.set(replay.session().puppet(), Mode::Shaded, &mut watch)?;
    let mut draw = |replay: &Replay| -> Result<Vec<u8>, Failure> {
        let (frame, size) = args.view.replayed(replay.session());
        let Set { renderer, model } = &mut set;
        let picture = renderer.render(model, &frame, size)?;
        Ok(picture.png(frame.background)?)
    };
    match args.frames {
        None => {
            let progress = Progress::new(STEPS, "hundredths of the session", talk);
            for step in 1..=STEPS {
                replay.advance(recording.length() * step / STEPS)?;
                progress.step();
            }
            replay.advance(recording.length())?;
            progress.finish();
            watch.stage("replay");
            output::file(&names.single, &draw(&replay)?)?;
        }
        Some(frames) => {
            let progress = Progress::new(frames.end - frames.first, "frames", talk);
            let mut files = output::Sequence::default();
            for frame in frames.first..frames.end {
                // Frames of the same time have the same time, bit by bit, at any rate.
                let time = f64::from(frame) / f64::from(args.fps);
                replay.advance(Duration::try_from_secs_f64(time).unwrap_or(Duration::MAX))?;
                files.write(&names.numbered(frame), &draw(&replay)?)?;
                progress.step();
            }
            files.finish(&args.output)?;
            progress.finish();
        }
    }
    watch.stage("draw");
    watch.total();
    Ok(ExitCode::SUCCESS)
}
