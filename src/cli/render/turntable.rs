//! `sinew render --turntable`: images of a figure that turns around once.

use std::f32::consts::TAU;
use std::process::ExitCode;

use clap::ArgMatches;
use glam::{Affine3A, Quat, Vec3};

use crate::asset::DecodedImage;
use crate::cli::failure::Failure;
use crate::cli::posing::secondary;
use crate::cli::progress::Progress;
use crate::cli::timing::Stopwatch;
use crate::cli::{Verbosity, output};
use crate::render::{Background, Frame};
use crate::scene;
use crate::scene::compare::Candidate;

use super::animated::{self, AnimatedKind, Timing};
use super::{FrameRange, OutputNames, PendingRenderer, RenderArgs};

/// Maximum number of images from which a GIF's colours are chosen.
const SAMPLES: u32 = 8;

pub(super) fn run(
    args: &RenderArgs,
    count: u32,
    matches: &ArgMatches,
    verbosity: Verbosity,
) -> Result<ExitCode, Failure> {
    let mut watch = Stopwatch::new(verbosity.verbose);
    let is_sequence = args.output.to_string_lossy().contains("{frame");
    let timing = Timing { count, rate: args.fps };
    let kind =
        if is_sequence { None } else { Some(AnimatedKind::of(&args.output, args.image.size(), timing)?) };
    let frames = is_sequence.then_some(FrameRange { first: 0, end: count });
    args.protect_inputs()?;
    let names = match kind {
        Some(_) => {
            output::check(&args.output)?;
            None
        }
        None => {
            let names = OutputNames::new(&args.output, frames)?;
            names.check(frames)?;
            Some(names)
        }
    };
    let pending = PendingRenderer::open(&args.image, verbosity);
    let mut puppet = args.puppet(matches, verbosity, &mut watch)?;
    secondary::pose(&mut puppet)?;
    watch.stage("pose");
    let comparison = args.comparison(&puppet, verbosity);
    let mut subject = args.image.subject();
    let puppets = || std::iter::once(&puppet).chain(comparison.candidates().iter().map(Candidate::puppet));
    puppets().for_each(|puppet| subject.add(puppet));
    let (center, _) = subject.bounds.sphere();
    #[expect(clippy::cast_precision_loss, reason = "there are at most a few thousand images")]
    let turn = |image: u32| turn_about(center, TAU * image as f32 / count as f32);
    puppets().for_each(|puppet| subject.add_turning(puppet, (0..count).map(turn)));
    let settings = args.image.settings(&subject, &puppet)?;
    let mut loaded = pending.load(&puppet, args.image.mode(), &mut watch)?;
    let mut draw = |image: u32| -> Result<DecodedImage, Failure> {
        let mut frame = args.image.finished(scene::frame(&puppet, &settings));
        comparison.add_to_frame(&mut frame, &puppet, settings.scale);
        turn_frame(&mut frame, &turn(image));
        Ok(loaded.renderer.render(&[&loaded.model], &frame, args.image.size())?)
    };
    let progress = Progress::new(count, "frames", verbosity);
    if let Some(names) = names {
        let mut files = output::Sequence::default();
        for image in 0..count {
            files.write(&names.numbered(image), &draw(image)?.png(settings.background)?)?;
            progress.step();
        }
        files.finish(&args.output)?;
    } else if let Some(kind) = kind {
        let is_transparent = settings.background == Background::Transparent;
        let step = if kind.needs_samples() { count.div_ceil(SAMPLES) } else { count };
        let sampled = (0..count).step_by(step as usize).filter(|_| kind.needs_samples());
        let samples: Vec<DecodedImage> = sampled.map(&mut draw).collect::<Result<_, _>>()?;
        let mut images = (0..count).map(|image| {
            progress.step();
            draw(image)
        });
        animated::write(&args.output, kind, is_transparent, timing, &samples, &mut images)?;
    }
    progress.finish();
    watch.stage("draw");
    watch.total();
    Ok(args.posing.exit_code(puppet.reports()))
}

/// Returns the rotation by an angle in radians about the vertical axis through a point.
fn turn_about(center: Vec3, angle: f32) -> Affine3A {
    let axis = center.with_y(0.0);
    let turn = Affine3A::from_quat(Quat::from_rotation_y(angle));
    Affine3A::from_translation(axis) * turn * Affine3A::from_translation(-axis)
}

/// Rotates the instances, ghosts, lines and fills of a frame. Crowds, the floor, the light and the camera stay in place.
fn turn_frame(frame: &mut Frame<'_>, turn: &Affine3A) {
    for instance in frame.instances.iter_mut().chain(&mut frame.ghosts) {
        instance.place = *turn * instance.place;
    }
    for line in &mut frame.lines {
        (line.start, line.end) = (turn.transform_point3(line.start), turn.transform_point3(line.end));
    }
    for fill in &mut frame.fills {
        fill.corners = fill.corners.map(|corner| turn.transform_point3(corner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_stays_and_the_front_turns_to_the_left_side() {
        let turn = turn_about(Vec3::new(1.0, 5.0, 2.0), std::f32::consts::FRAC_PI_2);
        for height in [-1.0, 0.0, 3.0] {
            let axis = Vec3::new(1.0, height, 2.0);
            assert!(turn.transform_point3(axis).distance(axis) < 1e-6);
        }
        assert!(turn.transform_point3(Vec3::new(1.0, 0.0, 3.0)).distance(Vec3::new(2.0, 0.0, 2.0)) < 1e-6);
    }
}
