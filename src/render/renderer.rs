//! Draws a frame pass by pass.

use bytemuck::Zeroable;
use glam::Mat4;
use wgpu::TextureFormat;

use crate::asset::{Character, Part};

use super::ambient::OcclusionMaps;
use super::backdrop::{self, Backdrop};
use super::crowd_batch::draw_crowds;
use super::culling::Frustum;
use super::draw_list::{DrawList, draw_all, has_few_bones};
use super::floor::FloorPass;
use super::ghost::GhostPass;
use super::globals::globals;
use super::indirect::{Culling, GpuInstanceBuffers, GpuInstances, GpuPart};
use super::layer::Layer;
use super::layout::Layouts;
use super::light::LightMaps;
use super::lines::LinePass;
use super::model::Model;
use super::offscreen::{Canvas, Pending, RenderTarget};
use super::output::Output;
use super::passes::{begin_scene, begin_surroundings, cleared_depth};
use super::patch::Patch;
use super::rect::Rect;
use super::shadow::Shadow;
use super::surface::Surfaces;
use super::texture::DecodedImages;
use super::upload::FrameBuffers;
use super::{Background, DecodedImage, Frame, Gpu, RenderError, gpu_types, shadow};

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
    layer: Option<Layer>,
    patch: Patch,
    list: DrawList,
    overlays: Vec<gpu_types::Line>,
    culling: Option<Culling>,
    buffers: FrameBuffers,
}

/// What a frame draws, decided before its passes begin.
#[derive(Clone, Copy)]
struct Plan {
    has_shadow: bool,
    has_occlusion: bool,
    has_floor: bool,
    has_ghosts: bool,
    /// Whether surfaces show what is behind them.
    has_backdrop: bool,
}

impl Renderer {
    /// Creates a renderer on an open adapter.
    pub fn new(gpu: Gpu) -> Self {
        let layouts = Layouts::new(&gpu.device);
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
    /// describes the parts of the model, in their order.
    ///
    /// # Errors
    /// [`RenderError::Buffer`] if there are more instances than the adapter can list at once.
    pub fn gpu_instances(
        &mut self,
        model: &Model,
        buffers: &GpuInstanceBuffers<'_>,
        parts: &[GpuPart],
    ) -> Result<GpuInstances, RenderError> {
        let culling = self.culling.get_or_insert_with(|| Culling::new(&self.gpu));
        let indices: Vec<_> = model.parts.iter().map(|part| part.indices.clone()).collect();
        GpuInstances::new((culling, &self.gpu, &self.layouts), buffers, (parts, &indices))
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

    /// Submits a frame without waiting for it. Frames are drawn one after the other, and earlier frames do not change
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
        let samples = self.patch.choose(&self.gpu, (models, frame), size, output);
        let target = match self.target.take().filter(|t| t.fits(size, samples, format)) {
            Some(target) => target,
            None => RenderTarget::new(&self.gpu, size, samples, format)?,
        };
        let background = match frame.background {
            Background::Keep => Background::Transparent,
            other => other,
        };
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        self.encode(models, (frame, background), (&target, size, output), &mut encoder)?;
        let buffer = target.copy_out(&self.gpu, &mut encoder);
        let work = self.gpu.queue.submit([encoder.finish()]);
        self.target = Some(target);
        let premultiplied = (background == Background::Transparent).then_some(!frame.mode.is_data());
        Ok(Pending { gpu: self.gpu.clone(), size, buffer, work, premultiplied })
    }

    /// Encodes a frame into a given texture view, for example that of a window's surface. The caller submits the commands.
    ///
    /// # Errors
    /// Same as [`Renderer::render`]. The encoder may then contain a part of the frame.
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
        if frame.background == Background::Keep && frame.samples > 1 {
            self.patch.rect = None;
            let layer =
                self.layer.take().filter(|l| l.area == area && l.target.fits(size, frame.samples, format));
            let layer =
                layer.map_or_else(|| Layer::new(&self.gpu, (size, area), frame.samples, format), Ok)?;
            let frame = (frame, Background::Transparent);
            let result = self.encode(models, frame, (&layer.target, area, output), encoder);
            layer.blend(view, size, encoder);
            self.layer = Some(layer);
            return result;
        }
        let samples = self.patch.choose(&self.gpu, (models, frame), area, output);
        let mut target = match self.window.take().filter(|t| t.fits(size, samples, format)) {
            Some(target) => target,
            None => RenderTarget::new(&self.gpu, size, samples, format)?,
        };
        target.resolved = view.clone();
        let result = self.encode(models, (frame, frame.background), (&target, area, output), encoder);
        self.window = Some(target);
        result
    }

    /// Creates everything that drawing a frame into a canvas needs, so that its first drawing takes no longer than later ones.
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
        self.patch.choose(&self.gpu, (models, frame), canvas.area, output);
        let result = self.plan(models, frame, canvas.area, output).map(drop);
        self.buffers.cancel();
        result?;
        self.gpu.check()
    }

    /// Uploads the frame and encodes its passes. The frame covers an area of the target that starts at the upper left
    /// corner.
    fn encode(
        &mut self,
        models: &[&Model],
        (frame, background): (&Frame<'_>, Background),
        (target, area, output): (&RenderTarget, (u32, u32), Output),
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), RenderError> {
        let planned = self.plan(models, frame, area, output);
        if planned.is_err() {
            self.buffers.cancel();
        }
        let plan = planned?;
        self.buffers.flush(&self.gpu, encoder)?;
        let Self {
            gpu,
            layouts,
            surfaces,
            shadow,
            occlusion,
            lights,
            floor,
            backdrop,
            ghosts,
            lines,
            overlays,
            culling,
            buffers,
            patch,
            list,
            ..
        } = self;
        let (Some(globals), Some(instances)) =
            (buffers.bind_globals(gpu, layouts).cloned(), buffers.bind_instances(gpu, layouts).cloned())
        else {
            return Ok(());
        };
        buffers.overrides.bind(gpu, layouts, models, &list.input.materials);
        let drawn = (models, &buffers.overrides);
        let shadow = shadow.as_ref().filter(|_| plan.has_shadow);
        let occlusion = occlusion.as_ref().filter(|_| plan.has_occlusion);
        let shadow_view = shadow.map(|shadow| &shadow.view);
        let mut light = lights.bind(gpu, layouts, (shadow_view, occlusion), None);
        if let Some(culling) = culling.as_ref().filter(|_| !frame.crowds.is_empty()) {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for crowd in &frame.crowds {
                culling.encode(&mut pass, crowd.instances, 0);
                if plan.has_shadow {
                    culling.encode(&mut pass, crowd.instances, 1);
                }
            }
        }
        if let Some(shadow) = shadow {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("shadow"),
                depth_stencil_attachment: Some(cleared_depth(&shadow.view)),
                ..Default::default()
            });
            pass.set_bind_group(0, &globals, &[]);
            pass.set_bind_group(1, &instances, &[]);
            shadow.casters.draw(&mut pass, drawn, frame);
        }
        if let (Some(maps), Some(few_bones)) = (occlusion, &buffers.few_bones) {
            maps.draw(encoder, (gpu, layouts), (&instances, few_bones), drawn, frame);
        }
        let floor = floor.as_ref().filter(|_| plan.has_floor);
        if let Some(backdrop) = backdrop.as_ref().filter(|_| plan.has_backdrop)
            && let Some(views) = backdrop.views()
        {
            let behind = &surfaces.behind;
            let all = Rect::of_size(area);
            let mut pass =
                begin_scene(encoder, views, (area, all), wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT));
            pass.set_bind_group(0, &globals, &[]);
            pass.set_bind_group(1, &instances, &[]);
            pass.set_bind_group(2, &light, &[]);
            draw_all(&behind.opaque.batches, &mut pass, drawn);
            draw_crowds(behind.crowds.iter(), &mut pass, (models, frame), 0);
            if let Some(floor) = floor {
                floor.draw_backdrop(&mut pass, all);
            }
            pass.set_bind_group(1, &instances, &[]);
            draw_all(&behind.blended, &mut pass, drawn);
            drop(pass);
            backdrop.fill_levels(encoder);
            light = lights.bind(gpu, layouts, (shadow_view, occlusion), Some(backdrop.view()));
        }
        let load = output.load(background, frame.mode);
        let inner = patch.inner(output).load(background, frame.mode);
        let (scene, rect) = patch.target().unwrap_or((target.views(), Rect::of_size(area)));
        let mut pass = begin_scene(encoder, scene, (area, rect), inner);
        pass.set_bind_group(0, &globals, &[]);
        pass.set_bind_group(1, &instances, &[]);
        pass.set_bind_group(2, &light, &[]);
        draw_all(&surfaces.opaque.batches, &mut pass, drawn);
        draw_all(&surfaces.outlines.batches, &mut pass, drawn);
        let (opaque, blended) = surfaces.crowds.split_at(surfaces.crowds.partition_point(|b| !b.is_blended));
        draw_crowds(opaque.iter(), &mut pass, (models, frame), 0);
        if let Some(floor) = floor {
            floor.draw(&mut pass, rect);
        }
        draw_crowds(blended.iter(), &mut pass, (models, frame), 0);
        pass.set_bind_group(1, &instances, &[]);
        draw_all(&surfaces.blended, &mut pass, drawn);
        if let Some(ghosts) = ghosts.as_ref().filter(|_| plan.has_ghosts) {
            ghosts.draw(&mut pass, drawn);
        }
        if let (Some(lines), Some(buffer), false) = (lines, buffers.lines(), overlays.is_empty()) {
            pass.set_pipeline(lines.pipeline(gpu, output));
            pass.set_vertex_buffer(0, buffer.slice(..));
            pass.draw(0..6, 0..u32::try_from(overlays.len()).unwrap_or(u32::MAX));
        }
        drop(pass);
        if patch.target().is_some() {
            let mut pass = begin_surroundings(encoder, &target.resolved, area, load);
            pass.set_bind_group(0, &globals, &[]);
            pass.set_bind_group(2, &light, &[]);
            if let Some(floor) = floor {
                floor.draw_surroundings(&mut pass);
            }
            patch.resolve(&mut pass);
        }
        Ok(())
    }

    /// Decides what a frame draws, creates the pipelines for it, and schedules the upload of its input.
    fn plan(
        &mut self,
        models: &[&Model],
        frame: &Frame<'_>,
        area: (u32, u32),
        output: Output,
    ) -> Result<Plan, RenderError> {
        let globals = globals(frame, area);
        let camera = Frustum::new(&Mat4::from_cols_array_2d(&globals.clip_from_world));
        let light = Frustum::new(&Mat4::from_cols_array_2d(&globals.shadow_from_world));
        let Self { gpu, layouts, list, .. } = self;
        let floor = frame.ground.filter(|floor| frame.camera.is_above(floor.center.y));
        let mut plan = Plan {
            // The floor can receive shadows even in modes in which surfaces do not.
            has_shadow: frame.casts_shadows() && (frame.mode.is_shaded() || frame.ground.is_some()),
            has_occlusion: frame.has_ambient_occlusion(),
            has_floor: floor.is_some(),
            has_ghosts: !(frame.ghosts.is_empty() || frame.mode.is_data()),
            has_backdrop: false,
        };
        if frame.mode.is_shaded() {
            self.lights.upload(gpu, frame.light.environment());
        }
        list.clear();
        let is_software = gpu.info.device_type == wgpu::DeviceType::Cpu;
        list.input.few_bones = is_software && has_few_bones(frame);
        let has_casters = plan.has_shadow || plan.has_occlusion;
        for instance in &frame.instances {
            list.add(models, instance, &camera, has_casters.then_some(&light));
        }
        self.surfaces.prepare(gpu, (models, frame), list, self.patch.inner(output));
        plan.has_backdrop = self.surfaces.behind.is_seen;
        if plan.has_backdrop {
            let create = || Backdrop::new(gpu, area, output.samples);
            self.backdrop.get_or_insert_with(create).resize(gpu, area, output.samples);
        }
        if plan.has_shadow {
            let size = shadow::size(area);
            let shadow = self.shadow.get_or_insert_with(|| Shadow::new(gpu, layouts, size));
            shadow.resize(gpu, size);
            shadow.casters.prepare(gpu, (models, frame), list);
        }
        if plan.has_occlusion {
            let maps = self.occlusion.get_or_insert_with(|| OcclusionMaps::new(gpu, layouts));
            maps.prepare(gpu, (models, frame), (list, &mut self.buffers.staging), &globals)?;
        }
        if let Some(floor) = floor {
            let pass = self.floor.get_or_insert_with(|| FloorPass::new(gpu, layouts));
            pass.prepare(
                gpu,
                (frame, &list.items),
                &floor,
                plan.has_shadow,
                (
                    area,
                    self.patch.rect,
                    [self.patch.inner(output), output],
                    plan.has_backdrop.then(|| backdrop::output(output)),
                ),
            );
        }
        if plan.has_ghosts {
            let pass = self.ghosts.get_or_insert_with(|| GhostPass::new(gpu, layouts));
            pass.prepare(gpu, (models, frame), list, &camera, output);
        }
        self.overlays.clear();
        self.overlays.extend(frame.fills.iter().map(gpu_types::Line::from));
        self.overlays.extend(frame.lines.iter().map(gpu_types::Line::from));
        if !self.overlays.is_empty() {
            let pass = self.lines.get_or_insert_with(|| LinePass::new(gpu, layouts));
            pass.pipeline(gpu, output);
        }
        if !frame.crowds.is_empty() {
            let culling = self.culling.get_or_insert_with(|| Culling::new(gpu));
            let [eye, key] = [camera, light].map(|view| view.planes());
            let mut planes = gpu_types::CullViews { planes: Zeroable::zeroed() };
            for (plane, value) in planes.planes.iter_mut().zip(eye.into_iter().chain(key)) {
                *plane = value;
            }
            self.buffers.write_views(gpu, &mut culling.views, &planes)?;
        }
        self.buffers.write_globals(gpu, &globals)?;
        self.buffers.write_few_bones(gpu, &list.input)?;
        self.buffers.write_instances(gpu, &list.input)?;
        self.buffers.write_materials(gpu, &list.input)?;
        self.buffers.write_lines(gpu, &self.overlays)?;
        Ok(plan)
    }

    /// Uploads the instances of one frame alone, and binds them.
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
