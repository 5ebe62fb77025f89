//! Draws two characters into the window of another program, over the triangle that the program itself draws.
//!
//! ```text
//! cargo run --example embed_wgpu [FRAMES]
//! ```
//!
//! The host has its own instance, surface, device and pipeline. sinew gets the device once, and a view in each frame. The window stays open
//! until the user closes it, or for a given number of frames.

use std::error::Error;
use std::f32::consts::TAU;
use std::sync::Arc;
use std::time::Instant;

use glam::{Affine3A, Quat, Vec3};
use sinew::asset;
use sinew::puppet::Puppet;
use sinew::render::{Background, Canvas, DecodedImages, Gpu, Instance, Light, Model, Renderer, ShadingMode};
use sinew::scene::{self, ViewSettings};
use sinew::view::{AUTO_FOV_Y, Bounds, Camera};
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::window::{Window, WindowId};

const TRIANGLE: &str = "
    @vertex
    fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
        let at = array<vec2<f32>, 3>(vec2<f32>(-0.9, -0.8), vec2<f32>(0.9, -0.8), vec2<f32>(0.0, 0.9));
        return vec4<f32>(at[index], 0.0, 1.0);
    }

    @fragment
    fn color() -> @location(0) vec4<f32> {
        return vec4<f32>(0.02, 0.14, 0.16, 1.0);
    }
";

fn main() -> Result<(), Box<dyn Error>> {
    let frames = std::env::args().nth(1).map(|text| text.parse()).transpose()?;
    let mut program = Program { frames, ..Program::default() };
    EventLoop::new()?.run_app(&mut program)?;
    program.failed.map_or(Ok(()), Err)
}

#[derive(Default)]
struct Program {
    host: Option<Host>,
    frames: Option<u32>,
    failed: Option<Box<dyn Error>>,
}

impl ApplicationHandler for Program {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        let attributes = Window::default_attributes().with_title("embed_wgpu");
        let opened = event_loop.create_window(attributes).map_err(Into::into);
        match opened.and_then(|window| Host::new(Arc::new(window))) {
            Ok(host) => self.host = Some(host),
            Err(error) => {
                self.failed = Some(error);
                event_loop.exit();
            }
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(host) = &mut self.host else { return };
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(size) => host.resize(size.width, size.height),
            WindowEvent::RedrawRequested => {
                if let Err(error) = host.draw() {
                    self.failed = Some(error);
                    event_loop.exit();
                }
                if let Some(frames) = &mut self.frames {
                    *frames = frames.saturating_sub(1);
                    if *frames == 0 {
                        event_loop.exit();
                    }
                }
                host.window.request_redraw();
            }
            _ => {}
        }
    }
}

/// The host's own resources, and the sinew objects that it keeps.
struct Host {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    device: wgpu::Device,
    queue: wgpu::Queue,
    triangle: wgpu::RenderPipeline,
    renderer: Renderer,
    models: [Model; 2],
    puppets: [Puppet; 2],
    began: Instant,
}

impl Host {
    fn new(window: Arc<Window>) -> Result<Self, Box<dyn Error>> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let surface = instance.create_surface(Arc::clone(&window))?;
        let options =
            wgpu::RequestAdapterOptions { compatible_surface: Some(&surface), ..Default::default() };
        let adapter = pollster::block_on(instance.request_adapter(&options))?;
        let (device, queue) = pollster::block_on(adapter.request_device(&Default::default()))?;
        let size = window.inner_size();
        let (width, height) = (size.width.max(1), size.height.max(1));
        let config =
            surface.get_default_config(&adapter, width, height).ok_or("the surface has no format")?;
        surface.configure(&device, &config);
        let triangle = triangle(&device, config.format);

        let renderer = Renderer::new(Gpu::from_device(device.clone(), queue.clone(), adapter.get_info()));
        let spider = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/spider.glb");
        let puppets =
            [Puppet::new(asset::mannequin()?, 0), Puppet::new(asset::load(std::path::Path::new(spider))?, 0)];
        let model = |puppet: &Puppet| {
            let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
            renderer.model(puppet.character(), puppet.parts(), &images)
        };
        let models = [model(&puppets[0])?, model(&puppets[1])?];
        let began = Instant::now();
        Ok(Self { window, surface, config, device, queue, triangle, renderer, models, puppets, began })
    }

    fn resize(&mut self, width: u32, height: u32) {
        (self.config.width, self.config.height) = (width.max(1), height.max(1));
        self.surface.configure(&self.device, &self.config);
    }

    fn draw(&mut self) -> Result<(), Box<dyn Error>> {
        let texture = match self.surface.get_current_texture() {
            wgpu::CurrentSurfaceTexture::Success(texture)
            | wgpu::CurrentSurfaceTexture::Suboptimal(texture) => texture,
            _ => return Ok(()),
        };
        let view = texture.texture.create_view(&Default::default());
        let mut encoder = self.device.create_command_encoder(&Default::default());
        self.draw_triangle(&view, &mut encoder);

        // The characters walk on the spot, side by side.
        let seconds = self.began.elapsed().as_secs_f32();
        for puppet in &mut self.puppets {
            puppet.options.looping = true;
            let walk = puppet.character().clips.iter().position(|clip| clip.name.as_deref() == Some("walk"));
            puppet.play(walk.unwrap_or_default(), seconds);
            puppet.update()?;
        }
        let size = (self.config.width, self.config.height);
        let bounds = Bounds { lo: [-1.3, 0.0, -0.6].into(), hi: [1.3, 1.8, 0.6].into() };
        #[expect(clippy::cast_precision_loss, reason = "window sizes are far below 2^24")]
        let aspect = size.0 as f32 / size.1 as f32;
        let settings = ViewSettings::new(Camera::framing(&bounds, AUTO_FOV_Y, aspect), bounds)
            .with_light(Light::default())
            .with_background(Background::Keep);
        let [man, spider] = &self.puppets;
        let mut frame = scene::frame(man, &settings);
        let at = |x: f32, turns: f32| {
            Affine3A::from_rotation_translation(Quat::from_rotation_y(turns * TAU), Vec3::new(x, 0.0, 0.0))
        };
        frame.instances = vec![
            Instance { place: at(-0.6, 0.1), ..scene::instance(man) },
            Instance { model: 1, place: at(0.7, seconds * 0.05), ..scene::instance(spider) },
        ];
        let canvas = Canvas { view: &view, format: self.config.format, size, area: size, is_hdr: false };
        let [first, second] = &self.models;
        self.renderer.draw(&[first, second], &frame, &canvas, &mut encoder)?;
        self.queue.submit([encoder.finish()]);
        self.window.pre_present_notify();
        self.queue.present(texture);
        Ok(())
    }

    /// Draws the host's own scene.
    fn draw_triangle(&self, view: &wgpu::TextureView, encoder: &mut wgpu::CommandEncoder) {
        let clear = wgpu::Color { r: 0.35, g: 0.42, b: 0.42, a: 1.0 };
        let ops = wgpu::Operations { load: wgpu::LoadOp::Clear(clear), store: wgpu::StoreOp::Store };
        let attachment =
            wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(attachment)],
            ..Default::default()
        });
        pass.set_pipeline(&self.triangle);
        pass.draw(0..3, 0..1);
    }
}

fn triangle(device: &wgpu::Device, format: wgpu::TextureFormat) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("triangle"),
        source: wgpu::ShaderSource::Wgsl(TRIANGLE.into()),
    });
    let target = wgpu::ColorTargetState { format, blend: None, write_mask: wgpu::ColorWrites::ALL };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("triangle"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("corner"),
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: Default::default(),
        depth_stencil: None,
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("color"),
            compilation_options: Default::default(),
            targets: &[Some(target)],
        }),
        multiview_mask: None,
        cache: None,
    })
}
