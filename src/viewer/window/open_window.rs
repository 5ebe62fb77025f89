//! The open window with its graphics.

use std::sync::Arc;
use std::time::Instant;

use glam::Vec2;
use winit::window::Window;

use crate::viewer::window::surface::Graphics;

use super::scale;

/// An open window with its graphics.
pub(super) struct OpenWindow {
    pub(super) window: Arc<Window>,
    pub(super) graphics: Graphics,
    pub(super) egui: egui_winit::State,
    /// Start of egui's clock.
    pub(super) began: Instant,
}

impl OpenWindow {
    /// Does the same as [`egui_winit::State::take_egui_input`], but with the given window size in pixels instead of querying it.
    pub(super) fn input(&mut self, pixels: Vec2) -> egui::RawInput {
        let points = pixels / egui_winit::pixels_per_point(self.egui.egui_ctx(), &self.window);
        let input = self.egui.egui_input_mut();
        input.time = Some(self.began.elapsed().as_secs_f64());
        input.screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(points.x, points.y)));
        let viewport = input.viewports.entry(egui::ViewportId::ROOT).or_default();
        viewport.native_pixels_per_point = Some(scale(&self.window));
        input.take()
    }
}
