//! Time per frame of the renderer for each look, on a software adapter.
//!
//! ```text
//! cargo bench -p sinew-benches --bench draw [-- OPTIONS]
//! ```
//!
//! | option | meaning |
//! |---|---|
//! | `--model FILE` | the character [default: CesiumMan of `SINEW_TEST_DATA`, otherwise the mannequin] |
//! | `--looks A,B` | the looks to measure [default: all] |
//! | `--rounds N` | number of rounds [default: 24] |
//! | `--adapter NAME` | as for `sinew render` [default: cpu] |
//! | `--json` | prints one line of JSON instead of a table |
//!
//! The character is animated and drawn at 1280×720 into a texture that is not read back. Each frame is posed, encoded and
//! submitted, and the next one begins when the device has finished it. The looks take turns, a few frames each, so that other
//! programs on the machine disturb all of them alike. The first numbers are wall time: the median and the minimum of the rounds.
//! The last one is the processor time of all threads.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use sinew::asset;
use sinew::puppet::Puppet;
use sinew::render::{
    Background, Canvas, DecodedImages, Gpu, Light, LightSource, Model, Renderer, ShadingMode,
};
use sinew::scene::{self, ViewSettings};
use sinew::view::{AUTO_FOV_Y, Bounds, Camera};
use wgpu::{Extent3d, TextureDescriptor, TextureDimension, TextureFormat, TextureUsages};

const SIZE: (u32, u32) = (1280, 720);
const FRAMES_PER_ROUND: u16 = 4;
const FRAMES_PER_SECOND: f32 = 30.0;
const CESIUM_MAN: &str = "models/vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb";

/// Name, shading mode, sample count, floor and shadow of each look.
const LOOKS: [(&str, ShadingMode, u32, bool, bool); 8] = [
    ("mask", ShadingMode::Mask, 1, false, false),
    ("lambert", ShadingMode::Lambert, 1, false, false),
    ("bare", ShadingMode::Shaded, 1, false, false),
    ("floor", ShadingMode::Shaded, 1, true, false),
    ("shadow", ShadingMode::Shaded, 1, false, true),
    ("floor and shadow", ShadingMode::Shaded, 1, true, true),
    ("4 samples", ShadingMode::Shaded, 4, false, false),
    ("default", ShadingMode::Shaded, 4, true, true),
];

/// Looks in studio light with ambient occlusion: their names, and whether the adapter runs compute shaders. With compute shaders, vertices
/// are skinned once for all maps.
const OCCLUDED: [(&str, bool); 2] = [("occlusion", true), ("without compute", false)];

struct Arguments {
    model: Option<PathBuf>,
    looks: Option<Vec<String>>,
    rounds: usize,
    adapter: String,
    json: bool,
}

impl Arguments {
    fn parse() -> Self {
        let mut options =
            Self { model: default_model(), looks: None, rounds: 24, adapter: "cpu".into(), json: false };
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            let mut value = || arguments.next().unwrap_or_else(|| fail(&format!("{name} needs a value")));
            match name.as_str() {
                "--model" => options.model = Some(value().into()),
                "--looks" => options.looks = Some(value().split(',').map(str::to_owned).collect()),
                "--rounds" => options.rounds = value().parse().unwrap_or_else(|_| fail("invalid --rounds")),
                "--adapter" => options.adapter = value(),
                "--json" => options.json = true,
                // Cargo passes this to every benchmark.
                "--bench" => {}
                _ => fail(&format!("unknown option {name}")),
            }
        }
        options
    }

    fn measures(&self, look: &str) -> bool {
        self.looks.as_ref().is_none_or(|looks| looks.iter().any(|name| name == look))
    }
}

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(2)
}

fn default_model() -> Option<PathBuf> {
    let folder = std::env::var_os("SINEW_TEST_DATA")?;
    Some(PathBuf::from(folder).join(CESIUM_MAN)).filter(|path| path.exists())
}

/// Each look has its own renderer, so that a change of look does not replace the render targets.
struct Look {
    name: &'static str,
    settings: ViewSettings,
    is_occluded: bool,
    renderer: Renderer,
    model: Model,
    view: wgpu::TextureView,
    format: TextureFormat,
    frame: u16,
    /// Time per frame in milliseconds for each round.
    wall: Vec<f64>,
    processor: Vec<f64>,
}

impl Look {
    /// Draws some frames, and returns wall time and processor time per frame in milliseconds.
    fn draw(&mut self, puppet: &mut Puppet, frames: u16) -> (f64, f64) {
        let (began, busy) = (Instant::now(), processor_time());
        let gpu = self.renderer.gpu().clone();
        for _ in 0..frames {
            puppet.time = f32::from(self.frame) / FRAMES_PER_SECOND;
            self.frame = (self.frame + 1) % 1000;
            puppet.update().unwrap();
            let canvas =
                Canvas { view: &self.view, format: self.format, size: SIZE, area: SIZE, is_hdr: false };
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let mut frame = scene::frame(puppet, &self.settings);
            frame.ambient_occlusion = self.is_occluded;
            self.renderer.draw(&[&self.model], &frame, &canvas, &mut encoder).unwrap();
            let work = gpu.queue.submit([encoder.finish()]);
            let wait = wgpu::PollType::Wait { submission_index: Some(work), timeout: None };
            gpu.device.poll(wait).unwrap();
        }
        let per_frame = |time: Duration| 1e3 * time.as_secs_f64() / f64::from(frames);
        (per_frame(began.elapsed()), per_frame(processor_time().saturating_sub(busy)))
    }
}

/// Returns the processor time of this process, or zero if the system does not report it in `/proc`.
fn processor_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanoseconds = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

fn minimum(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn main() {
    let options = Arguments::parse();
    let character = match &options.model {
        Some(path) => asset::load(path).unwrap(),
        None => asset::mannequin().unwrap(),
    };
    let mut puppet = Puppet::new(character, 0);
    if !puppet.character().clips.is_empty() {
        puppet.play(0, 0.0);
        puppet.options.looping = true;
    }
    let gpu = Gpu::new(&options.adapter.parse().unwrap()).unwrap();
    let bounds = bounds(&mut puppet);
    #[expect(clippy::cast_precision_loss, reason = "a small image")]
    let camera = Camera::framing(&bounds, AUTO_FOV_Y, SIZE.0 as f32 / SIZE.1 as f32);
    let mut looks: Vec<Look> = LOOKS
        .into_iter()
        .filter(|(name, ..)| options.measures(name))
        .map(|(name, mode, samples, floor, shadow)| {
            let background = if mode == ShadingMode::Mask { Background::BLACK } else { Background::STUDIO };
            let settings = ViewSettings::new(camera, bounds)
                .with_mode(mode)
                .with_light(Light::default())
                .with_background(background)
                .with_samples(samples)
                .with_floor(floor)
                .with_shadow(shadow);
            look(&gpu, &puppet, name, settings)
        })
        .collect();
    for (name, computes) in OCCLUDED.into_iter().filter(|(name, _)| options.measures(name)) {
        let settings = ViewSettings::new(camera, bounds)
            .with_light(Light::new(LightSource::Studio))
            .with_background(Background::STUDIO);
        let gpu = if computes { gpu.clone() } else { without_compute(&gpu) };
        looks.push(Look { is_occluded: true, ..look(&gpu, &puppet, name, settings) });
    }
    for look in &mut looks {
        look.draw(&mut puppet, 2 * FRAMES_PER_ROUND);
    }
    for _ in 0..options.rounds {
        for look in &mut looks {
            let (wall, processor) = look.draw(&mut puppet, FRAMES_PER_ROUND);
            look.wall.push(wall);
            look.processor.push(processor);
        }
    }
    if options.json {
        print_json(&looks, &camera);
    } else {
        print_table(&looks, &gpu, options.model.as_deref());
    }
}

/// Opens the adapter again with a limit that is too low for the compute shaders.
fn without_compute(gpu: &Gpu) -> Gpu {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(gpu.info.backend.into()));
    let adapter = adapters.into_iter().find(|adapter| adapter.get_info().name == gpu.info.name).unwrap();
    let required_limits =
        wgpu::Limits { max_compute_invocations_per_workgroup: 128, ..wgpu::Limits::default() };
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    Gpu::from_device(device, queue, gpu.info.clone())
}

/// Returns the box around all frames of the clip.
fn bounds(puppet: &mut Puppet) -> Bounds {
    let mut bounds = Bounds::default();
    for frame in 0..30_u8 {
        puppet.time = f32::from(frame) / FRAMES_PER_SECOND;
        puppet.update().unwrap();
        let now = puppet.bounds();
        bounds.extend([now.lo, now.hi]);
    }
    bounds
}

fn look(gpu: &Gpu, puppet: &Puppet, name: &'static str, settings: ViewSettings) -> Look {
    let renderer = Renderer::new(gpu.clone());
    let images = DecodedImages::decode(puppet.character(), puppet.parts(), settings.mode);
    let model = renderer.model(puppet.character(), puppet.parts(), &images).unwrap();
    let is_data = settings.mode == ShadingMode::Mask;
    let format = if is_data { TextureFormat::Rgba8Unorm } else { TextureFormat::Rgba8UnormSrgb };
    let texture = gpu.device.create_texture(&TextureDescriptor {
        label: None,
        size: Extent3d { width: SIZE.0, height: SIZE.1, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format,
        usage: TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    let view = texture.create_view(&Default::default());
    let (wall, processor) = (Vec::new(), Vec::new());
    Look { name, settings, is_occluded: false, renderer, model, view, format, frame: 0, wall, processor }
}

fn print_table(looks: &[Look], gpu: &Gpu, model: Option<&std::path::Path>) {
    let name = model.and_then(|path| path.file_stem()).map_or("mannequin".into(), |n| n.to_string_lossy());
    println!("{name}, {}x{}, {}", SIZE.0, SIZE.1, gpu.describe());
    println!(
        "{:<18} {:>10} {:>10} {:>12} {:>10}",
        "look", "median ms", "minimum ms", "processor ms", "of bare"
    );
    let bare = looks.iter().find(|look| look.name == "bare").map(|look| minimum(&look.wall));
    for look in looks {
        let (wall, least) = (median(&look.wall), minimum(&look.wall));
        let ratio = bare.map_or(f64::NAN, |bare| least / bare);
        let busy = median(&look.processor);
        println!("{:<18} {wall:>10.2} {least:>10.2} {busy:>12.2} {ratio:>10.2}", look.name);
    }
}

/// Prints the camera and the times of all rounds, for `benches/peers/three.mjs`.
fn print_json(looks: &[Look], camera: &Camera) {
    let times: Vec<String> = looks.iter().map(|look| format!("{:?}:{:?}", look.name, look.wall)).collect();
    let (position, target) = (camera.position.to_array(), camera.target.to_array());
    println!(
        "{{\"camera\":{{\"position\":{position:?},\"target\":{target:?},\"fov\":{},\"near\":{},\"far\":{}}},\"looks\":{{{}}}}}",
        AUTO_FOV_Y.to_degrees(),
        camera.near,
        camera.far,
        times.join(",")
    );
}
