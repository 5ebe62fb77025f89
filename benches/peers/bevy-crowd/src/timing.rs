//! Measures the time per frame, and saves the last image.

use std::path::Path;
use std::time::{Duration, Instant};

use bevy::asset::RenderAssetUsages;
use bevy::prelude::*;
use bevy::render::gpu_readback::{Readback, ReadbackComplete};
use bevy::render::render_resource::{PollType, TextureDimension};
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};
use bevy::render::{Render, RenderApp, RenderSystems};
use sinew_base::mathematics::quantile;

use crate::Options;
use crate::scene::{Ready, Target};

/// Minimum number of frames, and minimum time, before the measured frames. All figures are in their first pose. During this time, Bevy
/// prepares the figures and compiles pipelines.
const WARM_UP: (u32, Duration) = (8, Duration::from_secs(2));
/// Number of frames that are drawn after the measured frames, with all figures in their last pose, because Bevy returns an image one frame
/// after it was drawn.
const REST: u32 = 2;

/// What has been drawn since all figures were spawned.
#[derive(Resource)]
struct Progress {
    /// Number of frames that were not measured.
    warm_up: u32,
    /// Milliseconds of each measured frame.
    times: Vec<f64>,
    /// Number of frames after the measured ones.
    rest: u32,
    /// When all figures were spawned, and when the last frame began.
    spawned: Option<Instant>,
    began: Instant,
}

pub struct TimingPlugin;

impl Plugin for TimingPlugin {
    fn build(&self, app: &mut App) {
        let began = Instant::now();
        app.insert_resource(Progress { warm_up: 0, times: Vec::new(), rest: 0, spawned: None, began })
            .add_systems(Startup, stop_time)
            .add_systems(PostStartup, read_back)
            .add_systems(Last, measure);
        let render_app = app.get_sub_app_mut(RenderApp);
        if let Some(render_app) = render_app {
            render_app.add_systems(Render, wait.in_set(RenderSystems::PostCleanup));
        }
    }
}

fn stop_time(mut time: ResMut<Time<Virtual>>) {
    time.pause();
}

/// Reads back the image of each frame.
fn read_back(mut commands: Commands, target: Res<Target>) {
    commands.spawn(Readback::texture(target.0.clone())).observe(finish);
}

/// Waits until the adapter has drawn the frame. Without a window, frames would pile up.
fn wait(device: Res<RenderDevice>) -> Result {
    device.poll(PollType::wait_indefinitely())?;
    Ok(())
}

/// Measures the time since the last frame, and starts and stops the time of the figures.
fn measure(
    mut progress: ResMut<Progress>,
    mut time: ResMut<Time<Virtual>>,
    options: Res<Options>,
    ready: Res<Ready>,
) {
    let now = Instant::now();
    let frame = now - progress.began;
    progress.began = now;
    if ready.0 < options.count {
        return;
    }
    let spawned = *progress.spawned.get_or_insert(now);
    if time.is_paused() && progress.times.is_empty() {
        progress.warm_up += 1;
        if progress.warm_up >= WARM_UP.0 && now - spawned >= WARM_UP.1 {
            time.unpause();
        }
    } else if !time.is_paused() {
        progress.times.push(1e3 * frame.as_secs_f64());
        if progress.times.len() >= options.frames as usize {
            time.pause();
        }
    } else {
        progress.rest += 1;
    }
}

/// Prints the times after the last frame, and saves its image.
fn finish(
    image: On<ReadbackComplete>,
    progress: Res<Progress>,
    options: Res<Options>,
    adapter: Res<RenderAdapterInfo>,
    target: Res<Target>,
    images: Res<Assets<Image>>,
    mut exit: MessageWriter<AppExit>,
) {
    if progress.rest < REST {
        return;
    }
    println!("adapter   {} ({:?})", adapter.name, adapter.backend);
    let [least, median] = [0.0, 0.5].map(|fraction| quantile(progress.times.clone(), fraction));
    println!("frames    median {median:.2} ms, least {least:.2} ms, of {} frames", progress.times.len());
    let saved = match (&options.image, images.get(&target.0)) {
        (Some(file), Some(target)) => save(target, &image.data, file),
        _ => Ok(()),
    };
    exit.write(match saved {
        Ok(()) => AppExit::Success,
        Err(error) => {
            eprintln!("{error}");
            AppExit::error()
        }
    });
}

/// Writes the pixels that were read back from a texture.
fn save(target: &Image, pixels: &[u8], file: &Path) -> Result<(), String> {
    let size = target.texture_descriptor.size;
    let format = target.texture_descriptor.format;
    let image =
        Image::new(size, TextureDimension::D2, pixels.to_vec(), format, RenderAssetUsages::MAIN_WORLD);
    let image = image.try_into_dynamic().map_err(|error| error.to_string())?;
    image.to_rgb8().save(file).map_err(|error| format!("{}: {error}", file.display()))
}
