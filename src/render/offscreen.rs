//! Offscreen render targets and their readback.

use wgpu::{TextureFormat, TextureUsages};

use crate::asset::DecodedImage;
use crate::platform::receive;

use super::srgb::{from_linear, to_linear};
use super::{Gpu, RenderError};

/// Format of all depth textures.
pub(super) const DEPTH: TextureFormat = TextureFormat::Depth32Float;

/// A texture view to draw into, and the area of the view that a frame covers.
#[derive(Clone, Copy, Debug)]
pub struct Canvas<'a> {
    /// The view to draw into.
    pub view: &'a wgpu::TextureView,
    /// The format of the view.
    pub format: TextureFormat,
    /// Width and height of the view in pixels.
    pub size: (u32, u32),
    /// Width and height of the frame in pixels, from the upper left corner. The rest of the view is filled with the background.
    pub area: (u32, u32),
    /// Whether the view stores linear light that may exceed one, without tone mapping. Otherwise it stores sRGB colours, which
    /// the shaders encode if the format does not.
    pub is_hdr: bool,
}

/// The targets of the scene pass.
#[derive(Clone, Copy)]
pub(super) struct SceneViews<'a> {
    pub(super) color: &'a wgpu::TextureView,
    /// The view into which several samples are resolved.
    pub(super) resolved: Option<&'a wgpu::TextureView>,
    pub(super) depth: &'a wgpu::TextureView,
}

/// Textures to draw into, reused while size, samples and format stay the same.
#[derive(Debug)]
pub(crate) struct RenderTarget {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) samples: u32,
    pub(super) format: TextureFormat,
    color: wgpu::Texture,
    pub(crate) resolved: wgpu::TextureView,
    /// The multisampled texture that is resolved, if there are several samples per pixel.
    pub(super) multisampled: Option<wgpu::TextureView>,
    pub(super) depth: wgpu::TextureView,
    /// Whether shaders can read the depth.
    reads_depth: bool,
}

impl RenderTarget {
    pub(crate) fn new(
        gpu: &Gpu,
        (width, height): (u32, u32),
        samples: u32,
        format: TextureFormat,
        reads_depth: bool,
    ) -> Result<Self, RenderError> {
        let limit = gpu.device.limits().max_texture_dimension_2d;
        if width == 0 || height == 0 {
            return Err(RenderError::Empty { width, height });
        }
        if width > limit || height > limit {
            return Err(RenderError::TooLarge { width, height, limit });
        }
        if samples != 1 && samples != 4 {
            return Err(RenderError::Samples { samples });
        }
        let texture = |label: &str, samples: u32, format: TextureFormat, usage: TextureUsages| {
            gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: samples,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: TextureUsages::RENDER_ATTACHMENT | usage,
                view_formats: &[],
            })
        };
        let view = |texture: &wgpu::Texture| texture.create_view(&Default::default());
        let color = texture("color", 1, format, TextureUsages::COPY_SRC | TextureUsages::TEXTURE_BINDING);
        let multisampled =
            (samples > 1).then(|| view(&texture("samples", samples, format, TextureUsages::empty())));
        let reading = if reads_depth { TextureUsages::TEXTURE_BINDING } else { TextureUsages::empty() };
        let depth = view(&texture("depth", samples, DEPTH, reading));
        let resolved = view(&color);
        Ok(Self { width, height, samples, format, color, resolved, multisampled, depth, reads_depth })
    }

    /// Returns whether the target has this size, number of samples and format, and whether shaders can read the depth if they must.
    pub(super) fn fits(
        &self,
        size: (u32, u32),
        samples: u32,
        format: TextureFormat,
        reads_depth: bool,
    ) -> bool {
        (self.width, self.height, self.samples, self.format) == (size.0, size.1, samples, format)
            && (self.reads_depth || !reads_depth)
    }

    /// Returns the views of a pass that draws the whole image.
    pub(super) fn views(&self) -> SceneViews<'_> {
        match &self.multisampled {
            Some(samples) => {
                SceneViews { color: samples, resolved: Some(&self.resolved), depth: &self.depth }
            }
            None => SceneViews { color: &self.resolved, resolved: None, depth: &self.depth },
        }
    }

    /// Encodes a copy of the image into a buffer that the CPU can read.
    pub(crate) fn copy_out(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) -> wgpu::Buffer {
        let row = padded_row(self.width);
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size: u64::from(row) * u64::from(self.height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
        let size = wgpu::Extent3d { width: self.width, height: self.height, depth_or_array_layers: 1 };
        let destination = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        encoder.copy_texture_to_buffer(self.color.as_image_copy(), destination, size);
        buffer
    }
}

/// Returns the number of bytes in a row of a buffer. Copies require a multiple of 256.
fn padded_row(width: u32) -> u32 {
    (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT)
}

impl Gpu {
    /// Draws an image with the passes of another renderer, such as a user interface. `draw` gets a view in the format `Rgba8Unorm`, and
    /// returns the command buffers that must run before the commands of its encoder.
    ///
    /// # Errors
    /// [`RenderError::Empty`] or [`RenderError::TooLarge`] if the size is invalid. Otherwise the errors of [`Pending::image`].
    pub fn image(
        &self,
        (width, height): (u32, u32),
        draw: impl FnOnce(&wgpu::TextureView, &mut wgpu::CommandEncoder) -> Vec<wgpu::CommandBuffer>,
    ) -> Result<DecodedImage, RenderError> {
        let target = RenderTarget::new(self, (width, height), 1, TextureFormat::Rgba8Unorm, false)?;
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut work = draw(&target.resolved, &mut encoder);
        let buffer = target.copy_out(self, &mut encoder);
        work.push(encoder.finish());
        let work = self.queue.submit(work);
        Pending { gpu: self.clone(), size: (width, height), buffer, work, premultiplied: None }.image()
    }
}

/// An image that the device is still drawing. Any thread can wait for it while others submit more work.
#[derive(Debug)]
pub struct Pending {
    pub(crate) gpu: Gpu,
    pub(crate) size: (u32, u32),
    /// Receives the pixels when `work` is done.
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) work: wgpu::SubmissionIndex,
    /// `None` if alpha is straight. If alpha is premultiplied, `Some(true)` means that colours are stored as sRGB.
    pub(crate) premultiplied: Option<bool>,
}

impl Pending {
    /// Waits for the image.
    ///
    /// # Errors
    /// [`RenderError`] if the driver reports an error or the device is lost.
    pub fn image(self) -> Result<DecodedImage, RenderError> {
        let rgba = read_buffer(&self.gpu, &self.buffer, self.work.clone(), |bytes| self.unpadded(bytes))?;
        Ok(self.straight(rgba))
    }

    /// Calls a function with the image as soon as the device has drawn it, for programs that cannot wait. On a desktop, the
    /// function is called while the device is polled.
    pub fn when_ready(self, call: impl FnOnce(Result<DecodedImage, RenderError>) + Send + 'static) {
        let buffer = self.buffer.clone();
        buffer.map_async(wgpu::MapMode::Read, .., move |mapped| {
            let rgba = mapped.map_err(|e| RenderError::Driver(e.to_string())).and_then(|()| {
                // A lost device is a more useful error than a failed read.
                self.gpu.check()?;
                read_mapped(&self.buffer, |bytes| self.unpadded(bytes))
            });
            call(rgba.map(|rgba| self.straight(rgba)));
        });
    }

    /// Removes the bytes between the rows.
    fn unpadded(&self, bytes: &[u8]) -> Vec<u8> {
        let (width, height) = self.size;
        let row = width as usize * 4;
        let mut rgba = Vec::with_capacity(row * height as usize);
        let rows = bytes.chunks_exact(padded_row(width) as usize);
        rows.filter_map(|padded| padded.get(..row)).for_each(|row| rgba.extend_from_slice(row));
        rgba
    }

    fn straight(&self, rgba: Vec<u8>) -> DecodedImage {
        let (width, height) = self.size;
        let mut image = DecodedImage { width, height, rgba };
        if let Some(srgb) = self.premultiplied {
            unpremultiply(&mut image, srgb);
        }
        image
    }
}

/// Waits for the work that fills a buffer, and reads the buffer.
pub(super) fn read_buffer<T>(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    work: wgpu::SubmissionIndex,
    read: impl FnOnce(&[u8]) -> T,
) -> Result<T, RenderError> {
    let (sender, receiver) = std::sync::mpsc::channel();
    // Sending fails only if the receiver below has been dropped.
    buffer.map_async(wgpu::MapMode::Read, .., move |result| drop(sender.send(result)));
    let polled = gpu.device.poll(wgpu::PollType::Wait { submission_index: Some(work), timeout: None });
    // A lost device is a more useful error than a failed wait.
    gpu.check()?;
    polled.map_err(|e| RenderError::Driver(e.to_string()))?;
    match receive(&receiver) {
        Some(Ok(())) => {}
        Some(Err(e)) => return Err(RenderError::Driver(e.to_string())),
        None => return Err(RenderError::Driver("the image is not ready yet".into())),
    }
    read_mapped(buffer, read)
}

fn read_mapped<T>(buffer: &wgpu::Buffer, read: impl FnOnce(&[u8]) -> T) -> Result<T, RenderError> {
    let view = buffer.get_mapped_range(..).map_err(|e| RenderError::Driver(e.to_string()))?;
    let value = read(&view);
    drop(view);
    buffer.unmap();
    Ok(value)
}

/// Converts premultiplied colours to straight alpha. `srgb` must be true if colours are stored as sRGB.
fn unpremultiply(image: &mut DecodedImage, srgb: bool) {
    for pixel in image.rgba.chunks_exact_mut(4) {
        let &mut [.., alpha] = pixel else { continue };
        if alpha == 0 || alpha == 255 {
            continue;
        }
        let coverage = f64::from(alpha) / 255.0;
        for value in pixel.iter_mut().take(3) {
            let stored = f64::from(*value) / 255.0;
            let straight = if srgb {
                from_linear((to_linear(stored) / coverage).min(1.0))
            } else {
                (stored / coverage).min(1.0)
            };
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
            (*value = (straight * 255.0 + 0.5) as u8);
        }
    }
}
