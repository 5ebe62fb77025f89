//! Draws the poses of a motion at several times, with one camera.

use std::process::ExitCode;

use crate::asset::DecodedImage;
use crate::cli::Verbosity;
use crate::cli::failure::Failure;
use crate::cli::image_args::ImageArgs;
use crate::cli::progress::Progress;
use crate::cli::timing::Stopwatch;
use crate::ik::Outcome;
use crate::puppet::{GoalReport, Puppet};
use crate::render::Background;
use crate::scene;

use super::follow::{Follow, moved};
use super::{PendingRenderer, RenderArgs};

/// Draws the puppet at each of the times, in seconds. `write` receives the index of a time, the image at that time, and the background. The
/// camera is chosen to show all poses.
pub(super) fn draw(
    args: &RenderArgs,
    image_args: &ImageArgs,
    mut puppet: Puppet,
    times: &[f32],
    pending: PendingRenderer,
    mut watch: Stopwatch,
    verbosity: Verbosity,
    mut write: impl FnMut(usize, &DecodedImage, Background) -> Result<(), Failure>,
) -> Result<ExitCode, Failure> {
    let start = puppet.time;
    args.posing.turn_on_springs(&mut puppet);
    let count = u32::try_from(times.len()).unwrap_or(u32::MAX);
    let mut clock = puppet.start_springs(start)?;
    let (mut subject, mut missed) = (image_args.subject(), Vec::<GoalReport>::new());
    let mut follow = Follow::new(args.follow, &puppet);
    // The camera frames all poses, so they are computed once before the first frame is drawn.
    let progress = Progress::new(count, "poses", verbosity);
    for &time in times {
        let reports = puppet.update_at(time, &mut clock)?;
        missed.extend(reports.iter().find(|r| r.outcome != Outcome::Reached).cloned());
        missed.truncate(1);
        subject.add_moved(&puppet, -follow.shift(&puppet));
        progress.step();
    }
    progress.finish();
    let mut comparison = args.comparison(&puppet, verbosity);
    watch.stage("poses");
    // Report invalid settings before waiting for the adapter.
    image_args.settings(&subject, &puppet)?;
    let mut loaded = pending.load(&puppet, image_args.mode(), &mut watch)?;
    let progress = Progress::new(count, "frames", verbosity);
    let mut clock = puppet.start_springs(start)?;
    for (index, &time) in times.iter().enumerate() {
        puppet.update_at(time, &mut clock)?;
        comparison.solve(&puppet);
        // A camera from the file may move with the pose, so the settings are computed for each frame.
        let settings = moved(&image_args.settings(&subject, &puppet)?, follow.shift(&puppet));
        let mut scene = image_args.finished(scene::frame(&puppet, &settings));
        comparison.add_to_frame(&mut scene, &puppet, settings.scale);
        let image = loaded.renderer.render(&[&loaded.model], &scene, image_args.size())?;
        write(index, &image, settings.background)?;
        progress.step();
    }
    progress.finish();
    watch.stage("draw");
    watch.total();
    Ok(args.posing.exit_code(&missed))
}
