//! The statistics of a crowd, drawn over a corner of its window.

use std::time::Duration;

use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, pos2, vec2};
use egui_wgpu::ScreenDescriptor;

use crate::panel;
use crate::render::Gpu;
use crate::scene::{CrowdStats, CrowdTimes};

/// Distance of the panel from the corner of the window, and of the text from the edge of the panel, in points.
const MARGIN: f32 = 12.0;
const PADDING: f32 = 10.0;
/// Width of the panel, height of a line, and height of the text, in points.
const WIDTH: f32 = 250.0;
const LINE: f32 = 18.0;
const TEXT: f32 = 13.0;
/// Distance of the bars from the left edge of the text, their greatest length, and their height, in points.
const BARS: f32 = 56.0;
const LONGEST_BAR: f32 = 110.0;
const BAR_HEIGHT: f32 = 9.0;
const BACKGROUND: Color32 = Color32::from_black_alpha(190);
const LABEL: Color32 = Color32::from_gray(190);
const VALUE: Color32 = Color32::WHITE;
const BAR: Color32 = Color32::from_rgb(255, 158, 64);
/// Weight of a new frame in the displayed times. Times of single frames could not be read, because they change too fast.
const NEWEST: f64 = 0.1;

/// Draws the statistics with egui.
pub(super) struct Overlay {
    context: egui::Context,
    renderer: egui_wgpu::Renderer,
    /// The displayed times.
    times: Option<CrowdTimes>,
}

/// A line of the panel.
#[derive(Debug, PartialEq)]
struct Line {
    label: String,
    value: String,
    /// The length of a bar between both, relative to the longest bar.
    bar: Option<f32>,
}

impl Overlay {
    /// `format` is the format of the views to draw into.
    pub(super) fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let context = egui::Context::default();
        panel::style(&context);
        let renderer = egui_wgpu::Renderer::new(&gpu.device, format, Default::default());
        Self { context, renderer, times: None }
    }

    /// Draws the statistics over a view of `size` pixels. `scale` is in pixels per point. The device must not be lost, because egui would
    /// panic.
    pub(super) fn draw(
        &mut self,
        gpu: &Gpu,
        stats: &CrowdStats,
        view: &wgpu::TextureView,
        size: (u32, u32),
        scale: f32,
    ) {
        let times = smoothed(self.times.as_ref(), &stats.times);
        let lines = lines(stats, &times);
        self.times = Some(times);
        #[expect(clippy::cast_precision_loss, reason = "window sizes are far below 2²⁴")]
        let points = vec2(size.0 as f32, size.1 as f32) / scale;
        let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, points));
        let mut input = egui::RawInput { screen_rect, ..Default::default() };
        let viewport = input.viewports.entry(egui::ViewportId::ROOT).or_default();
        viewport.native_pixels_per_point = Some(scale);
        let output = self.context.run_ui(input, |ui| paint(ui.painter(), &lines));
        let pixels_per_point = output.pixels_per_point;
        let shapes = self.context.tessellate(output.shapes, pixels_per_point);
        let mut textures = output.textures_delta;
        for (id, deltas) in textures.set.drain() {
            for delta in &deltas {
                self.renderer.update_texture(&gpu.device, &gpu.queue, id, delta);
            }
        }
        let screen = ScreenDescriptor { size_in_pixels: [size.0, size.1], pixels_per_point };
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut work = self.renderer.update_buffers(&gpu.device, &gpu.queue, &mut encoder, &shapes, &screen);
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("statistics"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        self.renderer.render(&mut pass.forget_lifetime(), &shapes, &screen);
        work.push(encoder.finish());
        gpu.queue.submit(work);
        textures.free.drain().for_each(|id| self.renderer.free_texture(&id));
    }
}

/// Returns the times to display after a frame.
fn smoothed(before: Option<&CrowdTimes>, now: &CrowdTimes) -> CrowdTimes {
    let Some(before) = before.filter(|before| before.source == now.source) else { return now.clone() };
    let mixed = |before: Duration, now: Duration| before.mul_f64(1.0 - NEWEST) + now.mul_f64(NEWEST);
    CrowdTimes {
        source: now.source,
        step: mixed(before.step, now.step),
        cull: now.cull.map(|cull| mixed(before.cull.unwrap_or(cull), cull)),
        draw: mixed(before.draw, now.draw),
        cpu: mixed(before.cpu, now.cpu),
    }
}

/// Returns the lines of the panel.
fn lines(stats: &CrowdStats, times: &CrowdTimes) -> Vec<Line> {
    let line = |label: &str, value: String| Line { label: label.to_owned(), value, bar: None };
    let milliseconds = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    let mut lines = vec![line("characters", grouped(stats.characters))];
    if let (Some(drawn), Some(culled)) = (&stats.drawn, stats.culled()) {
        lines.push(line("drawn", grouped(drawn.visible())));
        lines.push(line("culled", grouped(culled)));
        lines.push(line("hidden", grouped(drawn.hidden)));
        lines.push(line("triangles", grouped(drawn.triangles)));
        let most = drawn.characters.iter().copied().max().unwrap_or_default().max(1);
        for (level, &count) in drawn.characters.iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "the length of a bar")]
            let bar = Some(count as f32 / most as f32);
            lines.push(Line { label: format!("level {level}"), value: grouped(count), bar });
        }
    }
    lines.push(line("step", milliseconds(times.step)));
    lines.extend(times.cull.map(|cull| line("cull", milliseconds(cull))));
    lines.push(line("draw", milliseconds(times.draw)));
    lines.push(line("CPU", milliseconds(times.cpu)));
    lines.push(line(&format!("Times: {}", times.source.description()), String::new()));
    lines.push(line("S hides and shows this", String::new()));
    lines
}

/// Writes a number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let comma = |index: usize| index > 0 && (digits.len() - index).is_multiple_of(3);
    let with_comma = |(index, digit): (usize, char)| comma(index).then_some(',').into_iter().chain([digit]);
    digits.chars().enumerate().flat_map(with_comma).collect()
}

/// Draws the lines in the upper left corner.
fn paint(painter: &Painter, lines: &[Line]) {
    let font = FontId::proportional(TEXT);
    #[expect(clippy::cast_precision_loss, reason = "a few lines")]
    let height = LINE * lines.len() as f32 + 2.0 * PADDING;
    let panel = Rect::from_min_size(pos2(MARGIN, MARGIN), vec2(WIDTH, height));
    painter.rect_filled(panel, 6.0, BACKGROUND);
    let (left, right) = (panel.left() + PADDING, panel.right() - PADDING);
    let mut middle = panel.top() + PADDING + 0.5 * LINE;
    for line in lines {
        painter.text(pos2(left, middle), Align2::LEFT_CENTER, &line.label, font.clone(), LABEL);
        painter.text(pos2(right, middle), Align2::RIGHT_CENTER, &line.value, font.clone(), VALUE);
        if let Some(length) = line.bar.filter(|length| *length > 0.0) {
            let corner = pos2(left + BARS, middle - 0.5 * BAR_HEIGHT);
            // Even a single character among thousands is visible.
            let size = vec2((length * LONGEST_BAR).max(1.0), BAR_HEIGHT);
            painter.rect_filled(Rect::from_min_size(corner, size), 0.0, BAR);
        }
        middle += LINE;
    }
}

#[cfg(test)]
mod tests {
    use egui::Shape;

    use super::*;
    use crate::render::DrawnLevels;
    use crate::scene::TimeSource;

    fn stats() -> CrowdStats {
        let mut drawn = DrawnLevels { triangles: 1_234_567, hidden: 58, ..DrawnLevels::default() };
        drawn.characters[..4].copy_from_slice(&[2, 0, 40, 1000]);
        let times = CrowdTimes {
            source: TimeSource::Gpu,
            step: Duration::from_micros(310),
            cull: Some(Duration::from_micros(20)),
            draw: Duration::from_micros(4100),
            cpu: Duration::from_micros(420),
        };
        CrowdStats { characters: 2000, bytes: 1, drawn: Some(drawn), times }
    }

    #[test]
    fn statistics_are_lines_with_a_histogram() {
        let stats = stats();
        let lines = lines(&stats, &stats.times);
        let value = |label: &str| {
            lines.iter().find(|line| line.label == label).map(|line| (line.value.as_str(), line.bar))
        };
        assert_eq!(value("characters"), Some(("2,000", None)));
        assert_eq!(value("drawn"), Some(("1,042", None)));
        assert_eq!(value("culled"), Some(("900", None)));
        assert_eq!(value("hidden"), Some(("58", None)));
        assert_eq!(value("triangles"), Some(("1,234,567", None)));
        assert_eq!(value("level 0"), Some(("2", Some(0.002))));
        assert_eq!(value("level 3"), Some(("1,000", Some(1.0))));
        assert_eq!(value("level 8"), Some(("0", Some(0.0))));
        assert_eq!(value("level 9"), None);
        assert_eq!(value("step"), Some(("0.31 ms", None)));
        assert_eq!(value("cull"), Some(("0.02 ms", None)));
        assert_eq!(value("draw"), Some(("4.10 ms", None)));
        assert_eq!(value("CPU"), Some(("0.42 ms", None)));
        assert!(value("Times: GPU timestamps").is_some());
    }

    #[test]
    fn characters_on_the_cpu_have_only_times() {
        let stats = CrowdStats { drawn: None, ..stats() };
        let times = CrowdTimes { cull: None, ..stats.times.clone() };
        let labels: Vec<String> = lines(&stats, &times).into_iter().map(|line| line.label).collect();
        let expected =
            ["characters", "step", "draw", "CPU", "Times: GPU timestamps", "S hides and shows this"];
        assert_eq!(labels, expected);
    }

    #[test]
    fn times_follow_those_of_new_frames_slowly() {
        let old = stats().times;
        let new = CrowdTimes { step: Duration::from_micros(1310), ..old.clone() };
        let mixed = smoothed(Some(&old), &new);
        assert_eq!((mixed.step, mixed.draw), (Duration::from_micros(410), old.draw));
        let other = CrowdTimes { source: TimeSource::Cpu, ..new };
        assert_eq!(smoothed(Some(&old), &other), other);
        assert_eq!(smoothed(None, &old), old);
    }

    #[test]
    fn all_lines_are_inside_the_panel() {
        let context = egui::Context::default();
        panel::style(&context);
        let stats = CrowdStats { characters: 1_000_000, ..stats() };
        let lines = lines(&stats, &stats.times);
        let output = context.run_ui(egui::RawInput::default(), |ui| paint(ui.painter(), &lines));
        let (mut panels, mut texts) = (Vec::new(), Vec::new());
        for shape in &output.shapes {
            match &shape.shape {
                Shape::Rect(rect) => panels.push(rect.rect),
                Shape::Text(text) => texts.push(text.galley.rect.translate(text.pos.to_vec2())),
                _ => {}
            }
        }
        output.drop_without_applying_deltas();
        let (panel, bars) = panels.split_first().unwrap();
        assert_eq!(bars.len(), 3);
        assert!(texts.len() >= lines.len());
        for rect in bars.iter().chain(&texts) {
            assert!(panel.contains_rect(*rect), "{rect:?} is outside of {panel:?}");
        }
    }
}
