//! `cargo bench -p sinew-benches --bench crowd [-- COUNT…]` measures crowds of the built-in character on hills: CPU and GPU
//! time per frame, and memory. Without timestamps, the GPU times include waiting. `SINEW_ADAPTER` selects an adapter in the
//! format of `--adapter`.
//!
//! In the rows with all triangles, small characters are not simplified. In the rows for rigid models, the same vertices are drawn without
//! joints.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::Affine3A;
use sinew::asset::{self, Character};
use sinew::crowd::Crowd;
use sinew::render::{Background, Canvas, Gpu, Light, Renderer, ShadingMode, drawable_texture};
use sinew::rig;
use sinew::scene::{CrowdGround, CrowdLayout, CrowdMeter, CrowdScene, CrowdStats, ViewSettings};
use sinew::view::AUTO_FOV_Y;

const SIZE: (u32, u32) = (1280, 720);
const COUNTS: [u32; 4] = [1, 100, 1_000, 10_000];
/// Numbers of warm-up frames and measured frames. A software adapter needs minutes for a large crowd.
const WARM_UP: usize = 3;
const FRAMES: usize = 9;
const LARGE_ON_CPU: u32 = 1_000;

fn main() {
    let named = |text: String| text.parse().ok();
    let counts: Vec<u32> = std::env::args().skip(1).filter_map(named).collect();
    let counts = if counts.is_empty() { COUNTS.to_vec() } else { counts };
    let adapter = std::env::var("SINEW_ADAPTER").unwrap_or_else(|_| "auto".to_owned());
    let gpu = Gpu::new(&adapter.parse().unwrap()).unwrap();
    println!("{}", gpu.describe());
    println!(
        "{:>10} {:>13} | {:>9} {:>11} {:>9} {:>11} {:>11} | {:>11} {:>9}",
        "characters", "model", "CPU ms", "step ms", "cull ms", "draw ms", "frame ms", "triangles", "MB"
    );
    let levels = Crowd::PIXEL_ERROR;
    for &count in &counts {
        for (kind, is_rigid, pixel_error) in
            [("skinned", false, levels), ("all triangles", false, 0.0), ("rigid", true, levels)]
        {
            let (stats, whole) = measure(&gpu, count, is_rigid, pixel_error);
            let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
            let times = &stats.times;
            let [cpu, step, draw, whole] = [times.cpu, times.step, times.draw, whole].map(milliseconds);
            let cull = times.cull.map_or(f64::NAN, milliseconds);
            let triangles = stats.drawn.map_or(0, |drawn| drawn.triangles);
            println!(
                "{count:>10} {kind:>13} | {cpu:>9.3} {step:>11.3} {cull:>9.3} {draw:>11.3} {whole:>11.2} | {triangles:>11} {:>9.1}",
                stats.bytes as f64 / 1e6
            );
        }
    }
}

/// Returns the medians of a crowd's frames, and the median time from the start of a frame to its end on the GPU.
fn measure(gpu: &Gpu, count: u32, is_rigid: bool, pixel_error: f32) -> (CrowdStats, Duration) {
    let mut character = asset::mannequin().unwrap();
    if is_rigid {
        without_joints(&mut character);
    }
    let rig = if is_rigid { rig::Rig::default() } else { rig::detect(&character) };
    let mut renderer = Renderer::new(gpu.clone());
    let ground = CrowdGround::Hills;
    let layout = CrowdLayout { count, ground, seed: 1, looks: 1.0, pixel_error, occlusion: false };
    let characters = [(Arc::new(character), rig)];
    let mut scene = CrowdScene::new(&mut renderer, &characters, &layout, ShadingMode::Shaded).unwrap();
    let is_slow = gpu.info.device_type == wgpu::DeviceType::Cpu && count > LARGE_ON_CPU;
    let (warm_up, frames) = if is_slow { (1, 1) } else { (WARM_UP, FRAMES) };
    let camera = scene.camera(AUTO_FOV_Y, SIZE.0 as f32 / SIZE.1 as f32);
    let settings = ViewSettings::new(camera, scene.bounds())
        .with_light(Light::default())
        .with_background(Background::STUDIO)
        .with_samples(1)
        .with_floor(false)
        .with_shadow(false);
    let format = wgpu::TextureFormat::Rgba8UnormSrgb;
    let view = drawable_texture(gpu, "crowd", SIZE, format, &[]).create_view(&Default::default());
    let canvas = Canvas { view: &view, format, size: SIZE, area: SIZE, is_hdr: false };
    let mut meter = CrowdMeter::waiting(gpu);
    let mut frame = || {
        let began = Instant::now();
        meter.draw(&mut renderer, &mut scene, 1.0 / 60.0, &settings, &canvas).unwrap();
        (meter.latest().unwrap().clone(), began.elapsed())
    };
    for _ in 0..warm_up {
        frame();
    }
    let (stats, mut times): (Vec<CrowdStats>, Vec<Duration>) = (0..frames).map(|_| frame()).unzip();
    times.sort_unstable();
    (CrowdStats::median(&stats).unwrap(), times[times.len() / 2])
}

/// Removes skins and clips, so that every part moves only with its node.
fn without_joints(character: &mut Character) {
    character.clips.clear();
    for node in &mut character.skeleton.nodes {
        node.skin = None;
        if node.mesh.is_none() {
            node.rest = sinew::asset::Transform::from_affine(Affine3A::IDENTITY);
        }
    }
}
