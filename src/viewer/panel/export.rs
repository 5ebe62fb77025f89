//! The progress of an export, shown over the scene.

use std::path::Path;
use std::time::Duration;

use egui::{Align2, Area, Frame, Id, Order, ProgressBar, Ui};

use crate::platform::Instant;

use super::{AppRequest, PanelState, name};

/// Delay before the progress of an export is shown.
const DELAY: Duration = Duration::from_secs(1);
/// Distance from the top of the scene in points.
const TOP_MARGIN: f32 = 70.0;
/// Redraw interval of the progress.
const INTERVAL: Duration = Duration::from_millis(100);

/// The progress of an export.
#[derive(Debug)]
pub(crate) struct ExportProgress {
    file: String,
    since: Instant,
    /// Completed fraction, from 0 to 1.
    pub(crate) done: f32,
}

impl ExportProgress {
    /// Creates the progress of an export to a file, starting at 0.
    pub(crate) fn new(file: &Path) -> Self {
        let file = name(&file.file_name().unwrap_or_default().to_string_lossy());
        Self { file, since: Instant::now(), done: 0.0 }
    }
}

/// Shows the progress with a button that cancels the export.
pub(super) fn show(ui: &Ui, panel: &mut PanelState) {
    let Some(export) = &panel.export else { return };
    ui.ctx().request_repaint_after(INTERVAL);
    if export.since.elapsed() < DELAY {
        return;
    }
    let area = Area::new(Id::unique("export")).pivot(Align2::CENTER_TOP).order(Order::Foreground);
    area.fixed_pos(panel.layout.scene.center_top() + egui::vec2(0.0, TOP_MARGIN)).show(ui.ctx(), |ui| {
        Frame::window(ui.style()).show(ui, |ui| {
            ui.horizontal(|ui| {
                let text = format!("Exporting {}   {:.0} %", export.file, export.done * 100.0);
                ui.add(ProgressBar::new(export.done).desired_width(320.0).text(text));
                if ui.button("Cancel").clicked() {
                    panel.request = Some(AppRequest::CancelExport);
                }
            });
        });
    });
}
