//! `sinew render --sheet`: several poses of a clip in one image.

use std::process::ExitCode;

use clap::ArgMatches;

use crate::asset::DecodedImage;
use crate::cli::failure::Failure;
use crate::cli::timing::Stopwatch;
use crate::cli::{Verbosity, output};
use crate::puppet::Puppet;
use crate::render::Background;

use super::{OutputNames, PendingRenderer, RenderArgs, sequence};

mod digits;

/// Maximum number of pixels of a sheet. They take up 1 GiB.
const MAX_PIXELS: u64 = 1 << 28;
/// Smallest width and height of the image of a pose, in pixels.
const MIN_SIDE: u32 = 16;
/// Background colour of the captions below the images.
const CAPTION: [u8; 4] = [32, 32, 32, 255];

/// The layout of a sheet, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    columns: u32,
    /// Width of a cell, and height of its image and of the caption below it.
    width: u32,
    height: u32,
    caption: u32,
    /// Pixels per dot of a digit.
    dot: u32,
}

pub(super) fn run(
    args: &RenderArgs,
    count: u32,
    matches: &ArgMatches,
    verbosity: Verbosity,
) -> Result<ExitCode, Failure> {
    let mut watch = Stopwatch::new(verbosity.verbose);
    let names = OutputNames::new(&args.output, None)?;
    args.protect_inputs()?;
    names.check(None)?;
    let size = args.image.size();
    if u64::from(size.0) * u64::from(size.1) > MAX_PIXELS {
        let cause = format!("{}x{} pixels are too many for one image", size.0, size.1);
        return Err(Failure::Usage(format!("--sheet {count}: {cause}; use a smaller --resolution")));
    }
    let layout = Layout::of(count, size).ok_or_else(|| {
        let cause = format!("{count} images do not fit into {}x{} pixels", size.0, size.1);
        Failure::Usage(format!("--sheet {count}: {cause}; use a larger --resolution"))
    })?;
    let image_args = args.image.with_size((layout.width, layout.height));
    let pending = PendingRenderer::open(&image_args, verbosity);
    let puppet = args.puppet(matches, verbosity, &mut watch)?;
    let times = times(&puppet, count);
    let mut sheet = Sheet::new(size);
    let mut drawn = Background::BLACK;
    let code = sequence::draw(
        args,
        &image_args,
        puppet,
        &times,
        pending,
        watch,
        verbosity,
        |index, image, background| {
            drawn = background;
            sheet.add(&layout, index, image, times.get(index).copied().unwrap_or_default());
            Ok(())
        },
    )?;
    output::file(&names.single, &sheet.image.png(drawn)?)?;
    Ok(code)
}

/// Returns evenly spaced times in seconds from the puppet's time to the end of its motion. For a loop, they cover one period without its
/// end, because the end equals the start.
fn times(puppet: &Puppet, count: u32) -> Vec<f32> {
    let start = puppet.time;
    let end = if puppet.options.looping { start + puppet.seconds() } else { puppet.seconds().max(start) };
    let intervals = if puppet.options.looping { count } else { count.saturating_sub(1).max(1) };
    #[expect(clippy::cast_precision_loss, reason = "a sheet has few images")]
    let time = |index: u32| start + (end - start) * index as f32 / intervals as f32;
    (0..count).map(time).collect()
}

impl Layout {
    /// Returns the layout in which the shorter side of an image is largest. `None` if that side is still too short.
    fn of(count: u32, (width, height): (u32, u32)) -> Option<Self> {
        let with_columns = |columns: u32| {
            let rows = count.div_ceil(columns);
            let cell = height / rows;
            let dot = (cell / 120).max(1);
            let caption = (digits::HEIGHT + 4) * dot;
            Self { columns, width: width / columns, height: cell.saturating_sub(caption), caption, dot }
        };
        let side = |layout: &Self| layout.width.min(layout.height);
        // Among equally good layouts, the one with the fewest columns is used.
        let best = (1..=count).map(with_columns).reduce(|a, b| if side(&b) > side(&a) { b } else { a })?;
        (side(&best) >= MIN_SIDE).then_some(best)
    }
}

/// An image composed of images of poses.
struct Sheet {
    image: DecodedImage,
}

impl Sheet {
    fn new((width, height): (u32, u32)) -> Self {
        let rgba = CAPTION.repeat(width as usize * height as usize);
        Self { image: DecodedImage { width, height, rgba } }
    }

    /// Adds the image of a pose, with the pose's time below the image.
    fn add(&mut self, layout: &Layout, index: usize, image: &DecodedImage, time: f32) {
        #[expect(clippy::cast_possible_truncation, reason = "a sheet has few images")]
        let index = index as u32;
        let (column, row) = (index % layout.columns, index / layout.columns);
        let (left, top) = (column * layout.width, row * (layout.height + layout.caption));
        let row_bytes = 4 * image.width as usize;
        for (y, pixels) in (top..).zip(image.rgba.chunks_exact(row_bytes.max(4))) {
            self.put(left, y, pixels);
        }
        let text = format!("{time:.2}s");
        let dot = layout.dot;
        let text_left = left + layout.width.saturating_sub(digits::width(&text) * dot) / 2;
        let text_top = top + layout.height + 2 * dot;
        let white = [255_u8; 4].repeat(dot as usize);
        for (x, y) in digits::dots(&text) {
            for line in 0..dot {
                self.put(text_left + x * dot, text_top + y * dot + line, &white);
            }
        }
    }

    /// Writes a row of pixels. Pixels outside the image are skipped.
    fn put(&mut self, x: u32, y: u32, pixels: &[u8]) {
        if x >= self.image.width || y >= self.image.height {
            return;
        }
        let start = 4 * (y as usize * self.image.width as usize + x as usize);
        let length = pixels.len().min(4 * (self.image.width - x) as usize);
        if let (Some(to), Some(from)) = (self.image.rgba.get_mut(start..start + length), pixels.get(..length))
        {
            to.copy_from_slice(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_fill_the_image() {
        let of = |count, size| Layout::of(count, size).map(|l| (l.columns, l.width));
        assert_eq!(of(8, (1280, 720)), Some((4, 320)));
        assert_eq!(of(12, (1280, 720)), Some((4, 320)));
        assert_eq!(of(5, (1000, 100)), Some((5, 200)));
        assert_eq!(of(400, (100, 100)), None);
    }

    #[test]
    fn images_and_times_are_put_into_their_cells() {
        let layout = Layout::of(2, (64, 40)).unwrap();
        let mut sheet = Sheet::new((64, 40));
        let green = [0, 255, 0, 255].repeat((layout.width * layout.height) as usize);
        let image = DecodedImage { width: layout.width, height: layout.height, rgba: green };
        sheet.add(&layout, 1, &image, 1.25);
        let at = |x: u32, y: u32| &sheet.image.rgba[4 * (y * 64 + x) as usize..][..4];
        assert_eq!(
            (at(31, 5), at(32, 5), at(63, 5)),
            (&CAPTION[..], &[0, 255, 0, 255][..], &[0, 255, 0, 255][..])
        );
        let white = sheet.image.rgba.chunks_exact(4).filter(|pixel| *pixel == [255; 4]).count();
        assert_eq!(white, digits::dots("1.25s").count());
    }
}
