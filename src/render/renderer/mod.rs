//! Draws frames.

mod encode;
#[cfg(test)]
mod tests;

use wgpu::TextureFormat;

use crate::asset::{Character, Part};

use super::ambient::OcclusionMaps;
use super::backdrop::Backdrop;
use super::draw_list::DrawList;
use super::floor::FloorPass;
use super::ghost::GhostPass;
use super::indirect::{Culling, GpuInstanceBuffers, GpuInstances, GpuPart};
use super::layer::RenderLayer;
use super::layout::Layouts;
use super::light::LightMaps;
use super::lines::LinePass;
use super::model::Model;
use super::offscreen::{Canvas, Pending, RenderTarget};
use super::output::Output;
use super::shadow::Shadow;
use super::software::Patch;
use super::surface::Surfaces;
use super::texture::DecodedImages;
use super::upload::FrameBuffers;
use super::{Background, DecodedImage, Frame, Gpu, RenderError, gpu_types};

/// Draws frames. Pipelines, targets and buffers are reused between frames. Several frames may be drawn in one encoder.
#[derive(Debug)]
pub struct Renderer {
    gpu: Gpu,
    layouts: Layouts,
    surfaces: Surfaces,
    shadow: Option<Shadow>,
    occlusion: Option<OcclusionMaps>,
    lights: LightMaps,
    floor: Option<FloorPass>,
    backdrop: Option<Backdrop>,
    ghosts: Option<GhostPass>,
    lines: Option<LinePass>,
    target: Option<RenderTarget>,
    window: Option<RenderTarget>,
    layer: Option<RenderLayer>,
    patch: Patch,
    list: DrawList,
    overlays: Vec<gpu_types::Line>,
    culling: Option<Culling>,
    /// The queries that receive the times of the next culling pass: a set, and the index of the first of two queries.
    culling_queries: Option<(wgpu::QuerySet, u32)>,
    buffers: FrameBuffers,
}

impl Renderer {
    /// Creates a renderer on an open adapter.
    pub fn new(gpu: Gpu) -> Self {
        let layouts = Layouts::new(&gpu);
        let surfaces = Surfaces::new(&gpu, &layouts);
        let lights = LightMaps::new(&gpu);
        Self {
            gpu,
            layouts,
            surfaces,
            shadow: None,
            occlusion: None,
            lights,
            floor: None,
            backdrop: None,
            ghosts: None,
            lines: None,
            target: None,
            window: None,
            layer: None,
            patch: Patch::default(),
            list: DrawList::default(),
            overlays: Vec::new(),
            culling: None,
            culling_queries: None,
            buffers: FrameBuffers::default(),
        }
    }

    /// Returns the open adapter.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    pub(super) fn layouts(&self) -> &Layouts {
        &self.layouts
    }

    /// Prepares the drawing of instances whose palettes are on the GPU. The buffers must have the usage `STORAGE`. `parts`
    /// describes the parts of the model, in order.
    ///
    /// # Errors
    /// [`RenderError::Buffer`] if there are more instances than the adapter can list at once.
    pub(crate) fn gpu_instances(
        &mut self,
        model: &Model,
        buffers: &GpuInstanceBuffers<'_>,
        parts: &[GpuPart],
    ) -> Result<GpuInstances, RenderError> {
        let culling = self.culling.get_or_insert_with(|| Culling::new(&self.gpu));
        let indices: Vec<_> = model.parts.iter().map(|part| part.indices.clone()).collect();
        let has_outlines = model.parts.iter().any(|part| part.has_outline);
        GpuInstances::new(&self.gpu, &self.layouts, culling, buffers, parts, &indices, has_outlines)
    }

    /// Sets whether instances that other surfaces hide are left out. This has no effect if the adapter cannot read the depth buffer.
    ///
    /// # Errors
    /// [`RenderError::Buffer`] if the lists exceed the limits of the adapter.
    pub(crate) fn set_occlusion(
        &mut self,
        instances: &mut GpuInstances,
        is_on: bool,
    ) -> Result<(), RenderError> {
        let Self { gpu, layouts, culling, .. } = self;
        let culling = culling.get_or_insert_with(|| Culling::new(gpu));
        if is_on && gpu.capabilities.loads_compared_depth {
            culling.prepare_occlusion(gpu);
        }
        instances.set_occlusion(gpu, layouts, culling, is_on)
    }

    /// Lets the next frame write timestamps before and after its culling, to a query and the one after it.
    pub(crate) fn time_culling(&mut self, queries: &wgpu::QuerySet, first: u32) {
        self.culling_queries = Some((queries.clone(), first));
    }

    /// Returns whether that frame has encoded the timestamps. A frame without crowds has no culling.
    pub(crate) fn end_culling_times(&mut self) -> bool {
        self.culling_queries.take().is_none()
    }

    /// Uploads some parts of a character.
    ///
    /// # Errors
    /// [`RenderError::Buffer`] if they exceed the limits of the adapter.
    pub fn model(
        &self,
        character: &Character,
        parts: &[Part],
        images: &DecodedImages,
    ) -> Result<Model, RenderError> {
        let model = Model::new(&self.gpu, &self.layouts, character, parts, images)?;
        self.gpu.check().map(|()| model)
    }

    /// Draws a frame into an image of `size` pixels (width, height). The instances of the frame refer to `models` by index.
    ///
    /// ```
    /// use sinew_render::{AdapterChoice, Background, DecodedImages, Gpu, Renderer, ShadingMode};
    /// use sinew_render::scene::{self, ViewSettings};
    /// use sinew_character::view::{AUTO_FOV_Y, Camera};
    /// use sinew_character::{asset, puppet::Puppet};
    ///
    /// let mut puppet = Puppet::new(asset::mannequin()?, 0);
    /// puppet.update()?;
    /// let mut renderer = Renderer::new(Gpu::new(&AdapterChoice::Cpu)?);
    /// let model = renderer.model(puppet.character(), puppet.parts(), &DecodedImages::default())?;
    /// let camera = Camera::framing(&puppet.bounds(), AUTO_FOV_Y, 1.0);
    /// // White where the character is, and black elsewhere.
    /// let settings = ViewSettings::new(camera, puppet.bounds())
    ///     .with_mode(ShadingMode::Mask)
    ///     .with_background(Background::BLACK);
    /// let image = renderer.render(&[&model], &scene::frame(&puppet, &settings), (64, 64))?;
    /// assert_eq!(image.pixel(0, 0), Some([0, 0, 0, 255]));
    /// assert_eq!(image.pixel(32, 32), Some([255; 4]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RenderError`] if the image or the palette is larger than the adapter supports, or if the driver reports an
    /// error.
    pub fn render(
        &mut self,
        models: &[&Model],
        frame: &Frame<'_>,
        size: (u32, u32),
    ) -> Result<DecodedImage, RenderError> {
        self.submit(models, frame, size)?.image()
    }

    /// Submits a frame without waiting for it. Frames are drawn one after another, and earlier frames do not change
    /// the pixels of later ones.
    ///
    /// # Errors
    /// Same as [`Renderer::render`].
    pub fn submit(
        &mut self,
        models: &[&Model],
        frame: &Frame<'_>,
        size: (u32, u32),
    ) -> Result<Pending, RenderError> {
        let format =
            if frame.mode.is_data() { TextureFormat::Rgba8Unorm } else { TextureFormat::Rgba8UnormSrgb };
        let output = Output::new(frame.mode, frame.samples, format, false);
        let samples = self.patch.choose(&self.gpu, models, frame, size, output);
        let reads_depth = frame.has_hidden_crowds();
        let target = match self.target.take().filter(|t| t.fits(size, samples, format, reads_depth)) {
            Some(target) => target,
            None => RenderTarget::new(&self.gpu, size, samples, format, reads_depth)?,
        };
        let background = match frame.background {
            Background::Keep => Background::Transparent,
            other => other,
        };
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        self.encode(models, frame, background, &target, size, output, &mut encoder)?;
        let buffer = target.copy_out(&self.gpu, &mut encoder);
        let work = self.gpu.queue.submit([encoder.finish()]);
        self.target = Some(target);
        let premultiplied = (background == Background::Transparent).then_some(!frame.mode.is_data());
        Ok(Pending { gpu: self.gpu.clone(), size, buffer, work, premultiplied })
    }

    /// Encodes a frame into a given texture view, for example a window's surface. The caller submits the commands.
    ///
    /// ```
    /// use sinew_render::{AdapterChoice, Canvas, Gpu, Renderer};
    /// use sinew_render::scene::{self, ViewSettings};
    /// use sinew_character::view::{AUTO_FOV_Y, Camera};
    /// use sinew_character::{asset, puppet::Puppet};
    /// use wgpu::{Extent3d, TextureDescriptor, TextureDimension, TextureFormat, TextureUsages};
    ///
    /// let puppet = Puppet::new(asset::mannequin()?, 0);
    /// let gpu = Gpu::new(&AdapterChoice::Cpu)?;
    /// let mut renderer = Renderer::new(gpu.clone());
    /// let model = renderer.model(puppet.character(), puppet.parts(), &Default::default())?;
    /// // A texture takes the place of the surface of a window.
    /// let format = TextureFormat::Rgba8UnormSrgb;
    /// let texture = gpu.device.create_texture(&TextureDescriptor {
    ///     label: None,
    ///     size: Extent3d { width: 64, height: 64, depth_or_array_layers: 1 },
    ///     mip_level_count: 1,
    ///     sample_count: 1,
    ///     dimension: TextureDimension::D2,
    ///     format,
    ///     usage: TextureUsages::RENDER_ATTACHMENT,
    ///     view_formats: &[],
    /// });
    /// let view = texture.create_view(&Default::default());
    /// let canvas = Canvas { view: &view, format, size: (64, 64), area: (64, 64), is_hdr: false };
    /// let settings =
    ///     ViewSettings::new(Camera::framing(&puppet.bounds(), AUTO_FOV_Y, 1.0), puppet.bounds());
    /// let mut encoder = gpu.device.create_command_encoder(&Default::default());
    /// renderer.draw(&[&model], &scene::frame(&puppet, &settings), &canvas, &mut encoder)?;
    /// gpu.queue.submit([encoder.finish()]);
    /// // The driver has reported no error.
    /// assert!(gpu.check().is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Renderer::render`]. The encoder may then contain part of the frame.
    pub fn draw(
        &mut self,
        models: &[&Model],
        frame: &Frame<'_>,
        canvas: &Canvas<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), RenderError> {
        let &Canvas { view, size, format, area, is_hdr } = canvas;
        let area = (area.0.clamp(1, size.0.max(1)), area.1.clamp(1, size.1.max(1)));
        let output = Output::new(frame.mode, frame.samples, format, is_hdr);
        let reads_depth = frame.has_hidden_crowds();
        if frame.background == Background::Keep && frame.samples > 1 {
            self.patch.rect = None;
            let samples = frame.samples;
            let fits = |l: &RenderLayer| l.area == area && l.target.fits(size, samples, format, reads_depth);
            let create = || RenderLayer::new(&self.gpu, size, area, samples, format, reads_depth);
            let layer = self.layer.take().filter(fits).map_or_else(create, Ok)?;
            let background = Background::Transparent;
            let result = self.encode(models, frame, background, &layer.target, area, output, encoder);
            layer.blend(view, size, encoder);
            self.layer = Some(layer);
            return result;
        }
        let samples = self.patch.choose(&self.gpu, models, frame, area, output);
        let mut target = match self.window.take().filter(|t| t.fits(size, samples, format, reads_depth)) {
            Some(target) => target,
            None => RenderTarget::new(&self.gpu, size, samples, format, reads_depth)?,
        };
        target.resolved = view.clone();
        let result = self.encode(models, frame, frame.background, &target, area, output, encoder);
        self.window = Some(target);
        result
    }

    /// Creates everything needed to draw a frame into a canvas, so that the first drawing takes no longer than later ones.
    /// A driver may still translate shaders when they are first used.
    ///
    /// # Errors
    /// Same as [`Renderer::render`].
    pub fn prepare(
        &mut self,
        models: &[&Model],
        frame: &Frame<'_>,
        canvas: &Canvas<'_>,
    ) -> Result<(), RenderError> {
        let output = Output::new(frame.mode, frame.samples, canvas.format, canvas.is_hdr);
        self.patch.choose(&self.gpu, models, frame, canvas.area, output);
        let result = self.plan(models, frame, canvas.area, output).map(drop);
        self.buffers.cancel();
        result?;
        self.gpu.check()
    }

    /// Uploads only the instances of one frame, and binds them.
    pub(super) fn upload_instances(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        fill: impl FnOnce(&mut DrawList),
    ) -> Result<Option<wgpu::BindGroup>, RenderError> {
        let Self { gpu, layouts, list, buffers, .. } = self;
        list.clear();
        fill(list);
        let written = buffers.write_instances(gpu, &list.input);
        if written.is_err() {
            buffers.cancel();
        }
        written?;
        buffers.flush(gpu, encoder)?;
        Ok(buffers.bind_instances(gpu, layouts).cloned())
    }
}
