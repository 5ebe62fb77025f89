//! Combines a sequence of PNG frames into one animated PNG (APNG), which browsers can show.
//!
//! ```text
//! sinew render --replay docs/drag.session --frames 0..96 --fps 24 -o '/tmp/drag-{frame:04}.png'
//! cargo run -p sinew-tools --bin animate -- 24 docs/drag.png /tmp/drag-*.png
//! ```
//!
//! All frames share a palette of 255 colours, computed by median cut (Heckbert 1982). Each frame stores only the
//! rectangle that has changed since the previous frame.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use png::{BitDepth, BlendOp, ColorType, Compression, DisposeOp, Encoder};
use sinew::asset::DecodedImage;
use sinew::files::atomic;

/// Palette index of pixels that have not changed. It is transparent.
const UNCHANGED: u8 = 255;

type Color = [u8; 3];

fn rgb([r, g, b, _]: [u8; 4]) -> Color {
    [r, g, b]
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rate, out, names @ ..] = &arguments[..] else {
        return Err("usage: animate FRAMES_PER_SECOND OUT.png FRAME.png…".into());
    };
    let rate: u16 = rate.parse()?;
    let read = |name: &String| {
        DecodedImage::decode(&std::fs::read(name)?).map_err(|e| format!("{name}: {e}").into())
    };
    let frames: Vec<DecodedImage> = names.iter().map(read).collect::<Result<_, Box<dyn Error>>>()?;
    let first = frames.first().ok_or("there are no frames")?;
    let (width, height) = (first.width, first.height);
    if frames.iter().any(|f| (f.width, f.height) != (width, height)) {
        return Err("all frames must have the same size".into());
    }
    let palette = palette(&frames);
    let indexed = index_pixels(&frames, &palette);

    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::High);
    let mut entries = palette.concat();
    entries.resize(usize::from(UNCHANGED) * 3 + 3, 0);
    encoder.set_palette(entries);
    let mut alpha = vec![255; usize::from(UNCHANGED)];
    alpha.push(0);
    encoder.set_trns(alpha);
    encoder.set_animated(u32::try_from(frames.len())?, 0)?;
    encoder.set_frame_delay(1, rate)?;
    encoder.set_dispose_op(DisposeOp::None)?;
    encoder.set_blend_op(BlendOp::Over)?;
    let mut writer = encoder.write_header()?;
    for (number, now) in indexed.iter().enumerate() {
        let before = number.checked_sub(1).and_then(|n| indexed.get(n));
        let ([left, top, across, down], data) = changed(before, now, width, height);
        // The first frame is complete, because programs without support for animations show only that one.
        writer.reset_frame_position()?;
        writer.set_frame_dimension(across, down)?;
        writer.set_frame_position(left, top)?;
        writer.write_image_data(&data)?;
    }
    writer.finish()?;
    Ok(atomic::write(Path::new(out), &bytes)?)
}

/// Returns a palette of up to 255 colours for all frames. The box of colours with the largest spread is split in two
/// until there are enough boxes.
fn palette(frames: &[DecodedImage]) -> Vec<Color> {
    let mut counts: HashMap<Color, u32> = HashMap::new();
    frames.iter().flat_map(DecodedImage::pixels).for_each(|p| *counts.entry(rgb(p)).or_default() += 1);
    let mut colors: Vec<(Color, u32)> = counts.into_iter().collect();
    colors.sort_unstable();
    let mut boxes = vec![colors];
    while boxes.len() < usize::from(UNCHANGED) {
        let widest = (0..boxes.len()).max_by_key(|&b| spread(&boxes[b]));
        let Some((widest, (most, channel))) = widest.map(|b| (b, spread(&boxes[b]))) else { break };
        if most == 0 {
            break;
        }
        let mut lower = boxes.swap_remove(widest);
        lower.sort_unstable_by_key(|(color, _)| (color[channel], *color));
        let total: u64 = lower.iter().map(|c| weight(c.1)).sum();
        let mut so_far = 0;
        let half = lower.iter().position(|c| {
            so_far += weight(c.1);
            so_far * 2 >= total
        });
        let upper = lower.split_off((half.unwrap_or(0) + 1).clamp(1, lower.len() - 1));
        boxes.extend([lower, upper]);
    }
    boxes.iter().map(|b| mean(b)).collect()
}

/// Returns the weight of a colour that occurs `count` times. The square root keeps rare colours from being lost.
fn weight(count: u32) -> u64 {
    u64::from(count.isqrt()) + 1
}

/// Returns the spread of some colours and the index of their widest channel. The spread is the width of this channel times the total weight
/// of the colours.
fn spread(colors: &[(Color, u32)]) -> (u64, usize) {
    let weight: u64 = colors.iter().map(|c| weight(c.1)).sum();
    let width = |channel: usize| {
        let values = || colors.iter().map(move |(color, _)| color[channel]);
        u64::from(values().max().unwrap_or(0) - values().min().unwrap_or(0))
    };
    (0..3).map(|c| (width(c) * weight, c)).max().unwrap_or_default()
}

fn mean(colors: &[(Color, u32)]) -> Color {
    let weight: u64 = colors.iter().map(|c| u64::from(c.1)).sum();
    [0, 1, 2].map(|channel| {
        let sum: u64 =
            colors.iter().map(|(color, count)| u64::from(color[channel]) * u64::from(*count)).sum();
        u8::try_from((sum + weight / 2) / weight.max(1)).unwrap_or(u8::MAX)
    })
}

/// Returns the index of the nearest palette colour for every pixel.
fn index_pixels(frames: &[DecodedImage], palette: &[Color]) -> Vec<Vec<u8>> {
    let mut cache: HashMap<Color, u8> = HashMap::new();
    let mut nearest = |color: Color| {
        *cache.entry(color).or_insert_with(|| {
            let distance =
                |p: &Color| p.iter().zip(color).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum::<u32>();
            let best = palette.iter().enumerate().min_by_key(|(_, p)| distance(p));
            best.and_then(|(i, _)| u8::try_from(i).ok()).unwrap_or(0)
        })
    };
    frames.iter().map(|f| f.pixels().map(|p| nearest(rgb(p))).collect()).collect()
}

/// Returns the rectangle (left, top, width, height) in which a frame differs from the previous one, and its pixels.
fn changed(before: Option<&Vec<u8>>, now: &[u8], width: u32, height: u32) -> ([u32; 4], Vec<u8>) {
    let Some(before) = before else { return ([0, 0, width, height], now.to_vec()) };
    let differs = |x: u32, y: u32| {
        let index = (y * width + x) as usize;
        before[index] != now[index]
    };
    let rows: Vec<u32> = (0..height).filter(|&y| (0..width).any(|x| differs(x, y))).collect();
    let columns: Vec<u32> = (0..width).filter(|&x| rows.iter().any(|&y| differs(x, y))).collect();
    // A frame must have at least one pixel.
    let range =
        |indices: &[u32]| indices.first().zip(indices.last()).map_or((0, 1), |(&a, &b)| (a, b - a + 1));
    let ((left, across), (top, down)) = (range(&columns), range(&rows));
    let positions = (top..top + down).flat_map(|y| (left..left + across).map(move |x| (x, y)));
    let pixel = |(x, y): (u32, u32)| if differs(x, y) { now[(y * width + x) as usize] } else { UNCHANGED };
    ([left, top, across, down], positions.map(pixel).collect())
}
