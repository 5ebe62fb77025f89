//! The panel in its own texture, in which only changed parts are redrawn. A software adapter takes longer to draw the panel than a
//! moving character.

use egui_wgpu::ScreenDescriptor;
use wgpu::TextureFormat;

use crate::render::{Composed, Compositor, Gpu, Placement, drawable_texture};

use super::super::panel_output::PanelOutput;
use super::panel_tiles::Tiles;

/// A texture with the last drawn panel.
#[derive(Debug, Default)]
pub(in crate::window) struct PanelTexture {
    view: Option<wgpu::TextureView>,
    tiles: Tiles,
}

impl PanelTexture {
    /// Invalidates the texture, so that the whole panel is redrawn.
    pub(in crate::window) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Encodes the commands that redraw the changed part of the panel in a window of `size` pixels. Returns the composed panel, the parts of
    /// the window that it occupies, and command buffers to submit before `encoder`.
    pub(in crate::window) fn update(
        &mut self,
        gpu: &Gpu,
        renderer: &mut egui_wgpu::Renderer,
        compositor: &Compositor,
        format: TextureFormat,
        panel: &mut PanelOutput,
        size: (u32, u32),
        encoder: &mut wgpu::CommandEncoder,
    ) -> (Composed, Vec<Placement>, Vec<wgpu::CommandBuffer>) {
        let tiles = Tiles::new(&panel.shapes, panel.scale, size);
        let changed = tiles.changed(&self.tiles);
        let occupied = tiles.occupied();
        let is_new = self.tiles.size() != tiles.size();
        self.tiles = tiles;
        let view = match self.view.take().filter(|_| !is_new) {
            Some(view) => view,
            None => drawable_texture(gpu, "panel", size, format, &[]).create_view(&Default::default()),
        };
        let mut work = Vec::new();
        if let Some(changed) = changed {
            clip(panel, changed);
            let screen = ScreenDescriptor { size_in_pixels: [size.0, size.1], pixels_per_point: panel.scale };
            work = renderer.update_buffers(&gpu.device, &gpu.queue, encoder, &panel.shapes, &screen);
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("panel"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
                })],
                ..Default::default()
            });
            compositor.clear(&mut pass, changed);
            renderer.render(&mut pass.forget_lifetime(), &panel.shapes, &screen);
        }
        let composed = compositor.bind_over(gpu, (&view, size), Placement { origin: (0, 0), size });
        self.view = Some(view);
        (composed, occupied, work)
    }
}

/// Clips all shapes to a rectangle and removes the shapes outside it.
fn clip(panel: &mut PanelOutput, to: Placement) {
    #[expect(clippy::cast_precision_loss, reason = "window coordinates")]
    let point = |(x, y): (u32, u32)| egui::pos2(x as f32 / panel.scale, y as f32 / panel.scale);
    let end = (to.origin.0 + to.size.0, to.origin.1 + to.size.1);
    let rect = egui::Rect::from_min_max(point(to.origin), point(end));
    panel.shapes.retain_mut(|shape| {
        shape.clip_rect = shape.clip_rect.intersect(rect);
        shape.clip_rect.is_positive()
    });
}
