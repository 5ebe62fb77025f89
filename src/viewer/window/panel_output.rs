//! The panel as laid out by egui.

/// Tessellated output of the panel.
pub(in crate::viewer) struct PanelOutput {
    pub(in crate::viewer) textures: egui::TexturesDelta,
    pub(in crate::viewer) shapes: Vec<egui::ClippedPrimitive>,
    pub(in crate::viewer) scale: f32,
}
