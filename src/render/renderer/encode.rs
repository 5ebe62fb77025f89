//! The passes of a frame.

use bytemuck::Zeroable;
use glam::Mat4;

use super::super::ambient::OcclusionMaps;
use super::super::backdrop::{self, Backdrop};
use super::super::compose::cleared_depth;
use super::super::crowd_batch::{draw_crowds, list_crowds};
use super::super::culling::{Frustum, pixel_width};
use super::super::draw_list::{DrawnModels, draw_all};
use super::super::floor::{FloorPass, FloorTargets};
use super::super::ghost::GhostPass;
use super::super::globals::{globals, pixels};
use super::super::indirect::{Culling, Listed};
use super::super::lines::LinePass;
use super::super::model::Model;
use super::super::offscreen::{RenderTarget, SceneViews};
use super::super::output::Output;
use super::super::passes::{begin_scene, begin_surroundings, continue_scene};
use super::super::rect::Rect;
use super::super::shadow::Shadow;
use super::super::software::few_bones;
use super::super::{Background, Frame, RenderError, gpu_types, shadow};
use super::Renderer;

/// A frame's contents, decided before its passes begin.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    has_shadow: bool,
    has_occlusion: bool,
    has_floor: bool,
    has_ghosts: bool,
    /// Whether any surface lets other surfaces show through.
    has_backdrop: bool,
    /// Whether crowds are drawn in two phases, because hidden characters are left out.
    has_phases: bool,
}

impl Renderer {
    /// Uploads the frame and encodes its passes. The frame covers an area of the target that starts at the upper left
    /// corner.
    pub(super) fn encode(
        &mut self,
        models: &[&Model],
        frame: &Frame<'_>,
        background: Background,
        target: &RenderTarget,
        area: (u32, u32),
        output: Output,
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
            culling_queries,
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
        let drawn = DrawnModels { models, overrides: &buffers.overrides };
        let shadow = shadow.as_ref().filter(|_| plan.has_shadow);
        if let Some(maps) = occlusion.as_mut().filter(|_| plan.has_occlusion) {
            maps.pose(gpu, encoder, &instances, models)?;
        }
        let occlusion = occlusion.as_ref().filter(|_| plan.has_occlusion);
        let shadow_view = shadow.map(|shadow| &shadow.view);
        let mut light = lights.bind(gpu, layouts, shadow_view, occlusion, None);
        let seen = if plan.has_phases { Listed::FirstPhase } else { Listed::Camera };
        if let Some(culling) = culling.as_ref().filter(|_| !frame.crowds.is_empty()) {
            let lists = [seen, Listed::Light];
            let lists = if plan.has_shadow { &lists[..] } else { &lists[..1] };
            list_crowds(culling, encoder, frame, lists, culling_queries.take().as_ref());
        }
        if let Some(shadow) = shadow {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("shadow"),
                depth_stencil_attachment: Some(cleared_depth(&shadow.target)),
                ..Default::default()
            });
            pass.set_bind_group(0, &globals, &[]);
            pass.set_bind_group(1, &instances, &[]);
            shadow.casters.draw(&mut pass, drawn, frame);
            drop(pass);
            if let Some(levels) = &shadow.levels {
                levels.fill(encoder);
            }
        }
        if let (Some(maps), Some(few_bones)) = (occlusion, &buffers.few_bones) {
            maps.draw(gpu, layouts, encoder, &instances, few_bones, drawn, frame);
        }
        let floor = floor.as_ref().filter(|_| plan.has_floor);
        if let Some(backdrop) = backdrop.as_ref().filter(|_| plan.has_backdrop)
            && let Some(views) = backdrop.views()
        {
            let behind = &surfaces.behind;
            let all = Rect::of_size(area);
            let mut pass =
                begin_scene(encoder, views, area, all, wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT));
            pass.set_bind_group(0, &globals, &[]);
            pass.set_bind_group(1, &instances, &[]);
            pass.set_bind_group(2, &light, &[]);
            draw_all(&behind.opaque.batches, &mut pass, drawn);
            draw_crowds(behind.crowds.iter(), &mut pass, models, frame, Listed::Camera);
            if let Some(floor) = floor {
                floor.draw_backdrop(&mut pass, all);
            }
            pass.set_bind_group(1, &instances, &[]);
            draw_all(&behind.blended, &mut pass, drawn);
            drop(pass);
            backdrop.fill_levels(encoder);
            light = lights.bind(gpu, layouts, shadow_view, occlusion, Some(backdrop.view()));
        }
        let load = output.load(background, frame.mode);
        let inner = patch.inner(output).load(background, frame.mode);
        let (scene, rect) = patch.target().unwrap_or((target.views(), Rect::of_size(area)));
        // Samples are resolved at the end of the last pass.
        let first = if plan.has_phases { SceneViews { resolved: None, ..scene } } else { scene };
        let mut pass = begin_scene(encoder, first, area, rect, inner);
        pass.set_bind_group(0, &globals, &[]);
        pass.set_bind_group(1, &instances, &[]);
        pass.set_bind_group(2, &light, &[]);
        draw_all(&surfaces.opaque.batches, &mut pass, drawn);
        draw_all(&surfaces.outlines.batches, &mut pass, drawn);
        let (opaque, blended) = surfaces.crowds.split_at(surfaces.crowds.partition_point(|b| !b.is_blended));
        draw_crowds(opaque.iter(), &mut pass, models, frame, seen);
        if let Some(culling) = culling.as_mut().filter(|_| plan.has_phases)
            && let Some(occlusion) = &mut culling.occlusion
        {
            drop(pass);
            let size = (target.width, target.height);
            occlusion.pyramid.prepare(gpu, &target.depth, size, target.samples);
            occlusion.pyramid.fill(encoder);
            list_crowds(culling, encoder, frame, &[Listed::SecondPhase], None);
            pass = continue_scene(encoder, scene, area, rect);
            pass.set_bind_group(0, &globals, &[]);
            pass.set_bind_group(1, &instances, &[]);
            pass.set_bind_group(2, &light, &[]);
            draw_crowds(opaque.iter(), &mut pass, models, frame, Listed::SecondPhase);
        }
        if let Some(floor) = floor {
            floor.draw(&mut pass, rect);
        }
        draw_crowds(blended.iter(), &mut pass, models, frame, Listed::Camera);
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
            pass.set_bind_group(1, &instances, &[]);
            pass.set_bind_group(2, &light, &[]);
            if let Some(floor) = floor {
                floor.draw_surroundings(&mut pass);
            }
            patch.resolve(&mut pass);
        }
        Ok(())
    }

    /// Decides what a frame draws, creates the pipelines for it, and schedules the upload of its input.
    pub(super) fn plan(
        &mut self,
        models: &[&Model],
        frame: &Frame<'_>,
        area: (u32, u32),
        output: Output,
    ) -> Result<Plan, RenderError> {
        let globals = globals(frame, area);
        let [clip_from_world, shadow_from_world] =
            [&globals.clip_from_world, &globals.shadow_from_world].map(Mat4::from_cols_array_2d);
        let [camera, light] = [clip_from_world, shadow_from_world].map(|matrix| Frustum::new(&matrix));
        let Self { gpu, layouts, list, .. } = self;
        let floor = frame.ground.filter(|floor| frame.camera.is_above(floor.center.y));
        let mut plan = Plan {
            // The floor can receive shadows even in modes in which surfaces do not.
            has_shadow: frame.casts_shadows() && (frame.mode.is_shaded() || frame.ground.is_some()),
            has_occlusion: frame.has_ambient_occlusion(),
            has_floor: floor.is_some(),
            has_ghosts: !(frame.ghosts.is_empty() || frame.mode.is_data()),
            has_backdrop: false,
            has_phases: false,
        };
        if frame.mode.is_shaded() {
            self.lights.upload(gpu, frame.light.environment());
        }
        list.clear();
        list.input.few_bones = gpu.capabilities.is_software && few_bones::fit(frame);
        let has_casters = plan.has_shadow || plan.has_occlusion;
        for instance in &frame.instances {
            list.add(models, instance, &camera, has_casters.then_some(&light));
        }
        self.surfaces.prepare(gpu, models, frame, list, self.patch.inner(output));
        plan.has_backdrop = self.surfaces.behind.is_seen;
        if let Some(occlusion) = self.culling.as_mut().and_then(|culling| culling.occlusion.as_mut()) {
            // The backdrop is drawn before the depths that hide characters are known.
            plan.has_phases = frame.has_hidden_crowds() && !plan.has_backdrop;
            if plan.has_phases {
                occlusion.pyramid.create_pipelines(gpu, output.samples);
            } else {
                occlusion.pyramid.clear();
            }
        }
        if plan.has_backdrop {
            let create = || Backdrop::new(gpu, area, output.samples);
            self.backdrop.get_or_insert_with(create).resize(gpu, area, output.samples);
        }
        if plan.has_shadow {
            let (size, is_soft) = (shadow::size(area), shadow::is_soft(&frame.light));
            let shadow = self.shadow.get_or_insert_with(|| Shadow::new(gpu, layouts, size, is_soft));
            shadow.resize(gpu, size, is_soft);
            shadow.casters.prepare(gpu, models, frame, list, false);
        }
        if plan.has_occlusion {
            let maps = self.occlusion.get_or_insert_with(|| OcclusionMaps::new(gpu, layouts));
            maps.prepare(gpu, models, frame, list, &mut self.buffers.staging, &globals)?;
        }
        if let Some(floor) = floor {
            let pass = self.floor.get_or_insert_with(|| FloorPass::new(gpu, layouts));
            let targets = FloorTargets {
                area,
                patch: self.patch.rect,
                inner: self.patch.inner(output),
                output,
                backdrop: plan.has_backdrop.then(|| backdrop::output(output)),
            };
            pass.prepare(gpu, frame, &list.items, &floor, plan.has_shadow, &targets);
        }
        if plan.has_ghosts {
            let pass = self.ghosts.get_or_insert_with(|| GhostPass::new(gpu, layouts));
            pass.prepare(gpu, models, frame, list, &camera, output);
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
            let shadow = pixels((shadow::size(area), shadow::size(area)));
            let widths =
                [pixel_width(&clip_from_world, pixels(area)), pixel_width(&shadow_from_world, shadow)];
            let mut views = gpu_types::CullViews {
                pixels: widths.map(Into::into),
                camera: [0, 1, 2, 3].map(|row| clip_from_world.row(row).into()),
                area: pixels(area).into(),
                ..Zeroable::zeroed()
            };
            for (plane, value) in views.planes.iter_mut().zip(eye.into_iter().chain(key)) {
                *plane = value;
            }
            self.buffers.write_views(gpu, &mut culling.views, &views)?;
        }
        self.buffers.write_globals(gpu, &globals)?;
        self.buffers.write_few_bones(gpu, &list.input)?;
        self.buffers.write_instances(gpu, &list.input)?;
        self.buffers.write_materials(gpu, &list.input)?;
        self.buffers.write_lines(gpu, &self.overlays)?;
        Ok(plan)
    }
}
