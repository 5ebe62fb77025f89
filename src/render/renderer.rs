//! Draws a frame pass by pass.

use bytemuck::{bytes_of, cast_slice};
use glam::{Mat4, Vec4};
use wgpu::{BufferUsages, TextureFormat};

use crate::asset::{Character, Part};

use super::floor::{FloorPass, Rect};
use super::ghost::GhostPass;
use super::layout::Layouts;
use super::lines::LinePass;
use super::model::Model;
use super::offscreen::{Canvas, Pending, RenderTarget};
use super::shadow::{KEY_LIGHT, Shadow};
use super::srgb::to_linear;
use super::surface::{Surfaces, is_blended};
use super::texture::DecodedImages;
use super::upload::{FrameBuffers, Tint, dynamic_offset, ensure, write};
use super::{Background, DecodedImage, Draw, Frame, Gpu, Grid, RenderError, gpu_types, shadow};

/// Draws frames. Pipelines, targets and buffers are reused between frames.
#[derive(Debug)]
pub struct Renderer {
    gpu: Gpu,
    layouts: Layouts,
    surfaces: Surfaces,
    shadow: Option<Shadow>,
    no_shadow: wgpu::BindGroup,
    floor: Option<FloorPass>,
    ghosts: Option<GhostPass>,
    lines: Option<LinePass>,
    target: Option<RenderTarget>,
    window: Option<RenderTarget>,
    buffers: FrameBuffers,
}

impl Renderer {
    /// Creates a renderer on an open adapter.
    pub fn new(gpu: Gpu) -> Self {
        let layouts = Layouts::new(&gpu.device);
        let surfaces = Surfaces::new(&gpu, &layouts);
        let no_shadow = shadow::bind(&gpu, &layouts, &shadow::create_map(&gpu, 1));
        let buffers = FrameBuffers::default();
        Self {
            gpu,
            layouts,
            surfaces,
            shadow: None,
            no_shadow,
            floor: None,
            ghosts: None,
            lines: None,
            target: None,
            window: None,
            buffers,
        }
    }

    /// Returns the open adapter.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    pub(super) fn layouts(&self) -> &Layouts {
        &self.layouts
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

    /// Draws a frame into an image of `size` pixels (width, height).
    ///
    /// # Errors
    /// [`RenderError`] if the image or the palette is larger than the adapter supports, or if the driver reports an
    /// error.
    pub fn render(
        &mut self,
        model: &Model,
        frame: &Frame<'_>,
        size: (u32, u32),
    ) -> Result<DecodedImage, RenderError> {
        self.submit(model, frame, size)?.image()
    }

    /// Submits a frame without waiting for it. Frames are drawn one after the other, and earlier frames do not change
    /// the pixels of later ones.
    ///
    /// # Errors
    /// Same as [`Renderer::render`].
    pub fn submit(
        &mut self,
        model: &Model,
        frame: &Frame<'_>,
        size: (u32, u32),
    ) -> Result<Pending, RenderError> {
        let format =
            if frame.mode.is_data() { TextureFormat::Rgba8Unorm } else { TextureFormat::Rgba8UnormSrgb };
        let target = match self.target.take().filter(|t| t.fits(size, frame.samples, format)) {
            Some(target) => target,
            None => RenderTarget::new(&self.gpu, size, frame.samples, format)?,
        };
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        self.encode(model, frame, (&target, size), &mut encoder)?;
        let buffer = target.copy_out(&self.gpu, &mut encoder);
        let work = self.gpu.queue.submit([encoder.finish()]);
        self.target = Some(target);
        let premultiplied = (frame.background == Background::Transparent).then_some(!frame.mode.is_data());
        Ok(Pending { gpu: self.gpu.clone(), size, buffer, work, premultiplied })
    }

    /// Encodes a frame into a given texture view, for example that of a window's surface.
    ///
    /// # Errors
    /// Same as [`Renderer::render`].
    pub fn draw(
        &mut self,
        model: &Model,
        frame: &Frame<'_>,
        canvas: &Canvas<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), RenderError> {
        let &Canvas { view, size, format, area } = canvas;
        let area = (area.0.clamp(1, size.0.max(1)), area.1.clamp(1, size.1.max(1)));
        let mut target = match self.window.take().filter(|t| t.fits(size, frame.samples, format)) {
            Some(target) => target,
            None => RenderTarget::new(&self.gpu, size, frame.samples, format)?,
        };
        target.resolved = view.clone();
        let result = self.encode(model, frame, (&target, area), encoder);
        self.window = Some(target);
        result
    }

    /// Uploads the frame and encodes its passes. The frame covers an area of the target that starts at the upper left
    /// corner.
    fn encode(
        &mut self,
        model: &Model,
        frame: &Frame<'_>,
        (target, area): (&RenderTarget, (u32, u32)),
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), RenderError> {
        let draws: Vec<&Draw<'_>> = frame.draws.iter().filter(|d| model.is_drawn(d)).collect();
        let globals = self.upload_globals(frame, area);
        let parts = self.upload_parts(model, frame.palette, &draws)?;
        // The floor can receive shadows even in modes in which surfaces do not.
        let shadows = frame.shadow && (frame.mode.is_shaded() || frame.ground.is_some());
        let shadow_group = if shadows {
            self.shadow_pass(model, &draws, (&globals, &parts), shadow::size(area), encoder)
        } else {
            self.no_shadow.clone()
        };
        // Get all pipelines before the pass begins, because the pass must not borrow the caches.
        let floor = frame.ground.filter(|f| frame.camera.is_above(f.center.y)).map(|floor| {
            let pass = self.floor.get_or_insert_with(|| FloorPass::new(&self.gpu, &self.layouts));
            pass.pieces(&self.gpu, frame, &floor, shadows, (area, target.format))
        });
        let ghosts = if frame.ghosts.is_empty() || frame.mode.is_data() {
            None
        } else {
            let pass = self.ghosts.get_or_insert_with(|| GhostPass::new(&self.gpu, &self.layouts));
            Some(pass.prepare(&self.gpu, &self.layouts, model, frame, target.format)?)
        };
        let lines = (!(frame.lines.is_empty() && frame.fills.is_empty())).then(|| {
            let pass = self.lines.get_or_insert_with(|| LinePass::new(&self.gpu, &self.layouts));
            pass.pipeline(&self.gpu, frame.samples, target.format).clone()
        });
        let fills = frame.fills.iter().map(Into::into);
        let lines_and_fills: Vec<gpu_types::Line> = fills.chain(frame.lines.iter().map(Into::into)).collect();
        let usage = BufferUsages::VERTEX;
        let line_buffer =
            write(&self.gpu, &mut self.buffers.lines, "lines", cast_slice(&lines_and_fills), usage)?;
        let mut pass = begin_pass(encoder, target, area, frame.background);
        pass.set_bind_group(0, &globals, &[]);
        pass.set_bind_group(2, &shadow_group, &[]);
        let order = drawing_order(model, frame, &draws);
        let opaque =
            order.iter().take_while(|&&i| !is_blended(frame.mode, &model.parts[draws[i].part])).count();
        self.draw_surfaces(&mut pass, model, frame, &draws, &order[..opaque], &parts, target.format);
        if let Some(pieces) = &floor {
            for (pipeline, Rect { x, y, width, height }) in pieces {
                pass.set_pipeline(pipeline);
                pass.set_scissor_rect(*x, *y, *width, *height);
                pass.draw(0..6, 0..1);
            }
            pass.set_scissor_rect(0, 0, area.0, area.1);
        }
        self.draw_surfaces(&mut pass, model, frame, &draws, &order[opaque..], &parts, target.format);
        if let Some(ghosts) = &ghosts {
            ghosts.draw(&mut pass, model);
        }
        if let Some(pipeline) = &lines {
            pass.set_pipeline(pipeline);
            pass.set_vertex_buffer(0, line_buffer.slice(..));
            pass.draw(0..6, 0..u32::try_from(lines_and_fills.len()).unwrap_or(u32::MAX));
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the state of a pass, borrowed separately")]
    fn draw_surfaces(
        &mut self,
        pass: &mut wgpu::RenderPass<'_>,
        model: &Model,
        frame: &Frame<'_>,
        draws: &[&Draw<'_>],
        order: &[usize],
        parts: &wgpu::BindGroup,
        format: TextureFormat,
    ) {
        for &index in order {
            let draw = draws[index];
            let part = &model.parts[draw.part];
            pass.set_pipeline(self.surfaces.pipeline(&self.gpu, frame, part, draw, format));
            pass.set_bind_group(1, parts, &[dynamic_offset(index)]);
            pass.set_bind_group(3, &part.textures, &[]);
            pass.set_vertex_buffer(0, model.vertices.slice(part.first_vertex..));
            pass.set_index_buffer(model.indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(part.indices.clone(), 0, 0..1);
        }
    }

    fn shadow_pass(
        &mut self,
        model: &Model,
        draws: &[&Draw<'_>],
        (globals, parts): (&wgpu::BindGroup, &wgpu::BindGroup),
        size: u32,
        encoder: &mut wgpu::CommandEncoder,
    ) -> wgpu::BindGroup {
        let shadow = self.shadow.get_or_insert_with(|| Shadow::new(&self.gpu, size));
        shadow.resize(&self.gpu, size);
        let view = shadow.view.clone();
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadow"),
            depth_stencil_attachment: Some(cleared_depth(&view)),
            ..Default::default()
        });
        pass.set_bind_group(0, globals, &[]);
        for (index, draw) in draws.iter().enumerate() {
            let part = &model.parts[draw.part];
            if part.blended {
                continue;
            }
            pass.set_pipeline(shadow.pipeline(&self.gpu, &self.layouts, part, draw));
            pass.set_bind_group(1, parts, &[dynamic_offset(index)]);
            pass.set_bind_group(3, &part.textures, &[]);
            pass.set_vertex_buffer(0, model.vertices.slice(part.first_vertex..));
            pass.set_index_buffer(model.indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(part.indices.clone(), 0, 0..1);
        }
        drop(pass);
        shadow::bind(&self.gpu, &self.layouts, &view)
    }

    fn upload_globals(&mut self, frame: &Frame<'_>, area: (u32, u32)) -> wgpu::BindGroup {
        let (width, height) = pixels(area);
        let (center, radius) = frame.sphere;
        let (shadow_from_world, texel, texel_metres) =
            shadow::light_space(center, radius, shadow::size(area));
        let floor = frame.ground.map_or(Vec4::ZERO, |f| f.center.extend(f.radius));
        let line_width = match frame.ground.map(|f| f.grid) {
            Some(Grid::Clear { width }) => width,
            Some(Grid::Faint) | None => 0.0,
        };
        let globals = gpu_types::Globals {
            clip_from_world: frame.camera.clip_from_world(width / height).to_cols_array_2d(),
            shadow_from_world: shadow_from_world.to_cols_array_2d(),
            eye: frame.camera.position.extend(1.0).into(),
            light: KEY_LIGHT.normalize().extend(grid_cell(radius)).into(),
            floor: floor.into(),
            viewport: [width, height, texel, 2.0 * texel_metres],
            grid: [thin_cell(radius), line_width, 0.0, 0.0],
        };
        let usage = BufferUsages::UNIFORM;
        let size = size_of::<gpu_types::Globals>() as u64;
        let buffer = ensure(&self.gpu, &mut self.buffers.globals, "globals", size, usage);
        self.gpu.queue.write_buffer(buffer, 0, bytes_of(&globals));
        self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("globals"),
            layout: &self.layouts.globals,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }],
        })
    }

    /// Uploads the data of all draws, and binds it together with the model's morph targets.
    pub(super) fn upload_parts(
        &mut self,
        model: &Model,
        palette: &[Mat4],
        draws: &[&Draw<'_>],
    ) -> Result<wgpu::BindGroup, RenderError> {
        let draws: Vec<(Draw<'_>, Option<Tint>)> = draws.iter().map(|d| (**d, None)).collect();
        self.buffers.upload_parts(&self.gpu, &self.layouts, model, palette, &draws)
    }
}

/// Returns the drawing order: opaque parts in their own order, then blended ones from far to near.
fn drawing_order(model: &Model, frame: &Frame<'_>, draws: &[&Draw<'_>]) -> Vec<usize> {
    let distance = |i: usize| frame.camera.position.distance_squared(draws[i].bounds.sphere().0);
    let blended = |i: usize| is_blended(frame.mode, &model.parts[draws[i].part]);
    let (mut transparent, mut order): (Vec<usize>, Vec<usize>) = (0..draws.len()).partition(|&i| blended(i));
    transparent.sort_by(|&a, &b| distance(b).total_cmp(&distance(a)));
    order.append(&mut transparent);
    order
}

/// Returns the size of a grid cell: the largest of 1, 2 or 5 times a power of ten that is at most a quarter of the
/// radius.
fn grid_cell(radius: f32) -> f32 {
    let wanted = (radius * 0.25).max(1e-6);
    let power = 10.0_f32.powf(wanted.log10().floor());
    let steps = [5.0, 2.0, 1.0].map(|s| s * power);
    steps.into_iter().find(|&s| s <= wanted).unwrap_or(power)
}

/// Returns the distance of the thin lines of a clear grid: 10 cm for figures from half a metre to five metres, and a power of ten times
/// that for others.
fn thin_cell(radius: f32) -> f32 {
    // The radius of the scene is a little more than the height of a figure.
    0.1 * 10.0_f32.powf((radius.max(1e-6) * 1.9).log10().floor())
}

fn cleared_depth(view: &wgpu::TextureView) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Store }),
        stencil_ops: None,
    }
}

/// Begins the pass that covers an area of the target. The rest of the target becomes background.
fn begin_pass<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    target: &RenderTarget,
    area: (u32, u32),
    background: Background,
) -> wgpu::RenderPass<'e> {
    let clear = match background {
        Background::Transparent => wgpu::Color::TRANSPARENT,
        Background::Color(rgb) => {
            // If the target stores sRGB, the colour to clear it with must be linear.
            let [r, g, b] = rgb.map(|v| f64::from(v) / 255.0);
            let [r, g, b] = if target.format.is_srgb() { [r, g, b].map(to_linear) } else { [r, g, b] };
            wgpu::Color { r, g, b, a: 1.0 }
        }
    };
    let (view, resolve_target) = match &target.multisampled {
        Some(samples) => (samples, Some(&target.resolved)),
        None => (&target.resolved, None),
    };
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("scene"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target,
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(clear), store: wgpu::StoreOp::Store },
        })],
        depth_stencil_attachment: Some(cleared_depth(&target.depth)),
        ..Default::default()
    });
    let (width, height) = pixels(area);
    pass.set_viewport(0.0, 0.0, width, height, 0.0, 1.0);
    pass.set_scissor_rect(0, 0, area.0, area.1);
    pass
}

#[expect(clippy::cast_precision_loss, reason = "image sizes are far below 2^24")]
fn pixels((width, height): (u32, u32)) -> (f32, f32) {
    (width as f32, height as f32)
}
