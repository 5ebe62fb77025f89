//! Draws into the window: first the scene, then the panel on top of it. The scene has its own texture, so that panel changes do
//! not redraw it.

use std::sync::Arc;
use std::time::Duration;

use egui_wgpu::ScreenDescriptor;
use glam::Vec2;
use wgpu::CurrentSurfaceTexture;
use winit::dpi::PhysicalSize;

use crate::Session;
use crate::asset::Character;
use crate::platform::Instant;
use crate::puppet::Puppet;
use crate::render::{
    Compositor, DecodedImages, Frame, FrameTexture, Gpu, GpuTimer, Model, Placement, RenderError, Renderer,
    ShadingMode,
};

use super::loader::SessionImages;
use super::panel_output::PanelOutput;
use super::software::PanelTexture;
use super::swapchain::{Acquired, Swapchain};
use super::thumbnail;

/// Size in pixels of the hidden image in [`Graphics::prepare`].
const UNSEEN_SIZE: (u32, u32) = (64, 64);

/// A window surface with one renderer for the scene and one for the panel.
pub(crate) struct Graphics {
    pub(super) renderer: Renderer,
    pub(super) model: Model,
    /// The session's props, each with its uploaded model. A file that has changed is another character with the same path.
    props: Vec<(Arc<Character>, Model)>,
    /// The variant of the model's current materials.
    variant: Option<String>,
    scene: FrameTexture,
    compositor: Compositor,
    swapchain: Swapchain,
    /// A small hidden image for [`Self::prepare`].
    unseen: FrameTexture,
    panel: egui_wgpu::Renderer,
    panel_texture: PanelTexture,
    /// Measures the scene's draw time on a hardware adapter, which draws while the CPU prepares the next frame. A software driver draws on the
    /// CPU, so the measured CPU time includes drawing.
    timer: Option<GpuTimer>,
}

/// The scene and its placement in the window.
pub(crate) struct SceneView<'a> {
    pub(crate) frame: &'a Frame<'a>,
    /// Upper left corner in pixels.
    pub(crate) origin: Vec2,
    /// Width and height in pixels.
    pub(crate) size: Vec2,
    /// Width and height of the drawn image, in percent of `size`.
    pub(crate) percent: u32,
}

/// The result of drawing a frame.
pub(crate) struct Drawn {
    pub(crate) outcome: DrawOutcome,
    /// Whether the scene had changed and was therefore drawn.
    pub(crate) has_drawn_scene: bool,
    /// Time spent waiting for the display.
    pub(crate) waited: Duration,
    /// GPU time of a recent scene of the same quality, which the GPU drew while the CPU did other work. `None` if it is not known yet.
    pub(crate) beside: Option<Duration>,
}

/// The outcome of drawing a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DrawOutcome {
    /// The frame was presented.
    Shown,
    /// No surface texture was available. Drawing should be tried again soon.
    Retry,
    /// The window is not visible.
    Hidden,
}

impl Graphics {
    /// Creates the graphics for a window of `size` pixels, without a character.
    pub(crate) fn new(
        gpu: Gpu,
        surface: wgpu::Surface<'static>,
        offered: &wgpu::SurfaceCapabilities,
        size: PhysicalSize<u32>,
    ) -> Result<Self, RenderError> {
        let swapchain = Swapchain::new(&gpu, surface, offered, size)?;
        let (format, plain) = (swapchain.format(), swapchain.plain);
        let panel = egui_wgpu::Renderer::new(&gpu.device, plain, Default::default());
        let [scene, unseen] = [0; 2].map(|_| FrameTexture::new([format, plain]));
        let compositor = Compositor::new(&gpu, plain);
        let is_hardware = !gpu.is_software();
        let timer = is_hardware.then(|| GpuTimer::new(&gpu, 2)).flatten();
        let renderer = Renderer::new(gpu);
        let model = renderer.model(&Character::default(), &[], &DecodedImages::default())?;
        Ok(Self {
            renderer,
            model,
            props: Vec::new(),
            variant: None,
            scene,
            compositor,
            swapchain,
            unseen,
            panel,
            panel_texture: PanelTexture::default(),
            timer,
        })
    }

    /// Returns the adapter's description.
    pub(crate) fn adapter(&self) -> String {
        self.renderer.gpu().describe()
    }

    /// Switches to a session. The textures of its character and of its props must be decoded already.
    pub(crate) fn show(&mut self, session: &Session, images: &SessionImages) -> Result<(), RenderError> {
        self.show_character(session, &images.character)?;
        let mut props = session.prop_puppets().zip(&images.props);
        props.try_for_each(|(puppet, images)| self.add_prop(puppet, images))
    }

    /// Switches to the character of a session.
    fn show_character(&mut self, session: &Session, images: &DecodedImages) -> Result<(), RenderError> {
        self.model = self.renderer.model(&session.shown_character(), session.puppet().parts(), images)?;
        self.variant = session.settings().variant.clone();
        Ok(())
    }

    /// Uploads the models that the session shows and that are not uploaded yet: its props, and the materials of another variant.
    pub(crate) fn update_models(&mut self, session: &Session) -> Result<(), RenderError> {
        let uploaded = self.props.iter().map(|(character, _)| Arc::as_ptr(character));
        if uploaded.ne(session.prop_puppets().map(|puppet| std::ptr::from_ref(puppet.character()))) {
            let mut before = std::mem::take(&mut self.props);
            for puppet in session.prop_puppets() {
                let (character, parts) = (puppet.character(), puppet.parts());
                match before.iter().position(|(known, _)| std::ptr::eq(Arc::as_ptr(known), character)) {
                    Some(index) => self.props.push(before.swap_remove(index)),
                    None => {
                        let images = DecodedImages::decode(character, parts, ShadingMode::Shaded);
                        self.add_prop(puppet, &images)?;
                    }
                }
            }
        }
        if self.variant.as_deref() == session.settings().variant.as_deref() {
            return Ok(());
        }
        let parts = session.puppet().parts();
        let images = DecodedImages::decode(&session.shown_character(), parts, ShadingMode::Shaded);
        self.show_character(session, &images)
    }

    /// Uploads the model of a prop. Its textures must be decoded already. [`Self::update_models`] removes the model if the session has no
    /// such prop.
    pub(crate) fn add_prop(&mut self, puppet: &Puppet, images: &DecodedImages) -> Result<(), RenderError> {
        let model = self.renderer.model(puppet.character(), puppet.parts(), images)?;
        self.props.push((puppet.shared_character(), model));
        Ok(())
    }

    /// Starts drawing an image of the session's scene with its background, to be saved as PNG.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn start_image(
        &mut self,
        session: &Session,
        scale: f32,
    ) -> Result<(crate::render::Pending, crate::render::Background), RenderError> {
        crate::session::display::submit(session, &mut self.renderer, &self.model, scale)
    }

    /// Renders a small image of the session's pose as PNG.
    pub(crate) fn thumbnail(&mut self, session: &Session) -> Result<Vec<u8>, RenderError> {
        thumbnail::render(&session.puppet, &session.document.orbit, &mut self.renderer, &self.model)
    }

    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        self.swapchain.resize(self.renderer.gpu(), width, height);
    }

    /// Returns the number of scene draws.
    #[cfg(all(test, target_os = "linux"))]
    pub(crate) fn scene_draws(&self) -> u64 {
        self.scene.draws()
    }

    /// Returns the IDs of the props' models.
    #[cfg(all(test, target_os = "linux"))]
    pub(crate) fn prop_ids(&self) -> Vec<u64> {
        self.props.iter().map(|(_, model)| model.id()).collect()
    }

    /// Returns the model's ID.
    pub(crate) fn model_id(&self) -> u64 {
        self.model.id()
    }

    /// Returns whether the adapter runs on the CPU.
    pub(crate) fn is_software(&self) -> bool {
        self.renderer.gpu().is_software()
    }

    /// Draws a frame into a small hidden image, so that its pipelines exist when needed.
    pub(crate) fn prepare(&mut self, frame: &Frame<'_>) -> Result<(), RenderError> {
        let gpu = self.renderer.gpu().clone();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        self.unseen.update(&mut self.renderer, (&[&self.model], frame), UNSEEN_SIZE, &mut encoder)?;
        gpu.queue.submit([encoder.finish()]);
        gpu.check()
    }

    /// Presents the scene, if there is one, with the panel on top. The scene is drawn only if it has changed.
    pub(crate) fn draw(
        &mut self,
        scene: Option<&SceneView<'_>>,
        mut panel: PanelOutput,
    ) -> Result<Drawn, RenderError> {
        let (device, queue) = (self.renderer.gpu().device.clone(), self.renderer.gpu().queue.clone());
        // Upload texture updates even if this frame cannot be drawn, because egui sends each of them only once.
        if !panel.textures.set.is_empty() {
            // The same shapes may now look different, for example if the font texture has changed.
            self.panel_texture.forget();
        }
        for (id, deltas) in panel.textures.set.drain() {
            for delta in &deltas {
                self.panel.update_texture(&device, &queue, id, delta);
            }
        }
        let free: Vec<egui::TextureId> = panel.textures.free.drain().collect();
        let result = scene.map_or(Ok(false), |scene| self.draw_scene(scene)).and_then(|has_drawn_scene| {
            let before = Instant::now();
            let texture = self.swapchain.current();
            let mut waited = before.elapsed();
            let before = Instant::now();
            let outcome = self.paint(scene, &mut panel, texture)?;
            // During this time, a software adapter draws, and other adapters wait for the display.
            if !self.is_software() {
                waited += before.elapsed();
            }
            let beside = match (&mut self.timer, scene) {
                (Some(timer), Some(scene)) => {
                    timer.latest(kind(scene)).and_then(|times| times.first().copied())
                }
                _ => Some(Duration::ZERO),
            };
            Ok(Drawn { outcome, has_drawn_scene, waited, beside })
        });
        free.iter().for_each(|id| self.panel.free_texture(id));
        result
    }

    /// Draws the scene into its texture. Returns `false` if the scene has not changed.
    ///
    /// This does not wait for a hardware adapter with timestamps, so that the CPU prepares the panel and the next frame while the GPU
    /// draws. A hardware adapter without timestamps must wait, because the quality depends on the draw time. A software driver does not
    /// need this wait: it draws the scene later, when the window is drawn, which takes just as long.
    fn draw_scene(&mut self, scene: &SceneView<'_>) -> Result<bool, RenderError> {
        let gpu = self.renderer.gpu().clone();
        let (width, height) = self.placement(scene).size;
        let texels = |pixels: u32| (pixels * scene.percent).div_ceil(100).max(1);
        let (draws, size) = (self.scene.draws(), (texels(width), texels(height)));
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let is_measured = self.timer.as_mut().is_some_and(|timer| timer.begin(&mut encoder, kind(scene)));
        let models: Vec<&Model> =
            std::iter::once(&self.model).chain(self.props.iter().map(|(_, model)| model)).collect();
        self.scene.update(&mut self.renderer, (&models, scene.frame), size, &mut encoder)?;
        if self.scene.draws() == draws {
            return Ok(false);
        }
        let timer = self.timer.as_ref();
        let measured = timer.filter(|_| is_measured);
        if let Some(timer) = measured {
            timer.end(&mut encoder);
        }
        let submission_index = Some(gpu.queue.submit([encoder.finish()]));
        if let Some(timer) = measured {
            timer.submitted();
        }
        if timer.is_none() && !self.is_software() {
            // Errors are reported by the check below.
            let _ = gpu.device.poll(wgpu::PollType::Wait { submission_index, timeout: None });
        }
        gpu.check().map(|()| true)
    }

    fn paint(
        &mut self,
        scene: Option<&SceneView<'_>>,
        panel: &mut PanelOutput,
        texture: CurrentSurfaceTexture,
    ) -> Result<DrawOutcome, RenderError> {
        let (device, queue) = (self.renderer.gpu().device.clone(), self.renderer.gpu().queue.clone());
        let texture = match self.swapchain.accept(self.renderer.gpu(), texture)? {
            Acquired::Texture(texture) => texture,
            Acquired::Retry => return Ok(DrawOutcome::Retry),
            Acquired::Hidden => return Ok(DrawOutcome::Hidden),
        };
        let view = wgpu::TextureViewDescriptor { format: Some(self.swapchain.plain), ..Default::default() };
        let view = texture.texture.create_view(&view);
        let size = self.swapchain.size();
        let mut encoder = device.create_command_encoder(&Default::default());
        let composed = scene.and_then(|scene| {
            self.scene.compose(self.renderer.gpu(), &self.compositor, self.placement(scene))
        });
        // The panel's renderer panics on a lost device.
        self.renderer.gpu().check()?;
        let screen = ScreenDescriptor { size_in_pixels: [size.0, size.1], pixels_per_point: panel.scale };
        let (image, mut work) = if self.is_software() {
            let (image, parts, work) = self.panel_texture.update(
                self.renderer.gpu(),
                &mut self.panel,
                &self.compositor,
                self.swapchain.plain,
                panel,
                size,
                &mut encoder,
            );
            (Some((image, parts)), work)
        } else {
            (None, self.panel.update_buffers(&device, &queue, &mut encoder, &panel.shapes, &screen))
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("window"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        composed.iter().for_each(|image| image.draw(&mut pass, size));
        match image {
            Some((image, parts)) => {
                image.draw_parts(&mut pass, size, &parts);
                drop(pass);
            }
            None => self.panel.render(&mut pass.forget_lifetime(), &panel.shapes, &screen),
        }
        work.push(encoder.finish());
        queue.submit(work);
        queue.present(texture);
        self.check_device(DrawOutcome::Shown)
    }

    /// Returns the rectangle of the scene in whole pixels.
    fn placement(&self, scene: &SceneView<'_>) -> Placement {
        let limit = self.renderer.gpu().device.limits().max_texture_dimension_2d;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "window coordinates")]
        let whole = |v: Vec2| (v.x as u32, v.y as u32);
        let size = whole(scene.size.ceil());
        Placement {
            origin: whole(scene.origin.round()),
            size: (size.0.clamp(1, limit), size.1.clamp(1, limit)),
        }
    }

    /// Returns `outcome`, or an error if the driver has reported one.
    fn check_device(&self, outcome: DrawOutcome) -> Result<DrawOutcome, RenderError> {
        self.renderer.gpu().check().map(|()| outcome)
    }
}

/// Returns an ID of the scene's quality, which determines its cost.
fn kind(scene: &SceneView<'_>) -> u64 {
    let shadow = u64::from(scene.frame.shadow);
    u64::from(scene.percent) << 8 | u64::from(scene.frame.samples) << 1 | shadow
}
