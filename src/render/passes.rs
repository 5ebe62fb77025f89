//! Starts render passes.

use super::compose::depth_attachment;
use super::globals::pixels;
use super::offscreen::SceneViews;
use super::rect::Rect;

/// Begins the pass that draws a rectangle of an image of `area` pixels. The rectangle begins at the upper left pixel of the target. If the
/// pass clears, the rest of the target is filled with the background.
pub(super) fn begin_scene<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    views: SceneViews<'_>,
    area: (u32, u32),
    rect: Rect,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPass<'e> {
    scene_pass(encoder, views, area, rect, load, wgpu::LoadOp::Clear(1.0))
}

/// Begins a pass that draws more into the same views.
pub(super) fn continue_scene<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    views: SceneViews<'_>,
    area: (u32, u32),
    rect: Rect,
) -> wgpu::RenderPass<'e> {
    scene_pass(encoder, views, area, rect, wgpu::LoadOp::Load, wgpu::LoadOp::Load)
}

fn scene_pass<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    views: SceneViews<'_>,
    area: (u32, u32),
    rect: Rect,
    load: wgpu::LoadOp<wgpu::Color>,
    load_depth: wgpu::LoadOp<f32>,
) -> wgpu::RenderPass<'e> {
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("scene"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: views.color,
            depth_slice: None,
            resolve_target: views.resolved,
            ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
        })],
        depth_stencil_attachment: Some(depth_attachment(views.depth, load_depth)),
        ..Default::default()
    });
    let ((width, height), (x, y)) = (pixels(area), pixels((rect.x, rect.y)));
    pass.set_viewport(-x, -y, width, height, 0.0, 1.0);
    pass.set_scissor_rect(0, 0, rect.width, rect.height);
    pass
}

/// Begins the pass that draws the image around the surfaces. It has no depth attachment.
pub(super) fn begin_surroundings<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    view: &wgpu::TextureView,
    area: (u32, u32),
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPass<'e> {
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("surroundings"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
        })],
        ..Default::default()
    });
    let (width, height) = pixels(area);
    pass.set_viewport(0.0, 0.0, width, height, 0.0, 1.0);
    pass.set_scissor_rect(0, 0, area.0, area.1);
    pass
}
