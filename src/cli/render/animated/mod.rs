//! Files that contain several images: animated GIF and PNG, and video.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::asset::DecodedImage;
use crate::cli::failure::Failure;
use crate::files::atomic::Draft;

mod gif;
mod video;

/// Number of images and images per second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    pub(super) count: u32,
    pub(super) rate: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnimatedKind {
    Gif,
    Png,
    Video,
}

/// Images in the order in which they are shown.
pub(super) type Images<'a> = &'a mut dyn Iterator<Item = Result<DecodedImage, Failure>>;

impl AnimatedKind {
    /// Returns the format of a file name. Fails if the format cannot store the images, or if the program that a video needs is
    /// missing.
    pub(super) fn of(path: &Path, (width, height): (u32, u32), timing: Timing) -> Result<Self, Failure> {
        let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
        let failed = |cause: &str| Err(Failure::Usage(format!("--output {}: {cause}", path.display())));
        match extension.as_deref() {
            Some("gif") if width.max(height) > u32::from(u16::MAX) => {
                failed("a GIF has at most 65535 pixels per side; use .png")
            }
            // Viewers slow down images that are shown for a shorter time.
            Some("gif") if timing.rate > 50.0 => {
                failed("a GIF shows at most 50 images per second; use a lower --fps")
            }
            Some("gif") => Ok(Self::Gif),
            Some("png" | "apng") => Ok(Self::Png),
            Some("mp4") if !video::is_available() => {
                failed("ffmpeg is not installed, which writes .mp4; install it, or use .gif or .png")
            }
            Some("mp4") => Ok(Self::Video),
            _ => failed("unknown file type; use .gif, .png, .mp4, or a name with {frame:04}"),
        }
    }

    /// Returns whether the file's colours are chosen from samples of its images.
    pub(super) fn needs_samples(self) -> bool {
        self == Self::Gif
    }
}

/// Writes all images to a file, which is either complete or absent.
pub(super) fn write(
    path: &Path,
    kind: AnimatedKind,
    is_transparent: bool,
    timing: Timing,
    samples: &[DecodedImage],
    images: Images<'_>,
) -> Result<(), Failure> {
    let mut draft = Draft::of_save(path).map_err(Failure::write(path))?;
    let mut out = BufWriter::new(DraftWriter(&mut draft));
    match kind {
        AnimatedKind::Gif => gif::write(path, &mut out, is_transparent, timing, samples, images)?,
        AnimatedKind::Png => png(path, &mut out, is_transparent, timing, images)?,
        AnimatedKind::Video => video::write(path, &mut out, timing, images)?,
    }
    out.flush().map_err(Failure::write(path))?;
    drop(out);
    draft.replace().map_err(Failure::write(path))
}

struct DraftWriter<'a>(&'a mut Draft);

impl Write for DraftWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes an animated PNG, which repeats forever.
fn png(
    path: &Path,
    out: &mut dyn Write,
    is_transparent: bool,
    timing: Timing,
    images: Images<'_>,
) -> Result<(), Failure> {
    let failed = |e: png::EncodingError| Failure::write(path)(e.into());
    let Some(first) = images.next().transpose()? else { return Ok(()) };
    let mut encoder = png::Encoder::new(out, first.width, first.height);
    encoder.set_color(if is_transparent { png::ColorType::Rgba } else { png::ColorType::Rgb });
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_animated(timing.count, 0).map_err(failed)?;
    let (seconds, parts) = delay(timing.rate);
    encoder.set_frame_delay(seconds, parts).map_err(failed)?;
    let mut writer = encoder.write_header().map_err(failed)?;
    let mut add = |image: &DecodedImage| {
        let pixels = if is_transparent { &image.rgba } else { &image.rgb() };
        writer.write_image_data(pixels).map_err(failed)
    };
    add(&first)?;
    for image in images {
        add(&image?)?;
    }
    writer.finish().map_err(failed)
}

/// Returns the display time of an image in seconds, as the numerator and the denominator of a fraction.
fn delay(rate: f32) -> (u16, u16) {
    let fraction = |parts: f32| parts / rate;
    // The finest unit in which the numerator fits into 16 bits.
    let parts = [1000.0, 100.0, 10.0, 1.0].into_iter().find(|p| fraction(*p) <= 65_535.0).unwrap_or(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
    let (time, parts) = if rate.fract() == 0.0 && rate <= 65_535.0 {
        (1, rate as u16)
    } else {
        (fraction(parts).round() as u16, parts as u16)
    };
    (time, parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_exact_for_whole_rates_and_fit_for_all() {
        assert_eq!(delay(24.0), (1, 24));
        assert_eq!(delay(29.97), (33, 1000));
        assert_eq!(delay(0.5), (2000, 1000));
        assert_eq!(delay(0.001), (10_000, 10));
        assert_eq!(delay(1e-30), (u16::MAX, 1));
        assert_eq!(delay(1e9).1, 1000);
    }

    #[test]
    fn formats_are_chosen_by_the_name() {
        let of = |name: &str, rate: f32| {
            AnimatedKind::of(name.as_ref(), (70_000, 10), Timing { count: 2, rate })
                .map_err(|e| e.to_string())
        };
        assert_eq!(of("a.PNG", 60.0), Ok(AnimatedKind::Png));
        assert!(of("a.gif", 24.0).unwrap_err().contains("65535"));
        assert!(of("a.jpg", 24.0).unwrap_err().contains("unknown file type"));
        let small = AnimatedKind::of("a.gif".as_ref(), (70, 10), Timing { count: 2, rate: 51.0 });
        assert!(small.unwrap_err().to_string().contains("50 images per second"));
    }
}
