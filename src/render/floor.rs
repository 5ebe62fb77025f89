//! The floor with its shadow and grid.

use std::collections::HashMap;

use glam::{Vec3, vec3};

use crate::view::Projection;

use super::draw_list::Item;
use super::layout::Layouts;
use super::output::Output;
use super::shadow::KEY_LIGHT;
use super::surface::depth_state;
use super::{Floor, Frame, Gpu, Grid, shaders, shadow};

/// Maximum distance in texels by which a shadow extends beyond its caster. It covers the shader's disc, its filter, and
/// the offset along the normal.
const SOFT_RADIUS: f32 = 9.0;

/// Pipelines for the floor, created on first use.
#[derive(Debug)]
pub(super) struct FloorPass {
    module: wgpu::ShaderModule,
    layout: wgpu::PipelineLayout,
    pipelines: HashMap<(bool, bool, Output), wgpu::RenderPipeline>,
    /// The rectangles of the frame and their pipelines.
    pieces: Vec<(wgpu::RenderPipeline, Rect)>,
}

impl FloorPass {
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("floor"),
            bind_group_layouts: &[Some(&layouts.globals), None, Some(&layouts.shadow)],
            immediate_size: 0,
        });
        let module = shaders::module(&gpu.device, "floor", shaders::FLOOR);
        Self { module, layout, pipelines: HashMap::new(), pieces: Vec::new() }
    }

    /// Divides the image into rectangles in which the floor is drawn with or without shadows. Sampling the shadow map is
    /// the most expensive part of drawing the floor, and most of the floor is not in shadow.
    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        (frame, items): (&Frame<'_>, &[Item]),
        floor: &Floor,
        shadows: bool,
        (area, output): ((u32, u32), Output),
    ) {
        self.pieces.clear();
        let all = Rect { x: 0, y: 0, width: area.0, height: area.1 };
        let shadowed = if shadows { shadow_rect(frame, items, floor, all) } else { Rect::default() };
        let pieces = [(true, shadowed)].into_iter().chain(all.without(shadowed).map(|rest| (false, rest)));
        for (shadows, piece) in pieces.filter(|(_, piece)| piece.width > 0 && piece.height > 0) {
            let pipeline = self.pipeline(gpu, (shadows, floor.grid), output).clone();
            self.pieces.push((pipeline, piece));
        }
    }

    /// Draws the prepared rectangles into an area of the target.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, area: (u32, u32)) {
        for (pipeline, Rect { x, y, width, height }) in &self.pieces {
            pass.set_pipeline(pipeline);
            pass.set_scissor_rect(*x, *y, *width, *height);
            pass.draw(0..6, 0..1);
        }
        pass.set_scissor_rect(0, 0, area.0, area.1);
    }

    fn pipeline(
        &mut self,
        gpu: &Gpu,
        (shadows, grid): (bool, Grid),
        output: Output,
    ) -> &wgpu::RenderPipeline {
        let is_clear = grid != Grid::Faint;
        let (module, layout) = (&self.module, &self.layout);
        self.pipelines.entry((shadows, is_clear, output)).or_insert_with(|| {
            overlay_pipeline(
                gpu,
                "floor",
                module,
                layout,
                &OverlayPipeline {
                    vertex: "floor_vertex",
                    fragment: "floor_fragment",
                    buffers: &[],
                    constants: &[
                        ("SHADOWS", f64::from(u8::from(shadows))),
                        ("CLEAR_GRID", f64::from(u8::from(is_clear))),
                        output.encode_constant(),
                    ],
                    depth_compare: depth_state(false),
                    output,
                },
            )
        })
    }
}

/// A rectangle of pixels. (0, 0) is the upper left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rect {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Rect {
    /// Returns the rectangle without `part`, as four rectangles above, below, left and right of `part`.
    fn without(self, part: Self) -> [Self; 4] {
        let (right, bottom) = (part.x + part.width, part.y + part.height);
        [
            Self { height: part.y - self.y, ..self },
            Self { y: bottom, height: self.y + self.height - bottom, ..self },
            Self { x: self.x, width: part.x - self.x, ..part },
            Self { x: right, width: self.x + self.width - right, ..part },
        ]
    }
}

/// Returns the rectangle in which the floor may be in shadow: the boxes of all parts, projected along the key light.
fn shadow_rect(frame: &Frame<'_>, items: &[Item], floor: &Floor, all: Rect) -> Rect {
    let light = KEY_LIGHT.normalize();
    let (center, radius) = frame.sphere;
    let (_, _, texel_metres) = shadow::light_space(center, radius, shadow::size((all.width, all.height)));
    // A length perpendicular to the light becomes longer when projected onto the floor.
    let soft = SOFT_RADIUS * texel_metres / light.y;
    #[expect(clippy::cast_precision_loss, reason = "image sizes are far below 2^24")]
    let (width, height) = (all.width as f32, all.height as f32);
    let clip_from_world = frame.camera.clip_from_world(width / height);
    let is_perspective = matches!(frame.camera.projection, Projection::Perspective { .. });
    let (mut lo, mut hi) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for bounds in items.iter().filter(|item| item.is_lit).map(|item| item.bounds) {
        for corner in 0..8_u8 {
            let choose = |bit: u8, lo: f32, hi: f32| if corner & bit == 0 { lo } else { hi };
            let (a, b) = (bounds.lo, bounds.hi);
            let caster = vec3(choose(1, a.x, b.x), choose(2, a.y, b.y), choose(4, a.z, b.z));
            let below = caster - light * ((caster.y - floor.center.y) / light.y);
            for (x, z) in [(-soft, -soft), (-soft, soft), (soft, -soft), (soft, soft)] {
                let clip = clip_from_world * (below + vec3(x, 0.0, z)).extend(1.0);
                // Points behind the camera and unknown bounds have no position in the image.
                if !clip.is_finite() || is_perspective && clip.w < frame.camera.near {
                    return all;
                }
                let at = clip.truncate() / clip.w;
                (lo, hi) = (lo.min(at), hi.max(at));
            }
        }
    }
    // Add a margin of one pixel, because the shader rounds differently.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the image")]
    let pixel = |at: f32, of: f32| at.clamp(0.0, of) as u32;
    let x = pixel((lo.x * 0.5 + 0.5) * width - 1.0, width);
    let y = pixel((0.5 - hi.y * 0.5) * height - 1.0, height);
    let right = pixel(((hi.x * 0.5 + 0.5) * width + 2.0).ceil(), width);
    let bottom = pixel(((0.5 - lo.y * 0.5) * height + 2.0).ceil(), height);
    Rect { x, y, width: right.saturating_sub(x), height: bottom.saturating_sub(y) }
}

/// The parameters of an overlay pipeline.
pub(super) struct OverlayPipeline<'a> {
    pub(super) vertex: &'a str,
    pub(super) fragment: &'a str,
    pub(super) buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    pub(super) constants: &'a [(&'a str, f64)],
    pub(super) depth_compare: wgpu::DepthStencilState,
    pub(super) output: Output,
}

/// Creates a pipeline that blends premultiplied colours over the scene.
pub(super) fn overlay_pipeline(
    gpu: &Gpu,
    label: &str,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
    o: &OverlayPipeline<'_>,
) -> wgpu::RenderPipeline {
    let target = wgpu::ColorTargetState {
        format: o.output.format,
        blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
        write_mask: wgpu::ColorWrites::ALL,
    };
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(label),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(o.vertex),
            compilation_options: Default::default(),
            buffers: o.buffers,
        },
        primitive: Default::default(),
        depth_stencil: Some(o.depth_compare.clone()),
        multisample: wgpu::MultisampleState { count: o.output.samples, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(o.fragment),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: o.constants,
                ..Default::default()
            },
            targets: &[Some(target)],
        }),
        multiview_mask: None,
        cache: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_and_the_rest_cover_every_pixel_once() {
        let all = Rect { x: 0, y: 0, width: 7, height: 5 };
        let contains = |r: &Rect, x: u32, y: u32| {
            (r.x..r.x + r.width).contains(&x) && (r.y..r.y + r.height).contains(&y)
        };
        for [x, y, width, height] in
            [[2, 1, 3, 2], [0, 0, 7, 5], [0, 3, 7, 2], [6, 0, 1, 1], [0, 0, 0, 0], [7, 5, 0, 0], [3, 2, 0, 3]]
        {
            let part = Rect { x, y, width, height };
            let pieces: Vec<Rect> = all.without(part).into_iter().chain([part]).collect();
            for (x, y) in (0..7).flat_map(|x| (0..5).map(move |y| (x, y))) {
                let times = pieces.iter().filter(|r| contains(r, x, y)).count();
                assert_eq!(times, 1, "{x}, {y} of {part:?}");
            }
        }
    }
}
