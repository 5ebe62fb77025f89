//! The panel as laid out by egui.

/// Tessellated output of the panel.
pub(crate) struct PanelOutput {
    pub(crate) textures: egui::TexturesDelta,
    pub(crate) shapes: Vec<egui::ClippedPrimitive>,
    pub(crate) scale: f32,
}
