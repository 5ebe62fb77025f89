//! The window's pixels: the scene first, the panel over it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Vec2;
use wgpu::{CurrentSurfaceTexture, TextureFormat};
use winit::dpi::PhysicalSize;
use winit::window::Window;

use crate::puppet::Puppet;
use crate::render::{AdapterChoice, Canvas, Frame, Gpu, Mode, Model, Pictures, RenderError, Renderer};

use super::{SaveError, Session};

/// A surface with a renderer for what is behind the panel and one for the panel.
pub(super) struct Graphics {
    renderer: Renderer,
    model: Model,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    /// Formats of the two ways in which the surface is seen: colours, and values as they are.
    formats: [TextureFormat; 2],
    panel: egui_wgpu::Renderer,
}

/// A panel that has been laid out.
pub(super) struct Panel {
    pub(super) textures: egui::TexturesDelta,
    pub(super) shapes: Vec<egui::ClippedPrimitive>,
    pub(super) scale: f32,
}

/// What came of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawn {
    /// It is seen.
    Shown,
    /// There was nothing to draw into; soon there will be.
    Again,
    /// Nobody sees the window.
    Hidden,
}

impl Graphics {
    /// What draws into a window, which has `size` pixels: to ask for them would panic where it has been destroyed.
    pub(super) fn new(
        window: &Arc<Window>,
        size: PhysicalSize<u32>,
        events: &winit::event_loop::ActiveEventLoop,
        choice: &AdapterChoice,
        puppet: &Puppet,
    ) -> Result<Self, RenderError> {
        let display =
            || -> Box<dyn wgpu::wgt::WgpuHasDisplayHandle> { Box::new(events.owned_display_handle()) };
        let (gpu, surface, offered) =
            Gpu::with_surface(choice, display, || wgpu::SurfaceTarget::from(Arc::clone(window)))?;
        let preferred = offered.formats.iter().find(|f| f.is_srgb()).or(offered.formats.first());
        let format =
            *preferred.ok_or_else(|| RenderError::Driver("the window has no pixel format".into()))?;
        // Where a surface can be seen in one way only, colours matter most.
        let plain = if gpu.info.backend == wgpu::Backend::Gl { format } else { format.remove_srgb_suffix() };
        let config = wgpu::SurfaceConfiguration {
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            format,
            color_space: Default::default(),
            width: size.width.max(1),
            height: size.height.max(1),
            present_mode: wgpu::PresentMode::AutoVsync,
            desired_maximum_frame_latency: 1,
            alpha_mode: wgpu::CompositeAlphaMode::Auto,
            view_formats: if plain == format { Vec::new() } else { vec![plain] },
        };
        surface.configure(&gpu.device, &config);
        let panel = egui_wgpu::Renderer::new(&gpu.device, plain, Default::default());
        let renderer = Renderer::new(gpu);
        let pictures = Pictures::decode(puppet.character(), puppet.parts(), Mode::Shaded);
        let model = renderer.model(puppet.character(), puppet.parts(), &pictures)?;
        Ok(Self { renderer, model, surface, config, formats: [format, plain], panel })
    }

    /// What draws, in words.
    pub(super) fn adapter(&self) -> String {
        self.renderer.gpu().describe()
    }

    /// Another character, its pictures decoded.
    pub(super) fn show(&mut self, puppet: &Puppet, pictures: &Pictures) -> Result<(), RenderError> {
        self.model = self.renderer.model(puppet.character(), puppet.parts(), pictures)?;
        Ok(())
    }

    /// Saves what a session shows.
    pub(super) fn save(
        &mut self,
        session: &Session,
        scale: f32,
        folder: &Path,
    ) -> Result<PathBuf, SaveError> {
        session.save_picture(&mut self.renderer, &self.model, scale, folder)
    }

    pub(super) fn resize(&mut self, width: u32, height: u32) {
        let limit = self.renderer.gpu().device.limits().max_texture_dimension_2d;
        // A minimised window has no pixels: the surface keeps its last ones.
        if width > 0 && height > 0 {
            (self.config.width, self.config.height) = (width.min(limit), height.min(limit));
            self.surface.configure(&self.renderer.gpu().device, &self.config);
        }
    }

    /// Draws and shows: the frame in an area of so many pixels, the panel over all.
    pub(super) fn draw(
        &mut self,
        (frame, area): (&Frame<'_>, Vec2),
        mut panel: Panel,
    ) -> Result<Drawn, RenderError> {
        let (device, queue) = (self.renderer.gpu().device.clone(), self.renderer.gpu().queue.clone());
        // Textures belong to the panel whether or not this picture comes to be.
        for (id, deltas) in panel.textures.set.drain() {
            for delta in &deltas {
                self.panel.update_texture(&device, &queue, id, delta);
            }
        }
        let free: Vec<egui::TextureId> = panel.textures.free.drain().collect();
        let drawn = self.paint((frame, area), &panel, (&device, &queue));
        free.iter().for_each(|id| self.panel.free_texture(id));
        drawn
    }

    fn paint(
        &mut self,
        (frame, area): (&Frame<'_>, Vec2),
        panel: &Panel,
        (device, queue): (&wgpu::Device, &wgpu::Queue),
    ) -> Result<Drawn, RenderError> {
        let texture = match self.surface.get_current_texture() {
            CurrentSurfaceTexture::Success(texture) => texture,
            CurrentSurfaceTexture::Suboptimal(texture) => {
                // Its texture goes first: a surface in use cannot be changed.
                drop(texture);
                self.surface.configure(device, &self.config);
                return self.checked(Drawn::Again);
            }
            CurrentSurfaceTexture::Outdated => {
                self.surface.configure(device, &self.config);
                return self.checked(Drawn::Again);
            }
            CurrentSurfaceTexture::Lost => {
                self.renderer.gpu().check()?;
                return Err(RenderError::Lost("the window's surface has gone".into()));
            }
            CurrentSurfaceTexture::Timeout | CurrentSurfaceTexture::Validation => {
                return self.checked(Drawn::Again);
            }
            CurrentSurfaceTexture::Occluded => return self.checked(Drawn::Hidden),
        };
        let [colors, plain] = self.formats.map(|format| {
            let view = wgpu::TextureViewDescriptor { format: Some(format), ..Default::default() };
            (texture.texture.create_view(&view), format)
        });
        let (view, format) = if frame.mode.is_data() { &plain } else { &colors };
        let size = (self.config.width, self.config.height);
        let mut encoder = device.create_command_encoder(&Default::default());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a window")]
        let area = (area.x.ceil() as u32, area.y.ceil() as u32);
        let canvas = Canvas { view, format: *format, size, area };
        self.renderer.draw(&self.model, frame, &canvas, &mut encoder)?;
        // The panel's renderer panics on a device that is lost.
        self.renderer.gpu().check()?;
        let screen =
            egui_wgpu::ScreenDescriptor { size_in_pixels: [size.0, size.1], pixels_per_point: panel.scale };
        let mut work = self.panel.update_buffers(device, queue, &mut encoder, &panel.shapes, &screen);
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("panel"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &plain.0,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        self.panel.render(&mut pass.forget_lifetime(), &panel.shapes, &screen);
        work.push(encoder.finish());
        queue.submit(work);
        queue.present(texture);
        self.checked(Drawn::Shown)
    }

    /// What came of drawing, unless the driver has refused something meanwhile.
    fn checked(&self, drawn: Drawn) -> Result<Drawn, RenderError> {
        self.renderer.gpu().check().map(|()| drawn)
    }
}
