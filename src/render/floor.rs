//! The floor with its shadow and grid.

use std::collections::HashMap;

use glam::{Vec2, vec2, vec3};

use super::draw_list::Item;
use super::globals::pixels;
use super::layout::{self, Layouts};
use super::output::Output;
use super::rect::{Projector, Rect, corners};
use super::surface::depth_state;
use super::{Floor, Frame, Gpu, Grid, LightSource, shaders, shadow};

/// Maximum distance in texels by which a shadow extends beyond its caster, for sharp and for soft shadows. It covers the shader's
/// disc, its filter, and the offset along the normal.
const SHARP_RADIUS: f32 = 9.0;
const SOFT_RADIUS: f32 = 41.0;

/// Number of horizontal bands into which the shadowed part of an image is divided, and their minimum height in pixels. Each band is as wide
/// as the shadow in it.
const BANDS: u32 = 6;
const MIN_BAND: u32 = 8;
/// If there are more parts than this, one rectangle bounds the shadow, because computing the bands would take more time than they save.
const MAX_OUTLINES: usize = 16;

/// Pipelines for the floor, created on first use.
#[derive(Debug)]
pub(super) struct FloorPass {
    module: wgpu::ShaderModule,
    layout: wgpu::PipelineLayout,
    pipelines: HashMap<FloorVariant, wgpu::RenderPipeline>,
    /// The rectangles of the image that are drawn with the surfaces, and their pipelines.
    pieces: Vec<(wgpu::RenderPipeline, Rect)>,
    /// The rectangles drawn into the backdrop.
    backdrop: Vec<(wgpu::RenderPipeline, Rect)>,
    /// The rectangles outside the one around the surfaces.
    surroundings: Vec<(wgpu::RenderPipeline, Rect)>,
}

/// The targets of a frame into which the floor is drawn.
#[derive(Debug)]
pub(super) struct FloorTargets {
    /// Width and height of the image in pixels.
    pub(super) area: (u32, u32),
    /// The rectangle in which surfaces are drawn, if the rest of the image is drawn separately with one sample per pixel.
    pub(super) patch: Option<Rect>,
    /// The output of the surfaces, which may differ from that of the image if there is a patch.
    pub(super) inner: Output,
    /// The output of the image.
    pub(super) output: Output,
    /// The output of the backdrop, if there is one.
    pub(super) backdrop: Option<Output>,
}

/// The properties that select a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FloorVariant {
    shadows: bool,
    soft_shadows: bool,
    occlusion: bool,
    clear_grid: bool,
    /// Whether surfaces may hide the floor. Otherwise, the floor's pass has no depth.
    depth: bool,
    output: Output,
}

impl FloorPass {
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let layout = layouts.pipeline(gpu, &layout::FLOOR);
        let module = shaders::module_for(gpu, "floor", shaders::FLOOR);
        Self {
            module,
            layout,
            pipelines: HashMap::new(),
            pieces: Vec::new(),
            backdrop: Vec::new(),
            surroundings: Vec::new(),
        }
    }

    /// Divides the image into rectangles in which the floor is drawn with or without shadows. Sampling the shadow map is
    /// the most expensive part of drawing the floor, and most of the floor is not in shadow.
    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        frame: &Frame<'_>,
        items: &[Item],
        floor: &Floor,
        shadows: bool,
        targets: &FloorTargets,
    ) {
        let &FloorTargets { area, patch, inner, output, backdrop } = targets;
        let all = Rect::of_size(area);
        let occlusion = frame.has_ambient_occlusion();
        // Where pieces meet, llvmpipe draws some samples twice. If the floor is multisampled, the shadow is therefore not divided into
        // bands.
        let has_bands = patch.is_some() || output.samples == 1;
        let (outer, bands) = match (shadows, occlusion) {
            (true, false) => shadowed(frame, items, floor, area, has_bands),
            // Ambient occlusion may darken the floor anywhere. It is drawn in one piece, because the floor would be darkened twice where
            // pieces meet.
            (true, true) => (all, vec![all]),
            (false, _) => (Rect::default(), Vec::new()),
        };
        let lit = all.without(outer).map(|rest| (false, rest));
        let whole = lit.into_iter().chain([(true, outer)]);
        let row = |band: &Rect| Rect { y: band.y, height: band.height, ..outer };
        let beside = bands.iter().flat_map(|band| row(band).without(*band)).map(|rest| (false, rest));
        let in_bands = lit.into_iter().chain(beside).chain(bands.iter().map(|band| (true, *band)));
        let clear_grid = floor.grid != Grid::Faint;
        let soft_shadows = frame.light.source != LightSource::Classic;
        let single = Output { samples: 1, ..output };
        let mut list = |pieces: Vec<(bool, Rect)>, depth: bool, output: Output| -> Vec<_> {
            let pieces = pieces.into_iter().filter(|(_, rect)| !rect.is_empty());
            let variant =
                |shadows| FloorVariant { shadows, soft_shadows, occlusion, clear_grid, depth, output };
            pieces.map(|(shadows, rect)| (self.pipeline(gpu, variant(shadows)).clone(), rect)).collect()
        };
        let behind = backdrop.map(|output| list(whole.clone().collect(), true, output)).unwrap_or_default();
        let (pieces, surroundings) = match patch {
            Some(patch) => {
                let inside = whole.map(|(shadows, piece)| (shadows, piece.intersection(patch)));
                // The target of these pieces begins at the upper left corner of the patch.
                let moved = |rect: Rect| Rect { x: rect.x - patch.x, y: rect.y - patch.y, ..rect };
                let inside = inside.filter(|(_, rect)| !rect.is_empty());
                let inside = inside.map(|(shadows, rect)| (shadows, moved(rect)));
                let outside = in_bands.flat_map(|(shadows, piece)| {
                    piece.without(piece.intersection(patch)).map(|rest| (shadows, rest))
                });
                (list(inside.collect(), true, inner), list(outside.collect(), false, single))
            }
            None if has_bands => (list(in_bands.collect(), true, output), Vec::new()),
            None => (list(whole.collect(), true, output), Vec::new()),
        };
        (self.pieces, self.backdrop, self.surroundings) = (pieces, behind, surroundings);
    }

    /// Draws the floor below and around the surfaces. `rect` is the rectangle of the image that the target contains.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, rect: Rect) {
        draw_pieces(pass, &self.pieces);
        pass.set_scissor_rect(0, 0, rect.width, rect.height);
    }

    /// Draws the floor of the backdrop, which has the size of the rectangle.
    pub(super) fn draw_backdrop(&self, pass: &mut wgpu::RenderPass<'_>, rect: Rect) {
        draw_pieces(pass, &self.backdrop);
        pass.set_scissor_rect(0, 0, rect.width, rect.height);
    }

    /// Draws the rest of the floor, without depth.
    pub(super) fn draw_surroundings(&self, pass: &mut wgpu::RenderPass<'_>) {
        draw_pieces(pass, &self.surroundings);
    }

    fn pipeline(&mut self, gpu: &Gpu, variant: FloorVariant) -> &wgpu::RenderPipeline {
        let FloorVariant { shadows, soft_shadows, occlusion, clear_grid, depth, output } = variant;
        let (module, layout) = (&self.module, &self.layout);
        self.pipelines.entry(variant).or_insert_with(|| {
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
                        ("SOFT_SHADOWS", f64::from(u8::from(soft_shadows))),
                        ("AMBIENT_OCCLUSION", f64::from(u8::from(occlusion))),
                        ("CLEAR_GRID", f64::from(u8::from(clear_grid))),
                        output.encode_constant(),
                    ],
                    depth: depth.then(|| depth_state(false)),
                    output,
                },
            )
        })
    }
}

fn draw_pieces(pass: &mut wgpu::RenderPass<'_>, pieces: &[(wgpu::RenderPipeline, Rect)]) {
    for (pipeline, Rect { x, y, width, height }) in pieces {
        pass.set_pipeline(pipeline);
        pass.set_scissor_rect(*x, *y, *width, *height);
        pass.draw(0..6, 0..1);
    }
}

/// Returns the pieces of an image in which the floor may be in shadow: the boxes of all parts, projected along the key light.
/// All of them are inside the first rectangle, which is the only one without `has_bands`.
fn shadowed(
    frame: &Frame<'_>,
    items: &[Item],
    floor: &Floor,
    area: (u32, u32),
    has_bands: bool,
) -> (Rect, Vec<Rect>) {
    let all = Rect::of_size(area);
    let everything = (all, vec![all]);
    if !frame.crowds.is_empty() {
        // Only the GPU knows where the characters of crowds are.
        return everything;
    }
    let light = frame.light.key_direction();
    let (center, radius) = frame.sphere;
    let (_, _, texel_metres) = shadow::light_space(&frame.light, (center, radius), shadow::size(area));
    // A length perpendicular to the light becomes longer when projected onto the floor.
    let is_soft = frame.light.source != LightSource::Classic;
    let soft = if is_soft { SOFT_RADIUS } else { SHARP_RADIUS } * texel_metres / light.y;
    let projector = Projector::new(&frame.camera, area);
    let mut outlines: Vec<[Vec2; 32]> = Vec::new();
    let (mut lo, mut hi) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
    for bounds in items.iter().filter(|item| item.is_lit).map(|item| &item.bounds) {
        let mut outline = [Vec2::ZERO; 32];
        for (four, caster) in outline.as_chunks_mut::<4>().0.iter_mut().zip(corners(bounds)) {
            let below = caster - light * ((caster.y - floor.center.y) / light.y);
            let offsets = [(-soft, -soft), (-soft, soft), (soft, -soft), (soft, soft)];
            for (at, (x, z)) in four.iter_mut().zip(offsets) {
                // Points behind the camera and unknown bounds have no position in the image.
                let Some(pixel) = projector.pixel(below + vec3(x, 0.0, z)) else { return everything };
                *at = pixel;
                (lo, hi) = (lo.min(pixel), hi.max(pixel));
            }
        }
        outlines.push(outline);
    }
    // Add a margin of one pixel, because the shader rounds differently.
    let rect = all.around(lo, hi, 1);
    if !has_bands || outlines.len() > MAX_OUTLINES || rect.height < MIN_BAND * BANDS {
        return (rect, vec![rect]);
    }
    let step = rect.height / BANDS;
    let bands = (0..BANDS).map(|band| {
        let height = if band + 1 == BANDS { rect.height - step * band } else { step };
        let band = Rect { y: rect.y + step * band, height, ..rect };
        let (left, right) = extent(&outlines, pixels((band.y, band.y + band.height)));
        let (lo, hi) = (vec2(left, lo.y), vec2(right, hi.y));
        Rect { y: band.y, height: band.height, ..band.around(lo, hi, 1) }
    });
    (rect, bands.filter(|band| !band.is_empty()).collect())
}

/// Returns the smallest and the largest x of convex outlines within a range of y, with a margin of one pixel.
fn extent(outlines: &[[Vec2; 32]], (top, bottom): (f32, f32)) -> (f32, f32) {
    let (top, bottom) = (top - 1.0, bottom + 1.0);
    let (mut left, mut right) = (f32::INFINITY, f32::NEG_INFINITY);
    for outline in outlines {
        // The edges of a convex outline are among the lines between pairs of its points.
        for (i, a) in outline.iter().enumerate() {
            for b in outline.iter().skip(i) {
                let (above, below) = if a.y <= b.y { (a, b) } else { (b, a) };
                if above.y > bottom || below.y < top {
                    continue;
                }
                let x_at = |y: f32| {
                    let t = ((y - above.y) / (below.y - above.y)).clamp(0.0, 1.0);
                    if t.is_finite() { above.x + (below.x - above.x) * t } else { above.x }
                };
                for x in [x_at(top.max(above.y)), x_at(bottom.min(below.y))] {
                    (left, right) = (left.min(x), right.max(x));
                }
            }
        }
    }
    (left, right)
}

/// The parameters of an overlay pipeline.
pub(super) struct OverlayPipeline<'a> {
    pub(super) vertex: &'a str,
    pub(super) fragment: &'a str,
    pub(super) buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    pub(super) constants: &'a [(&'a str, f64)],
    /// `None` for a pass without depth.
    pub(super) depth: Option<wgpu::DepthStencilState>,
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
        depth_stencil: o.depth.clone(),
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
