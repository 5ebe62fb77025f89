//! `sinew crowd --measure`: prints times, triangles and levels of detail.

use std::time::Duration;

use wgpu::TextureFormat;

use crate::cli::failure::Failure;
use crate::cli::output;
use crate::render::{Canvas, RenderError, Renderer, drawable_texture};
use crate::scene::{CrowdMeter, CrowdScene, CrowdStats, ViewSettings};

use super::counts;

/// Number of frames that are drawn before the first measured one, because pipelines are created and shaders are translated when they are
/// first used.
const WARM_UP: u32 = 3;

/// Draws frames of `size` pixels at intervals of `seconds`, and prints the measurements of each and their medians. The crowd must have
/// walked already.
pub(super) fn print(
    renderer: &mut Renderer,
    scene: &mut CrowdScene,
    settings: &ViewSettings,
    size: (u32, u32),
    seconds: f32,
    frames: u32,
) -> Result<(), Failure> {
    let gpu = renderer.gpu().clone();
    let format =
        if settings.mode.is_data() { TextureFormat::Rgba8Unorm } else { TextureFormat::Rgba8UnormSrgb };
    let limit = gpu.device.limits().max_texture_dimension_2d;
    let (width, height) = size;
    if width > limit || height > limit {
        return Err(RenderError::TooLarge { width, height, limit }.into());
    }
    let view = drawable_texture(&gpu, "crowd", size, format, &[]).create_view(&Default::default());
    let canvas = Canvas { view: &view, format, size, area: size, is_hdr: false };
    let mut meter = CrowdMeter::waiting(&gpu);
    let mut measured: Vec<CrowdStats> = Vec::new();
    for frame in 0..WARM_UP + frames {
        meter.draw(renderer, scene, seconds, settings, &canvas)?;
        let Some(stats) = meter.latest().filter(|_| frame >= WARM_UP) else { continue };
        if measured.is_empty() {
            output::lines(heading(&gpu.describe(), stats))?;
        }
        measured.push(stats.clone());
        output::lines([row(&measured.len().to_string(), stats)])?;
    }
    let median = CrowdStats::median(&measured);
    output::lines(median.map(|stats| row("median", &stats)))
}

/// Returns the lines above the table.
fn heading(adapter: &str, stats: &CrowdStats) -> [String; 4] {
    #[expect(clippy::cast_precision_loss, reason = "a size in megabytes")]
    let megabytes = stats.bytes as f64 / 1e6;
    [
        format!("adapter: {adapter}"),
        format!("times: {}", stats.times.source.description()),
        format!("{} characters in buffers of {megabytes:.1} MB", stats.characters),
        format!(
            "{:>6} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9} {:>9} {:>11}  levels",
            "frame", "step ms", "cull ms", "draw ms", "CPU ms", "drawn", "culled", "hidden", "triangles"
        ),
    ]
}

/// Returns a row of the table. `-` means that a number is not known.
fn row(name: &str, stats: &CrowdStats) -> String {
    let unknown = || "-".to_owned();
    let milliseconds = |time: Duration| format!("{:.3}", time.as_secs_f64() * 1e3);
    let times = &stats.times;
    let cull = times.cull.map_or_else(unknown, milliseconds);
    let [step, draw, cpu] = [times.step, times.draw, times.cpu].map(milliseconds);
    let drawn = stats.drawn.as_ref();
    let count = drawn.map_or_else(unknown, |drawn| drawn.visible().to_string());
    let culled = stats.culled().map_or_else(unknown, |count| count.to_string());
    let hidden = drawn.map_or_else(unknown, |drawn| drawn.hidden.to_string());
    let triangles = drawn.map_or_else(unknown, |drawn| drawn.triangles.to_string());
    let levels = drawn.map_or_else(unknown, counts);
    format!(
        "{name:>6} {step:>10} {cull:>10} {draw:>10} {cpu:>10} {count:>9} {culled:>9} {hidden:>9} {triangles:>11}  {levels}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::DrawnLevels;
    use crate::scene::{CrowdTimes, TimeSource};

    #[test]
    fn columns_are_below_their_names() {
        let mut drawn = DrawnLevels { triangles: 98_765, hidden: 79, ..DrawnLevels::default() };
        drawn.characters[..3].copy_from_slice(&[1, 20, 300]);
        let times = CrowdTimes {
            source: TimeSource::Gpu,
            step: Duration::from_micros(1500),
            cull: Some(Duration::from_micros(25)),
            draw: Duration::from_micros(20_000),
            cpu: Duration::from_micros(400),
        };
        let stats = CrowdStats { characters: 1000, bytes: 8_700_000, drawn: Some(drawn), times };
        let [adapter, source, size, names] = heading("a card", &stats);
        assert_eq!((&*adapter, &*source), ("adapter: a card", "times: GPU timestamps"));
        assert_eq!(size, "1000 characters in buffers of 8.7 MB");
        let row = row("12", &stats);
        let words: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(words[..9], ["12", "1.500", "0.025", "20.000", "0.400", "321", "600", "79", "98765"]);
        assert!(row.ends_with("1 + 20 + 300 + 0 + 0 + 0 + 0 + 0 + 0"));
        for (name, value) in
            [("draw ms", "20.000"), ("culled", "600"), ("hidden", "79"), ("triangles", "98765")]
        {
            assert_eq!(
                names.find(name).map(|at| at + name.len()),
                row.find(value).map(|at| at + value.len())
            );
        }
    }

    #[test]
    fn unknown_numbers_are_dashes() {
        let row = row("median", &CrowdStats { characters: 5, ..CrowdStats::default() });
        let words: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(words, ["median", "0.000", "-", "0.000", "0.000", "-", "-", "-", "-", "-"]);
    }
}
