//! Draws the crowd of `sinew crowd --terrain flat --light classic` with Bevy, without a window, and prints the time per frame.
//!
//! ```text
//! bevy-crowd [--count N] [--seed N] [--frames N] [-o OUT.png]
//! ```
//!
//! The figures have the same positions, clips, phases and colours as in sinew, and the camera, the lights and the shadow map are the same.
//! Bevy's animation player poses all figures in each frame. As in sinew, the image of each frame is read back, and the next image begins
//! when the adapter has finished. OUT.png is the last image. `WGPU_ADAPTER_NAME` is part of the name of the adapter.
//!
//! Bevy runs as it does by default: the systems of a frame use all cores, and the next frame is posed while the last one is drawn.

mod layout;
mod scene;
mod timing;
mod tint;

use std::path::PathBuf;
use std::time::Duration;

use bevy::app::ScheduleRunnerPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::time::TimeUpdateStrategy;
use bevy::window::ExitCondition;

use layout::Crowd;
use scene::ScenePlugin;
use timing::TimingPlugin;
use tint::TintPlugin;

const ASSETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../assets");
/// Default frame rate of `sinew crowd`.
const FRAMES_PER_SECOND: u32 = 24;

/// The options of the program.
#[derive(Resource)]
struct Options {
    count: u32,
    seed: u32,
    /// Number of frames to measure.
    frames: u32,
    image: Option<PathBuf>,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { count: 1000, seed: 1, frames: 8, image: None };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
            let number = || value.parse().ok().filter(|n| *n > 0).ok_or(format!("{name} must be at least 1"));
            match name.as_str() {
                "--count" => options.count = number()?,
                "--seed" => options.seed = number()?,
                "--frames" => options.frames = number()?,
                "-o" => options.image = Some(value.into()),
                _ => return Err(format!("unknown option {name}")),
            }
        }
        Ok(options)
    }
}

fn main() -> AppExit {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}");
            return AppExit::from_code(2);
        }
    };
    let plugins = DefaultPlugins
        .set(AssetPlugin { file_path: ASSETS.into(), ..default() })
        // Without this option, figures would be missing from the first images, until their pipelines are compiled.
        .set(RenderPlugin { synchronous_pipeline_compilation: true, ..default() })
        .set(WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() });
    App::new()
        .add_plugins((plugins, ScheduleRunnerPlugin::run_loop(Duration::ZERO)))
        .add_plugins((TintPlugin, ScenePlugin, TimingPlugin))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(1) / FRAMES_PER_SECOND))
        .insert_resource(Crowd::new(options.count, options.seed))
        .insert_resource(options)
        .run()
}
