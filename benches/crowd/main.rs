//! `cargo bench -p sinew-benches --bench crowd [-- COUNT…]` measures crowds of the built-in character on hills: CPU and GPU
//! time per frame, and memory. Adapters without timestamps have no GPU times. `SINEW_ADAPTER` selects an adapter in the
//! format of `--adapter`.
//!
//! In the rows with all triangles, small characters are not simplified. In the rows for rigid models, the same vertices are drawn without
//! joints.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use std::sync::Arc;
use std::time::Instant;

use glam::Affine3A;
use sinew::asset::{self, Character};
use sinew::crowd::Crowd;
use sinew::render::{Background, Canvas, Gpu, Light, Renderer, ShadingMode};
use sinew::rig;
use sinew::scene::{CrowdLayout, CrowdScene, ViewSettings};
use sinew::view::AUTO_FOV_Y;
use wgpu::Features;

const SIZE: (u32, u32) = (1280, 720);
const COUNTS: [u32; 4] = [1, 100, 1_000, 10_000];
/// Numbers of warm-up frames and measured frames. A software adapter needs minutes for a large crowd.
const WARM_UP: usize = 3;
const FRAMES: usize = 9;
const LARGE_ON_CPU: u32 = 1_000;

/// Milliseconds of a frame.
#[derive(Clone, Copy, Default)]
struct Times {
    cpu: f64,
    step: f64,
    draw: f64,
    whole: f64,
}

fn main() {
    let named = |text: String| text.parse().ok();
    let counts: Vec<u32> = std::env::args().skip(1).filter_map(named).collect();
    let counts = if counts.is_empty() { COUNTS.to_vec() } else { counts };
    let adapter = std::env::var("SINEW_ADAPTER").unwrap_or_else(|_| "auto".to_owned());
    let gpu = Gpu::new(&adapter.parse().unwrap()).unwrap();
    println!("{}", gpu.describe());
    println!(
        "{:>10} {:>13} | {:>9} {:>11} {:>11} {:>11} | {:>11} {:>9}",
        "characters", "model", "CPU ms", "step ms", "draw ms", "frame ms", "triangles", "MB"
    );
    let levels = Crowd::PIXEL_ERROR;
    for &count in &counts {
        for (kind, is_rigid, pixel_error) in
            [("skinned", false, levels), ("all triangles", false, 0.0), ("rigid", true, levels)]
        {
            let (Times { cpu, step, draw, whole }, triangles, bytes) =
                measure(&gpu, count, is_rigid, pixel_error);
            println!(
                "{count:>10} {kind:>13} | {cpu:>9.3} {step:>11.3} {draw:>11.3} {whole:>11.2} | {triangles:>11} {:>9.1}",
                bytes as f64 / 1e6
            );
        }
    }
}

/// Returns the median times of a crowd, the number of triangles in the last frame, and the size of the buffers in bytes.
fn measure(gpu: &Gpu, count: u32, is_rigid: bool, pixel_error: f32) -> (Times, u64, u64) {
    let mut character = asset::mannequin().unwrap();
    if is_rigid {
        without_joints(&mut character);
    }
    let rig = if is_rigid { rig::Rig::default() } else { rig::detect(&character) };
    let mut renderer = Renderer::new(gpu.clone());
    let layout = CrowdLayout { count, hills: true, seed: 1, looks: 1.0, pixel_error };
    let characters = [(Arc::new(character), rig)];
    let mut scene = CrowdScene::new(&mut renderer, &characters, &layout, ShadingMode::Shaded).unwrap();
    let is_slow = gpu.info.device_type == wgpu::DeviceType::Cpu && count > LARGE_ON_CPU;
    let frames = if is_slow { 2 } else { WARM_UP + FRAMES };
    let target = target(gpu);
    let mut times: Vec<Times> = (0..frames).map(|_| frame(gpu, &mut renderer, &mut scene, &target)).collect();
    let times = times.split_off(frames.min(if is_slow { 1 } else { WARM_UP }));
    let median = |value: fn(&Times) -> f64| {
        let mut values: Vec<f64> = times.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let times = Times {
        cpu: median(|t| t.cpu),
        step: median(|t| t.step),
        draw: median(|t| t.draw),
        whole: median(|t| t.whole),
    };
    (times, scene.read_drawn().unwrap().triangles, scene.bytes())
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

fn target(gpu: &Gpu) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: SIZE.0, height: SIZE.1, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8UnormSrgb,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    })
}

/// Steps and draws a frame, and waits for the GPU.
fn frame(gpu: &Gpu, renderer: &mut Renderer, scene: &mut CrowdScene, target: &wgpu::Texture) -> Times {
    let timestamps = Timestamps::new(gpu);
    let began = Instant::now();
    let camera = scene.camera(AUTO_FOV_Y, SIZE.0 as f32 / SIZE.1 as f32);
    let settings = ViewSettings::new(camera, scene.bounds())
        .with_light(Light::default())
        .with_background(Background::STUDIO)
        .with_samples(1)
        .with_floor(false)
        .with_shadow(false);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    timestamps.write(&mut encoder, 0);
    scene.step(&mut encoder, 1.0 / 60.0, camera.position).unwrap();
    timestamps.write(&mut encoder, 1);
    let view = target.create_view(&Default::default());
    let canvas = Canvas { view: &view, format: target.format(), size: SIZE, area: SIZE, is_hdr: false };
    renderer.draw(&scene.models(), &scene.frame(&settings), &canvas, &mut encoder).unwrap();
    timestamps.write(&mut encoder, 2);
    timestamps.resolve(&mut encoder);
    let commands = encoder.finish();
    gpu.queue.submit([commands]);
    let cpu = began.elapsed();
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let whole = began.elapsed();
    let [step, draw] = timestamps.read(gpu);
    Times { cpu: cpu.as_secs_f64() * 1e3, step, draw, whole: whole.as_secs_f64() * 1e3 }
}

/// Three GPU timestamps, if the adapter supports them.
struct Timestamps(Option<(wgpu::QuerySet, wgpu::Buffer, wgpu::Buffer)>);

impl Timestamps {
    fn new(gpu: &Gpu) -> Self {
        let needed = Features::TIMESTAMP_QUERY | Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        if !gpu.device.features().contains(needed) {
            return Self(None);
        }
        let set = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count: 3,
        });
        let buffer = |usage| {
            let (label, size, mapped_at_creation) = (None, 24, false);
            gpu.device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation })
        };
        let resolved = buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC);
        Self(Some((set, resolved, buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST))))
    }

    fn write(&self, encoder: &mut wgpu::CommandEncoder, index: u32) {
        if let Some((set, _, _)) = &self.0 {
            encoder.write_timestamp(set, index);
        }
    }

    fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some((set, resolved, read)) = &self.0 {
            encoder.resolve_query_set(set, 0..3, resolved, 0);
            encoder.copy_buffer_to_buffer(resolved, 0, read, 0, 24);
        }
    }

    /// Returns the milliseconds between the timestamps.
    fn read(&self, gpu: &Gpu) -> [f64; 2] {
        let Some((_, _, buffer)) = &self.0 else { return [f64::NAN; 2] };
        buffer.map_async(wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let bytes = buffer.get_mapped_range(..).unwrap();
        let at = |i: usize| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap());
        let period = f64::from(gpu.queue.get_timestamp_period()) * 1e-6;
        [0, 1].map(|i| at(i + 1).wrapping_sub(at(i)) as f64 * period)
    }
}
